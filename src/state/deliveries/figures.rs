//! Counters of attempts on this node.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use flagstone_domain::integration::delivery::Outcome;

/// End of an attempt, without its reasons.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The receiver took it.
    Taken,
    /// Put off: it may be taken later.
    PutOff,
    /// Refused: it will not be taken.
    Refused,
}

impl Ending {
    /// Every ending, with its name.
    pub const NAMED: [(Self, &str); 3] =
        [(Self::Taken, "taken"), (Self::PutOff, "put_off"), (Self::Refused, "refused")];
}

impl From<&Outcome> for Ending {
    fn from(outcome: &Outcome) -> Self {
        match outcome {
            Outcome::Taken(_) => Self::Taken,
            Outcome::Later { .. } => Self::PutOff,
            Outcome::Never(_) => Self::Refused,
        }
    }
}

/// Attempts since the start, by their ending.
#[derive(Debug, Default)]
pub(super) struct AttemptCounts([AtomicU64; Ending::NAMED.len()]);

impl AttemptCounts {
    pub(super) fn count(&self, ending: Ending) {
        self.0[ending as usize].fetch_add(1, Relaxed);
    }

    pub(super) fn of(&self, ending: Ending) -> u64 {
        self.0[ending as usize].load(Relaxed)
    }
}
