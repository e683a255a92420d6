use poem_openapi::{
    registry::MetaSchema,
    types::{ParseError, ParseFromJSON, ParseResult, ToJSON},
};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::plain_type;

/// A JSON object that passes through as it was stored, without being read and written again.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RawJson(pub(super) Box<RawValue>);

impl RawJson {
    /// Writes a JSON object.
    pub fn of(object: &serde_json::Value) -> Self {
        Self(serde_json::value::to_raw_value(object).expect("JSON can be written"))
    }

    /// Takes stored JSON text.
    pub fn from_text(text: String) -> serde_json::Result<Self> {
        RawValue::from_string(text).map(Self)
    }

    /// The JSON text.
    pub fn text(&self) -> &str {
        self.0.get()
    }
}

plain_type!(RawJson, "object", MetaSchema::new("object"));

impl ParseFromJSON for RawJson {
    fn parse_from_json(value: Option<serde_json::Value>) -> ParseResult<Self> {
        value
            .and_then(|value| serde_json::value::to_raw_value(&value).ok())
            .map(Self)
            .ok_or_else(ParseError::expected_input)
    }
}

impl ToJSON for RawJson {
    fn to_json(&self) -> Option<serde_json::Value> {
        serde_json::from_str(self.0.get()).ok()
    }
}
