//! Edges that reported to this node, in memory and within bounds.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use flagstone_domain::{
    edge::EdgeReport,
    time::{DAY_MS, Timestamp},
};

/// Edges that are kept.
pub const KEPT: usize = 2000;
/// Bytes of all that is kept of them.
pub const KEPT_BYTES: usize = 8 << 20;
/// Time for which an edge is listed after its last report.
const TOLD_MS: i64 = 7 * DAY_MS;
/// Time without a report after which an edge counts as one that has stopped reporting: three reports that it would have
/// sent.
const OUT_OF_SIGHT_MS: i64 = 3 * 60_000;

/// An edge that has reported.
#[derive(Debug, Clone)]
pub struct HeardEdge {
    /// Last report.
    pub report: EdgeReport,
    /// When.
    pub heard_at: Timestamp,
    /// Id of the token that it reported with.
    pub token: i64,
    /// Ids of the projects that its token reaches; `None` is all of them.
    pub projects: Option<Vec<String>>,
    /// Name of the environment of its token.
    pub environment: String,
}

impl HeardEdge {
    /// Since when the edge has stopped reporting; `None` while it reports.
    pub fn out_of_sight_since(&self, now: Timestamp) -> Option<Timestamp> {
        (now.millis() - self.heard_at.millis() > OUT_OF_SIGHT_MS).then_some(self.heard_at)
    }
}

/// The edges that have reported.
#[derive(Debug, Default)]
pub struct Edges(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    by_name: HashMap<(String, String), Arc<HeardEdge>>,
    all: Share,
    by_token: HashMap<i64, Share>,
}

/// Space that some edges take.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Share {
    edges: usize,
    bytes: usize,
}

impl Share {
    const fn is_too_much(self) -> bool {
        self.edges > KEPT || self.bytes > KEPT_BYTES
    }

    /// Thousandths of what there is room for that it takes.
    fn thousandths(self) -> usize {
        (self.edges * 1000 / KEPT).max(self.bytes * 1000 / KEPT_BYTES)
    }
}

impl Edges {
    /// Keeps the report of an edge. Where there is no room, the token whose edges take most of it loses the one that
    /// has been silent for the longest: a flood of reports drives out those of other tokens last.
    pub fn heard(&self, edge: HeardEdge) {
        let mut kept = self.lock();
        let key = (edge.report.app_name.clone(), edge.report.instance_id.clone());
        kept.remove(&key);
        kept.insert(key.clone(), edge);
        while kept.all.is_too_much() {
            let Some(token) = kept.greatest() else { return };
            let of_it = kept.by_name.iter().filter(|(other, edge)| edge.token == token && **other != key);
            let silent = of_it.min_by_key(|(_, edge)| edge.heard_at).map(|(key, _)| key.clone());
            // Without another it is the one that has just come.
            kept.remove(&silent.unwrap_or_else(|| key.clone()));
        }
    }

    /// The edges, by their names.
    pub fn list(&self, now: Timestamp) -> Vec<Arc<HeardEdge>> {
        let mut kept = self.lock();
        let is_old = |edge: &HeardEdge| now.millis() - edge.heard_at.millis() > TOLD_MS;
        let old: Vec<_> = kept.by_name.iter().filter(|(_, edge)| is_old(edge)).map(|(key, _)| key.clone()).collect();
        for key in old {
            kept.remove(&key);
        }
        let mut list: Vec<Arc<HeardEdge>> = kept.by_name.values().map(Arc::clone).collect();
        drop(kept);
        list.sort_by(|one, other| {
            let name = |edge: &HeardEdge| (edge.report.app_name.clone(), edge.report.instance_id.clone());
            name(one).cmp(&name(other))
        });
        list
    }

    /// Reports of the edges that still report.
    pub fn in_sight(&self, now: Timestamp) -> Vec<EdgeReport> {
        let list = self.list(now).into_iter();
        list.filter(|edge| edge.out_of_sight_since(now).is_none()).map(|edge| edge.report.clone()).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn insert(&mut self, key: (String, String), edge: HeardEdge) {
        let bytes = bytes(&edge);
        for share in [&mut self.all, self.by_token.entry(edge.token).or_default()] {
            share.edges += 1;
            share.bytes += bytes;
        }
        self.by_name.insert(key, Arc::new(edge));
    }

    fn remove(&mut self, key: &(String, String)) {
        let Some(edge) = self.by_name.remove(key) else { return };
        let bytes = bytes(&edge);
        for share in [&mut self.all, self.by_token.entry(edge.token).or_default()] {
            share.edges -= 1;
            share.bytes -= bytes;
        }
        if self.by_token.get(&edge.token).is_some_and(|share| share.edges == 0) {
            self.by_token.remove(&edge.token);
        }
    }

    /// The token whose edges take most of the room.
    fn greatest(&self) -> Option<i64> {
        self.by_token.iter().max_by_key(|(token, share)| (share.thousandths(), **token)).map(|(token, _)| *token)
    }
}

/// Bytes that an edge takes, with the texts of its token and its names as the key.
fn bytes(edge: &HeardEdge) -> usize {
    let names = edge.report.app_name.len() + edge.report.instance_id.len();
    let projects = edge.projects.iter().flatten().map(|project| project.len() + size_of::<String>()).sum::<usize>();
    edge.report.bytes() + names + projects + edge.environment.len() + 2 * size_of::<HeardEdge>()
}

#[cfg(test)]
mod tests {
    use flagstone_domain::left_out::LeftOut;

