//! Payloads of changes as they are sent.

use poem_openapi::Object;
use serde::{Deserialize, Serialize};

use crate::{
    domain::{
        constraint::Constraint,
        strategy::Parameters,
        strategy_id::StrategyId,
        variant::{FeatureVariant, StrategyVariant},
    },
    wire::{AtMost, Nullable},
};

/// Whether a feature is to be on.
#[derive(Debug, Clone, PartialEq, Eq, Object, Serialize, Deserialize)]
#[oai(rename = "SwitchPayload", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct SwitchPayload {
    /// Whether the feature is to be on in the environment.
    pub enabled: bool,
    /// Whether strategies are enabled where all of the feature's are disabled: `true` enables them, `false` adds the
    /// default strategy. Absent means false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub should_activate_disabled_strategies: Option<bool>,
}

/// A strategy as it shall be.
#[derive(Debug, Clone, Object)]
#[oai(rename = "StrategyUpdatePayload", rename_all = "camelCase")]
pub struct StrategyUpdatePayload {
    /// Id of the strategy.
    pub id: StrategyId,
    /// Name of the strategy type, such as `flexibleRollout`; the type must exist.
    #[oai(validator(min_length = 1, max_length = 100))]
    pub name: String,
    /// A descriptive title. Absent or `null` means none.
    #[oai(validator(max_length = 10_000))]
    pub title: Option<Nullable<String>>,
    /// Whether the strategy is disabled and ignored in evaluation. Absent or `null` means false.
    pub disabled: Option<Nullable<bool>>,
    /// Position among the strategies of the environment, lowest first. Absent means 0.
    #[oai(validator(minimum(value = "-9007199254740991"), maximum(value = "9007199254740991")))]
    pub sort_order: Option<i64>,
    /// Conditions that must all hold. Absent means none.
    #[oai(validator(max_items = 10_000))]
    pub constraints: Option<Vec<Constraint>>,
    /// Variants of the strategy. Absent means none.
    #[oai(validator(max_items = 1000))]
    pub variants: Option<Vec<StrategyVariant>>,
    /// Parameters of the strategy type, each as text. Absent means none. At most 100, with names of at most 100
    /// characters.
    #[oai(validator(max_length = 100_000))]
    pub parameters: Option<Parameters>,
    /// Ids of the segments that must all match. Absent means none.
    #[oai(validator(max_items = 10_000, minimum(value = "1")))]
    pub segments: Option<Vec<i64>>,
}

/// A strategy to be removed. All but the id is for readers.
#[derive(Debug, Clone, Object)]
#[oai(rename = "StrategyRemovalPayload")]
pub struct StrategyRemovalPayload {
    /// Id of the strategy.
    pub id: StrategyId,
    /// Name of its type.
    #[oai(validator(max_length = 100))]
    pub name: Option<String>,
    /// Its title.
    #[oai(validator(max_length = 10_000))]
    pub title: Option<Nullable<String>>,
    /// Whether it is disabled.
    pub disabled: Option<Nullable<bool>>,
}

/// All variants of a feature in the environment.
#[derive(Debug, Clone, Object)]
#[oai(rename = "VariantsPayload")]
pub struct VariantsPayload {
    /// The variants, which replace all existing ones. Variable weights are recalculated and need not be right.
    #[oai(validator(max_items = 1000))]
    pub variants: Vec<FeatureVariant>,
}

/// A segment as it shall be.
#[derive(Debug, Clone, Object)]
#[oai(rename = "SegmentUpdatePayload")]
pub struct SegmentUpdatePayload {
    /// Id of a segment of the project.
    #[oai(validator(minimum(value = "1"), maximum(value = "9007199254740991")))]
    pub id: i64,
    /// Unique name, 1 to 255 characters.
    #[oai(validator(min_length = 1, max_length = 255, pattern = r"\S"))]
    pub name: String,
    /// Description of the segment. Absent or `null` means none.
    #[oai(validator(max_length = 1000))]
    pub description: Option<Nullable<String>>,
    /// Id of the project of the change request. Absent or `null` keeps it: only a direct call moves a segment.
    #[oai(validator(max_length = 100))]
    pub project: Option<Nullable<String>>,
    /// Conditions that must all hold.
    pub constraints: AtMost<1000, Constraint>,
}

/// A segment to be deleted.
#[derive(Debug, Clone, Object)]
#[oai(rename = "SegmentRemovalPayload")]
pub struct SegmentRemovalPayload {
    /// Id of a segment of the project.
    #[oai(validator(minimum(value = "1"), maximum(value = "9007199254740991")))]
    pub id: i64,
}
