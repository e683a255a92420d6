//! Usage gathered since the last write, within bounds.

use std::collections::HashMap;

use flagstone_domain::{
    time::Timestamp,
    unknown_flag::UnknownFlag,
    usage::{HeardApplication, HeardInstance, InstanceKey, KnownReport, Tally, TallyKey},
};

/// Tallies that are gathered between two writes.
pub(super) const TALLIES: usize = 100_000;
/// Counts of variants that are gathered between two writes.
const VARIANTS: usize = 200_000;
/// Tallies of those that are kept by report. Beyond them reports are counted together with others, and not recognised
/// when they come again: it is better to count twice than not at all.
const TALLIES_BY_REPORT: usize = TALLIES / 2;
/// Features that no token reached, by who asked, that are noted between two writes.
const UNKNOWN_FLAGS: usize = 2_000;
/// Reports whose tallies are kept apart between two writes.
const REPORTS: usize = 10_000;

#[derive(Debug, Clone, Default)]
pub(super) struct Notes {
    pub(super) tallies: HashMap<TallyKey, Tally>,
    /// Reports that may be known to other nodes.
    pub(super) reports: HashMap<String, KnownReport>,
    pub(super) tallies_by_report: usize,
    pub(super) variants: usize,
    pub(super) evaluated: HashMap<(String, String), Timestamp>,
    pub(super) applications: HashMap<String, HeardApplication>,
    pub(super) instances: HashMap<InstanceKey, HeardInstance>,
    pub(super) tokens: HashMap<i64, Timestamp>,
    pub(super) unknown_flags: HashMap<UnknownFlag, Timestamp>,
    pub(super) dropped: u64,
}

impl Notes {
    /// Keeps a report by its id, or counts it with the others where there is no room for that.
    pub(super) fn keep_report(&mut self, id: String, report: KnownReport) {
        let tallies = self.tallies_by_report + report.tallies.len();
        let variants = self.variants + report.tallies.values().map(|tally| tally.variants.len()).sum::<usize>();
        let has_room = tallies <= TALLIES_BY_REPORT && self.tallies.len() + tallies <= TALLIES && variants <= VARIANTS;
        if has_room && self.reports.len() < REPORTS && !self.reports.contains_key(&id) {
            self.reports.insert(id, report);
            (self.tallies_by_report, self.variants) = (tallies, variants);
            return;
        }
        for (key, tally) in report.tallies {
            self.add(key, tally);
        }
    }

    /// Notes that a feature was asked for that no token reached, where there is room.
    pub(super) fn add_unknown_flag(&mut self, flag: UnknownFlag, at: Timestamp) {
        if let Some(known) = self.unknown_flags.get_mut(&flag) {
            *known = at.max(*known);
        } else if self.unknown_flags.len() < UNKNOWN_FLAGS {
            self.unknown_flags.insert(flag, at);
        }
    }

    /// Counts, and returns whether there was room.
    pub(super) fn add(&mut self, key: TallyKey, mut tally: Tally) -> bool {
        let known = self.tallies.contains_key(&key);
        if !known && self.tallies.len() + self.tallies_by_report >= TALLIES {
            self.dropped += 1;
            return false;
        }
        if self.variants >= VARIANTS {
            tally.variants.clear();
        }
        let total = self.tallies.entry(key).or_default();
        let before = total.variants.len();
        total.add(tally);
        self.variants += total.variants.len() - before;
        true
    }
}
