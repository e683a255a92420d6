//! Signing in and out through SAML from the first request to the last. What is signed badly is for `tests/saml`; here
//! it is shown that such things reach the log, that nothing is believed twice, and that a ticket serves its browser
//! alone.

use std::io::Read as _;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use flagstone::{config::Config, domain::time::Timestamp, vault::Vault};
use flate2::read::DeflateDecoder;
use poem::http::{Method, header};
use serde_json::{Value, json};
use url::Url;

mod beside;
mod beside_logout;
mod beside_metadata;
mod chosen_attributes;
#[cfg(test)]
#[path = "../../saml/forge.rs"]
#[expect(dead_code, reason = "the tests of the protocol use all of it")]
pub mod forge;
mod log;
mod metadata;

use self::forge::{
    ENTITY, OTHER_KEY, PROVIDER, PROVIDER_CERTIFICATE, PROVIDER_KEY, RESPONSE, Style, sign, sign_as, twist,
};
use super::{
    browser::{Browser, SESSION, location},
    world::outbound,
};
use crate::harness::{Answer, TestApp};

const SAML: &str = "/api/admin/auth/saml/settings";
const SIGN_INS: &str = "/api/admin/auth/sign-ins";
const CALLBACK: &str = "/auth/saml/callback";
const DONE: &str = "/auth/saml/logout/done";
const WORD: (u16, &str) = (401, "SignInRefusedError");
const STATE: (u16, &str) = (400, "SignInStateError");

struct Company {
    app: TestApp,
}

/// Settings of the provider, changed so.
pub fn settings(change: Value) -> Value {
    let mut settings = json!({
        "enabled": true,
        "entityId": PROVIDER,
        "signOnUrl": "https://idp.example/sso?tenant=a",
        "signOutUrl": "https://idp.example/slo",
        "certificate": PROVIDER_CERTIFICATE,
        "autoCreate": true,
    });
    let Value::Object(change) = change else { panic!("an object") };
    settings.as_object_mut().expect("an object").extend(change);
    settings
}

impl Company {
    async fn new() -> Self {
        Self::with(json!({})).await
    }

    async fn with(change: Value) -> Self {
        let config = Config { base_url: ENTITY.to_owned(), outbound: Some(outbound()), ..Config::default() };
        let app = TestApp::with_config(config).await;
        let noon = Timestamp::parse("2026-11-22T12:00:00.000Z").expect("a time");
        app.clock.advance(noon.millis() - app.clock.now().millis());
        let company = Self { app };
        company.app.admin().post(SAML, settings(change)).await.expect(200);
        company
    }

    async fn set_policy(&self, change: Value) {
        let policy = json!({
            "samlIdpInitiated": false, "samlSignRequests": false, "oidcExtraScopes": [], "requireVerifiedEmail": false,
            "clockSkewSeconds": 60,
        });
        let mut policy = policy;
        let Value::Object(change) = change else { panic!("an object") };
        policy.as_object_mut().expect("an object").extend(change);
        self.app.admin().json(Method::PUT, "/api/admin/auth/policy", policy).await.expect(200);
    }

    fn browser(&self) -> Browser {
        Browser::new(&self.app)
    }

    fn other_node(&self) -> TestApp {
        self.app.beside(Vault::with_key(&[7; 32]))
    }

    /// Begins; the id of the request.
    async fn begin(&self, browser: &mut Browser, query: &str) -> String {
        let address = location(&browser.get(&format!("/auth/saml/login{query}")).await);
        assert_eq!(address.host_str(), Some("idp.example"));
        let xml = message(&address, "SAMLRequest");
        assert!(xml.contains("AssertionConsumerServiceURL=\"https://flags.example/auth/saml/callback\""), "{xml}");
        xml.split(" ID=\"").nth(1).expect("an id").split('"').next().expect("an end").to_owned()
    }

