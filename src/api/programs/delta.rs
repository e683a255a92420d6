//! Changes since a program last asked: on demand, or as they happen.

use std::time::Duration;

use futures_util::stream;
use poem::{
    Body, IntoResponse, Request, Response,
    http::{HeaderMap, StatusCode, header},
    web::Data,
};
use poem_openapi::{Enum, Object, OpenApi, param::Query};
use serde::Serialize;
use tokio::sync::watch;

use crate::{
    api::{
        Tag,
        answer::{Fails, JSON_UTF8, QueryRefusals},
        http::ASKED_AGAIN,
        parameter::{NameParameter, ProjectIdsParameter, TextParameter},
        programs::caller::ClientCaller,
        response_meta::{ResponseMeta, api_response},
    },
    domain::client_feature::{ClientFeature, ClientFilter, ClientSegment},
    error::Error,
    sdk::{Delta, Full, Place},
    state::Serving,
};

/// Media type of an answer that streams events as they happen.
const EVENT_STREAM: &str = "text/event-stream";
/// Interval between heartbeats on a quiet connection: shorter than the idle timeouts of proxies.
const HEARTBEAT: Duration = Duration::from_secs(20);

/// The operations by which programs keep up with changes.
#[derive(Debug)]
pub struct ClientDeltaApi;

/// Data of an event.
#[derive(Debug, Clone, Copy, Enum, Serialize)]
#[oai(rename_all = "kebab-case")]
#[serde(rename_all = "kebab-case")]
pub enum DeltaEventKind {
    /// Everything: forget what was known before.
    Hydration,
    /// A feature is new or has changed.
    FeatureUpdated,
    /// A feature is gone, or the token does not reach it any more.
    FeatureRemoved,
    /// A segment is new or has changed.
    SegmentUpdated,
    /// A segment is gone.
    SegmentRemoved,
}

/// A change for a program to apply.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "ClientDeltaEvent", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct DeltaEventBody {
    /// Id of the newest event of the log when the change was detected. The ids in one answer need not increase.
    pub event_id: i64,
    /// Data of the event.
    #[serde(rename = "type")]
    #[oai(rename = "type")]
    pub kind: DeltaEventKind,
    /// The feature as it is now. With `feature-updated`.
    pub feature: Option<ClientFeature>,
    /// Name of the feature. With `feature-removed`.
    pub feature_name: Option<String>,
    /// Id of the project in which the feature was. With `feature-removed`.
    pub project: Option<String>,
    /// The segment as it is now. With `segment-updated`.
    pub segment: Option<ClientSegment>,
    /// Id of the segment. With `segment-removed`.
    pub segment_id: Option<i64>,
    /// Every feature. With `hydration`.
    pub features: Option<Vec<ClientFeature>>,
    /// Every segment that the features refer to. With `hydration`.
    pub segments: Option<Vec<ClientSegment>>,
}

/// Changes for a program to apply, in this order.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "ClientDelta")]
pub struct ClientDeltaBody {
    /// The events.
    pub events: Vec<DeltaEventBody>,
}

#[OpenApi(tag = "Tag::Applications")]
impl ClientDeltaApi {
    /// Get changes in the token's environment
    ///
    /// Without `If-None-Match` the answer has everything, in one event of type `hydration`. With the `ETag` of an
    /// earlier answer it has only the changes since, or is 304 when there are none; it has everything again when the
    /// server no longer has those changes. Features and segments are those of `/api/client/features`; strategies refer
    /// to segments by their ids. Needs a client token; an admin token reads the environment that it names.
    #[oai(path = "/api/client/delta", method = "get", operation_id = "getDelta")]
    async fn get_delta(
        &self,
        caller: ClientCaller,
        Data(state): Data<&Serving>,
        request: &Request,
        project: Query<Option<ProjectIdsParameter>>,
        #[oai(name = "namePrefix")] name_prefix: Query<Option<TextParameter>>,
        environment: Query<Option<NameParameter>>,
    ) -> Result<Changes, Fails<QueryRefusals>> {
        let asked = Asked::new(&caller, project.0, name_prefix.0, environment.0.as_ref());
        let known = revision_in(request.headers(), header::IF_NONE_MATCH.as_str());
        let delta = asked.since(state, known).await?;
        Ok(match (delta, known) {
            (Some(delta), _) => Changes { etag: delta.revision, json: Some(delta.json) },
            (None, known) => Changes { etag: known.unwrap_or_default(), json: None },
        })
    }

    /// Stream changes in the token's environment
    ///
    /// A stream of server-sent events that stays open. The first event, `unleash-connected`, has everything, or with
    /// `Last-Event-ID` the changes since; an `unleash-updated` follows for each change. The data of both is the body of
    /// `/api/client/delta`, their id its `ETag`. The stream ends when the token expires or the server stops; 503 when
    /// the server has reached its limit of open streams, or one token has so many of them that the rest is for others.
    /// Needs a client token; an admin token reads the environment
    /// that it names.
    #[oai(path = "/api/client/streaming", method = "get", operation_id = "getFeatureStream")]
    async fn get_feature_stream(
        &self,
        caller: ClientCaller,
        Data(state): Data<&Serving>,
        request: &Request,
        project: Query<Option<ProjectIdsParameter>>,
        #[oai(name = "namePrefix")] name_prefix: Query<Option<TextParameter>>,
        environment: Query<Option<NameParameter>>,
    ) -> Result<Feed, Fails<QueryRefusals>> {
        let place = state.streams.open(caller.token_id()).map_err(|full| Error::TooManyStreams {
            streams: state.streams.limit(),
            of_one_token: full == Full::Token,
        })?;
        let asked = Asked::new(&caller, project.0, name_prefix.0, environment.0.as_ref());
        let known = revision_in(request.headers(), "last-event-id");
        // Before the first look, so that nothing falls between that and the wait for more.
        let changes = state.source.watch_changes();
        let first = asked.since(state, known).await?;
        let follower = Follower {
            state: state.clone(),
            digest: caller.digest().to_owned(),
            asked,
            told: known,
            changes,
            stopping: state.stopping.subscribe(),
            _place: place,
        };
        Ok(follower.feed(first))
    }
}

