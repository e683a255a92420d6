//! Comparisons of one context field, as our constraints say them.

use flagstone_domain::{
    constraint::{Constraint, Operator},
    time::Timestamp,
};

use super::{
    condition::{Condition, Unsupported},
    normal_form::Answer,
};

/// A pattern that every value matches: that the field is there at all. No operator of the contract says so.
pub(super) const ANYTHING: &str = "^";
/// Numbers that a comparison may list as alternatives of their own.
const FEW: usize = 4;
/// Numbers that a comparison may exclude.
const MOST_NUMBERS: usize = 100;
/// Most characters of a context field's name.
const MOST_NAME: usize = 100;

/// Test of a field.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Test {
    /// Is one of these texts.
    OneOf(Vec<String>),
    /// Is one of these numbers.
    Equals(Vec<f64>),
    /// Begins with one of these.
    StartsWith(Vec<String>),
    /// Ends with one of these.
    EndsWith(Vec<String>),
    /// Holds one of these.
    Contains(Vec<String>),
    /// Stands in this order to the number.
    Number(Order, f64),
    /// Stands in this order to the semantic version.
    Version(Order, String),
    /// Matches a pattern that all engines read alike.
    Matches(String),
    /// Is there.
    IsThere,
}

/// Order of two things.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    Less,
    AtMost,
    Equal,
    AtLeast,
    Greater,
}

impl Order {
    /// Returns the result for an absent field, which some engines take for 0: sure only where 0 does not stand in that
    /// order.
    pub(super) fn for_nothing(self, number: f64) -> Otherwise {
        let holds = match self {
            Self::Less => 0.0 < number,
            Self::AtMost => 0.0 <= number,
            Self::Equal => number == 0.0,
            Self::AtLeast => 0.0 >= number,
            Self::Greater => 0.0 > number,
        };
        if holds { Otherwise::Unknown } else { Otherwise::Fails }
    }

    const fn opposite(self) -> Option<Self> {
        match self {
            Self::Less => Some(Self::AtLeast),
            Self::AtMost => Some(Self::Greater),
            Self::Equal => None,
            Self::AtLeast => Some(Self::Less),
            Self::Greater => Some(Self::AtMost),
        }
    }
}

/// Result in the other product where the field is absent or of another kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Otherwise {
    /// The comparison fails.
    Fails,
    /// One or the other: nothing is sure.
    Unknown,
}

/// A comparison of a context field.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Comparison {
    pub(super) field: String,
    pub(super) test: Test,
    pub(super) otherwise: Otherwise,
}

/// When something is, compared with the time.
pub(super) fn time(order: Order, millis: i64) -> Condition {
    Condition::Field(Comparison {
        field: "currentTime".to_owned(),
        test: Test::Number(order, millis_as_number(millis)),
        otherwise: Otherwise::Unknown,
    })
}

#[expect(clippy::cast_precision_loss, reason = "times of some thousand years fit exactly")]
const fn millis_as_number(millis: i64) -> f64 {
    millis as f64
}

impl Comparison {
    /// When it holds for sure.
    pub(super) fn holds(&self) -> Result<Answer, Unsupported> {
        self.check()?;
        let mut answer = self.where_there()?;
        answer.exact &= self.otherwise == Otherwise::Fails || self.test == Test::IsThere;
        Ok(answer)
    }

    /// Returns when it holds for sure, leaving aside contexts that lack the field.
    fn where_there(&self) -> Result<Answer, Unsupported> {
        let one = |constraint: Constraint| Ok(Answer::all([constraint], true));
        match &self.test {
            Test::OneOf(values) | Test::StartsWith(values) | Test::EndsWith(values) | Test::Contains(values) => {
                let said: Vec<String> = values.iter().filter(|value| is_plain(value)).cloned().collect();
                let exact = said.len() == values.len();
                if said.is_empty() {
                    return if exact { Ok(Answer::nobody()) } else { Err(self.odd_value()) };
                }
                Ok(Answer::all([self.list(said, false)], exact))
            }
            Test::Equals(numbers) if numbers.len() <= FEW => {
                numbers.iter().try_fold(Answer::nobody(), |sum, number| {
                    sum.or(Answer::all([self.single(Operator::NumEq, number.to_string(), false)], true))
                })
            }
            Test::Equals(numbers) => {
                let texts = numbers.iter().map(ToString::to_string).collect();
                Ok(Answer::all([self.list_of(Operator::In, texts, false)], false))
            }
            Test::Number(order, number) if self.field == "currentTime" => one(self.time(*order, *number)?),
            Test::Number(order, number) => one(self.single(number_operator(*order), number.to_string(), false)),
            Test::Version(order, version) => one(self.single(version_operator(*order), version.clone(), false)),
            Test::Matches(pattern) => one(self.single(Operator::Regex, pattern.clone(), false)),
            Test::IsThere => one(self.single(Operator::Regex, ANYTHING.to_owned(), false)),
        }
    }

