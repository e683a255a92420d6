use poem_openapi::{
    registry::{MetaSchema, MetaSchemaRef},
    types::{ParseError, ParseFromJSON, ParseResult, Type},
};
use serde_json::Value;

use super::{EvaluationContext, Nullable, evaluation_context::MOST, plain_type};

/// The member that is a context.
const CONTEXT: &str = "context";

/// A body that asks for an evaluation: with a context, with the values of one as further members, or with both.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Question {
    /// The context.
    pub context: EvaluationContext,
    /// The other members, which are the values of one.
    pub beside: EvaluationContext,
}

impl Question {
    /// Its form has been compared with the schema before.
    fn of(value: Option<Value>) -> Option<Self> {
        let Some(Value::Object(mut members)) = value else { return None };
        let context = match members.remove(CONTEXT) {
            None | Some(Value::Null) => EvaluationContext::default(),
            Some(context) => EvaluationContext::parse_from_json(Some(context)).ok()?,
        };
        Some(Self { context, beside: EvaluationContext::of_members(members) })
    }
}

fn schema(description: &'static str, of_context: &'static str) -> MetaSchema {
    let context = MetaSchema { description: Some(of_context), ..MetaSchema::ANY };
    MetaSchema {
        description: Some(description),
        properties: vec![(CONTEXT, Nullable::<EvaluationContext>::schema_ref().merge(context))],
        // Of any kind, since TypeScript knows no type for the others beside a property that may be absent.
        additional_properties: Some(Box::new(MetaSchemaRef::Inline(Box::new(MetaSchema::ANY)))),
        max_properties: Some(MOST + 1),
        ..MetaSchema::new("object")
    }
}

macro_rules! question {
    ($(#[$doc:meta])* $type:ident, $name:literal, $description:literal, $of_context:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Default)]
        pub struct $type(pub Question);

        plain_type!($type, component $name, with EvaluationContext, schema($description, $of_context));

        impl ParseFromJSON for $type {
            fn parse_from_json(value: Option<Value>) -> ParseResult<Self> {
                Question::of(value).map(Self).ok_or_else(ParseError::expected_input)
            }
        }
    };
}

question!(
    /// A question of a browser or an app.
    FrontendQuestion, "FrontendQuestion",
    "A request for the features of a context. The values of the context stand in `context`, or beside or without it, as in \
     a query: a text of at most 10000 characters, a number or a boolean each, and more of them in `properties`. Those in \
     `context` take precedence. `null` means no value; any other list or object beside `context` is refused. Empty: an \
     empty context.",
    "The context. Absent or `null`: what stands beside it."
);

question!(
    /// A question of one of OpenFeature's providers.
    EvaluationRequest, "EvaluationRequest",
    "An evaluation request. The values of the context stand in `context`, as the protocol says, or beside or without it: a \
     text of at most 10000 characters, a number or a boolean each, and more of them in `properties`. Those in `context` take \
     precedence. `null` means no value; any other list or object beside `context` is refused. Empty: an empty context.",
    "The context. `targetingKey` is the id of the user, unless `userId` is given, too. Absent or `null`: what stands beside \
     it."
);

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_stand_in_the_context_or_beside_it() {
        let places =
            |context: &EvaluationContext| context.values().map(|(place, ..)| place).collect::<Vec<_>>().join(" ");
        for (body, within, beside) in [
            (json!({}), "", ""),
            (json!({ "context": { "userId": "7" } }), "userId", ""),
            (json!({ "userId": "7" }), "", "userId"),
            (json!({ "context": null, "tier": true, "none": null }), "", "tier"),
            (json!({ "context": { "a": 1 }, "properties": { "b": 2 } }), "a", "properties/b"),
        ] {
            let question = Question::of(Some(body.clone())).expect("a question");
            assert_eq!((&*places(&question.context), &*places(&question.beside)), (within, beside), "{body}");
        }
        assert_eq!(Question::of(Some(json!([]))), None);
    }
}
