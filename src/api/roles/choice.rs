//! A root role as callers choose it: by id or by name.

use poem_openapi::{
    registry::MetaSchema,
    types::{ParseFromJSON, ParseResult, ToJSON},
};
use serde_json::Value;

use crate::{changes::root_role::RootRole, wire::plain_type};

/// The id of a root role, or its name.
///
/// The document leaves the type open: generators stumble over what may be a number or a text.
#[derive(Debug, Clone, PartialEq)]
pub struct RootRoleChoice(Value);

impl RootRoleChoice {
    /// Returns the chosen role. A text that is a number may be either.
    pub fn chosen(&self) -> RootRole<'_> {
        match &self.0 {
            Value::Number(id) => RootRole { id: id.as_i64(), name: None },
            Value::String(text) => RootRole { id: text.parse().ok(), name: Some(text) },
            _ => RootRole::default(),
        }
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
