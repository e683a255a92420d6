//! Headers of every answer for browsers and intermediaries.

use poem::{
    Endpoint, Request, Response,
    http::{HeaderValue, header, uri::Scheme},
};

/// `Cache-Control` of answers that programs poll: one reader keeps them, and asks each time whether they are current.
/// Proxies do not share them, and a client that sends the tag back itself, as SDKs do, never notices.
pub const ASKED_AGAIN: &str = "private, no-cache";

/// `Cache-Control` of all other answers. It was made for one caller, and what a browser kept would outlive the
/// sign-out.
const KEPT_NOWHERE: &str = "private, no-store";

/// `Strict-Transport-Security` where the server speaks TLS itself: half a year without asking in the clear.
const WITH_TLS_ALONE: &str = "max-age=15552000";

/// Adds what no answer may lack.
pub(super) struct Guarded<E> {
    answering: E,
    /// Whether browsers may be bound to come with TLS alone.
    is_strict: bool,
}

impl<E> Guarded<E> {
    /// The answers of a server with this public address.
    pub(super) fn new(answering: E, base_url: &str) -> Self {
        // What is said of a name holds for all of its ports, and of this machine's name for other programs there.
        let is_name = |host: url::Host<&str>| matches!(host, url::Host::Domain(name) if !name.ends_with("localhost"));
        let url = url::Url::parse(base_url).ok().filter(|url| url.scheme() == "https");
        Self { answering, is_strict: url.is_some_and(|url| url.host().is_some_and(is_name)) }
    }
}

impl<E: Endpoint<Output = Response>> Endpoint for Guarded<E> {
    type Output = Response;

    async fn call(&self, request: Request) -> poem::Result<Response> {
        // A proxy that speaks TLS for the server says what it wants said.
        let is_strict = self.is_strict && *request.scheme() == Scheme::HTTPS;
        let mut response = self.answering.call(request).await?;
        let headers = response.headers_mut();
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static(KEPT_NOWHERE));
        if is_strict {
            headers.insert(header::STRICT_TRANSPORT_SECURITY, HeaderValue::from_static(WITH_TLS_ALONE));
        }
        Ok(response)
    }
}
