//! Edges: what they tell about themselves to the server before them, within bounds that no report can leave.

use serde_json::{Value, json};

use crate::domain::{text::is_name, time::Timestamp};

/// Most characters of a text in a report.
const LONGEST: usize = 255;
/// Edges that one report may tell of besides its own, at each step of a chain.
const BEHIND: usize = 100;
/// How long a chain of edges may be.
const DEEPEST: usize = 4;
/// Environments that one report may tell of.
const ENVIRONMENTS: usize = 200;

/// What an edge told about itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EdgeReport {
    /// Id of this instance among edges with the same name.
    pub instance_id: String,
    /// Name of the edges together.
    pub app_name: String,
    /// Its version.
    pub version: Option<String>,
    /// Where it runs.
    pub region: Option<String>,
    /// When it started.
    pub started_at: Option<Timestamp>,
    /// Streams that programs have open.
    pub streams: i64,
    /// Programs that it heard of lately, where it says so.
    pub programs: Option<i64>,
    /// Seconds since it last knew that it serves what there is, where it says so.
    pub state_age_seconds: Option<i64>,
    /// Whether it can do its work, where it says so.
    pub is_ready: Option<bool>,
    /// What it serves from.
    pub environments: Vec<EdgeEnvironment>,
    /// The edges behind it.
    pub behind: Vec<EdgeReport>,
}

/// What an edge serves from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EdgeEnvironment {
    /// Name of the environment.
    pub environment: String,
    /// Number of the state.
    pub revision: i64,
    /// When that was last known to be what there is.
    pub updated_at: Option<Timestamp>,
}

impl EdgeReport {
    /// Reads a report. The error names the property that is wrong.
    pub fn of(report: &Value) -> Result<Self, &'static str> {
        Self::at_depth(report, DEEPEST)
    }

    fn at_depth(report: &Value, depth: usize) -> Result<Self, &'static str> {
        let name = |key: &str| report[key].as_str().filter(|text| is_name(text, LONGEST)).map(str::to_owned);
        let number = |key: &str| report[key].as_i64().filter(|number| *number >= 0);
        let behind = report["connectedEdges"].as_array().into_iter().flatten().take(BEHIND);
        let behind = behind.filter_map(|edge| Self::at_depth(edge, depth.checked_sub(1)?).ok());
        let environments = report["edgeApiKeyRevisionIds"].as_array().into_iter().flatten().take(ENVIRONMENTS);
        Ok(Self {
            instance_id: name("identifier").ok_or("identifier")?,
            app_name: name("appName").ok_or("appName")?,
            version: name("edgeVersion"),
            region: name("region"),
            started_at: report["started"].as_str().and_then(Timestamp::parse),
            streams: number("connectedStreamingClients").unwrap_or_default(),
            programs: number("connectedPrograms"),
            state_age_seconds: number("stateAgeSeconds"),
            is_ready: report["ready"].as_bool(),
            environments: environments.filter_map(EdgeEnvironment::of).collect(),
            behind: behind.collect(),
        })
    }

    /// The report as it is told further.
    pub fn told(&self) -> Value {
        let environments = self.environments.iter().map(|one| {
            json!({
                "environment": one.environment,
                "projects": [],
                "revisionId": one.revision,
                "lastUpdated": one.updated_at,
            })
        });
        json!({
            "identifier": self.instance_id,
            "appName": self.app_name,
            "edgeVersion": self.version.clone().unwrap_or_default(),
            "region": self.region,
            "started": self.started_at,
            "connectedStreamingClients": self.streams,
            "connectedPrograms": self.programs,
            "stateAgeSeconds": self.state_age_seconds,
            "ready": self.is_ready,
            "edgeApiKeyRevisionIds": environments.collect::<Vec<_>>(),
            "connectedEdges": self.behind.iter().map(Self::told).collect::<Vec<_>>(),
        })
    }
}

impl EdgeEnvironment {
    fn of(value: &Value) -> Option<Self> {
        Some(Self {
            environment: value["environment"].as_str().filter(|text| is_name(text, LONGEST))?.to_owned(),
            revision: value["revisionId"].as_i64()?,
            updated_at: value["lastUpdated"].as_str().and_then(Timestamp::parse),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_is_read_again_and_nobody_makes_it_grow() {
        let edge = |name: &str, behind: Vec<Value>| {
            json!({
                "identifier": name, "appName": "edges", "edgeVersion": "19.1.0", "connectedStreamingClients": 3,
                "edgeApiKeyRevisionIds": [
                    { "environment": "dev", "projects": ["*"], "revisionId": 7, "lastUpdated": "2026-01-01T00:00:00Z" },
                    { "environment": 7 },
                ],
                "connectedEdges": behind,
            })
        };
        let report = EdgeReport::of(&edge("one", vec![edge("two", vec![])])).expect("a report");
        assert_eq!((report.streams, report.behind.len(), report.environments.len()), (3, 1, 1));
        assert_eq!(EdgeReport::of(&report.told()).expect("a report"), report);
        let crowd = EdgeReport::of(&edge("one", vec![edge("two", vec![]); 1000])).expect("a report");
        assert_eq!(crowd.behind.len(), BEHIND);
        let chain = (0..50).fold(edge("last", vec![]), |behind, _| edge("next", vec![behind]));
        let mut depth = 0;
        let mut at = &EdgeReport::of(&chain).expect("a report");
        while let Some(next) = at.behind.first() {
            (at, depth) = (next, depth + 1);
        }
        assert_eq!(depth, DEEPEST);
        for (broken, property) in [
            (json!({}), "identifier"),
            (json!({ "identifier": "x".repeat(256), "appName": "a" }), "identifier"),
            (json!({ "identifier": "x", "appName": 7 }), "appName"),
            (json!([]), "identifier"),
        ] {
            assert_eq!(EdgeReport::of(&broken), Err(property));
        }
    }
}
