use std::{fmt, sync::LazyLock};

use regex::Regex;

use super::{MAX_VALUES, Refusal, list, operators};

operators! {
    /// Operator that compares a property with one value with the listed values.
    ValueOperator {
        /// Equals one of them.
        Is = "IS",
        /// Equals none of them.
        IsNot = "IS_NOT",
        /// Equals one of them.
        IsAnyOf = "IS_ANY_OF",
        /// Equals none of them.
        IsNoneOf = "IS_NONE_OF",
    }
}

/// A filter on a property that has one value, such as `IS_ANY_OF:shop,billing`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueFilter {
    /// The comparison.
    pub operator: ValueOperator,
    /// The listed values, each once. Without any the filter lets everything pass.
    pub values: Vec<String>,
}

impl ValueFilter {
    /// Pattern that the specification demands of a filter with all four operators.
    pub const PATTERN: &'static str = r"^(IS|IS_NOT|IS_ANY_OF|IS_NONE_OF):(.*?)(,([a-zA-Z0-9_]+))*$";
    /// Pattern that the specification demands of a filter that can only ask for values, not exclude them.
    pub const INCLUSIVE_PATTERN: &'static str = r"^(IS|IS_ANY_OF):(.*?)(,([a-zA-Z0-9_]+))*$";

    /// Reads a filter with any of the four operators.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        static REGEX: LazyLock<Regex> = LazyLock::new(|| Regex::new(ValueFilter::PATTERN).expect("valid pattern"));
        Self::read(text, &REGEX, Self::PATTERN)
    }

    /// Reads a filter with `IS` or `IS_ANY_OF`.
    pub fn parse_inclusive(text: &str) -> Result<Self, Refusal> {
        static REGEX: LazyLock<Regex> =
            LazyLock::new(|| Regex::new(ValueFilter::INCLUSIVE_PATTERN).expect("valid pattern"));
        Self::read(text, &REGEX, Self::INCLUSIVE_PATTERN)
    }

    fn read(text: &str, regex: &Regex, pattern: &'static str) -> Result<Self, Refusal> {
        let (operator, values) =
            text.split_once(':').filter(|_| regex.is_match(text)).ok_or(Refusal::Pattern(pattern))?;
        let operator = ValueOperator::parse(operator).ok_or(Refusal::Pattern(pattern))?;
        Ok(Self { operator, values: list(values, MAX_VALUES)? })
    }

    /// Whether the listed values are excluded instead of asked for.
    pub const fn is_negated(&self) -> bool {
        matches!(self.operator, ValueOperator::IsNot | ValueOperator::IsNoneOf)
    }
}

impl fmt::Display for ValueFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.operator.as_str(), self.values.join(","))
    }
}
