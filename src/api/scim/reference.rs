//! References between users and groups, whose `$ref` is no property that a schema can name.

use poem_openapi::{
    registry::{MetaSchema, MetaSchemaRef},
    types::{ParseError, ParseFromJSON, ParseResult, ToJSON},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::directory::Directory;
use crate::{store::scim::Belonging, wire::plain_type};

/// Reference to a member of a group, or to a group of a user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReferenceBody {
    /// Its id.
    pub value: String,
    /// URL of it.
    #[serde(rename = "$ref")]
    pub place: String,
    /// Display name. Absent when it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub display: Option<String>,
    /// Type: `User` for members, `direct` for groups of a user.
    pub r#type: String,
}

/// References to users or groups, which are at the endpoint of this name.
pub fn references(belongings: Vec<Belonging>, kind: &str, endpoint: &str, directory: &Directory) -> Vec<ReferenceBody> {
    let reference = |belonging: Belonging| ReferenceBody {
        value: belonging.id.to_string(),
        place: directory.place(&format!("{endpoint}/{}", belonging.id)),
        display: belonging.name,
        r#type: kind.to_owned(),
    };
    belongings.into_iter().map(reference).collect()
}

plain_type!(ReferenceBody, component "ScimReference", schema());

fn schema() -> MetaSchema {
    let text = |description| {
        MetaSchemaRef::Inline(Box::new(MetaSchema { description: Some(description), ..MetaSchema::new("string") }))
    };
    MetaSchema {
        description: Some(
            "Reference to a member of a group, or to a group of a user. Besides these properties it has a `$ref`, the URL \
             of the member or group: it is not listed, since readers of this document take the name for a reference of \
             the document.",
        ),
        required: vec!["value", "type"],
        properties: vec![
            ("value", text("Its id.")),
            ("display", text("Display name. Absent when it has none.")),
            ("type", text("Type: `User` for members, `direct` for groups of a user.")),
        ],
        additional_properties: Some(Box::new(MetaSchemaRef::Inline(Box::new(MetaSchema::ANY)))),
        ..MetaSchema::new("object")
    }
}

impl ParseFromJSON for ReferenceBody {
    fn parse_from_json(value: Option<Value>) -> ParseResult<Self> {
        serde_json::from_value(value.unwrap_or_default()).map_err(ParseError::custom)
    }
}

impl ToJSON for ReferenceBody {
    fn to_json(&self) -> Option<Value> {
        serde_json::to_value(self).ok()
    }
}
