//! Providers of SAML beside the one of the settings that follow their metadata, each its own.

use poem::http::Method;
use serde_json::{Value, json};

use super::{
    Company, SAML, WORD,
    beside::{sign_in as sign_in_at_corp, sign_in_by, with_corp_by},
    forge::{OTHER_CERTIFICATE, OTHER_KEY, PROVIDER, PROVIDER_CERTIFICATE},
    metadata::{HOUR_MS, Publishing, SIGN_ON, certificates, document, usual},
};
use crate::{
    calls,
    harness::{Answer, role},
    providers::{beside::PROVIDERS, company::SIMPLE},
};

fn refresh_of(id: &str) -> String {
    format!("{PROVIDERS}/{id}/metadata-refresh")
}

async fn set(company: &Company, id: &str, settings: Value) -> Answer {
    company.app.admin().json(Method::PUT, &refresh_of(id), settings).await
}

async fn settings(company: &Company, id: &str) -> Value {
    company.app.admin().get(&format!("{PROVIDERS}/{id}")).await.expect(200)["settings"].clone()
}

fn on(publishing: &Publishing) -> Value {
    json!({ "enabled": true, "url": publishing.url() })
}

/// The company with a second provider, which publishes its metadata and follows it.
async fn following(rules: &Value) -> Publishing {
    let publishing = Publishing::of(with_corp_by(json!({ "signOnUrl": SIGN_ON }), rules).await);
    publishing.publish(200, usual(&[PROVIDER_CERTIFICATE]));
    let followed = set(&publishing.company, "corp", on(&publishing)).await.expect(200);
    assert_eq!((&followed["intervalHours"], &followed["attemptedAt"]), (&json!(24), &Value::Null));
    publishing
}

