use std::{borrow::Cow, collections::BTreeMap};

use poem_openapi::{
    registry::{MetaSchema, MetaSchemaRef, Registry},
    types::{ParseError, ParseFromJSON, ParseResult, ToJSON, Type},
};
use serde::Serialize;
use serde_json::{Map, Value};

/// Most properties of a context, and of its `properties`.
const MOST: usize = 100;
/// Most characters of a value.
const LONGEST: usize = 10_000;

/// What an application knows of whoever asks for features: properties with known names, and any others, each a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct SdkContext(Map<String, Value>);

impl SdkContext {
    /// The values by name; those within `properties` beside the others, which win.
    pub fn flat(&self) -> BTreeMap<String, String> {
        let inner = self.0.get("properties").and_then(Value::as_object).into_iter().flatten();
        let outer = self.0.iter().filter(|(name, _)| *name != "properties");
        let text = |(name, value): (&String, &Value)| Some((name.clone(), value.as_str()?.to_owned()));
        inner.chain(outer).filter_map(text).collect()
    }
}

impl Type for SdkContext {
    const IS_REQUIRED: bool = true;
    type RawValueType = Self;
    type RawElementValueType = Self;

    fn name() -> Cow<'static, str> {
        "SdkContext".into()
    }

    fn schema_ref() -> MetaSchemaRef {
        MetaSchemaRef::Reference("SdkContext".to_owned())
    }

    fn register(registry: &mut Registry) {
        registry.create_schema::<Self, _>("SdkContext".to_owned(), |_| schema());
    }

    fn as_raw_value(&self) -> Option<&Self> {
        Some(self)
    }

    fn raw_element_iter<'a>(&'a self) -> Box<dyn Iterator<Item = &'a Self> + 'a> {
        Box::new(std::iter::once(self))
    }
}

fn text(description: &'static str) -> MetaSchema {
    MetaSchema { description: Some(description), max_length: Some(LONGEST), ..MetaSchema::new("string") }
}

fn inline(schema: MetaSchema) -> MetaSchemaRef {
    MetaSchemaRef::Inline(Box::new(schema))
}

fn texts(description: &'static str) -> MetaSchema {
    MetaSchema {
        description: Some(description),
        additional_properties: Some(Box::new(inline(text("A value.")))),
        max_properties: Some(MOST),
        ..MetaSchema::new("object")
    }
}

fn schema() -> MetaSchema {
    let known = |name, description| (name, inline(text(description)));
    let app_name = MetaSchema { min_length: Some(1), ..text("Name of the application that asks.") };
    MetaSchema {
        required: vec!["appName"],
        properties: vec![
            ("appName", inline(app_name)),
            known("currentTime", "Time of the evaluation, RFC 3339. Absent: now."),
            known("environment", "Does not count: the evaluation says in which environments it takes place."),
            ("properties", inline(texts("Values of further context fields, by name: at most 100."))),
            known("remoteAddress", "Address that the asker has."),
            known("sessionId", "Id of the asker's session."),
            known("userId", "Id of the user who asks."),
        ],
        ..texts(
            "What an application knows of whoever asks: at most 100 properties. Those without a known name are values of further context fields.",
        )
    }
}

/// Its form has been compared with the schema before.
impl ParseFromJSON for SdkContext {
    fn parse_from_json(value: Option<Value>) -> ParseResult<Self> {
        match value {
            Some(Value::Object(members)) => Ok(Self(members)),
            _ => Err(ParseError::expected_input()),
        }
    }
}

impl ToJSON for SdkContext {
    fn to_json(&self) -> Option<Value> {
        Some(Value::Object(self.0.clone()))
    }
}
