//! Segments: constraints with a name, shared between strategies.

use flagstone_wire::Nullable;
use poem_openapi::Object;
use serde::Serialize;

use crate::{constraint::Constraint, text::is_longer, time::Timestamp};

/// Most characters of a segment's name.
const MAX_NAME_LENGTH: usize = 255;

/// Named constraints, all of which must hold for a strategy that uses the segment.
#[serde_with_macros::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Object)]
#[oai(rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct Segment {
    /// Id of the segment.
    #[oai(validator(minimum(value = "1")))]
    pub id: i64,
    /// Unique name.
    pub name: String,
    /// Description of the segment; `null` for none.
    pub description: Nullable<String>,
    /// Id of the only project whose strategies may use it; `null` when all may.
    pub project: Nullable<String>,
    /// Conditions that must all hold. Without any, all users are in the segment.
    pub constraints: Vec<Constraint>,
    /// Author: email, else user name, else the name of the API token; `null` when unknown.
    pub created_by: Nullable<String>,
    /// When it was created.
    pub created_at: Timestamp,
    /// Number of projects with a strategy that uses it, without those that are hidden from the caller; in lists only.
    pub used_in_projects: Option<i64>,
    /// Number of features with a strategy that uses it, including archived ones, without those of projects that are
    /// hidden from the caller; in lists only.
    pub used_in_features: Option<i64>,
}

impl Segment {
    /// Number of values that its constraints hold altogether.
    pub fn value_count(&self) -> u64 {
        value_count(&self.constraints)
    }
}

/// Number of values that constraints hold altogether, those that stand alone included.
pub fn value_count(constraints: &[Constraint]) -> u64 {
    constraints.iter().map(Constraint::count_values).sum::<usize>() as u64
}

/// Whether a text may name a segment.
pub fn is_name(text: &str) -> bool {
    !text.trim().is_empty() && !is_longer(text, MAX_NAME_LENGTH)
}
