//! Comparisons of one attribute with one value: which operators fit, and which values.

use serde_json::Value;

use super::{Attribute, Filter};
use crate::{text::has_nul, time::Timestamp};

/// A test of an attribute. Texts are compared by the case of ASCII letters only for ids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Test {
    /// It has a value.
    Present,
    /// It is this text.
    Equals(String),
    /// It contains this text.
    Contains(String),
    /// It starts with this text.
    StartsWith(String),
    /// It ends with this text.
    EndsWith(String),
    /// It stands in this order to this text, by the bytes of both.
    Ordered(Order, String),
    /// It is true, or false.
    Truth(bool),
    /// It is this time.
    At(Timestamp),
    /// It stands in this order to this time.
    Timed(Order, Timestamp),
}

/// Order of two values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// `lt`
    Less,
    /// `le`
    LessOrEqual,
    /// `ge`
    GreaterOrEqual,
    /// `gt`
    Greater,
}

/// An operator that compares with a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    Equal,
    Unequal,
    Contains,
    StartsWith,
    EndsWith,
    Ordered(Order),
}

impl Operator {
    /// Reads an operator in lower case.
    fn parse(word: &str) -> Option<Self> {
        let operator = match word {
            "eq" => Self::Equal,
            "ne" => Self::Unequal,
            "co" => Self::Contains,
            "sw" => Self::StartsWith,
            "ew" => Self::EndsWith,
            "lt" => Self::Ordered(Order::Less),
            "le" => Self::Ordered(Order::LessOrEqual),
            "ge" => Self::Ordered(Order::GreaterOrEqual),
            "gt" => Self::Ordered(Order::Greater),
            _ => return None,
        };
        Some(operator)
    }

    const fn is_of_equality(self) -> bool {
        matches!(self, Self::Equal | Self::Unequal)
    }
}

/// Kind of an attribute's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Values {
    /// Ids that the server gives.
    Ids,
    Texts,
    Truths,
    Times,
}

impl Values {
    const fn take(self, operator: Operator) -> bool {
        match self {
            Self::Ids | Self::Truths => operator.is_of_equality(),
            Self::Texts => true,
            Self::Times => operator.is_of_equality() || matches!(operator, Operator::Ordered(_)),
        }
    }

    const fn operators(self) -> &'static str {
        match self {
            Self::Ids | Self::Truths => "`eq`, `ne` and `pr`",
            Self::Texts => "`eq`, `ne`, `co`, `sw`, `ew`, `gt`, `ge`, `lt`, `le` and `pr`",
            Self::Times => "`eq`, `ne`, `gt`, `ge`, `lt`, `le` and `pr`",
        }
    }

    const fn described(self) -> &'static str {
        match self {
            Self::Ids | Self::Texts => "a text in quotes",
            Self::Truths => "`true` or `false`",
            Self::Times => "a time in quotes, such as \"2026-02-28T09:00:00Z\"",
        }
    }
}

impl Attribute {
    const fn values(self) -> Values {
        match self {
            Self::Id | Self::Groups | Self::Members => Values::Ids,
            Self::Active | Self::EmailPrimary => Values::Truths,
            Self::Created | Self::Changed => Values::Times,
            Self::ExternalId
            | Self::UserName
            | Self::DisplayName
            | Self::Formatted
            | Self::GivenName
            | Self::FamilyName
            | Self::Email
            | Self::EmailType => Values::Texts,
        }
    }

    /// Reads an operator, in lower case, that fits the attribute, or tells the rule that it breaks.
    pub(super) fn operator(self, word: &str) -> Result<Operator, String> {
        let values = self.values();
        let operator = Operator::parse(word).filter(|operator| values.take(*operator));
        operator.ok_or_else(|| format!("the operator here is one of {}", values.operators()))
    }

    /// Compares the attribute with a value, or tells the rule that the value breaks. `null` stands for no value.
    pub(super) fn compare(self, operator: Operator, value: &Value) -> Result<Filter, String> {
        let values = self.values();
        let test = match value {
            Value::Null if operator.is_of_equality() => Some(Test::Present),
            _ => match values {
                Values::Ids | Values::Texts => text(value).map(|text| test_of_text(operator, text)),
                Values::Truths => value.as_bool().map(Test::Truth),
                Values::Times => value.as_str().and_then(Timestamp::parse).map(|time| test_of_time(operator, time)),
            },
        };
        let passes = Filter::Is(self, test.ok_or_else(|| format!("the value here is {}", values.described()))?);
        let is_negated = (operator == Operator::Unequal) != value.is_null();
        Ok(if is_negated { passes.not() } else { passes })
    }
}

const fn test_of_text(operator: Operator, text: String) -> Test {
    match operator {
        Operator::Equal | Operator::Unequal => Test::Equals(text),
        Operator::Contains => Test::Contains(text),
        Operator::StartsWith => Test::StartsWith(text),
        Operator::EndsWith => Test::EndsWith(text),
        Operator::Ordered(order) => Test::Ordered(order, text),
    }
}

const fn test_of_time(operator: Operator, time: Timestamp) -> Test {
    match operator {
        Operator::Ordered(order) => Test::Timed(order, time),
        _ => Test::At(time),
    }
}

/// A text to compare with. No text here has a NUL.
fn text(value: &Value) -> Option<String> {
    value.as_str().filter(|text| !has_nul(text)).map(str::to_owned)
}
