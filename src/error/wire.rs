//! Form of the answers to everything that goes wrong: status, name, body and headers.

use std::{fmt::Display, sync::Arc};

use flagstone_clock as clock;
use flagstone_domain::{
    identity::Class,
    permission::Permission,
    sign_in::{SignInForm, SignInOption, SignInWays},
};
use poem::{IntoResponse, Response, error::ResponseError, http::StatusCode};
use poem_openapi::Object;
use serde::Serialize;

use super::Error;

/// Target of lines in the log: operators choose them by the part of the program, and not by the crate.
const LOG: &str = "flagstone::error::wire";
/// Seconds after which it is worth asking a database again that could not be reached.
const UNAVAILABLE_SECONDS: u64 = 5;
/// Seconds after which it is worth trying a change again that others were in the way of.
const BUSY_SECONDS: u64 = 1;
/// Seconds after which it is worth asking for a stream again.
const STREAMS_SECONDS: u64 = 30;
/// Seconds after which it is worth looking whether maintenance has ended.
const MAINTENANCE_SECONDS: u64 = 60;

/// Most characters of a message on the wire: a refusal does not send back what it refuses.
const LONGEST_MESSAGE: usize = 10_000;
/// Most characters of one finding, and of its path.
const LONGEST_FINDING: usize = 2000;

