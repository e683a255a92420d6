use poem_openapi::{
    registry::{MetaSchema, MetaSchemaRef},
    types::{ParseError, ParseFromJSON, ParseResult, ToJSON},
};
use serde::Serialize;
use serde_json::Value;

use crate::EvaluationContext;

use super::plain_type;

/// Most properties of a context, and of its `properties`.
const MOST: usize = 100;
/// Most characters of a value.
const LONGEST: usize = 10_000;

/// Evaluation context as an SDK sends it: texts with known names, and further values.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub struct SdkContext(EvaluationContext);

impl SdkContext {
    /// Returns the context as it was sent.
    pub const fn as_sent(&self) -> &EvaluationContext {
        &self.0
    }
}

plain_type!(SdkContext, component "SdkContext", schema());

fn text(description: &'static str) -> MetaSchema {
    MetaSchema { description: Some(description), max_length: Some(LONGEST), ..MetaSchema::new("string") }
}

fn inline(schema: MetaSchema) -> MetaSchemaRef {
    MetaSchemaRef::Inline(Box::new(schema))
}

/// Values of any kind, since TypeScript knows no type for further properties next to those that may be absent. The
/// bound is one of texts alone.
fn others() -> MetaSchemaRef {
    inline(MetaSchema { max_length: Some(LONGEST), ..MetaSchema::ANY })
}

fn values(description: &'static str) -> MetaSchema {
    MetaSchema {
        description: Some(description),
        additional_properties: Some(Box::new(others())),
        max_properties: Some(MOST),
        ..MetaSchema::new("object")
    }
}

fn schema() -> MetaSchema {
    let known = |name, description| (name, inline(MetaSchema { nullable: true, ..text(description) }));
    let app_name = MetaSchema { min_length: Some(1), ..text("Name of the application.") };
    MetaSchema {
        description: Some(
            "The context of an evaluation: at most 100 properties. Those without a known name are values of further \
             context fields: texts of at most 10000 characters, numbers and booleans. `null` means no value, lists and \
             other objects are refused. At most 100 values altogether.",
        ),
        required: vec!["appName"],
        properties: vec![
            ("appName", inline(app_name)),
            known("currentTime", "Time of the evaluation, RFC 3339; what is no time is refused. Absent or empty: now."),
            known("environment", "Ignored: the environments are given separately."),
            ("properties", inline(values("Values of further context fields, by name: at most 100."))),
            known("remoteAddress", "Address that the asker has."),
            known("sessionId", "Id of the asker's session."),
            known("userId", "Id of the user."),
        ],
        additional_properties: Some(Box::new(others())),
        max_properties: Some(MOST),
        ..MetaSchema::new("object")
    }
}

impl ParseFromJSON for SdkContext {
    fn parse_from_json(value: Option<Value>) -> ParseResult<Self> {
        EvaluationContext::parse_from_json(value).map(Self).map_err(ParseError::propagate)
    }
}

impl ToJSON for SdkContext {
    fn to_json(&self) -> Option<Value> {
        self.0.to_json()
    }
}
