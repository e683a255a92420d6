//! Usage reports of programs: how often features were evaluated, within bounds that no report can leave.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::{
    text,
    time::{DAY_MS, HOUR_MS, Timestamp},
    unknown_flag::UnknownFlag,
};

/// Most characters of the name of an application, instance, feature or variant. Longer ones are not kept.
pub const MAX_NAME: usize = 255;
/// Maximum age of evaluations in a report: longer than a proxy waits, and less than the time after which days are added
/// up.
pub const EARLIEST_MS: i64 = DAY_MS;
/// Maximum time by which the clock of a program may be ahead.
const LATEST_MS: i64 = HOUR_MS;
/// Maximum number of evaluations in one report; more are taken for as many.
pub const MOST_AT_ONCE: i64 = 1_000_000_000;
/// Most evaluations of one feature by one application in an hour. Sums of years stay within 64 bits.
pub const MOST_IN_AN_HOUR: i64 = 1_000_000_000_000;
/// Variants of one feature whose evaluations are counted one by one.
const VARIANTS: usize = 100;

/// Evaluations of a feature: how often it was on and off, and which variants it gave.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Tally {
    /// Evaluations that were on.
    pub yes: i64,
    /// Evaluations that were off.
    pub no: i64,
    /// Evaluations by the name of the variant that they gave.
    pub variants: BTreeMap<String, i64>,
}

impl Tally {
    /// A report, brought within bounds.
    pub fn of_report(yes: i64, no: i64, variants: impl IntoIterator<Item = (String, i64)>) -> Self {
        let bounded = |count: i64| count.clamp(0, MOST_AT_ONCE);
        let mut tally = Self { yes: bounded(yes), no: bounded(no), variants: BTreeMap::new() };
        for (name, count) in variants {
            if count > 0 {
                tally.count_variant(name, bounded(count));
            }
        }
        tally
    }

    /// Whether nothing was evaluated.
    pub fn is_empty(&self) -> bool {
        self.yes == 0 && self.no == 0 && self.variants.is_empty()
    }

    /// Adds another.
    pub fn add(&mut self, other: Self) {
        self.yes = self.yes.saturating_add(other.yes).min(MOST_IN_AN_HOUR);
        self.no = self.no.saturating_add(other.no).min(MOST_IN_AN_HOUR);
        for (name, count) in other.variants {
            self.count_variant(name, count);
        }
    }

    fn count_variant(&mut self, name: String, count: i64) {
        if let Some(total) = self.variants.get_mut(&name) {
            *total = total.saturating_add(count).min(MOST_IN_AN_HOUR);
        } else if self.variants.len() < VARIANTS && is_name(&name) {
            self.variants.insert(name, count);
        }
    }
}

/// Key of evaluations that are counted together.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TallyKey {
    /// Name of the feature.
    pub feature: String,
    /// Name of the application.
    pub application: String,
    /// Name of the environment.
    pub environment: String,
    /// Start of the hour.
    pub hour: Timestamp,
}

/// An application that was heard of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeardApplication {
    /// Names of the strategies that it knows; empty when it did not say.
    pub strategies: Vec<String>,
    /// Name of the token that it came with.
    pub token: String,
    /// Ids of the projects that its tokens name; none where they reach all.
    pub projects: BTreeSet<String>,
    /// When.
    pub at: Timestamp,
}

/// A running copy of an application that was heard of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeardInstance {
    /// Name and version of its SDK.
    pub sdk_version: Option<String>,
    /// When.
    pub at: Timestamp,
}

/// Key of a running copy of an application.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct InstanceKey {
    /// Name of the application.
    pub application: String,
    /// Name of the copy.
    pub instance: String,
    /// Name of the environment.
    pub environment: String,
}

/// A report that is recognised when it comes again.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KnownReport {
    /// Until when.
    pub until: Timestamp,
    /// Its evaluations.
    pub tallies: BTreeMap<TallyKey, Tally>,
}

