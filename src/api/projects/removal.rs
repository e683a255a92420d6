//! Archiving, reviving and deleting projects.

use poem::web::Data;
use poem_openapi::{OpenApi, param::Path};

use super::{changes::change, hold_in_use, missing};
use crate::{
    api::{
        Tag,
        answer::{Done, Fails, RemoveRefusals},
        permitted::{InProject, Permitted, need},
        version::IfMatch,
    },
    config::admit_one_more,
    domain::project::{DEFAULT_PROJECT, document::ProjectDocument},
    error::Error,
    state::State,
    store::{
        self,
        db::Tx,
        projects::{removal, write},
    },
};

/// How projects go out of use, and come back.
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
        #[oai(name = "If-Match")] if_match: IfMatch,
    ) -> Result<Done, Fails<RemoveRefusals>> {
        let project = caller.project(&project_id).await?;
        let now = state.clock.now();
        let tx = state.db.begin().await?;
        let held = hold_in_use(&tx, project.id()).await?;
        if_match.check(held.version)?;
        require_idle(&tx, &held.document, "archived").await?;
        let after = ProjectDocument { archived_at: Some(now), ..held.document.clone() };
        change(&caller, state, tx, &held.document, &after).await?;
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
        #[oai(name = "If-Match")] if_match: IfMatch,
    ) -> Result<Done, Fails<RemoveRefusals>> {
        let project = caller.project_in_use_or_not(&project_id).await?;
        let tx = store::limits::begin_making(&state.db).await?;
        let held = write::hold(&tx, project.id()).await?.ok_or_else(|| missing(project.id()))?;
        if_match.check(held.version)?;
        if held.document.is_archived() {
            admit_one_more("project", write::count(&tx).await?, state.config.limits.projects)?;
        }
        let after = ProjectDocument { archived_at: None, ..held.document.clone() };
        change(&caller, state, tx, &held.document, &after).await?;
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
        #[oai(name = "If-Match")] if_match: IfMatch,
    ) -> Result<Done, Fails<RemoveRefusals>> {
        let project = caller.project_in_use_or_not(&project_id).await?;
        let now = state.clock.now();
        let tx = state.db.begin().await?;
        let held = write::hold(&tx, project.id()).await?.ok_or_else(|| missing(project.id()))?;
        if_match.check(held.version)?;
        require_idle(&tx, &held.document, "deleted").await?;
        if removal::lends_segments(&tx, project.id()).await? {
            return Err(
                Error::forbidden("Features of other projects use segments of this one; it cannot be deleted.").into()
            );
        }
        let removed = removal::gather(&tx, &held.document).await?;
        removal::remove(&tx, &removed, now).await?;
        tx.commit(now, removed.events(&caller.actor())).await?;
        Ok(Done)
    }
}

async fn require_idle(tx: &Tx, project: &ProjectDocument, what: &str) -> Result<(), Error> {
    if project.id == DEFAULT_PROJECT {
        return Err(Error::forbidden(format!("The project \"{DEFAULT_PROJECT}\" cannot be {what}.")));
    }
    match write::count_features(tx, &project.id).await? {
        0 => Ok(()),
        count => Err(Error::forbidden(format!(
            "The project \"{}\" cannot be {what} while it has {count} features in use; archive them first.",
            project.id
        ))),
    }
}
