//! Past events, and the usage of everything.

use flagstone_domain::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// An entry of a log of changes.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Event {
    /// Id; rises in the order in which things happened.
    pub id: i64,
    /// When it happened.
    pub created_at: Timestamp,
    /// Type of the event. Names that are not known here are kept.
    #[serde(rename = "type")]
    pub kind: String,
    /// Name of who did it.
    pub created_by: String,
    /// Id of who did it.
    pub created_by_user_id: Option<i64>,
    /// Environment concerned.
    pub environment: Option<String>,
    /// Project concerned.
    pub project: Option<String>,
    /// Feature concerned.
    pub feature: Option<String>,
    /// State after, as it was written.
    pub data: Option<Box<RawValue>>,
    /// State before, as it was written.
    pub pre_data: Option<Box<RawValue>>,
    /// Tags of the feature at that time.
    pub tags: Option<Box<RawValue>>,
}

/// Number of evaluations of a feature by an application in an hour or on a day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// Name of the feature.
    pub feature: String,
    /// Name of the application.
    pub app_name: String,
    /// Name of the environment.
    pub environment: String,
    /// Start of the hour or day.
    pub start: Timestamp,
    /// Name of the variant that was given, where variants are counted.
    pub variant: Option<String>,
    /// Number of evaluations as on, or with that variant.
    pub yes: i64,
    /// Number of evaluations as off.
    pub no: i64,
}

/// An application that has connected.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Application {
    /// Unique name.
    pub app_name: String,
    /// Free text.
    pub description: Option<String>,
    /// Address of its description.
    pub url: Option<String>,
    /// Colour shown with it.
    pub color: Option<String>,
    /// Icon shown with it.
    pub icon: Option<String>,
    /// Names of the strategies that it knows.
    pub strategies: Vec<String>,
    /// Name of the token that it first came with.
    pub created_by: Option<String>,
    /// When it first connected.
    pub created_at: Option<Timestamp>,
    /// When this last changed.
    pub updated_at: Option<Timestamp>,
    /// When it last connected.
    pub seen_at: Option<Timestamp>,
}

/// An instance (running copy) of an application.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Instance {
    /// Name of the application.
    pub app_name: String,
    /// Name of the copy.
    pub instance_id: String,
    /// Name of the environment.
    pub environment: String,
    /// Name and version of its SDK.
    pub sdk_version: Option<String>,
    /// When it last connected.
    pub last_seen_at: Option<Timestamp>,
    /// When it first connected.
    pub created_at: Option<Timestamp>,
}
