//! Recent changes of an environment, so that a program with an earlier state receives the difference alone.

use std::{collections::VecDeque, sync::Arc};

use flagstone_domain::client_feature::Numbering;

/// Most changes that are remembered. A program that is further behind receives everything.
const REMEMBERED: usize = 2000;

/// Something that changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum What {
    /// A feature, and the project that it belonged to before, if it was there.
    Feature {
        /// Its name.
        name: Arc<str>,
        /// Id of the project.
        before: Option<Arc<str>>,
    },
    /// A segment, by its id.
    Segment(i64),
}

/// A change, and the id of the newest event when it was noticed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) revision: i64,
    pub(super) what: What,
}

/// Changes in the order in which they were noticed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct History {
    /// Oldest revision from which the listed changes are complete.
    base: i64,
    numbering: Numbering,
    changes: VecDeque<Change>,
}

impl History {
    /// An empty history.
    pub(super) fn starting(base: i64, numbering: Numbering) -> Self {
        Self { base, numbering, changes: VecDeque::new() }
    }

    /// Numbering of the revisions.
    pub(super) const fn numbering(&self) -> Numbering {
        self.numbering
    }

    /// Adds what changed; forgets the oldest where there is too much, whole revisions at a time.
    pub(super) fn record(&mut self, revision: i64, changed: impl IntoIterator<Item = What>) {
        self.changes.extend(changed.into_iter().map(|what| Change { revision, what }));
        while self.changes.len() > REMEMBERED {
            let Some(oldest) = self.changes.front().map(|change| change.revision) else { return };
            self.base = oldest;
            while self.changes.front().is_some_and(|change| change.revision == oldest) {
                self.changes.pop_front();
            }
        }
    }

    /// Returns the changes after a revision, or `None` when they are not known any more.
    pub(super) fn after(&self, revision: i64) -> Option<impl Iterator<Item = &Change>> {
        let is_moment = match self.numbering {
            Numbering::Log => revision >= self.base,
            Numbering::Own => revision == self.base || self.changes.iter().any(|change| change.revision == revision),
        };
        is_moment.then(|| self.changes.iter().filter(move |change| change.revision > revision))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_is_forgotten_and_who_would_need_it_is_told() {
        let mut history = History::starting(10, Numbering::Log);
        assert!(history.after(9).is_none());
        assert_eq!(history.after(10).map(Iterator::count), Some(0));
        for revision in 11..=20 {
            history.record(revision, (0..300).map(What::Segment));
        }
        assert!(history.changes.len() <= REMEMBERED);
        assert!(history.after(13).is_none());
        assert_eq!(history.after(14).map(Iterator::count), Some(1800));
        assert_eq!(history.after(19).map(Iterator::count), Some(300));
        assert_eq!(history.after(20).map(Iterator::count), Some(0));
    }

    #[test]
    fn a_number_that_this_node_did_not_give_says_nothing() {
        let mut history = History::starting(10, Numbering::Own);
        history.record(20, [What::Segment(1)]);
        history.record(30, [What::Segment(2)]);
        assert_eq!(history.after(10).map(Iterator::count), Some(2));
        assert_eq!(history.after(20).map(Iterator::count), Some(1));
        assert!(history.after(15).is_none() && history.after(25).is_none());
    }
}
