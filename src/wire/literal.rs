use poem_openapi::{
    registry::MetaSchema,
    types::{ParseError, ParseFromJSON, ParseResult, ToJSON},
};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::plain_type;

macro_rules! boolean_literal {
    ($name:ident, $value:literal, $schema:literal) => {
        #[doc = concat!("The boolean `", $value, "` and nothing else: it tells the two sides of a union apart.")]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
        pub struct $name;

        plain_type!($name, $schema, MetaSchema { enum_items: vec![$value.into()], ..MetaSchema::new("boolean") });

        impl ParseFromJSON for $name {
            fn parse_from_json(value: Option<serde_json::Value>) -> ParseResult<Self> {
                match value {
                    Some(serde_json::Value::Bool($value)) => Ok(Self),
                    _ => Err(ParseError::custom(concat!("must be ", $value))),
                }
            }
        }

        impl ToJSON for $name {
            fn to_json(&self) -> Option<serde_json::Value> {
                Some($value.into())
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_bool($value)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                if bool::deserialize(deserializer)? == $value {
                    Ok(Self)
                } else {
                    Err(de::Error::custom(concat!("must be ", $value)))
                }
            }
        }
    };
}

boolean_literal!(True, true, "boolean_true");
boolean_literal!(False, false, "boolean_false");
