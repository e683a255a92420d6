//! When a constraint can be evaluated at all.

use std::{fmt, sync::LazyLock};

use chrono::{NaiveDate, NaiveDateTime};
use regex::{Regex, RegexBuilder};

use super::{Constraint, Operator};
use crate::domain::{text::is_longer, time::Timestamp};

/// Most characters of one of a constraint's values.
const MAX_VALUE_LENGTH: usize = 100;
/// Most characters of the value of an operator that takes one.
const MAX_SINGLE_LENGTH: usize = 1000;
/// Bytes that a pattern may take when it is compiled: one for each feature that uses it, again with every change.
const MAX_PATTERN_BYTES: usize = 1 << 18;

static SEMVER: LazyLock<Regex> = LazyLock::new(|| {
    let number = "(0|[1-9][0-9]*)";
    let labels = r"[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*";
    Regex::new(&format!(r"^{number}\.{number}\.{number}(-{labels})?(\+{labels})?$")).expect("a valid pattern")
});

/// Why a constraint cannot be evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConstraintFault {
    /// The operator takes several values and got none.
    NoValues,
    /// A value is empty or too long.
    ValueLength,
    /// The single value is too long.
    SingleLength,
    /// The value is no number.
    NotANumber,
    /// The value is no date.
    NotADate,
    /// The value is no semantic version.
    NotAVersion,
    /// The value is no regular expression, or one that is too large.
    NotAPattern,
}

impl fmt::Display for ConstraintFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoValues => f.write_str("needs at least one entry in `values`"),
            Self::ValueLength => write!(f, "needs entries of 1 to {MAX_VALUE_LENGTH} characters in `values`"),
            Self::SingleLength => write!(f, "needs a `value` of at most {MAX_SINGLE_LENGTH} characters"),
            Self::NotANumber => f.write_str("needs a number as its `value`"),
            Self::NotADate => f.write_str("needs a date as its `value`"),
            Self::NotAVersion => f.write_str("needs a version of three numbers as its `value`, such as 1.2.3"),
            Self::NotAPattern => f.write_str(
                "needs a regular expression as its `value`, without look-around, back-references, a backslash at its end, \
                 or many repetitions within others",
            ),
        }
    }
}

/// What an operator compares with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operand {
    Texts,
    Number,
    Date,
    Version,
    Pattern,
    /// Something that nobody can store here.
    Other,
}

impl Operator {
    const fn operand(self) -> Operand {
        match self {
            Self::In | Self::NotIn | Self::StrContains | Self::StrStartsWith | Self::StrEndsWith => Operand::Texts,
            Self::NumEq | Self::NumGt | Self::NumGte | Self::NumLt | Self::NumLte => Operand::Number,
            Self::DateAfter | Self::DateBefore => Operand::Date,
            Self::SemverEq | Self::SemverGt | Self::SemverLt | Self::SemverGte | Self::SemverLte => Operand::Version,
            Self::Regex => Operand::Pattern,
            Self::InCidr | Self::Unknown => Operand::Other,
        }
    }

    /// Whether the operator finds nothing among no values that Unleash's engine could read: others have a rule for it.
    pub const fn needs_values(self) -> bool {
        matches!(self, Self::StrContains | Self::StrStartsWith | Self::StrEndsWith | Self::InCidr)
    }

    /// Whether the operator compares with `values` rather than with `value`.
    pub(super) const fn takes_several(self) -> bool {
        matches!(self.operand(), Operand::Texts)
    }
}

impl Constraint {
    /// Whether the constraint holds what its operator compares with.
    ///
    /// A missing single value passes: such constraints are in use, and never match. What the operator does not look at
    /// is stored as well, and has to be as short.
    pub fn check(&self) -> Result<(), ConstraintFault> {
        if self.value.as_ref().is_some_and(|value| is_longer(value, MAX_SINGLE_LENGTH)) {
            return Err(ConstraintFault::SingleLength);
        }
        let holds = |judge: fn(&str) -> bool, fault| match &self.value {
            Some(value) if !judge(value) => Err(fault),
            _ => Ok(()),
        };
        let values = self.values.as_deref().unwrap_or_default();
        if values.iter().any(|value| is_longer(value, MAX_VALUE_LENGTH)) {
            return Err(ConstraintFault::ValueLength);
        }
        match self.operator.operand() {
            Operand::Texts if values.is_empty() => Err(ConstraintFault::NoValues),
            Operand::Texts if values.iter().any(String::is_empty) => Err(ConstraintFault::ValueLength),
            Operand::Number => holds(is_number, ConstraintFault::NotANumber),
            Operand::Date => holds(is_date, ConstraintFault::NotADate),
            Operand::Version => holds(|value| SEMVER.is_match(value), ConstraintFault::NotAVersion),
            Operand::Pattern => holds(is_pattern, ConstraintFault::NotAPattern),
            Operand::Texts | Operand::Other => Ok(()),
        }
    }

    /// Like [`check`](Self::check), for what another server holds: a list of values may be empty there. `IN` then means
    /// nobody, `NOT_IN` everybody, and the operators on texts nobody.
    pub fn check_moved(&self) -> Result<(), ConstraintFault> {
        match self.check() {
            Err(ConstraintFault::NoValues) => Ok(()),
            outcome => outcome,
        }
    }

    /// How many values it holds: those of the list, or the one that stands alone.
    pub fn count_values(&self) -> usize {
        self.values.as_ref().map_or(0, Vec::len).max(usize::from(self.value.is_some()))
    }

