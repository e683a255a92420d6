//! What an operation returns: a body straight from serde, or a refusal whose statuses are part of the type.

use std::marker::PhantomData;

use poem::{IntoResponse, Response, http::StatusCode};
use poem_openapi::{
    ApiResponse,
    payload::Payload,
    registry::{MetaMediaType, MetaResponse, MetaResponses, MetaSchemaRef, Registry},
    types::Type,
};
use serde::Serialize;

use crate::error::{Error, ErrorBody};

/// The media type of every body, as the document names it.
pub const JSON: &str = "application/json";
/// The media type of every body, as the header carries it.
pub const JSON_UTF8: &str = "application/json; charset=utf-8";

/// 200 with a JSON body that is written without an intermediate tree.
#[derive(Debug)]
pub struct Out<T>(pub T);

impl<T: Type> Payload for Out<T> {
    const CONTENT_TYPE: &'static str = JSON;

    fn schema_ref() -> MetaSchemaRef {
        T::schema_ref()
    }

    fn register(registry: &mut Registry) {
        T::register(registry);
    }
}

impl<T: Serialize + Send> IntoResponse for Out<T> {
    fn into_response(self) -> Response {
        let bytes = serde_json::to_vec(&self.0).expect("response types have string keys and finite numbers");
        Response::builder().content_type(JSON_UTF8).body(bytes)
    }
}

impl<T: Type + Serialize> ApiResponse for Out<T> {
    fn meta() -> MetaResponses {
        MetaResponses { responses: vec![meta_response(200, "The answer.", json_content::<T>())] }
    }

    fn register(registry: &mut Registry) {
        T::register(registry);
    }
}

/// 200 without a body.
#[derive(Debug)]
pub struct Done;

impl IntoResponse for Done {
    fn into_response(self) -> Response {
        StatusCode::OK.into_response()
    }
}

impl ApiResponse for Done {
    fn meta() -> MetaResponses {
        MetaResponses { responses: vec![meta_response(200, "Done. There is no body.", vec![])] }
    }

    fn register(_: &mut Registry) {}
}

/// The refusals that an operation publishes.
pub trait Statuses: Send + Sync + 'static {
    /// Status codes, each documented by what the reader of the answer should do.
    const CODES: &'static [u16];
}

/// Names a set of published refusals: `refusals!(Patch = 400, 401, 403);`.
macro_rules! refusals {
    ($($(#[$doc:meta])* $name:ident = $($code:literal),+;)+) => {
        $(
            $(#[$doc])*
            #[derive(Debug)]
            pub struct $name;

            impl $crate::api::answer::Statuses for $name {
                const CODES: &'static [u16] = &[$($code),+];
            }
        )+
    };
}
pub(crate) use refusals;

refusals! {
    /// Reads that take no parameters but the caller's.
    ReadRefusals = 401, 403, 503;
    /// Reads with parameters that have a pattern or range.
    QueryRefusals = 400, 401, 403, 503;
    /// Reads of one named thing; 400 when the address is not valid percent-encoded UTF-8.
    LookupRefusals = 400, 401, 403, 404, 503;
    /// Writes with a body, to something that always exists.
    WriteRefusals = 400, 401, 403, 413, 415, 503;
    /// Writes with a body, to one named thing.
    ChangeRefusals = 400, 401, 403, 404, 413, 415, 503;
}

/// The one [`Error`], with the statuses that the operation documents as a type.
#[derive(Debug)]
pub struct Fails<S>(Error, PhantomData<fn() -> S>);

impl<S: Statuses> ApiResponse for Fails<S> {
    fn meta() -> MetaResponses {
        let refusal = |code: &u16| meta_response(*code, advice(*code), json_content::<ErrorBody>());
        MetaResponses { responses: S::CODES.iter().map(refusal).collect() }
    }

    fn register(registry: &mut Registry) {
        ErrorBody::register(registry);
    }
}

impl<S: Statuses> From<Fails<S>> for poem::Error {
    fn from(failure: Fails<S>) -> Self {
        failure.0.into()
    }
}

impl<S, E: Into<Error>> From<E> for Fails<S> {
    fn from(error: E) -> Self {
        Self(error.into(), PhantomData)
    }
}

fn json_content<T: Type>() -> Vec<MetaMediaType> {
    vec![MetaMediaType { content_type: JSON, schema: T::schema_ref() }]
}

fn meta_response(status: u16, description: &'static str, content: Vec<MetaMediaType>) -> MetaResponse {
    MetaResponse { description, status: Some(status), status_range: None, content, headers: vec![] }
}

fn advice(status: u16) -> &'static str {
    match status {
        400 => "The request breaks the schema or a rule: correct the property that the message names.",
        401 => "Credentials are missing, unknown or expired: send a valid token.",
        403 => "The credentials are valid but not allowed to do this: the message names the missing permission.",
        404 => "It does not exist, or the caller may not see it.",
        409 => "The name is taken, or the present state forbids it.",
        413 => "The body is larger than the server accepts: send less at once.",
        415 => "The body is not JSON: send `Content-Type: application/json`.",
        503 => "The database is busy or out of reach: try again as `Retry-After` says.",
        429 => "Too many attempts: wait as long as `Retry-After` says.",
        _ => "The request was refused.",
    }
}
