//! Payloads of changes as they are shown, with their targets as they were when the changes were requested.

use poem_openapi::Object;
use serde::Serialize;

use crate::{
    domain::{
        constraint::Constraint,
        segment::Segment,
        strategy::{FeatureStrategy, Parameters},
        strategy_id::StrategyId,
        variant::{FeatureVariant, StrategyVariant},
    },
    wire::{Nullable, Number},
};

/// A strategy as it shall be, and as it was.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "RecordedStrategyUpdatePayload", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct RecordedStrategyUpdate {
    /// Id of the strategy.
    pub id: StrategyId,
    /// Name of the strategy type.
    pub name: String,
    /// A descriptive title; `null` for none.
    pub title: Option<Nullable<String>>,
    /// Whether the strategy is disabled and ignored in evaluation; `null` means false.
    pub disabled: Option<Nullable<bool>>,
    /// Position among the strategies of the environment, lowest first.
    pub sort_order: Option<Number>,
    /// Conditions that must all hold.
    pub constraints: Option<Vec<Constraint>>,
    /// Variants of the strategy.
    pub variants: Option<Vec<StrategyVariant>>,
    /// Parameters of the strategy type, each as text.
    pub parameters: Option<Parameters>,
    /// Ids of the segments that must all match.
    pub segments: Option<Vec<Number>>,
    /// The strategy when the change was requested.
    pub snapshot: Option<FeatureStrategy>,
}

/// A strategy to be removed, and as it was.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "RecordedStrategyRemovalPayload", skip_serializing_if_is_none)]
pub struct RecordedStrategyRemoval {
    /// Id of the strategy.
    pub id: StrategyId,
    /// Name of its type.
    pub name: Option<String>,
    /// Its title; `null` for none.
    pub title: Option<Nullable<String>>,
    /// Whether it is disabled.
    pub disabled: Option<Nullable<bool>>,
    /// The strategy when the change was requested.
    pub snapshot: Option<FeatureStrategy>,
}

/// All variants of a feature in the environment, and as they were.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "RecordedVariantsPayload", skip_serializing_if_is_none)]
pub struct RecordedVariants {
    /// The variants.
    pub variants: Vec<FeatureVariant>,
    /// The variants when the change was requested.
    pub snapshot: Option<Vec<FeatureVariant>>,
}

/// A segment as it shall be, and as it was.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "RecordedSegmentUpdatePayload", skip_serializing_if_is_none)]
pub struct RecordedSegmentUpdate {
    /// Id of the segment.
    pub id: i64,
    /// Unique name.
    pub name: String,
    /// Description of the segment; `null` for none.
    pub description: Option<Nullable<String>>,
    /// Id of its project.
    pub project: Option<Nullable<String>>,
    /// Conditions that must all hold.
    pub constraints: Vec<Constraint>,
    /// The segment when the change was requested.
    pub snapshot: Option<Segment>,
}

/// A segment to be deleted, and as it was.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "RecordedSegmentRemovalPayload", skip_serializing_if_is_none)]
pub struct RecordedSegmentRemoval {
    /// Id of the segment.
    pub id: i64,
    /// Its name when the change was requested.
    pub name: Option<String>,
    /// The segment when the change was requested.
    pub snapshot: Option<Segment>,
}
