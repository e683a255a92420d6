use std::borrow::Cow;

use poem_openapi::{
    registry::{MetaSchema, MetaSchemaRef},
    types::{ParseError, ParseFromJSON, ParseResult, ToJSON, Type},
};
use serde::{Serialize, Serializer};
use serde_json::Value;

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

fn either(one: MetaSchemaRef, other: MetaSchemaRef) -> MetaSchemaRef {
    inline(MetaSchema { one_of: vec![one, other], ..MetaSchema::ANY })
}

macro_rules! plain_type {
    ($name:ident, $schema:literal) => {
        impl Type for $name {
            const IS_REQUIRED: bool = true;
            type RawValueType = Self;
            type RawElementValueType = Self;

            fn name() -> Cow<'static, str> {
                $schema.into()
            }

            fn schema_ref() -> MetaSchemaRef {
                Self::schema()
            }

            fn as_raw_value(&self) -> Option<&Self> {
                Some(self)
            }

            fn raw_element_iter<'a>(&'a self) -> Box<dyn Iterator<Item = &'a Self> + 'a> {
                Box::new(std::iter::once(self))
            }
        }

        impl ToJSON for $name {
            fn to_json(&self) -> Option<Value> {
                serde_json::to_value(self).ok()
            }
        }
    };
}

/// Some projects, by id, or `*` for all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Projects {
    /// `*`.
    All,
    /// These; at most 1000 of at most 255 characters.
    Some(Vec<String>),
}

plain_type!(Projects, "projects_or_all");

impl Projects {
    fn schema() -> MetaSchemaRef {
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

plain_type!(MaybeKnown, "boolean_or_unknown");

impl MaybeKnown {
    fn schema() -> MetaSchemaRef {
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
impl ParseFromJSON for MaybeKnown {
    fn parse_from_json(value: Option<Value>) -> ParseResult<Self> {
        match value {
            Some(Value::Bool(known)) => Ok(Self(Some(known))),
            Some(Value::String(word)) if word == "unknown" => Ok(Self(None)),
            _ => Err(ParseError::expected_input()),
        }
    }
}
