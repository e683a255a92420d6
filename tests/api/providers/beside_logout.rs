//! Back-channel logout of login providers in addition to the settings: each at its own address, and of its sessions alone.

use flagstone::sign_in;
use poem::http::Method;
use serde_json::{Value, json};

use super::{
    beside::{Beside, PROVIDERS},
    browser::{BASE, Browser, location},
    company::{Company, SIGN_INS},
    hostile::{CLIENT_ID, Provider, SUBJECT},
};
use crate::harness::encoded;

const EVENT: &str = "http://schemas.openid.net/event/backchannel-logout";
const OF_SETTINGS: &str = "/auth/oidc/backchannel-logout";

fn address(id: &str) -> String {
    format!("/auth/providers/{id}/backchannel-logout")
}

/// A logout token of a provider, with some claims otherwise; null takes one out.
fn token(provider: &Provider, change: &Value) -> String {
    let now = provider.state().now;
    let mut claims = json!({
        "iss": provider.issuer(), "aud": CLIENT_ID, "iat": now, "exp": now + 120, "jti": "once", "sub": SUBJECT,
        "sid": "session-1", "events": { EVENT: {} },
    });
    let all = claims.as_object_mut().expect("an object");
    all.extend(change.as_object().expect("an object").clone());
    all.retain(|_, value| !value.is_null());
    provider.sign(&claims)
}

/// Three providers, the one of the settings among them, with a session each of the same subject and session there.
async fn three() -> (Company, [Beside; 2], [Browser; 3]) {
    let company = Company::new().await;
    let (first, second) = (Beside::new(&company, "first").await, Beside::new(&company, "second").await);
    first.provider.claim("email", "grace@example.com");
    second.provider.claim("email", "alan@example.com");
    for provider in [&company.provider, &first.provider, &second.provider] {
        provider.claim("sid", "session-1");
    }
    let mut ada = company.browser();
    company.sign_in(&mut ada).await;
    let (grace, _) = first.signed_in(&company).await;
    let (alan, _) = second.signed_in(&company).await;
    (company, [first, second], [ada, grace, alan])
}

#[tokio::test]
async fn o29_each_provider_ends_the_sessions_that_came_through_it_and_no_others() {
    let (company, [first, _], [mut ada, mut grace, mut alan]) = three().await;
    let mut caller = company.browser();
    let signed = token(&first.provider, &json!({}));
    caller.post_form(&address("first"), &[("logout_token", &signed)]).await.expect(200);
    assert!(!grace.is_signed_in().await && ada.is_signed_in().await && alan.is_signed_in().await);
    sign_in::log::write(&company.app.state).await.expect("writes");
    let entry = company.newest_entry().await;
    assert_eq!((&entry["outcome"], &entry["providerId"]), (&json!("signed-out"), &json!("first")));
    // Once, on every node.
    let node = company.other_node();
    for browser in [&mut caller, &mut Browser::new(&node)] {
        let again = browser.post_form(&address("first"), &[("logout_token", &signed)]).await;
        again.refused(400, "LogoutRefusedError", "used-logout");
    }
    // A person, without a session.
    let (mut grace, _) = first.signed_in(&company).await;
    let all = token(&first.provider, &json!({ "sid": null, "jti": "again" }));
    caller.post_form(&address("first"), &[("logout_token", &all)]).await.expect(200);
    assert!(!grace.is_signed_in().await && ada.is_signed_in().await && alan.is_signed_in().await);
}

