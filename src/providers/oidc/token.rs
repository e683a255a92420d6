//! The token endpoint: a code becomes an ID token, and a refresh token says whether access goes on.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use chrono::{DateTime, Utc};
use flagstone_domain::client_authentication::AssertionAudience;
use flagstone_outbound::{ANSWER_LIMIT, Answer, Outbound, Request};
use serde_json::Value;
use url::form_urlencoded::{Serializer, byte_serialize};

use super::{
    Credentials, Settings,
    discovery::{ClientAuthentication, Discovery},
    fetch::{error_code, expect_success, object},
    refusal::{Reason, Refusal},
};

/// Type of a statement by which a client authenticates (RFC 7523, 2.2).
const ASSERTION_TYPE: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/// The longest refresh token that is kept, in bytes.
const LONGEST_REFRESH_TOKEN: usize = 16_384;
/// Codes of errors by which a provider says that access has ended, and not that something else is wrong: the refresh
/// token is not valid any more (RFC 6749, 5.2), or the user would have to sign in again (OpenID Connect Core 1.0,
/// 3.1.2.6).
const WITHDRAWN: [&str; 5] =
    ["invalid_grant", "access_denied", "interaction_required", "login_required", "consent_required"];

/// Tokens that a code was exchanged for. Printing it shows nothing.
#[expect(clippy::struct_field_names, reason = "as the protocol names them")]
pub(super) struct Tokens {
    pub id_token: String,
    pub access_token: Option<String>,
    pub refresh_token: Option<String>,
}

/// Tokens that a refresh token was exchanged for; providers may leave all out but the access token.
#[expect(clippy::struct_field_names, reason = "as the protocol names them")]
pub(super) struct Refreshed {
    pub id_token: Option<String>,
    pub access_token: Option<String>,
    pub refresh_token: Option<String>,
}

/// Code of a sign-in, with what proves that it is ours.
#[derive(Clone, Copy)]
pub(super) struct CodeGrant<'a> {
    pub code: &'a str,
    pub verifier: &'a str,
    pub redirect_uri: &'a str,
}

/// Exchanges a code.
pub(super) async fn exchange(
    outbound: &Outbound,
    discovery: &Discovery,
    settings: &Settings,
    CodeGrant { code, verifier, redirect_uri }: CodeGrant<'_>,
    now: DateTime<Utc>,
) -> Result<Tokens, Refusal> {
    let asked = [
        ("grant_type", "authorization_code"),
        ("code", code),
        ("redirect_uri", redirect_uri),
        ("code_verifier", verifier),
    ];
    let answer = outbound.send(request(discovery, settings, &asked, now)?).await?;
    if let Some(code) = refused_code(&answer) {
        return Err(Refusal::new(Reason::TokenRefused).found(format_args!("{}, {code}", answer.status)));
    }
    let told = tokens(&answer)?;
    let id_token = told.id_token.ok_or_else(|| Refusal::new(Reason::IdTokenMissing))?;
    Ok(Tokens { id_token, access_token: told.access_token, refresh_token: told.refresh_token })
}

/// Exchanges a refresh token.
pub(super) async fn refresh(
    outbound: &Outbound,
    discovery: &Discovery,
    settings: &Settings,
    refresh_token: &str,
    now: DateTime<Utc>,
) -> Result<Refreshed, Refusal> {
    let asked = [("grant_type", "refresh_token"), ("refresh_token", refresh_token)];
    let answer = outbound.send(request(discovery, settings, &asked, now)?).await?;
    if let Some(code) = refused_code(&answer) {
        let reason = if WITHDRAWN.contains(&&*code) { Reason::AccessWithdrawn } else { Reason::TokenRefused };
        return Err(Refusal::new(reason).found(format_args!("{}, {code}", answer.status)));
    }
    tokens(&answer)
}

fn request(
    discovery: &Discovery,
    settings: &Settings,
    asked: &[(&str, &str)],
    now: DateTime<Utc>,
) -> Result<Request, Refusal> {
    let authentication = discovery.client_authentication(&settings.credentials)?;
    let body = body(discovery, settings, authentication, asked, now)?;
    let request = Request::post(&discovery.token_endpoint, "application/x-www-form-urlencoded", body, ANSWER_LIMIT)
        .header("accept", "application/json".into());
    Ok(match (authentication, &settings.credentials) {
        (ClientAuthentication::Basic, Credentials::Secret(secret)) => {
            request.header("authorization", basic(&settings.client_id, secret))
        }
        _ => request,
    })
}

/// The form that asks for tokens. Its writer cannot be kept while the answer is waited for: it is not `Send`.
fn body(
    discovery: &Discovery,
    settings: &Settings,
    authentication: ClientAuthentication,
    asked: &[(&str, &str)],
    now: DateTime<Utc>,
) -> Result<Vec<u8>, Refusal> {
    let client_id = &settings.client_id;
    let mut form = Serializer::new(String::new());
    form.extend_pairs(asked);
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

/// Code of an answer that refuses.
fn refused_code(answer: &Answer) -> Option<String> {
    if !matches!(answer.status, 400..=499) {
        return None;
    }
    let body = object(answer, Reason::TokenRefused).unwrap_or_default();
    let code = body.get("error").and_then(Value::as_str).and_then(error_code).unwrap_or("no code");
    Some(code.to_owned())
}

fn tokens(answer: &Answer) -> Result<Refreshed, Refusal> {
    expect_success(answer, "the token endpoint")?;
    let body = object(answer, Reason::TokenAnswerMalformed)?;
    let text = |name: &str| body.get(name).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned);
    let refresh_token = text("refresh_token").filter(|token| token.len() <= LONGEST_REFRESH_TOKEN);
    Ok(Refreshed { id_token: text("id_token"), access_token: text("access_token"), refresh_token })
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
