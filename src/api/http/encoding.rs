//! Answers compressed with gzip for readers who accept it. Those to programs that read features, and pages, are not
//! compressed again each time, and those that never end not at all.

use poem::{
    Body, Endpoint, Request, Response, ResponseParts,
    http::{HeaderValue, StatusCode, header},
};

use super::{path, stream_writer::InPieces};
use crate::gzip::{self, Effort};

/// Addresses that choose the encoding of their answers themselves start so.
const BY_THEMSELVES: [&str; 3] = ["/api/client/", "/console", "/docs"];
/// Bytes of a body that is not worth compressing.
const SHORT: usize = 1 << 10;
/// Bytes of a body that takes long enough to compress for others to wait.
const LONG: usize = 1 << 17;

/// Whether the reader of an answer accepts gzip. Attached to each request of a program.
#[derive(Debug, Clone, Copy)]
pub struct AcceptsGzip(pub bool);

/// Compresses answers, or passes the accepted encoding to operations that choose it themselves.
pub(super) struct Encoding<E>(pub(super) E);

impl<E: Endpoint<Output = Response>> Endpoint for Encoding<E> {
    type Output = Response;

    async fn call(&self, mut request: Request) -> poem::Result<Response> {
        path::tidy(&mut request);
        let accepted = request.headers().get_all(header::ACCEPT_ENCODING);
        let gzip = accepted.iter().filter_map(|value| value.to_str().ok()).any(names_gzip);
        if BY_THEMSELVES.iter().any(|prefix| request.uri().path().starts_with(prefix)) {
            request.set_data(AcceptsGzip(gzip));
            return self.0.call(request).await;
        }
        let response = self.0.call(request).await?;
        if !gzip || !is_text(&response) {
            return Ok(response);
        }
        let is_in_pieces = response.extensions().get::<InPieces>().is_some();
        Ok(if is_in_pieces { shortened_in_pieces(response) } else { shortened(response).await })
    }
}

/// Whether an answer is text that ends, and not compressed yet.
fn is_text(response: &Response) -> bool {
    let is_text = |kind: &str| kind.starts_with("application/json") || kind.starts_with("text/plain");
    response.content_type().is_some_and(is_text) && !response.headers().contains_key(header::CONTENT_ENCODING)
}

/// The answer with a compressed body, unless that is short. Compressed quickly: it is read once.
async fn shortened(response: Response) -> Response {
    let (parts, body) = response.into_parts();
    let Ok(bytes) = body.into_bytes().await else {
        return Response::builder().status(StatusCode::INTERNAL_SERVER_ERROR).finish();
    };
    if bytes.len() <= SHORT {
        return Response::from_parts(parts, bytes.into());
    }
    let compressed = if bytes.len() <= LONG {
        gzip::compressed(&bytes, Effort::fast())
    } else {
        let long = bytes.clone();
        let compressing = tokio::task::spawn_blocking(move || gzip::compressed(&long, Effort::fast()));
        let Ok(compressed) = compressing.await else { return Response::from_parts(parts, bytes.into()) };
        compressed
    };
    compressed_so(parts, compressed.into())
}

/// Compresses an answer that is written while it is read: each piece by itself.
fn shortened_in_pieces(response: Response) -> Response {
    let (parts, body) = response.into_parts();
    compressed_so(parts, Body::from_bytes_stream(gzip::in_pieces(body.into_bytes_stream(), Effort::fast())))
}

fn compressed_so(mut parts: ResponseParts, body: Body) -> Response {
    parts.headers.remove(header::CONTENT_LENGTH);
    parts.headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    Response::from_parts(parts, body)
}

fn names_gzip(list: &str) -> bool {
    list.split(',').any(|entry| {
        let (coding, weight) = entry.split_once(';').unwrap_or((entry, ""));
        let refused = weight.split_once('=').is_some_and(|(_, weight)| weight.trim().parse() == Ok(0.0));
        coding.trim().eq_ignore_ascii_case("gzip") && !refused
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gzip_counts_unless_it_is_refused() {
        for (list, expected) in [
            ("gzip", true),
            ("br, GZIP;q=0.5", true),
            ("gzip;q=0", false),
            ("gzip; q=0.000, br", false),
            ("identity", false),
            ("", false),
        ] {
            assert_eq!(names_gzip(list), expected, "{list:?}");
        }
    }
}
