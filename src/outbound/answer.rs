//! Answers, read as far as they may go.

use std::io::Read as _;

use flate2::read::GzDecoder;
use ureq::{
    Body,
    http::{HeaderMap, Response, header},
};
use url::Url;

use super::{
    client::BUFFER,
    failure::{Failure, FailureKind, of_client},
};

/// What came back, with whatever status but a redirect. Printing it does not show the body.
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The media type, as it was written.
    pub content_type: Option<String>,
    /// How long the answer may be kept, as it was written.
    pub cache_control: Option<String>,
    /// The body, decompressed: at most as many bytes as the request allows.
    pub body: Vec<u8>,
}

impl std::fmt::Debug for Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Answer").field("status", &self.status).finish_non_exhaustive()
    }
}

/// Reads an answer of which the body may have so many bytes. One that leads elsewhere is none.
pub(super) fn read(answer: Response<Body>, url: &Url, limit: usize) -> Result<Answer, Failure> {
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
    let is_compressed =
        text(headers, &header::CONTENT_ENCODING).is_some_and(|coding| coding.eq_ignore_ascii_case("gzip"));
    let too_large = || Failure::new(host, FailureKind::TooLarge).with(format_args!("over {limit} bytes"));
    let bytes = u64::try_from(limit).unwrap_or(u64::MAX);
    if answer.body().content_length().is_some_and(|said| said > bytes) {
        return Err(too_large());
    }
    // What arrives is limited too: compressed, nothing can be endless. A byte more tells that there is more.
    let arriving = answer.into_body().into_with_config().limit(bytes.saturating_add(BUFFER as u64)).reader();
    let mut body = Vec::new();
    let most = bytes.saturating_add(1);
    // One compressed part is the whole: nobody sends more, and reading thousands of empty ones takes long.
    let read = if is_compressed {
        GzDecoder::new(arriving).take(most).read_to_end(&mut body)
    } else {
        arriving.take(most).read_to_end(&mut body)
    };
    read.map_err(|error| match ureq::Error::from(error) {
        ureq::Error::BodyExceedsLimit(_) => too_large(),
        error => of_client(host, error),
    })?;
    if body.len() > limit {
        return Err(too_large());
    }
    Ok(Answer { status: status.as_u16(), content_type, cache_control, body })
}

fn text(headers: &HeaderMap, name: &header::HeaderName) -> Option<String> {
    headers.get(name)?.to_str().ok().map(str::to_owned)
}