    /// Brings a response; where the browser goes.
    async fn bring(&self, browser: &mut Browser, response: &str) -> Answer {
        // The page of another site: its cookies are left out.
        let mut bare = self.browser();
        bare.accepts = browser.accepts;
        let origin = [("origin", "https://idp.example"), ("sec-fetch-site", "cross-site")];
        let encoded = STANDARD.encode(response);
        let fields = [("SAMLResponse", &*encoded), ("RelayState", "https://evil.example/")];
        let body = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
        let mut headers = vec![("content-type", "application/x-www-form-urlencoded")];
        headers.extend(origin);
        let answer = bare.send(Method::POST, CALLBACK, &headers, body.into_bytes()).await;
        assert!(bare.jar.is_empty(), "the first step gives no cookie");
        answer
    }

    /// Signs in with the usual response, changed before it is signed.
    async fn sign_in(&self, browser: &mut Browser, change: &[(&str, &str)]) -> Answer {
        let id = self.begin(browser, "").await;
        let answer = self.bring(browser, &response(&id, change)).await;
        if answer.status == 303 { browser.get(&ticket(&answer)).await } else { answer }
    }

    async fn reason(&self, answer: Answer, (status, name): (u16, &str)) -> Value {
        assert_eq!((answer.status, answer.body["name"].as_str()), (status, Some(name)), "{}", answer.text);
        let id = answer.body["id"].as_str().expect("an id");
        let log = self.app.admin().get(&format!("{SIGN_INS}?errorId={id}")).await.expect(200);
        let entry = log["signIns"][0].clone();
        assert_eq!((&entry["outcome"], &entry["method"]), (&json!("refused"), &json!("saml")));
        assert!(entry["explanation"].is_string(), "{entry}");
        for word in ["alice", "mallory", "_request", entry["reason"].as_str().expect("a reason")] {
            assert!(!answer.text.contains(word), "{} tells {word}", answer.text);
        }
        assert!(!log.to_string().contains("<saml") && !log.to_string().contains("PHNhbWw"), "{log}");
        entry
    }
}

/// The usual response to a request, with changes before it is signed.
fn response(id: &str, change: &[(&str, &str)]) -> String {
    let mut xml = RESPONSE.replace("_request", id);
    for (from, to) in change {
        xml = if xml.matches(from).count() == 1 { twist(&xml, from, to) } else { xml.replace(from, to) };
    }
    sign(&xml, "saml:Assertion")
}

/// Returns the ticket of the second step.
#[track_caller]
fn ticket(answer: &Answer) -> String {
    ticket_at(answer, ENTITY)
}

/// Returns the ticket of the second step on a server with this address.
#[track_caller]
pub fn ticket_at(answer: &Answer, base: &str) -> String {
    assert_eq!(answer.status, 303, "{}", answer.text);
    let address = answer.headers[header::LOCATION].to_str().expect("a text");
    address.strip_prefix(base).expect("on this server").to_owned()
}

/// The message in an address.
pub fn message(address: &Url, name: &str) -> String {
    let (_, value) = address.query_pairs().find(|(given, _)| given == name).expect("a message");
    let mut xml = String::new();
    let deflated = STANDARD.decode(&*value).expect("base64");
    DeflateDecoder::new(&*deflated).read_to_string(&mut xml).expect("deflated");
    xml
}

#[tokio::test]
async fn somebody_new_becomes_a_user_and_returns_to_the_page_that_was_asked_for() {
    let company = Company::with(json!({ "enableGroupSyncing": true, "groupJsonPath": "groups" })).await;
    let group = json!({ "name": "Admins", "mappingsSSO": ["admins"] });
    company.app.admin().post("/api/admin/groups", group).await.expect(201);
    let mut browser = company.browser();
    let id = company.begin(&mut browser, "?redirect=/projects/shop").await;
    // Each step before another node.
    let there = company.other_node();
    let answer = Company { app: there }.bring(&mut browser, &response(&id, &[])).await;
    let answer = browser.get(&ticket(&answer)).await;
    assert_eq!(location(&answer).as_str(), "https://flags.example/projects/shop");
    let user = browser.get("/api/admin/user").await.expect(200)["user"].clone();
    assert_eq!((&user["email"], &user["name"]), (&json!("alice@example.com"), &json!("Alice Example <&>")));
    let types = company.app.event_types().await;
    assert_eq!(types[types.len() - 2..], ["user-created", "group-user-added"]);
    assert_eq!(browser.begun(), 0);
    let groups = company.app.admin().get("/api/admin/groups").await.expect(200);
    assert_eq!(groups["groups"][0]["userCount"], 1);
}

