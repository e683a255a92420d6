//! Constraints: conditions on context fields that a strategy or segment sets.

mod check;
mod judge;

use poem_openapi::{Enum, Object};
use serde::{Deserialize, Serialize};

pub use self::{
    check::ConstraintFault,
    judge::{LegalValues, Misfit, MisfitReason, judge, judge_one},
};

/// How a context field is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Enum, Serialize, Deserialize)]
#[oai(rename_all = "SCREAMING_SNAKE_CASE", rename = "ConstraintOperator")]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Operator {
    /// Not among the values.
    NotIn,
    /// Among the values.
    In,
    /// Ends with one of the values.
    StrEndsWith,
    /// Starts with one of the values.
    StrStartsWith,
    /// Contains one of the values.
    StrContains,
    /// Equals the number.
    NumEq,
    /// Is greater than the number.
    NumGt,
    /// Is greater than or equal to the number.
    NumGte,
    /// Is less than the number.
    NumLt,
    /// Is less than or equal to the number.
    NumLte,
    /// Is after the date.
    DateAfter,
    /// Is before the date.
    DateBefore,
    /// Equals the semantic version.
    SemverEq,
    /// Is greater than the semantic version.
    SemverGt,
    /// Is less than the semantic version.
    SemverLt,
}

/// A condition on one context field.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Object, Serialize, Deserialize)]
#[oai(rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct Constraint {
    /// Name of the context field that the constraint applies to.
    pub context_name: String,
    /// How the field is compared.
    pub operator: Operator,
    /// Whether upper and lower case count as equal. Absent means false: they differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub case_insensitive: Option<bool>,
    /// Whether the outcome is turned around. Absent means false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inverted: Option<bool>,
    /// Values for operators that take several; used instead of `value`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub values: Option<Vec<String>>,
    /// Value for operators that take one; used instead of `values`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
}
