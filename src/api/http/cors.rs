//! Scripts of pages of other origins: which of them may ask what is on for their users.

use poem::{
    Request, Response,
    http::{HeaderMap, HeaderValue, Method, StatusCode, header},
};

use crate::{api::preference, state::Serving};

/// Prefixes of paths that scripts of other origins may call. Sessions do not count there.
const SHARED: [&str; 2] = ["/api/frontend", "/ofrep/"];
/// Methods that such scripts may use.
const METHODS: &str = "GET, POST";
/// Headers of the answer that such scripts may read.
const EXPOSED: &str = "ETag";
/// Seconds for which a browser may remember that it may ask.
const REMEMBERED_SECONDS: &str = "86400";

/// Whether the page that a request comes from may read the answer.
pub(super) struct Sharing {
    /// Origin that may read the answer, as its header has it.
    allowed: Option<HeaderValue>,
}

impl Sharing {
    /// `None` where no script of another origin has any business.
    pub(super) async fn of(serving: &Serving, request: &Request) -> Option<Self> {
        if !SHARED.iter().any(|prefix| request.uri().path().starts_with(prefix)) {
            return None;
        }
        let allowed = match request.headers().get(header::ORIGIN) {
            Some(origin) => allowed(serving, origin).await,
            None => None,
        };
        Some(Self { allowed })
    }

    /// The answer to a browser that asks whether it may ask.
    pub(super) fn preflight(&self, request: &Request) -> Option<Response> {
        let headers = request.headers();
        let asks = *request.method() == Method::OPTIONS
            && headers.contains_key(header::ORIGIN)
            && headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
        if !asks {
            return None;
        }
        let mut response = Response::builder().status(StatusCode::NO_CONTENT).finish();
        let answer = response.headers_mut();
        if self.allowed.is_some() {
            answer.insert(header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static(METHODS));
            answer.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static(REMEMBERED_SECONDS));
            // Any header: programs name those that carry the token and themselves as they like.
            if let Some(wanted) = headers.get(header::ACCESS_CONTROL_REQUEST_HEADERS) {
                answer.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, wanted.clone());
            }
        }
        answer.append(header::VARY, HeaderValue::from_static("Access-Control-Request-Headers"));
        self.declare(answer);
        Some(response)
    }

    /// Sets the headers that say who may read an answer.
    pub(super) fn declare(&self, headers: &mut HeaderMap) {
        headers.append(header::VARY, HeaderValue::from_static("Origin"));
        if let Some(allowed) = &self.allowed {
            headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, allowed.clone());
            headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED));
        }
    }
}

async fn allowed(serving: &Serving, origin: &HeaderValue) -> Option<HeaderValue> {
    let settings = match preference::frontend(serving).await {
        Ok(settings) => settings,
        Err(error) => {
            tracing::warn!(%error, "cannot tell which pages may ask; none may");
            return None;
        }
    };
    let listed = |text: &str| settings.frontend_api_origins.iter().any(|origin| origin == text);
    if listed("*") {
        return Some(HeaderValue::from_static("*"));
    }
    origin.to_str().is_ok_and(listed).then(|| origin.clone())
}
