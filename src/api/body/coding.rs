//! Bodies that were compressed on the way.

use std::io::{self, ErrorKind, Read};

use flate2::read::{MultiGzDecoder, ZlibDecoder};
use poem::http::{HeaderMap, header};

use crate::error::Error;

/// Compression algorithm of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Algorithm {
    Gzip,
    Deflate,
}

/// Coding of a body; perhaps none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Coding(Option<Algorithm>);

impl Coding {
    /// Reads the headers: 415 for an unknown coding.
    pub(super) fn of(headers: &HeaderMap) -> Result<Self, Error> {
        let Some(given) = headers.get(header::CONTENT_ENCODING) else { return Ok(Self(None)) };
        let given = String::from_utf8_lossy(given.as_bytes()).trim().to_ascii_lowercase();
        match given.as_str() {
            "" | "identity" => Ok(Self(None)),
            "gzip" | "x-gzip" => Ok(Self(Some(Algorithm::Gzip))),
            "deflate" => Ok(Self(Some(Algorithm::Deflate))),
            _ => Err(Error::ContentEncoding { received: given }),
        }
    }

    /// Whether the body may be longer than what arrives of it.
    pub(super) const fn expands(self) -> bool {
        self.0.is_some()
    }

    /// The body as it was before, which `limit_bytes` bounds, too.
    pub(super) fn decoded(self, bytes: Vec<u8>, limit_bytes: usize) -> Result<Vec<u8>, Error> {
        if !self.expands() {
            return Ok(bytes);
        }
        let mut body = Vec::new();
        let read = self.reader(&*bytes, limit_bytes).read_to_end(&mut body);
        read.map_err(|error| refusal(error.kind(), limit_bytes))?;
        Ok(body)
    }

    /// Reads the body as it was before. Its errors are converted by [`refusal`].
    pub(super) fn reader<'a>(self, received: impl Read + 'a, limit_bytes: usize) -> Box<dyn Read + 'a> {
        match self.0 {
            None => Box::new(received),
            Some(Algorithm::Gzip) => Box::new(Bounded { of: MultiGzDecoder::new(received), left_bytes: limit_bytes }),
            Some(Algorithm::Deflate) => Box::new(Bounded { of: ZlibDecoder::new(received), left_bytes: limit_bytes }),
        }
    }
}

/// Meaning of an error of [`Coding::reader`].
pub(super) fn refusal(kind: ErrorKind, limit_bytes: usize) -> Error {
    match kind {
        ErrorKind::FileTooLarge => Error::BodyTooLarge { limit_bytes },
        _ => Error::invalid("/body", "The body is not compressed as its Content-Encoding says."),
    }
}

/// Fails once more than so many bytes are left to read.
struct Bounded<R> {
    of: R,
    left_bytes: usize,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.of.read(out)?;
        self.left_bytes = self.left_bytes.checked_sub(read).ok_or(ErrorKind::FileTooLarge)?;
        Ok(read)
    }
}
