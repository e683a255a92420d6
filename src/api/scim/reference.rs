//! References between users and groups, whose `$ref` is no property that a schema can name.

use poem_openapi::{
    registry::{MetaSchema, MetaSchemaRef},
    types::{ParseError, ParseFromJSON, ParseResult, ToJSON},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::directory::Directory;
use crate::{
    domain::scim::group::MemberKind,
    store::scim::{Belonging, Member},
    wire::plain_type,
};

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
    /// Type: `User` or `Group` for members; for groups of a user `direct`, or `indirect` where the user is a member
    /// only of a group that is nested in it.
    pub r#type: String,
}

impl ReferenceBody {
    /// Reference to a group of a user.
    pub fn of_group(group: Belonging, directory: &Directory) -> Self {
        let kind = if group.is_direct { "direct" } else { "indirect" };
        Self::new(group.id, Some(group.name), MemberKind::Group, kind, directory)
    }

    /// Reference to a member of a group.
    pub fn of_member(member: Member, directory: &Directory) -> Self {
        Self::new(member.id, member.name, member.kind, member.kind.as_str(), directory)
    }

    fn new(id: i64, display: Option<String>, at: MemberKind, kind: &str, directory: &Directory) -> Self {
        let place = directory.place(&format!("{}/{id}", at.endpoint()));
        Self { value: id.to_string(), place, display, r#type: kind.to_owned() }
    }
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
            (
                "type",
                text(
                    "Type: `User` or `Group` for members; for groups of a user `direct`, or `indirect` where the user is a \
                     member only of a group that is nested in it.",
                ),
            ),
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
