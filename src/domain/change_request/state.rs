//! States of change requests, and how many change requests are in each.

use flagstone_wire::plain_type;
use poem_openapi::{
    registry::MetaSchema,
    types::{ParseError, ParseFromJSON, ParseResult, ToJSON},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Pattern of the names of the states: generators of clients stumble over the blank in a closed list.
pub const PATTERN: &str = "^(Draft|In review|Approved|Scheduled|Applied|Cancelled|Rejected)$";

/// State of a change request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum State {
    /// Its author gathers changes, and is the only one who sees it.
    Draft,
    /// It waits for approvals.
    #[serde(rename = "In review")]
    InReview,
    /// It has its approvals and can be applied.
    Approved,
    /// It is applied at a set time.
    Scheduled,
    /// Its changes were made. Final.
    Applied,
    /// It was given up by its author or an administrator. Final.
    Cancelled,
    /// A reviewer rejected it. Final.
    Rejected,
}

plain_type!(
    State,
    "change_request_state",
    MetaSchema { pattern: Some(PATTERN.to_owned()), ..MetaSchema::new("string") }
);

impl ParseFromJSON for State {
    fn parse_from_json(value: Option<Value>) -> ParseResult<Self> {
        let name = value.as_ref().and_then(Value::as_str);
        name.and_then(Self::parse).ok_or_else(ParseError::expected_input)
    }
}

impl ToJSON for State {
    fn to_json(&self) -> Option<Value> {
        Some(self.as_str().into())
    }
}

impl State {
    /// Every state.
    pub const ALL: [Self; 7] =
        [Self::Draft, Self::InReview, Self::Approved, Self::Scheduled, Self::Applied, Self::Cancelled, Self::Rejected];
    /// States in which further changes of the author join the change request.
    pub const PENDING: [Self; 3] = [Self::Draft, Self::InReview, Self::Approved];
    /// States that are not final.
    pub const OPEN: [Self; 4] = [Self::Draft, Self::InReview, Self::Approved, Self::Scheduled];

    /// The name on the wire and in the store.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Draft => "Draft",
            Self::InReview => "In review",
            Self::Approved => "Approved",
            Self::Scheduled => "Scheduled",
            Self::Applied => "Applied",
            Self::Cancelled => "Cancelled",
            Self::Rejected => "Rejected",
        }
    }

    /// Reads the name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == name)
    }

    /// Whether further changes of the author join it.
    pub fn is_pending(self) -> bool {
        Self::PENDING.contains(&self)
    }

    /// Whether it is not final.
    pub fn is_open(self) -> bool {
        Self::OPEN.contains(&self)
    }
}

/// Numbers of change requests of a project, without drafts, which are their authors' alone.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// All of them.
    pub total: u64,
    /// Applied ones.
    pub applied: u64,
    /// Approved ones, which can be applied.
    pub approved: u64,
    /// Rejected ones.
    pub rejected: u64,
    /// Change requests that wait for approvals.
    pub review_required: u64,
    /// Scheduled ones, which are applied at a set time.
    pub scheduled: u64,
}

impl Counts {
    /// Returns the numbers, given how many change requests are in each state.
    pub fn of(states: impl IntoIterator<Item = (State, u64)>) -> Self {
        let mut counts = Self::default();
        for (state, count) in states.into_iter().filter(|(state, _)| *state != State::Draft) {
            counts.total += count;
            match state {
                State::InReview => counts.review_required += count,
                State::Approved => counts.approved += count,
                State::Scheduled => counts.scheduled += count,
                State::Applied => counts.applied += count,
                State::Rejected => counts.rejected += count,
                State::Draft | State::Cancelled => {}
            }
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_read_by_the_name_that_it_is_written_with() {
        for state in State::ALL {
            assert_eq!(State::parse(state.as_str()), Some(state));
            assert_eq!(serde_json::to_value(state).expect("a text"), state.as_str());
        }
        assert_eq!(PATTERN, format!("^({})$", State::ALL.map(State::as_str).join("|")));
        assert_eq!(State::parse("InReview"), None);
    }

    #[test]
    fn what_is_pending_is_open_and_what_is_final_is_neither() {
        let listed = |is: fn(State) -> bool| State::ALL.into_iter().filter(|state| is(*state)).collect::<Vec<_>>();
        assert_eq!(listed(State::is_pending), State::PENDING);
        assert_eq!(listed(State::is_open), State::OPEN);
        assert!(State::PENDING.into_iter().all(State::is_open));
    }

    #[test]
    fn drafts_are_not_counted() {
        let states = State::ALL.into_iter().zip(1..);
        let expected = Counts { total: 27, applied: 5, approved: 3, rejected: 7, review_required: 2, scheduled: 4 };
        assert_eq!(Counts::of(states), expected);
        assert_eq!(Counts::of([(State::Draft, 9)]), Counts::default());
    }
}