/// The beginning of a text that is longer than `most` characters, and otherwise all of it.
fn shortened(text: String, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// One error in a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename = "ErrorDetail", rename_all = "camelCase", skip_serializing_if_is_none)]
pub struct Finding {
    /// Message that names the property or parameter.
    #[oai(validator(min_length = 1))]
    pub message: String,
    /// Location: a JSON pointer that starts with `/body`, or `/query/`, `/path/` or `/header/` and the parameter's
    /// name. Absent when the error has no single location.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

impl Finding {
    /// A property of the body, as a JSON pointer that starts with `/body`, and what is wrong with it: `is …`, `must …`.
    pub fn property(path: impl Into<String>, rule: impl Display) -> Self {
        let path = path.into();
        Self { message: format!("The {path} property {rule}."), path: Some(path) }
    }

    fn shortened(self) -> Self {
        Self {
            message: shortened(self.message, LONGEST_FINDING),
            path: self.path.map(|path| shortened(path, LONGEST_FINDING)),
        }
    }
}

/// Data of a refusal in the extensions of its answer, for the log.
#[derive(Debug, Clone, Copy)]
pub struct Refusal {
    /// Id of this one occurrence.
    pub id: uuid::Uuid,
    /// The status.
    pub status: u16,
    /// Name of the kind of error.
    pub name: &'static str,
}

/// The body of every refusal.
#[derive(Debug, Clone, Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename = "ApiError", rename_all = "camelCase", skip_serializing_if_is_none)]
pub struct ErrorBody {
    /// Id of this error. Give it to the operator: the server's log has the same id.
    pub id: uuid::Uuid,
    /// Name of the kind of error, such as `ValidationError`, `AuthenticationRequired`, `NoAccessError`,
    /// `NotFoundError` or `ContentTypeerror`. Decide by this, not by the message.
    pub name: String,
    /// Description of the error in words; for invalid data it names the offending property.
    pub message: String,
    /// Every finding of an invalid request, in order. Absent for other kinds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<Vec<Finding>>,
    /// The permissions of which one is needed. Only with `NoAccessError`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permissions: Option<Vec<Permission>>,
    /// Fields of the sign-in form. Only with `AuthenticationRequired`, as are all that follow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub r#type: Option<SignInForm>,
    /// Path to which the form is sent, below the public URL of the server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Whether to hide the form, because password sign-in is disabled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_hidden: Option<bool>,
    /// The login providers that people can sign in through.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub options: Option<Vec<SignInOption>>,
    /// Whether people can sign in with a passkey.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub passkeys: Option<bool>,
}

impl ErrorBody {
    fn plain(id: uuid::Uuid, name: &str, message: String) -> Self {
        Self {
            id,
            name: name.to_owned(),
            message,
            details: None,
            permissions: None,
            r#type: None,
            path: None,
            default_hidden: None,
            options: None,
            passkeys: None,
        }
    }
}

impl Error {
    const fn kind(&self) -> (StatusCode, &'static str) {
        match self {
            Self::Validation(_) => (StatusCode::BAD_REQUEST, "ValidationError"),
            Self::Pattern(_) => (StatusCode::BAD_REQUEST, "PatternError"),
            Self::ExceedsLimit(_) => (StatusCode::BAD_REQUEST, "ExceedsLimitError"),
            Self::Rule { name, .. } => (StatusCode::BAD_REQUEST, name),
            Self::Unauthenticated | Self::SignedOut(_) => (StatusCode::UNAUTHORIZED, "AuthenticationRequired"),
            Self::SignIn { class, .. } => match class {
                Class::Provider => (StatusCode::FAILED_DEPENDENCY, "LoginProviderError"),
                Class::State => (StatusCode::BAD_REQUEST, "SignInStateError"),
                Class::Word => (StatusCode::UNAUTHORIZED, "SignInRefusedError"),
                Class::Admission => (StatusCode::FORBIDDEN, "NotAdmittedError"),
                Class::AccessRequest => (StatusCode::FORBIDDEN, "AccessRequestedError"),
            },
            Self::KeyReused => (StatusCode::UNPROCESSABLE_ENTITY, "IdempotencyKeyError"),
            Self::PasswordsOff | Self::PasskeysOff => (StatusCode::UNPROCESSABLE_ENTITY, "DisabledError"),
            Self::PasswordMismatch => (StatusCode::UNAUTHORIZED, "PasswordMismatch"),
            Self::SecondFactorRequired => (StatusCode::UNAUTHORIZED, "SecondFactorRequiredError"),
            Self::SecondFactorMismatch => (StatusCode::UNAUTHORIZED, "SecondFactorMismatchError"),
            Self::PasskeyMismatch(_) => (StatusCode::UNAUTHORIZED, "PasskeyMismatchError"),
            Self::EnrolmentRequired => (StatusCode::FORBIDDEN, "SecondFactorEnrolmentError"),
            Self::DeadLink => (StatusCode::UNAUTHORIZED, "InvalidTokenError"),
            Self::NoAccess { .. } | Self::WrongTokenKind => (StatusCode::FORBIDDEN, "NoAccessError"),
            Self::Forbidden { name, .. } => (StatusCode::FORBIDDEN, name),
            Self::NotFound(_) => (StatusCode::NOT_FOUND, "NotFoundError"),
            Self::MethodNotAllowed { .. } => (StatusCode::METHOD_NOT_ALLOWED, "MethodNotAllowedError"),
            Self::Conflict(_) => (StatusCode::CONFLICT, "NameExistsError"),
            Self::InUse { name, .. } => (StatusCode::CONFLICT, name),
            Self::PreconditionFailed => (StatusCode::PRECONDITION_FAILED, "PreconditionFailedError"),
            Self::BodyTooLarge { .. } | Self::BodyTooComplex { .. } | Self::TooManyOperations { .. } => {
                (StatusCode::PAYLOAD_TOO_LARGE, "PayloadTooLargeError")
            }
            // Spelled so by the specification.
            Self::ContentType { .. } | Self::ContentEncoding { .. } => {
                (StatusCode::UNSUPPORTED_MEDIA_TYPE, "ContentTypeerror")
            }
            Self::RateLimit { .. } => (StatusCode::TOO_MANY_REQUESTS, "RateLimitError"),
            Self::DiskFull(_) => (StatusCode::SERVICE_UNAVAILABLE, "DiskFullError"),
            Self::Unavailable(_)
            | Self::Busy(_)
            | Self::LargeRequestTimeout
            | Self::ReceiveOverload
            | Self::TooManyStreams { .. }
            | Self::UnknownTokens { .. }
            | Self::UpstreamAway => (StatusCode::SERVICE_UNAVAILABLE, "UnavailableError"),
            Self::Maintenance => (StatusCode::SERVICE_UNAVAILABLE, "MaintenanceError"),
            Self::Internal(_) => (StatusCode::INTERNAL_SERVER_ERROR, "InternalError"),
        }
    }

    /// The sentence, which does not send back all of what it refuses.
    pub fn shortened(&self) -> String {
        shortened(self.to_string(), LONGEST_MESSAGE)
    }

    /// The body, and for a fault of the server a line in the log that shares its id.
    pub fn body(self) -> ErrorBody {
        let id = if let Self::SignIn { id, .. } = &self { *id } else { clock::new_uuid() };
        let (_, name) = self.kind();
        let message = self.shortened();
        match &self {
            Self::Internal(cause) => {
                tracing::error!(target: LOG, error_id = %id, error = %cause, "request failed");
            }
            Self::Unavailable(cause) => {
                tracing::error!(target: LOG, error_id = %id, error = %cause, "database unavailable");
            }
            Self::DiskFull(cause) => {
                tracing::error!(target: LOG, error_id = %id, error = %cause, "the disk of the database is full");
            }
            Self::Busy(cause) => {
                tracing::warn!(target: LOG, error_id = %id, error = %cause, "change not made: others were in the way");
            }
            // The log has these with the request that they answer.
            _ => {}
        }
        let mut body = ErrorBody::plain(id, name, message);
        match self {
            Self::Validation(findings) => {
                body.details = Some(findings.into_iter().map(Finding::shortened).collect());
            }
            Self::NoAccess { permissions, .. } => body.permissions = Some(permissions),
            Self::SignedOut(ways) => {
                let SignInWays { r#type, path, default_hidden, options, passkeys } = Arc::unwrap_or_clone(ways);
                body.r#type = Some(r#type);
                body.path = Some(path);
                body.default_hidden = Some(default_hidden);
                body.options = Some(options);
                body.passkeys = Some(passkeys);
            }
            _ => {}
        }
        body
    }
}

impl ResponseError for Error {
    fn status(&self) -> StatusCode {
        self.kind().0
    }
}

impl IntoResponse for Error {
    fn into_response(self) -> Response {
        let mut response = Response::builder().status(self.kind().0).content_type("application/json; charset=utf-8");
        match &self {
            Self::MethodNotAllowed { allow } => response = response.header("Allow", allow),
            Self::RateLimit { retry_after_seconds } | Self::UnknownTokens { retry_after_seconds } => {
                response = response.header("Retry-After", *retry_after_seconds);
            }
            Self::Unavailable(_) | Self::UpstreamAway | Self::DiskFull(_) => {
                response = response.header("Retry-After", UNAVAILABLE_SECONDS);
            }
            Self::Busy(_) | Self::LargeRequestTimeout | Self::ReceiveOverload => {
                response = response.header("Retry-After", BUSY_SECONDS);
            }
            Self::TooManyStreams { .. } => response = response.header("Retry-After", STREAMS_SECONDS),
            Self::Maintenance => response = response.header("Retry-After", MAINTENANCE_SECONDS),
            _ => {}
        }
        let (status, name) = self.kind();
        let body = self.body();
        let refusal = Refusal { id: body.id, status: status.as_u16(), name };
        let mut response = response.body(serde_json::to_vec(&body).expect("error bodies serialise"));
        response.set_data(refusal);
        response
    }
}
