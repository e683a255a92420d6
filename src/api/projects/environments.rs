//! The environments that a project uses, and what its features start with there.

use poem::web::Data;
use poem_openapi::{Object, OpenApi, param::Path};
use serde::Serialize;

use super::default_strategy::DefaultStrategyInput;
use crate::{
    api::{
        Tag,
        answer::{Done, EditRefusals, Fails, LookupRefusals, Out, RemoveRefusals, refusals},
        author::author,
        body::Body,
        caller::AuthenticatedCaller,
        permitted::{InProject, Permitted, need},
        version::{IfMatchHeader, Versioned},
    },
    changes::default_strategies::unused,
    domain::{ids::EnvironmentName, strategy::DefaultStrategy},
    error::Error,
    state::State,
    store::projects::{connections, overview},
};

/// The version of the list's format.
const VERSION: i64 = 1;

refusals! {
    /// Writes with a body that add something which may be there already.
    AddRefusals = 400, 401, 403, 404, 409, 412, 413, 415, 503;
}

/// The environments of projects.
#[derive(Debug)]
pub struct ProjectEnvironmentsApi;

/// An environment for a project to use.
#[derive(Debug, Clone, PartialEq, Object)]
#[oai(rename = "AddProjectEnvironment", rename_all = "camelCase")]
pub struct AddEnvironmentBody {
    /// Name of the environment.
    #[oai(validator(min_length = 1, max_length = 100))]
    environment: String,
    /// Default strategy of features of the project there. Absent: a gradual rollout to everybody.
    default_strategy: Option<DefaultStrategyInput>,
}

/// An environment of the instance, from the view of a project.
#[derive(Debug, Clone, PartialEq, Serialize, Object)]
#[oai(rename = "EnvironmentOfProject", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct EnvironmentOfProjectBody {
    /// Name of the environment.
    pub name: String,
    /// Type of the environment.
    #[serde(rename = "type")]
    #[oai(rename = "type")]
    pub kind: String,
    /// Whether the project uses the environment.
    pub enabled: bool,
    /// Whether the environment is built in and cannot be deleted.
    pub protected: bool,
    /// Position in lists, lowest first.
    pub sort_order: i64,
    /// API tokens of this environment that reach the project.
    #[oai(validator(minimum(value = "0")))]
    pub project_api_token_count: i64,
    /// Features of the project that are enabled there and not archived.
    #[oai(validator(minimum(value = "0")))]
    pub project_enabled_toggle_count: i64,
    /// The strategy that a feature of the project without one gets when it is enabled there. Absent when none is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_strategy: Option<DefaultStrategy>,
}

/// The environments of the instance, seen from a project.
#[derive(Debug, Clone, PartialEq, Serialize, Object)]
#[oai(rename = "EnvironmentsOfProject")]
pub struct EnvironmentsOfProjectBody {
    /// Version of this format, 1.
    pub version: i64,
    /// The environments, by sort order, then name.
    pub environments: Vec<EnvironmentOfProjectBody>,
}

#[OpenApi(tag = "Tag::Projects")]
impl ProjectEnvironmentsApi {
    /// List the environments of a project
    ///
    /// Every environment of the instance, whether the project uses it, and what the project has there. Needs no
    /// permission but to see the project.
    #[oai(path = "/api/admin/environments/project/:projectId", method = "get", operation_id = "getProjectEnvironments")]
    async fn get_project_environments(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
    ) -> Result<Out<EnvironmentsOfProjectBody>, Fails<LookupRefusals>> {
        let project = caller.visible_project(&project_id).await?;
        let environments = connections::list(&state.db, project.id()).await?;
        let environments = environments.into_iter().map(|found| EnvironmentOfProjectBody {
            name: found.name,
            kind: found.kind,
            enabled: found.used,
            protected: found.protected,
            sort_order: found.sort_order,
            project_api_token_count: found.tokens,
            project_enabled_toggle_count: found.enabled_features,
            default_strategy: found.default_strategy,
        });
        Ok(Out(EnvironmentsOfProjectBody { version: VERSION, environments: environments.collect() }))
    }

