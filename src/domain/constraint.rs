//! Constraints: conditions on context fields that a strategy or segment sets.

mod check;
mod judge;
pub mod normal_form;
mod operator;
mod pattern;

use poem_openapi::Object;
use serde::{Deserialize, Serialize};

pub use self::{
    check::ConstraintFault,
    judge::{LegalValues, Misfit, MisfitReason, judge, judge_one},
    operator::Operator,
};

/// A condition on one context field.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Object, Serialize, Deserialize)]
#[oai(rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct Constraint {
    /// Name of the context field that the constraint applies to, 1 to 100 characters.
    pub context_name: String,
    /// Operator that compares the field.
    pub operator: Operator,
    /// Whether the comparison is case-insensitive. Absent means false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub case_insensitive: Option<bool>,
    /// Whether the result is negated. Absent means false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inverted: Option<bool>,
    /// Values for operators that take several; used instead of `value`. Each has at most 100 characters, blanks around it
    /// are removed, and it does not end with a backslash; how many there may be is a setting of the instance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub values: Option<Vec<String>>,
    /// Value for operators that take one, at most 1000 characters; used instead of `values`. It is stored in the form that
    /// all SDKs read alike: `.5` as `0.5`, `2027-06-30` as `2027-06-30T00:00:00.000Z`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
}

impl Constraint {
    /// Whether its operator is not known here, so that it never holds.
    pub const fn is_unknown(&self) -> bool {
        matches!(self.operator, Operator::Unknown)
    }
}

#[cfg(test)]
impl Constraint {
    /// Returns a constraint without options, for tests.
    pub fn of(field: &str, operator: Operator, value: Option<&str>, values: &[&str]) -> Self {
        Self {
            context_name: field.to_owned(),
            operator,
            case_insensitive: None,
            inverted: None,
            values: Some(values.iter().map(|value| (*value).to_owned()).collect()),
            value: value.map(str::to_owned),
        }
    }
}