/// Gathered reports. Ordered, so that nodes write rows in one order and do not wait for each other in a circle.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Gathered {
    /// Evaluations.
    pub tallies: BTreeMap<TallyKey, Tally>,
    /// Reports that are recognised when they come again, with their evaluations, by their ids.
    pub reports: BTreeMap<String, KnownReport>,
    /// When a feature was last evaluated in an environment.
    pub evaluated: BTreeMap<(String, String), Timestamp>,
    /// Applications by their names.
    pub applications: BTreeMap<String, HeardApplication>,
    /// Running copies.
    pub instances: BTreeMap<InstanceKey, HeardInstance>,
    /// When API tokens were last used, by their ids.
    pub tokens: BTreeMap<i64, Timestamp>,
    /// When features were last asked for that no token reached.
    pub unknown_flags: BTreeMap<UnknownFlag, Timestamp>,
}

impl Gathered {
    /// Whether there is nothing to write.
    pub fn is_empty(&self) -> bool {
        self.tallies.is_empty()
            && self.reports.is_empty()
            && self.applications.is_empty()
            && self.instances.is_empty()
            && self.tokens.is_empty()
            && self.unknown_flags.is_empty()
    }

    /// Adds what another holds.
    pub fn add(&mut self, other: Self) {
        for (key, tally) in other.tallies {
            self.tallies.entry(key).or_default().add(tally);
        }
        self.reports.extend(other.reports);
        self.evaluated.extend(other.evaluated);
        self.applications.extend(other.applications);
        self.instances.extend(other.instances);
        self.tokens.extend(other.tokens);
        self.unknown_flags.extend(other.unknown_flags);
    }
}

/// Whether a text can be the name of something that is counted.
pub fn is_name(text: &str) -> bool {
    text::is_name(text, MAX_NAME)
}

/// The hour that a report counts for. One from a time that cannot be counts for now.
pub fn hour_of(reported: Option<Timestamp>, now: Timestamp) -> Timestamp {
    let believable = |at: &Timestamp| *at >= now.plus_millis(-EARLIEST_MS) && *at <= now.plus_millis(LATEST_MS);
    reported.filter(believable).unwrap_or(now).min(now).floor_hour()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_stay_within_bounds() {
        let tally = Tally::of_report(-5, i64::MAX, [("a".to_owned(), i64::MAX), ("b".to_owned(), 0)]);
        assert_eq!((tally.yes, tally.no), (0, MOST_AT_ONCE));
        assert_eq!(tally.variants, BTreeMap::from([("a".to_owned(), MOST_AT_ONCE)]));
        let mut sum = Tally { yes: MOST_IN_AN_HOUR - 1, ..Tally::default() };
        sum.add(Tally::of_report(7, 1, []));
        assert_eq!((sum.yes, sum.no), (MOST_IN_AN_HOUR, 1));
        let many = (0..1000).map(|number| (format!("v{number}"), 1));
        assert_eq!(Tally::of_report(1, 0, many).variants.len(), VARIANTS);
        let long = [("x".repeat(MAX_NAME + 1), 1), (String::new(), 1)];
        assert!(Tally::of_report(0, 0, long).is_empty());
    }

    #[test]
    fn a_report_counts_for_its_hour_unless_it_cannot_be_true() {
        let now = Timestamp::parse("2026-01-15T12:34:56Z").expect("valid");
        let hour = now.floor_hour();
        for (minutes, expected) in
            [(0, hour), (-35, hour.plus_millis(-HOUR_MS)), (50, hour), (61, hour), (-24 * 60 - 1, hour)]
        {
            assert_eq!(hour_of(Some(now.plus_millis(minutes * 60_000)), now), expected, "{minutes} minutes");
        }
        assert_eq!(hour_of(None, now), hour);
        assert_eq!(hour_of(Some(Timestamp::from_millis(i64::MAX)), now), hour);
        assert_eq!(hour_of(Some(Timestamp::from_millis(i64::MIN)), now), hour);
    }
}
