//! Numbers of accounts, and of those that were active, at the ends of past days.

use crate::{
    insights::{ACTIVE_DAYS, steps::Steps},
    time::Timestamp,
};

/// Lifetime and activity of a user's account.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Stay {
    /// When the account was made.
    pub created_at: Timestamp,
    /// When it was deleted; `None` while it is not.
    pub deleted_at: Option<Timestamp>,
    /// Moments at which the person was active, in any order.
    pub seen: Vec<Timestamp>,
}

/// People at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UserCounts {
    /// All who had an account.
    pub total: i64,
    /// Users who had been active within the last 60 days.
    pub active: i64,
}

/// Returns the earliest moment of activity that still makes a user active at `now`.
pub const fn active_since(now: Timestamp) -> Timestamp {
    now.plus_days(-ACTIVE_DAYS)
}

/// Counts people at each of some moments, which rise.
pub fn count(stays: impl IntoIterator<Item = Stay>, moments: &[Timestamp]) -> Vec<UserCounts> {
    let mut present = Steps::new(moments);
    let mut active = Steps::new(moments);
    for mut stay in stays {
        present.add(moments, stay.created_at, stay.deleted_at);
        stay.seen.sort_unstable();
        let mut counted_until = stay.created_at;
        for seen in stay.seen {
            // The end does not belong to a span, but a moment 60 days later is still within the 60 days.
            let lapses = seen.plus_days(ACTIVE_DAYS).plus_millis(1);
            let until = stay.deleted_at.map_or(lapses, |deleted_at| deleted_at.min(lapses));
            active.add(moments, seen.max(counted_until), Some(until));
            counted_until = counted_until.max(until);
        }
    }
    present.counts().into_iter().zip(active.counts()).map(|(total, active)| UserCounts { total, active }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::DAY_MS;

    fn day(number: i64) -> Timestamp {
        Timestamp::from_millis(number * DAY_MS)
    }

    fn counts(stays: &[Stay], days: &[i64]) -> Vec<(i64, i64)> {
        let moments: Vec<_> = days.iter().map(|number| day(*number)).collect();
        count(stays.to_vec(), &moments).into_iter().map(|counts| (counts.total, counts.active)).collect()
    }

    #[test]
    fn somebody_is_active_for_sixty_days_after_being_seen() {
        let stay = Stay { created_at: day(10), deleted_at: None, seen: vec![day(20)] };
        assert_eq!(counts(&[stay], &[9, 10, 19, 20, 80, 81]), [(0, 0), (1, 0), (1, 0), (1, 1), (1, 1), (1, 0)]);
    }

    #[test]
    fn being_seen_often_counts_once() {
        let stay = Stay { created_at: day(0), deleted_at: None, seen: vec![day(30), day(1), day(30), day(200)] };
        assert_eq!(counts(&[stay], &[1, 30, 90, 91, 200]), [(1, 1), (1, 1), (1, 1), (1, 0), (1, 1)]);
    }

    #[test]
    fn a_deleted_account_counts_no_longer() {
        let stay = Stay { created_at: day(0), deleted_at: Some(day(10)), seen: vec![day(5)] };
        assert_eq!(counts(&[stay.clone(), stay], &[9, 10]), [(2, 2), (0, 0)]);
    }
}
