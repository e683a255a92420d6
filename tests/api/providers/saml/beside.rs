//! A provider of SAML beside the one of the settings, and that nothing of one serves at the other.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use poem::http::Method;
use serde_json::{Value, json};

use super::{
    Company, STATE, WORD,
    forge::{ENTITY, PROVIDER, PROVIDER_CERTIFICATE},
    message, response, ticket,
};
use crate::{
    harness::Answer,
    providers::{
        beside::PROVIDERS,
        browser::{Browser, location},
    },
};

const ACS: &str = "/auth/providers/corp/acs";

/// Changes that make the usual response one for the provider beside the settings.
const FOR_CORP: [(&str, &str); 2] = [
    ("/auth/saml/callback\"", "/auth/providers/corp/acs\""),
    ("<saml:Audience>https://flags.example<", "<saml:Audience>https://flags.example/auth/providers/corp/metadata<"),
];

/// The same provider as that of the settings, a second time.
async fn with_corp(settings: Value) -> Company {
    let company = Company::new().await;
    let mut connection =
        json!({ "entityId": PROVIDER, "signOnUrl": "https://idp.example/sso", "certificate": PROVIDER_CERTIFICATE });
    let Value::Object(settings) = settings else { panic!("an object") };
    connection.as_object_mut().expect("an object").extend(settings);
    let created = json!({
        "id": "corp", "kind": "saml", "label": "Contractors", "enabled": true, "settings": connection,
        "rules": { "autoCreate": true },
    });
    company.app.admin().post(PROVIDERS, created).await.expect(201);
    company
}

async fn begin(browser: &mut Browser) -> String {
    let xml = message(&location(&browser.get("/auth/providers/corp/login").await), "SAMLRequest");
    assert!(xml.contains("AssertionConsumerServiceURL=\"https://flags.example/auth/providers/corp/acs\""), "{xml}");
    assert!(xml.contains(">https://flags.example/auth/providers/corp/metadata<"), "{xml}");
    xml.split(" ID=\"").nth(1).expect("an id").split('"').next().expect("an end").to_owned()
}

async fn bring(company: &Company, path: &str, response: &str) -> Answer {
    let encoded = STANDARD.encode(response);
    company.browser().post_form(path, &[("SAMLResponse", &encoded)]).await
}

#[tokio::test]
async fn somebody_of_a_second_provider_is_another_person_than_of_the_first() {
    let company = with_corp(json!({})).await;
    let options = company.app.anonymous().get("/auth/options").await.expect(200)["options"].clone();
    let corp = json!({
        "type": "saml", "message": "Contractors", "path": "/auth/providers/corp/login", "id": "corp", "icon": "key",
    });
    assert_eq!(options[1], corp);
    let mut browser = company.browser();
    let id = begin(&mut browser).await;
    let answer = bring(&company, ACS, &response(&id, &FOR_CORP)).await;
    let answer = browser.get(&ticket(&answer)).await;
    assert_eq!(location(&answer).as_str(), "https://flags.example/");
    let user = browser.get("/api/admin/user").await.expect(200)["user"].clone();
    assert_eq!(user["email"], "alice@example.com");
    // The provider of the settings is trusted for emails, and takes the account from whom it does not know.
    assert_eq!(company.sign_in(&mut company.browser(), &[]).await.status, 302);
    browser.get("/api/admin/user").await.refused(401, "AuthenticationRequired", "");
    let identities =
        company.app.admin().get(&format!("/api/admin/user-admin/{}/identities", user["id"])).await.expect(200);
    let [identity] = identities["identities"].as_array().expect("identities").as_slice() else {
        panic!("one identity: {identities}")
    };
    assert_eq!((&identity["provider"], &identity["providerId"]), (&json!("saml"), &Value::Null));
}

#[tokio::test]
async fn o39_a_response_for_one_provider_is_none_for_another() {
    let company = with_corp(json!({ "idpInitiated": true })).await;
    let mut browser = company.browser();
    // Posted to the other address, whose recipient and audience it does not name.
    let of_settings = company.begin(&mut browser, "").await;
    let answer = bring(&company, ACS, &response(&of_settings, &[])).await;
    company.reason(answer, WORD).await;
    let id = begin(&mut browser).await;
    let answer = bring(&company, "/auth/saml/callback", &response(&id, &FOR_CORP)).await;
    company.reason(answer, WORD).await;
    // An answer to a request of the other.
    let answer = bring(&company, ACS, &response(&of_settings, &FOR_CORP)).await;
    let refused = browser.get(&ticket(&answer)).await;
    assert_eq!(company.reason(refused, STATE).await["reason"], "unknown-state");
    // A ticket of one, followed to the other.
    let unsolicited = [&FOR_CORP[..], &[(" InResponseTo=\"_other\"", ""), ("_assertion", "_another")]].concat();
    let answer = bring(&company, ACS, &response("_other", &unsolicited)).await;
    let elsewhere = ticket(&answer).replace(ACS, "/auth/saml/callback");
    let refused = browser.get(&elsewhere).await;
    assert_eq!(company.reason(refused, STATE).await["reason"], "settings-changed");
}

#[tokio::test]
async fn the_metadata_for_a_provider_has_its_own_addresses_and_no_logout() {
    let company = with_corp(json!({})).await;
    let answer = company.app.anonymous().get("/auth/providers/corp/metadata").await;
    assert_eq!(answer.status, 200);
    for part in [
        &format!("entityID=\"{ENTITY}/auth/providers/corp/metadata\""),
        &format!("Location=\"{ENTITY}/auth/providers/corp/acs\""),
    ] {
        assert!(answer.text.contains(part), "{part} in {}", answer.text);
    }
    assert!(!answer.text.contains("SingleLogoutService"));
    let shown = company.app.admin().get(&format!("{PROVIDERS}/corp")).await.expect(200);
    assert_eq!(
        shown["addresses"],
        json!({
            "loginUrl": format!("{ENTITY}/auth/providers/corp/login"),
            "redirectUrl": format!("{ENTITY}{ACS}"),
            "metadataUrl": format!("{ENTITY}/auth/providers/corp/metadata"),
            "entityId": format!("{ENTITY}/auth/providers/corp/metadata"),
        })
    );
    company.app.admin().json(Method::DELETE, &format!("{PROVIDERS}/corp"), Value::Null).await.expect(200);
    company.app.anonymous().get("/auth/providers/corp/metadata").await.refused(404, "NotFoundError", "corp");
    bring(&company, ACS, "<none/>").await.refused(404, "NotFoundError", "corp");
}
