//! Lifecycle: the stages that a feature passes through.

use poem_openapi::{Enum, Object};
use serde::{Deserialize, Serialize};

use crate::time::Timestamp;

/// A stage in a feature's life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Enum, Serialize, Deserialize)]
#[oai(rename_all = "kebab-case", rename = "LifecycleStage")]
#[serde(rename_all = "kebab-case")]
pub enum Stage {
    /// Created.
    Initial,
    /// Asked for by some application.
    PreLive,
    /// Asked for, while enabled, in an environment of type production.
    Live,
    /// Declared done by a user.
    Completed,
    /// Archived.
    Archived,
}

impl Stage {
    /// Every stage, in the order in which they are passed.
    pub const ALL: [Self; 5] = [Self::Initial, Self::PreLive, Self::Live, Self::Completed, Self::Archived];

    /// The name in the store and on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Initial => "initial",
            Self::PreLive => "pre-live",
            Self::Live => "live",
            Self::Completed => "completed",
            Self::Archived => "archived",
        }
    }

    /// Reads the stored name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|stage| stage.as_str() == name)
    }
}

/// The stage that a feature is in.
#[derive(Debug, Clone, PartialEq, Eq, Object, Serialize, Deserialize)]
#[oai(rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct Lifecycle {
    /// The stage.
    pub stage: Stage,
    /// When the feature entered it.
    pub entered_stage_at: Timestamp,
}

/// The outcome of a completed feature.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize, Deserialize)]
#[oai(rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum CompletionStatus {
    /// The guarded code, or one of its variants, is there to stay.
    Kept,
    /// The guarded code goes.
    Discarded,
}

impl CompletionStatus {
    /// The name in the store and on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Discarded => "discarded",
        }
    }
}

/// Completion of a feature, and its outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// Outcome.
    pub status: CompletionStatus,
    /// The variant that was kept, if one was named.
    pub status_value: Option<String>,
}

/// Data of the event.
impl Serialize for Completion {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeMap as _;
        let mut data = serializer.serialize_map(None)?;
        data.serialize_entry("status", self.status.as_str())?;
        if let Some(value) = &self.status_value {
            data.serialize_entry("statusValue", value)?;
        }
        data.serialize_entry("kept", &(self.status == CompletionStatus::Kept))?;
        data.end()
    }
}
