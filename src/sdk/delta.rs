//! Delta between the state that a program has and the present one.

use std::collections::{BTreeMap, BTreeSet};

use flagstone_domain::client_feature::{ClientFilter, Flag};

use super::{environment::Environment, history::What};

/// Changes to send to a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delta {
    /// Revision of the state that the program has afterwards.
    pub revision: i64,
    /// The events as JSON.
    pub json: String,
}

impl Environment {
    /// Returns the changes for a program that has the state of revision `since`, or of none; `None` when there are
    /// none.
    ///
    /// A program that names a revision that this node does not remember, or has not come to yet, receives everything.
    pub fn delta(&self, filter: &ClientFilter, since: Option<i64>) -> Option<Delta> {
        let since = since.filter(|since| *since <= self.revision);
        if since.is_some_and(|since| since >= self.changed_at) {
            return None;
        }
        let events = match since.and_then(|since| self.history.after(since)) {
            Some(changes) => {
                let mut features: BTreeMap<&str, FeatureChange<'_>> = BTreeMap::new();
                let mut segments: BTreeMap<i64, i64> = BTreeMap::new();
                for change in changes {
                    match &change.what {
                        What::Segment(id) => {
                            segments.insert(*id, change.revision);
                        }
                        What::Feature { name, before } => {
                            let known = features.entry(name).or_default();
                            known.revision = change.revision;
                            let seen = before.as_deref().filter(|project| filter.sees(project));
                            known.seen_in = known.seen_in.or(seen);
                        }
                    }
                }
                self.events(filter, &features, segments)
            }
            None => vec![self.hydration(filter)],
        };
        (!events.is_empty())
            .then(|| Delta { revision: self.changed_at, json: format!("{{\"events\":[{}]}}", events.join(",")) })
    }

    /// Whether a state is ahead of what this node knows.
    pub fn is_behind(&self, revision: i64) -> bool {
        revision > self.revision
    }

    fn hydration(&self, filter: &ClientFilter) -> String {
        let flags: Vec<&Flag> = self.admitted(filter).collect();
        let features = flags.iter().map(|flag| flag.json()).collect::<Vec<_>>().join(",");
        let used: BTreeSet<i64> = flags.iter().flat_map(|flag| flag.segments.iter().copied()).collect();
        let segments = self.segments_json(&used);
        let revision = self.changed_at;
        format!("{{\"eventId\":{revision},\"type\":\"hydration\",\"features\":[{features}],\"segments\":[{segments}]}}")
    }

    fn admitted<'a>(&'a self, filter: &'a ClientFilter) -> impl Iterator<Item = &'a Flag> {
        self.flags().iter().map(|flag| &**flag).filter(|flag| filter.admits(flag))
    }

    pub(super) fn segments_json(&self, ids: &BTreeSet<i64>) -> String {
        let listed = ids.iter().filter_map(|id| self.segments.get(id)).map(|segment| &*segment.json);
        listed.collect::<Vec<_>>().join(",")
    }

    /// Segments come before the features that refer to them, and go after them.
    fn events(
        &self,
        filter: &ClientFilter,
        features: &BTreeMap<&str, FeatureChange<'_>>,
        mut segments: BTreeMap<i64, i64>,
    ) -> Vec<String> {
        let mut of_features = Vec::new();
        for (name, change) in features {
            let revision = change.revision;
            if let Some(flag) = self.find(name, filter) {
                for id in &flag.segments {
                    segments.entry(*id).or_insert(revision);
                }
                let feature = flag.json();
                of_features
                    .push(format!("{{\"eventId\":{revision},\"type\":\"feature-updated\",\"feature\":{feature}}}"));
            } else if let Some(project) = change.seen_in.filter(|_| filter.names(name)) {
                let (name, project) = (serde_json::json!(name), serde_json::json!(project));
                of_features.push(format!(
                    "{{\"eventId\":{revision},\"type\":\"feature-removed\",\"featureName\":{name},\"project\":{project}}}"
                ));
            }
        }
        let used: BTreeSet<i64> = if segments.is_empty() {
            BTreeSet::new()
        } else {
            self.admitted(filter).flat_map(|flag| flag.segments.iter().copied()).collect()
        };
        let mut events = Vec::new();
        for (id, revision) in segments.iter().filter(|(id, _)| used.contains(id)) {
            if let Some(segment) = self.segments.get(id) {
                let segment = &segment.json;
                events.push(format!("{{\"eventId\":{revision},\"type\":\"segment-updated\",\"segment\":{segment}}}"));
            }
        }
        events.append(&mut of_features);
        for (id, revision) in segments.iter().filter(|(id, _)| !self.segments.contains_key(id)) {
            events.push(format!("{{\"eventId\":{revision},\"type\":\"segment-removed\",\"segmentId\":{id}}}"));
        }
        events
    }
}

/// Latest change of a feature, and the project in which the program may have seen it.
#[derive(Debug, Clone, Copy, Default)]
struct FeatureChange<'a> {
    revision: i64,
    seen_in: Option<&'a str>,
}

#[cfg(test)]
mod tests {
    use flagstone_domain::client_feature::{ClientFeature, ClientSegment, ClientStrategy, Loaded};
    use serde_json::{Value, json};

