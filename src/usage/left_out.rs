//! Entries of reports that do not count.

use std::sync::atomic::{AtomicU64, Ordering};

/// Reason why an entry of a report does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhyLeftOut {
    /// It has not the required form, or names an application with too long a name.
    Unfit,
    /// It is about another environment than the token's.
    Environment,
    /// The token reaches no feature of that name.
    Feature,
}

impl WhyLeftOut {
    /// All reasons with their names in metrics.
    pub const NAMED: [(Self, &'static str); 3] =
        [(Self::Unfit, "unfit"), (Self::Environment, "environment"), (Self::Feature, "feature")];
}

/// Number of such entries since the start, by reason.
#[derive(Debug, Default)]
pub(super) struct LeftOutCounts([AtomicU64; WhyLeftOut::NAMED.len()]);

impl LeftOutCounts {
    pub(super) fn add(&self, why: WhyLeftOut, entries: u64) {
        self.0[why as usize].fetch_add(entries, Ordering::Relaxed);
    }

    pub(super) fn of(&self, why: WhyLeftOut) -> u64 {
        self.0[why as usize].load(Ordering::Relaxed)
    }
}
