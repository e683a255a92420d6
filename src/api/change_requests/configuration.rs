//! Approvals that changes of projects need in their environments.

use poem::web::Data;
use poem_openapi::{Object, OpenApi, param::Path};
use serde::Serialize;

use crate::{
    api::{
        Tag,
        answer::{ChangeRefusals, Fails, LookupRefusals, NoContent, Out},
        author::author,
        body::Body,
        caller::AuthenticatedCaller,
        permitted::{InProject, Permitted, need},
    },
    domain::{change_request::configuration::DEFAULT_APPROVALS, ids::EnvironmentName},
    state::State,
    store::change_requests::configuration,
    wire::Nullable,
};

/// The operations on the configuration.
#[derive(Debug)]
pub struct ConfigurationApi;

/// Approvals that changes of a project need in an environment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "ChangeRequestConfiguration", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct ConfigurationBody {
    /// Name of the environment.
    pub environment: String,
    /// Type of the environment.
    #[serde(rename = "type")]
    #[oai(rename = "type")]
    pub kind: String,
    /// Whether changes in the environment need a change request.
    pub change_request_enabled: bool,
    /// Approvals that a change request needs; `null` where none is needed.
    pub required_approvals: Nullable<i64>,
}

/// Configuration of an environment.
#[derive(Debug, Clone, PartialEq, Eq, Object)]
#[oai(rename = "ConfigureChangeRequests", rename_all = "camelCase")]
pub struct ConfigureBody {
    /// Whether changes in the environment need a change request.
    pub change_requests_enabled: bool,
    /// Approvals that each change request needs, 0 to 100. Absent or `null` means 1. Ignored when
    /// `changeRequestsEnabled` is false.
    #[oai(validator(minimum(value = "0"), maximum(value = "100")))]
    pub required_approvals: Option<Nullable<i64>>,
}

#[OpenApi(tag = "Tag::ChangeRequests")]
impl ConfigurationApi {
    /// Get the configuration of change requests
    ///
    /// Lists the environments that the project uses, by sort order, then name, each with the approvals that changes
    /// need. Needs no permission but to see the project.
    #[oai(
        path = "/api/admin/projects/:projectId/change-requests/config",
        method = "get",
        operation_id = "getProjectChangeRequestConfig"
    )]
    async fn get_project_change_request_config(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
    ) -> Result<Out<Vec<ConfigurationBody>>, Fails<LookupRefusals>> {
        let project = caller.visible_project(&project_id).await?;
        let environments = configuration::of_project(&state.db, project.id()).await?;
        let body = environments.into_iter().map(|one| ConfigurationBody {
            environment: one.environment,
            kind: one.kind,
            change_request_enabled: one.required_approvals.is_some(),
            required_approvals: one.required_approvals.into(),
        });
        Ok(Out(body.collect()))
    }

    /// Configure change requests
    ///
    /// Change requests that exist keep the number of approvals that they need. Where change requests are switched off,
    /// scheduled ones are still applied, and others can be cancelled. The same configuration leaves no event.
    #[oai(
        path = "/api/admin/projects/:projectId/environments/:environment/change-requests/config",
        method = "put",
        operation_id = "updateProjectChangeRequestConfig"
    )]
    async fn update_project_change_request_config(
        &self,
        caller: Permitted<need::WriteChangeRequestConfiguration, InProject>,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        environment: Path<String>,
        body: Body<ConfigureBody>,
    ) -> Result<NoContent, Fails<ChangeRefusals>> {
        let project = caller.project(&project_id).await?;
        let body = body.read()?;
        let required = body.required_approvals.and_then(Nullable::into_inner).unwrap_or(DEFAULT_APPROVALS);
        let required = body.change_requests_enabled.then_some(required);
        let environment = EnvironmentName::new(&environment);
        author(&caller, state).configure_change_requests(&project, environment, required).await?;
        Ok(NoContent)
    }
}

#[cfg(test)]
mod tests {
    use poem_openapi::types::ParseFromJSON;
    use serde_json::json;

    use super::*;
    use crate::domain::change_request::configuration::MOST_APPROVALS;

    #[test]
    fn the_most_approvals_can_be_asked_for_and_no_more() {
        let read = |approvals: i64| {
            let body = json!({ "changeRequestsEnabled": true, "requiredApprovals": approvals });
            ConfigureBody::parse_from_json(Some(body)).is_ok()
        };
        let asked = [-1, 0, MOST_APPROVALS, MOST_APPROVALS + 1].map(read);
        assert_eq!(asked, [false, true, true, false]);
    }
}
