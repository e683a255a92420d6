//! Settings that follow the provider's metadata: what is taken from it, and what leaves them as they are.

use std::sync::{Arc, Mutex};

use flagstone::{
    jobs::{self, JOBS, Job},
    sign_in::metadata::refresh,
};
use poem::http::Method;
use serde_json::{Value, json};

use super::{
    Company, SAML, WORD,
    forge::{OTHER_CERTIFICATE, OTHER_KEY, PROVIDER, PROVIDER_CERTIFICATE, RESPONSE, Style, sign_as},
    ticket,
};
use crate::{
    calls,
    harness::Answer,
    providers::server::{Reply, Server},
};

const REFRESH: &str = "/api/admin/auth/saml/metadata-refresh";
const SIMPLE: &str = "/api/admin/auth/simple/settings";
pub(super) const HOUR_MS: i64 = 3_600_000;

/// Metadata of a provider with these certificates.
pub(super) fn document(entity: &str, certificates: &[&str], sign_on: &str, attributes: &str) -> String {
    let keys: Vec<String> = certificates
        .iter()
        .map(|pem| {
            let lines: String = pem.lines().filter(|line| !line.starts_with('-')).collect();
            format!(
                "<md:KeyDescriptor use=\"signing\"><ds:KeyInfo><ds:X509Data><ds:X509Certificate>{lines}\
                 </ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>"
            )
        })
        .collect();
    let keys = keys.concat();
    format!(
        "<md:EntityDescriptor xmlns:md=\"urn:oasis:names:tc:SAML:2.0:metadata\" \
         xmlns:ds=\"http://www.w3.org/2000/09/xmldsig#\" entityID=\"{entity}\" {attributes}>\
         <md:IDPSSODescriptor protocolSupportEnumeration=\"urn:oasis:names:tc:SAML:2.0:protocol\">{keys}\
         <md:SingleSignOnService Binding=\"urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect\" \
         Location=\"{sign_on}\"/></md:IDPSSODescriptor></md:EntityDescriptor>"
    )
}

/// The address for signing in that the settings have already.
pub(super) const SIGN_ON: &str = "https://idp.example/sso?tenant=a";

pub(super) fn usual(certificates: &[&str]) -> String {
    document(PROVIDER, certificates, SIGN_ON, "")
}

/// A company whose provider publishes its metadata.
pub(super) struct Publishing {
    pub(super) company: Company,
    server: Server,
    published: Arc<Mutex<(u16, String)>>,
}

impl Publishing {
    async fn new() -> Self {
        Self::with(json!({})).await
    }

    async fn with(change: Value) -> Self {
        Self::of(Company::with(change).await)
    }

    pub(super) fn of(company: Company) -> Self {
        let published = Arc::new(Mutex::new((200, usual(&[PROVIDER_CERTIFICATE]))));
        let shared = Arc::clone(&published);
        let server = Server::new(move |_| {
            let (status, body) = shared.lock().expect("a lock").clone();
            Reply::with_headers(status, "", body.as_bytes())
        });
        Self { company, server, published }
    }

    pub(super) fn publish(&self, status: u16, body: impl Into<String>) {
        *self.published.lock().expect("a lock") = (status, body.into());
    }

    /// URL of the metadata.
    pub(super) fn url(&self) -> String {
        self.server.url("/metadata")
    }

    async fn set(&self, settings: Value) -> Answer {
        self.company.app.admin().json(Method::PUT, REFRESH, settings).await
    }

    async fn follow(&self) {
        let followed = self.set(json!({ "enabled": true, "url": self.url() })).await.expect(200);
        assert_eq!((&followed["intervalHours"], &followed["succeededAt"]), (&json!(24), &Value::Null));
    }

    pub(super) async fn refresh(&self) {
        refresh(&self.company.app.state).await.expect("runs");
    }

    async fn state(&self) -> Value {
        self.company.app.admin().get(REFRESH).await.expect(200)
    }

    async fn settings(&self) -> Value {
        self.company.app.admin().get(SAML).await.expect(200)
    }

    /// Number of times that the metadata was fetched.
    pub(super) fn fetched(&self) -> usize {
        self.server.seen("/metadata").len()
    }
}

