//! Archiving, reviving and deleting projects.

use poem::web::Data;
use poem_openapi::{OpenApi, param::Path};

use crate::{
    api::{
        Tag,
        answer::{Done, Fails, RemoveRefusals},
        author::author,
        permitted::{InProject, Permitted, need},
        version::IfMatchHeader,
    },
    state::State,
};

/// The operations that archive, revive and delete projects.
#[derive(Debug)]
pub struct ProjectRemovalApi;

#[OpenApi(tag = "Tag::Projects")]
impl ProjectRemovalApi {
    /// Archive a project
    ///
    /// An archived project is listed among archived projects only, and nothing in it can be read or changed until it is
    /// revived. Refused for the project `default`, and while it has features that are not archived.
    #[oai(path = "/api/admin/projects/archive/:projectId", method = "post", operation_id = "archiveProject")]
    async fn archive_project(
        &self,
        caller: Permitted<need::DeleteProject, InProject>,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
    ) -> Result<Done, Fails<RemoveRefusals>> {
        let project = caller.project(&project_id).await?;
        author(&caller, state).archive_project(&project, &if_match).await?;
        Ok(Done)
    }

    /// Revive a project
    ///
    /// Makes an archived project active again, with everything that it had; its features stay archived. An active
    /// project stays as it is, without an event.
    #[oai(path = "/api/admin/projects/revive/:projectId", method = "post", operation_id = "reviveProject")]
    async fn revive_project(
        &self,
        caller: Permitted<need::DeleteProject, InProject>,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
    ) -> Result<Done, Fails<RemoveRefusals>> {
        let project = caller.project_in_use_or_not(&project_id).await?;
        author(&caller, state).revive_project(&project, &if_match).await?;
        Ok(Done)
    }

    /// Delete a project
    ///
    /// Deletes the project, archived or not, with its archived features, its segments and context fields, the roles
    /// assigned in it, and the API tokens that reach no other project; other tokens lose access to it. Refused for the
    /// project `default`, while it has features that are not archived, and while features of other projects use its
    /// segments.
    #[oai(path = "/api/admin/projects/:projectId", method = "delete", operation_id = "deleteProject")]
    async fn delete_project(
        &self,
        caller: Permitted<need::DeleteProject, InProject>,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
    ) -> Result<Done, Fails<RemoveRefusals>> {
        let project = caller.project_in_use_or_not(&project_id).await?;
        author(&caller, state).delete_project(&project, &if_match).await?;
        Ok(Done)
    }
}
