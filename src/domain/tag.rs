//! Tags and tag types.

use poem_openapi::Object;
use serde::{Deserialize, Serialize};

use crate::wire::Nullable;

/// A label on a feature.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Object, Serialize, Deserialize)]
pub struct Tag {
    /// The label's text, 2 to 50 characters.
    #[oai(validator(min_length = 2, max_length = 50))]
    pub value: String,
    /// Name of the tag type that the label belongs to, such as `simple`.
    #[serde(rename = "type")]
    #[oai(rename = "type")]
    pub kind: String,
}

/// A kind of tag.
#[derive(Debug, Clone, PartialEq, Eq, Object, Serialize, Deserialize)]
#[oai(skip_serializing_if_is_none)]
pub struct TagType {
    /// Unique name of the tag type.
    pub name: String,
    /// What tags of this type are for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Symbol to show beside tags of this type; `null` for none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub icon: Option<Nullable<String>>,
}
