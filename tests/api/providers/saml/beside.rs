//! A provider of SAML beside the one of the settings, and that nothing of one serves at the other.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use poem::http::Method;
use serde_json::{Value, json};

use super::{
    Company, STATE, WORD,
    forge::{ENTITY, PROVIDER, PROVIDER_CERTIFICATE, PROVIDER_KEY, RESPONSE, Style, sign_as},
    message, response, ticket,
};
use crate::{
    harness::Answer,
    providers::{
        beside::PROVIDERS,
        browser::{Browser, SESSION, location},
        cost::LOG,
    },
    statements::Listening,
};

const ACS: &str = "/auth/providers/corp/acs";

/// Changes that make the usual response one for the provider beside the settings.
const FOR_CORP: [(&str, &str); 2] = [
    ("/auth/saml/callback\"", "/auth/providers/corp/acs\""),
    ("<saml:Audience>https://flags.example<", "<saml:Audience>https://flags.example/auth/providers/corp/metadata<"),
];

/// Further provider like that of the settings.
async fn with_corp(settings: Value) -> Company {
    with_corp_by(settings, &json!({ "autoCreate": true })).await
}

/// Further provider like that of the settings, with other rules.
pub(super) async fn with_corp_by(settings: Value, rules: &Value) -> Company {
    let company = Company::new().await;
    let mut connection =
        json!({ "entityId": PROVIDER, "signOnUrl": "https://idp.example/sso", "certificate": PROVIDER_CERTIFICATE });
    let Value::Object(settings) = settings else { panic!("an object") };
    connection.as_object_mut().expect("an object").extend(settings);
    let created = json!({
        "id": "corp", "kind": "saml", "label": "Contractors", "enabled": true, "settings": connection, "rules": rules,
    });
    company.app.admin().post(PROVIDERS, created).await.expect(201);
    company
}

async fn begin(browser: &mut Browser) -> String {
    begin_for(browser, "").await.0
}

/// Begins; the id of the request, and the relay state.
async fn begin_for(browser: &mut Browser, query: &str) -> (String, String) {
    let address = location(&browser.get(&format!("/auth/providers/corp/login{query}")).await);
    let xml = message(&address, "SAMLRequest");
    assert!(xml.contains("AssertionConsumerServiceURL=\"https://flags.example/auth/providers/corp/acs\""), "{xml}");
    assert!(xml.contains(">https://flags.example/auth/providers/corp/metadata<"), "{xml}");
    let id = xml.split(" ID=\"").nth(1).expect("an id").split('"').next().expect("an end").to_owned();
    let (_, relay_state) = address.query_pairs().find(|(name, _)| name == "RelayState").expect("a relay state");
    (id, relay_state.into_owned())
}

/// Signs in through it.
pub(super) async fn sign_in(company: &Company, browser: &mut Browser) {
    let answer = sign_in_by(company, browser, PROVIDER_KEY).await;
    assert_eq!(location(&answer).as_str(), "https://flags.example/");
}

/// Signs in through it with a response that this key signs.
pub(super) async fn sign_in_by(company: &Company, browser: &mut Browser, key: &'static str) -> Answer {
    let id = begin(browser).await;
    let mut xml = RESPONSE.replace("_request", &id).replace("_assertion", &format!("_{id}"));
    for (from, to) in FOR_CORP {
        xml = xml.replace(from, to);
    }
    let signed = sign_as(&xml, "saml:Assertion", &Style { key, ..Style::default() });
    let answer = bring(company, ACS, &signed).await;
    if answer.status == 303 { browser.get(&ticket(&answer)).await } else { answer }
}

async fn bring(company: &Company, path: &str, response: &str) -> Answer {
    bring_with(company, path, response, "").await
}

