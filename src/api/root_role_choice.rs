//! A root role as callers choose it: by id or by name.

use std::borrow::Cow;

use poem_openapi::{
    registry::{MetaSchema, MetaSchemaRef},
    types::{ParseFromJSON, ParseResult, ToJSON, Type},
};
use serde_json::Value;

use crate::error::Error;

/// The id of a root role, or its name.
///
/// The document leaves the type open: generators stumble over what may be a number or a text.
#[derive(Debug, Clone, PartialEq)]
pub struct RootRoleChoice(Value);

impl RootRoleChoice {
    /// The id that it may be, and the name that it may be.
    pub fn id_or_name(&self) -> (Option<i64>, Option<&str>) {
        match &self.0 {
            Value::Number(id) => (id.as_i64(), None),
            Value::String(text) => (text.parse().ok(), Some(text.as_str())),
            _ => (None, None),
        }
    }

    /// 400: there is no such role.
    pub fn unknown() -> Error {
        let rule = "The /body/rootRole property must be the id or the name of a root role that exists.";
        Error::invalid("/body/rootRole", rule)
    }
}

impl Type for RootRoleChoice {
    const IS_REQUIRED: bool = true;
    type RawValueType = Self;
    type RawElementValueType = Self;

    fn name() -> Cow<'static, str> {
        "root_role_choice".into()
    }

    fn schema_ref() -> MetaSchemaRef {
        MetaSchemaRef::Inline(Box::new(MetaSchema::ANY))
    }

    fn as_raw_value(&self) -> Option<&Self> {
        Some(self)
    }

    fn raw_element_iter<'a>(&'a self) -> Box<dyn Iterator<Item = &'a Self> + 'a> {
        Box::new(std::iter::once(self))
    }
}

impl ParseFromJSON for RootRoleChoice {
    fn parse_from_json(value: Option<Value>) -> ParseResult<Self> {
        Ok(Self(value.unwrap_or_default()))
    }
}

impl ToJSON for RootRoleChoice {
    fn to_json(&self) -> Option<Value> {
        Some(self.0.clone())
    }
}
