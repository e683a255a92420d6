//! Authentication of clients by a provider, checked as strictly as the standards say.

use std::collections::{HashMap, HashSet};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use ring::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};
use serde_json::{Map, Value};

use super::{
    hostile::{CLIENT_ID, SECRET, credentials},
    server::Seen,
};

const ASSERTION_TYPE: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/// Authentication that the provider expects of its client.
#[derive(Default)]
pub enum Client {
    /// The secret.
    #[default]
    Secret,
    /// A statement that one of these keys signed, for this audience and used once.
    Key { jwks: Value, audience: String, used: HashSet<String> },
    /// Nothing but its name.
    Public,
}

impl Client {
    pub fn with_keys(jwks: Value, audience: &str) -> Self {
        Self::Key { jwks, audience: audience.to_owned(), used: HashSet::new() }
    }

    pub fn is_known(&mut self, seen: &Seen, form: &HashMap<String, String>, now: i64) -> bool {
        let sent = |name: &str| form.get(name).map(String::as_str).unwrap_or_default();
        let has_secret = seen.headers.contains_key("authorization") || form.contains_key("client_secret");
        let has_assertion = form.contains_key("client_assertion") || form.contains_key("client_assertion_type");
        let has_name = sent("client_id") == CLIENT_ID;
        match self {
            Self::Secret => !has_assertion && credentials(seen, form) == Some((CLIENT_ID.into(), SECRET.into())),
            Self::Public => !has_assertion && !has_secret && has_name,
            Self::Key { jwks, audience, used } => {
                let holds = !has_secret
                    && has_name
                    && sent("client_assertion_type") == ASSERTION_TYPE
                    && holds(sent("client_assertion"), jwks, audience, now);
                // A statement counts once.
                holds && used.insert(sent("client_assertion").to_owned())
            }
        }
    }
}

fn part(text: &str) -> Option<Map<String, Value>> {
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(text).ok()?).ok()
}

fn holds(assertion: &str, jwks: &Value, audience: &str, now: i64) -> bool {
    let read = || {
        let (message, signature) = assertion.rsplit_once('.')?;
        let (head, claims) = message.split_once('.')?;
        let (head, claims) = (part(head)?, part(claims)?);
        let key = jwks["keys"].as_array()?.iter().find(|key| key["kid"] == head["kid"])?;
        let bytes = |text: &Value| URL_SAFE_NO_PAD.decode(text.as_str()?).ok();
        let point = [vec![4], bytes(&key["x"])?, bytes(&key["y"])?].concat();
        let signature = URL_SAFE_NO_PAD.decode(signature).ok()?;
        UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point).verify(message.as_bytes(), &signature).ok()?;
        let issued_at = claims["iat"].as_i64()?;
        let is_right = head["alg"] == "ES256"
            && key["use"] == "sig"
            && key["alg"] == "ES256"
            && claims["iss"] == CLIENT_ID
            && claims["sub"] == CLIENT_ID
            && claims["aud"] == audience
            && claims["jti"].as_str()?.len() >= 32
            && (now - 5..=now).contains(&issued_at)
            && (1..=60).contains(&(claims["exp"].as_i64()? - issued_at));
        Some(is_right)
    };
    read().unwrap_or(false)
}
