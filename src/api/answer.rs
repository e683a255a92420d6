//! Results of operations: a body straight from serde, or a refusal whose statuses are part of the type.

use std::{io, marker::PhantomData};

use poem::{IntoResponse, Response, http::StatusCode};
use poem_openapi::{
    ApiResponse,
    payload::Payload,
    registry::{MetaResponses, MetaSchemaRef, Registry},
    types::Type,
};
use serde::Serialize;

use crate::{
    api::response_meta::{ResponseMeta, api_response, responses},
    domain::{csv, filter::Page},
    error::{Error, ErrorBody},
};

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

/// 200 with a page of a list. The header `Link` leads to the neighbouring pages.
#[derive(Debug)]
pub struct Paged<T>(pub T, pub Stretch);

/// Place of a page in its list.
#[derive(Debug, Clone, Copy)]
pub struct Stretch {
    /// The page.
    pub page: Page,
    /// Whether entries come after it.
    pub has_more: bool,
}

impl Stretch {
    /// Returns the place of a page in a list of `total` entries.
    pub const fn of(page: Page, total: u64) -> Self {
        Self { page, has_more: page.offset.saturating_add(page.limit) < total }
    }
}

impl<T: Serialize + Send> IntoResponse for Paged<T> {
    fn into_response(self) -> Response {
        let mut response = Out(self.0).into_response();
        response.set_data(self.1);
        response
    }
}

api_response!(
    [T: Type + Serialize] Paged<T>,
    Out::<T>::response().optional_header(
        "Link",
        "The pages beside this one, by `rel`: `first`, `prev`, `next` (RFC 8288). The addresses are relative to that \
         of the request. Absent when the query is longer than 2000 characters.",
    ),
);

/// The JSON of an answer.
pub(in crate::api) fn json<T: Serialize>(body: &T) -> Vec<u8> {
    let mut text = Text(Vec::with_capacity(SHORT));
    serde_json::to_writer(&mut text, body).expect("answers have string keys and finite numbers");
    text.0
}

/// Bytes of what usually stands around a list.
const SHORT: usize = 1024;

/// JSON that is being written. A list that was written before comes as one long piece: there is room behind it for what
/// follows, which would otherwise have all of it copied to a place of twice the size.
struct Text(Vec<u8>);

impl Text {
    fn append(&mut self, piece: &[u8]) {
        if piece.len() > SHORT {
            self.0.reserve(piece.len() + SHORT);
        }
        self.0.extend_from_slice(piece);
    }
}

