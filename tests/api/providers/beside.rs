//! Login providers beside those of the two settings.

use poem::http::Method;
use serde_json::{Value, json};

use super::{
    browser::{BASE, Browser, location},
    company::Company,
    hostile::{CLIENT_ID, Provider, Returned, SECRET},
};
use crate::harness::{Answer, START, encoded};

pub const PROVIDERS: &str = "/api/admin/auth/providers";

/// A provider of OpenID Connect that people can sign in through, with an id here.
pub struct Beside {
    pub id: &'static str,
    pub provider: Provider,
}

impl Beside {
    /// Everybody whose email is verified may become a user.
    pub async fn new(company: &Company, id: &'static str) -> Self {
        Self::with(company, id, "oidc", json!({}), &json!({ "autoCreate": true })).await
    }

    /// A provider of a kind, with these settings besides the usual ones.
    pub async fn with(company: &Company, id: &'static str, kind: &str, settings: Value, rules: &Value) -> Self {
        let beside = Self::unknown(id);
        let created = json!({
            "id": id, "kind": kind, "label": id, "enabled": true, "settings": beside.settings(settings), "rules": rules,
        });
        company.app.admin().post(PROVIDERS, created).await.expect(201);
        beside
    }

    /// A provider that nothing is known of here yet.
    pub fn unknown(id: &'static str) -> Self {
        let start = flagstone::domain::time::Timestamp::parse(START).expect("a time");
        let beside = Self { id, provider: Provider::new(start.millis() / 1000) };
        beside.provider.state().redirect_uri = format!("{BASE}/auth/providers/{id}/callback");
        beside.provider.claim("email_verified", true);
        beside
    }

    pub fn settings(&self, change: Value) -> Value {
        let mut settings = json!({ "clientId": CLIENT_ID, "secret": SECRET, "discoverUrl": self.provider.issuer() });
        let Value::Object(change) = change else { panic!("an object") };
        settings.as_object_mut().expect("an object").extend(change);
        settings
    }

    /// Replaces its content.
    pub async fn set(&self, company: &Company, enabled: bool, settings: Value, rules: &Value) -> Answer {
        let content = json!({
            "label": self.id, "icon": "key", "enabled": enabled, "settings": self.settings(settings), "rules": rules,
        });
        company.app.admin().json(Method::PUT, &format!("{PROVIDERS}/{}", self.id), content).await
    }

    /// Goes to the provider, where the person agrees.
    pub async fn begin(&self, browser: &mut Browser) -> Returned {
        self.begin_for(browser, "").await
    }

    pub async fn begin_for(&self, browser: &mut Browser, query: &str) -> Returned {
        let answer = browser.get(&format!("/auth/providers/{}/login{query}", self.id)).await;
        self.provider.authorize(location(&answer).as_str())
    }

    /// Address to which a browser comes back.
    pub fn callback(&self, returned: &Returned) -> String {
        let Returned { code, state, iss } = returned;
        let query = format!("code={}&state={}&iss={}", encoded(code), encoded(state), encoded(iss));
        format!("/auth/providers/{}/callback?{query}", self.id)
    }

    pub async fn sign_in(&self, browser: &mut Browser) -> Answer {
        let returned = self.begin(browser).await;
        browser.get(&self.callback(&returned)).await
    }

    /// The user whom the provider signs in, in a browser of their own.
    pub async fn signed_in(&self, company: &Company) -> (Browser, Value) {
        let mut browser = company.browser();
        let answer = self.sign_in(&mut browser).await;
        assert_eq!(answer.status, 302, "{}", answer.text);
        let user = company.who(&mut browser).await;
        (browser, user)
    }

    /// Signs in, in a browser of its own, which must be refused; gives the reason as the log has it.
    pub async fn refused(&self, company: &Company, status: u16, name: &str) -> Value {
        let answer = self.sign_in(&mut company.browser()).await;
        company.reason(answer, status, name).await
    }
}
