//! Features with all that hangs on them.

use std::collections::BTreeMap;

use flagstone_domain::{
    constraint::Constraint,
    feature_document::FeatureDocument,
    strategy::StrategyDefinition,
    time::Timestamp,
    variant::{FeatureVariant, StrategyVariant},
};
use serde::{Deserialize, Serialize};

use super::Tag;

/// A feature.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Feature {
    /// Unique name, also among archived ones.
    pub name: String,
    /// Id of its project.
    pub project: String,
    /// Id of its type.
    #[serde(rename = "type")]
    pub kind: String,
    /// Free text.
    pub description: Option<String>,
    /// Whether it is marked as stale.
    pub stale: bool,
    /// Whether it has outlived the lifetime of its type.
    pub potentially_stale: bool,
    /// Whether SDKs report impressions.
    pub impression_data: bool,
    /// When it was created.
    pub created_at: Option<Timestamp>,
    /// Id of the maker.
    pub created_by_user_id: Option<i64>,
    /// When it was archived; `None` while in use.
    pub archived_at: Option<Timestamp>,
    /// When it was last asked for.
    pub last_seen_at: Option<Timestamp>,
    /// Tags that it carries.
    pub tags: Vec<Tag>,
    /// Features that it depends on.
    pub dependencies: Vec<Dependency>,
    /// Links to tickets, dashboards and documents.
    pub links: Vec<Link>,
    /// Stages that it entered.
    pub lifecycle: Vec<Stage>,
    /// Its configuration in each environment.
    pub environments: Vec<FeatureEnvironment>,
}

impl Feature {
    /// The properties of the feature itself. One that has no date was created `now`.
    pub fn document(&self, now: Timestamp) -> FeatureDocument {
        FeatureDocument {
            name: self.name.clone(),
            description: self.description.clone(),
            kind: self.kind.clone(),
            project: self.project.clone(),
            stale: self.stale,
            created_at: self.created_at.unwrap_or(now),
            last_seen_at: self.last_seen_at,
            impression_data: self.impression_data,
            archived_at: self.archived_at,
        }
    }
}

/// A link of a feature.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Link {
    /// Id where it comes from; a new one where that is no UUID.
    pub id: String,
    /// Address.
    pub url: String,
    /// Text that is shown instead.
    pub title: Option<String>,
}

/// Dependency of a feature, which is on only when another one is in a state.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Dependency {
    /// Name of the other one.
    pub parent: String,
    /// Whether that must be on, or off.
    pub enabled: bool,
    /// Variants of it of which one must be given; empty is any.
    pub variants: Vec<String>,
}

/// A stage that a feature entered.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Stage {
    /// `initial`, `pre-live`, `live`, `completed` or `archived`.
    pub stage: String,
    /// Outcome of a completed feature.
    pub status: Option<String>,
    /// More of that, such as the variant that was kept.
    pub status_value: Option<String>,
    /// When it entered it.
    pub entered_at: Option<Timestamp>,
}

/// Configuration of a feature in one environment.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct FeatureEnvironment {
    /// Name of the environment.
    pub environment: String,
    /// Whether the feature is switched on.
    pub enabled: bool,
    /// When it was last asked for here.
    pub last_seen_at: Option<Timestamp>,
    /// Variants of the feature here.
    pub variants: Vec<FeatureVariant>,
    /// Strategies in their order: one that holds is enough.
    pub strategies: Vec<Strategy>,
}

/// A strategy.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Strategy {
    /// Id: a UUID, a ULID, or empty for a new one.
    pub id: String,
    /// Name of its type.
    pub name: String,
    /// Display name.
    pub title: Option<String>,
    /// Whether it is left out.
    pub disabled: bool,
    /// Position, lowest first. Where two are equal, all are renumbered.
    pub sort_order: i64,
    /// Parameters of its type.
    pub parameters: BTreeMap<String, String>,
    /// Constraints that must all hold in addition.
    pub constraints: Vec<Constraint>,
    /// Ids of segments that must hold in addition.
    pub segments: Vec<i64>,
    /// Variants that it gives.
    pub variants: Vec<StrategyVariant>,
    /// When it was created.
    pub created_at: Option<Timestamp>,
}

impl Strategy {
    /// Returns the strategy without its id and when it was created.
    pub fn definition(&self) -> StrategyDefinition {
        StrategyDefinition {
            name: self.name.clone(),
            title: self.title.clone(),
            disabled: self.disabled,
            sort_order: self.sort_order,
            parameters: self.parameters.clone(),
            constraints: self.constraints.clone(),
            variants: self.variants.clone(),
            segments: self.segments.clone(),
        }
    }
}
