//! Health of a project: stale features, lifetimes of feature types, time to production, and the windows of the
//! statistics.

use crate::time::Timestamp;

/// Days in one window of the project statistics.
const WINDOW_DAYS: i64 = 30;
/// Days to production that are shown for a time that rounds to zero: quick, not unknown.
const QUICKEST_DAYS: f64 = 0.1;

/// Features in use, by what stands against them. A feature is in exactly one of the three states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct HealthCounts {
    /// Neither stale nor potentially stale.
    pub healthy: i64,
    /// Marked as stale by hand.
    pub stale: i64,
    /// Not marked, but older than the lifetime of their type.
    pub potentially_stale: i64,
}

impl HealthCounts {
    /// All features in use.
    pub const fn total(self) -> i64 {
        self.healthy + self.stale + self.potentially_stale
    }

    /// Features that are not marked as stale.
    pub const fn unmarked(self) -> i64 {
        self.healthy + self.potentially_stale
    }

    /// Share of healthy features in percent, halves rounded up; 100 where there are no features.
    pub const fn health(self) -> i64 {
        let total = self.total();
        if total == 0 { 100 } else { (200 * self.healthy + total) / (2 * total) }
    }

    /// Technical debt: percentage points missing to full health.
    pub const fn technical_debt(self) -> i64 {
        100 - self.health()
    }
}

/// Expected lifetimes of features by their type. Types without a lifetime never grow old.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Lifetimes(Vec<(String, i64)>);

impl Lifetimes {
    /// From types and their lifetimes in days; none and zero both mean for ever.
    pub fn new(types: impl IntoIterator<Item = (String, Option<i64>)>) -> Self {
        let mortal = |(kind, days): (String, Option<i64>)| Some((kind, days.filter(|days| *days > 0)?));
        Self(types.into_iter().filter_map(mortal).collect())
    }

    /// For each mortal type the latest moment of creation at which a feature has reached its lifetime by `now`.
    pub fn cutoffs(&self, now: Timestamp) -> impl Iterator<Item = (&str, Timestamp)> {
        self.0.iter().map(move |(kind, days)| (kind.as_str(), now.plus_days(-days)))
    }

    /// When a feature reaches the lifetime of its type; `None` for never.
    pub fn end_of(&self, kind: &str, created_at: Timestamp) -> Option<Timestamp> {
        let (_, days) = self.0.iter().find(|(name, _)| name == kind)?;
        Some(created_at.plus_days(*days))
    }
}

/// The two windows that the statistics of a project compare: the last 30 days, and the 30 days before.
///
/// Each holds its first instant; the past window ends right before the current one begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Windows {
    /// Start of the past window.
    pub past: Timestamp,
    /// Start of the current window, and end of the past one.
    pub current: Timestamp,
    /// End of the current window, which belongs to it.
    pub now: Timestamp,
}

impl Windows {
    /// The windows that end at `now`.
    pub const fn ending(now: Timestamp) -> Self {
        Self { past: now.plus_days(-2 * WINDOW_DAYS), current: now.plus_days(-WINDOW_DAYS), now }
    }
}

/// Times that features took from creation to their first enabling in production, added up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TimesToProduction {
    /// Features that got there.
    pub features: i64,
    /// Sum of the whole days that each took.
    pub days: i64,
}

impl TimesToProduction {
    /// Mean in days with one decimal, at least 0.1; `None` when no feature got there.
    #[expect(clippy::cast_precision_loss, reason = "counts and days stay far below 53 bits")]
    pub fn mean_days(self) -> Option<f64> {
        if self.features == 0 {
            return None;
        }
        let mean = self.days as f64 / self.features as f64;
        Some(((mean * 10.0).round() / 10.0).max(QUICKEST_DAYS))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::DAY_MS;

    fn counts(healthy: i64, stale: i64, potentially_stale: i64) -> HealthCounts {
        HealthCounts { healthy, stale, potentially_stale }
    }

    #[test]
    fn health_is_the_rounded_share_of_healthy_features() {
        for (counts, health) in [
            (counts(0, 0, 0), 100),
            (counts(7, 1, 0), 88),
            (counts(7, 0, 1), 88),
            (counts(2, 1, 0), 67),
            (counts(1, 1, 1), 33),
            (counts(0, 2, 1), 0),
            (counts(199, 1, 0), 100),
            (counts(1, 199, 0), 1),
        ] {
            assert_eq!(counts.health(), health, "{counts:?}");
            assert_eq!(counts.technical_debt(), 100 - health, "{counts:?}");
        }
    }

    #[test]
    fn potentially_stale_features_count_as_unmarked() {
        let counts = counts(3, 2, 1);
        assert_eq!((counts.total(), counts.unmarked()), (6, 4));
    }

    #[test]
    fn only_types_with_a_lifetime_grow_old() {
        let types = [("release", Some(40)), ("zero", Some(0)), ("permission", None)];
        let lifetimes = Lifetimes::new(types.map(|(kind, days)| (kind.to_owned(), days)));
        let created_at = Timestamp::from_millis(5);
        assert_eq!(lifetimes.end_of("release", created_at), Some(Timestamp::from_millis(5 + 40 * DAY_MS)));
        for immortal in ["zero", "permission", "unheard-of"] {
            assert_eq!(lifetimes.end_of(immortal, created_at), None, "{immortal}");
        }
        let now = Timestamp::from_millis(100 * DAY_MS);
        let cutoffs: Vec<_> = lifetimes.cutoffs(now).collect();
        assert_eq!(cutoffs, [("release", Timestamp::from_millis(60 * DAY_MS))]);
    }

    #[test]
    fn time_to_production_is_a_mean_with_one_decimal() {
        let mean = |features, days| TimesToProduction { features, days }.mean_days();
        assert_eq!(mean(0, 0), None);
        assert_eq!(mean(1, 0), Some(0.1));
        assert_eq!(mean(100, 1), Some(0.1));
        assert_eq!(mean(3, 11), Some(3.7));
        assert_eq!(mean(2, 8), Some(4.0));
    }
}
