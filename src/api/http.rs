//! Layers around every operation: tidy paths, one form for every refusal, conditional answers, headers for browsers,
//! and a line in the log.

mod access_log;
mod attached;
mod below;
mod conditional;
mod cors;
mod declared;
mod encoding;
mod guard;
mod keyed;
mod path;
mod pieces;
mod refusal;
mod stream_writer;

use std::{sync::Arc, time::Instant};

use poem::{
    Endpoint, EndpointExt, IntoEndpoint, IntoResponse, Request, Response,
    error::MethodNotAllowedError,
    http::{HeaderValue, Method, header},
    middleware::CatchPanic,
};
use poem_openapi::OperationId;

use self::access_log::{TraceId, UNMATCHED};
pub use self::{
    access_log::{Asker, access_logged},
    attached::Attached,
    below::set_path,
    conditional::is_known,
    declared::creates,
    encoding::AcceptsGzip,
    guard::ASKED_AGAIN,
    keyed::LONGEST_KEY,
    pieces::in_pieces,
    stream_writer::{Gone, InPieces, StreamWriter, written},
};
use crate::{
    api::{
        client_address, document,
        programs::ofrep,
        scim,
        sign_in::{options, page},
    },
    error::Error,
    spans::{RequestSpan, parent::TRACEPARENT},
    state::{Serving, State},
    telemetry::UNKNOWN_METHOD,
};

/// Wraps the routes of a server in everything that all requests share. It never fails: every error becomes an answer.
pub fn around<R>(routes: R, state: State) -> impl Endpoint<Output = Response>
where
    R: IntoEndpoint,
    R::Endpoint: 'static,
{
    let serving = state.serving.clone();
    wrapped(routes.into_endpoint().data(state.clone()), serving, Some(state))
}

/// The endpoint below this prefix as well as at the root.
pub fn below<E: Endpoint<Output = Response>>(prefix: String, inside: E) -> impl Endpoint<Output = Response> {
    below::Below { inside, prefix }
}

/// Wraps routes for programs alone, where no users sign in.
pub fn around_programs<R>(routes: R, serving: Serving) -> impl Endpoint<Output = Response>
where
    R: IntoEndpoint,
    R::Endpoint: 'static,
{
    wrapped(routes.into_endpoint(), serving, None)
}

fn wrapped<R>(routes: R, serving: Serving, state: Option<State>) -> impl Endpoint<Output = Response>
where
    R: Endpoint + 'static,
{
    let panics = CatchPanic::new().with_handler(|panic: Box<dyn std::any::Any + Send>| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        Error::internal(format!("panic: {}", text.unwrap_or_default())).into_response()
    });
    let routes = routes.data(serving.clone()).with(panics);
    let base_url = serving.config.base_url.clone();
    guard::Guarded::new(encoding::Encoding(Answering { routes: Arc::new(routes), serving, state }), &base_url)
}

/// Paths at which a GET uses something up or ends something: links and messages that browsers bring once.
const ACTING: [&str; 5] = [
    "/auth/link",
    "/auth/oidc/callback",
    "/auth/saml/callback",
    "/auth/oidc/frontchannel-logout",
    "/auth/saml/logout/done",
];

/// Whether a GET of a path uses something up; messages of login providers come to an own path per provider too.
fn acts(path: &str) -> bool {
    let of_provider = path.strip_prefix("/auth/providers/").and_then(|rest| rest.split_once('/'));
    ACTING.contains(&path) || matches!(of_provider, Some((_, "callback" | "acs" | "logout/done")))
}

/// Label of a method in traces, which do not repeat arbitrary text of callers.
fn known_method(method: &Method) -> &'static str {
    ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]
        .into_iter()
        .find(|known| method.as_str() == *known)
        .unwrap_or(UNKNOWN_METHOD)
}

/// Routes whose every outcome is an answer in our form.
struct Answering<E> {
    routes: Arc<E>,
    serving: Serving,
    /// State of a server, for routes with users.
    state: Option<State>,
}

