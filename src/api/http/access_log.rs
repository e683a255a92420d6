//! The access log: a line for a refused request, by which its id is found, and one for each request where that is
//! wanted.

use std::{
    net::IpAddr,
    sync::{Arc, OnceLock},
    time::Instant,
};

use poem::{
    Endpoint, Request, Response,
    http::{HeaderValue, Method, header},
};
use poem_openapi::OperationId;
use tracing::Level;

use crate::{
    api::{client_address, document},
    clock,
    config::TrustedProxies,
    error::Refusal,
    server::{Sent, WhenSent},
    telemetry::{self, ACCESS_LOG, LogDecision},
};

/// Header with the id that callers and the proxies before them give a request.
const REQUEST_ID: &str = "x-request-id";
/// Most characters of that.
const LONGEST_ID: usize = 128;
/// Name in the log of a request that is for no operation.
pub(super) const UNMATCHED: &str = "unmatched";

/// Notes of operations about a request, once they are known.
#[derive(Debug, Clone, Default)]
pub struct Asker(Arc<Notes>);

#[derive(Debug, Default)]
struct Notes {
    /// Label of the caller.
    caller: OnceLock<String>,
    /// Parts of it that were left out.
    left_out: OnceLock<String>,
}

impl Asker {
    /// Notes the caller of a request, where the log wants it: words that are no secret.
    pub fn note(request: &Request, words: impl FnOnce() -> String) {
        if let Some(Self(notes)) = request.data::<Self>() {
            notes.caller.get_or_init(words);
        }
    }

    /// Notes what of a report was left out: words that are no secret.
    pub fn note_left_out(request: &Request, words: String) {
        if let Some(Self(notes)) = request.data::<Self>() {
            notes.left_out.get_or_init(|| words);
        }
    }
}

/// An endpoint whose answers are logged.
pub struct AccessLogged<E> {
    inside: E,
    proxies: TrustedProxies,
    /// The path below which everything is, without slashes at its ends.
    base_path: String,
}

/// Wraps an endpoint so that its answers are logged: behind these proxies, below this path, which has no slashes at its
/// ends.
pub fn access_logged<E: Endpoint<Output = Response>>(
    inside: E,
    proxies: TrustedProxies,
    base_path: &str,
) -> AccessLogged<E> {
    AccessLogged { inside, proxies, base_path: base_path.to_owned() }
}

/// Data of a request before it is answered.
struct Line {
    began: Instant,
    method: String,
    /// Whether the answer goes without its body.
    has_no_body: bool,
    path: String,
    request_id: String,
    address: Option<IpAddr>,
    asker: Asker,
}

impl<E: Endpoint<Output = Response>> Endpoint for AccessLogged<E> {
    type Output = Response;

    async fn call(&self, mut request: Request) -> poem::Result<Response> {
        let given = given_id(&request);
        let line = tracing::enabled!(target: ACCESS_LOG, Level::INFO).then(|| {
            let line = self.begin(&request, given.as_ref());
            request.set_data(line.asker.clone());
            line
        });
        let (method, uri) = (request.method().clone(), request.uri().clone());
        let mut response = self.inside.call(request).await?;
        let operation = response.data::<OperationId>().map_or(UNMATCHED, |operation| operation.0);
        let refusal = response.data::<Refusal>().copied();
        if let Some(refusal) = refusal {
            let ids = (given.as_ref().and_then(text), response.data::<TraceId>());
            tell(refusal, method.as_str(), operation, || self.shown(uri.path()), ids);
        }
        if let Some(id) = given {
            response.headers_mut().insert(REQUEST_ID, id);
        }
        if let Some(line) = line {
            let trace = response.data::<TraceId>().cloned();
            let status = response.status().as_u16();
            let error = refusal.map(|refusal| refusal.id);
            let length =
                response.headers().get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
            response.set_data(WhenSent::new(move |sent: Sent| {
                let is_whole =
                    sent.is_whole || line.has_no_body || length.is_some_and(|length: u64| sent.bytes >= length);
                line.end(status, Sent { is_whole, ..sent }, operation, error, trace.as_ref());
            }));
        }
        Ok(response)
    }
}

/// Id of a request's trace, in the extensions of its answer.
#[derive(Debug, Clone)]
pub(super) struct TraceId(pub String);

/// Returns the id that the caller gave the request, or `None` if it is not fit to be repeated.
fn given_id(request: &Request) -> Option<HeaderValue> {
    let is_sign = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.:=+/@".contains(byte);
    let given = request.headers().get(REQUEST_ID)?;
    ((1..=LONGEST_ID).contains(&given.len()) && given.as_bytes().iter().all(is_sign)).then(|| given.clone())
}

fn text(header: &HeaderValue) -> Option<&str> {
    header.to_str().ok()
}

impl<E> AccessLogged<E> {
    fn begin(&self, request: &Request, given: Option<&HeaderValue>) -> Line {
        Line {
            began: Instant::now(),
            method: request.method().as_str().chars().take(LONGEST_ID).collect(),
            has_no_body: request.method() == Method::HEAD,
            path: self.shown(request.uri().path()),
            request_id: given.and_then(text).map_or_else(|| clock::new_uuid().to_string(), str::to_owned),
            address: client_address::before(request, &self.proxies),
            asker: Asker::default(),
        }
    }

    fn shown(&self, path: &str) -> String {
        let below = path.strip_prefix('/').and_then(|path| path.strip_prefix(&*self.base_path));
        match below.filter(|rest| !self.base_path.is_empty() && rest.starts_with('/')) {
            Some(rest) => format!("/{}{}", self.base_path, document::shown_path(rest)),
            None => document::shown_path(path),
        }
    }
}

/// A line by which the id of a refusal is found.
fn tell(
    refusal: Refusal,
    method: &str,
    operation: &str,
    path: impl FnOnce() -> String,
    (request_id, trace): (Option<&str>, Option<&TraceId>),
) {
    let Refusal { id, status, name } = refusal;
    let trace_id = trace.map(|TraceId(id)| id.as_str());
    match telemetry::tell_refusal(name) {
        LogDecision::Usual(left_out) => {
            let (path, left_out) = (path(), (left_out > 0).then_some(left_out));
            tracing::info!(
                error_id = %id, status, name, method, operation, path, request_id, trace_id, left_out, "request refused"
            );
        }
        LogDecision::Fine => {
            tracing::debug!(error_id = %id, status, name, method, operation, request_id, trace_id, "request refused");
        }
    }
}

impl Line {
    fn end(&self, status: u16, sent: Sent, operation: &str, error: Option<uuid::Uuid>, trace: Option<&TraceId>) {
        let Self { began, method, path, request_id, address, asker, .. } = self;
        tracing::info!(
            target: ACCESS_LOG,
            method,
            path,
            status,
            bytes = sent.bytes,
            whole = sent.is_whole,
            took_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
            operation,
            request_id,
            address = address.map(tracing::field::display),
            caller = asker.0.caller.get(),
            left_out = asker.0.left_out.get(),
            error_id = error.map(tracing::field::display),
            trace_id = trace.map(|TraceId(id)| id.as_str()),
            "request"
        );
    }
}
