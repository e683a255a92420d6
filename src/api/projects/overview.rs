//! A project without its features: its overview, and its figures.

use poem::web::Data;
use poem_openapi::{Enum, Object, OpenApi, param::Path};
use serde::Serialize;

use super::{FeatureNamingBody, ProjectEnvironmentBody, ProjectStatsBody, load};
use crate::{
    api::{
        Tag,
        answer::{Fails, LookupRefusals, Out},
        caller::AuthenticatedCaller,
        version::Versioned,
    },
    domain::{
        feature_link::LinkTemplate,
        health::TimesToProduction,
        project::{ProjectMode, VisibleProject},
        time::Timestamp,
    },
    error::Error,
    state::State,
    store::{
        self,
        db::HeavyReads,
        projects::{statistics, usage},
    },
    wire::{Nullable, Number},
};

/// The version of the overview's format.
const VERSION: i64 = 1;

/// The overview and the figures of a project.
#[derive(Debug)]
pub struct ProjectOverviewApi;

/// Number of features of a type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "FeatureTypeCount")]
pub struct FeatureTypeCountBody {
    /// Id of the type.
    #[serde(rename = "type")]
    #[oai(rename = "type")]
    pub kind: String,
    /// Features of the type that are not archived.
    #[oai(validator(minimum(value = "0")))]
    pub count: i64,
}

/// Onboarding status of a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize)]
#[oai(rename_all = "kebab-case")]
#[serde(rename_all = "kebab-case")]
pub enum OnboardingStage {
    /// There is no feature yet.
    OnboardingStarted,
    /// There is a feature, and no application has reported the use of any.
    FirstFlagCreated,
    /// An application has reported the use of a feature.
    Onboarded,
}

/// Onboarding status of a project, with its first feature.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "ProjectOnboardingStatus", skip_serializing_if_is_none)]
pub struct OnboardingBody {
    /// The stage.
    pub status: OnboardingStage,
    /// Name of the oldest feature. Only with `first-flag-created`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feature: Option<String>,
}

/// A project.
#[derive(Debug, Clone, PartialEq, Serialize, Object)]
#[oai(rename = "ProjectOverview", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct OverviewBody {
    /// Version of this format, 1.
    pub version: i64,
    /// Name of the project.
    pub name: String,
    /// Purpose of the project; `null` for none.
    pub description: Nullable<String>,
    /// Default stickiness of gradual rollouts and variants of the project.
    pub default_stickiness: String,
    /// Mode of the project: who may see it and submit change requests.
    pub mode: ProjectMode,
    /// Maximum number of features in the project; `null` for no limit.
    pub feature_limit: Nullable<Number>,
    /// Naming rules for features of the project.
    pub feature_naming: FeatureNamingBody,
    /// Links that each new feature of the project gets.
    pub link_templates: Vec<LinkTemplate>,
    /// Number of users with a role in the project, directly or through a group. Root roles are not counted.
    #[oai(validator(minimum(value = "0")))]
    pub members: i64,
    /// Percentage of features that are neither stale nor potentially stale, rounded; 100 without features. Archived
    /// features are not counted.
    #[oai(validator(minimum(value = "0"), maximum(value = "100")))]
    pub health: i64,
    /// Environments that the project uses, by sort order, then name.
    pub environments: Vec<ProjectEnvironmentBody>,
    /// The features not archived by type, in the order of types; types without features are left out.
    pub feature_type_counts: Vec<FeatureTypeCountBody>,
    /// When the project last changed.
    pub updated_at: Timestamp,
    /// When the project was created.
    pub created_at: Timestamp,
    /// When the project was archived; `null`, since archived projects have no overview.
    pub archived_at: Nullable<Timestamp>,
    /// Whether the caller marked the project as a favourite; false for API tokens.
    pub favorite: bool,
    /// Recent activity in the project.
    pub stats: ProjectStatsBody,
    /// Onboarding status of the project.
    pub onboarding_status: OnboardingBody,
}

/// Time that a feature took to reach production.
#[derive(Debug, Clone, PartialEq, Serialize, Object)]
#[oai(rename = "FeatureLeadTime", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct FeatureLeadTimeBody {
    /// Name of the feature.
    pub name: String,
    /// Whole days from its creation to its first enabling in an environment of type `production`.
    pub time_to_production: Number,
}

/// Time that the features of a project take to reach production.
#[derive(Debug, Clone, PartialEq, Serialize, Object)]
#[oai(rename = "ProjectLeadTime", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct LeadTimeBody {
    /// Mean of the features' days, one decimal, at least 0.1; 0 when no feature got there.
    pub project_average: Number,
    /// The features of type `release` that have been enabled in production, archived ones too, by name.
    pub features: Vec<FeatureLeadTimeBody>,
}

/// The health of a project in figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "ProjectHealth", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct HealthBody {
    /// Percentage of features that are neither stale nor potentially stale, rounded; 100 without features. Archived
    /// features are not counted.
    #[oai(validator(minimum(value = "0"), maximum(value = "100")))]
    pub rating: i64,
    /// Features that are not marked as stale and not archived, including potentially stale ones.
    pub active_count: i64,
    /// Potentially stale features: older than the lifetime of their type, not marked as stale and not archived.
    pub potentially_stale_count: i64,
    /// Features that are marked as stale and not archived.
    pub stale_count: i64,
}

/// The members of a project in figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "ProjectMembers", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct MembersBody {
    /// Number of users with a role in the project, directly or through a group.
    pub current_members: i64,
    /// Number of users who got a role in the last 30 days.
    pub change: i64,
}

