//! Entity tags: a reader who already has an answer gets 304 instead of it.

use poem::{
    Request, Response,
    http::{HeaderMap, HeaderValue, Method, StatusCode, header},
};

use crate::domain::version::{Version, entity_tag};

/// Entity tags of the answers that the caller already has, by the request.
pub(super) struct Validators {
    readable: bool,
    /// The lines of `If-None-Match`.
    known: Vec<HeaderValue>,
}

impl Validators {
    pub(super) fn of(request: &Request) -> Self {
        Self {
            readable: *request.method() == Method::GET,
            known: request.headers().get_all(header::IF_NONE_MATCH).iter().cloned().collect(),
        }
    }

    /// Adds a weak `ETag` over the body of a JSON answer, and turns it into 304 when the reader has it.
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
        let tag = entity_tag(version, [&*bytes]);
        let value = HeaderValue::from_str(&tag).expect("hexadecimal digits are a header value");
        if self.readable && parts.status.is_success() && names(&self.known, &tag) {
            return Response::builder().status(StatusCode::NOT_MODIFIED).header(header::ETAG, value).finish();
        }
        let mut response = Response::from_parts(parts, bytes.into());
        response.headers_mut().insert(header::ETAG, value);
        response
    }
}

/// Whether `If-None-Match` names this tag, on any of its lines.
pub fn is_known(headers: &HeaderMap, tag: &str) -> bool {
    names(headers.get_all(header::IF_NONE_MATCH), tag)
}

/// Whether lines of `If-None-Match` name this tag, compared weakly as RFC 9110 demands. A tag of ours holds no comma,
/// so what is cut off another tag that does is none of ours.
fn names<'a>(lines: impl IntoIterator<Item = &'a HeaderValue>, tag: &str) -> bool {
    let mut given =
        lines.into_iter().filter_map(|line| line.to_str().ok()).flat_map(|line| line.split(',')).map(str::trim);
    given.any(|given| given == "*" || opaque(given) == opaque(tag))
}

fn opaque(tag: &str) -> &str {
    tag.strip_prefix("W/").unwrap_or(tag)
}

fn is_json(response: &Response) -> bool {
    response.content_type().is_some_and(|kind| kind.starts_with("application/json"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_found_wherever_it_is_listed_and_compared_weakly() {
        let tag = "W/\"a-1\"";
        for (lines, expected) in [
            (&[][..], false),
            (&["*"], true),
            (&["W/\"a-1\""], true),
            (&["\"a-1\""], true),
            (&["\"b, c\", W/\"a-1\""], true),
            (&["\"b\"", "\"c\",W/\"a-1\""], true),
            (&["\"b\"", "\"c\""], false),
            (&["\"A-1\""], false),
            (&["a-1"], false),
            (&["\"x W/\"a-1\""], false),
        ] {
            let mut headers = HeaderMap::new();
            for line in lines {
                headers.append(header::IF_NONE_MATCH, HeaderValue::from_static(line));
            }
            assert_eq!(is_known(&headers, tag), expected, "{lines:?}");
        }
    }
}
