//! Answers, read as far as they may go.

use std::io::Read as _;

use flagstone_domain::opaque_debug;
use flate2::read::GzDecoder;
use ureq::{
    Body,
    http::{HeaderMap, Response, header},
};
use url::Url;

use super::{
    client::{BUFFER, Limit},
    failure::{Failure, FailureKind, of_client},
};

/// Answer to an outgoing request, with any status but a redirect. Printing it does not show the body.
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The media type, as it was written.
    pub content_type: Option<String>,
    /// Header `Cache-Control`: how long the answer may be kept, as it was written.
    pub cache_control: Option<String>,
    /// When to ask again, as it was written.
    pub retry_after: Option<String>,
    /// Entity tag of the answer, as it was written.
    pub etag: Option<String>,
    /// The body, decompressed: at most as many bytes as the request allows.
    pub body: Vec<u8>,
}

opaque_debug!(Answer { status, .. });

/// Reads an answer, as much of its body as the limit says. A redirect is none.
pub(super) fn read(answer: Response<Body>, url: &Url, limit: Limit) -> Result<Answer, Failure> {
    let host = url.host_str().unwrap_or_default();
    let status = answer.status();
    let headers = answer.headers();
    if status.is_redirection() && headers.contains_key(header::LOCATION) {
        let to = text(headers, &header::LOCATION).and_then(|to| url.join(&to).ok());
        let failure = Failure::new(host, FailureKind::Redirected);
        return Err(match to.as_ref().and_then(Url::host_str) {
            Some(to) => failure.with(format_args!("to {to}")),
            None => failure,
        });
    }
    let (content_type, cache_control) = (text(headers, &header::CONTENT_TYPE), text(headers, &header::CACHE_CONTROL));
    let retry_after = text(headers, &header::RETRY_AFTER);
    let etag = text(headers, &header::ETAG);
    let is_compressed =
        text(headers, &header::CONTENT_ENCODING).is_some_and(|coding| coding.eq_ignore_ascii_case("gzip"));
    let told = |body| Answer { status: status.as_u16(), content_type, cache_control, retry_after, etag, body };
    let limit = match limit {
        Limit::Whole(limit) => limit,
        Limit::Beginning(limit) => {
            let mut beginning = Vec::new();
            // The status has come: what is wrong with the rest changes nothing.
            let _ = bytes(answer, is_compressed, limit).read_to_end(&mut beginning);
            return Ok(told(beginning));
        }
    };
    let too_large = || Failure::new(host, FailureKind::TooLarge).with(format_args!("over {limit} bytes"));
    if answer.body().content_length().is_some_and(|said| said > limit as u64) {
        return Err(too_large());
    }
    let mut body = Vec::new();
    // A byte more tells that there is more.
    bytes(answer, is_compressed, limit.saturating_add(1)).read_to_end(&mut body).map_err(|error| {
        match ureq::Error::from(error) {
            ureq::Error::BodyExceedsLimit(_) => too_large(),
            error => of_client(host, error),
        }
    })?;
    if body.len() > limit {
        return Err(too_large());
    }
    Ok(told(body))
}

/// The first bytes of a body, decompressed. What arrives for them is limited too: compressed, nothing can be endless.
fn bytes(answer: Response<Body>, is_compressed: bool, most: usize) -> Box<dyn std::io::Read> {
    let most = u64::try_from(most).unwrap_or(u64::MAX);
    let arriving = answer.into_body().into_with_config().limit(most.saturating_add(BUFFER as u64)).reader();
    // One compressed part is the whole: nobody sends more, and reading thousands of empty ones takes long.
    if is_compressed { Box::new(GzDecoder::new(arriving).take(most)) } else { Box::new(arriving.take(most)) }
}

fn text(headers: &HeaderMap, name: &header::HeaderName) -> Option<String> {
    headers.get(name)?.to_str().ok().map(str::to_owned)
}