    use super::*;

    fn edge(token: i64, name: &str, at: i64) -> HeardEdge {
        let report = serde_json::json!({ "identifier": name, "appName": "edges" });
        HeardEdge {
            report: EdgeReport::of(&report, &mut LeftOut::default()).expect("a report"),
            heard_at: Timestamp::from_millis(at),
            token,
            projects: None,
            environment: "e".to_owned(),
        }
    }

    fn great(token: i64, name: &str, at: i64) -> HeardEdge {
        let behind = serde_json::json!({ "identifier": "x".repeat(255), "appName": "y".repeat(255) });
        let behind = EdgeReport::of(&behind, &mut LeftOut::default()).expect("a report");
        let mut great = edge(token, name, at);
        great.report.behind = vec![behind; 130];
        great
    }

    fn is_consistent(edges: &Edges) -> bool {
        let kept = edges.lock();
        let bytes = kept.by_name.values().map(|edge| bytes(edge)).sum::<usize>();
        let shares = kept.by_token.values().fold((0, 0), |sum, share| (sum.0 + share.edges, sum.1 + share.bytes));
        kept.all == Share { edges: kept.by_name.len(), bytes }
            && shares == (kept.all.edges, kept.all.bytes)
            && !kept.all.is_too_much()
    }

    #[test]
    fn who_is_silent_goes_out_of_sight_then_out_of_mind() {
        let edges = Edges::default();
        edges.heard(edge(1, "one", 0));
        let now = |millis| Timestamp::from_millis(millis);
        assert_eq!(edges.in_sight(now(OUT_OF_SIGHT_MS)).len(), 1);
        assert!(edges.in_sight(now(OUT_OF_SIGHT_MS + 1)).is_empty());
        let listed = edges.list(now(OUT_OF_SIGHT_MS + 1));
        assert_eq!(listed[0].out_of_sight_since(now(OUT_OF_SIGHT_MS + 1)), Some(now(0)));
        assert!(edges.list(now(TOLD_MS + 1)).is_empty());
        assert!(is_consistent(&edges) && edges.lock().by_token.is_empty());
    }

    #[test]
    fn a_flood_of_names_keeps_those_that_spoke_last() {
        let edges = Edges::default();
        for number in 0..KEPT + 5 {
            edges.heard(edge(1, &number.to_string(), i64::try_from(number).expect("small")));
        }
        let list = edges.list(Timestamp::from_millis(1));
        assert_eq!(list.len(), KEPT);
        assert!(list.iter().all(|edge| edge.heard_at.millis() >= 5));
        assert!(is_consistent(&edges));
    }

    #[test]
    fn a_flood_with_one_token_drives_out_no_edge_of_another() {
        for (what, flood) in [("edges", edge as fn(i64, &str, i64) -> HeardEdge), ("bytes", great)] {
            let edges = Edges::default();
            for number in 0..50 {
                edges.heard(edge(1, &format!("own-{number}"), 0));
            }
            for number in 0..KEPT * 2 {
                edges.heard(flood(2, &number.to_string(), 1));
                edges.heard(flood(3, &format!("other-{number}"), 1));
            }
            let list = edges.list(Timestamp::from_millis(1));
            assert_eq!(list.iter().filter(|edge| edge.token == 1).count(), 50, "{what}");
            assert!(list.len() > 60, "{what}: {}", list.len());
            assert!(is_consistent(&edges), "{what}");
        }
    }

    #[test]
    fn an_edge_that_reports_again_takes_its_own_place() {
        let edges = Edges::default();
        edges.heard(great(1, "one", 0));
        edges.heard(edge(2, "one", 1));
        assert!(is_consistent(&edges));
        assert_eq!(edges.list(Timestamp::from_millis(1))[0].token, 2);
    }
}
