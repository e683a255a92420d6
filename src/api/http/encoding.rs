//! Answers to programs that read features, and pages, are not compressed anew each time, and those that never end not at
//! all.

use poem::{Endpoint, Request, Response, http::header};

use super::path;

/// Addresses that choose the encoding of their answers themselves start so.
const BY_THEMSELVES: [&str; 2] = ["/api/client/", "/docs"];

/// Whether the reader of an answer understands gzip. Beside each request of a program.
#[derive(Debug, Clone, Copy)]
pub struct AcceptsGzip(pub bool);

/// Tells operations that choose the encoding what the reader understands, and keeps others from choosing for them.
pub(super) struct Encoding<E>(pub(super) E);

impl<E: Endpoint<Output = Response>> Endpoint for Encoding<E> {
    type Output = Response;

    async fn call(&self, mut request: Request) -> poem::Result<Response> {
        path::tidy(&mut request);
        if BY_THEMSELVES.iter().any(|prefix| request.uri().path().starts_with(prefix)) {
            let accepted = request.headers().get_all(header::ACCEPT_ENCODING);
            let gzip = accepted.iter().filter_map(|value| value.to_str().ok()).any(names_gzip);
            request.headers_mut().remove(header::ACCEPT_ENCODING);
            request.set_data(AcceptsGzip(gzip));
        }
        self.0.call(request).await
    }
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