#[tokio::test]
async fn s19_an_assertion_is_good_once_on_every_node() {
    let company = Company::new().await;
    let mut browser = company.browser();
    let id = company.begin(&mut browser, "").await;
    let signed = response(&id, &[]);
    assert_eq!(company.bring(&mut browser, &signed).await.status, 303);
    let there = Company { app: company.other_node() };
    for company in [&company, &there] {
        let answer = company.bring(&mut browser, &signed).await;
        assert_eq!(company.reason(answer, WORD).await["reason"], "used-assertion");
    }
    // Another assertion for the same request.
    let answer = company.bring(&mut browser, &response(&id, &[("_assertion", "_other")])).await;
    assert_eq!(company.reason(answer, WORD).await["reason"], "used-assertion");
}

#[tokio::test]
async fn s32_a_ticket_is_good_once_for_a_minute_and_for_its_browser() {
    let company = Company::new().await;
    let mut browser = company.browser();
    let id = company.begin(&mut browser, "").await;
    let answer = company.bring(&mut browser, &response(&id, &[])).await;
    let place = ticket(&answer);
    // Somebody else follows it first: nobody gets in by it any more.
    let mut other = company.browser();
    let refused = other.get(&place).await;
    let entry = company.reason(refused, STATE).await;
    assert_eq!((&entry["reason"], &entry["subject"]), (&json!("unknown-state"), &json!("alice@example.com")));
    assert!(!other.jar.contains_key(SESSION));
    let refused = browser.get(&place).await;
    assert_eq!(company.reason(refused, STATE).await["reason"], "unknown-ticket");
    let id = company.begin(&mut browser, "").await;
    let answer = company.bring(&mut browser, &response(&id, &[("_assertion", "_second")])).await;
    company.app.clock.advance(60_000);
    let refused = browser.get(&ticket(&answer)).await;
    assert_eq!(company.reason(refused, STATE).await["reason"], "unknown-ticket");
    assert!(!browser.jar.contains_key(SESSION));
}

/// A part of the usual response, what stands there instead, and how that is refused.
type Case = (&'static str, &'static str, &'static str, &'static str);

const WRONG: &[Case] = &[
    ("S17", "<saml:Audience>https://flags.example<", "<saml:Audience>https://other.example<", "wrong-audience"),
    ("S17", "Recipient=\"https://flags.example/", "Recipient=\"https://other.example/", "wrong-recipient"),
    ("S18", "NotBefore=\"2026-11-22T11:59:00Z\"", "NotBefore=\"2026-11-22T12:09:00Z\"", "not-yet-valid"),
    (
        "S18",
        "NotBefore=\"2026-11-22T11:59:00Z\" NotOnOrAfter=\"2026-11-22T12:05:00Z\"",
        "NotBefore=\"2026-11-22T11:00:00Z\" NotOnOrAfter=\"2026-11-22T11:05:00Z\"",
        "expired",
    ),
    ("S4", "nameid-format:emailAddress\">alice@example.com", "nameid-format:emailAddress\">nobody", "email-missing"),
];

#[tokio::test]
async fn s17_s18_what_an_assertion_says_wrong_is_explained_to_administrators_alone() {
    let company = Company::new().await;
    for (line, from, to, reason) in WRONG {
        let id = company.begin(&mut company.browser(), "").await;
        let answer = company.bring(&mut company.browser(), &response(&id, &[(from, to)])).await;
        assert_eq!(company.reason(answer, WORD).await["reason"], *reason, "{line}");
    }
}

