use std::borrow::Cow;

use poem_openapi::{
    registry::{MetaSchema, MetaSchemaRef},
    types::{ParseError, ParseFromJSON, ParseResult, ToJSON, Type},
};
use serde::{Deserialize, Serialize, Serializer};

/// Largest whole number that every reader of JSON takes exactly.
const MAX_EXACT: f64 = 9_007_199_254_740_991.0;

/// A JSON number; whole values are written without a fraction.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default, Deserialize)]
#[serde(transparent)]
pub struct Number(f64);

impl Number {
    /// The value.
    pub const fn get(self) -> f64 {
        self.0
    }

    /// A number of tenths.
    #[expect(clippy::cast_precision_loss, reason = "means of days stay far below 53 bits")]
    pub const fn tenths(tenths: i64) -> Self {
        Self(tenths as f64 / 10.0)
    }

    /// The value when it is whole and exact.
    #[expect(clippy::cast_possible_truncation, reason = "whole and within 53 bits")]
    pub fn whole(self) -> Option<i64> {
        (self.0.fract() == 0.0 && self.0.abs() <= MAX_EXACT).then_some(self.0 as i64)
    }
}

impl From<f64> for Number {
    fn from(value: f64) -> Self {
        Self(value)
    }
}

impl From<i64> for Number {
    #[expect(clippy::cast_precision_loss, reason = "counts and positions stay far below 53 bits")]
    fn from(value: i64) -> Self {
        Self(value as f64)
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.whole() {
            Some(whole) => serializer.serialize_i64(whole),
            None => serializer.serialize_f64(self.0),
        }
    }
}

impl Type for Number {
    const IS_REQUIRED: bool = true;
    type RawValueType = f64;
    type RawElementValueType = f64;

    fn name() -> Cow<'static, str> {
        "number".into()
    }

    fn schema_ref() -> MetaSchemaRef {
        MetaSchemaRef::Inline(Box::new(MetaSchema::new("number")))
    }

    fn as_raw_value(&self) -> Option<&f64> {
        Some(&self.0)
    }

    fn raw_element_iter<'a>(&'a self) -> Box<dyn Iterator<Item = &'a f64> + 'a> {
        Box::new(std::iter::once(&self.0))
    }
}

impl ParseFromJSON for Number {
    fn parse_from_json(value: Option<serde_json::Value>) -> ParseResult<Self> {
        value.and_then(|value| value.as_f64()).map(Self).ok_or_else(ParseError::expected_input)
    }
}

impl ToJSON for Number {
    fn to_json(&self) -> Option<serde_json::Value> {
        serde_json::to_value(self).ok()
    }
}