/// The revision that a header names, as an entity tag or bare.
fn revision_in(headers: &HeaderMap, name: &str) -> Option<i64> {
    let value = headers.get(name)?.to_str().ok()?.trim();
    let value = value.strip_prefix("W/").unwrap_or(value).trim_matches('"');
    value.parse().ok().filter(|revision| *revision >= 0)
}

/// Environment and features that a program asks for.
struct Asked {
    environment: String,
    filter: ClientFilter,
}

impl Asked {
    fn new(
        caller: &ClientCaller,
        projects: Option<ProjectIdsParameter>,
        name_prefix: Option<TextParameter>,
        environment: Option<&NameParameter>,
    ) -> Self {
        let filter = ClientFilter {
            projects: caller.projects(&projects.map(|ids| ids.0).unwrap_or_default()),
            tags: Vec::new(),
            name_prefix: name_prefix.map(|prefix| prefix.0).filter(|prefix| !prefix.is_empty()),
        };
        Self { environment: caller.environment(environment.map(|name| name.0.as_str())), filter }
    }

    /// Returns the changes since a known revision; `None` when there are none.
    async fn since(&self, state: &Serving, known: Option<i64>) -> Result<Option<Delta>, Error> {
        let mut environment = state.source.environment(&self.environment).await?;
        if known.is_some_and(|known| environment.is_behind(known)) {
            // Another node answered with it; this one may not have noticed yet.
            state.source.look().await?;
            environment = state.source.environment(&self.environment).await?;
        }
        Ok(environment.delta(&self.filter, known))
    }
}

/// Changes, or 304 without any.
#[derive(Debug)]
pub struct Changes {
    etag: i64,
    json: Option<String>,
}

impl IntoResponse for Changes {
    fn into_response(self) -> Response {
        let etag = format!("\"{}\"", self.etag);
        let response = Response::builder().header(header::ETAG, etag).header(header::CACHE_CONTROL, ASKED_AGAIN);
        match self.json {
            None => response.status(StatusCode::NOT_MODIFIED).finish(),
            Some(json) => response.content_type(JSON_UTF8).body(json),
        }
    }
}

api_response!(
    Changes,
    ResponseMeta::new(200, "What changed.").json::<ClientDeltaBody>().answer_tag(),
    ResponseMeta::new(304, "Nothing did.").answer_tag(),
);

/// One program with an open stream.
struct Follower {
    state: Serving,
    digest: String,
    asked: Asked,
    told: Option<i64>,
    changes: watch::Receiver<u64>,
    stopping: watch::Receiver<bool>,
    _place: Place,
}

impl Follower {
    fn feed(mut self, first: Option<Delta>) -> Feed {
        let greeting = match first {
            Some(delta) => self.event("unleash-connected", &delta),
            // Known already: the connection is shown to stand.
            None => ":\n\n".to_owned(),
        };
        let rest =
            stream::unfold(
                self,
                |mut follower: Self| async move { follower.next().await.map(|text| (text, follower)) },
            );
        let texts = futures_util::StreamExt::chain(stream::iter([greeting]), rest);
        Feed(Body::from_bytes_stream(futures_util::StreamExt::map(texts, Ok::<_, std::io::Error>)))
    }

    fn event(&mut self, name: &str, delta: &Delta) -> String {
        self.told = Some(delta.revision);
        // JSON from the server has no line breaks, which would end the data.
        format!("event: {name}\nid: {}\ndata: {}\n\n", delta.revision, delta.json)
    }

    /// The next text, or the end.
    async fn next(&mut self) -> Option<String> {
        loop {
            let beat = tokio::select! {
                _ = self.stopping.wait_for(|stopping| *stopping) => return None,
                changed = self.changes.changed() => {
                    changed.ok()?;
                    false
                }
                () = tokio::time::sleep(HEARTBEAT) => true,
            };
            let now = self.state.clock.now();
            match self.state.source.serving(&self.digest, now).await {
                Ok(Some(token)) => self.state.usage.used_token(token.id, now),
                Ok(None) => return None,
                Err(error) => tracing::warn!(%error, "cannot check the token of a stream"),
            }
            match self.asked.since(&self.state, self.told).await {
                Ok(Some(delta)) => return Some(self.event("unleash-updated", &delta)),
                Ok(None) => {}
                Err(error) => tracing::warn!(%error, "cannot tell a stream what changed"),
            }
            if beat {
                return Some(":\n\n".to_owned());
            }
        }
    }
}

/// Events as they happen.
#[derive(Debug)]
pub struct Feed(Body);

impl IntoResponse for Feed {
    fn into_response(self) -> Response {
        Response::builder()
            .content_type(EVENT_STREAM)
            .header(header::CACHE_CONTROL, ASKED_AGAIN)
            // Some proxies gather an answer before they pass it on.
            .header("X-Accel-Buffering", "no")
            .body(self.0)
    }
}

api_response!(Feed, ResponseMeta::new(200, "Events as they happen.").text(EVENT_STREAM));