#[tokio::test]
async fn s9_s14_s21_what_is_not_signed_by_the_provider_or_no_xml_is_refused() {
    let company = Company::new().await;
    let unsigned = RESPONSE.replace("_request", "_x");
    let by_another = sign_as(&unsigned, "saml:Assertion", &Style { key: OTHER_KEY, ..Style::default() });
    let changed = sign(&unsigned, "saml:Assertion").replace("alice@", "mallory@");
    for (bytes, reason) in [
        (unsigned.as_str(), "unsigned"),
        (by_another.as_str(), "signature-mismatch"),
        (changed.as_str(), "digest-mismatch"),
        ("<!DOCTYPE a><a/>", "document-type"),
        ("<", "not-well-formed"),
        ("<a/>", "wrong-root"),
    ] {
        let answer = company.bring(&mut company.browser(), bytes).await;
        assert_eq!(company.reason(answer, WORD).await["reason"], reason);
    }
    let users = company.app.admin().get("/api/admin/user-admin").await.expect(200);
    assert_eq!(users["users"], json!([]));
}

#[tokio::test]
async fn s23_a_sign_in_that_nobody_began_is_refused_unless_the_policy_allows_it() {
    let company = Company::new().await;
    let unasked = sign(&RESPONSE.replace(" InResponseTo=\"_request\"", ""), "saml:Assertion");
    let answer = company.bring(&mut company.browser(), &unasked).await;
    assert_eq!(company.reason(answer, WORD).await["reason"], "unsolicited");
    company.set_policy(json!({ "samlIdpInitiated": true })).await;
    let mut browser = company.browser();
    let answer = company.bring(&mut browser, &unasked).await;
    let answer = browser.get(&ticket(&answer)).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(answer.headers["content-type"], "text/html; charset=utf-8");
    assert!(answer.text.contains("You are signed in as Alice Example &lt;&amp;&gt;"), "{}", answer.text);
    browser.get("/api/admin/user").await.expect(200);
}

#[tokio::test]
async fn s24_a_relay_state_leads_nowhere() {
    let company = Company::new().await;
    let mut browser = company.browser();
    let id = company.begin(&mut browser, "?redirect=/projects/shop").await;
    // It says https://evil.example/ here, as in each other test.
    let answer = company.bring(&mut browser, &response(&id, &[])).await;
    let place = ticket(&answer);
    assert!(place.starts_with("/auth/saml/callback?ticket=") && !place.contains("evil"), "{place}");
    assert_eq!(location(&browser.get(&place).await).as_str(), "https://flags.example/projects/shop");
}

#[tokio::test]
async fn s25_a_request_to_sign_out_must_be_signed_and_ends_the_session_that_it_names() {
    let company = Company::new().await;
    let mut browser = company.browser();
    let answer = company.sign_in(&mut browser, &[]).await;
    assert_eq!(answer.status, 302, "{}", answer.text);
    let asked = "<samlp:LogoutRequest xmlns:samlp=\"urn:oasis:names:tc:SAML:2.0:protocol\" \
        Destination=\"https://flags.example/auth/saml/logout/done\" ID=\"_out\" IssueInstant=\"2026-11-22T12:00:00Z\" \
        Version=\"2.0\"><saml:Issuer xmlns:saml=\"urn:oasis:names:tc:SAML:2.0:assertion\">https://idp.example/metadata\
        </saml:Issuer><saml:NameID xmlns:saml=\"urn:oasis:names:tc:SAML:2.0:assertion\" \
        Format=\"urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress\">alice@example.com</saml:NameID>\
        <samlp:SessionIndex>_session</samlp:SessionIndex></samlp:LogoutRequest>";
    let signed = sign(asked, "samlp:LogoutRequest");
    let mut provider = company.browser();
    let unsigned = provider.post_form(DONE, &[("SAMLRequest", &STANDARD.encode(asked))]).await;
    unsigned.refused(400, "LogoutRefusedError", "unsigned-request");
    browser.get("/api/admin/user").await.expect(200);
    let encoded = STANDARD.encode(&signed);
    let answer = provider.post_form(DONE, &[("SAMLRequest", &encoded), ("RelayState", "word")]).await;
    assert_eq!(answer.status, 303, "{}", answer.text);
    let back = Url::parse(answer.headers[header::LOCATION].to_str().expect("a text")).expect("an address");
    assert_eq!((back.host_str(), back.path()), (Some("idp.example"), "/slo"));
    assert!(message(&back, "SAMLResponse").contains("InResponseTo=\"_out\""));
    browser.get("/api/admin/user").await.refused(401, "AuthenticationRequired", "");
    let again = provider.post_form(DONE, &[("SAMLRequest", &encoded)]).await;
    again.refused(400, "LogoutRefusedError", "used-logout");
}