#[tokio::test]
async fn o35_o45_a_logout_token_of_another_provider_or_none_ends_nothing() {
    let (company, [first, second], [mut ada, mut grace, mut alan]) = three().await;
    // Of one provider at the address of another, though the same key signs for all.
    for (provider, path) in [
        (&first.provider, address("second")),
        (&first.provider, OF_SETTINGS.to_owned()),
        (&company.provider, address("first")),
        (&second.provider, address("first")),
    ] {
        let signed = token(provider, &json!({}));
        let refused = company.browser().post_form(&path, &[("logout_token", &signed)]).await;
        refused.refused(400, "LogoutRefusedError", "wrong-issuer");
    }
    for (change, reason) in [
        (json!({ "aud": "other" }), "wrong-audience"),
        (json!({ "nonce": "x" }), "logout-token-with-nonce"),
        (json!({ "events": null }), "logout-event-missing"),
    ] {
        let signed = token(&first.provider, &change);
        let refused = company.browser().post_form(&address("first"), &[("logout_token", &signed)]).await;
        refused.refused(400, "LogoutRefusedError", reason);
    }
    // Signed by nobody.
    let signed = token(&first.provider, &json!({}));
    let (message, _) = signed.rsplit_once('.').expect("a signature");
    let unsigned = format!("{message}.");
    let refused = company.browser().post_form(&address("first"), &[("logout_token", &unsigned)]).await;
    assert_eq!((refused.status, refused.body["name"].as_str()), (400, Some("LogoutRefusedError")), "{}", refused.text);
    company.browser().post_form(&address("first"), &[]).await.refused(400, "ValidationError", "logout_token");
    assert!(ada.is_signed_in().await && grace.is_signed_in().await && alan.is_signed_in().await);
    // A session there of another name is none of hers.
    let elsewhere = token(&first.provider, &json!({ "sid": "session-2", "sub": null }));
    company.browser().post_form(&address("first"), &[("logout_token", &elsewhere)]).await.expect(200);
    assert!(grace.is_signed_in().await);
    let log = company.app.admin().get(SIGN_INS).await.expect(200);
    let refusals = log["signIns"].as_array().expect("entries").iter();
    let refusals = refusals.filter(|entry| entry["outcome"] == "sign-out-refused" && entry["providerId"] == "first");
    assert!(refusals.count() >= 6, "{log}");
}

#[tokio::test]
async fn o45_of_two_entries_for_the_same_provider_each_ends_its_own_sessions() {
    let company = Company::new().await;
    let first = Beside::new(&company, "first").await;
    first.provider.claim("sid", "session-1");
    let (mut grace, _) = first.signed_in(&company).await;
    let rules = json!({ "autoCreate": true, "linkByEmail": true });
    let twin = json!({
        "id": "twin", "kind": "oidc", "label": "Twin", "enabled": true, "settings": first.settings(json!({})), "rules": rules,
    });
    company.app.admin().post(PROVIDERS, twin).await.expect(201);
    first.provider.state().redirect_uri = format!("{BASE}/auth/providers/twin/callback");
    first.provider.claim("email", "alan@example.com");
    let mut alan = company.browser();
    let returned = first.provider.authorize(location(&alan.get("/auth/providers/twin/login").await).as_str());
    let query =
        format!("code={}&state={}&iss={}", encoded(&returned.code), encoded(&returned.state), encoded(&returned.iss));
    assert_eq!(alan.get(&format!("/auth/providers/twin/callback?{query}")).await.status, 302);
    let signed = token(&first.provider, &json!({}));
    let fields = [("logout_token", &*signed)];
    company.browser().post_form(&address("first"), &fields).await.expect(200);
    assert!(!grace.is_signed_in().await && alan.is_signed_in().await);
    company.browser().post_form(&address("twin"), &fields).await.expect(200);
    assert!(!alan.is_signed_in().await);
}

#[tokio::test]
async fn providers_that_are_off_or_of_another_kind_have_no_such_address() {
    let (company, [first, _], [_, mut grace, _]) = three().await;
    let admin = company.app.admin();
    let shown = admin.get(&format!("{PROVIDERS}/first")).await.expect(200);
    assert_eq!(shown["addresses"]["backChannelLogoutUrl"], format!("{BASE}{}", address("first")));
    let github = json!({
        "id": "github", "kind": "github", "label": "GitHub", "enabled": true,
        "settings": { "clientId": "c", "secret": "s" },
    });
    let github = admin.post(PROVIDERS, github).await.expect(201);
    assert_eq!(github["addresses"]["backChannelLogoutUrl"], Value::Null);
    first.set(&company, false, json!({}), &json!({ "autoCreate": true })).await.expect(200);
    assert!(!grace.is_signed_in().await);
    let signed = token(&first.provider, &json!({}));
    for id in ["first", "github", "unknown"] {
        let refused = company.browser().post_form(&address(id), &[("logout_token", &signed)]).await;
        refused.refused(404, "NotFoundError", id);
    }
    let json = company.app.anonymous().json(Method::POST, &address("second"), json!({ "logout_token": "x" })).await;
    json.refused(415, "ContentTypeerror", "application/x-www-form-urlencoded");
}
