use poem_openapi::{
    registry::{MetaSchema, MetaSchemaRef},
    types::{ParseError, ParseFromJSON, ParseResult, ToJSON},
};
use serde::Serialize;
use serde_json::{Map, Value};

use super::plain_type;

/// Most properties of a context, and of its `properties`.
pub(super) const MOST: usize = 100;

/// Evaluation context, in any form that programs send: texts, numbers and booleans by name.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[serde(transparent)]
pub struct EvaluationContext(Map<String, Value>);

/// The member whose members are further values of the context.
const PROPERTIES: &str = "properties";

impl EvaluationContext {
    /// One with these values.
    pub(super) const fn of_members(members: Map<String, Value>) -> Self {
        Self(members)
    }

    /// The values as texts, each with its place in the context: first those within `properties`, then the others,
    /// which win.
    pub fn values(&self) -> impl Iterator<Item = (String, &str, String)> {
        let inner = self.0.get(PROPERTIES).and_then(Value::as_object).into_iter().flatten();
        let inner = inner.filter_map(|(name, value)| Some((format!("{PROPERTIES}/{name}"), &**name, text(value)?)));
        let outer = self.0.iter().filter(|(name, value)| *name != PROPERTIES || !value.is_object());
        inner.chain(outer.filter_map(|(name, value)| Some((name.clone(), &**name, text(value)?))))
    }

    /// The place of the first value that is none: a list or an object.
    pub fn structure(&self) -> Option<String> {
        let is_structure = |value: &Value| value.is_array() || value.is_object();
        let inner = self.0.get(PROPERTIES).and_then(Value::as_object).into_iter().flatten();
        let inner = inner.filter(|(_, value)| is_structure(value)).map(|(name, _)| format!("{PROPERTIES}/{name}"));
        let is_properties = |name: &str, value: &Value| name == PROPERTIES && value.is_object();
        let outer = self.0.iter().filter(|(name, value)| is_structure(value) && !is_properties(name, value));
        outer.map(|(name, _)| name.clone()).chain(inner).next()
    }

    /// Whether the context says explicitly that there is no value of this name.
    pub fn denies(&self, name: &str) -> bool {
        self.0.get(name).is_some_and(Value::is_null)
    }
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(truth) => Some(truth.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

plain_type!(EvaluationContext, component "EvaluationContext", schema());

fn schema() -> MetaSchema {
    MetaSchema {
        description: Some(
            "The context of an evaluation: values by name, each a text of at most 10000 characters, a number \
                 or a boolean. `userId`, `sessionId`, `appName`, `remoteAddress` and `currentTime` (RFC 3339) are the \
                 names that built-in strategies use; any other is the value of a context field. Values may also stand \
                 in an object `properties`; a value of the same name outside it takes precedence. At most 100 values. \
                 `environment` is ignored, since the token has one, and so are lists, other objects and `null`. \
                 A `currentTime` that is no time is refused. Without `sessionId` a random one is used, and without \
                 `remoteAddress` the address of the connection; `null` or an empty text means none.",
        ),
        additional_properties: Some(Box::new(MetaSchemaRef::Inline(Box::new(MetaSchema::ANY)))),
        max_properties: Some(MOST),
        ..MetaSchema::new("object")
    }
}

/// Its form has been compared with the schema before.
impl ParseFromJSON for EvaluationContext {
    fn parse_from_json(value: Option<Value>) -> ParseResult<Self> {
        match value {
            Some(Value::Object(members)) => Ok(Self(members)),
            _ => Err(ParseError::expected_input()),
        }
    }
}

impl ToJSON for EvaluationContext {
    fn to_json(&self) -> Option<Value> {
        Some(Value::Object(self.0.clone()))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn lists_and_objects_are_found_where_they_stand() {
        for (context, place) in [
            (json!({ "a": 1, "b": null, "properties": { "c": "x" } }), None),
            (json!({ "a": [] }), Some("a")),
            (json!({ "a": {} }), Some("a")),
            (json!({ "properties": [] }), Some("properties")),
            (json!({ "properties": { "c": {} } }), Some("properties/c")),
        ] {
            let context = EvaluationContext::parse_from_json(Some(context)).expect("a context");
            assert_eq!(context.structure().as_deref(), place);
        }
    }

    #[test]
    fn values_of_all_forms_are_texts_and_outer_ones_come_last() {
        let context = json!({
            "userId": 7, "beta": true, "gone": null, "list": [1], "tier": "gold",
            "properties": { "tier": "tin", "region": "eu", "score": 1.5 },
        });
        let context = EvaluationContext::parse_from_json(Some(context)).expect("a context");
        let mut values: Vec<_> = context.values().collect();
        values[..3].sort();
        values[3..].sort();
        let expected = [
            ("properties/region", "region", "eu"),
            ("properties/score", "score", "1.5"),
            ("properties/tier", "tier", "tin"),
            ("beta", "beta", "true"),
            ("tier", "tier", "gold"),
            ("userId", "userId", "7"),
        ];
        assert_eq!(values, expected.map(|(place, name, text)| (place.to_owned(), name, text.to_owned())));
    }
}