impl<E: Endpoint + 'static> Endpoint for Answering<E> {
    type Output = Response;

    async fn call(&self, mut request: Request) -> poem::Result<Response> {
        let started = Instant::now();
        let method = request.method().clone();
        let sharing = cors::Sharing::of(&self.serving, &request).await;
        if let Some(answer) = sharing.as_ref().and_then(|sharing| sharing.preflight(&request)) {
            return Ok(answer);
        }
        // The head of an answer is that of its GET, entity tag included; the connection leaves the body out. A HEAD
        // never does what a GET does once, such as completing a sign-in.
        let is_only_looked_at = method == Method::HEAD && acts(request.uri().path());
        if method == Method::HEAD {
            request.set_method(Method::GET);
        }
        let wants_page = page::is_wanted(&request);
        let scim = scim::refusal::label_of(&request);
        let validators = conditional::Validators::of(&request);
        let uri = request.uri().clone();
        let path = uri.path();
        let span = self.span(&request, &method);
        let outcome = match &span {
            _ if is_only_looked_at => Err(MethodNotAllowedError.into()),
            Some(span) => span.within(self.routed(request)).await,
            None => self.routed(request).await,
        };
        let (response, operation) = match outcome {
            Ok(response) => {
                let operation = response.data::<OperationId>().copied();
                (response, operation)
            }
            Err(error) => {
                let operation = error.data::<OperationId>().copied();
                let error = refusal::from_poem(error, path);
                if let (Error::DiskFull(_), Some(state)) = (&error, &self.state) {
                    state.disk.note_full(state.clock.now());
                }
                let refused = match scim {
                    Some(label) => scim::refusal::answer(error, label),
                    None => self.refused(error, path, wants_page).await,
                };
                (refused, operation)
            }
        };
        // What the framework refuses before the operation, such as an address that is no UTF-8, is of the operation, too.
        let declaring = operation.map(|operation| operation.0);
        let declaring =
            declaring.or_else(|| self.state.as_ref().and_then(|_| document::operation_at(method.as_str(), path)));
        let response = match declaring {
            Some(operation) => declared::declare(response, operation, &uri, self.serving.config.base_path()).await,
            None => response,
        };
        let mut response = validators.apply(response).await;
        page::declare(path, response.headers_mut());
        response.headers_mut().append(header::VARY, HeaderValue::from_static("Accept-Encoding"));
        if let Some(sharing) = sharing {
            sharing.declare(response.headers_mut());
        }
        let elapsed = started.elapsed();
        if let Some(operation) = operation {
            response.set_data(operation);
        }
        let (operation, status) = (operation.map(|operation| operation.0), response.status());
        if let Some(span) = span.filter(RequestSpan::is_told) {
            response.set_data(TraceId(span.trace_id()));
            span.answered(operation.and_then(document::place_of), document::shown_path(path), status.as_u16());
        }
        self.serving.requests.answered(operation, document::place_of, status.as_u16(), elapsed);
        // Not the path: some hold secrets.
        let (operation, elapsed_ms) = (operation.unwrap_or(UNMATCHED), elapsed.as_millis());
        tracing::debug!(%method, operation, status = status.as_u16(), elapsed_ms, "request answered");
        Ok(response)
    }
}

impl<E: Endpoint + 'static> Answering<E> {
    async fn routed(&self, request: Request) -> poem::Result<Response> {
        match self.state.as_ref().zip(keyed::operation_of(&request)) {
            Some((state, operation)) => keyed::answer(Arc::clone(&self.routes), state, operation, request).await,
            None => self.routes.call(request).await.map(IntoResponse::into_response),
        }
    }

    fn span(&self, request: &Request, method: &Method) -> Option<RequestSpan> {
        let config = &self.serving.config;
        let mut given = request.headers().get_all(TRACEPARENT).iter();
        let parent = given.next().and_then(|value| value.to_str().ok()).filter(|_| given.next().is_none());
        config.traces.request(known_method(method), parent, || {
            let caller = client_address::before(request, &config.trusted_proxies);
            caller.is_some_and(|caller| config.trace_trusted_callers.include(caller))
        })
    }

    async fn refused(&self, error: Error, path: &str, wants_page: bool) -> Response {
        let Some(state) = &self.state else { return ofrep::refusal::answer(error, path) };
        let error = options::told(state, error).await;
        if wants_page { page::refusal(state, path, error).await } else { ofrep::refusal::answer(error, path) }
    }
}
