//! Variants: the several answers that an enabled feature can give.

mod distribution;
mod fault;
mod size;

use flagstone_wire::Number;
use poem_openapi::{Enum, Object};
use serde::{Deserialize, Serialize};

pub use self::{
    distribution::{balance_feature, balance_strategy, distribute_feature, distribute_strategy},
    fault::VariantFault,
};

/// Content type of a payload's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize, Deserialize)]
#[oai(rename_all = "lowercase", rename = "PayloadType")]
#[serde(rename_all = "lowercase")]
pub enum PayloadKind {
    /// A JSON document.
    Json,
    /// Comma-separated values.
    Csv,
    /// Plain text.
    String,
    /// A number.
    Number,
}

/// Extra data that comes with a variant.
#[derive(Debug, Clone, PartialEq, Eq, Object, Serialize, Deserialize)]
#[oai(rename = "VariantPayload")]
pub struct Payload {
    /// Type of `value`.
    #[serde(rename = "type")]
    #[oai(rename = "type")]
    pub kind: PayloadKind,
    /// The content, as text of at most 100,000 characters.
    pub value: String,
}

/// Whether a variant's weight is fixed or variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize, Deserialize)]
#[oai(rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum WeightType {
    /// The weight adjusts so that all weights total 1000.
    Variable,
    /// The variant has exactly its weight.
    Fix,
}

/// A variant of one strategy.
#[derive(Debug, Clone, PartialEq, Eq, Object, Serialize, Deserialize)]
#[oai(rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct StrategyVariant {
    /// Name, unique within the feature: 1 to 100 characters.
    pub name: String,
    /// Share of users in thousandths, 0 to 1000.
    #[oai(validator(minimum(value = "0"), maximum(value = "1000")))]
    pub weight: i64,
    /// Whether the weight is fixed.
    pub weight_type: WeightType,
    /// Context field by which the same user gets the same variant each time; `default` picks the best available. It
    /// has at most 100 characters.
    pub stickiness: String,
    /// Extra data for clients.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payload: Option<Payload>,
}

/// Users who get a variant regardless of the weights.
#[derive(Debug, Clone, PartialEq, Eq, Object, Serialize, Deserialize)]
#[oai(rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct VariantOverride {
    /// Context field to compare, at most 100 characters.
    pub context_name: String,
    /// Values of the field that get this variant, at most 1000 of at most 1000 characters each.
    pub values: Vec<String>,
}

/// A variant of a feature in one environment.
#[derive(Debug, Clone, PartialEq, Object, Serialize, Deserialize)]
#[oai(rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct FeatureVariant {
    /// Name, unique within the feature: 1 to 100 characters.
    pub name: String,
    /// Share of users in thousandths, 0 to 1000.
    #[oai(validator(minimum(value = "0"), maximum(value = "1000")))]
    pub weight: Number,
    /// Whether the weight is fixed. Absent means `variable`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight_type: Option<WeightType>,
    /// Stickiness: the context field by which the same user gets the same variant each time, at most 100 characters.
    /// Absent means `default`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stickiness: Option<String>,
    /// Extra data for clients.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payload: Option<Payload>,
    /// Assignments that take precedence over the weights, at most 100.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overrides: Option<Vec<VariantOverride>>,
}
