use poem_openapi::{
    registry::MetaSchema,
    types::{ParseFromJSON, ParseResult, ToJSON},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::plain_type;

/// A text, a number or a truth value. What else it is shows only when it is asked for: a union of texts and numbers
/// breaks clients that are generated from the document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Scalar(Value);

plain_type!(
    Scalar,
    "scalar",
    MetaSchema { description: Some("A text, a number or a truth value."), ..MetaSchema::ANY }
);

impl Scalar {
    /// Returns the value as a text, however it was written; nothing for `null`, lists and objects.
    pub fn text(&self) -> Option<String> {
        match &self.0 {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            Value::Bool(flag) => Some(flag.to_string()),
            Value::Null | Value::Array(_) | Value::Object(_) => None,
        }
    }
}

impl From<&str> for Scalar {
    fn from(text: &str) -> Self {
        Self(text.into())
    }
}

impl ToJSON for Scalar {
    fn to_json(&self) -> Option<Value> {
        Some(self.0.clone())
    }
}

impl ParseFromJSON for Scalar {
    fn parse_from_json(value: Option<Value>) -> ParseResult<Self> {
        Ok(Self(value.unwrap_or_default()))
    }
}
