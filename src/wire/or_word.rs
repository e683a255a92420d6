use poem_openapi::{
    registry::{MetaSchema, MetaSchemaRef},
    types::{ParseError, ParseFromJSON, ParseResult, ToJSON},
};
use serde::{Serialize, Serializer};
use serde_json::Value;

use super::plain_type;

/// Most ids in a list.
const MOST: usize = 1000;
/// Most characters of one.
const LONGEST: usize = 255;

fn inline(schema: MetaSchema) -> MetaSchemaRef {
    MetaSchemaRef::Inline(Box::new(schema))
}

fn word(word: &str) -> MetaSchemaRef {
    inline(MetaSchema { enum_items: vec![word.into()], ..MetaSchema::new("string") })
}

fn either(one: MetaSchemaRef, other: MetaSchemaRef) -> MetaSchema {
    MetaSchema { one_of: vec![one, other], ..MetaSchema::ANY }
}

/// Some projects, by id, or `*` for all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Projects {
    /// `*`.
    All,
    /// These; at most 1000 of at most 255 characters.
    Some(Vec<String>),
}

plain_type!(Projects, "projects_or_all", Self::schema());

impl Projects {
    fn schema() -> MetaSchema {
        let list = MetaSchema {
            items: Some(Box::new(inline(MetaSchema { max_length: Some(LONGEST), ..MetaSchema::new("string") }))),
            max_items: Some(MOST),
            ..MetaSchema::new("array")
        };
        either(inline(list), word("*"))
    }
}

impl Serialize for Projects {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::All => serializer.serialize_str("*"),
            Self::Some(ids) => ids.serialize(serializer),
        }
    }
}

/// Its form has been compared with the schema before.
impl ToJSON for Projects {
    fn to_json(&self) -> Option<Value> {
        serde_json::to_value(self).ok()
    }
}

impl ParseFromJSON for Projects {
    fn parse_from_json(value: Option<Value>) -> ParseResult<Self> {
        match value {
            Some(Value::Array(_)) => Vec::parse_from_json(value).map(Self::Some).map_err(ParseError::propagate),
            Some(Value::String(word)) if word == "*" => Ok(Self::All),
            _ => Err(ParseError::expected_input()),
        }
    }
}

/// True, false, or the word `unknown`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MaybeKnown(pub Option<bool>);

plain_type!(MaybeKnown, "boolean_or_unknown", Self::schema());

impl MaybeKnown {
    fn schema() -> MetaSchema {
        either(inline(MetaSchema::new("boolean")), word("unknown"))
    }
}

impl Serialize for MaybeKnown {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Some(known) => serializer.serialize_bool(known),
            None => serializer.serialize_str("unknown"),
        }
    }
}

/// Answers alone hold it.
impl ToJSON for MaybeKnown {
    fn to_json(&self) -> Option<Value> {
        serde_json::to_value(self).ok()
    }
}

impl ParseFromJSON for MaybeKnown {
    fn parse_from_json(value: Option<Value>) -> ParseResult<Self> {
        match value {
            Some(Value::Bool(known)) => Ok(Self(Some(known))),
            Some(Value::String(word)) if word == "unknown" => Ok(Self(None)),
            _ => Err(ParseError::expected_input()),
        }
    }
}
