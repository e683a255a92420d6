//! When a constraint can be evaluated at all.

use std::{borrow::Cow, fmt};

use super::{Constraint, Operator, normal_form, pattern};
use crate::text::is_longer;

/// Most characters of one of a constraint's values.
const MAX_VALUE_LENGTH: usize = 100;
/// Most characters of the value of an operator that takes one.
const MAX_SINGLE_LENGTH: usize = 1000;
/// Name of the only field that all SDKs compare dates with: some take the time of the context whatever the field.
const TIME_FIELD: &str = "currentTime";

/// Reason why a constraint cannot be evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConstraintFault {
    /// The operator takes several values and got none.
    NoValues,
    /// A value is empty or too long.
    ValueLength,
    /// A value ends with a backslash, which the engine of most SDKs cannot read.
    TrailingBackslash,
    /// The single value is too long.
    SingleLength,
    /// The operator takes a single value and got none.
    NoValue,
    /// The operator is not known here.
    UnknownOperator,
    /// Dates are compared with the time of the context alone.
    NotTheTime,
    /// The time of the context is compared with dates alone.
    OnlyDates,
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
            Self::TrailingBackslash => f.write_str("needs entries that do not end with a backslash in `values`"),
            Self::NoValue => f.write_str("needs a `value`"),
            Self::UnknownOperator => f.write_str("has an operator that is not known here"),
            Self::NotTheTime => write!(
                f,
                "compares a date, which is possible with the context field `{TIME_FIELD}` alone: some SDKs take the time \
                 whatever the field"
            ),
            Self::OnlyDates => {
                write!(f, "is on `{TIME_FIELD}`, which SDKs compare alike by DATE_AFTER and DATE_BEFORE alone")
            }
            Self::SingleLength => write!(f, "needs a `value` of at most {MAX_SINGLE_LENGTH} characters"),
            Self::NotANumber => f.write_str("needs a number as its `value`"),
            Self::NotADate => f.write_str("needs a date as its `value`, such as 2027-06-30T22:00:00Z"),
            Self::NotAVersion => f.write_str(
                "needs a version of three numbers below 2^53 as its `value`, such as 1.2.3 or 1.2.3-rc.1, in at most 256 \
                 characters",
            ),
            Self::NotAPattern => f.write_str(
                "needs a regular expression as its `value` that RE2 and Rust read alike, without look-around, \
                 back-references, a backslash at its end, or many repetitions within others",
            ),
        }
    }
}

