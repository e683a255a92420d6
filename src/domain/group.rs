//! Groups of people.

use serde::Serialize;

use crate::domain::time::Timestamp;

/// A group as events and versions hold it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GroupDocument {
    /// Id of the group.
    pub id: i64,
    /// Unique name.
    pub name: String,
    /// What the group is for.
    pub description: Option<String>,
    /// Names of the login provider's groups that feed this one.
    #[serde(rename = "mappingsSSO")]
    pub mappings_sso: Vec<String>,
    /// Id of a root role that every member has in addition to their own.
    pub root_role: Option<i64>,
    /// Who made it.
    pub created_by: Option<String>,
    /// When it was made.
    pub created_at: Timestamp,
    /// Ids of the members, sorted.
    pub users: Vec<i64>,
}
