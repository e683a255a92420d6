//! Edges: their reports about themselves to the upstream server, within bounds that no report can leave.

use std::collections::VecDeque;

use serde_json::{Value, json};

use crate::{left_out::LeftOut, text::is_name, time::Timestamp};

/// Most characters of a text in a report.
const LONGEST: usize = 255;
/// Edges behind the one that reports, at all steps together.
pub const BEHIND: usize = 200;
/// Maximum length of a chain of edges.
const DEEPEST: usize = 4;
/// Maximum number of environments that a report may list for each of its edges.
const ENVIRONMENTS: usize = 200;
/// Bytes of a report in memory, with the edges behind.
pub const KEPT_BYTES: usize = 128 << 10;
/// Maximum bytes of JSON in which an edge forwards the reports of those behind it: upstreams refuse reports of a
/// hundred kilobytes.
const TOLD_BYTES: usize = 60_000;
/// Bytes of an edge in memory, without its texts and environments.
const BYTES_OF_EDGE: usize = size_of::<EdgeReport>() + 64;
/// Bytes of an environment in memory, without its name.
const BYTES_OF_ENVIRONMENT: usize = size_of::<EdgeEnvironment>() + 16;

/// Report of an edge about itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EdgeReport {
    /// Id of this instance among edges with the same name.
    pub instance_id: String,
    /// Name of the edges together.
    pub app_name: String,
    /// Its version.
    pub version: Option<String>,
    /// Region that it runs in.
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
    /// State of each environment that it serves.
    pub environments: Vec<EdgeEnvironment>,
    /// The edges behind it.
    pub behind: Vec<EdgeReport>,
}

/// State of an environment that an edge serves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EdgeEnvironment {
    /// Name of the environment.
    pub environment: String,
    /// Number of the state.
    pub revision: i64,
    /// When that was last known to be what there is.
    pub updated_at: Option<Timestamp>,
}

/// Remaining capacity for a tree of edges.
#[derive(Debug)]
struct Room {
    edges: usize,
    bytes: usize,
}

impl Room {
    /// Takes bytes, if they are there.
    fn take(&mut self, bytes: usize) -> bool {
        let left = self.bytes.checked_sub(bytes);
        self.bytes = left.unwrap_or(self.bytes);
        left.is_some()
    }
}

/// Edges with those behind them, as far as there is room: the nearest first, so that a crowd behind one of them takes
/// no place from the others. `read` reads one alone, and returns the bytes that it takes.
fn nearest_first<N: Copy>(
    first: impl Iterator<Item = N>,
    behind: impl Fn(N) -> Vec<N>,
    mut read: impl FnMut(N) -> Option<(EdgeReport, usize)>,
    mut room: Room,
) -> Vec<EdgeReport> {
    let mut waiting: VecDeque<(Option<usize>, usize, N)> = first.map(|node| (None, 1, node)).collect();
    let mut kept: Vec<(Option<usize>, EdgeReport)> = Vec::new();
    while let Some((before, depth, node)) = waiting.pop_front().filter(|_| room.edges > 0) {
        let Some((report, _)) = read(node).filter(|(_, bytes)| room.take(*bytes)) else { continue };
        room.edges -= 1;
        if depth < DEEPEST {
            waiting.extend(behind(node).into_iter().map(|next| (Some(kept.len()), depth + 1, next)));
        }
        kept.push((before, report));
    }
    let mut roots = VecDeque::new();
    // From the farthest: what is behind an edge is complete when its own turn comes.
    while let Some((before, mut report)) = kept.pop() {
        report.behind.reverse();
        match before.and_then(|before| kept.get_mut(before)) {
            Some((_, nearer)) => nearer.behind.push(report),
            None => roots.push_front(report),
        }
    }
    roots.into()
}

fn listed(report: &Value) -> impl Iterator<Item = &Value> {
    report["connectedEdges"].as_array().into_iter().flatten()
}

