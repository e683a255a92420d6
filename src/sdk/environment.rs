//! An environment as programs see it, and its recent changes.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use super::{
    history::{History, What},
    judgement::Reading,
};
use flagstone_domain::client_feature::{ClientFeature, ClientFilter, ClientSegment, Flag, Loaded, Numbering};
use serde::Serialize;

/// A segment, ready to be sent.
#[derive(Debug, PartialEq)]
pub(super) struct Segment {
    pub(super) segment: ClientSegment,
    pub(super) json: String,
}

/// An environment at one moment. It never changes; the next moment has another.
#[derive(Debug)]
pub struct Environment {
    /// Epoch up to which changes have been processed.
    pub(super) epoch: u64,
    /// Id of the content: equal content may have the same, other content never.
    pub(super) content: u64,
    /// Id of the newest event of the moment.
    pub(super) revision: i64,
    /// Id of the newest event when the features or segments last changed.
    pub(super) changed_at: i64,
    flags: Vec<Arc<Flag>>,
    pub(super) segments: BTreeMap<i64, Arc<Segment>>,
    pub(super) history: History,
    /// Evaluation rules of the features, read once they are asked for; shared by equal content.
    pub(super) reading: Arc<Reading>,
}

impl Environment {
    /// Builds the loaded environment after an earlier one. What did not change is shared with it.
    pub fn follow(before: Option<&Self>, loaded: Loaded, epoch: u64) -> Self {
        let revision = loaded.revision;
        let old_flags: HashMap<&str, &Arc<Flag>> =
            before.iter().flat_map(|before| &before.flags).map(|flag| (&*flag.name, flag)).collect();
        let loaded_flags = loaded.features.into_iter().map(|flag| match old_flags.get(&*flag.name) {
            Some(old) if old.is_still(&flag) => Arc::clone(old),
            _ => Arc::new(flag),
        });
        let unasked = before.zip(loaded.only.as_ref()).into_iter().flat_map(|(before, only)| {
            let flags = before.flags.iter().filter(|flag| !only.contains(&*flag.name));
            flags.map(Arc::clone)
        });
        let mut flags: Vec<Arc<Flag>> = unasked.chain(loaded_flags).collect();
        flags.sort_by(|one, other| one.name.cmp(&other.name));
        let old_segments = before.map(|before| &before.segments);
        let segments: BTreeMap<i64, Arc<Segment>> = loaded
            .segments
            .into_iter()
            .map(|(id, segment)| match old_segments.and_then(|old| old.get(&id)) {
                Some(old) if old.segment == segment => (id, Arc::clone(old)),
                _ => (id, Arc::new(Segment { json: to_json(&segment), segment })),
            })
            .collect();
        let Some(before) = before else {
            let history = History::starting(revision, loaded.numbering);
            return Self {
                epoch,
                content: fresh(),
                revision,
                changed_at: revision,
                flags,
                segments,
                history,
                reading: Arc::default(),
            };
        };
        let same = same_flags(&before.flags, &flags)
            && before.segments.len() == segments.len()
            && before.segments.values().zip(segments.values()).all(|(old, new)| Arc::ptr_eq(old, new));
        let changed = if same { Vec::new() } else { before.differences(&flags, &segments) };
        let mut history = before.history.clone();
        // A database that was put back to an earlier state repeats the ids of its events.
        let turned_back = revision < before.revision || before.numbering() != loaded.numbering;
        let changed_at = if changed.is_empty() && !turned_back { before.changed_at } else { revision };
        if turned_back {
            history = History::starting(revision, loaded.numbering);
        } else {
            history.record(revision, changed);
        }
        let (content, reading) = if same {
            (before.content, Arc::clone(&before.reading))
        } else {
            (fresh(), Arc::new(before.reading.next()))
        };
        Self { epoch, content, revision, changed_at, flags, segments, history, reading }
    }

    /// Number of the moment at which the features or segments last changed.
    pub const fn changed_at(&self) -> i64 {
        self.changed_at
    }

    /// Numbering of its revisions.
    pub const fn numbering(&self) -> Numbering {
        self.history.numbering()
    }

    /// The segments, by id.
    pub fn segments(&self) -> impl Iterator<Item = &ClientSegment> {
        self.segments.values().map(|segment| &segment.segment)
    }

    /// The features, by name.
    pub fn flags(&self) -> &[Arc<Flag>] {
        &self.flags
    }

    /// The feature of this name, if the filter lets it be seen.
    pub fn find(&self, name: &str, filter: &ClientFilter) -> Option<&Arc<Flag>> {
        self.flag(name).filter(|flag| filter.admits(flag))
    }

    /// The feature of this name.
    pub(super) fn flag(&self, name: &str) -> Option<&Arc<Flag>> {
        place(&self.flags, name).map(|place| &self.flags[place])
    }

    /// The feature with the constraints of its segments among those of its strategies.
    pub fn inlined(&self, feature: &ClientFeature) -> ClientFeature {
        let mut feature = feature.clone();
        for strategy in &mut feature.strategies {
            for id in strategy.segments.take().into_iter().flatten() {
                let constraints = self.segments.get(&id).map(|segment| segment.segment.constraints.as_slice());
                strategy.constraints.extend_from_slice(constraints.unwrap_or_default());
            }
        }
        feature
    }

    fn differences(&self, flags: &[Arc<Flag>], segments: &BTreeMap<i64, Arc<Segment>>) -> Vec<What> {
        let mut changed = Vec::new();
        let mut old: HashMap<&str, &Arc<Flag>> = self.flags.iter().map(|flag| (&*flag.name, flag)).collect();
        let feature = |name: &str, before: Option<&Arc<Flag>>| What::Feature {
            name: name.into(),
            before: before.map(|flag| (*flag.project).into()),
        };
        for flag in flags {
            let before = old.remove(&*flag.name);
            if before.is_none_or(|before| before.json() != flag.json()) {
                changed.push(feature(&flag.name, before));
            }
        }
        changed.extend(old.into_iter().map(|(name, before)| feature(name, Some(before))));
        for (id, segment) in segments {
            if self.segments.get(id).is_none_or(|before| before.json != segment.json) {
                changed.push(What::Segment(*id));
            }
        }
        changed.extend(self.segments.keys().filter(|id| !segments.contains_key(id)).map(|id| What::Segment(*id)));
        changed
    }
}

/// The place of this name among features that are in the order of their names.
pub(super) fn place(flags: &[Arc<Flag>], name: &str) -> Option<usize> {
    flags.binary_search_by(|flag| (*flag.name).cmp(name)).ok()
}

fn same_flags(one: &[Arc<Flag>], other: &[Arc<Flag>]) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(one, other)| Arc::ptr_eq(one, other))
}

/// A number that no other content has.
fn fresh() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

pub(super) fn to_json<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).expect("what programs read has string keys and finite numbers")
}
