//! Totals that were counted before. The log only grows, at its end: what was counted stays true of what there was.

use crate::store::remembered::Remembered;

/// Bytes of totals, and of the statements that count them.
const MOST_BYTES: usize = 1 << 20;

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
        self.0.keep(question, known, 0);
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

/// A total, and of what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) struct Known {
    /// How many events matched.
    pub(super) total: i64,
    /// Among which.
    pub(super) stretch: Stretch,
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
