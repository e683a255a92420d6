//! The server before an edge: what is asked of it, and what came of the question.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use flagstone_chance as chance;
use flagstone_domain::{client_feature::SPECIFICATION, opaque_debug, secret::TokenKind, token::Reach};
use flagstone_outbound::{Answer, Failure, Opened, Outbound, Request};
use flagstone_telemetry::Traces;
use opentelemetry::trace::SpanKind;
use serde::{Deserialize, Serialize};

use super::status::timing;

/// Most bytes of an answer with all features.
const FEATURES_LIMIT: usize = 64 << 20;
/// Most bytes of another answer.
const ANSWER_LIMIT: usize = 1 << 20;
/// Lifetime of a stream before it is opened again: a connection that died unnoticed ends then.
const STREAM_LASTS: Duration = Duration::from_mins(10);
/// Answers of each kind whose times are kept.
const MEASURED: usize = 256;
/// Tokens that one question may be about.
pub(super) const TOKENS_AT_ONCE: usize = 50;

/// Reason why the upstream gave nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UpstreamError {
    /// The upstream does not accept the token.
    Refused,
    /// The upstream does not know the address.
    Missing,
    /// The request is too large, or not in the form that it takes.
    Unfit,
    /// The upstream asks to wait.
    Later(Duration),
    /// The upstream does not answer, or its answer cannot be read. In words.
    Away(String),
}

impl std::fmt::Display for UpstreamError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Refused => f.write_str("the upstream does not accept the token"),
            Self::Missing => f.write_str("the upstream does not know the address"),
            Self::Unfit => f.write_str("the upstream does not take what it was sent"),
            Self::Later(wait) => write!(f, "the upstream asks to wait {} seconds", wait.as_secs()),
            Self::Away(reason) => f.write_str(reason),
        }
    }
}

impl From<Failure> for UpstreamError {
    fn from(failure: Failure) -> Self {
        Self::Away(failure.to_string())
    }
}

/// An answer that may be known already.
#[derive(Debug)]
pub(super) enum Fetched {
    /// The tag is still current.
    Same,
    /// Its entity tag, and its body.
    Whole(Option<String>, Vec<u8>),
}

/// Times that the last answers of each kind took.
#[derive(Debug, Default)]
struct Latencies {
    features: Mutex<VecDeque<Duration>>,
    metrics: Mutex<VecDeque<Duration>>,
    edge: Mutex<VecDeque<Duration>>,
}

impl Latencies {
    fn note(kind: &Mutex<VecDeque<Duration>>, took: Duration) {
        let mut last = kind.lock().unwrap_or_else(PoisonError::into_inner);
        if last.len() >= MEASURED {
            last.pop_front();
        }
        last.push_back(took);
    }
}

fn figures(kind: &Mutex<VecDeque<Duration>>) -> serde_json::Value {
    let mut last: Vec<Duration> = kind.lock().unwrap_or_else(PoisonError::into_inner).iter().copied().collect();
    last.sort_unstable();
    let p99 = last.get((last.len() * 99).div_ceil(100).saturating_sub(1)).copied().unwrap_or_default();
    timing(last.len() as u64, last.iter().sum(), p99)
}

/// The server before the edge. Cheap to clone.
#[derive(Clone)]
pub struct Upstream {
    outbound: Outbound,
    base: String,
    token_header: String,
    headers: Vec<(String, String)>,
    latencies: Arc<Latencies>,
    traces: Traces,
}

// Headers may be secrets.
opaque_debug!(Upstream { base, .. });

#[derive(Serialize)]
struct Question<'a> {
    tokens: &'a [String],
}

#[derive(Deserialize)]
struct Verdicts {
    tokens: Vec<Verdict>,
}

/// Judgement of the upstream on a token. Some say no environment, which the token then says itself.
#[derive(Deserialize)]
struct Verdict {
    token: String,
    #[serde(rename = "type", default)]
    kind: Option<String>,
    #[serde(default)]
    projects: Vec<String>,
    #[serde(default)]
    environment: Option<String>,
}