#[tokio::test]
async fn signing_out_here_asks_the_provider_and_the_metadata_tells_it_where() {
    let company = Company::with(json!({ "spCertificate": PROVIDER_KEY })).await;
    let mut browser = company.browser();
    company.sign_in(&mut browser, &[]).await;
    let address = location(&browser.send(Method::POST, "/logout", &[], Vec::new()).await);
    let asked = message(&address, "SAMLRequest");
    assert!(asked.contains("alice@example.com") && asked.contains("_session"), "{asked}");
    assert!(address.query_pairs().any(|(name, _)| name == "Signature"), "it is signed");
    let metadata = company.app.anonymous().get("/auth/saml/metadata").await;
    assert_eq!(metadata.status, 200);
    assert_eq!(metadata.headers["content-type"], "application/samlmetadata+xml");
    for part in [ENTITY, "https://flags.example/auth/saml/callback", "https://flags.example/auth/saml/logout/done"] {
        assert!(metadata.text.contains(part), "{part}");
    }
    assert!(!metadata.text.contains("PRIVATE KEY"));
}

#[tokio::test]
async fn a_name_that_is_an_address_is_the_same_person_in_upper_and_lower_case() {
    let company = Company::new().await;
    let mut browser = company.browser();
    assert_eq!(company.sign_in(&mut browser, &[]).await.status, 302);
    let id = browser.get("/api/admin/user").await.expect(200)["user"]["id"].clone();
    for name in ["Alice@Example.com", "ALICE@EXAMPLE.COM"] {
        let mut browser = company.browser();
        let address =
            ("nameid-format:emailAddress\">alice@example.com", format!("nameid-format:emailAddress\">{name}"));
        let assertion = format!("_assertion-{}", name.len() + usize::from(name.starts_with("AL")));
        let change = [(address.0, address.1.as_str()), ("_assertion", assertion.as_str())];
        assert_eq!(company.sign_in(&mut browser, &change).await.status, 302, "{name}");
        assert_eq!(browser.get("/api/admin/user").await.expect(200)["user"]["id"], id, "{name}");
    }
    let identities = company.app.admin().get(&format!("/api/admin/user-admin/{id}/identities")).await.expect(200);
    assert_eq!(identities["identities"].as_array().map(Vec::len), Some(1), "{identities}");
    // As an earlier version kept it.
    let kept = identities["identities"][0]["subject"].clone();
    assert_eq!(kept, "alice@example.com");
}

#[tokio::test]
async fn people_whom_the_provider_names_anew_are_linked_anew_by_their_address() {
    let company = Company::new().await;
    let come = async |name: &str, attempt: u8| {
        let named = format!("SAML:2.0:nameid-format:persistent\">{name}");
        let value = "<saml:AttributeValue>alice@example.com</saml:AttributeValue>";
        let attributes = format!("<saml:AttributeStatement><saml:Attribute Name=\"email\">{value}</saml:Attribute>");
        let assertion = format!("_assertion-{attempt}");
        let change = [
            ("SAML:1.1:nameid-format:emailAddress\">alice@example.com", named.as_str()),
            ("<saml:AttributeStatement>", attributes.as_str()),
            ("_assertion", assertion.as_str()),
        ];
        let mut browser = company.browser();
        (company.sign_in(&mut browser, &change).await, browser)
    };
    let (answer, mut before) = come("first", 1).await;
    assert_eq!(answer.status, 302, "{}", answer.text);
    let id = before.get("/api/admin/user").await.expect(200)["user"]["id"].clone();
    let admin = company.app.admin();
    let relink = "/api/admin/user-admin/identities/relink";
    for (attempt, provider) in [(2, None), (3, Some("oidc"))] {
        if let Some(provider) = provider {
            admin.post(relink, json!({ "provider": provider })).await.expect(200);
        }
        let (answer, _) = come("second", attempt).await;
        let entry = company.reason(answer, (403, "NotAdmittedError")).await;
        assert_eq!(entry["reason"], "email-of-another-identity", "{provider:?}");
    }
    admin.post(relink, json!({ "provider": "saml" })).await.expect(200);
    let (answer, mut after) = come("second", 4).await;
    assert_eq!(answer.status, 302, "{}", answer.text);
    assert_eq!(after.get("/api/admin/user").await.expect(200)["user"]["id"], id);
    assert_eq!(before.get("/api/admin/user").await.status, 401, "the session of the former name ended");
}

