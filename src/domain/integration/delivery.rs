//! Deliveries: one event on its way to one integration.

use poem_openapi::Enum;
use serde::Serialize;

use crate::time::{HOUR_MS, Timestamp};

/// Milliseconds from one attempt to the next, before chance varies them: about a day in all.
const WAITS_MS: [i64; 9] =
    [5_000, 30_000, 120_000, 600_000, 1_800_000, HOUR_MS, 3 * HOUR_MS, 6 * HOUR_MS, 12 * HOUR_MS];
/// Longest time that a receiver can ask for.
const LONGEST_ASKED_MS: i64 = 12 * HOUR_MS;
/// Random variation of a wait, as a part of it, in either direction.
const VARIATION: f64 = 0.2;

/// Longer than any wait from one attempt to the next, and than any attempt.
pub const LONGEST_WAIT_MS: i64 = 15 * HOUR_MS;

/// Attempts of one delivery, at most.
pub const MOST_ATTEMPTS: usize = WAITS_MS.len() + 1;

/// State of a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize)]
#[oai(rename = "IntegrationEventState", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub enum DeliveryState {
    /// It is to be attempted, for the first time or again.
    Waiting,
    /// The receiver took it.
    Success,
    /// The receiver did not take it, and it is not attempted again by itself.
    Failed,
    /// The receiver took it, but something of its settings could not be used.
    SuccessWithErrors,
}

impl DeliveryState {
    const ALL: [Self; 4] = [Self::Waiting, Self::Success, Self::Failed, Self::SuccessWithErrors];

    /// The name on the wire and in the store.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Success => "success",
            Self::Failed => "failed",
            Self::SuccessWithErrors => "successWithErrors",
        }
    }

    /// Reads the stored name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == name)
    }
}

/// Outcome of an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The receiver took it; perhaps not as it was meant, for this reason.
    Taken(Option<String>),
    /// It may be taken later.
    Later {
        /// Reason why it was not taken.
        reason: String,
        /// Milliseconds after which the receiver wants to be asked again.
        asked_wait_ms: Option<i64>,
    },
    /// It will not be taken, however often it is sent.
    Never(String),
}

impl Outcome {
    /// Returns the state of a delivery that is not attempted again, and the state in words.
    pub fn ended(self) -> (DeliveryState, String) {
        match self {
            Self::Taken(None) => (DeliveryState::Success, "Delivered.".to_owned()),
            Self::Taken(Some(error)) => (DeliveryState::SuccessWithErrors, error),
            Self::Never(reason) | Self::Later { reason, .. } => (DeliveryState::Failed, reason),
        }
    }
}

/// Next step of a delivery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The state.
    pub state: DeliveryState,
    /// The state in words.
    pub state_details: String,
    /// When it is to be attempted next, if it is.
    pub due_at: Timestamp,
}

/// Returns the next step of a delivery of which so many attempts were made, the last of which ended so. `chance` is
/// from 0 to 1.
pub fn after(outcome: Outcome, attempts: usize, now: Timestamp, chance: f64) -> Step {
    let (state, state_details) = match outcome {
        Outcome::Later { reason, asked_wait_ms } => match wait_ms(attempts, asked_wait_ms, chance) {
            Some(wait) => {
                let due_at = now.plus_millis(wait);
                let details = format!("{reason} Attempt {attempts} of {MOST_ATTEMPTS}; the next is at {due_at}.");
                return Step { state: DeliveryState::Waiting, state_details: details, due_at };
            }
            None => (DeliveryState::Failed, format!("{reason} Given up after {attempts} attempts.")),
        },
        outcome => outcome.ended(),
    };
    Step { state, state_details, due_at: now }
}

/// Milliseconds until the next attempt; `None` when there were enough.
fn wait_ms(attempts: usize, asked_wait_ms: Option<i64>, chance: f64) -> Option<i64> {
    let planned = *WAITS_MS.get(attempts.saturating_sub(1))?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "hours in milliseconds are small")]
    let varied = (planned as f64 * (1.0 - VARIATION + 2.0 * VARIATION * chance)) as i64;
    Some(varied.max(asked_wait_ms.unwrap_or_default().clamp(0, LONGEST_ASKED_MS)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn later(asked_wait_ms: Option<i64>) -> Outcome {
        Outcome::Later { reason: "It said 503.".to_owned(), asked_wait_ms }
    }

    #[test]
    fn waits_grow_over_a_day_and_end() {
        let now = Timestamp::from_millis(0);
        let mut total = 0;
        for attempts in 1..MOST_ATTEMPTS {
            let (least, most) = (after(later(None), attempts, now, 0.0), after(later(None), attempts, now, 1.0));
            assert_eq!(least.state, DeliveryState::Waiting);
            let (least, most) = (least.due_at.millis(), most.due_at.millis());
            assert!(least * 10 / 8 >= WAITS_MS[attempts - 1] - 2 && most * 10 / 12 <= WAITS_MS[attempts - 1]);
            assert!(least < most);
            total += WAITS_MS[attempts - 1];
        }
        assert!((20 * HOUR_MS..26 * HOUR_MS).contains(&total));
        let end = after(later(None), MOST_ATTEMPTS, now, 0.5);
        assert_eq!(end.state, DeliveryState::Failed);
        assert_eq!(end.state_details, "It said 503. Given up after 10 attempts.");
    }

    #[test]
    fn a_receiver_can_ask_for_more_time_but_not_for_ever() {
        let now = Timestamp::from_millis(0);
        assert_eq!(after(later(Some(60_000)), 1, now, 0.5).due_at.millis(), 60_000);
        assert_eq!(after(later(Some(1)), 1, now, 0.5).due_at.millis(), 5_000);
        assert_eq!(after(later(Some(i64::MAX)), 1, now, 0.5).due_at.millis(), LONGEST_ASKED_MS);
    }

    #[test]
    fn what_is_refused_for_good_is_not_tried_again() {
        let step = after(Outcome::Never("It said 404.".to_owned()), 1, Timestamp::from_millis(9), 0.5);
        assert_eq!((step.state, step.state_details.as_str()), (DeliveryState::Failed, "It said 404."));
        for state in DeliveryState::ALL {
            assert_eq!(DeliveryState::parse(state.as_str()), Some(state));
        }
    }
}
