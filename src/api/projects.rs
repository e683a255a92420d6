//! Projects: their health report and their overview.

pub mod access;
pub mod changes;
pub mod default_strategy;
pub mod environments;
pub mod favorites;
pub mod list;
pub mod members;
pub mod overview;
pub mod removal;
pub mod tokens;
pub mod transfer;
pub mod usage;

use poem::web::Data;
use poem_openapi::{
    Object, OpenApi,
    param::{Path, Query},
};
use serde::Serialize;

use crate::{
    api::{
        Tag,
        answer::{Fails, LookupRefusals, Out},
        caller::Caller,
        parameter::SwitchParameter,
        version::Versioned,
    },
    domain::{
        feature::Feature,
        health::{HealthCounts, Windows},
        project::{ProjectMode, ProjectScope},
        strategy::DefaultStrategy,
        time::Timestamp,
        version::Version,
    },
    error::Error,
    state::State,
    store::{
        self,
        db::{HeavyReads, Tx},
        features::ListQuery,
        projects::{
            overview::{Settings, UsedEnvironment, environments as used_environments, find_settings, is_favorite},
            statistics::{self, Activity, Members},
            write::HeldProject,
        },
    },
    wire::{Nullable, Number, RawJsonOf},
};

/// The version of the overview's format.
const VERSION: i64 = 1;

/// The operations on projects.
#[derive(Debug)]
pub struct ProjectsApi;

/// The operations in this folder and this file.
pub fn operations() -> impl OpenApi {
    (
        ProjectsApi,
        access::ProjectAccessApi,
        changes::ProjectChangesApi,
        environments::ProjectEnvironmentsApi,
        favorites::ProjectFavoritesApi,
        list::ProjectListApi,
        members::ProjectMembersApi,
        overview::ProjectOverviewApi,
        removal::ProjectRemovalApi,
        tokens::ProjectTokensApi,
        transfer::FeatureTransferApi,
        usage::ProjectUsageApi,
    )
}

/// An environment that a project uses.
#[derive(Debug, Clone, PartialEq, Serialize, Object)]
#[oai(rename = "ProjectEnvironment", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct ProjectEnvironmentBody {
    /// Name of the environment.
    pub environment: String,
    /// Whether changes in this environment need a change request. Always false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change_requests_enabled: Option<bool>,
    /// The strategy that a feature gets when it is switched on here without one. Absent when none is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_strategy: Option<DefaultStrategy>,
}

/// What happened in a project. The current window is the last 30 days, the past window the 30 days before.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Object)]
#[oai(rename = "ProjectStats", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct ProjectStatsBody {
    /// Mean number of whole days from creation to the first enabling in an environment of type `production`, over all
    /// features of type `release` whenever they were made; one decimal, at least 0.1. 0 when no feature got there.
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

/// How features of a project must be named.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "ProjectFeatureNaming", skip_serializing_if_is_none)]
pub struct FeatureNamingBody {
    /// JavaScript regular expression for the whole name, without delimiters and flags; `null` for no rule.
    pub pattern: Nullable<String>,
    /// A name that matches the pattern; `null` for none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub example: Option<Nullable<String>>,
    /// Words for people who create a feature; `null` for none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<Nullable<String>>,
}

/// A project with its features and how healthy they are.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "HealthReport", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct HealthReportBody {
    /// Version of this format, 1.
    pub version: i64,
    /// Name of the project.
    pub name: String,
    /// What the project is for; `null` when nobody said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<Nullable<String>>,
    /// Context field that gradual rollouts and variants of the project stick to unless they say otherwise.
    pub default_stickiness: String,
    /// Who may see the project and submit change requests.
    pub mode: ProjectMode,
    /// Most features that the project may hold; `null` for no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feature_limit: Option<Nullable<Number>>,
    /// Different people who hold a role in the project, directly or through a group. Root roles do not count.
    pub members: i64,
    /// Share of the features not archived that are neither stale nor potentially stale, in percent, rounded; 100
    /// without features.
    #[oai(validator(minimum(value = "0"), maximum(value = "100")))]
    pub health: i64,
    /// Environments that the project uses, by sort order, then name.
    pub environments: Vec<ProjectEnvironmentBody>,
    /// The features that are not archived, oldest first, then by name.
    pub features: RawJsonOf<Vec<Feature>>,
    /// When the project last changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Nullable<Timestamp>>,
    /// When the project was created.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<Nullable<Timestamp>>,
    /// Whether the caller marked the project as a favourite; false for API tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub favorite: Option<bool>,
    /// What happened in the project of late.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stats: Option<ProjectStatsBody>,
    /// How features of the project must be named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feature_naming: Option<FeatureNamingBody>,
    /// Features not archived and not marked as stale that are older than the lifetime of their type.
    pub potentially_stale_count: Number,
    /// Features not archived and not marked as stale; those potentially stale count here too.
    pub active_count: Number,
    /// Features not archived that somebody marked as stale.
    pub stale_count: Number,
}

