//! Features as the search shows them: the answer of one query, not the model that changes are made to.

use poem_openapi::Object;
use serde::Serialize;

use crate::{
    domain::{
        dependency::DependencyType,
        feature::{LegacyStrategy, UserSummary},
        lifecycle::Stage,
        strategy::FeatureStrategy,
        tag::Tag,
        time::Timestamp,
        variant::FeatureVariant,
    },
    wire::{Nullable, Number},
};

/// A feature that a search found.
#[derive(Debug, Clone, PartialEq, Object, Serialize)]
#[oai(rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct SearchFeature {
    /// Unique name.
    pub name: String,
    /// Flag type, such as `release`, `experiment`, `operational`, `kill-switch` or `permission`.
    #[serde(rename = "type")]
    #[oai(rename = "type")]
    pub kind: String,
    /// What the feature is for; `null` when nobody said.
    pub description: Nullable<String>,
    /// On which side of dependencies the feature stands; `null` when it has none.
    pub dependency_type: Nullable<DependencyType>,
    /// Id of the project that owns the feature.
    pub project: String,
    /// Whether somebody marked the feature as stale.
    pub stale: bool,
    /// Whether the caller marked the feature as a favourite; false for API tokens, which have no favourites.
    pub favorite: bool,
    /// Whether clients report each evaluation.
    pub impression_data: bool,
    /// When the feature was created.
    pub created_at: Nullable<Timestamp>,
    /// Who created the feature: id 0 and the name `unknown` when nobody knows.
    pub created_by: UserSummary,
    /// Environments where the feature can be used, by sort order, then name. No filter takes any away.
    pub environments: Vec<SearchEnvironment>,
    /// Names of the segments that the feature's strategies use in any environment, sorted.
    pub segments: Vec<String>,
    /// Tags of the feature, by type, then value. Absent when there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<Nullable<Vec<Tag>>>,
    /// The stage of its life that the feature entered last. Absent when none was recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lifecycle: Option<SearchLifecycle>,
    /// When usage was last reported from any environment; `null` for never. Deprecated since
    /// 0.1.0: use the value of the environment.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[oai(deprecated)]
    pub last_seen_at: Option<Nullable<Timestamp>>,
    /// Whether the feature is archived. Absent, as a search finds no archived features.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub archived: Option<bool>,
    /// When the feature was archived. Absent, as a search finds no archived features.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub archived_at: Option<Nullable<Timestamp>>,
    /// Variants of the feature. Never there. Deprecated since 0.1.0: use those of the environments.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[oai(deprecated)]
    pub variants: Option<Vec<FeatureVariant>>,
    /// Strategies of the feature. Never there. Deprecated since 0.1.0: use those of the environments.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[oai(deprecated)]
    pub strategies: Option<Vec<LegacyStrategy>>,
}

/// A found feature's configuration in one environment, and its use there.
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
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sort_order: Option<Number>,
    /// Number of variants.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variant_count: Option<Number>,
    /// When usage was last reported from the environment; `null` for never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_seen_at: Option<Nullable<Timestamp>>,
    /// Whether there is any strategy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub has_strategies: Option<bool>,
    /// Whether there is any strategy that is not disabled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub has_enabled_strategies: Option<bool>,
    /// How often the feature was on when asked for, in the hourly counts that began within the last hour.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub yes: Option<i64>,
    /// How often the feature was off when asked for, in the hourly counts that began within the last hour.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no: Option<i64>,
    /// Name of the feature. Absent, as it is that of the element.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feature_name: Option<String>,
    /// Name of the environment. Absent, as `name` tells it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub environment: Option<String>,
    /// Strategies. Absent: a search tells only whether there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strategies: Option<Vec<FeatureStrategy>>,
    /// Variants. Absent: a search tells only their number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variants: Option<Vec<FeatureVariant>>,
}

/// The stage of its life that a found feature is in.
#[derive(Debug, Clone, PartialEq, Eq, Object, Serialize)]
#[oai(rename = "SearchFeatureLifecycle", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct SearchLifecycle {
    /// The stage.
    pub stage: Stage,
    /// When the feature entered it.
    pub entered_stage_at: Timestamp,
    /// How a completed feature ended, such as `kept` or `discarded`. Absent when the stage has no status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Nullable<String>>,
}