impl EdgeReport {
    /// Reads a report, of whose lists it leaves out what cannot be read. The error names the property that is wrong.
    pub fn of(report: &Value, left_out: &mut LeftOut) -> Result<Self, &'static str> {
        let own = Self::alone(report, left_out)?;
        let room = Room { edges: BEHIND, bytes: KEPT_BYTES.saturating_sub(own.own_bytes()) };
        let sized = |edge| match Self::alone(edge, left_out) {
            Ok(edge) => {
                let bytes = edge.own_bytes();
                Some((edge, bytes))
            }
            Err(property) => {
                left_out.note(|| format!("the {property} of an entry of connectedEdges is not a name."));
                None
            }
        };
        let behind = nearest_first(listed(report), |edge| listed(edge).collect(), sized, room);
        Ok(Self { behind, ..own })
    }

    /// Reads the part of a report that concerns the edge itself.
    fn alone(report: &Value, left_out: &mut LeftOut) -> Result<Self, &'static str> {
        let name = |key: &str| report[key].as_str().filter(|text| is_name(text, LONGEST)).map(str::to_owned);
        let number = |key: &str| report[key].as_i64().filter(|number| *number >= 0);
        let environments = report["edgeApiKeyRevisionIds"].as_array().into_iter().flatten();
        let mut own = Self {
            instance_id: name("identifier").ok_or("identifier")?,
            app_name: name("appName").ok_or("appName")?,
            version: name("edgeVersion"),
            region: name("region"),
            started_at: report["started"].as_str().and_then(Timestamp::parse),
            streams: number("connectedStreamingClients").unwrap_or_default(),
            programs: number("connectedPrograms"),
            state_age_seconds: number("stateAgeSeconds"),
            is_ready: report["ready"].as_bool(),
            environments: Vec::new(),
            behind: Vec::new(),
        };
        let mut room = Room { edges: 0, bytes: KEPT_BYTES.saturating_sub(own.own_bytes()) };
        for (index, environment) in environments.take(ENVIRONMENTS).enumerate() {
            match EdgeEnvironment::of(environment) {
                Some(environment) if !room.take(environment.bytes()) => break,
                Some(environment) => own.environments.push(environment),
                None => left_out.note(|| format!("edgeApiKeyRevisionIds/{index} is not the state of an environment.")),
            }
        }
        own.environments.shrink_to_fit();
        Ok(own)
    }

    /// Bytes that the report takes in memory, at least, without the edges behind.
    fn own_bytes(&self) -> usize {
        let texts = [Some(&self.instance_id), Some(&self.app_name), self.version.as_ref(), self.region.as_ref()];
        let texts: usize = texts.into_iter().flatten().map(String::len).sum();
        BYTES_OF_EDGE + texts + self.environments.iter().map(EdgeEnvironment::bytes).sum::<usize>()
    }

    /// Bytes that the report takes, with the edges behind: at most `KEPT_BYTES`.
    pub fn bytes(&self) -> usize {
        self.own_bytes() + self.behind.iter().map(Self::bytes).sum::<usize>()
    }

    fn without_behind(&self) -> Self {
        Self {
            instance_id: self.instance_id.clone(),
            app_name: self.app_name.clone(),
            version: self.version.clone(),
            region: self.region.clone(),
            environments: self.environments.clone(),
            behind: Vec::new(),
            ..*self
        }
    }

    /// Returns the reports of the edges behind, in the form in which they are forwarded, within what the report of an
    /// edge may take.
    pub fn told_together(reports: &[Self]) -> Vec<Value> {
        let sized = |edge: &Self| {
            let alone = edge.without_behind();
            let bytes = alone.told().to_string().len();
            Some((alone, bytes))
        };
        let room = Room { edges: BEHIND, bytes: TOLD_BYTES };
        let behind = nearest_first(reports.iter(), |edge| edge.behind.iter().collect(), sized, room);
        behind.iter().map(Self::told).collect()
    }

    /// Returns the report in the form in which it is forwarded.
    fn told(&self) -> Value {
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
    fn bytes(&self) -> usize {
        BYTES_OF_ENVIRONMENT + self.environment.len()
    }

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

    #[expect(clippy::needless_pass_by_value, reason = "lists are written where they are needed")]
    fn edge(name: &str, behind: Vec<Value>) -> Value {
        json!({
            "identifier": name, "appName": "edges", "edgeVersion": "19.1.0", "connectedStreamingClients": 3,
            "edgeApiKeyRevisionIds": [
                { "environment": "dev", "projects": ["*"], "revisionId": 7, "lastUpdated": "2026-01-01T00:00:00Z" },
                { "environment": 7 },
            ],
            "connectedEdges": behind,
        })
    }

    fn count(report: &EdgeReport) -> usize {
        1 + report.behind.iter().map(count).sum::<usize>()
    }

    /// Bytes that the texts and structures of a report really occupy.
    fn occupied(report: &EdgeReport) -> usize {
        let texts =
            [Some(&report.instance_id), Some(&report.app_name), report.version.as_ref(), report.region.as_ref()];
        let environments = &report.environments;
        texts.into_iter().flatten().map(String::capacity).sum::<usize>()
            + environments.iter().map(|one| one.environment.capacity()).sum::<usize>()
            + environments.capacity() * size_of::<EdgeEnvironment>()
            + size_of::<EdgeReport>()
            + report.behind.iter().map(occupied).sum::<usize>()
    }

    fn read(report: &Value) -> Result<EdgeReport, &'static str> {
        EdgeReport::of(report, &mut LeftOut::default())
    }

    #[test]
    fn what_cannot_be_read_in_a_list_is_left_out_and_counted() {
        let edge = |name: Value| json!({ "identifier": name, "appName": "edges" });
        let state = json!({ "environment": "dev", "revisionId": 7 });
        let mut report = edge(json!("one"));
        report["connectedEdges"] = json!([edge(json!("two")), edge(json!(7)), null, edge(json!("three"))]);
        report["edgeApiKeyRevisionIds"] = json!([null, { "environment": "dev" }, state]);
        let mut left_out = LeftOut::default();
        let read = EdgeReport::of(&report, &mut left_out).expect("a report");
        assert_eq!((read.behind.len(), read.environments.len()), (2, 1));
        let first = "edgeApiKeyRevisionIds/0 is not the state of an environment.";
        assert_eq!((left_out.count, left_out.first.as_deref()), (4, Some(first)));
    }

    #[test]
    fn what_is_told_is_read_again() {
        let report =
            read(&edge("one", vec![edge("two", vec![edge("three", vec![])]), edge("four", vec![])])).expect("a report");
        assert_eq!((report.streams, report.behind.len(), report.environments.len()), (3, 2, 1));
        assert_eq!((&*report.behind[0].behind[0].instance_id, &*report.behind[1].instance_id), ("three", "four"));
        assert_eq!(read(&report.told()).expect("a report"), report);
        let again =
            json!({ "identifier": "x", "appName": "y", "connectedEdges": EdgeReport::told_together(&[report]) });
        assert_eq!(read(&again).expect("a report").behind[0].behind[0].behind[0].instance_id, "three");
        for (broken, property) in [
            (json!({}), "identifier"),
            (json!({ "identifier": "x".repeat(256), "appName": "a" }), "identifier"),
            (json!({ "identifier": "x", "appName": 7 }), "appName"),
            (json!([]), "identifier"),
        ] {
            assert_eq!(read(&broken), Err(property));
        }
    }

    #[test]
    fn no_report_is_greater_than_the_bounds_of_the_whole_tree() {
        let wide = "\u{10ffff}".repeat(LONGEST);
        let escaped = json!({ "identifier": "\u{1}".repeat(LONGEST), "appName": "a" });
        let states: Vec<Value> = vec![json!({ "environment": wide, "revisionId": 1 }); 1000];
        let loaded = json!({ "identifier": wide, "appName": wide, "region": wide, "edgeApiKeyRevisionIds": states });
        let nested =
            |counts: &[usize]| counts.iter().rev().fold(vec![], |behind, count| vec![edge("next", behind); *count]);
        for (what, behind) in [
            ("many at one step", nested(&[3000])),
            ("many at each step", nested(&[100, 10, 3])),
            ("many at the last step", nested(&[1, 1, 1, 3000])),
            ("a chain", nested(&[1; 50])),
            ("long texts and many states", vec![loaded.clone(); 50]),
            ("texts that grow when they are told", vec![escaped; 1000]),
            ("nothing that is an edge", vec![json!(7); 3000]),
        ] {
            let report = read(&edge("one", behind)).expect("a report");
            assert!(count(&report) <= 1 + BEHIND, "{what}: {}", count(&report));
            assert!(report.bytes() <= KEPT_BYTES, "{what}: {}", report.bytes());
            assert!(occupied(&report) <= 2 * report.bytes(), "{what}: {} {}", occupied(&report), report.bytes());
            let told = Value::Array(EdgeReport::told_together(std::slice::from_ref(&report))).to_string();
            assert!(told.len() <= TOLD_BYTES + 1000, "{what}: {}", told.len());
        }
        let alone = read(&loaded).expect("a report");
        assert!(alone.bytes() <= KEPT_BYTES && !alone.environments.is_empty());
    }

    #[test]
    fn a_crowd_behind_one_edge_takes_no_place_from_the_others() {
        let crowd = edge("crowded", vec![edge("x", vec![]); 5000]);
        let mut near: Vec<Value> = vec![crowd];
        near.extend((1..100).map(|number| edge(&number.to_string(), vec![])));
        let report = read(&edge("one", near)).expect("a report");
        assert_eq!(report.behind.len(), 100);
        assert_eq!(report.behind[0].behind.len(), BEHIND - 100);
        let mut depth = 0;
        let chain = (0..50).fold(edge("last", vec![]), |behind, _| edge("next", vec![behind]));
        let mut at = &read(&chain).expect("a report");
        while let Some(next) = at.behind.first() {
            (at, depth) = (next, depth + 1);
        }
        assert_eq!(depth, DEEPEST);
    }
}
