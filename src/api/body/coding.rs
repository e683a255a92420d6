//! Bodies that were compressed on the way.

use std::io::Read;

use bytes::Bytes;
use flate2::read::{MultiGzDecoder, ZlibDecoder};
use poem::http::{HeaderMap, header};

use crate::error::Error;

/// How a body was compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Coding {
    Gzip,
    Deflate,
}

/// A body as it arrived. It is expanded when it is read, as little before as it is judged.
#[derive(Debug)]
pub(super) struct Received {
    bytes: Bytes,
    coding: Option<Coding>,
    limit_bytes: usize,
}

impl Received {
    /// `limit_bytes` bounds the body as it was before it was compressed, too.
    pub(super) fn of(headers: &HeaderMap, bytes: Bytes, limit_bytes: usize) -> Result<Self, Error> {
        Ok(Self { bytes, coding: coding(headers)?, limit_bytes })
    }

    /// Whether it may have more bytes than these.
    pub(super) fn may_exceed(&self, bytes: usize) -> bool {
        self.coding.is_some() || self.bytes.len() > bytes
    }

    /// The body as it was before it was compressed.
    pub(super) fn decoded(self) -> Result<Bytes, Error> {
        match self.coding {
            None => Ok(self.bytes),
            Some(coding) => expanded(coding, &self.bytes, self.limit_bytes).map(Bytes::from),
        }
    }
}

fn coding(headers: &HeaderMap) -> Result<Option<Coding>, Error> {
    let Some(given) = headers.get(header::CONTENT_ENCODING) else { return Ok(None) };
    let given = String::from_utf8_lossy(given.as_bytes()).trim().to_ascii_lowercase();
    match given.as_str() {
        "" | "identity" => Ok(None),
        "gzip" | "x-gzip" => Ok(Some(Coding::Gzip)),
        "deflate" => Ok(Some(Coding::Deflate)),
        _ => Err(Error::ContentEncoding { received: given }),
    }
}

fn expanded(coding: Coding, received: &[u8], limit_bytes: usize) -> Result<Vec<u8>, Error> {
    // One byte more than there may be tells whether there is.
    let most = u64::try_from(limit_bytes).unwrap_or(u64::MAX).saturating_add(1);
    let mut body = Vec::new();
    let read = match coding {
        Coding::Gzip => MultiGzDecoder::new(received).take(most).read_to_end(&mut body),
        Coding::Deflate => ZlibDecoder::new(received).take(most).read_to_end(&mut body),
    };
    if body.len() > limit_bytes {
        return Err(Error::BodyTooLarge { limit_bytes });
    }
    match read {
        Ok(_) => Ok(body),
        Err(_) => Err(Error::invalid("/body", "The body is not compressed as its Content-Encoding says.")),
    }
}
