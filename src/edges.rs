//! The edges that told this node about themselves, in memory and within bounds.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use crate::domain::{
    edge::EdgeReport,
    time::{DAY_MS, Timestamp},
};

/// Edges that are kept.
const KEPT: usize = 2000;
/// How long an edge that is not heard of any more is told of.
const TOLD_MS: i64 = 7 * DAY_MS;
/// After how long without a report an edge counts as one that has stopped reporting: three reports that it would have
/// sent.
const OUT_OF_SIGHT_MS: i64 = 3 * 60_000;

/// An edge that has reported.
#[derive(Debug, Clone)]
pub struct HeardEdge {
    /// What it said last.
    pub report: EdgeReport,
    /// When.
    pub heard_at: Timestamp,
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
pub struct Edges(Mutex<HashMap<(String, String), HeardEdge>>);

impl Edges {
    /// Keeps what an edge said. Where there is no room, whoever has been silent for the longest goes.
    pub fn heard(&self, edge: HeardEdge) {
        let mut edges = self.lock();
        let key = (edge.report.app_name.clone(), edge.report.instance_id.clone());
        if edges.len() >= KEPT && !edges.contains_key(&key) {
            let silent = edges.iter().min_by_key(|(_, edge)| edge.heard_at).map(|(key, _)| key.clone());
            silent.and_then(|silent| edges.remove(&silent));
        }
        edges.insert(key, edge);
    }

    /// The edges, by their names.
    pub fn list(&self, now: Timestamp) -> Vec<HeardEdge> {
        let mut edges = self.lock();
        edges.retain(|_, edge| now.millis() - edge.heard_at.millis() <= TOLD_MS);
        let mut list: Vec<HeardEdge> = edges.values().cloned().collect();
        let name = |edge: &HeardEdge| (edge.report.app_name.clone(), edge.report.instance_id.clone());
        list.sort_by_key(name);
        list
    }

    /// What the edges in sight said.
    pub fn reports(&self, now: Timestamp) -> Vec<EdgeReport> {
        let list = self.list(now).into_iter();
        list.filter(|edge| edge.out_of_sight_since(now).is_none()).map(|edge| edge.report).collect()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<(String, String), HeardEdge>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edge(name: &str, at: i64) -> HeardEdge {
        let report = serde_json::json!({ "identifier": name, "appName": "edges" });
        HeardEdge {
            report: EdgeReport::of(&report).expect("a report"),
            heard_at: Timestamp::from_millis(at),
            projects: None,
            environment: "e".to_owned(),
        }
    }

    #[test]
    fn who_is_silent_goes_out_of_sight_then_out_of_mind() {
        let edges = Edges::default();
        edges.heard(edge("one", 0));
        let now = |millis| Timestamp::from_millis(millis);
        assert_eq!(edges.reports(now(OUT_OF_SIGHT_MS)).len(), 1);
        assert!(edges.reports(now(OUT_OF_SIGHT_MS + 1)).is_empty());
        let listed = edges.list(now(OUT_OF_SIGHT_MS + 1));
        assert_eq!(listed[0].out_of_sight_since(now(OUT_OF_SIGHT_MS + 1)), Some(now(0)));
        assert!(edges.list(now(TOLD_MS + 1)).is_empty());
    }

    #[test]
    fn a_flood_of_names_keeps_those_that_spoke_last() {
        let edges = Edges::default();
        for number in 0..KEPT + 5 {
            edges.heard(edge(&number.to_string(), i64::try_from(number).expect("small")));
        }
        let list = edges.list(Timestamp::from_millis(1));
        assert_eq!(list.len(), KEPT);
        assert!(list.iter().all(|edge| edge.heard_at.millis() >= 5));
    }
}
