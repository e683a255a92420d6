//! Files of pages, which the binary holds compressed. The pages themselves are in other modules.

use std::io::Read as _;

use bytes::Bytes;
use flate2::read::GzDecoder;
use poem::{
    IntoResponse, Response,
    http::{HeaderMap, StatusCode, header},
};

use crate::{
    api::http::{AcceptsGzip, is_known},
    domain::version::entity_tag,
    error::Error,
};

/// The files by folder and name, compressed with gzip; the build script writes them down.
static FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/pages.rs"));

/// A folder of files that make up a page.
pub struct Page {
    /// Its name among those that the build script packs.
    pub folder: &'static str,
    /// Content security policy of the page.
    pub policy: &'static str,
    /// Referrer policy of the page.
    pub referrers: &'static str,
}

/// Time for which readers keep a file without asking.
#[derive(Clone, Copy)]
pub enum Kept {
    /// Browsers ask each time whether it is still current.
    WhileCurrent,
    /// Its name holds the hash of its content, so it never changes.
    ForAYear,
    /// Not at all.
    Never,
}

impl Kept {
    const fn as_header(self) -> &'static str {
        match self {
            Self::WhileCurrent => "no-cache",
            Self::ForAYear => "public, max-age=31536000, immutable",
            Self::Never => "no-store",
        }
    }
}

impl Page {
    /// The answer that holds the file of that name.
    pub fn file(&self, name: &str, kept: Kept, headers: &HeaderMap, gzip: AcceptsGzip) -> Result<Response, Error> {
        let (content_type, file) = self.find(name).ok_or_else(|| Error::not_found("page", name))?;
        let answer = answer(content_type, Bytes::from_static(file), kept, headers, gzip);
        Ok(if is_document(content_type) { self.guarded(answer) } else { answer })
    }

    /// The text of a file.
    pub fn text(&self, name: &str) -> Option<String> {
        self.find(name).and_then(|(_, file)| String::from_utf8(expanded(file)).ok())
    }

    /// The answer with what browsers must know of the page.
    pub fn guarded(&self, answer: Response) -> Response {
        answer
            .with_header(header::CONTENT_SECURITY_POLICY, self.policy)
            .with_header(header::REFERRER_POLICY, self.referrers)
            .into_response()
    }

    fn find(&self, name: &str) -> Option<(&'static str, &'static [u8])> {
        let content_type = content_type(name)?;
        let is_meant = |path: &str| path.split_once('/') == Some((self.folder, name));
        let (_, file) = FILES.iter().find(|(path, _)| is_meant(path))?;
        Some((content_type, file))
    }
}

fn content_type(name: &str) -> Option<&'static str> {
    match name.rsplit_once('.')?.1 {
        "html" => Some("text/html; charset=utf-8"),
        "css" => Some("text/css; charset=utf-8"),
        "js" => Some("text/javascript; charset=utf-8"),
        "md" => Some("text/plain; charset=utf-8"),
        "png" => Some("image/png"),
        "svg" => Some("image/svg+xml"),
        _ => None,
    }
}

/// Whether browsers show a file of this type by itself, and apply its policies: what a page loads is under the page's.
fn is_document(content_type: &str) -> bool {
    content_type.starts_with("text/html") || content_type == "image/svg+xml"
}

/// Answers with a file, compressed if its reader accepts that.
pub fn answer(content_type: &str, content: Bytes, kept: Kept, headers: &HeaderMap, gzip: AcceptsGzip) -> Response {
    let tag = entity_tag(None, [&*content]);
    let response = Response::builder().header(header::ETAG, &tag).header(header::CACHE_CONTROL, kept.as_header());
    if is_known(headers, &tag) {
        return response.status(StatusCode::NOT_MODIFIED).finish();
    }
    let response = response.content_type(content_type);
    match gzip {
        AcceptsGzip(true) => response.header(header::CONTENT_ENCODING, "gzip").body(content),
        AcceptsGzip(false) => response.body(expanded(&content)),
    }
}

fn expanded(content: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(content.len() * 4);
    GzDecoder::new(content).read_to_end(&mut plain).expect("what was compressed here can be expanded");
    plain
}