impl Upstream {
    /// The server at this address, asked with the token in this header and with these further headers.
    pub fn new(outbound: Outbound, base: &str, token_header: String, headers: Vec<(String, String)>) -> Self {
        let base = base.trim_end_matches('/');
        let base = base.strip_suffix("/api").unwrap_or(base).to_owned();
        Self { outbound, base, token_header, headers, latencies: Arc::default(), traces: Traces::default() }
    }

    /// Returns this upstream with tracing, where each request of the background is a trace of its own.
    #[must_use]
    pub fn traced(self, traces: Traces) -> Self {
        Self { traces, ..self }
    }

    async fn send(&self, work: &'static str, request: Request) -> Result<Answer, Failure> {
        self.traces.work(work, SpanKind::Internal, [], self.outbound.send(request)).await
    }

    /// Figures of the times that the last answers took.
    pub(super) fn latencies(&self) -> serde_json::Value {
        let Latencies { features, metrics, edge } = &*self.latencies;
        serde_json::json!({ "features": figures(features), "metrics": figures(metrics), "edge": figures(edge) })
    }

    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    fn dressed(&self, request: Request, token: Option<&str>) -> Request {
        let request =
            self.headers.iter().fold(request, |request, (name, value)| request.header(name.clone(), value.clone()));
        match token {
            Some(token) => request.header(self.token_header.clone(), token.to_owned()),
            None => request,
        }
    }

    /// Requests a path with a token, unless it still has the tag.
    pub(super) async fn fetch(&self, path: &str, token: &str, tag: Option<&str>) -> Result<Fetched, UpstreamError> {
        let request = Request::get(&self.url(path), FEATURES_LIMIT)
            .header("Unleash-Client-Spec", SPECIFICATION.to_owned())
            .header("Accept", "application/json".to_owned());
        let mut request = self.dressed(request, Some(token));
        if let Some(tag) = tag {
            request = request.header("If-None-Match", tag.to_owned());
        }
        let began = Instant::now();
        let answer = self.send("edge fetch", request).await?;
        Latencies::note(&self.latencies.features, began.elapsed());
        match answer.status {
            304 if tag.is_some() => Ok(Fetched::Same),
            200 => {
                check_json(answer.content_type.as_deref())?;
                Ok(Fetched::Whole(answer.etag, answer.body))
            }
            status => Err(of_status(status, answer.retry_after.as_deref())),
        }
    }

    /// The changes for a token as they happen, after those that it knows.
    pub(super) async fn follow(&self, token: &str, known: Option<i64>) -> Result<Opened, UpstreamError> {
        let request = Request::get(&self.url("/api/client/streaming"), 0)
            .header("Unleash-Client-Spec", SPECIFICATION.to_owned())
            .header("Accept", "text/event-stream".to_owned());
        let mut request = self.dressed(request, Some(token));
        if let Some(known) = known {
            request = request.header("Last-Event-ID", known.to_string());
        }
        let lasts = chance::about(STREAM_LASTS);
        let opening = self.outbound.open(request, lasts, FEATURES_LIMIT);
        let opened = self.traces.work("edge follow", SpanKind::Internal, [], opening).await?;
        if opened.status != 200 {
            return Err(of_status(opened.status, opened.retry_after.as_deref()));
        }
        let is_stream = opened.content_type.as_deref().is_some_and(|kind| kind.starts_with("text/event-stream"));
        // A page for people, or a list, where a stream was asked for: there is none.
        if is_stream { Ok(opened) } else { Err(UpstreamError::Missing) }
    }

    /// Asks which of these tokens serve; returns their reach, by their place in the list.
    pub(super) async fn validate(&self, tokens: &[String]) -> Result<Vec<Option<Reach>>, UpstreamError> {
        let body = serde_json::to_vec(&Question { tokens }).expect("texts serialise");
        let answer = self.post("/edge/validate", None, body).await?;
        let verdicts: Verdicts = serde_json::from_slice(&answer.body).map_err(|_| {
            UpstreamError::Away("the upstream answered a question about tokens with something else".to_owned())
        })?;
        Ok(tokens
            .iter()
            .map(|token| verdicts.tokens.iter().find(|said| said.token == *token).and_then(reach))
            .collect())
    }

    /// Sends JSON to a path. Any status of success will do.
    pub(super) async fn post(&self, path: &str, token: Option<&str>, body: Vec<u8>) -> Result<Answer, UpstreamError> {
        let request = Request::post(&self.url(path), "application/json", body, ANSWER_LIMIT);
        self.send_report(path, self.dressed(request, token)).await
    }

