//! Feature types: the kinds of features, and how long they are meant to live.

use flagstone_wire::Nullable;
use poem_openapi::Object;
use serde::Serialize;

/// A kind of feature.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
#[oai(rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct FeatureType {
    /// Id of the type, such as `release`.
    pub id: String,
    /// Display name.
    pub name: String,
    /// Purpose of features of this type.
    pub description: String,
    /// Days after which such a feature counts as potentially stale, unless it is marked as stale; `null` for never.
    pub lifetime_days: Nullable<i64>,
}
