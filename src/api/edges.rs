//! The edges that serve programs from what this server tells.

use poem::web::Data;
use poem_openapi::{Object, OpenApi};
use serde::Serialize;

use crate::{
    api::{
        Tag,
        answer::{Fails, Out, ReadRefusals},
        caller::Caller,
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

/// What an edge serves from.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "EdgeState", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct EdgeStateBody {
    /// Name of the environment.
    pub environment: String,
    /// Number of the state that the edge serves.
    pub revision: i64,
    /// When the edge last knew that this is what there is; `null` when it did not say.
    pub updated_at: Nullable<Timestamp>,
}

/// An edge behind another.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "EdgeBehind", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct EdgeBehindBody {
    /// Name of this edge among those of the same name.
    pub instance_id: String,
    /// Name of the edges together.
    pub app_name: String,
    /// Its version; `null` when it did not say.
    pub version: Nullable<String>,
    /// Streams that programs have open there.
    pub connected_streams: i64,
    /// Running copies of programs that it heard of lately; `null` when it did not say.
    pub connected_programs: Nullable<i64>,
    /// Edges behind this one in turn.
    pub edges_behind: i64,
}

/// An edge, as it told about itself.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "Edge", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct EdgeBody {
    /// Name of this edge among those of the same name.
    pub instance_id: String,
    /// Name of the edges together.
    pub app_name: String,
    /// Its version; `null` when it did not say.
    pub version: Nullable<String>,
    /// Where it runs; `null` when it did not say.
    pub region: Nullable<String>,
    /// When it started; `null` when it did not say.
    pub started_at: Nullable<Timestamp>,
    /// Name of the environment of the token that it reported with.
    pub environment: String,
    /// When it last told about itself.
    pub last_seen_at: Timestamp,
    /// Since when it is out of sight: the time of its last report, three minutes after that; `null` while it is not.
    pub out_of_sight_since: Nullable<Timestamp>,
    /// Whether it could do its work; `null` when it did not say.
    pub ready: Nullable<bool>,
    /// Seconds by which what it served may have been old when it told so; `null` when it did not say.
    pub state_age_seconds: Nullable<i64>,
    /// Streams that programs had open there.
    pub connected_streams: i64,
    /// Running copies of programs that it had heard of lately; `null` when it did not say.
    pub connected_programs: Nullable<i64>,
    /// What it served from.
    pub states: Vec<EdgeStateBody>,
    /// The edges behind it.
    pub edges: Vec<EdgeBehindBody>,
}

/// The edges.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "Edges")]
pub struct EdgesBody {
    /// Those that told this server about themselves in the last week, by their names.
    pub edges: Vec<EdgeBody>,
}

impl From<EdgeEnvironment> for EdgeStateBody {
    fn from(state: EdgeEnvironment) -> Self {
        Self { environment: state.environment, revision: state.revision, updated_at: Nullable(state.updated_at) }
    }
}

impl From<EdgeReport> for EdgeBehindBody {
    fn from(report: EdgeReport) -> Self {
        Self {
            edges_behind: i64::try_from(report.behind.len()).unwrap_or(i64::MAX),
            instance_id: report.instance_id,
            app_name: report.app_name,
            version: Nullable(report.version),
            connected_streams: report.streams,
            connected_programs: Nullable(report.programs),
        }
    }
}

impl EdgeBody {
    fn of(edge: HeardEdge, now: Timestamp) -> Self {
        let out_of_sight_since = Nullable(edge.out_of_sight_since(now));
        let report = edge.report;
        Self {
            out_of_sight_since,
            instance_id: report.instance_id,
            app_name: report.app_name,
            version: Nullable(report.version),
            region: Nullable(report.region),
            started_at: Nullable(report.started_at),
            environment: edge.environment,
            last_seen_at: edge.heard_at,
            ready: Nullable(report.is_ready),
            state_age_seconds: Nullable(report.state_age_seconds),
            connected_streams: report.streams,
            connected_programs: Nullable(report.programs),
            states: report.environments.into_iter().map(EdgeStateBody::from).collect(),
            edges: report.behind.into_iter().map(EdgeBehindBody::from).collect(),
        }
    }
}

#[OpenApi(tag = "Tag::Applications")]
impl EdgesApi {
    /// List edges
    ///
    /// The edges that told this server about themselves: their versions, how old what they serve was, the programs behind
    /// them, and since when one is out of sight. Kept in memory by the server that was told, for a week: after its start,
    /// and on another server of the same database, an edge shows once it has reported there, which it does each minute.
    /// Any caller may ask, and is told of edges whose token reaches only projects that the caller may see.
    #[oai(path = "/api/admin/metrics/edges", method = "get", operation_id = "getEdges")]
    async fn get_edges(
        &self,
        caller: Caller,
        Data(state): Data<&State>,
    ) -> Result<Out<EdgesBody>, Fails<ReadRefusals>> {
        let (now, seen) = (state.clock.now(), caller.visibility().await?);
        let is_seen = |edge: &HeardEdge| match &edge.projects {
            None => seen.is_everything(),
            Some(projects) => seen.covers(projects),
        };
        let edges = state.edges.list(now).into_iter().filter(is_seen);
        Ok(Out(EdgesBody { edges: edges.map(|edge| EdgeBody::of(edge, now)).collect() }))
    }
}
