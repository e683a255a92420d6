//! Features as the search shows them: the answer of one query, not the model that changes are made to.

use flagstone_wire::{Nullable, Number};
use poem_openapi::Object;
use serde::Serialize;

use crate::{
    dependency::DependencyType,
    feature::{LegacyStrategy, UserSummary},
    lifecycle::Stage,
    strategy::FeatureStrategy,
    tag::Tag,
    time::Timestamp,
    variant::FeatureVariant,
};

/// A feature that a search found.
#[serde_with_macros::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Object, Serialize)]
#[oai(rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct SearchFeature {
    /// Unique name.
    pub name: String,
    /// Feature type, such as `release`, `experiment`, `operational`, `kill-switch` or `permission`.
    #[serde(rename = "type")]
    #[oai(rename = "type")]
    pub kind: String,
    /// Description of the feature; `null` for none.
    pub description: Nullable<String>,
    /// Role of the feature in dependencies; `null` when it has none.
    pub dependency_type: Nullable<DependencyType>,
    /// Id of the project that owns the feature.
    pub project: String,
    /// Whether the feature is marked as stale.
    pub stale: bool,
    /// Whether the caller marked the feature as a favourite; false for API tokens, which have no favourites.
    pub favorite: bool,
    /// Whether SDKs report each evaluation.
    pub impression_data: bool,
    /// When the feature was created.
    pub created_at: Nullable<Timestamp>,
    /// Author of the feature; id 0 and the name `unknown` when not known.
    pub created_by: UserSummary,
    /// Environments of the feature, by sort order, then name. Filters do not remove any.
    pub environments: Vec<SearchEnvironment>,
    /// Names of the segments that the feature's strategies use in any environment, sorted.
    pub segments: Vec<String>,
    /// Tags of the feature, by type, then value. Absent when there are none.
    pub tags: Option<Nullable<Vec<Tag>>>,
    /// Current lifecycle stage of the feature. Absent when none was recorded.
    pub lifecycle: Option<SearchLifecycle>,
    /// When usage was last reported from any environment; `null` for never. Deprecated since
    /// 0.1.0: use the value of the environment.
    #[oai(deprecated)]
    pub last_seen_at: Option<Nullable<Timestamp>>,
    /// Whether the feature is archived. Absent for features in use.
    pub archived: Option<bool>,
    /// When the feature was archived. Absent for features in use.
    pub archived_at: Option<Nullable<Timestamp>>,
    /// Variants of the feature. Never present. Deprecated since 0.1.0: use those of the environments.
    #[oai(deprecated)]
    pub variants: Option<Vec<FeatureVariant>>,
    /// Strategies of the feature. Never present. Deprecated since 0.1.0: use those of the environments.
    #[oai(deprecated)]
    pub strategies: Option<Vec<LegacyStrategy>>,
}

/// Configuration and usage of a feature in one environment, in a search result.
#[serde_with_macros::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Default, Object, Serialize)]
#[oai(rename = "SearchFeatureEnvironment", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct SearchEnvironment {
    /// Name of the environment.
    pub name: String,
    /// Type of the environment, such as `production`.
    #[serde(rename = "type")]
    #[oai(rename = "type")]
    pub kind: String,
    /// Whether the feature is on in the environment.
    pub enabled: bool,
    /// Position of the environment, lowest first.
    pub sort_order: Option<Number>,
    /// Number of variants.
    pub variant_count: Option<Number>,
    /// When usage was last reported from the environment; `null` for never.
    pub last_seen_at: Option<Nullable<Timestamp>>,
    /// Whether there is any strategy.
    pub has_strategies: Option<bool>,
    /// Whether there is any strategy that is not disabled.
    pub has_enabled_strategies: Option<bool>,
    /// Number of evaluations as on, in the hours that began within the last hour.
    pub yes: Option<i64>,
    /// Number of evaluations as off, in the hours that began within the last hour.
    pub no: Option<i64>,
    /// Name of the feature. Absent, since the enclosing feature has it.
    pub feature_name: Option<String>,
    /// Name of the environment. Absent, since `name` has it.
    pub environment: Option<String>,
    /// Strategies. Absent: a search returns only whether there are any.
    pub strategies: Option<Vec<FeatureStrategy>>,
    /// Variants. Absent: a search returns only their number.
    pub variants: Option<Vec<FeatureVariant>>,
}

/// Current lifecycle stage of a feature in a search result.
#[derive(Debug, Clone, PartialEq, Eq, Object, Serialize)]
#[oai(rename = "SearchFeatureLifecycle", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct SearchLifecycle {
    /// The stage.
    pub stage: Stage,
    /// When the feature entered it.
    pub entered_stage_at: Timestamp,
    /// Outcome of a completed feature, such as `kept` or `discarded`. Absent when the stage has no status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Nullable<String>>,
}
