//! Refusals as OpenFeature's protocol wants them.

use poem::{
    IntoResponse, Response,
    http::{HeaderValue, StatusCode, header},
};
use poem_openapi::{
    ApiResponse, Enum, Object,
    registry::{MetaResponses, Registry},
    types::Type,
};
use serde::Serialize;

use crate::{
    api::{
        answer::{Fails, JSON_UTF8, Statuses as _, refusal, refusals},
        response_meta::responses,
    },
    error::{Error, ErrorBody},
};

/// Prefix of the protocol's paths.
const EVALUATIONS: &str = "/ofrep/v1/evaluate/flags";
/// Authentication scheme in the challenge of a refusal.
const BEARER: &str = "Bearer";
/// Prefix of the places of findings about the context.
const CONTEXT: &str = "/body/";

refusals! {
    /// Evaluations: 400 and 404 have a form of their own.
    EvaluationRefusals = 400, 401, 403, 404, 413, 415, 503;
}

/// Error code in OpenFeature's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize)]
#[oai(rename = "EvaluationErrorCode", rename_all = "SCREAMING_SNAKE_CASE")]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ErrorCode {
    /// There is no such feature, or the token does not reach it.
    FlagNotFound,
    /// The context breaks a rule.
    InvalidContext,
    /// The request cannot be read.
    ParseError,
}

/// Reason why there is no value.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "EvaluationFailure", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct EvaluationFailureBody {
    /// Name of the feature, as in the path. Absent in an evaluation of all flags.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Code of the error.
    pub error_code: ErrorCode,
    /// Description of the error, naming the offending property.
    pub error_details: String,
}

/// [`Error`] of an evaluation.
#[derive(Debug)]
pub struct EvaluationFails(Fails<EvaluationRefusals>);

impl<E: Into<Error>> From<E> for EvaluationFails {
    fn from(error: E) -> Self {
        let error: Error = error.into();
        Self(Fails::from(error))
    }
}

impl From<EvaluationFails> for poem::Error {
    fn from(failure: EvaluationFails) -> Self {
        failure.0.into()
    }
}

impl ApiResponse for EvaluationFails {
    fn meta() -> MetaResponses {
        responses(EvaluationRefusals::CODES.iter().map(|code| match *code {
            400 | 404 => refusal::<EvaluationFailureBody>(*code),
            401 => refusal::<ErrorBody>(401).header("WWW-Authenticate", "How to show a token: `Bearer`."),
            code => refusal::<ErrorBody>(code),
        }))
    }

    fn register(registry: &mut Registry) {
        Fails::<EvaluationRefusals>::register(registry);
        EvaluationFailureBody::register(registry);
    }
}

/// The answer to a failed request for this address: in the protocol's form where that rules.
pub fn answer(error: Error, path: &str) -> Response {
    let Some(key) = path.strip_prefix(EVALUATIONS) else { return error.into_response() };
    let (status, error_code) = match &error {
        Error::NotFound(_) => (StatusCode::NOT_FOUND, ErrorCode::FlagNotFound),
        Error::Validation(findings) => {
            let about_context = |path: &String| path.starts_with(CONTEXT);
            let in_context = findings.iter().all(|finding| finding.path.as_ref().is_some_and(about_context));
            (StatusCode::BAD_REQUEST, if in_context { ErrorCode::InvalidContext } else { ErrorCode::ParseError })
        }
        _ => {
            let mut response = error.into_response();
            if response.status() == StatusCode::UNAUTHORIZED {
                response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static(BEARER));
            }
            return response;
        }
    };
    tracing::debug!(status = status.as_u16(), ?error_code, "evaluation refused");
    let key = key.strip_prefix('/').map(readable);
    let body = EvaluationFailureBody { key, error_code, error_details: error.to_string() };
    let bytes = serde_json::to_vec(&body).expect("error bodies serialise");
    Response::builder().status(status).content_type(JSON_UTF8).body(bytes)
}

/// A part of an address without its percent signs.
fn readable(part: &str) -> String {
    // The decoder was made for queries, where these signs do not stand for themselves.
    let part = part.replace('+', "%2B").replace('&', "%26").replace('=', "%3D");
    url::form_urlencoded::parse(part.as_bytes()).next().map(|(name, _)| name.into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_their_percent_signs_and_keep_their_plus() {
        assert_eq!(readable("caf%C3%A9%20a+b"), "café a+b");
        assert_eq!(readable("a=b&c"), "a=b&c");
        assert_eq!(readable("%FF"), "\u{FFFD}");
    }
}
