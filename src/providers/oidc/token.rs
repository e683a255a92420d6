//! The token endpoint: a code becomes an ID token.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use chrono::{DateTime, Utc};
use serde_json::Value;
use url::form_urlencoded::{Serializer, byte_serialize};

use super::{
    Credentials, Settings,
    discovery::{ClientAuthentication, Discovery},
    fetch::{error_code, expect_success, object},
    refusal::{Reason, Refusal},
};
use crate::{
    domain::client_authentication::AssertionAudience,
    outbound::{ANSWER_LIMIT, Answer, Outbound, Request},
};

/// Type of a statement by which a client authenticates (RFC 7523, 2.2).
const ASSERTION_TYPE: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/// Tokens that a code was exchanged for. Printing it shows nothing.
pub(super) struct Tokens {
    pub id_token: String,
    pub access_token: Option<String>,
}

/// Code of a sign-in, with what proves that it is ours.
#[derive(Clone, Copy)]
pub(super) struct Code<'a> {
    pub code: &'a str,
    pub verifier: &'a str,
    pub redirect_uri: &'a str,
}

/// Exchanges a code.
pub(super) async fn exchange(
    outbound: &Outbound,
    discovery: &Discovery,
    settings: &Settings,
    code: Code<'_>,
    now: DateTime<Utc>,
) -> Result<Tokens, Refusal> {
    let authentication = discovery.client_authentication(&settings.credentials)?;
    let body = body(discovery, settings, authentication, code, now)?;
    let mut request = Request::post(&discovery.token_endpoint, "application/x-www-form-urlencoded", body, ANSWER_LIMIT)
        .header("accept", "application/json".into());
    if let (ClientAuthentication::Basic, Credentials::Secret(secret)) = (authentication, &settings.credentials) {
        request = request.header("authorization", basic(&settings.client_id, secret));
    }
    read(&outbound.send(request).await?)
}

/// The form that asks for tokens. Its writer cannot be kept while the answer is waited for: it is not `Send`.
fn body(
    discovery: &Discovery,
    settings: &Settings,
    authentication: ClientAuthentication,
    Code { code, verifier, redirect_uri }: Code<'_>,
    now: DateTime<Utc>,
) -> Result<Vec<u8>, Refusal> {
    let client_id = &settings.client_id;
    let mut form = Serializer::new(String::new());
    form.append_pair("grant_type", "authorization_code");
    form.append_pair("code", code).append_pair("redirect_uri", redirect_uri).append_pair("code_verifier", verifier);
    if authentication != ClientAuthentication::Basic {
        form.append_pair("client_id", client_id);
    }
    match &settings.credentials {
        Credentials::Secret(secret) if authentication == ClientAuthentication::Post => {
            form.append_pair("client_secret", secret);
        }
        Credentials::PrivateKey { key, audience } => {
            let key = key.as_ref().ok_or_else(|| Refusal::new(Reason::ClientKeyMissing))?;
            let audience = match audience {
                AssertionAudience::Issuer => &discovery.issuer,
                AssertionAudience::TokenEndpoint => &discovery.token_endpoint,
            };
            let assertion = key.assertion(client_id, audience, now);
            let assertion = assertion.map_err(|_| Refusal::new(Reason::ClientKeyMissing))?;
            form.append_pair("client_assertion_type", ASSERTION_TYPE).append_pair("client_assertion", &assertion);
        }
        Credentials::Secret(_) | Credentials::None => {}
    }
    Ok(form.finish().into_bytes())
}

/// The header of `client_secret_basic`: both parts are encoded as in a form before they are joined (RFC 6749, 2.3.1).
fn basic(client_id: &str, secret: &str) -> String {
    let encoded = |part: &str| byte_serialize(part.as_bytes()).collect::<String>();
    format!("Basic {}", STANDARD.encode(format!("{}:{}", encoded(client_id), encoded(secret))))
}

fn read(answer: &Answer) -> Result<Tokens, Refusal> {
    if matches!(answer.status, 400..=499) {
        let body = object(answer, Reason::TokenRefused).unwrap_or_default();
        let code = body.get("error").and_then(Value::as_str).and_then(error_code).unwrap_or("no code");
        return Err(Refusal::new(Reason::TokenRefused).found(format_args!("{}, {code}", answer.status)));
    }
    expect_success(answer, "the token endpoint")?;
    let body = object(answer, Reason::TokenAnswerMalformed)?;
    let text = |name: &str| body.get(name).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned);
    let id_token = text("id_token").ok_or_else(|| Refusal::new(Reason::IdTokenMissing))?;
    Ok(Tokens { id_token, access_token: text("access_token") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_and_the_secret_are_encoded_before_they_are_joined() {
        assert_eq!(basic("flags", "s3cret"), format!("Basic {}", STANDARD.encode("flags:s3cret")));
        assert_eq!(
            basic("https://flags.example.com", "a:b c%+ü"),
            format!("Basic {}", STANDARD.encode("https%3A%2F%2Fflags.example.com:a%3Ab+c%25%2B%C3%BC"))
        );
    }
}
