//! API tokens of one project.

use poem::web::Data;
use poem_openapi::{OpenApi, param::Path};

use crate::{
    api::{
        Tag,
        answer::{ActRefusals, CreateRefusals, Created, Done, Fails, LookupRefusals, Out},
        api_tokens::{ApiTokenBody, ApiTokensBody, NewApiTokenBody, Onlooker, create, wanted},
        author::author,
        body::Body,
        permitted::{InProject, Permitted, need},
    },
    domain::{permission::Permission, secret::TokenKind},
    error::Error,
    state::State,
    store::{self, tokens::api::Which},
};

/// The operations on API tokens of one project.
#[derive(Debug)]
pub struct ProjectTokensApi;

#[OpenApi(tag = "Tag::ApiTokens")]
impl ProjectTokensApi {
    /// List the API tokens of a project
    ///
    /// Every token that names the project, including tokens that also reach other projects; tokens for all projects are
    /// left out.
    #[oai(path = "/api/admin/projects/:projectId/api-tokens", method = "get", operation_id = "getProjectApiTokens")]
    async fn get_tokens(
        &self,
        caller: Permitted<need::ReadProjectApiToken, InProject>,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
    ) -> Result<Out<ApiTokensBody>, Fails<LookupRefusals>> {
        let project = caller.project(&project_id.0).await?;
        let tokens = store::tokens::api::list(&state.db, Which::InProject(project.id())).await?;
        Ok(Out(ApiTokensBody::visible(&tokens, &Onlooker::of(&caller, state).await?)))
    }

    /// Create an API token for a project
    ///
    /// Creates a client or frontend token for this project, and for further projects in which the caller has
    /// `CREATE_PROJECT_API_TOKEN`. The secret is shown in this answer only.
    #[oai(path = "/api/admin/projects/:projectId/api-tokens", method = "post", operation_id = "createProjectApiToken")]
    async fn create_token(
        &self,
        caller: Permitted<need::CreateProjectApiToken, InProject>,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        body: Body<NewApiTokenBody>,
    ) -> Result<Created<ApiTokenBody>, Fails<CreateRefusals>> {
        let project = caller.project(&project_id.0).await?;
        let wanted = wanted(body.read()?, project.id())?;
        if wanted.reach.kind == TokenKind::Admin {
            let rule = "must be client or frontend: an admin token belongs to no project";
            return Err(Error::property("/body/type", rule).into());
        }
        if wanted.reach.projects.iter().all(|id| id != project.id()) {
            let id = project.id();
            let rule = format!("must name the project \"{id}\" of the path");
            return Err(Error::property("/body/projects", rule).into());
        }
        Ok(Created(create(&caller, state, Permission::CreateProjectApiToken, wanted).await?))
    }

    /// Delete an API token of a project
    ///
    /// The token stops working with the next request. The permission is needed in every project that the token reaches.
    #[oai(
        path = "/api/admin/projects/:projectId/api-tokens/:token",
        method = "delete",
        operation_id = "deleteProjectApiToken"
    )]
    async fn delete_token(
        &self,
        caller: Permitted<need::DeleteProjectApiToken, InProject>,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        token: Path<String>,
    ) -> Result<Done, Fails<ActRefusals>> {
        let project = caller.project(&project_id.0).await?;
        author(&caller, state).delete_project_api_token(&project, &token.0).await?;
        Ok(Done)
    }
}
