//! Totals that were counted before. The log only grows, at its end: what was counted stays true of what there was.

use crate::db::remembered::Remembered;

/// Bytes of totals, and of the statements that count them.
const MOST_BYTES: usize = 1 << 20;
/// Places of matching events that are kept for one total.
const MOST_CHECKPOINTS: usize = 128;

/// Totals by the statement that counts them.
#[derive(Debug)]
pub(crate) struct Totals(Remembered<Known>);

impl Default for Totals {
    fn default() -> Self {
        Self(Remembered::new(MOST_BYTES))
    }
}

impl Totals {
    pub(super) fn find(&self, question: &str) -> Option<Known> {
        self.0.find(question)
    }

    pub(super) fn keep(&self, question: String, known: Known) {
        let bytes = known.checkpoints.len() * size_of::<Checkpoint>();
        self.0.keep(question, known, bytes);
    }
}

/// The ids between which events were counted; 0 for an empty log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct IdRange {
    /// The first id in the log.
    pub(super) first: i64,
    /// The last id in the log.
    pub(super) last: i64,
}

impl IdRange {
    /// Whether this log is an earlier one and what was added to it. One that was cut, or put back to an earlier state,
    /// is not.
    pub(super) const fn continues(self, earlier: Self) -> bool {
        (earlier.first == self.first || earlier.last == 0) && self.last >= earlier.last
    }
}

/// A matching event, and how many match up to it, itself included: a log that only grows never changes that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Checkpoint {
    /// Matching events that are not newer.
    pub(super) place: i64,
    /// Id of the event.
    pub(super) id: i64,
}

/// A total, and of what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Known {
    /// Number of events that matched.
    pub(super) total: i64,
    /// Ids among which they were counted.
    pub(super) range: IdRange,
    /// Some of them, from the oldest.
    checkpoints: Vec<Checkpoint>,
}

impl Known {
    pub(super) const fn new(total: i64, range: IdRange) -> Self {
        Self { total, range, checkpoints: Vec::new() }
    }

    /// Adds a count of later events.
    pub(super) fn with(self, since: &Self) -> Self {
        Self { total: self.total + since.total, range: since.range, ..self }
    }

    /// The oldest known match of those that are at this place or newer.
    pub(super) fn nearest(&self, place: i64) -> Option<Checkpoint> {
        let Self { total, range, checkpoints } = self;
        if *total == range.last - range.first + 1 {
            // Every id is that of a match.
            return Some(Checkpoint { place, id: range.first + place - 1 });
        }
        checkpoints.get(checkpoints.partition_point(|checkpoint| checkpoint.place < place)).copied()
    }

    /// Keeps in mind where a match is. Of too many it forgets every other one.
    pub(super) fn add(&mut self, checkpoint: Checkpoint) {
        let at = self.checkpoints.partition_point(|earlier| earlier.place < checkpoint.place);
        self.checkpoints.insert(at, checkpoint);
        if self.checkpoints.len() > MOST_CHECKPOINTS {
            let mut is_kept = false;
            self.checkpoints.retain(|_| {
                is_kept = !is_kept;
                is_kept
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_continues_itself_unless_it_was_cut_or_put_back() {
        let range = |first, last| IdRange { first, last };
        for (earlier, later, continues) in [
            (range(1, 10), range(1, 10), true),
            (range(1, 10), range(1, 11), true),
            (range(0, 0), range(1, 3), true),
            (range(1, 10), range(5, 11), false),
            (range(1, 10), range(1, 9), false),
            (range(1, 10), range(0, 0), false),
        ] {
            assert_eq!(later.continues(earlier), continues, "{later:?} after {earlier:?}");
        }
    }
}