/// A project with its features.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "DeprecatedProjectOverview", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct ProjectOverviewBody {
    /// What happened in the project of late.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stats: Option<ProjectStatsBody>,
    /// Version of this format, 1.
    pub version: i64,
    /// Name of the project.
    pub name: String,
    /// What the project is for; `null` when nobody said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<Nullable<String>>,
    /// Context field that gradual rollouts and variants of the project stick to unless they say otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_stickiness: Option<String>,
    /// Who may see the project and submit change requests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<ProjectMode>,
    /// Most features that the project may hold; `null` for no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feature_limit: Option<Nullable<Number>>,
    /// How features of the project must be named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feature_naming: Option<FeatureNamingBody>,
    /// Different people who hold a role in the project, directly or through a group. Root roles do not count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub members: Option<Number>,
    /// Share of the features not archived that are neither stale nor potentially stale, 0 to 100 percent, rounded; 100
    /// without features.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[oai(validator(minimum(value = "0"), maximum(value = "100")))]
    pub health: Option<Number>,
    /// Environments that the project uses, by sort order, then name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub environments: Option<Vec<ProjectEnvironmentBody>>,
    /// The features that are not archived, or those that are if the request asked for them; oldest first, then by
    /// name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub features: Option<RawJsonOf<Vec<Feature>>>,
    /// When the project last changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Nullable<Timestamp>>,
    /// When the project was created.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<Nullable<Timestamp>>,
    /// Whether the caller marked the project as a favourite; false for API tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub favorite: Option<bool>,
}

#[OpenApi(tag = "Tag::Projects")]
impl ProjectsApi {
    /// Get a project's health report
    ///
    /// The project, its features, and how many of them are stale or potentially stale. Everything is counted at the
    /// moment of the call. Any caller who may see the project may ask.
    #[oai(
        path = "/api/admin/projects/:projectId/health-report",
        method = "get",
        operation_id = "getProjectHealthReport"
    )]
    async fn get_project_health_report(
        &self,
        caller: Caller,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
    ) -> Result<Out<HealthReportBody>, Fails<LookupRefusals>> {
        let project = caller.visible_project(&project_id).await?;
        let db = &state.db.heavy();
        let found = load(state, db, &caller, &project).await?;
        let features = features(db, &caller, &project, false).await?;
        Ok(Out(HealthReportBody::of(found, features)))
    }

    /// Get a project's overview
    ///
    /// The project and its features. Any caller who may see the project may ask. Deprecated since 0.1.0:
    /// use `getProjectHealthReport`, or `getFeatures` for the features alone.
    #[oai(
        path = "/api/admin/projects/:projectId",
        method = "get",
        operation_id = "getDeprecatedProjectOverview",
        deprecated
    )]
    async fn get_deprecated_project_overview(
        &self,
        caller: Caller,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        /// `true` lists the archived features instead of the others. Any other value means false, the default. The
        /// figures are about the features that are not archived either way.
        archived: Query<Option<SwitchParameter>>,
    ) -> Result<Versioned<ProjectOverviewBody>, Fails<LookupRefusals>> {
        let project = caller.visible_project(&project_id).await?;
        let db = &state.db.heavy();
        let found = load(state, db, &caller, &project).await?;
        let features = features(db, &caller, &project, archived.0.is_some_and(|archived| archived.0)).await?;
        let version = found.version();
        Ok(Versioned(ProjectOverviewBody::of(found, features), version))
    }
}

/// That there is no such project, or none that the caller may see.
fn missing(id: &str) -> Error {
    Error::not_found("project", id)
}

/// Holds a project that the caller was let into, unless somebody has archived or deleted it since.
async fn hold_in_use(tx: &Tx, id: &str) -> Result<HeldProject, Error> {
    let held = store::projects::write::hold(tx, id).await?;
    held.filter(|held| !held.document.is_archived()).ok_or_else(|| missing(id))
}

/// What both answers are made of, but for the features.
struct Found {
    settings: Settings,
    favorite: bool,
    environments: Vec<UsedEnvironment>,
    counts: HealthCounts,
    members: Members,
    activity: Activity,
}

async fn load(state: &State, db: &HeavyReads<'_>, caller: &Caller, project: &ProjectScope) -> Result<Found, Error> {
    let (now, id) = (state.clock.now(), project.id());
    let windows = Windows::ending(now);
    // What has a version is read where it is changed: a change may follow by it.
    let settings = find_settings(&state.db, id).await?.ok_or_else(|| missing(id))?;
    let favorite = match caller.user_id() {
        Some(user_id) => is_favorite(db, id, user_id).await?,
        None => false,
    };
    let lifetimes = store::health::lifetimes(db).await?;
    let (activity, members) = statistics::activity(db, id, windows).await?;
    Ok(Found {
        settings,
        favorite,
        environments: used_environments(&state.db, id).await?,
        counts: store::health::counts_of_project(db, id, &lifetimes, now).await?,
        members,
        activity,
    })
}

async fn features(
    db: &HeavyReads<'_>,
    caller: &Caller,
    project: &ProjectScope,
    archived: bool,
) -> Result<RawJsonOf<Vec<Feature>>, Error> {
    let query = ListQuery { archived, ..ListQuery::of_project(project.id()) };
    Ok(store::features::list_as_json(db, &query, caller.user_id()).await?)
}

impl HealthReportBody {
    fn of(found: Found, features: RawJsonOf<Vec<Feature>>) -> Self {
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
    fn of(found: Found, features: RawJsonOf<Vec<Feature>>) -> Self {
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
    fn version(&self) -> Version {
        self.settings.version(&self.environments)
    }

    fn stats(&self) -> ProjectStatsBody {
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

    fn feature_naming(&self) -> FeatureNamingBody {
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
        Self { environment: used.name, change_requests_enabled: Some(false), default_strategy: used.default_strategy }
    }
}
