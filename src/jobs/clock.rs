//! Detection of a clock that was set: jobs and sign-ins go by it, and an operator should know.

use std::time::Duration;

use flagstone_clock::Clock;
use flagstone_domain::time::Timestamp;

/// Target of lines in the log, by the part of the program: a crate is none to those who operate it.
const LOG: &str = "flagstone::jobs::clock";

/// Largest allowed difference between the change of the date and the time that passed, between two looks.
const DRIFT_MS: i64 = 60_000;

/// The date and the time that had passed at the last look.
#[derive(Debug)]
pub(super) struct ClockWatch {
    date: Timestamp,
    passed: Duration,
}

impl ClockWatch {
    pub(super) fn begin(clock: &Clock) -> Self {
        Self { date: clock.now(), passed: clock.steady() }
    }

    /// Logs once that the clock was set since the last look.
    pub(super) fn look(&mut self, clock: &Clock) {
        let Some(jump) = self.jump(clock.now(), clock.steady()) else { return };
        let (seconds, now) = (jump.abs() / 1000, self.date);
        if jump < 0 {
            tracing::warn!(
                target: LOG,
                seconds,
                %now,
                "the clock was set back: events go on with the time of the newest until it is reached, and what was to end \
                 by time ends later"
            );
        } else {
            tracing::warn!(
                target: LOG,
                seconds,
                %now,
                "the clock was set forward, or the machine slept: what was to end by time has ended"
            );
        }
    }

    /// Milliseconds by which the clock was set since the last look, if it was.
    fn jump(&mut self, date: Timestamp, passed: Duration) -> Option<i64> {
        let waited = i64::try_from(passed.saturating_sub(self.passed).as_millis()).unwrap_or(i64::MAX);
        let jump = date.millis().saturating_sub(self.date.millis()).saturating_sub(waited);
        *self = Self { date, passed };
        (jump.abs() >= DRIFT_MS).then_some(jump)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_is_set_is_told_once_and_one_that_goes_is_not() {
        let day = 86_400_000;
        let at = Timestamp::from_millis;
        let mut watch = ClockWatch { date: at(day), passed: Duration::ZERO };
        let mut look = |date, seconds| watch.jump(at(date), Duration::from_secs(seconds));
        assert_eq!(look(day + 10_000, 10), None);
        // A node that was busy for an hour.
        assert_eq!(look(day + 3_610_000, 3610), None);
        assert_eq!(look(3_611_000, 3611), Some(-day));
        assert_eq!(look(3_612_000, 3612), None);
        assert_eq!(look(3_613_000 + day, 3613), Some(day));
        assert_eq!(look(3_614_000 + day, 3614), None);
        // A correction by a time server is not reported.
        assert_eq!(look(3_640_000 + day, 3615), None);
    }
}
