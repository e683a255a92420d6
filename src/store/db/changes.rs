//! Changes that this node knows of: a number that rises with each change, and the events that its own commits added to
//! the log.

use std::{
    collections::VecDeque,
    mem,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use flagstone_domain::event_kind::Concerns;
use tokio::sync::watch;

use crate::events::revisions::News;

/// Most commits that are remembered. A caller that has missed more looks at the log.
const REMEMBERED: usize = 64;

/// The changes that this node made or noticed.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    generation: watch::Sender<u64>,
    /// The newest commits of this node, oldest first.
    commits: Mutex<VecDeque<Commit>>,
}

#[derive(Debug)]
struct Commit {
    /// The generation that it made.
    generation: u64,
    events: Events,
}

/// The events that a commit added to the log.
#[derive(Debug, Default)]
pub(crate) struct Events {
    /// Their ids; empty where they are not known.
    pub ids: Vec<i64>,
    /// Concerns of the events.
    pub concerns: Concerns,
}

/// Notes a commit when it is dropped, be it because the commit ended or because its end is not waited for any more.
pub(crate) struct Announcement {
    changes: Arc<Changes>,
    /// Events of the commit, as far as they are known by then.
    pub events: Events,
}

impl Announcement {
    /// Announcement of a commit whose events concern this, and have no ids yet.
    pub(crate) const fn new(changes: Arc<Changes>, concerns: Concerns) -> Self {
        Self { changes, events: Events { ids: Vec::new(), concerns } }
    }
}

impl Drop for Announcement {
    fn drop(&mut self) {
        self.changes.note_commit(mem::take(&mut self.events));
    }
}

impl Changes {
    /// Rises with every change that is noted.
    pub(crate) fn generation(&self) -> u64 {
        *self.generation.borrow()
    }

    /// Subscribes to rises of the generation.
    pub(crate) fn subscribe(&self) -> watch::Receiver<u64> {
        self.generation.subscribe()
    }

    /// Notes a commit of this node.
    pub(crate) fn note_commit(&self, events: Events) {
        let mut commits = self.lock();
        self.note();
        if commits.len() == REMEMBERED {
            commits.pop_front();
        }
        commits.push_back(Commit { generation: self.generation(), events });
    }

    /// Notes a change of which only the log has the details.
    pub(crate) fn note(&self) {
        self.generation.send_modify(|generation| *generation += 1);
    }

    /// Returns the changes after the event with the id `seen`, which was the newest at a generation, and the generation
    /// now. `None` unless all of them were committed here: then only the log has them.
    pub(crate) fn since(&self, generation: u64, seen: i64) -> Option<(u64, News)> {
        let commits = self.lock();
        let now = self.generation();
        let newer: Vec<_> = commits.iter().filter(|commit| commit.generation > generation).collect();
        if u64::try_from(newer.len()) != Ok(now.checked_sub(generation)?) {
            return None;
        }
        if newer.iter().any(|commit| commit.events.ids.is_empty()) {
            return None;
        }
        let mut ids: Vec<i64> = newer.iter().flat_map(|commit| &commit.events.ids).copied().collect();
        ids.retain(|id| *id > seen);
        ids.sort_unstable();
        // Whatever is missing in between may be another node's.
        let are_all = ids.iter().zip(seen + 1..).all(|(id, next)| *id == next);
        let concerns = newer.iter().fold(Concerns::default(), |all, commit| all.and(commit.events.concerns));
        are_all.then(|| (now, News { revision: ids.last().copied().unwrap_or(seen), concerns }))
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Commit>> {
        self.commits.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FEATURES: Concerns = Concerns { features: true, tokens: false, settings: false };
    const TOKENS: Concerns = Concerns { features: false, tokens: true, settings: false };

    fn events(ids: &[i64], concerns: Concerns) -> Events {
        Events { ids: ids.to_vec(), concerns }
    }

    #[test]
    fn what_was_committed_here_is_known_without_a_look() {
        let changes = Changes::default();
        changes.note_commit(events(&[8, 9], FEATURES));
        changes.note_commit(events(&[10], TOKENS));
        let both = Concerns { settings: false, ..Concerns::ALL };
        assert_eq!(changes.since(0, 7), Some((2, News { revision: 10, concerns: both })));
        assert_eq!(changes.since(1, 9), Some((2, News { revision: 10, concerns: TOKENS })));
        assert_eq!(changes.since(2, 10), Some((2, News { revision: 10, concerns: Concerns::default() })));
    }

    #[test]
    fn the_order_in_which_commits_are_noted_does_not_matter() {
        let changes = Changes::default();
        changes.note_commit(events(&[2], FEATURES));
        assert_eq!(changes.since(0, 0), None);
        changes.note_commit(events(&[1], TOKENS));
        assert!(changes.since(0, 0).is_some_and(|(_, news)| news.revision == 2));
        // By a look at the log the first commit may have been seen before it is noted.
        assert_eq!(changes.since(1, 2), Some((2, News { revision: 2, concerns: TOKENS })));
    }

    #[test]
    fn what_others_changed_only_the_log_tells() {
        let changes = Changes::default();
        changes.note_commit(events(&[1], FEATURES));
        changes.note();
        assert_eq!(changes.since(0, 0), None);
        changes.note_commit(events(&[2], FEATURES));
        assert_eq!(changes.since(1, 1), None);
        assert!(changes.since(2, 1).is_some());
    }

    #[test]
    fn a_gap_and_events_without_ids_are_looked_at() {
        let changes = Changes::default();
        changes.note_commit(events(&[1, 3], FEATURES));
        assert_eq!(changes.since(0, 0), None);
        changes.note_commit(events(&[], FEATURES));
        assert_eq!(changes.since(1, 3), None);
    }

    #[test]
    fn whoever_missed_many_commits_looks() {
        let changes = Changes::default();
        for id in 1..=65 {
            changes.note_commit(events(&[id], FEATURES));
        }
        assert_eq!(changes.since(0, 0), None);
        assert!(changes.since(1, 1).is_some());
    }
}