    /// When it fails for sure.
    pub(super) fn fails(&self) -> Result<Answer, Unsupported> {
        self.check()?;
        let known = self.otherwise == Otherwise::Fails;
        let there = || (!known).then(|| self.single(Operator::Regex, ANYTHING.to_owned(), false));
        match &self.test {
            Test::OneOf(values) | Test::StartsWith(values) | Test::EndsWith(values) | Test::Contains(values) => {
                if values.is_empty() {
                    return Ok(Answer::everybody());
                }
                if !values.iter().all(|value| is_plain(value)) {
                    return Err(self.odd_value());
                }
                Ok(Answer::all(there().into_iter().chain([self.list(values.clone(), true)]), known))
            }
            Test::Equals(numbers) if numbers.len() > MOST_NUMBERS => {
                Err(format!("\"{}\" must be none of {} numbers", self.field, numbers.len()))
            }
            Test::Equals(numbers) => {
                let others = numbers.iter().map(|number| self.single(Operator::NumEq, number.to_string(), true));
                Ok(Answer::all(there().into_iter().chain(others), known))
            }
            Test::Number(order, number) if self.field == "currentTime" => {
                let opposite = order.opposite().ok_or("it compares the time for equality")?;
                Ok(Answer::all([self.time(opposite, *number)?], false))
            }
            Test::Number(order, number) => Ok(self.reversed(*order, number_operator, number.to_string(), known)),
            Test::Version(order, version) => Ok(self.reversed(*order, version_operator, version.clone(), known)),
            Test::Matches(_) => Err(format!("\"{}\" must not match a pattern", self.field)),
            Test::IsThere => Err(format!("\"{}\" must be absent, which cannot be asked for", self.field)),
        }
    }

    /// Returns when the order does not hold: inverted, where the field's absence counts as that, else by the opposite
    /// order.
    fn reversed(&self, order: Order, operator: fn(Order) -> Operator, value: String, known: bool) -> Answer {
        match order.opposite() {
            _ if known => Answer::all([self.single(operator(order), value, true)], true),
            Some(opposite) => Answer::all([self.single(operator(opposite), value, false)], false),
            None => {
                let less = self.single(operator(Order::Less), value.clone(), false);
                let more = self.single(operator(Order::Greater), value, false);
                let either = Answer::all([less], false).or(Answer::all([more], false));
                either.unwrap_or(Answer { exact: false, ..Answer::nobody() })
            }
        }
    }

    fn check(&self) -> Result<(), Unsupported> {
        let length = self.field.chars().count();
        if length == 0 || length > MOST_NAME || self.field.contains(['"', '\\']) {
            return Err(format!("\"{}\" cannot be the name of a context field", self.field));
        }
        match &self.test {
            Test::Equals(numbers) if !numbers.iter().all(|number| number.is_finite()) => Err(self.odd_value()),
            Test::Number(_, number) if !number.is_finite() => Err(self.odd_value()),
            _ => Ok(()),
        }
    }

    fn odd_value(&self) -> Unsupported {
        format!("\"{}\" is compared with a value that a constraint cannot hold", self.field)
    }

    fn list(&self, values: Vec<String>, inverted: bool) -> Constraint {
        let (operator, inverted) = match self.test {
            Test::StartsWith(_) => (Operator::StrStartsWith, inverted),
            Test::EndsWith(_) => (Operator::StrEndsWith, inverted),
            Test::Contains(_) => (Operator::StrContains, inverted),
            _ if inverted => (Operator::NotIn, false),
            _ => (Operator::In, false),
        };
        self.list_of(operator, values, inverted)
    }

    fn list_of(&self, operator: Operator, mut values: Vec<String>, inverted: bool) -> Constraint {
        let mut seen = std::collections::HashSet::new();
        values.retain(|value| seen.insert(value.clone()));
        Constraint { values: Some(values), ..self.constraint(operator, inverted) }
    }

    fn single(&self, operator: Operator, value: String, inverted: bool) -> Constraint {
        Constraint { value: Some(value), ..self.constraint(operator, inverted) }
    }

    /// The first and last instants do not count, so that none is in doubt.
    fn time(&self, order: Order, millis: f64) -> Result<Constraint, Unsupported> {
        let operator = match order {
            Order::Less | Order::AtMost => Operator::DateBefore,
            Order::Greater | Order::AtLeast => Operator::DateAfter,
            Order::Equal => return Err("it compares the time for equality".to_owned()),
        };
        #[expect(clippy::cast_possible_truncation, reason = "what is beyond the range ends at it, and is no date")]
        let instant = Timestamp::from_millis(millis as i64);
        let text = instant.to_string();
        if text.len() != "2026-01-01T00:00:00.000Z".len() {
            return Err("it compares with a time that is no date".to_owned());
        }
        Ok(self.single(operator, text, false))
    }

    fn constraint(&self, operator: Operator, inverted: bool) -> Constraint {
        Constraint {
            context_name: self.field.clone(),
            operator,
            case_insensitive: None,
            inverted: inverted.then_some(true),
            values: None,
            value: None,
        }
    }
}

/// Whether every engine of the field takes a value as it stands: some cut blanks, and one reads a backslash at the end
/// as the beginning of something.
fn is_plain(value: &str) -> bool {
    !value.is_empty() && value.trim() == value && !value.ends_with('\\')
}

const fn number_operator(order: Order) -> Operator {
    match order {
        Order::Less => Operator::NumLt,
        Order::AtMost => Operator::NumLte,
        Order::Equal => Operator::NumEq,
        Order::AtLeast => Operator::NumGte,
        Order::Greater => Operator::NumGt,
    }
}

const fn version_operator(order: Order) -> Operator {
    match order {
        Order::Less => Operator::SemverLt,
        Order::AtMost => Operator::SemverLte,
        Order::Equal => Operator::SemverEq,
        Order::AtLeast => Operator::SemverGte,
        Order::Greater => Operator::SemverGt,
    }
}
