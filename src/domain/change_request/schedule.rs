//! When a change request is applied by itself, and what keeps it from that.

use std::fmt;

use crate::time::Timestamp;

/// Longest time ahead for which a change request may be scheduled.
pub const MOST_DAYS_AHEAD: i64 = 5 * 366;

/// Standing of a schedule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    /// It waits for its time.
    Pending,
    /// Its changes could not be made, for this reason. It is not tried again until a user reschedules it.
    Failed(String),
    /// Something else has changed what it is about. It is not applied until a user acts.
    Suspended(String),
}

impl Status {
    /// Name of [`Status::Pending`].
    pub const PENDING: &'static str = "pending";
    /// Name of [`Status::Failed`].
    pub const FAILED: &'static str = "failed";
    /// Name of [`Status::Suspended`].
    pub const SUSPENDED: &'static str = "suspended";

    /// The name on the wire and in the store.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Pending => Self::PENDING,
            Self::Failed(_) => Self::FAILED,
            Self::Suspended(_) => Self::SUSPENDED,
        }
    }

    /// Reads the stored form. A status that this version does not know is not applied.
    pub fn of_stored(name: &str, reason: Option<String>) -> Self {
        match name {
            Self::PENDING => Self::Pending,
            Self::FAILED => Self::Failed(reason.unwrap_or_default()),
            _ => Self::Suspended(reason.unwrap_or_default()),
        }
    }

    /// Reason why it is not applied.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Pending => None,
            Self::Failed(reason) | Self::Suspended(reason) => Some(reason),
        }
    }
}

/// Schedule of a change request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    /// When it is to be applied.
    pub at: Timestamp,
    /// Its status.
    pub status: Status,
    /// Id of the user in whose name it is applied.
    pub scheduled_by: i64,
}

/// Whether a change request can be scheduled for an instant. The error is the end of a sentence about it.
pub fn judge_time(at: Timestamp, now: Timestamp) -> Result<(), String> {
    if at <= now {
        return Err("must be in the future".to_owned());
    }
    if at > now.plus_days(MOST_DAYS_AHEAD) {
        return Err(format!("must be within {MOST_DAYS_AHEAD} days"));
    }
    Ok(())
}

/// Reason to suspend a schedule: mostly a change of the same target elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trigger<'a> {
    /// A feature was archived.
    FeatureArchived(&'a str),
    /// A strategy of this feature was deleted.
    StrategyDeleted(&'a str),
    /// A strategy of this feature was changed.
    StrategyUpdated(&'a str),
    /// The variants of this feature in the environment were changed.
    VariantsUpdated(&'a str),
    /// A segment of the project was changed, by name.
    SegmentUpdated(&'a str),
    /// The account of the user who scheduled it was deleted.
    SchedulerDeleted,
    /// The change request was moved in from another server.
    MovedIn,
}

impl fmt::Display for Trigger<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FeatureArchived(name) => write!(f, "The feature \"{name}\" was archived."),
            Self::StrategyDeleted(name) => write!(f, "A strategy of the feature \"{name}\" was deleted."),
            Self::StrategyUpdated(name) => write!(f, "A strategy of the feature \"{name}\" was changed."),
            Self::VariantsUpdated(name) => write!(f, "The variants of the feature \"{name}\" were changed."),
            Self::SegmentUpdated(name) => write!(f, "The segment \"{name}\" was changed."),
            Self::SchedulerDeleted => f.write_str("The account of the user who scheduled it was deleted."),
            Self::MovedIn => f.write_str("It was moved in from another server."),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::DAY_MS;

    #[test]
    fn a_status_is_read_as_it_was_stored_and_an_unknown_one_is_not_applied() {
        let reason = || "gone".to_owned();
        for status in [Status::Pending, Status::Failed(reason()), Status::Suspended(reason())] {
            let stored = status.reason().map(str::to_owned);
            assert_eq!(Status::of_stored(status.as_str(), stored), status);
        }
        assert_eq!(Status::of_stored("paused", None), Status::Suspended(String::new()));
    }

    #[test]
    fn a_time_is_ahead_but_not_too_far() {
        let now = Timestamp::from_millis(0);
        for (millis, expected) in [
            (-1, false),
            (0, false),
            (1, true),
            (MOST_DAYS_AHEAD * DAY_MS, true),
            (MOST_DAYS_AHEAD * DAY_MS + 1, false),
        ] {
            assert_eq!(judge_time(Timestamp::from_millis(millis), now).is_ok(), expected, "{millis}");
        }
    }
}
