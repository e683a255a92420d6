//! A feature with everything that people look at when they open it.

use flagstone_wire::Nullable;
use poem_openapi::Object;
use serde::Serialize;

use crate::{
    evaluation::KnownSegment,
    feature::{Dependency, Feature, FeatureEnvironment, UserSummary},
    feature_link::FeatureLink,
    search::SearchLifecycle,
    strategy::evaluable,
    strategy_id::StrategyId,
    tag::Tag,
    time::Timestamp,
    variant::FeatureVariant,
};

/// A feature with its configuration in each environment, its usage, and who worked on it.
#[serde_with_macros::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Object, Serialize)]
#[oai(rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct FeatureDetails {
    /// Unique name.
    pub name: String,
    /// Feature type, such as `release`.
    #[serde(rename = "type")]
    #[oai(rename = "type")]
    pub kind: String,
    /// Description of the feature; `null` for none.
    pub description: Nullable<String>,
    /// Id of the project that owns the feature.
    pub project: String,
    /// Whether the feature is archived: always false here, since archived features have a list of their own.
    pub archived: bool,
    /// When the feature was archived: always `null` here.
    pub archived_at: Nullable<Timestamp>,
    /// Whether the feature is marked as stale.
    pub stale: bool,
    /// Whether SDKs report each evaluation.
    pub impression_data: bool,
    /// Whether the caller marked the feature as a favourite. Absent for API tokens, which have no favourites.
    pub favorite: Option<bool>,
    /// When the feature was created.
    pub created_at: Nullable<Timestamp>,
    /// Author of the feature. Absent when unknown.
    pub created_by: Option<UserSummary>,
    /// When usage was last reported from any environment; `null` for never.
    pub last_seen_at: Nullable<Timestamp>,
    /// The environments of the project, by sort order, then name.
    pub environments: Vec<EnvironmentDetails>,
    /// Always empty. Deprecated since 0.1.0: use the variants of the environments.
    #[oai(deprecated)]
    pub variants: Vec<FeatureVariant>,
    /// Tags, by type, then value. Absent when there are none.
    pub tags: Option<Vec<Tag>>,
    /// The features that this one depends on, by name.
    pub dependencies: Vec<Dependency>,
    /// Names of the features that depend on this one, sorted.
    pub children: Vec<String>,
    /// Links to tickets, dashboards and documents, in the order in which they were added.
    pub links: Vec<FeatureLink>,
    /// Current lifecycle stage of the feature. Absent when none was recorded.
    pub lifecycle: Option<SearchLifecycle>,
    /// The people who worked on the feature.
    pub collaborators: Collaborators,
}

/// A feature's configuration and usage in one environment.
#[derive(Debug, Clone, PartialEq, Object, Serialize)]
#[oai(rename = "FeatureEnvironmentDetails", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct EnvironmentDetails {
    /// The configuration. It has `variants` only when they were asked for.
    #[serde(flatten)]
    #[oai(flatten)]
    pub configuration: FeatureEnvironment,
    /// Number of evaluations as on in this environment, in the hours that began within the last hour.
    pub yes: i64,
    /// Number of evaluations as off in this environment, in the same hours.
    pub no: i64,
    /// Strategies, including disabled ones, that cannot be evaluated and so never hold, as those of other servers may.
    /// Absent when there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strategy_faults: Option<Vec<FaultyStrategy>>,
}

/// A strategy that never holds.
#[derive(Debug, Clone, PartialEq, Eq, Object, Serialize)]
#[oai(rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct FaultyStrategy {
    /// Id of the strategy.
    pub strategy_id: StrategyId,
    /// Part of it that cannot be evaluated, and why.
    pub reason: String,
}

/// Returns the strategies of an environment that never hold. A segment that is not known has no constraints here.
fn strategy_faults(configuration: &FeatureEnvironment, segments: &[KnownSegment]) -> Option<Vec<FaultyStrategy>> {
    let faults = configuration.strategies.iter().flatten().filter_map(|strategy| {
        let ids: Vec<i64> = strategy.segments.iter().flatten().filter_map(|id| id.whole()).collect();
        let attached = segments.iter().filter(|segment| ids.contains(&segment.id));
        let constraints =
            strategy.constraints.iter().flatten().chain(attached.flat_map(|segment| &segment.constraints));
        let fault = evaluable(&strategy.name, |name| strategy.parameter(name), constraints).err()?;
        Some(FaultyStrategy { strategy_id: strategy.id?, reason: fault.to_string() })
    });
    let faults: Vec<FaultyStrategy> = faults.collect();
    (!faults.is_empty()).then_some(faults)
}

/// The people who worked on a feature.
#[derive(Debug, Clone, PartialEq, Eq, Object, Serialize)]
pub struct Collaborators {
    /// Users who changed the feature, at most 100, the most recent first. API tokens and the server are not included.
    pub users: Vec<UserSummary>,
}

/// Number of evaluations of a feature that were reported in an environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Usage {
    /// Name of the environment.
    pub environment: String,
    /// Reports as on.
    pub yes: i64,
    /// Reports as off.
    pub no: i64,
}

impl FeatureDetails {
    /// Puts together what was read of a feature.
    pub fn new(
        feature: Feature,
        links: Vec<FeatureLink>,
        lifecycle: Option<SearchLifecycle>,
        usage: &[Usage],
        segments: &[KnownSegment],
        collaborators: Vec<UserSummary>,
    ) -> Self {
        let environments = feature.environments.unwrap_or_default().into_iter().map(|configuration| {
            let used = usage.iter().find(|usage| usage.environment == configuration.name);
            EnvironmentDetails {
                yes: used.map_or(0, |usage| usage.yes),
                no: used.map_or(0, |usage| usage.no),
                strategy_faults: strategy_faults(&configuration, segments),
                configuration,
            }
        });
        Self {
            environments: environments.collect(),
            name: feature.name,
            kind: feature.kind.unwrap_or_default(),
            description: feature.description.unwrap_or_default(),
            project: feature.project.unwrap_or_default(),
            archived: feature.archived.unwrap_or_default(),
            archived_at: feature.archived_at.unwrap_or_default(),
            stale: feature.stale.unwrap_or_default(),
            impression_data: feature.impression_data.unwrap_or_default(),
            favorite: feature.favorite,
            created_at: feature.created_at.unwrap_or_default(),
            created_by: feature.created_by,
            last_seen_at: feature.last_seen_at.unwrap_or_default(),
            variants: Vec::new(),
            tags: feature.tags.and_then(Nullable::into_inner),
            dependencies: feature.dependencies.unwrap_or_default(),
            children: feature.children.unwrap_or_default(),
            links,
            lifecycle,
            collaborators: Collaborators { users: collaborators },
        }
    }

    /// Returns the details without the variants of the environments.
    #[must_use]
    pub fn without_variants(mut self) -> Self {
        for environment in &mut self.environments {
            environment.configuration.variants = None;
        }
        self
    }
}