    use super::*;

    fn feature(name: &str, project: &str, enabled: bool, segments: &[i64]) -> ClientFeature {
        let strategy = ClientStrategy {
            name: "default".to_owned(),
            constraints: vec![],
            parameters: std::collections::BTreeMap::new(),
            variants: vec![],
            segments: (!segments.is_empty()).then(|| segments.to_vec()),
        };
        ClientFeature {
            name: name.to_owned(),
            kind: "release".to_owned(),
            enabled,
            project: project.to_owned(),
            strategies: vec![strategy],
            ..ClientFeature::default()
        }
    }

    fn loaded(revision: i64, features: &[ClientFeature], segments: &[i64]) -> Loaded {
        let segment = |id: &i64| (*id, ClientSegment { id: *id, constraints: vec![] });
        Loaded {
            revision,
            features: features.iter().map(|feature| Flag::written(feature, vec![])).collect(),
            segments: segments.iter().map(segment).collect(),
            ..Loaded::default()
        }
    }

    fn sees(projects: &[&str]) -> ClientFilter {
        let projects = projects.iter().map(|id| (*id).to_owned()).collect();
        ClientFilter { projects: Some(projects), ..ClientFilter::default() }
    }

    /// Type and name (or id) of each event.
    fn told(environment: &Environment, filter: &ClientFilter, since: Option<i64>) -> Vec<String> {
        let Some(delta) = environment.delta(filter, since) else { return vec![] };
        let delta: Value = serde_json::from_str(&delta.json).expect("JSON");
        let events = delta["events"].as_array().expect("a list").iter();
        let subject = |event: &Value| {
            ["/feature/name", "/featureName", "/segment/id", "/segmentId", "/features"]
                .iter()
                .find_map(|place| event.pointer(place))
                .cloned()
                .unwrap_or(json!(null))
        };
        events.map(|event| format!("{} {}", event["type"].as_str().expect("a type"), subject(event))).collect()
    }

    #[test]
    fn who_knows_the_state_is_told_the_difference_and_others_everything() {
        let first = Environment::follow(None, loaded(5, &[feature("a", "p", false, &[])], &[]), 0);
        let all = ClientFilter::default();
        assert_eq!(told(&first, &all, Some(5)), Vec::<String>::new());
        for unknown in [None, Some(4), Some(6)] {
            assert!(told(&first, &all, unknown)[0].starts_with("hydration [{"), "{unknown:?}");
        }
        let next = loaded(9, &[feature("a", "p", true, &[1]), feature("b", "q", true, &[])], &[1, 2]);
        let next = Environment::follow(Some(&first), next, 1);
        let expected = ["segment-updated 1", "feature-updated \"a\"", "feature-updated \"b\""];
        assert_eq!(told(&next, &all, Some(5)), expected);
        assert_eq!(told(&next, &all, Some(8)), expected, "a state of another node between the two");
        assert_eq!(told(&next, &sees(&["q"]), Some(5)), ["feature-updated \"b\""], "no segment of other projects");
        assert_eq!(told(&next, &all, Some(9)), Vec::<String>::new());
        let last = Environment::follow(Some(&next), loaded(12, &[feature("a", "p", true, &[])], &[2]), 2);
        assert_eq!(told(&last, &all, Some(9)), ["feature-updated \"a\"", "feature-removed \"b\"", "segment-removed 1"]);
        assert_eq!(last.delta(&all, Some(5)).expect("news").revision, 12);
    }

    #[test]
    fn a_feature_that_moves_leaves_one_project_and_comes_to_the_other() {
        let first = Environment::follow(None, loaded(1, &[feature("a", "p", true, &[])], &[]), 0);
        let moved = Environment::follow(Some(&first), loaded(2, &[feature("a", "q", true, &[])], &[]), 1);
        assert_eq!(told(&moved, &sees(&["p"]), Some(1)), ["feature-removed \"a\""]);
        assert_eq!(told(&moved, &sees(&["q"]), Some(1)), ["feature-updated \"a\""]);
        assert_eq!(told(&moved, &sees(&["r"]), Some(1)), Vec::<String>::new());
        let gone = Environment::follow(Some(&moved), loaded(3, &[], &[]), 2);
        assert_eq!(told(&gone, &sees(&["p"]), Some(1)), ["feature-removed \"a\""], "over two changes");
        assert_eq!(told(&gone, &sees(&["p"]), Some(2)), Vec::<String>::new());
    }

    #[test]
    fn what_did_not_change_keeps_its_revision_and_a_database_put_back_starts_anew() {
        let first = Environment::follow(None, loaded(5, &[feature("a", "p", true, &[])], &[]), 0);
        let same = Environment::follow(Some(&first), loaded(8, &[feature("a", "p", true, &[])], &[]), 1);
        assert_eq!((same.changed_at, same.content), (5, first.content));
        assert_eq!(told(&same, &ClientFilter::default(), Some(7)), Vec::<String>::new());
        let back = Environment::follow(Some(&same), loaded(3, &[feature("a", "p", true, &[])], &[]), 2);
        assert!(told(&back, &ClientFilter::default(), Some(5))[0].starts_with("hydration"));
    }
}
