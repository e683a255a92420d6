//! Totals that were counted before. The log only grows, at its end: what was counted stays true of what there was.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

/// Totals that are kept; when there are more, all are forgotten.
const KEPT: usize = 512;
/// Bytes of a question whose total is kept.
const LONGEST: usize = 2048;

/// The ids between which events were counted; 0 for an empty log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stretch {
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
pub(super) struct Known {
    /// How many events matched.
    pub(super) total: i64,
    /// Among which.
    pub(super) stretch: Stretch,
}

/// Totals by the statement that counts them, values included.
#[derive(Debug, Default)]
pub struct Totals(Mutex<HashMap<String, Known>>);

impl Totals {
    pub(super) fn find(&self, question: &str) -> Option<Known> {
        self.lock().get(question).copied()
    }

    pub(super) fn keep(&self, question: String, known: Known) {
        if question.len() > LONGEST {
            return;
        }
        let mut totals = self.lock();
        if totals.len() >= KEPT && !totals.contains_key(&question) {
            totals.clear();
        }
        totals.insert(question, known);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, Known>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
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

    #[test]
    fn few_totals_are_kept_and_none_of_a_long_question() {
        let totals = Totals::default();
        let known = Known { total: 1, stretch: Stretch { first: 1, last: 1 } };
        totals.keep("q".repeat(LONGEST + 1), known);
        assert_eq!(totals.lock().len(), 0);
        for number in 0..KEPT * 2 {
            totals.keep(number.to_string(), known);
        }
        assert!(totals.lock().len() <= KEPT);
        assert_eq!(totals.find(&(KEPT * 2 - 1).to_string()), Some(known));
    }
}
