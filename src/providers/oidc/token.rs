//! The token endpoint: a code becomes an ID token.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::Value;
use url::form_urlencoded::{Serializer, byte_serialize};

use super::{
    Settings,
    discovery::{ClientAuthentication, Discovery},
    fetch::{error_code, expect_success, object},
    refusal::{Reason, Refusal},
};
use crate::outbound::{ANSWER_LIMIT, Answer, Outbound, Request};

/// Tokens that a code was exchanged for. Printing it shows nothing.
pub(super) struct Tokens {
    pub id_token: String,
    pub access_token: Option<String>,
}

/// Exchanges a code.
pub(super) async fn exchange(
    outbound: &Outbound,
    discovery: &Discovery,
    settings: &Settings,
    code: &str,
    verifier: &str,
    redirect_uri: &str,
) -> Result<Tokens, Refusal> {
    let body = body(discovery, settings, code, verifier, redirect_uri);
    let mut request = Request::post(&discovery.token_endpoint, "application/x-www-form-urlencoded", body, ANSWER_LIMIT)
        .header("accept", "application/json".into());
    if discovery.client_authentication == ClientAuthentication::Basic {
        request = request.header("authorization", basic(&settings.client_id, &settings.secret));
    }
    read(&outbound.send(request).await?)
}

/// The form that asks for tokens. Its writer cannot be kept while the answer is waited for: it is not `Send`.
fn body(discovery: &Discovery, settings: &Settings, code: &str, verifier: &str, redirect_uri: &str) -> Vec<u8> {
    let mut form = Serializer::new(String::new());
    form.append_pair("grant_type", "authorization_code");
    form.append_pair("code", code).append_pair("redirect_uri", redirect_uri).append_pair("code_verifier", verifier);
    if discovery.client_authentication == ClientAuthentication::Post {
        form.append_pair("client_id", &settings.client_id).append_pair("client_secret", &settings.secret);
    }
    form.finish().into_bytes()
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
