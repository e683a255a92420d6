//! Features and their configuration in environments, as most answers show them.

use flagstone_wire::{Nullable, Number};
use poem_openapi::Object;
use serde::{Deserialize, Serialize};

use crate::{
    lifecycle::Lifecycle, strategy::FeatureStrategy, tag::Tag, time::Timestamp, user, variant::FeatureVariant,
};

/// The type of a feature that says none.
pub const DEFAULT_TYPE: &str = "release";

/// A feature flag.
#[derive(Debug, Clone, PartialEq, Default, Object, Serialize, Deserialize)]
#[oai(rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct Feature {
    /// Unique name, 1 to 100 characters.
    pub name: String,
    /// Feature type, such as `release`, `experiment`, `operational`, `kill-switch` or `permission`; at most 100
    /// characters.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    #[oai(rename = "type")]
    pub kind: Option<String>,
    /// Description of the feature, in at most 100,000 characters; `null` for none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<Nullable<String>>,
    /// Whether the feature is archived.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub archived: Option<bool>,
    /// Id of the project that owns the feature.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// Whether the feature is on in at least one environment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// Whether the feature is marked as stale.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stale: Option<bool>,
    /// Whether the caller marked the feature as a favourite. Absent for API tokens, which have no favourites.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub favorite: Option<bool>,
    /// Whether SDKs report each evaluation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub impression_data: Option<bool>,
    /// When the feature was created.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<Nullable<Timestamp>>,
    /// Author of the feature. Absent when unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_by: Option<UserSummary>,
    /// When the feature was archived; `null` while it is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub archived_at: Option<Nullable<Timestamp>>,
    /// When usage was last reported; `null` for never. Deprecated since 0.1.0: use the value of the
    /// environment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[oai(deprecated)]
    pub last_seen_at: Option<Nullable<Timestamp>>,
    /// Environments of the feature, by sort order, then name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub environments: Option<Vec<FeatureEnvironment>>,
    /// Variants of the feature. Deprecated since 0.1.0: use those of the environments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[oai(deprecated)]
    pub variants: Option<Vec<FeatureVariant>>,
    /// Strategies of the feature. Deprecated since 0.1.0: use those of the environments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[oai(deprecated)]
    pub strategies: Option<Vec<LegacyStrategy>>,
    /// Tags of the feature. Absent when there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tags: Option<Nullable<Vec<Tag>>>,
    /// Names of the features that depend on this one. Experimental.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub children: Option<Vec<String>>,
    /// Current lifecycle stage of the feature.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lifecycle: Option<Lifecycle>,
    /// The features that this one depends on. Experimental.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dependencies: Option<Vec<Dependency>>,
}

/// A strategy of a feature as versions before 5 had it; its properties are unspecified.
pub type LegacyStrategy = std::collections::HashMap<String, serde_json::Value>;

/// Author of a feature.
#[derive(Debug, Clone, PartialEq, Eq, Object, Serialize, Deserialize)]
#[oai(rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct UserSummary {
    /// Id of the user; negative for the server itself and for API tokens.
    pub id: i64,
    /// Name, else user name, else email.
    pub name: String,
    /// Address of the profile image.
    pub image_url: String,
}

impl UserSummary {
    /// A user as far as they are known.
    pub fn of(id: i64, name: Option<&str>, username: Option<&str>, email: Option<&str>) -> Self {
        let shown = user::display_name(name, username, email);
        Self { id, name: shown.to_owned(), image_url: user::image_url(email, username, id) }
    }
}

/// Dependency of a feature on another, its parent.
#[derive(Debug, Clone, PartialEq, Eq, Object, Serialize, Deserialize)]
#[oai(rename = "FeatureDependency", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct Dependency {
    /// Name of the parent feature, at most 100 characters.
    pub feature: String,
    /// Whether the parent must be enabled. Absent means true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// Variants one of which the parent must resolve to, at most 1000 names of at most 100 characters; empty or absent
    /// means any. Valid only when `enabled` is true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variants: Option<Vec<String>>,
}

/// A feature's configuration in one environment.
#[derive(Debug, Clone, PartialEq, Default, Object, Serialize, Deserialize)]
#[oai(rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct FeatureEnvironment {
    /// Name of the environment, at most 100 characters. In an export, name of the feature.
    pub name: String,
    /// Name of the feature, at most 100 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feature_name: Option<String>,
    /// Name of the environment, in an export.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub environment: Option<String>,
    /// Type of the environment, such as `production`.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    #[oai(rename = "type")]
    pub kind: Option<String>,
    /// Whether the feature is on in the environment.
    pub enabled: bool,
    /// Position of the environment, lowest first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sort_order: Option<Number>,
    /// Number of variants.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant_count: Option<Number>,
    /// Strategies, by sort order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategies: Option<Vec<FeatureStrategy>>,
    /// Variants, at most 1000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variants: Option<Vec<FeatureVariant>>,
    /// When usage was last reported from the environment; `null` for never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_seen_at: Option<Nullable<Timestamp>>,
    /// Whether there is any strategy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub has_strategies: Option<bool>,
    /// Whether there is any strategy that is not disabled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub has_enabled_strategies: Option<bool>,
}
