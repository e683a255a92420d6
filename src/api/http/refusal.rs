//! Turns what the framework raises into the one error type.

use std::borrow::Cow;

use poem::{error::ReadBodyError, http::StatusCode};

use crate::{
    api::{answer::JSON, document},
    error::Error,
};

/// The error that an operation returned, or the framework's own translated.
pub(super) fn from_poem(error: poem::Error, path: &str) -> Error {
    let error = match error.downcast::<Error>() {
        Ok(error) => return error,
        Err(error) => error,
    };
    if let Some(error) = error.downcast_ref::<poem_openapi::error::ParseParamError>() {
        let (name, reason) = (error.name, plain_reason(&error.reason));
        let kind = if document::is_path_parameter(path, name) { "path" } else { "query" };
        return Error::invalid(format!("/{kind}/{name}"), format!("The {kind} parameter `{name}` {reason}."));
    }
    if let Some(error) = error.downcast_ref::<poem_openapi::error::ParsePathError>() {
        let name = document::path_parameter(path, error.name);
        return Error::invalid(format!("/path/{name}"), format!("The path parameter `{name}` is not of its type."));
    }
    if error.is::<ReadBodyError>() {
        return Error::invalid("/body", "The body could not be read.");
    }
    match error.status() {
        StatusCode::NOT_FOUND => Error::NotFound(format!("There is nothing at {path}.")),
        StatusCode::METHOD_NOT_ALLOWED => match document::allowed_methods(path) {
            Some(allow) => Error::MethodNotAllowed { allow },
            None => Error::MethodNotAllowed { allow: "GET".to_owned() },
        },
        StatusCode::UNAUTHORIZED => Error::Unauthenticated,
        StatusCode::PAYLOAD_TOO_LARGE => Error::invalid("/body", "The body is too large."),
        StatusCode::UNSUPPORTED_MEDIA_TYPE => Error::ContentType { expected: JSON, received: None },
        status if status.is_client_error() => Error::invalid("/path", "The address of the request is not valid."),
        _ => Error::internal(error.to_string()),
    }
}

/// The reason as our parameter types gave it, without the type names that the framework wraps around it; that of a
/// bound which the framework checks, in the same words as ours.
fn plain_reason(reason: &str) -> Cow<'_, str> {
    let bound = reason.strip_prefix("verification failed. maxLength(").and_then(|rest| rest.strip_suffix(')'));
    if let Some(most) = bound {
        return format!("must have at most {most} characters").into();
    }
    let reason = match reason.strip_prefix("failed to parse \"") {
        Some(rest) => rest.split_once("\": ").map_or(rest, |(_, reason)| reason),
        None => reason,
    };
    reason.split(" (occurred while parsing").next().unwrap_or(reason).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_lose_the_framework_s_type_names() {
        let wrapped =
            "failed to parse \"ProjectFilter\": must match x (occurred while parsing \"optional_ProjectFilter\")";
        assert_eq!(plain_reason(wrapped), "must match x");
        assert_eq!(plain_reason("must match x"), "must match x");
        assert_eq!(plain_reason("verification failed. maxLength(255)"), "must have at most 255 characters");
    }
}
