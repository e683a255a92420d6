//! A browser: it keeps cookies, and goes where it is sent.

use std::collections::BTreeMap;

use poem::http::{Method, header};
use serde_json::Value;
use url::Url;

use crate::harness::{Answer, Client, TestApp};

/// The public address of the server.
pub const BASE: &str = "https://flags.example.com";
/// The session's cookie there.
pub const SESSION: &str = "__Host-unleash-session";

/// Somebody's browser.
#[derive(Clone)]
pub struct Browser {
    client: Client,
    pub jar: BTreeMap<String, String>,
    /// Value of the header `Accept`.
    pub accepts: &'static str,
}

impl Browser {
    pub fn new(app: &TestApp) -> Self {
        Self { client: app.anonymous(), jar: BTreeMap::new(), accepts: "application/json" }
    }

    /// Returns this browser before another node.
    pub fn at(&self, app: &TestApp) -> Self {
        Self { client: app.anonymous(), ..self.clone() }
    }

    pub async fn get(&mut self, path: &str) -> Answer {
        self.send(Method::GET, path, &[], Vec::new()).await
    }

    /// Sends a form, as a page of another site does.
    pub async fn post_form(&mut self, path: &str, fields: &[(&str, &str)]) -> Answer {
        let body = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
        let headers = [("content-type", "application/x-www-form-urlencoded")];
        self.send(Method::POST, path, &headers, body.into_bytes()).await
    }

    /// Sends JSON, as the console does.
    pub async fn json(&mut self, method: Method, path: &str, body: &Value) -> Answer {
        self.send(method, path, &[("content-type", "application/json")], body.to_string().into_bytes()).await
    }

    pub async fn send(&mut self, method: Method, path: &str, headers: &[(&str, &str)], body: Vec<u8>) -> Answer {
        let cookies: Vec<String> = self.jar.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let cookies = cookies.join("; ");
        let mut all = vec![("accept", self.accepts)];
        if !cookies.is_empty() {
            all.push(("cookie", &cookies));
        }
        all.extend_from_slice(headers);
        let answer = self.client.request(method, path, &all, body).await;
        for cookie in answer.headers.get_all(header::SET_COOKIE) {
            let cookie = cookie.to_str().expect("a text");
            let (name, rest) = cookie.split_once('=').expect("a name");
            for part in ["Path=/", "HttpOnly", "SameSite=Lax", "Secure"] {
                assert!(rest.contains(part), "{cookie} lacks {part}");
            }
            assert!(name.starts_with("__Host-"), "{cookie}");
            if rest.contains("Max-Age=0;") {
                self.jar.remove(name);
            } else {
                let (value, _) = rest.split_once(';').expect("attributes");
                self.jar.insert(name.to_owned(), value.to_owned());
            }
        }
        answer
    }

    /// Whether a request with the session of this browser is answered.
    pub async fn is_signed_in(&mut self) -> bool {
        self.get("/api/admin/user").await.status == 200
    }

    /// Number of sign-ins under way.
    pub fn begun(&self) -> usize {
        self.jar.keys().filter(|name| name.starts_with("__Host-flagstone-sign-in-")).count()
    }
}

/// Returns the address to which an answer leads.
#[track_caller]
pub fn location(answer: &Answer) -> Url {
    assert_eq!(answer.status, 302, "{}", answer.text);
    let location = answer.headers.get(header::LOCATION).expect("a location").to_str().expect("a text");
    Url::parse(location).expect("an address")
}