#[tokio::test]
async fn s21_a_key_that_a_provider_announces_is_believed_there_and_nowhere_else() {
    let publishing = following(&json!({ "autoCreate": true })).await;
    let company = &publishing.company;
    let before = company.app.event_types().await.len();
    let unchanged = settings(company, "corp").await;
    publishing.refresh().await;
    // The same certificates in another form change nothing.
    assert_eq!(settings(company, "corp").await, unchanged);
    assert_eq!(company.app.event_types().await.len(), before);
    let refused = sign_in_by(company, &mut company.browser(), OTHER_KEY).await;
    assert_eq!(company.reason(refused, WORD).await["reason"], "signature-mismatch");

    publishing.publish(200, usual(&[PROVIDER_CERTIFICATE, OTHER_CERTIFICATE]));
    publishing.refresh().await;
    assert_eq!(certificates(&settings(company, "corp").await), 1, "it is not time yet");
    company.app.clock.advance(24 * HOUR_MS);
    publishing.refresh().await;
    assert_eq!(certificates(&settings(company, "corp").await), 2);
    let of_settings = company.app.admin().get(SAML).await.expect(200);
    assert_eq!(certificates(&of_settings), 1, "the settings follow nothing");
    let told = company.app.admin().get(&refresh_of("corp")).await.expect(200);
    assert_eq!((&told["problem"], &told["succeededAt"]), (&Value::Null, &told["attemptedAt"]));
    let events = company.app.events().await;
    let event = events.last().expect("an event");
    assert_eq!((&*event.r#type, &*event.created_by), ("setting-updated", "unleash_system_user"));
    let data = calls::told(event)[2].clone();
    assert_eq!(data["id"], "flagstone.sign-in-providers.corp");
    assert_eq!(data["changedSettings"], json!(["certificate"]));
    assert_eq!(data["certificateFingerprints"].as_array().map(Vec::len), Some(2));
    assert_eq!(company.app.event_types().await.len(), before + 1);

    // Taken back, and with another address and one to sign out at.
    let logout = "<md:SingleLogoutService Binding=\"urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect\" \
        Location=\"https://idp.example/slo\"/><md:SingleSignOnService";
    let moved = document(PROVIDER, &[OTHER_CERTIFICATE], "https://idp.example/sso/new", "");
    publishing.publish(200, moved.replace("<md:SingleSignOnService", logout));
    company.app.clock.advance(24 * HOUR_MS);
    publishing.refresh().await;
    let settings = settings(company, "corp").await;
    assert_eq!((certificates(&settings), &settings["signOnUrl"]), (1, &json!("https://idp.example/sso/new")));
    assert_eq!(settings["signOutUrl"], "https://idp.example/slo");
}

#[tokio::test]
async fn a_new_key_signs_people_in_once_it_is_followed() {
    let publishing = Publishing::of(with_corp_by(json!({}), &json!({ "autoCreate": true })).await);
    let company = &publishing.company;
    publishing.publish(200, usual(&[PROVIDER_CERTIFICATE, OTHER_CERTIFICATE]));
    set(company, "corp", on(&publishing)).await.expect(200);
    publishing.refresh().await;
    assert_eq!(sign_in_by(company, &mut company.browser(), OTHER_KEY).await.status, 302);
}

#[tokio::test]
async fn what_is_wrong_with_the_metadata_of_one_provider_stops_no_other() {
    let publishing = following(&json!({ "autoCreate": true })).await;
    let company = &publishing.company;
    let other = json!({
        "id": "other", "kind": "saml", "label": "Other", "enabled": true,
        "settings": { "entityId": "urn:other", "signOnUrl": SIGN_ON, "certificate": PROVIDER_CERTIFICATE },
    });
    company.app.admin().post(PROVIDERS, other).await.expect(201);
    let elsewhere = Publishing::of(Company { app: company.other_node() });
    elsewhere.publish(200, document("urn:other", &[PROVIDER_CERTIFICATE, OTHER_CERTIFICATE], SIGN_ON, ""));
    set(company, "other", on(&elsewhere)).await.expect(200);
    let (unchanged, before) = (settings(company, "corp").await, company.app.event_types().await.len());
    let both = &[PROVIDER_CERTIFICATE, OTHER_CERTIFICATE];
    for (status, body, problem) in [
        (500, usual(both), "the answer there is 500"),
        (200, document("https://evil.example", both, SIGN_ON, ""), "is of another provider"),
        (200, document(PROVIDER, both, "http://idp.example/sso", ""), "https address"),
        (200, document(PROVIDER, both, &format!("https://idp.example/{}", "x".repeat(2000)), ""), "more than 2000"),
        (200, document(PROVIDER, both, SIGN_ON, "validUntil=\"2026-11-01T00:00:00Z\""), "was valid until"),
    ] {
        publishing.publish(status, body);
        let fetched = publishing.fetched();
        publishing.refresh().await;
        publishing.refresh().await;
        assert_eq!(publishing.fetched(), fetched + 1, "not again at once: {problem}");
        let told = company.app.admin().get(&refresh_of("corp")).await.expect(200);
        assert!(told["problem"].as_str().is_some_and(|told| told.contains(problem)), "{problem} in {told}");
        assert_eq!((&told["succeededAt"], settings(company, "corp").await), (&Value::Null, unchanged.clone()));
        company.app.clock.advance(HOUR_MS);
    }
    assert_eq!(certificates(&settings(company, "other").await), 2);
    assert_eq!(company.app.event_types().await[before..], ["setting-updated"], "of the other one");
    let told = company.app.admin().get(&refresh_of("other")).await.expect(200);
    assert_eq!(told["problem"], Value::Null);
}

#[tokio::test]
async fn following_is_set_for_providers_of_saml_and_goes_with_them() {
    let publishing = following(&json!({ "autoCreate": true })).await;
    let company = &publishing.company;
    let admin = company.app.admin();
    let events = company.app.events().await;
    let event = events.last().expect("an event");
    assert_eq!(event.r#type, "setting-updated");
    let data = calls::told(event)[2].clone();
    let refresh = json!({ "enabled": true, "url": publishing.url(), "intervalHours": 24 });
    assert_eq!(data, json!({ "id": "flagstone.sign-in-providers.corp", "metadataRefresh": refresh }));
    // The same once more leaves no event, and neither does what is refused.
    set(company, "corp", on(&publishing)).await.expect(200);
    for (body, text) in [
        (json!({ "enabled": true }), "/body/url"),
        (json!({ "enabled": true, "url": "http://idp.example/metadata" }), "https"),
        (json!({ "enabled": true, "url": publishing.url(), "intervalHours": 721 }), "intervalHours"),
    ] {
        set(company, "corp", body).await.refused(400, "ValidationError", text);
    }
    publishing.publish(200, document("https://evil.example", &[OTHER_CERTIFICATE], SIGN_ON, ""));
    set(company, "corp", on(&publishing)).await.refused(400, "ValidationError", "another provider");
    let google = json!({
        "id": "google", "kind": "google", "label": "Google", "settings": { "clientId": "c", "secret": "s" },
    });
    admin.post(PROVIDERS, google).await.expect(201);
    for id in ["google", "unknown"] {
        set(company, id, on(&publishing)).await.refused(404, "NotFoundError", id);
        admin.get(&refresh_of(id)).await.refused(404, "NotFoundError", id);
    }
    let types = company.app.event_types().await;
    assert_eq!(types[events.len()..], ["setting-created"], "of the other provider");
    // Created again under its id, it follows nothing.
    admin.json(Method::DELETE, &format!("{PROVIDERS}/corp"), Value::Null).await.expect(200);
    admin.get(&refresh_of("corp")).await.refused(404, "NotFoundError", "corp");
    let again = json!({
        "id": "corp", "kind": "saml", "label": "Corp", "enabled": true,
        "settings": { "entityId": PROVIDER, "signOnUrl": SIGN_ON, "certificate": PROVIDER_CERTIFICATE },
    });
    admin.post(PROVIDERS, again).await.expect(201);
    let told = admin.get(&refresh_of("corp")).await.expect(200);
    assert_eq!((&told["enabled"], &told["url"]), (&json!(false), &Value::Null));
    let fetched = publishing.fetched();
    publishing.refresh().await;
    assert_eq!(publishing.fetched(), fetched);
}

#[tokio::test]
async fn a_provider_that_is_disabled_follows_nothing() {
    let publishing = following(&json!({ "autoCreate": true })).await;
    let company = &publishing.company;
    let content = |enabled: bool| {
        let settings = json!({ "entityId": PROVIDER, "signOnUrl": SIGN_ON, "certificate": PROVIDER_CERTIFICATE });
        json!({ "label": "Corp", "icon": "key", "enabled": enabled, "settings": settings, "rules": {} })
    };
    let path = format!("{PROVIDERS}/corp");
    company.app.admin().json(Method::PUT, &path, content(false)).await.expect(200);
    publishing.publish(200, usual(&[PROVIDER_CERTIFICATE, OTHER_CERTIFICATE]));
    let fetched = publishing.fetched();
    publishing.refresh().await;
    assert_eq!((publishing.fetched(), certificates(&settings(company, "corp").await)), (fetched, 1));
    company.app.admin().json(Method::PUT, &path, content(true)).await.expect(200);
    publishing.refresh().await;
    assert_eq!(certificates(&settings(company, "corp").await), 2);
}

#[tokio::test]
async fn following_locks_nobody_out_of_a_further_provider() {
    let rules = json!({ "autoCreate": true, "defaultRootRoleId": role::ADMIN });
    let publishing = following(&rules).await;
    let company = &publishing.company;
    let mut alice = company.browser();
    sign_in_at_corp(company, &mut alice).await;
    let off = json!({ "disabled": true });
    alice.json(Method::POST, SIMPLE, &off).await.expect(200);
    publishing.publish(200, usual(&[PROVIDER_CERTIFICATE, OTHER_CERTIFICATE]));
    publishing.refresh().await;
    assert_eq!(certificates(&settings(company, "corp").await), 2);
    // Her session and her way in count as before.
    alice.get("/api/admin/user").await.expect(200);
    alice.json(Method::POST, SIMPLE, &off).await.expect(200);
    let shown = company.app.admin().get(&format!("{PROVIDERS}/corp")).await.expect(200);
    let renamed = json!({
        "label": "Corp", "icon": "key", "enabled": true, "settings": shown["settings"],
        "rules": { "autoCreate": false },
    });
    company.app.admin().json(Method::PUT, &format!("{PROVIDERS}/corp"), renamed).await.expect(200);
    sign_in_at_corp(company, &mut company.browser()).await;
}
