//! Entity tags: a reader who already has an answer is told so instead of being sent it again.

use poem::{
    Request, Response,
    http::{HeaderValue, Method, StatusCode, header},
};
use xxhash_rust::xxh3::xxh3_128;

use crate::domain::version::Version;

/// What a request says about the answers that it already has.
pub(super) struct Validators {
    readable: bool,
    if_none_match: Option<HeaderValue>,
}

impl Validators {
    pub(super) fn of(request: &Request) -> Self {
        Self {
            readable: *request.method() == Method::GET,
            if_none_match: request.headers().get(header::IF_NONE_MATCH).cloned(),
        }
    }

    /// Adds a weak `ETag` over the body of a JSON answer, and turns it into 304 when the reader has it. That of a
    /// resource with a version starts with the version, which is what `If-Match` is compared with.
    pub(super) async fn apply(self, response: Response) -> Response {
        let version = response.extensions().get::<Version>().copied();
        let tagged = (self.readable && is_json(&response)) || version.is_some();
        if !tagged || response.headers().contains_key(header::ETAG) {
            return response;
        }
        let (parts, body) = response.into_parts();
        let Ok(bytes) = body.into_bytes().await else {
            return Response::builder().status(StatusCode::INTERNAL_SERVER_ERROR).finish();
        };
        let version = version.map(|version| format!("{version}.")).unwrap_or_default();
        let tag = tag_of(&version, &bytes);
        let value = HeaderValue::from_str(&tag).expect("hexadecimal digits are a header value");
        if self.readable && parts.status.is_success() && self.has(&tag) {
            return Response::builder().status(StatusCode::NOT_MODIFIED).header(header::ETAG, value).finish();
        }
        let mut response = Response::from_parts(parts, bytes.into());
        response.headers_mut().insert(header::ETAG, value);
        response
    }

    fn has(&self, tag: &str) -> bool {
        is_known(self.if_none_match.as_ref(), tag)
    }
}

/// The weak entity tag of a body.
pub fn entity_tag(bytes: &[u8]) -> String {
    tag_of("", bytes)
}

fn tag_of(version: &str, bytes: &[u8]) -> String {
    format!("W/\"{version}{:x}-{:032x}\"", bytes.len(), xxh3_128(bytes))
}

/// Whether `If-None-Match` names this tag.
pub fn is_known(if_none_match: Option<&HeaderValue>, tag: &str) -> bool {
    let listed = if_none_match.and_then(|value| value.to_str().ok());
    let opaque = tag.trim_start_matches("W/");
    listed.is_some_and(|listed| {
        listed.split(',').map(str::trim).any(|given| given == "*" || given.trim_start_matches("W/") == opaque)
    })
}

fn is_json(response: &Response) -> bool {
    response.content_type().is_some_and(|kind| kind.starts_with("application/json"))
}
