//! Operators of constraints.

use flagstone_wire::plain_type;
use poem_openapi::{
    registry::MetaSchema,
    types::{ParseError, ParseFromJSON, ParseResult, ToJSON},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Operator that compares a context field.
///
/// The last ones are not published, and cannot be stored. A database that another program filled is still evaluated, as
/// Unleash's SDKs agreed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
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
    /// Is greater than the semantic version, or equals it.
    SemverGte,
    /// Is less than the semantic version, or equals it.
    SemverLte,
    /// Matches the regular expression.
    Regex,
    /// Not published: lies in one of the blocks of addresses.
    InCidr,
    /// Any other operator, which never holds.
    #[serde(other)]
    Unknown,
}

impl Operator {
    /// Operators that can be stored: the contract's in its order, then those that Unleash has had since version 7.5.
    const PUBLISHED: [Self; 18] = [
        Self::NotIn,
        Self::In,
        Self::StrEndsWith,
        Self::StrStartsWith,
        Self::StrContains,
        Self::NumEq,
        Self::NumGt,
        Self::NumGte,
        Self::NumLt,
        Self::NumLte,
        Self::DateAfter,
        Self::DateBefore,
        Self::SemverEq,
        Self::SemverGt,
        Self::SemverLt,
        Self::SemverGte,
        Self::SemverLte,
        Self::Regex,
    ];
}

plain_type!(Operator, component "ConstraintOperator", schema());

fn schema() -> MetaSchema {
    MetaSchema {
        description: Some(
            "How a context field is compared. The last three are newer than the others: an SDK that does not support \
             them never evaluates a feature as on through them. `REGEX` takes an RE2 pattern, without look-around and \
             back-references, as its `value`.",
        ),
        enum_items: Operator::PUBLISHED.iter().filter_map(ToJSON::to_json).collect(),
        ..MetaSchema::new("string")
    }
}

impl ParseFromJSON for Operator {
    fn parse_from_json(value: Option<Value>) -> ParseResult<Self> {
        let operator = value.and_then(|value| serde_json::from_value(value).ok());
        operator.filter(|operator| Self::PUBLISHED.contains(operator)).ok_or_else(ParseError::expected_input)
    }
}

impl ToJSON for Operator {
    fn to_json(&self) -> Option<Value> {
        serde_json::to_value(self).ok()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_published_is_taken_and_everything_is_read_from_the_store() {
        for operator in Operator::PUBLISHED {
            let name = operator.to_json();
            assert_eq!(Operator::parse_from_json(name.clone()).ok(), Some(operator), "{name:?}");
        }
        for (name, operator) in [("IN_CIDR", Operator::InCidr), ("NOT_A_VALID_OPERATOR", Operator::Unknown)] {
            assert!(Operator::parse_from_json(Some(json!(name))).is_err(), "{name}");
            assert_eq!(serde_json::from_value::<Operator>(json!(name)).expect("read"), operator);
        }
    }
}