    /// Add an environment to a project
    ///
    /// Its features start disabled there. 400 for an unknown environment, 409 for one that the project uses.
    #[oai(
        path = "/api/admin/projects/:projectId/environments",
        method = "post",
        operation_id = "addEnvironmentToProject"
    )]
    async fn add_environment_to_project(
        &self,
        caller: Permitted<need::UpdateProject, InProject>,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
        body: Body<AddEnvironmentBody>,
    ) -> Result<Done, Fails<AddRefusals>> {
        let project = caller.project(&project_id).await?;
        let body = body.read()?;
        let default_strategy = body.default_strategy.map(Into::into);
        let environment = EnvironmentName::new(&body.environment);
        author(&caller, state).add_environment(&project, &if_match, environment, default_strategy).await?;
        Ok(Done)
    }

    /// Remove an environment from a project
    ///
    /// Deletes the configuration of its features there: state, strategies and variants. Refused for the last
    /// environment of the project; 404 for one that it does not use.
    #[oai(
        path = "/api/admin/projects/:projectId/environments/:environment",
        method = "delete",
        operation_id = "removeEnvironmentFromProject"
    )]
    async fn remove_environment_from_project(
        &self,
        caller: Permitted<need::UpdateProject, InProject>,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        environment: Path<String>,
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
    ) -> Result<Done, Fails<RemoveRefusals>> {
        let project = caller.project(&project_id).await?;
        author(&caller, state).remove_environment(&project, &if_match, EnvironmentName::new(&environment)).await?;
        Ok(Done)
    }

    /// Get the default strategy of a project's environment
    ///
    /// The strategy that a feature without one gets when it is enabled there. 404 when none has been set, which means a
    /// gradual rollout to everybody. Needs no permission but to see the project. The `ETag` is the version of the
    /// project, as in its overview.
    #[oai(
        path = "/api/admin/projects/:projectId/environments/:environment/default-strategy",
        method = "get",
        operation_id = "getDefaultStrategyOfProjectEnvironment"
    )]
    async fn get_default_strategy(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        environment: Path<String>,
    ) -> Result<Versioned<DefaultStrategy>, Fails<LookupRefusals>> {
        let project = caller.visible_project(&project_id).await?;
        let settings = overview::find_settings(&state.db, project.id()).await?;
        let settings = settings.ok_or_else(|| super::missing(project.id()))?;
        let environments = overview::environments(&state.db, project.id()).await?;
        let version = settings.version(&environments)?;
        let used = environments.into_iter().find(|used| used.name == *environment);
        let used = used.ok_or_else(|| unused(project.as_id(), EnvironmentName::new(&environment)))?;
        let strategy = used.default_strategy.ok_or_else(|| {
            Error::NotFound(format!("No default strategy has been set for the environment \"{}\".", *environment))
        })?;
        Ok(Versioned(strategy, version))
    }

    /// Update the default strategy of a project's environment
    ///
    /// Replaces the strategy that a feature without one gets when it is enabled there; features that have strategies
    /// keep them. Setting the current strategy leaves no event.
    #[oai(
        path = "/api/admin/projects/:projectId/environments/:environment/default-strategy",
        method = "post",
        operation_id = "addDefaultStrategyToProjectEnvironment"
    )]
    async fn set_default_strategy(
        &self,
        caller: Permitted<need::WriteDefaultStrategy, InProject>,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        environment: Path<String>,
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
        body: Body<DefaultStrategyInput>,
    ) -> Result<Out<DefaultStrategy>, Fails<EditRefusals>> {
        let project = caller.project(&project_id).await?;
        let content = body.read()?.into();
        let environment = EnvironmentName::new(&environment);
        Ok(Out(author(&caller, state).set_default_strategy(&project, &if_match, environment, content).await?))
    }
}
