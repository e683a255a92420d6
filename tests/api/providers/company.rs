//! A server whose people sign in through a provider that does as it is told.

use flagstone::{config::Config, domain::time::Timestamp, vault::Vault};
use serde_json::{Value, json};

use super::{
    browser::{BASE, Browser, location},
    hostile::{CLIENT_ID, Provider, Returned, SECRET},
    world::outbound,
};
use crate::harness::{Answer, START, TestApp, encoded, role};

pub const OIDC: &str = "/api/admin/auth/oidc/settings";
pub const SIMPLE: &str = "/api/admin/auth/simple/settings";
pub const SIGN_INS: &str = "/api/admin/auth/sign-ins";

pub struct Company {
    pub app: TestApp,
    pub provider: Provider,
}

impl Company {
    /// Everybody may become a user.
    pub async fn new() -> Self {
        Self::with(json!({})).await
    }

    /// Makes a company with other settings.
    pub async fn with(settings: Value) -> Self {
        let config = Config { base_url: BASE.to_owned(), outbound: Some(outbound()), ..Config::default() };
        let app = TestApp::with_config(config).await;
        let start = Timestamp::parse(START).expect("a time");
        let company = Self { app, provider: Provider::new(start.millis() / 1000) };
        company.set(settings).await.expect(200);
        company
    }

    /// Sets the settings, with these in the place of the usual ones.
    pub async fn set(&self, change: Value) -> Answer {
        self.app.admin().post(OIDC, self.settings(change)).await
    }

    pub fn settings(&self, change: Value) -> Value {
        let mut settings = json!({
            "enabled": true,
            "clientId": CLIENT_ID,
            "secret": SECRET,
            "discoverUrl": self.provider.issuer(),
            "autoCreate": true,
        });
        let Value::Object(change) = change else { panic!("an object") };
        settings.as_object_mut().expect("an object").extend(change);
        settings
    }

    pub fn browser(&self) -> Browser {
        Browser::new(&self.app)
    }

    /// Another node on the same database.
    pub fn other_node(&self) -> TestApp {
        self.app.beside(Vault::with_key(&[7; 32]))
    }

    /// Lets time pass, here and at the provider.
    pub fn advance(&self, seconds: i64) {
        self.app.clock.advance(seconds * 1000);
        self.provider.state().now += seconds;
    }

    /// A viewer with this email, made by an administrator; gives the id.
    pub async fn make_user(&self, email: &str) -> Value {
        let user = json!({ "email": email, "rootRole": role::VIEWER });
        self.app.admin().post("/api/admin/user-admin", user).await.expect(201)["id"].clone()
    }

    /// Goes to the provider, where the person agrees.
    pub async fn begin(&self, browser: &mut Browser) -> Returned {
        self.begin_for(browser, "").await
    }

    pub async fn begin_for(&self, browser: &mut Browser, query: &str) -> Returned {
        let answer = browser.get(&format!("/auth/oidc/login{query}")).await;
        self.provider.authorize(location(&answer).as_str())
    }

    pub async fn sign_in(&self, browser: &mut Browser) -> Answer {
        let returned = self.begin(browser).await;
        browser.get(&callback(&returned)).await
    }

    /// Signs in, in a browser of its own, which must be refused; gives the reason as the log has it.
    pub async fn refused(&self, status: u16, name: &str) -> Value {
        let answer = self.sign_in(&mut self.browser()).await;
        self.reason(answer, status, name).await
    }

    /// The entry of the log about a refusal, of which the answer itself tells nothing.
    pub async fn reason(&self, answer: Answer, status: u16, name: &str) -> Value {
        assert_eq!((answer.status, answer.body["name"].as_str()), (status, Some(name)), "{}", answer.text);
        let id = answer.body["id"].as_str().expect("an id");
        let log = self.app.admin().get(&format!("{SIGN_INS}?errorId={id}")).await.expect(200);
        let [entry] = log["signIns"].as_array().expect("entries").as_slice() else { panic!("one entry: {log}") };
        assert_eq!(entry["outcome"], "refused");
        assert!(entry["explanation"].as_str().is_some_and(|text| text.ends_with('.')), "{entry}");
        let reason = entry["reason"].as_str().expect("a reason");
        let told = [reason, entry["found"].as_str().unwrap_or("-"), entry["subject"].as_str().unwrap_or("-")];
        for text in told.into_iter().filter(|text| text.len() > 3) {
            assert!(!answer.text.contains(text), "{} tells {text}", answer.text);
        }
        // One of the reasons speaks of access tokens.
        let words = log.to_string().replace(reason, "");
        for secret in ["s3cret", "access-token", "eyJ"] {
            assert!(!words.contains(secret) && !answer.text.contains(secret), "{log}");
        }
        entry.clone()
    }

    /// Returns the user that a browser is signed in as.
    pub async fn who(&self, browser: &mut Browser) -> Value {
        browser.get("/api/admin/user").await.expect(200)["user"].clone()
    }

    /// The newest entry of the log.
    pub async fn newest_entry(&self) -> Value {
        self.app.admin().get(SIGN_INS).await.expect(200)["signIns"][0].clone()
    }
}

/// Address to which a browser comes back.
pub fn callback(returned: &Returned) -> String {
    let Returned { code, state, iss } = returned;
    format!("/auth/oidc/callback?code={}&state={}&iss={}", encoded(code), encoded(state), encoded(iss))
}
