//! Required reviewers of change requests.

use poem::web::Data;
use poem_openapi::{Object, OpenApi, param::Path};
use serde::Serialize;

use crate::{
    api::{
        Tag,
        answer::{Done, EditRefusals, Fails, LookupRefusals},
        author::author,
        body::Body,
        caller::AuthenticatedCaller,
        permitted::{InProject, Permitted, need},
        version::{IfMatchHeader, Versioned},
    },
    changes::{
        default_strategies::unused,
        reviewer_rules::{documents, version},
    },
    domain::{change_request::reviewer_rules::ReviewerRuleDocument, ids::EnvironmentName},
    state::State,
    store::{self, change_requests::reviewer_rules},
};

/// The operations on required reviewers.
#[derive(Debug)]
pub struct ReviewersApi;

/// Rules about who must approve change requests of a project in an environment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "ReviewerRules")]
pub struct ReviewerRulesBody {
    /// The rules, at most 50. None means that the number of approvals decides alone.
    #[oai(validator(max_items = 50))]
    pub rules: Vec<ReviewerRuleDocument>,
}

#[OpenApi(tag = "Tag::Projects")]
impl ReviewersApi {
    /// Get the required reviewers of an environment
    ///
    /// Returns the groups that must approve change requests of the project in the environment in addition to the
    /// required number of approvals, for all changes or for those of features with a tag or a name. Needs no permission
    /// but to see the project. An operation of this server, which Unleash does not have.
    #[oai(
        path = "/api/admin/projects/:projectId/environments/:environment/change-requests/reviewers",
        method = "get",
        operation_id = "getRequiredReviewers"
    )]
    async fn get_required_reviewers(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        environment: Path<String>,
    ) -> Result<Versioned<ReviewerRulesBody>, Fails<LookupRefusals>> {
        let project = caller.visible_project(&project_id).await?;
        let used = store::environments::of_project(&state.db, project.id()).await?;
        if !used.contains(&environment.0) {
            return Err(unused(project.as_id(), EnvironmentName::new(&environment)).into());
        }
        let rules = reviewer_rules::list(&state.db, project.as_id(), EnvironmentName::new(&environment)).await?;
        let rules = documents(&rules);
        let version = version(&rules);
        Ok(Versioned(ReviewerRulesBody { rules }, version))
    }

    /// Set the required reviewers of an environment
    ///
    /// Replaces the rules. They count for every approval from then on, also of change requests that are under review;
    /// what is approved stays so. Without rules, which is the default, the number of approvals decides alone. 404 for an
    /// environment that the project does not use. The same rules leave no event. An operation of this server, which
    /// Unleash does not have.
    #[oai(
        path = "/api/admin/projects/:projectId/environments/:environment/change-requests/reviewers",
        method = "put",
        operation_id = "setRequiredReviewers"
    )]
    async fn set_required_reviewers(
        &self,
        caller: Permitted<need::WriteChangeRequestConfiguration, InProject>,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        environment: Path<String>,
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
        body: Body<ReviewerRulesBody>,
    ) -> Result<Done, Fails<EditRefusals>> {
        let project = caller.project(&project_id).await?;
        let rules = body.read()?.rules;
        let environment = EnvironmentName::new(&environment);
        author(&caller, state).set_reviewer_rules(&project, environment, &if_match, rules).await?;
        Ok(Done)
    }
}
