use std::borrow::Cow;

use poem_openapi::{
    registry::{MetaSchema, MetaSchemaRef},
    types::{ParseError, ParseFromJSON, ParseResult, ToJSON, Type},
};
use serde_json::Value;

/// How often something happened: a whole number from 0, however large. Beyond 64 bits it is the largest that fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Count(pub i64);

impl Type for Count {
    const IS_REQUIRED: bool = true;
    type RawValueType = Self;
    type RawElementValueType = Self;

    fn name() -> Cow<'static, str> {
        "integer".into()
    }

    fn schema_ref() -> MetaSchemaRef {
        let schema = MetaSchema { minimum: Some(0.0), ..MetaSchema::new_with_format("integer", "int64") };
        MetaSchemaRef::Inline(Box::new(schema))
    }

    fn as_raw_value(&self) -> Option<&Self> {
        Some(self)
    }

    fn raw_element_iter<'a>(&'a self) -> Box<dyn Iterator<Item = &'a Self> + 'a> {
        Box::new(std::iter::once(self))
    }
}

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
