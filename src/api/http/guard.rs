//! What every answer says to browsers and to what lies between, whoever made it.

use poem::{
    Endpoint, Request, Response,
    http::{HeaderValue, header},
};

/// For answers that programs poll: one reader keeps them, and asks each time whether they are current. Proxies do not
/// share them, and a client that sends the tag back itself, as SDKs do, never notices.
pub const ASKED_AGAIN: &str = "private, no-cache";

/// For everything that does not say otherwise. It was made for one caller, and what a browser kept would outlive the
/// sign-out.
const KEPT_NOWHERE: &str = "private, no-store";

/// Adds what no answer may lack.
pub(super) struct Guarded<E>(pub(super) E);

impl<E: Endpoint<Output = Response>> Endpoint for Guarded<E> {
    type Output = Response;

    async fn call(&self, request: Request) -> poem::Result<Response> {
        let mut response = self.0.call(request).await?;
        let headers = response.headers_mut();
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static(KEPT_NOWHERE));
        Ok(response)
    }
}
