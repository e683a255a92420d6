//! Projects: their health report and their overview.

pub mod access;
pub mod changes;
pub mod creation;
pub mod default_strategy;
pub mod environments;
pub mod favorites;
pub mod list;
pub mod members;
pub mod overview;
pub mod removal;
mod report;
pub mod reviewers;
pub mod status;
pub mod tokens;
pub mod transfer;
pub mod usage;

use poem::web::Data;
use poem_openapi::{
    OpenApi,
    param::{Path, Query},
};

use self::report::Found;
pub use self::report::{
    FeatureNamingBody, HealthReportBody, ProjectEnvironmentBody, ProjectOverviewBody, ProjectStatsBody,
};
use crate::{
    access::Caller,
    api::{
        Tag,
        answer::{Fails, LookupRefusals, Out},
        caller::AuthenticatedCaller,
        parameter::SwitchParameter,
        version::Versioned,
    },
    changes::projects::missing,
    domain::{feature::Feature, health::Windows, project::VisibleProject},
    error::Error,
    state::State,
    store::{
        self,
        db::HeavyReads,
        features::ListQuery,
        projects::{
            overview::{environments as used_environments, find_settings, is_favorite},
            statistics,
        },
    },
    wire::RawJsonOf,
};

/// The operations on projects.
#[derive(Debug)]
pub struct ProjectsApi;

/// The operations in this folder and this file.
pub fn operations() -> impl OpenApi {
    (
        ProjectsApi,
        access::ProjectAccessApi,
        creation::ProjectCreationApi,
        changes::ProjectChangesApi,
        environments::ProjectEnvironmentsApi,
        favorites::ProjectFavoritesApi,
        list::ProjectListApi,
        members::ProjectMembersApi,
        overview::ProjectOverviewApi,
        removal::ProjectRemovalApi,
        reviewers::ReviewersApi,
        status::ProjectStatusApi,
        tokens::ProjectTokensApi,
        transfer::FeatureTransferApi,
        usage::ProjectUsageApi,
    )
}

#[OpenApi(tag = "Tag::Projects")]
impl ProjectsApi {
    /// Get a project's health report
    ///
    /// The project, its features, and how many of them are stale or potentially stale. All figures are as of this call.
    /// Needs no permission but to see the project.
    #[oai(
        path = "/api/admin/projects/:projectId/health-report",
        method = "get",
        operation_id = "getProjectHealthReport"
    )]
    async fn get_project_health_report(
        &self,
        caller: AuthenticatedCaller,
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
    /// The project and its features. Needs no permission but to see the project. Deprecated since 0.1.0: use
    /// `getProjectHealthReport`, or `getFeatures` for the features alone.
    #[oai(
        path = "/api/admin/projects/:projectId",
        method = "get",
        operation_id = "getDeprecatedProjectOverview",
        deprecated
    )]
    async fn get_deprecated_project_overview(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        /// `true` lists the archived features instead of the others. Any other value means false, the default. The
        /// figures cover the features that are not archived in either case.
        archived: Query<Option<SwitchParameter>>,
    ) -> Result<Versioned<ProjectOverviewBody>, Fails<LookupRefusals>> {
        let project = caller.visible_project(&project_id).await?;
        let db = &state.db.heavy();
        let found = load(state, db, &caller, &project).await?;
        let features = features(db, &caller, &project, archived.0.is_some_and(|archived| archived.0)).await?;
        let version = found.version()?;
        Ok(Versioned(ProjectOverviewBody::of(found, features), version))
    }
}

async fn load(state: &State, db: &HeavyReads<'_>, caller: &Caller, project: &VisibleProject) -> Result<Found, Error> {
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
    project: &VisibleProject,
    archived: bool,
) -> Result<RawJsonOf<Vec<Feature>>, Error> {
    let query = ListQuery { archived, ..ListQuery::of_project(project.id()) };
    Ok(store::features::list_as_json(db, &query, caller.user_id()).await?)
}
