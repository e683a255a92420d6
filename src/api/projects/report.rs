//! Reports on a project as a whole: its settings, its figures and its features.

use poem_openapi::Object;
use serde::Serialize;

use crate::{
    domain::{
        feature::Feature, health::HealthCounts, project::ProjectMode, strategy::DefaultStrategy, time::Timestamp,
        version::Version,
    },
    error::Error,
    store::projects::{
        overview::{Settings, UsedEnvironment},
        statistics::{Activity, Members},
    },
    wire::{Nullable, Number, RawJsonOf},
};

/// The version of the overview's format.
const VERSION: i64 = 1;

/// An environment that a project uses.
#[serde_with_macros::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Object)]
#[oai(rename = "ProjectEnvironment", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct ProjectEnvironmentBody {
    /// Name of the environment.
    pub environment: String,
    /// Whether changes in this environment need a change request.
    pub change_requests_enabled: Option<bool>,
    /// The strategy that a feature without one gets when it is enabled here. Absent when none is set.
    pub default_strategy: Option<DefaultStrategy>,
}

/// Activity in a project. The current window is the last 30 days, the past window the 30 days before.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Object)]
#[oai(rename = "ProjectStats", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct ProjectStatsBody {
    /// Mean number of whole days from creation to the first enabling in an environment of type `production`, over all
    /// features of type `release` regardless of their age; one decimal, at least 0.1. 0 when no feature got there.
    pub avg_time_to_prod_current_window: Number,
    /// Features created in the current window that are not archived.
    pub created_current_window: Number,
    /// Features created in the past window that are not archived.
    pub created_past_window: Number,
    /// Features archived in the current window and still archived.
    pub archived_current_window: Number,
    /// Features archived in the past window and still archived.
    pub archived_past_window: Number,
    /// Events of the project in the current window.
    pub project_activity_current_window: Number,
    /// Events of the project in the past window.
    pub project_activity_past_window: Number,
    /// Members who got a role in the project, directly or through a group, in the current window.
    pub project_members_added_current_window: Number,
}

/// Naming rules for features of a project.
#[serde_with_macros::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "ProjectFeatureNaming", skip_serializing_if_is_none)]
pub struct FeatureNamingBody {
    /// JavaScript regular expression for the whole name, without delimiters and flags; `null` for no rule.
    pub pattern: Nullable<String>,
    /// A name that matches the pattern; `null` for none.
    pub example: Option<Nullable<String>>,
    /// Words for people who create a feature; `null` for none.
    pub description: Option<Nullable<String>>,
}

/// A project with its features and their health.
#[serde_with_macros::skip_serializing_none]
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "HealthReport", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct HealthReportBody {
    /// Version of this format, 1.
    pub version: i64,
    /// Name of the project.
    pub name: String,
    /// Purpose of the project; `null` for none.
    pub description: Option<Nullable<String>>,
    /// Default stickiness of gradual rollouts and variants of the project.
    pub default_stickiness: String,
    /// Mode of the project: who may see it and submit change requests.
    pub mode: ProjectMode,
    /// Maximum number of features in the project; `null` for no limit.
    pub feature_limit: Option<Nullable<Number>>,
    /// Number of users with a role in the project, directly or through a group. Root roles are not counted.
    pub members: i64,
    /// Percentage of features that are neither stale nor potentially stale, rounded; 100 without features. Archived
    /// features are not counted.
    #[oai(validator(minimum(value = "0"), maximum(value = "100")))]
    pub health: i64,
    /// Environments that the project uses, by sort order, then name.
    pub environments: Vec<ProjectEnvironmentBody>,
    /// The features that are not archived, oldest first, then by name.
    pub features: RawJsonOf<Vec<Feature>>,
    /// When the project last changed.
    pub updated_at: Option<Nullable<Timestamp>>,
    /// When the project was created.
    pub created_at: Option<Nullable<Timestamp>>,
    /// Whether the caller marked the project as a favourite; false for API tokens.
    pub favorite: Option<bool>,
    /// Recent activity in the project.
    pub stats: Option<ProjectStatsBody>,
    /// Naming rules for features of the project.
    pub feature_naming: Option<FeatureNamingBody>,
    /// Potentially stale features: older than the lifetime of their type, not marked as stale and not archived.
    pub potentially_stale_count: Number,
    /// Features that are not marked as stale and not archived, including potentially stale ones.
    pub active_count: Number,
    /// Features that are marked as stale and not archived.
    pub stale_count: Number,
}