/// A project in figures.
#[derive(Debug, Clone, PartialEq, Serialize, Object)]
#[oai(rename = "ProjectInsights", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct ProjectInsightsBody {
    /// Recent activity in the project.
    pub stats: ProjectStatsBody,
    /// Time that its features take to reach production.
    pub lead_time: LeadTimeBody,
    /// The features not archived by type, in the order of types; types without features are left out.
    pub feature_type_counts: Vec<FeatureTypeCountBody>,
    /// Health of its features.
    pub health: HealthBody,
    /// Members of the project.
    pub members: MembersBody,
}

#[OpenApi(tag = "Tag::Projects")]
impl ProjectOverviewApi {
    /// Get a project's overview
    ///
    /// The project, its settings and environments, and figures of its features and members. Needs no permission but to
    /// see the project. The `ETag` is the version of the settings and environments: a change that sends it as
    /// `If-Match` is refused when somebody else has changed those.
    #[oai(path = "/api/admin/projects/:projectId/overview", method = "get", operation_id = "getProjectOverview")]
    async fn get_project_overview(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
    ) -> Result<Versioned<OverviewBody>, Fails<LookupRefusals>> {
        let project = caller.visible_project(&project_id).await?;
        let db = &state.db.heavy();
        let found = load(state, db, &caller, &project).await?;
        let version = found.version()?;
        let link_templates = found.settings.link_templates()?;
        let (figures, feature_naming) = (found.stats(), found.feature_naming());
        let (settings, counts) = (found.settings, found.counts);
        let body = OverviewBody {
            version: VERSION,
            name: settings.name,
            description: settings.description.into(),
            default_stickiness: settings.default_stickiness,
            mode: ProjectMode::parse(&settings.mode),
            feature_limit: settings.feature_limit.map(Number::from).into(),
            feature_naming,
            link_templates,
            members: found.members.total,
            health: counts.health(),
            environments: found.environments.into_iter().map(Into::into).collect(),
            feature_type_counts: type_counts(db, &project).await?,
            updated_at: settings.updated_at,
            created_at: settings.created_at,
            archived_at: settings.archived_at.into(),
            favorite: found.favorite,
            stats: figures,
            onboarding_status: onboarding(db, &project).await?,
        };
        Ok(Versioned(body, version))
    }

    /// Get a project's insights
    ///
    /// Figures of the project: recent activity, how long features take to reach production, and how healthy they are,
    /// as of this call. Needs no permission but to see the project.
    #[oai(path = "/api/admin/projects/:projectId/insights", method = "get", operation_id = "getProjectInsights")]
    async fn get_project_insights(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
    ) -> Result<Out<ProjectInsightsBody>, Fails<LookupRefusals>> {
        let project = caller.visible_project(&project_id).await?;
        let db = &state.db.heavy();
        let found = load(state, db, &caller, &project).await?;
        Ok(Out(ProjectInsightsBody {
            stats: found.stats(),
            lead_time: lead_time(db, &project).await?,
            feature_type_counts: type_counts(db, &project).await?,
            health: HealthBody {
                rating: found.counts.health(),
                active_count: found.counts.unmarked(),
                potentially_stale_count: found.counts.potentially_stale,
                stale_count: found.counts.stale,
            },
            members: MembersBody { current_members: found.members.total, change: found.members.added },
        }))
    }

    /// Get a project's lead times
    ///
    /// How long its features took to reach production. Needs no permission but to see the project. Deprecated since
    /// 0.1.0: use `getProjectInsights`, which holds the same.
    #[oai(path = "/api/admin/projects/:projectId/dora", method = "get", operation_id = "getProjectDora", deprecated)]
    async fn get_project_dora(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
    ) -> Result<Out<LeadTimeBody>, Fails<LookupRefusals>> {
        let project = caller.visible_project(&project_id).await?;
        Ok(Out(lead_time(&state.db.heavy(), &project).await?))
    }
}

async fn type_counts(db: &HeavyReads<'_>, project: &VisibleProject) -> Result<Vec<FeatureTypeCountBody>, Error> {
    let counts = usage::type_counts(db, project.id()).await?;
    Ok(counts.into_iter().map(|count| FeatureTypeCountBody { kind: count.kind, count: count.total }).collect())
}

async fn onboarding(db: &HeavyReads<'_>, project: &VisibleProject) -> Result<OnboardingBody, Error> {
    let (oldest, used) = usage::first_steps(db, project.id()).await?;
    Ok(match oldest {
        _ if used => OnboardingBody { status: OnboardingStage::Onboarded, feature: None },
        None => OnboardingBody { status: OnboardingStage::OnboardingStarted, feature: None },
        feature => OnboardingBody { status: OnboardingStage::FirstFlagCreated, feature },
    })
}

async fn lead_time(db: &HeavyReads<'_>, project: &VisibleProject) -> Result<LeadTimeBody, Error> {
    let lead_times = statistics::lead_times(db, project.id()).await?;
    let times = lead_times.iter().fold(TimesToProduction::default(), |times, feature| TimesToProduction {
        features: times.features + 1,
        days: times.days + feature.days,
    });
    let feature = |feature: store::projects::statistics::LeadTime| FeatureLeadTimeBody {
        name: feature.name,
        time_to_production: feature.days.into(),
    };
    Ok(LeadTimeBody {
        project_average: times.mean_days().unwrap_or_default().into(),
        features: lead_times.into_iter().map(feature).collect(),
    })
}