    /// The texts that the field is compared with: the values, or the one value.
    pub fn operands(&self) -> impl Iterator<Item = &str> {
        let (several, one) = match self.operator.operand() {
            Operand::Texts => (self.values.as_deref().unwrap_or_default(), None),
            _ => (&[][..], self.value.as_deref()),
        };
        several.iter().map(String::as_str).chain(one)
    }

    /// The form that is stored: with a list of values, if only an empty one.
    #[must_use]
    pub fn stored(mut self) -> Self {
        self.values.get_or_insert_default();
        self
    }
}

fn is_number(value: &str) -> bool {
    value.trim().parse::<f64>().is_ok_and(f64::is_finite)
}

/// A backslash at the end would take its meaning from what follows it where the engine reads it.
fn is_pattern(value: &str) -> bool {
    !value.ends_with('\\') && RegexBuilder::new(value).size_limit(MAX_PATTERN_BYTES).build().is_ok()
}

fn is_date(value: &str) -> bool {
    Timestamp::parse(value).is_some()
        || NaiveDate::parse_from_str(value, "%Y-%m-%d").is_ok()
        || NaiveDateTime::parse_from_str(value, "%Y-%m-%dT%H:%M:%S%.f").is_ok()
        || NaiveDateTime::parse_from_str(value, "%Y-%m-%dT%H:%M").is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn constraint(operator: Operator, value: Option<&str>, values: &[&str]) -> Constraint {
        Constraint {
            context_name: "userId".to_owned(),
            operator,
            case_insensitive: None,
            inverted: None,
            values: Some(values.iter().map(|value| (*value).to_owned()).collect()),
            value: value.map(str::to_owned),
        }
    }

    #[test]
    fn each_operator_asks_for_its_operand() {
        let long = "x".repeat(101);
        let digits = "1".repeat(1001);
        let cases = [
            (Operator::In, None, vec!["a"], Ok(())),
            (Operator::In, Some(""), vec!["a"], Ok(())),
            (Operator::In, Some("a"), vec![], Err(ConstraintFault::NoValues)),
            (Operator::StrContains, None, vec!["a", ""], Err(ConstraintFault::ValueLength)),
            (Operator::NotIn, None, vec![&*long], Err(ConstraintFault::ValueLength)),
            (Operator::NumGte, Some("-1.5"), vec![], Ok(())),
            (Operator::NumEq, None, vec!["1"], Ok(())),
            (Operator::NumEq, Some("1"), vec!["1", ""], Ok(())),
            (Operator::NumEq, Some("1"), vec![&*long], Err(ConstraintFault::ValueLength)),
            (Operator::NumEq, Some(&*digits), vec![], Err(ConstraintFault::SingleLength)),
            (Operator::In, Some(&*digits), vec!["a"], Err(ConstraintFault::SingleLength)),
            (Operator::NumEq, Some(""), vec![], Err(ConstraintFault::NotANumber)),
            (Operator::NumLt, Some("NaN"), vec![], Err(ConstraintFault::NotANumber)),
            (Operator::DateAfter, Some("2027-06-30T22:00:00.000Z"), vec![], Ok(())),
            (Operator::DateAfter, Some("2027-06-30"), vec![], Ok(())),
            (Operator::DateBefore, Some("2027-13-30"), vec![], Err(ConstraintFault::NotADate)),
            (Operator::SemverEq, Some("1.2.3-beta.1+7"), vec![], Ok(())),
            (Operator::SemverGt, Some("1.2"), vec![], Err(ConstraintFault::NotAVersion)),
            (Operator::SemverLt, Some("v1.2.3"), vec![], Err(ConstraintFault::NotAVersion)),
            (Operator::SemverGte, Some("1.2.3"), vec![], Ok(())),
            (Operator::SemverLte, Some("1.2"), vec![], Err(ConstraintFault::NotAVersion)),
            (Operator::Regex, Some("^[^@]+@example\\.com$"), vec![], Ok(())),
            (Operator::Regex, None, vec![], Ok(())),
            (Operator::Regex, Some("(?=x)"), vec![], Err(ConstraintFault::NotAPattern)),
            (Operator::Regex, Some("["), vec![], Err(ConstraintFault::NotAPattern)),
            (Operator::Regex, Some("x\\\\"), vec![], Err(ConstraintFault::NotAPattern)),
            (Operator::Regex, Some("((a{50}){50}){50}"), vec![], Err(ConstraintFault::NotAPattern)),
        ];
        for (operator, value, values, expected) in cases {
            assert_eq!(constraint(operator, value, &values).check(), expected, "{operator:?} {value:?} {values:?}");
        }
    }

    #[test]
    fn what_moves_in_may_have_no_values_and_is_held_to_all_else() {
        let none = |operator| constraint(operator, None, &[]).check_moved();
        assert_eq!([none(Operator::In), none(Operator::NotIn), none(Operator::StrContains)], [Ok(()); 3]);
        let faulty = constraint(Operator::In, None, &["a", ""]).check_moved();
        assert_eq!(faulty, Err(ConstraintFault::ValueLength));
    }

    #[test]
    fn a_single_value_counts_where_there_is_no_list() {
        let count = |value, values: &[&str]| constraint(Operator::In, value, values).count_values();
        assert_eq!([count(None, &[]), count(Some("7"), &[]), count(Some(""), &["a", "b"])], [0, 1, 2]);
    }

    #[test]
    fn only_what_is_compared_counts_as_an_operand() {
        let texts = constraint(Operator::In, Some("ignored"), &["a", "b"]);
        assert_eq!(texts.operands().collect::<Vec<_>>(), ["a", "b"]);
        let number = constraint(Operator::NumEq, Some("7"), &["ignored"]);
        assert_eq!(number.operands().collect::<Vec<_>>(), ["7"]);
    }
}