/// A project with its features.
#[serde_with_macros::skip_serializing_none]
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "DeprecatedProjectOverview", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct ProjectOverviewBody {
    /// Recent activity in the project.
    pub stats: Option<ProjectStatsBody>,
    /// Version of this format, 1.
    pub version: i64,
    /// Name of the project.
    pub name: String,
    /// Purpose of the project; `null` for none.
    pub description: Option<Nullable<String>>,
    /// Default stickiness of gradual rollouts and variants of the project.
    pub default_stickiness: Option<String>,
    /// Mode of the project: who may see it and submit change requests.
    pub mode: Option<ProjectMode>,
    /// Maximum number of features in the project; `null` for no limit.
    pub feature_limit: Option<Nullable<Number>>,
    /// Naming rules for features of the project.
    pub feature_naming: Option<FeatureNamingBody>,
    /// Number of users with a role in the project, directly or through a group. Root roles are not counted.
    pub members: Option<Number>,
    /// Percentage of features that are neither stale nor potentially stale, 0 to 100, rounded; 100 without features.
    /// Archived features are not counted.
    #[oai(validator(minimum(value = "0"), maximum(value = "100")))]
    pub health: Option<Number>,
    /// Environments that the project uses, by sort order, then name.
    pub environments: Option<Vec<ProjectEnvironmentBody>>,
    /// The features that are not archived, or the archived ones if requested; oldest first, then by name.
    pub features: Option<RawJsonOf<Vec<Feature>>>,
    /// When the project last changed.
    pub updated_at: Option<Nullable<Timestamp>>,
    /// When the project was created.
    pub created_at: Option<Nullable<Timestamp>>,
    /// Whether the caller marked the project as a favourite; false for API tokens.
    pub favorite: Option<bool>,
}

/// Data of both answers, without the features.
pub(super) struct Found {
    pub(super) settings: Settings,
    pub(super) favorite: bool,
    pub(super) environments: Vec<UsedEnvironment>,
    pub(super) counts: HealthCounts,
    pub(super) members: Members,
    pub(super) activity: Activity,
}

impl HealthReportBody {
    pub(super) fn of(found: Found, features: RawJsonOf<Vec<Feature>>) -> Self {
        let stats = found.stats();
        let feature_naming = found.feature_naming();
        let (settings, counts) = (found.settings, found.counts);
        Self {
            version: VERSION,
            name: settings.name,
            description: Some(settings.description.into()),
            default_stickiness: settings.default_stickiness,
            mode: ProjectMode::parse(&settings.mode),
            feature_limit: Some(settings.feature_limit.map(Number::from).into()),
            members: found.members.total,
            health: counts.health(),
            environments: found.environments.into_iter().map(Into::into).collect(),
            features,
            updated_at: Some(Some(settings.updated_at).into()),
            created_at: Some(Some(settings.created_at).into()),
            favorite: Some(found.favorite),
            stats: Some(stats),
            feature_naming: Some(feature_naming),
            potentially_stale_count: counts.potentially_stale.into(),
            active_count: counts.unmarked().into(),
            stale_count: counts.stale.into(),
        }
    }
}

impl ProjectOverviewBody {
    pub(super) fn of(found: Found, features: RawJsonOf<Vec<Feature>>) -> Self {
        let report = HealthReportBody::of(found, features);
        Self {
            stats: report.stats,
            version: report.version,
            name: report.name,
            description: report.description,
            default_stickiness: Some(report.default_stickiness),
            mode: Some(report.mode),
            feature_limit: report.feature_limit,
            feature_naming: report.feature_naming,
            members: Some(report.members.into()),
            health: Some(report.health.into()),
            environments: Some(report.environments),
            features: Some(report.features),
            updated_at: report.updated_at,
            created_at: report.created_at,
            favorite: report.favorite,
        }
    }
}

impl Found {
    pub(super) fn version(&self) -> Result<Version, Error> {
        Ok(self.settings.version(&self.environments)?)
    }

    pub(super) fn stats(&self) -> ProjectStatsBody {
        let activity = &self.activity;
        ProjectStatsBody {
            avg_time_to_prod_current_window: activity.times_to_production().mean_days().unwrap_or_default().into(),
            created_current_window: activity.created_current.into(),
            created_past_window: activity.created_past.into(),
            archived_current_window: activity.archived_current.into(),
            archived_past_window: activity.archived_past.into(),
            project_activity_current_window: activity.events_current.into(),
            project_activity_past_window: activity.events_past.into(),
            project_members_added_current_window: self.members.added.into(),
        }
    }

    pub(super) fn feature_naming(&self) -> FeatureNamingBody {
        let settings = &self.settings;
        FeatureNamingBody {
            pattern: settings.naming_pattern.clone().into(),
            example: Some(settings.naming_example.clone().into()),
            description: Some(settings.naming_description.clone().into()),
        }
    }
}

impl From<UsedEnvironment> for ProjectEnvironmentBody {
    fn from(used: UsedEnvironment) -> Self {
        Self {
            environment: used.name,
            change_requests_enabled: Some(used.needs_approval),
            default_strategy: used.default_strategy,
        }
    }
}