impl io::Write for Text {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        self.write_all(piece).map(|()| piece.len())
    }

    #[expect(clippy::inline_always, reason = "which pieces are marks is known where they are written, and only there")]
    #[inline(always)]
    fn write_all(&mut self, piece: &[u8]) -> io::Result<()> {
        match piece {
            // Two of three pieces, such as quotation marks and commas: storing the byte takes a fifth of a call.
            [mark] => self.0.push(*mark),
            _ => self.append(piece),
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Declares answers that carry a JSON body: `Name(status, description);`.
macro_rules! with_body {
    ($($name:ident($status:ident, $description:literal);)+) => {
        $(
            impl<T: Serialize + Send> IntoResponse for $name<T> {
                fn into_response(self) -> Response {
                    Response::builder().status(StatusCode::$status).content_type(JSON_UTF8).body(json(&self.0))
                }
            }

            impl<T: Type> $name<T> {
                /// The response, for the document.
                pub(in crate::api) fn response() -> ResponseMeta {
                    ResponseMeta::new(StatusCode::$status.as_u16(), $description).json::<T>()
                }
            }

            api_response!([T: Type + Serialize] $name<T>, Self::response());
        )+
    };
}

/// Declares answers without a body: `Name(status, description);`.
macro_rules! without_body {
    ($($(#[$doc:meta])* $name:ident($status:ident, $description:literal);)+) => {
        $(
            $(#[$doc])*
            #[derive(Debug)]
            pub struct $name;

            impl IntoResponse for $name {
                fn into_response(self) -> Response {
                    StatusCode::$status.into_response()
                }
            }

            api_response!($name, ResponseMeta::new(StatusCode::$status.as_u16(), $description));
        )+
    };
}

/// The media type of tables, as the document names it.
pub const CSV: &str = "text/csv";

/// 200 with a table of comma-separated values.
#[derive(Debug)]
pub struct Csv(pub String);

impl IntoResponse for Csv {
    fn into_response(self) -> Response {
        Response::builder().content_type(csv::MEDIA_TYPE).body(self.0)
    }
}

api_response!(Csv, ResponseMeta::new(200, "The table, with a line of names.").text(CSV));

/// 201 with what was made.
#[derive(Debug)]
pub struct Created<T>(pub T);

/// 202 with what was done.
#[derive(Debug)]
pub struct Accepted<T>(pub T);

/// 200 with a JSON body of this type that has been written already, or is while it is read.
#[derive(Debug)]
pub struct Written<T>(Response, PhantomData<fn() -> T>);

impl<T> Written<T> {
    /// `text` is the answer's body, and nothing else of it.
    pub const fn new(text: Response) -> Self {
        Self(text, PhantomData)
    }
}

impl<T: Send> IntoResponse for Written<T> {
    fn into_response(self) -> Response {
        self.0.set_content_type(JSON_UTF8)
    }
}

api_response!([T: Type + Serialize] Written<T>, Out::<T>::response());

with_body! {
    Out(OK, "The answer.");
    Created(CREATED, "The created resource.");
    Accepted(ACCEPTED, "What was done.");
}

without_body! {
    /// 200 without a body.
    Done(OK, "Done. There is no body.");
    /// 202 without a body.
    DoneAccepted(ACCEPTED, "Done. There is no body.");
    /// 204, which has no body.
    NoContent(NO_CONTENT, "Done. There is no body.");
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
    /// Reads with parameters that have a pattern or range, and writes without a body to something that always exists.
    QueryRefusals = 400, 401, 403, 503;
    /// Reads of one named thing; 400 when the address is not valid percent-encoded UTF-8.
    LookupRefusals = 400, 401, 403, 404, 503;
    /// Writes with a body, to something that always exists.
    WriteRefusals = 400, 401, 403, 413, 415, 503;
    /// Writes with a body, to something that always exists, in the state that `If-Match` names.
    ReplaceRefusals = 400, 401, 403, 412, 413, 415, 503;
    /// Writes with a body, to one named thing.
    ChangeRefusals = 400, 401, 403, 404, 413, 415, 503;
    /// Writes with a body that make something whose name may be taken.
    CreateRefusals = 400, 401, 403, 404, 409, 413, 415, 503;
    /// Writes with a body, to one named thing in the state that `If-Match` names.
    EditRefusals = 400, 401, 403, 404, 412, 413, 415, 503;
    /// Writes without a body, to one named thing.
    ActRefusals = 400, 401, 403, 404, 503;
    /// Writes without a body, to one named thing in the state that `If-Match` names.
    RemoveRefusals = 400, 401, 403, 404, 412, 503;
    /// Writes without a body, to one named thing in the state that `If-Match` names, which may be in use.
    RemoveUnusedRefusals = 400, 401, 403, 404, 409, 412, 503;
    /// Writes with a body, to one named thing in the state that `If-Match` names, parts of which may be in use.
    EditUnusedRefusals = 400, 401, 403, 404, 409, 412, 413, 415, 503;
}

/// [`Error`] with the statuses that the operation documents as a type.
#[derive(Debug)]
pub struct Fails<S>(Error, PhantomData<fn() -> S>);

impl<S: Statuses> ApiResponse for Fails<S> {
    fn meta() -> MetaResponses {
        responses(S::CODES.iter().copied().map(refusal::<ErrorBody>))
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

/// Returns the response of a refusal with a body of this type, for the document.
pub(in crate::api) fn refusal<B: Type>(status: u16) -> ResponseMeta {
    ResponseMeta::new(status, advice(status)).json::<B>()
}

fn advice(status: u16) -> &'static str {
    match status {
        400 => "The request violates the schema or a rule: correct the property that the message names.",
        401 => "Credentials are missing, unknown or expired: send a valid token.",
        403 => {
            "The credentials are valid but lack a permission, or a page of another origin uses them: the message \
             names the permission or the page."
        }
        404 => "It does not exist, or the caller may not see it.",
        409 => "The name is taken, or the current state does not allow it.",
        412 => "It has changed since the state that `If-Match` names: read it again, then decide.",
        413 => "The body is larger than the server accepts: send less at once.",
        415 => {
            "The body is not JSON, or compressed with something other than gzip or deflate: send \
             `Content-Type: application/json`."
        }
        503 => {
            "The server or its database is busy or unreachable, or the instance is under maintenance: retry after the \
             time in `Retry-After`."
        }
        422 => "It is switched off: use another way.",
        424 => "The login provider failed or gave an invalid answer: try again, or see the reason in `getSignIns`.",
        429 => "Too many attempts: wait for the time in `Retry-After`.",
        _ => "The request was refused.",
    }
}