#[tokio::test]
async fn the_overage_of_entra_takes_nobody_out_of_groups() {
    let company = Company::with(json!({ "enableGroupSyncing": true, "groupJsonPath": "groups" })).await;
    let group = json!({ "name": "Ops", "mappingsSSO": ["admins"] });
    let group = company.app.admin().post("/api/admin/groups", group).await.expect(201)["id"].clone();
    let members =
        async || company.app.admin().get(&format!("/api/admin/groups/{group}")).await.expect(200)["userCount"].clone();
    company.sign_in(&mut company.browser(), &[]).await;
    assert_eq!(members().await, 1);
    let link = r#"Name="http://schemas.microsoft.com/claims/groups.link""#;
    let change = [(r#"Name="groups""#, link), ("_assertion", "_assertion-2")];
    assert_eq!(company.sign_in(&mut company.browser(), &change).await.status, 302);
    assert_eq!(members().await, 1, "too many to be told are not none");
    let log = company.app.admin().get(SIGN_INS).await.expect(200);
    assert_eq!(log["signIns"][0]["reason"], "groups-overage", "{log}");
    let change = [(r#"Name="groups""#, r#"Name="other""#), ("_assertion", "_assertion-3")];
    assert_eq!(company.sign_in(&mut company.browser(), &change).await.status, 302);
    assert_eq!(members().await, 0);
}

#[tokio::test]
async fn a_changed_certificate_leaves_its_fingerprints() {
    let company = Company::new().await;
    company.app.admin().post(SAML, settings(json!({ "autoCreate": false }))).await.expect(200);
    let both = format!("{PROVIDER_CERTIFICATE}\n{}", forge::OTHER_CERTIFICATE);
    company.app.admin().post(SAML, settings(json!({ "certificate": both }))).await.expect(200);
    let events = company.app.events().await;
    let [.., same, changed] = events.as_slice() else { panic!("events") };
    let read = |text: &Option<String>| -> Value { serde_json::from_str(text.as_deref().expect("data")).expect("JSON") };
    let prints = |text: &Option<String>| read(text)["certificateFingerprints"].as_array().expect("a list").clone();
    assert_eq!(prints(&same.data), prints(&same.pre_data));
    assert_eq!((prints(&changed.pre_data).len(), prints(&changed.data).len()), (1, 2));
    assert_eq!(prints(&changed.data)[0], prints(&changed.pre_data)[0]);
    for text in [&changed.data, &changed.pre_data] {
        assert!(!text.as_deref().expect("data").contains("MII"), "no value of a setting");
    }
}

#[tokio::test]
async fn somebody_without_an_account_requests_access_and_comes_in_once_it_is_approved() {
    let company = Company::with(json!({ "autoCreate": false })).await;
    company.set_policy(json!({ "requestAccess": true })).await;
    let answer = company.sign_in(&mut company.browser(), &[]).await;
    let entry = company.reason(answer, (403, "AccessRequestedError")).await;
    assert_eq!(entry["reason"], "access-requested");
    let admin = company.app.admin();
    let requests = "/api/admin/user-access-requests";
    let asked = admin.get(requests).await.expect(200)["userAccessRequests"][0].clone();
    assert_eq!(
        (&asked["provider"], &asked["issuer"], &asked["email"]),
        (&json!("saml"), &json!(PROVIDER), &json!("alice@example.com"))
    );
    let approve = format!("{requests}/{}/approve", asked["id"]);
    let user = admin.post(&approve, json!({ "rootRole": "Viewer" })).await.expect(201);
    let mut alice = company.browser();
    let answer = company.sign_in(&mut alice, &[("_assertion", "_assertion-2")]).await;
    assert_eq!(answer.status, 302, "{}", answer.text);
    assert_eq!(alice.get("/api/admin/user").await.expect(200)["user"]["id"], user["id"]);
}
