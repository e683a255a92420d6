use poem_openapi::{
    registry::MetaSchema,
    types::{ParseError, ParseFromJSON, ParseResult, ToJSON},
};
use serde_json::Value;

use super::plain_type;

/// Number of occurrences: a whole number from 0, however large. Beyond 64 bits it is the largest that fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Count(pub i64);

plain_type!(Count, "integer", MetaSchema { minimum: Some(0.0), ..MetaSchema::new_with_format("integer", "int64") });

impl ParseFromJSON for Count {
    fn parse_from_json(value: Option<Value>) -> ParseResult<Self> {
        let value = value.unwrap_or_default();
        match value.as_i64() {
            Some(count) => Ok(Self(count)),
            None if value.is_number() => Ok(Self(i64::MAX)),
            None => Err(ParseError::expected_type(value)),
        }
    }
}

impl ToJSON for Count {
    fn to_json(&self) -> Option<Value> {
        Some(self.0.into())
    }
}
