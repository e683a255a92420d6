//! Place of a strategy that uses something shared, such as a segment or context field.

use poem_openapi::Object;
use serde::Serialize;

/// A strategy of a feature in an environment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
#[oai(rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct StrategyUse {
    /// Id of the strategy.
    pub id: String,
    /// Name of the feature, which may be archived.
    pub feature_name: String,
    /// Id of the feature's project.
    pub project_id: String,
    /// Environment of the strategy.
    pub environment: String,
    /// Name of the strategy type.
    pub strategy_name: String,
}