pub(super) fn certificates(settings: &Value) -> usize {
    settings["certificate"].as_str().expect("a text").matches("BEGIN").count()
}

fn job() -> Job {
    *JOBS.iter().find(|job| job.name == "saml-metadata").expect("a job")
}

#[tokio::test]
async fn s21_a_key_that_the_provider_announces_is_believed_and_one_that_it_takes_back_is_not() {
    let publishing = Publishing::new().await;
    let company = &publishing.company;
    let by_other = async || {
        let mut browser = company.browser();
        let id = company.begin(&mut browser, "").await;
        let unsigned = RESPONSE.replace("_request", &id).replace("_assertion", &format!("_{}", &id[1..20]));
        let signed = sign_as(&unsigned, "saml:Assertion", &Style { key: OTHER_KEY, ..Style::default() });
        let answer = company.bring(&mut browser, &signed).await;
        if answer.status == 303 { browser.get(&ticket(&answer)).await } else { answer }
    };
    publishing.follow().await;
    let before = company.app.event_types().await.len();
    let settings = publishing.settings().await;
    publishing.refresh().await;
    // The same certificates in another form change nothing.
    assert_eq!(publishing.settings().await, settings);
    assert_eq!(company.app.event_types().await.len(), before);
    assert_eq!(company.reason(by_other().await, WORD).await["reason"], "signature-mismatch");

    publishing.publish(200, usual(&[PROVIDER_CERTIFICATE, OTHER_CERTIFICATE]));
    publishing.refresh().await;
    assert_eq!(certificates(&publishing.settings().await), 1, "it is not time yet");
    company.app.admin().json(Method::PUT, REFRESH, json!({ "enabled": false })).await.expect(200);
    let url = publishing.server.url("/metadata?again");
    publishing.set(json!({ "enabled": true, "url": url, "intervalHours": 1 })).await.expect(200);
    publishing.refresh().await;
    let settings = publishing.settings().await;
    assert_eq!(certificates(&settings), 2);
    assert_eq!(settings["signOutUrl"], "https://idp.example/slo", "the metadata say nothing of it");
    assert_eq!(by_other().await.status, 302);
    let events = company.app.events().await;
    let is_ours = |kind: &str, author: &str| kind == "setting-updated" && author == "unleash_system_user";
    let event = events.iter().rev().find(|event| is_ours(&event.r#type, &event.created_by)).expect("an event");
    let data = calls::told(event)[2].clone();
    assert_eq!(data["certificateFingerprints"].as_array().map(Vec::len), Some(2));

    publishing.publish(200, document(PROVIDER, &[OTHER_CERTIFICATE], "https://idp.example/sso/new", ""));
    company.app.clock.advance(HOUR_MS);
    publishing.refresh().await;
    let settings = publishing.settings().await;
    assert_eq!((certificates(&settings), &settings["signOnUrl"]), (1, &json!("https://idp.example/sso/new")));
}

#[tokio::test]
async fn metadata_that_is_wrong_leaves_the_settings_as_they_are_and_says_so() {
    let publishing = Publishing::new().await;
    publishing.follow().await;
    publishing.refresh().await;
    let (settings, state) = (publishing.settings().await, publishing.state().await);
    assert_eq!((&state["problem"], &state["succeededAt"]), (&Value::Null, &state["attemptedAt"]));
    let events = publishing.company.app.event_types().await;
    let weak = include_str!("../../../saml/keys/weak.crt");
    let both = &[PROVIDER_CERTIFICATE, OTHER_CERTIFICATE];
    publishing.company.app.clock.advance(24 * HOUR_MS);
    for (status, body, problem) in [
        (500, usual(both), "the answer there is 500"),
        (302, usual(both), "cannot be fetched"),
        (200, "<html/>".to_owned(), "describes no identity provider"),
        (200, usual(&[]), "certificate"),
        (200, usual(&[weak]), "certificate"),
        (200, document("https://evil.example", both, SIGN_ON, ""), "is of another provider"),
        (200, document(&format!("{PROVIDER}/"), both, SIGN_ON, ""), "is of another provider"),
        (200, document(PROVIDER, both, "http://idp.example/sso", ""), "https address"),
        (200, document(PROVIDER, both, "javascript:alert(1)", ""), "location"),
        (200, document(PROVIDER, both, SIGN_ON, "validUntil=\"2026-11-01T00:00:00Z\""), "was valid until"),
    ] {
        publishing.publish(status, body);
        let fetched = publishing.fetched();
        publishing.refresh().await;
        let told = publishing.state().await;
        assert!(told["problem"].as_str().is_some_and(|told| told.contains(problem)), "{problem} in {told}");
        assert_eq!(told["succeededAt"], state["succeededAt"]);
        assert_eq!(publishing.settings().await, settings, "{problem}");
        // Not again at once, but within an hour.
        publishing.refresh().await;
        assert_eq!(publishing.fetched(), fetched + 1, "{problem}");
        publishing.company.app.clock.advance(HOUR_MS);
    }
    assert_eq!(publishing.company.app.event_types().await, events);
    publishing.publish(200, usual(both));
    publishing.refresh().await;
    assert_eq!(publishing.state().await["problem"], Value::Null);
    assert_eq!(certificates(&publishing.settings().await), 2);
}

#[tokio::test]
async fn one_node_reads_it_for_all() {
    let publishing = Publishing::new().await;
    publishing.follow().await;
    let other = publishing.company.other_node();
    let before = publishing.fetched();
    let runs = [
        jobs::run_if_due(&publishing.company.app.state, &job()).await.expect("runs"),
        jobs::run_if_due(&other.state, &job()).await.expect("runs"),
    ];
    assert_eq!((runs, publishing.fetched()), ([true, false], before + 1));
}

#[tokio::test]
async fn what_cannot_be_followed_is_refused_when_it_is_switched_on() {
    let publishing = Publishing::new().await;
    let url = publishing.server.url("/metadata");
    let on = |url: &str| json!({ "enabled": true, "url": url });
    for (settings, text) in [
        (json!({ "enabled": true }), "/body/url"),
        (on("http://idp.example/metadata"), "https"),
        (on("https://user:secret@idp.example/metadata"), "https"),
        (json!({ "enabled": true, "url": url, "intervalHours": 0 }), "intervalHours"),
        (json!({ "enabled": true, "url": url, "intervalHours": 721 }), "intervalHours"),
    ] {
        publishing.set(settings).await.refused(400, "ValidationError", text);
    }
    publishing.publish(200, document("https://evil.example", &[OTHER_CERTIFICATE], SIGN_ON, ""));
    publishing.set(on(&url)).await.refused(400, "ValidationError", "another provider");
    publishing.publish(404, "");
    publishing.set(on(&url)).await.refused(400, "ValidationError", "404");
    assert_eq!(publishing.state().await["enabled"], false);
    // Switched off, it is kept for later.
    let kept = publishing.set(json!({ "enabled": false, "url": url, "intervalHours": 12 })).await.expect(200);
    assert_eq!((&kept["url"], &kept["intervalHours"], &kept["attemptedAt"]), (&json!(url), &json!(12), &Value::Null));
    publishing.refresh().await;
    assert_eq!(publishing.state().await["attemptedAt"], Value::Null);
}

#[tokio::test]
async fn following_locks_nobody_out() {
    let publishing = Publishing::with(json!({ "defaultRootRole": "Admin" })).await;
    let company = &publishing.company;
    let mut alice = company.browser();
    assert_eq!(company.sign_in(&mut alice, &[]).await.status, 302);
    let off = json!({ "disabled": true });
    alice.json(Method::POST, SIMPLE, &off).await.expect(200);
    publishing.follow().await;
    publishing.publish(200, usual(&[PROVIDER_CERTIFICATE, OTHER_CERTIFICATE]));
    publishing.refresh().await;
    assert_eq!(certificates(&publishing.settings().await), 2);
    // Her session and her way in count as before.
    alice.get("/api/admin/user").await.expect(200);
    alice.json(Method::POST, SIMPLE, &off).await.expect(200);
    let policy = company.app.admin().get("/api/admin/auth/policy").await.expect(200);
    let mut other = policy.clone();
    other["oidcExtraScopes"] = json!(["offline"]);
    company.app.admin().json(Method::PUT, "/api/admin/auth/policy", other).await.expect(200);
    let mut alice = company.browser();
    assert_eq!(company.sign_in(&mut alice, &[("_assertion", "_another")]).await.status, 302);
}
