//! Refusals as SCIM wants them, and the media type of all that is answered there.

use poem::{
    IntoResponse, Request, Response,
    http::{HeaderMap, HeaderValue, header},
};
use poem_openapi::{
    ApiResponse, Object,
    registry::{MetaResponses, Registry},
    types::Type,
};
use serde::Serialize;

use crate::{
    api::{
        answer::{Fails, JSON, JSON_UTF8, Statuses, refusal},
        response_meta::responses,
    },
    domain::scim::{Fault, FaultKind},
    error::{Error, Finding},
};

/// Prefix of the protocol's paths.
const PLACE: &str = "/scim";
/// The media type of the protocol.
pub const SCIM: &str = "application/scim+json";
/// The schema of refusals.
const ERROR_SCHEMA: &str = "urn:ietf:params:scim:api:messages:2.0:Error";

/// Media type that labels an answer: that of the protocol, or plain JSON for requests that ask for JSON alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Label(&'static str);

impl Label {
    /// Label that a request asks for.
    pub fn of(headers: &HeaderMap) -> Self {
        let accepts = |kind: &str| {
            let accepted = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
            accepted
                .flat_map(|value| value.split(','))
                .any(|value| value.split(';').next().is_some_and(|value| value.trim().eq_ignore_ascii_case(kind)))
        };
        Self(if accepts(JSON) && !accepts(SCIM) { JSON_UTF8 } else { SCIM })
    }

    /// The value of the header.
    pub const fn as_str(self) -> &'static str {
        self.0
    }
}

/// The label of a refusal, if the protocol rules at the address of this request.
pub fn label_of(request: &Request) -> Option<Label> {
    let below = request.uri().path().strip_prefix(PLACE)?;
    (below.is_empty() || below.starts_with('/')).then(|| Label::of(request.headers()))
}

/// Reason of a refusal.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "ScimError", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct ScimErrorBody {
    /// The schema of refusals.
    pub schemas: Vec<String>,
    /// The status, as a text.
    pub status: String,
    /// The kind of error, by the names of RFC 7644, such as `uniqueness`, `invalidFilter` or `invalidValue`. Absent
    /// when RFC 7644 has no name for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scim_type: Option<String>,
    /// Description of the error.
    pub detail: String,
}

/// [`Error`] of a request or of an operation in a bulk, in the words of the protocol.
#[derive(Debug)]
pub struct Failure(pub Error);

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self(error)
    }
}

impl From<crate::store::StoreError> for Failure {
    fn from(error: crate::store::StoreError) -> Self {
        Self(error.into())
    }
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        Self(fault.into())
    }
}

/// A [`Failure`] with the statuses that the operation documents.
#[derive(Debug)]
pub struct ScimFails<S>(Fails<S>);

impl<S, E: Into<Failure>> From<E> for ScimFails<S> {
    fn from(error: E) -> Self {
        Self(error.into().0.into())
    }
}

impl<S: Statuses> From<ScimFails<S>> for poem::Error {
    fn from(failure: ScimFails<S>) -> Self {
        failure.0.into()
    }
}

impl<S: Statuses> ApiResponse for ScimFails<S> {
    fn meta() -> MetaResponses {
        responses(S::CODES.iter().copied().map(refusal::<ScimErrorBody>))
    }

    fn register(registry: &mut Registry) {
        ScimErrorBody::register(registry);
    }
}

/// A refusal in the protocol's form. Headers and log are those of any other.
pub fn answer(error: Error, label: Label) -> Response {
    let (body, mut response) = told_apart(error);
    if body.status == "401" {
        response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(label.as_str()));
    response.set_body(serde_json::to_vec(&body).expect("error bodies serialise"));
    response
}

/// The body of a refusal, for an operation in a bulk.
pub fn body_of(error: Error) -> ScimErrorBody {
    told_apart(error).0
}

/// A refusal in the protocol's form, and in that of every other answer.
fn told_apart(error: Error) -> (ScimErrorBody, Response) {
    let (scim_type, detail) = (scim_type(&error), detail(&error));
    let response = error.into_response();
    let body = ScimErrorBody {
        schemas: vec![ERROR_SCHEMA.to_owned()],
        status: response.status().as_u16().to_string(),
        scim_type: scim_type.map(str::to_owned),
        detail,
    };
    (body, response)
}

fn scim_type(error: &Error) -> Option<&'static str> {
    let about =
        |findings: &[Finding], place: &str| findings.iter().any(|finding| finding.path.as_deref() == Some(place));
    match error {
        Error::Rule { name, .. } => FaultKind::named(name).map(FaultKind::as_str),
        Error::Conflict(_) => Some("uniqueness"),
        Error::Validation(findings) if about(findings, "/query/filter") => Some(FaultKind::Filter.as_str()),
        Error::Validation(findings) if about(findings, "/body") => Some(FaultKind::Syntax.as_str()),
        Error::Validation(_) => Some(FaultKind::Value.as_str()),
        _ => None,
    }
}

fn detail(error: &Error) -> String {
    match error {
        Error::Unauthenticated | Error::SignedOut(_) => {
            "Send the token of the settings of SCIM, or of a directory, in the Authorization header, after the word \
             Bearer."
                .to_owned()
        }
        error => error.shortened(),
    }
}
