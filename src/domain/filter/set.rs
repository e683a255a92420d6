use std::{fmt, sync::LazyLock};

use regex::Regex;

use super::{MAX_VALUES, Refusal, list, operators};
use crate::tag::Tag;

operators! {
    /// Operator that compares a property with any number of values with the listed values.
    SetOperator {
        /// Has at least one of them.
        Include = "INCLUDE",
        /// Has none of them.
        DoNotInclude = "DO_NOT_INCLUDE",
        /// Has every one of them.
        IncludeAllOf = "INCLUDE_ALL_OF",
        /// Has at least one of them.
        IncludeAnyOf = "INCLUDE_ANY_OF",
        /// Has none of them.
        ExcludeIfAnyOf = "EXCLUDE_IF_ANY_OF",
        /// Lacks at least one of them.
        ExcludeAll = "EXCLUDE_ALL",
    }
}

/// A filter on a property that has any number of values, such as `INCLUDE_ALL_OF:simple:a,simple:b`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetFilter<T> {
    /// The comparison.
    pub operator: SetOperator,
    /// The listed values, each once. Without any the filter lets everything pass.
    pub values: Vec<T>,
}

/// A filter on tags.
pub type TagFilter = SetFilter<Tag>;
/// A filter on names of segments.
pub type SegmentFilter = SetFilter<String>;

impl<T> SetFilter<T> {
    /// Whether what has the values is excluded instead of asked for.
    pub const fn is_negated(&self) -> bool {
        matches!(self.operator, SetOperator::DoNotInclude | SetOperator::ExcludeIfAnyOf | SetOperator::ExcludeAll)
    }

    /// Whether every listed value counts, not just any one of them.
    pub const fn needs_all(&self) -> bool {
        matches!(self.operator, SetOperator::IncludeAllOf | SetOperator::ExcludeAll)
    }
}

impl TagFilter {
    /// A type, and after the first colon a value, which may hold more of them; no comma. The specification demands values
    /// without a colon, which servers of the field never did.
    pub const PATTERN: &'static str = r"^(INCLUDE|DO_NOT_INCLUDE|INCLUDE_ALL_OF|INCLUDE_ANY_OF|EXCLUDE_IF_ANY_OF|EXCLUDE_ALL):(?:\s*[^,:]+:[^,]+\s*)(?:,\s*[^,:]+:[^,]+\s*)*$";

    /// Reads an operator and a list of tags, each `type:value`.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        static REGEX: LazyLock<Regex> = LazyLock::new(|| Regex::new(TagFilter::PATTERN).expect("valid pattern"));
        let (operator, values) = read(text, &REGEX, Self::PATTERN)?;
        let tag = |text: &String| {
            let (kind, value) = text.split_once(':')?;
            Some(Tag { value: value.to_owned(), kind: kind.to_owned() })
        };
        Ok(Self { operator, values: values.iter().filter_map(tag).collect() })
    }
}

impl SegmentFilter {
    /// Pattern that the specification demands.
    pub const PATTERN: &'static str = r"^(INCLUDE|DO_NOT_INCLUDE|INCLUDE_ALL_OF|INCLUDE_ANY_OF|EXCLUDE_IF_ANY_OF|EXCLUDE_ALL):(.*?)(,([a-zA-Z0-9_]+))*$";

    /// Reads an operator and a list of names.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        static REGEX: LazyLock<Regex> = LazyLock::new(|| Regex::new(SegmentFilter::PATTERN).expect("valid pattern"));
        let (operator, values) = read(text, &REGEX, Self::PATTERN)?;
        Ok(Self { operator, values })
    }
}

fn read(text: &str, regex: &Regex, pattern: &'static str) -> Result<(SetOperator, Vec<String>), Refusal> {
    let (operator, values) = text.split_once(':').filter(|_| regex.is_match(text)).ok_or(Refusal::Pattern(pattern))?;
    let operator = SetOperator::parse(operator).ok_or(Refusal::Pattern(pattern))?;
    Ok((operator, list(values, MAX_VALUES)?))
}

impl fmt::Display for TagFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tags: Vec<String> = self.values.iter().map(|tag| format!("{}:{}", tag.kind, tag.value)).collect();
        write!(f, "{}:{}", self.operator.as_str(), tags.join(","))
    }
}

impl fmt::Display for SegmentFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.operator.as_str(), self.values.join(","))
    }
}