/// Kind of operand that an operator compares with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operand {
    Texts,
    Number,
    Date,
    Version,
    Pattern,
    /// An operand that cannot be stored here.
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
    /// Checks that all SDKs of the field read the constraint, and read it alike.
    ///
    /// Properties that the operator does not use are stored as well, and have the same length limits.
    pub fn check(&self) -> Result<(), ConstraintFault> {
        self.check_lengths()?;
        match (self.operator.operand(), self.context_name == TIME_FIELD) {
            (Operand::Date, false) => Err(ConstraintFault::NotTheTime),
            (Operand::Date | Operand::Other, _) | (_, false) => self.check_operand(pattern::is_portable),
            (_, true) => Err(ConstraintFault::OnlyDates),
        }
    }

    /// Checks what comes by import from another server, which may hold what is refused here and is evaluated all the
    /// same: no values, no value, dates on another field, values that end with a backslash. `IN` without values never
    /// holds, `NOT_IN` always does, and the operators on texts never do.
    pub fn check_moved(&self) -> Result<(), ConstraintFault> {
        self.check_lengths()?;
        match self.check_operand(pattern::is_small) {
            Err(
                ConstraintFault::NoValues
                | ConstraintFault::NoValue
                | ConstraintFault::TrailingBackslash
                | ConstraintFault::UnknownOperator,
            ) => Ok(()),
            outcome => outcome,
        }
    }

    /// Checks that the engine can evaluate the constraint at all. One that it cannot evaluate never holds.
    pub fn evaluable(&self) -> Result<(), ConstraintFault> {
        let value = self.value.as_deref().ok_or(ConstraintFault::NoValue);
        let read =
            |form: fn(&str) -> Option<Cow<'_, str>>, fault| value.and_then(|value| form(value).map(drop).ok_or(fault));
        match self.operator.operand() {
            Operand::Texts => Ok(()),
            Operand::Number => read(normal_form::number, ConstraintFault::NotANumber),
            Operand::Date => read(normal_form::date, ConstraintFault::NotADate),
            Operand::Version => read(normal_form::version, ConstraintFault::NotAVersion),
            // Engines take a pattern that they cannot read for one that nothing matches.
            Operand::Pattern => value.map(drop),
            Operand::Other if self.operator == Operator::InCidr => Ok(()),
            Operand::Other => Err(ConstraintFault::UnknownOperator),
        }
    }

    /// Returns the constraint with its values as all SDKs read them alike: texts without blanks around them, numbers,
    /// dates and versions as the engine's grammar spells them, and at least an empty list of values. A value that has no
    /// such form stays as it is.
    #[must_use]
    pub fn normalized(mut self) -> Self {
        let form = match self.operator.operand() {
            Operand::Number => normal_form::number,
            Operand::Date => normal_form::date,
            Operand::Version => normal_form::version,
            Operand::Texts => {
                for value in self.values.iter_mut().flatten() {
                    normal_form::trim(value);
                }
                return self.stored();
            }
            Operand::Pattern | Operand::Other => return self.stored(),
        };
        // Programs may list the one value: SDKs look for it beside the list.
        if let (None, Some([only])) = (&self.value, self.values.as_deref()) {
            self.value = Some(only.clone());
        }
        if let Some(Cow::Owned(normal)) = self.value.as_deref().and_then(form) {
            self.value = Some(normal);
        }
        self.stored()
    }

    fn check_lengths(&self) -> Result<(), ConstraintFault> {
        if self.value.as_ref().is_some_and(|value| is_longer(value, MAX_SINGLE_LENGTH)) {
            return Err(ConstraintFault::SingleLength);
        }
        match &self.values {
            Some(values) if values.iter().any(|value| is_longer(value, MAX_VALUE_LENGTH)) => {
                Err(ConstraintFault::ValueLength)
            }
            _ => Ok(()),
        }
    }

    fn check_operand(&self, is_pattern: fn(&str) -> bool) -> Result<(), ConstraintFault> {
        match self.operator.operand() {
            Operand::Texts => self.check_texts(),
            Operand::Pattern => match self.value.as_deref() {
                Some(value) if is_pattern(value) => Ok(()),
                Some(_) => Err(ConstraintFault::NotAPattern),
                None => Err(ConstraintFault::NoValue),
            },
            Operand::Number | Operand::Date | Operand::Version | Operand::Other => self.evaluable(),
        }
    }

    fn check_texts(&self) -> Result<(), ConstraintFault> {
        let values = self.values.as_deref().unwrap_or_default();
        let mut outcome = if values.is_empty() { Err(ConstraintFault::NoValues) } else { Ok(()) };
        for value in values {
            match normal_form::last_sign(value) {
                None => return Err(ConstraintFault::ValueLength),
                Some('\\') => outcome = Err(ConstraintFault::TrailingBackslash),
                Some(_) => {}
            }
        }
        outcome
    }

    /// Number of its values: those of the list, or the one that stands alone.
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

    /// Whether another says the same: a list of values that is absent is empty.
    pub fn is_same(&self, other: &Self) -> bool {
        let [mine, theirs] = [self, other].map(|one| one.values.as_deref().unwrap_or_default());
        let rest = |one: &Self| (one.operator, one.case_insensitive, one.inverted);
        self.context_name == other.context_name
            && rest(self) == rest(other)
            && mine == theirs
            && self.value == other.value
    }

    /// The form that is stored: with a list of values, if only an empty one.
    #[must_use]
    pub fn stored(mut self) -> Self {
        self.values.get_or_insert_default();
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn constraint(operator: Operator, value: Option<&str>, values: &[&str]) -> Constraint {
        Constraint::of("userId", operator, value, values)
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
            (Operator::StrContains, None, vec!["a", " \t"], Err(ConstraintFault::ValueLength)),
            (Operator::In, None, vec!["a\\b", "\"", "\\\""], Ok(())),
            (Operator::In, None, vec!["a", "b\\"], Err(ConstraintFault::TrailingBackslash)),
            (Operator::StrEndsWith, None, vec!["b\\ "], Err(ConstraintFault::TrailingBackslash)),
            (Operator::NotIn, None, vec![&*long], Err(ConstraintFault::ValueLength)),
            (Operator::NumGte, Some("-1.5"), vec![], Ok(())),
            (Operator::NumEq, None, vec!["1"], Err(ConstraintFault::NoValue)),
            (Operator::NumEq, Some("1"), vec!["1", ""], Ok(())),
            (Operator::NumEq, Some("1"), vec![&*long], Err(ConstraintFault::ValueLength)),
            (Operator::NumEq, Some(&*digits), vec![], Err(ConstraintFault::SingleLength)),
            (Operator::In, Some(&*digits), vec!["a"], Err(ConstraintFault::SingleLength)),
            (Operator::NumEq, Some(""), vec![], Err(ConstraintFault::NotANumber)),
            (Operator::NumLt, Some("NaN"), vec![], Err(ConstraintFault::NotANumber)),
            (Operator::DateAfter, Some("2027-06-30T22:00:00.000Z"), vec![], Err(ConstraintFault::NotTheTime)),
            (Operator::SemverEq, Some("1.2.3-beta.1+7"), vec![], Ok(())),
            (Operator::SemverGt, Some("1.2"), vec![], Err(ConstraintFault::NotAVersion)),
            (Operator::SemverLt, None, vec![], Err(ConstraintFault::NoValue)),
            (Operator::SemverGte, Some("1.2.3"), vec![], Ok(())),
            (Operator::Regex, Some("^[^@]+@example\\.com$"), vec![], Ok(())),
            (Operator::Regex, None, vec![], Err(ConstraintFault::NoValue)),
            (Operator::Regex, Some("[a&&b]"), vec![], Err(ConstraintFault::NotAPattern)),
            (Operator::InCidr, None, vec!["10.0.0.0/8"], Ok(())),
            (Operator::Unknown, None, vec!["a"], Err(ConstraintFault::UnknownOperator)),
        ];
        for (operator, value, values, expected) in cases {
            assert_eq!(constraint(operator, value, &values).check(), expected, "{operator:?} {value:?} {values:?}");
        }
        let on_time = |operator, value, values: &[&str]| {
            Constraint { context_name: TIME_FIELD.to_owned(), ..constraint(operator, value, values) }.check()
        };
        assert_eq!(on_time(Operator::DateAfter, Some("2027-06-30"), &[]), Ok(()));
        assert_eq!(on_time(Operator::DateBefore, Some("2027-13-30"), &[]), Err(ConstraintFault::NotADate));
        assert_eq!(on_time(Operator::DateBefore, None, &[]), Err(ConstraintFault::NoValue));
        assert_eq!(on_time(Operator::StrStartsWith, None, &["2027"]), Err(ConstraintFault::OnlyDates));
    }

    #[test]
    fn what_moves_in_may_hold_what_is_evaluated_all_the_same() {
        let moved = |operator, value, values: &[&str]| constraint(operator, value, values).check_moved();
        let none = |operator| moved(operator, None, &[]);
        assert_eq!([none(Operator::In), none(Operator::NotIn), none(Operator::NumEq)], [Ok(()); 3]);
        assert_eq!(moved(Operator::DateAfter, Some("2027-06-30"), &[]), Ok(()));
        assert_eq!(moved(Operator::In, None, &["a\\"]), Ok(()));
        assert_eq!(moved(Operator::Regex, Some("[a&&b]"), &[]), Ok(()));
        assert_eq!(moved(Operator::Regex, Some("["), &[]), Err(ConstraintFault::NotAPattern));
        assert_eq!(moved(Operator::In, None, &["a", ""]), Err(ConstraintFault::ValueLength));
        assert_eq!(moved(Operator::DateAfter, Some("soon"), &[]), Err(ConstraintFault::NotADate));
    }

    #[test]
    fn values_are_stored_as_all_sdks_read_them() {
        let normal = |operator, value, values: &[&str]| {
            let normal = constraint(operator, value, values).normalized();
            (normal.value, normal.values.unwrap_or_default().join("|"))
        };
        assert_eq!(normal(Operator::In, None, &[" a ", "b c"]), (None, "a|b c".to_owned()));
        assert_eq!(normal(Operator::NumGt, Some(".5"), &[" "]), (Some("0.5".to_owned()), " ".to_owned()));
        let date = Some("2020-01-01T00:00:00.000Z".to_owned());
        assert_eq!(normal(Operator::DateAfter, Some("2020-01-01"), &[]).0, date);
        assert_eq!(normal(Operator::SemverEq, Some("1.2.3 "), &[]).0, Some("1.2.3".to_owned()));
        assert_eq!(normal(Operator::NumGt, None, &["5 "]), (Some("5".to_owned()), "5 ".to_owned()));
        assert_eq!(normal(Operator::NumGt, None, &["5", "6"]).0, None);
        assert_eq!(normal(Operator::NumGt, Some("five"), &[]).0, Some("five".to_owned()));
        assert_eq!(normal(Operator::Regex, Some(" a"), &[]).0, Some(" a".to_owned()));
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
