use std::{borrow::Cow, fmt, marker::PhantomData};

use poem_openapi::{
    registry::{MetaSchema, MetaSchemaRef},
    types::{ParseError, ParseFromJSON, ParseResult, ToJSON, Type},
};
use serde::{Deserialize, Serialize};

/// Schema of a kind of text in the document.
pub trait Shape: Clone + fmt::Debug + PartialEq + Send + Sync + 'static {
    /// Name of the type.
    const NAME: &'static str;

    /// The schema.
    fn schema() -> MetaSchema;
}

/// A text that the document declares to be of a shape.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent, bound = "")]
pub struct ShapedText<S> {
    text: String,
    shape: PhantomData<fn() -> S>,
}

/// A URI.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UriShape;

/// A text that the document declares to be a URI.
pub type Uri = ShapedText<UriShape>;

impl Shape for UriShape {
    const NAME: &'static str = "string(uri)";

    fn schema() -> MetaSchema {
        MetaSchema::new_with_format("string", "uri")
    }
}

impl<S> ShapedText<S> {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl<S> From<String> for ShapedText<S> {
    fn from(text: String) -> Self {
        Self { text, shape: PhantomData }
    }
}

impl<S: Shape> Type for ShapedText<S> {
    const IS_REQUIRED: bool = true;
    type RawValueType = String;
    type RawElementValueType = String;

    fn name() -> Cow<'static, str> {
        S::NAME.into()
    }

    fn schema_ref() -> MetaSchemaRef {
        MetaSchemaRef::Inline(Box::new(S::schema()))
    }

    fn as_raw_value(&self) -> Option<&String> {
        Some(&self.text)
    }

    fn raw_element_iter<'a>(&'a self) -> Box<dyn Iterator<Item = &'a String> + 'a> {
        Box::new(std::iter::once(&self.text))
    }
}

impl<S: Shape> ParseFromJSON for ShapedText<S> {
    fn parse_from_json(value: Option<serde_json::Value>) -> ParseResult<Self> {
        match value {
            Some(serde_json::Value::String(text)) => Ok(text.into()),
            _ => Err(ParseError::expected_input()),
        }
    }
}

impl<S: Shape> ToJSON for ShapedText<S> {
    fn to_json(&self) -> Option<serde_json::Value> {
        Some(self.text.clone().into())
    }
}
