//! A root role as callers choose it: by id or by name.

use poem_openapi::{
    registry::MetaSchema,
    types::{ParseFromJSON, ParseResult, ToJSON},
};
use serde_json::Value;

use crate::{error::Error, wire::plain_type};

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
        Error::property("/body/rootRole", "must be the id or the name of a root role that exists")
    }
}

plain_type!(RootRoleChoice, "root_role_choice", MetaSchema::ANY);

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