async fn bring_with(company: &Company, path: &str, response: &str, relay_state: &str) -> Answer {
    let encoded = STANDARD.encode(response);
    company.browser().post_form(path, &[("SAMLResponse", &encoded), ("RelayState", relay_state)]).await
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
async fn a_sign_in_through_a_second_provider_asks_the_database_as_often_as_through_the_first() {
    let company = with_corp(json!({})).await;
    let grace = |assertion: &'static str| [("alice@example.com", "grace@example.com"), ("_assertion", assertion)];
    // The first sign-ins make the users.
    assert_eq!(company.sign_in(&mut company.browser(), &grace("_first")).await.status, 302);
    sign_in(&company, &mut company.browser()).await;
    Listening::start();
    assert_eq!(company.sign_in(&mut company.browser(), &grace("_second")).await.status, 302);
    let through_first = Listening::end_without(LOG);
    Listening::start();
    sign_in(&company, &mut company.browser()).await;
    let through_second = Listening::end_without(LOG);
    assert!(!through_first.is_empty(), "nobody listened");
    assert_eq!(through_first.len(), through_second.len(), "{through_first:#?} {through_second:#?}");
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
async fn the_metadata_for_a_provider_has_its_own_addresses() {
    let company = with_corp(json!({})).await;
    let answer = company.app.anonymous().get("/auth/providers/corp/metadata").await;
    assert_eq!(answer.status, 200);
    for part in [
        &format!("entityID=\"{ENTITY}/auth/providers/corp/metadata\""),
        &format!("Location=\"{ENTITY}/auth/providers/corp/acs\""),
        &format!("HTTP-Redirect\" Location=\"{ENTITY}/auth/providers/corp/logout/done\""),
        &format!("HTTP-POST\" Location=\"{ENTITY}/auth/providers/corp/logout/done\""),
    ] {
        assert!(answer.text.contains(part), "{part} in {}", answer.text);
    }
    assert!(!answer.text.contains("/auth/saml/"));
    let shown = company.app.admin().get(&format!("{PROVIDERS}/corp")).await.expect(200);
    assert_eq!(
        shown["addresses"],
        json!({
            "loginUrl": format!("{ENTITY}/auth/providers/corp/login"),
            "redirectUrl": format!("{ENTITY}{ACS}"),
            "metadataUrl": format!("{ENTITY}/auth/providers/corp/metadata"),
            "singleLogoutUrl": format!("{ENTITY}/auth/providers/corp/logout/done"),
            "entityId": format!("{ENTITY}/auth/providers/corp/metadata"),
        })
    );
    company.app.admin().json(Method::DELETE, &format!("{PROVIDERS}/corp"), Value::Null).await.expect(200);
    company.app.anonymous().get("/auth/providers/corp/metadata").await.refused(404, "NotFoundError", "corp");
    bring(&company, ACS, "<none/>").await.refused(404, "NotFoundError", "corp");
}

#[tokio::test]
async fn o44_a_trial_of_a_provider_shows_who_comes_and_gives_no_session_there_or_elsewhere() {
    let company = with_corp(json!({})).await;
    let admin = company.app.admin();
    let place = format!("{PROVIDERS}/corp/test");
    let settings = json!({
        "entityId": PROVIDER, "signOnUrl": "https://idp.example/sso", "certificate": PROVIDER_CERTIFICATE,
        "groupsPath": "groups",
    });
    let proposal =
        json!({ "kind": "saml", "settings": settings, "rules": { "autoCreate": true, "requiredGroups": ["admins"] } });
    let trial = admin.post(&place, proposal).await.expect(200);
    for check in trial["checks"].as_array().expect("checks") {
        assert_eq!(check["ok"], true, "{check}");
    }
    let id = trial["id"].as_str().expect("an id");
    let mut browser = company.browser();
    let (request, relay_state) = begin_for(&mut browser, &format!("?trial={id}")).await;
    // Neither the provider of the settings nor a sign-in takes what is for the trial.
    let answer = bring_with(&company, "/auth/saml/callback", &response(&request, &FOR_CORP), &relay_state).await;
    answer.refused(404, "NotFoundError", "trial");
    let answer = bring(&company, ACS, &response(&request, &FOR_CORP)).await;
    let refused = browser.get(&ticket(&answer)).await;
    assert_eq!(company.reason(refused, STATE).await["reason"], "unknown-state");

    let (request, relay_state) = begin_for(&mut browser, &format!("?trial={id}")).await;
    let another = [&FOR_CORP[..], &[("_assertion", "_another")]].concat();
    let answer = bring_with(&company, ACS, &response(&request, &another), &relay_state).await;
    let answer = browser.get(&ticket(&answer)).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert!(answer.text.contains("Nobody was signed in") && !browser.jar.contains_key(SESSION));
    let outcome = admin.get(&format!("{place}/{id}")).await.expect(200);
    assert_eq!((&outcome["state"], &outcome["email"]), (&json!("admitted"), &json!("alice@example.com")));
    assert_eq!(outcome["groups"]["received"], json!(["admins", "developers"]));
    admin.get(&format!("/api/admin/auth/saml/test/{id}")).await.refused(404, "NotFoundError", "trial");
    assert_eq!(admin.get("/api/admin/user-admin").await.expect(200)["users"], json!([]));
}
