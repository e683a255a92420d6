//! Edges that serve programs as replicas of this server.

use std::sync::Arc;

use poem::web::Data;
use poem_openapi::{Object, OpenApi};
use serde::Serialize;

use crate::{
    api::{
        Tag,
        answer::{Fails, Out, ReadRefusals},
        caller::AuthenticatedCaller,
    },
    domain::{
        edge::{EdgeEnvironment, EdgeReport},
        time::Timestamp,
    },
    edges::HeardEdge,
    state::State,
    wire::Nullable,
};

/// The operation that lists edges.
#[derive(Debug)]
pub struct EdgesApi;

/// State of an environment that an edge serves.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "EdgeState", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct EdgeStateBody {
    /// Name of the environment.
    pub environment: String,
    /// Revision of the state that the edge serves.
    pub revision: i64,
    /// When the edge last confirmed that this state is current; `null` when unknown.
    pub updated_at: Nullable<Timestamp>,
}

/// An edge behind another.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "EdgeBehind", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct EdgeBehindBody {
    /// Id of this instance among edges with the same name.
    pub instance_id: String,
    /// Name of the edges together.
    pub app_name: String,
    /// Its version; `null` when unknown.
    pub version: Nullable<String>,
    /// Open streams of programs.
    pub connected_streams: i64,
    /// Instances of programs that reported to it recently; `null` when unknown.
    pub connected_programs: Nullable<i64>,
    /// Edges that use this edge as their upstream.
    pub edges_behind: i64,
}

/// An edge, as it last reported.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "Edge", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct EdgeBody {
    /// Id of this instance among edges with the same name.
    pub instance_id: String,
    /// Name of the edges together.
    pub app_name: String,
    /// Its version; `null` when unknown.
    pub version: Nullable<String>,
    /// Region in which it runs; `null` when unknown.
    pub region: Nullable<String>,
    /// When it started; `null` when unknown.
    pub started_at: Nullable<Timestamp>,
    /// Name of the environment of the token that it reported with.
    pub environment: String,
    /// When it last reported.
    pub last_seen_at: Timestamp,
    /// Since when it has stopped reporting: the time of its last report, once that is three minutes ago; `null`
    /// otherwise.
    pub out_of_sight_since: Nullable<Timestamp>,
    /// Whether it was ready; `null` when unknown.
    pub ready: Nullable<bool>,
    /// Age in seconds of the state that it served when it reported; `null` when unknown.
    pub state_age_seconds: Nullable<i64>,
    /// Open streams of programs.
    pub connected_streams: i64,
    /// Instances of programs that reported to it recently; `null` when unknown.
    pub connected_programs: Nullable<i64>,
    /// States that it served.
    pub states: Vec<EdgeStateBody>,
    /// The edges behind it.
    pub edges: Vec<EdgeBehindBody>,
}

/// The edges.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "Edges")]
pub struct EdgesBody {
    /// The edges that reported to this server in the last week, by name.
    pub edges: Vec<EdgeBody>,
}

impl From<&EdgeEnvironment> for EdgeStateBody {
    fn from(state: &EdgeEnvironment) -> Self {
        Self {
            environment: state.environment.clone(),
            revision: state.revision,
            updated_at: Nullable(state.updated_at),
        }
    }
}

impl From<&EdgeReport> for EdgeBehindBody {
    fn from(report: &EdgeReport) -> Self {
        Self {
            edges_behind: i64::try_from(report.behind.len()).unwrap_or(i64::MAX),
            instance_id: report.instance_id.clone(),
            app_name: report.app_name.clone(),
            version: Nullable(report.version.clone()),
            connected_streams: report.streams,
            connected_programs: Nullable(report.programs),
        }
    }
}

impl EdgeBody {
    fn of(edge: &HeardEdge, now: Timestamp) -> Self {
        let out_of_sight_since = Nullable(edge.out_of_sight_since(now));
        let report = &edge.report;
        Self {
            out_of_sight_since,
            instance_id: report.instance_id.clone(),
            app_name: report.app_name.clone(),
            version: Nullable(report.version.clone()),
            region: Nullable(report.region.clone()),
            started_at: Nullable(report.started_at),
            environment: edge.environment.clone(),
            last_seen_at: edge.heard_at,
            ready: Nullable(report.is_ready),
            state_age_seconds: Nullable(report.state_age_seconds),
            connected_streams: report.streams,
            connected_programs: Nullable(report.programs),
            states: report.environments.iter().map(EdgeStateBody::from).collect(),
            edges: report.behind.iter().map(EdgeBehindBody::from).collect(),
        }
    }
}

#[OpenApi(tag = "Tag::Applications")]
impl EdgesApi {
    /// List the edges
    ///
    /// The edges that have reported to this server: their versions, the age of their state, the programs connected to
    /// them, and since when an edge has stopped reporting. Each server keeps the reports it receives in memory for a
    /// week: of at most 2000 edges and 8 MiB together, and of each the nearest 200 edges behind it and 128 KiB. When
    /// there is no room, the token with most of them loses its oldest. After a restart, or on another server of the same database, an edge is listed after its next report,
    /// within a minute. Needs no permission; only edges whose tokens reach nothing but projects that the caller may see
    /// are listed.
    #[oai(path = "/api/admin/metrics/edges", method = "get", operation_id = "getEdges")]
    async fn get_edges(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
    ) -> Result<Out<EdgesBody>, Fails<ReadRefusals>> {
        let (now, seen) = (state.clock.now(), caller.visibility().await?);
        let is_seen = |edge: &Arc<HeardEdge>| match &edge.projects {
            None => seen.is_everything(),
            Some(projects) => seen.covers(projects),
        };
        let edges = state.edges.list(now).into_iter().filter(is_seen);
        Ok(Out(EdgesBody { edges: edges.map(|edge| EdgeBody::of(&edge, now)).collect() }))
    }
}