    /// Sends a report with an id, by which an upstream recognises what it has taken already.
    pub(super) async fn report(
        &self,
        path: &str,
        token: &str,
        id: &str,
        body: Vec<u8>,
    ) -> Result<Answer, UpstreamError> {
        let request = Request::post(&self.url(path), "application/json", body, ANSWER_LIMIT);
        let request = self.dressed(request, Some(token)).header("Idempotency-Key", id.to_owned());
        self.send_report(path, request).await
    }

    async fn send_report(&self, path: &str, request: Request) -> Result<Answer, UpstreamError> {
        let began = Instant::now();
        let answer = self.send("edge report", request).await?;
        let kind = if path.ends_with("/edge") { &self.latencies.edge } else { &self.latencies.metrics };
        Latencies::note(kind, began.elapsed());
        match answer.status {
            200..=299 => Ok(answer),
            400 | 413 | 415 | 422 => Err(UpstreamError::Unfit),
            status => Err(of_status(status, answer.retry_after.as_deref())),
        }
    }
}

fn reach(said: &Verdict) -> Option<Reach> {
    let scope = flagstone_domain::secret::TokenScope::parse(&said.token);
    let environment = said.environment.clone().or_else(|| scope.map(|scope| scope.environment))?;
    // The oldest servers say nothing of the kind, and know client tokens alone.
    let kind = said.kind.as_deref().map_or(Some(TokenKind::Client), TokenKind::parse)?;
    let mut projects = said.projects.clone();
    projects.sort();
    projects.dedup();
    Some(Reach { kind, projects, environment })
}

fn check_json(content_type: Option<&str>) -> Result<(), UpstreamError> {
    match content_type {
        Some(kind) if !kind.contains("json") => {
            let kind: String = kind.chars().take(100).collect();
            Err(UpstreamError::Away(format!("the upstream answered with {kind} instead of JSON")))
        }
        _ => Ok(()),
    }
}

fn of_status(status: u16, retry_after: Option<&str>) -> UpstreamError {
    let wait = retry_after.and_then(|text| text.trim().parse().ok()).map(Duration::from_secs);
    match (status, wait) {
        (401 | 403, _) => UpstreamError::Refused,
        (404 | 405 | 406 | 501, _) => UpstreamError::Missing,
        (429 | 503, Some(wait)) => UpstreamError::Later(wait.min(Duration::from_mins(10))),
        _ => UpstreamError::Away(format!("the upstream answered {status}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_of_a_token_is_completed_by_the_token() {
        let said = |json: serde_json::Value| serde_json::from_value::<Verdict>(json).ok().as_ref().and_then(reach);
        let old = said(serde_json::json!({ "token": "a:dev.x", "projects": ["a"] })).expect("serves");
        assert_eq!((old.kind, &*old.environment), (TokenKind::Client, "dev"));
        let new = serde_json::json!({ "token": "x", "type": "FRONTEND", "projects": ["b", "a"], "environment": "e" });
        let new = said(new).expect("serves");
        assert_eq!((new.kind, &*new.environment, new.projects.join("")), (TokenKind::Frontend, "e", "ab".to_owned()));
        assert_eq!(said(serde_json::json!({ "token": "x", "type": "client" })), None, "of no environment");
        assert_eq!(said(serde_json::json!({ "token": "a:b.c", "type": "backend2" })), None, "of an unknown kind");
    }

    #[test]
    fn statuses_say_what_to_do() {
        for (status, wait, expected) in [
            (401, None, UpstreamError::Refused),
            (404, None, UpstreamError::Missing),
            (503, Some("7"), UpstreamError::Later(Duration::from_secs(7))),
            (429, Some("99999999"), UpstreamError::Later(Duration::from_mins(10))),
            (503, Some("soon"), UpstreamError::Away("the upstream answered 503".to_owned())),
            (500, Some("1"), UpstreamError::Away("the upstream answered 500".to_owned())),
        ] {
            assert_eq!(of_status(status, wait), expected, "{status} {wait:?}");
        }
        assert!(check_json(Some("text/html")).is_err() && check_json(Some("application/json; x")).is_ok());
    }
}
