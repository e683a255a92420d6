//! Flags of other products, in one form: rules in their order, of which the first that holds decides.

use flagstone_domain::{
    time::Timestamp,
    variant::{Payload, PayloadKind},
};
use serde_json::Value;

use super::condition::{Condition, Unsupported};
use crate::neutral::Tag;

/// Most characters of a payload.
pub(super) const MOST_PAYLOAD: usize = 100_000;

/// A flag in all environments that a file contains.
#[derive(Debug, Clone, Default)]
pub(super) struct Flag {
    pub(super) key: String,
    pub(super) project: String,
    pub(super) description: Option<String>,
    pub(super) kind: Option<&'static str>,
    pub(super) tags: Vec<Tag>,
    pub(super) stale: bool,
    pub(super) archived: bool,
    pub(super) created_at: Option<Timestamp>,
    /// Parts of it that are not moved, and do not change who gets it.
    pub(super) notes: Vec<String>,
    pub(super) environments: Vec<(String, Ruling)>,
}

/// Configuration of a flag in one environment.
#[derive(Debug, Clone)]
pub(super) enum Ruling {
    /// Off for all.
    Off,
    /// Decided by its rules.
    Rules(Rules),
    /// A part that cannot be expressed here, and why.
    Unsupported(Unsupported),
}

/// The rules of a flag in one environment. Whom none applies to gets nothing.
#[derive(Debug, Clone, Default)]
pub(super) struct Rules {
    pub(super) listed: Vec<Rule>,
    /// Other flags that must answer something before the rules are asked.
    pub(super) parents: Vec<Parent>,
    /// The rules in another form, for when these cannot be planned.
    pub(super) instead: Option<Box<Self>>,
}

/// Another flag that must answer something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Parent {
    pub(super) key: String,
    /// Names of answers of which one must be given; empty where it is enough that it is on.
    pub(super) variants: Vec<String>,
}

/// One rule.
#[derive(Debug, Clone)]
pub(super) struct Rule {
    pub(super) title: Option<String>,
    pub(super) when: Condition,
    pub(super) then: Outcome,
}

/// Outcome of a rule for the users to whom it applies.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Outcome {
    /// One answer for all.
    Serve(Served),
    /// One of several by the hash of a field.
    Split(Split),
}

/// Answers by shares.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Split {
    /// Field by which the same user gets the same answer.
    pub(super) by: String,
    /// Seed that distinguishes this draw from others; absent: the flag's key.
    pub(super) seed: Option<String>,
    /// Answers with their weights, which need not add up to anything.
    pub(super) parts: Vec<(Served, f64)>,
    /// Share of all that the draw is made for, 0 to 1; for the others the next rule decides.
    pub(super) share: f64,
}

/// One answer.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Served {
    /// The flag is off.
    Off,
    /// The flag is on.
    On,
    /// The flag is on with a value.
    Value { name: String, payload: Payload },
}

impl Rule {
    /// A rule that applies to all to whom those before it do not.
    pub(super) const fn for_all(then: Outcome) -> Self {
        Self { title: None, when: Condition::Always, then }
    }
}

impl Outcome {
    /// Whether a user to whom the rule applies may get nothing.
    pub(super) fn has_off(&self) -> bool {
        match self {
            Self::Serve(served) => *served == Served::Off,
            Self::Split(split) => split.parts.iter().any(|(served, weight)| *served == Served::Off && *weight > 0.0),
        }
    }

    /// Whether any user to whom the rule applies gets something.
    pub(super) fn has_on(&self) -> bool {
        match self {
            Self::Serve(served) => *served != Served::Off,
            Self::Split(split) => {
                split.share > 0.0 && split.parts.iter().any(|(served, weight)| *served != Served::Off && *weight > 0.0)
            }
        }
    }

    /// Whether no user to whom the rule applies is left to later ones.
    pub(super) fn is_final(&self) -> bool {
        !matches!(self, Self::Split(split) if split.share < 1.0)
    }
}

impl Served {
    /// A value as a variant with that name. Of one that is too large for a payload only so much is kept that this is
    /// seen.
    pub(super) fn value(name: &str, value: &Value) -> Self {
        let mut left = MOST_PAYLOAD;
        let (kind, text) = match value {
            large if !fits(large, &mut left) => (PayloadKind::String, "x".repeat(MOST_PAYLOAD + 1)),
            Value::String(text) => (PayloadKind::String, text.clone()),
            Value::Bool(truth) => (PayloadKind::String, truth.to_string()),
            Value::Number(number) => (PayloadKind::Number, number.to_string()),
            other => (PayloadKind::Json, other.to_string()),
        };
        Self::Value { name: name.to_owned(), payload: Payload { kind, value: text } }
    }

    /// A truth as on or off.
    pub(super) const fn truth(truth: bool) -> Self {
        if truth { Self::On } else { Self::Off }
    }
}

/// Whether a value is no longer than so many bytes, about; it is not looked at further than that.
fn fits(value: &Value, left: &mut usize) -> bool {
    let mut take = |bytes: usize| {
        let rest = left.checked_sub(bytes);
        *left = rest.unwrap_or_default();
        rest.is_some()
    };
    match value {
        // A character takes up to four bytes; what it is exactly is seen later.
        Value::String(text) => take(text.len() / 4),
        Value::Array(items) => take(1) && items.iter().all(|item| fits(item, left)),
        Value::Object(map) => take(1) && map.iter().all(|(name, item)| name.len() < MOST_PAYLOAD && fits(item, left)),
        _ => take(1),
    }
}
