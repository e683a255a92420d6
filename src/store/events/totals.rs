//! Totals that were counted before. The log only grows, at its end: what was counted stays true of what there was.

use crate::store::db::remembered::Remembered;

/// Bytes of totals, and of the statements that count them.
const MOST_BYTES: usize = 1 << 20;
/// Places of matching events that are kept for one total.
const MOST_MARKS: usize = 128;

/// Totals by the statement that counts them.
#[derive(Debug)]
pub(in crate::store) struct Totals(Remembered<Known>);

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
        let bytes = known.marks.len() * size_of::<Mark>();
        self.0.keep(question, known, bytes);
    }
}

/// The ids between which events were counted; 0 for an empty log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) struct Stretch {
    /// The first id in the log.
    pub(super) first: i64,
    /// The last id in the log.
    pub(super) last: i64,
}

impl Stretch {
    /// Whether this log is an earlier one and what was added to it. One that was cut, or put back to an earlier state,
    /// is not.
    pub(super) const fn continues(self, earlier: Self) -> bool {
        (earlier.first == self.first || earlier.last == 0) && self.last >= earlier.last
    }
}

/// A matching event, and how many match up to it, itself included: a log that only grows never changes that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mark {
    /// Matching events that are not newer.
    pub(super) place: i64,
    /// Id of the event.
    pub(super) id: i64,
}

/// A total, and of what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::store) struct Known {
    /// How many events matched.
    pub(super) total: i64,
    /// Among which.
    pub(super) stretch: Stretch,
    /// Some of them, from the oldest.
    marks: Vec<Mark>,
}

impl Known {
    pub(super) const fn new(total: i64, stretch: Stretch) -> Self {
        Self { total, stretch, marks: Vec::new() }
    }

    /// With what was counted since.
    pub(super) fn with(self, since: &Self) -> Self {
        Self { total: self.total + since.total, stretch: since.stretch, ..self }
    }

    /// The oldest known match of those that are at this place or newer.
    pub(super) fn nearest(&self, place: i64) -> Option<Mark> {
        let Self { total, stretch, marks } = self;
        if *total == stretch.last - stretch.first + 1 {
            // Every id is that of a match.
            return Some(Mark { place, id: stretch.first + place - 1 });
        }
        marks.get(marks.partition_point(|mark| mark.place < place)).copied()
    }

    /// Keeps in mind where a match is. Of too many it forgets every other one.
    pub(super) fn add(&mut self, mark: Mark) {
        let at = self.marks.partition_point(|earlier| earlier.place < mark.place);
        self.marks.insert(at, mark);
        if self.marks.len() > MOST_MARKS {
            let mut is_kept = false;
            self.marks.retain(|_| {
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
        let stretch = |first, last| Stretch { first, last };
        for (earlier, later, continues) in [
            (stretch(1, 10), stretch(1, 10), true),
            (stretch(1, 10), stretch(1, 11), true),
            (stretch(0, 0), stretch(1, 3), true),
            (stretch(1, 10), stretch(5, 11), false),
            (stretch(1, 10), stretch(1, 9), false),
            (stretch(1, 10), stretch(0, 0), false),
        ] {
            assert_eq!(later.continues(earlier), continues, "{later:?} after {earlier:?}");
        }
    }
}
