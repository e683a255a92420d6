//! Projects that people marked as theirs.

use poem::web::Data;
use poem_openapi::{OpenApi, param::Path};
use serde_json::json;

use crate::{
    access::Caller,
    api::{
        Tag,
        answer::{ActRefusals, Done, Fails},
    },
    domain::{event::NewEvent, event_kind::EventKind},
    state::State,
    store,
};

/// The favourites among projects.
#[derive(Debug)]
pub struct ProjectFavoritesApi;

#[OpenApi(tag = "Tag::Favorites")]
impl ProjectFavoritesApi {
    /// Add a project to the favorites
    ///
    /// For the caller only, who must be a person: an API token has no favourites. Marking it again changes nothing and
    /// leaves no event.
    #[oai(path = "/api/admin/projects/:projectId/favorites", method = "post", operation_id = "addFavoriteProject")]
    async fn add_favorite_project(
        &self,
        caller: Caller,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
    ) -> Result<Done, Fails<ActRefusals>> {
        let user_id = caller.require_person()?.id;
        let project = caller.visible_project(&project_id).await?;
        let now = state.clock.now();
        let tx = state.db.begin().await?;
        // The project is not deleted meanwhile.
        super::hold_in_use(&tx, project.id()).await?;
        let changed = store::projects::favorites::mark(&tx, user_id, project.id(), now).await?;
        let event = changed.then(|| event(EventKind::ProjectFavorited, &caller, project.id()));
        tx.commit(now, event).await?;
        Ok(Done)
    }

    /// Remove a project from the favorites
    ///
    /// For the caller only, who must be a person. Doing it again changes nothing and leaves no event.
    #[oai(path = "/api/admin/projects/:projectId/favorites", method = "delete", operation_id = "removeFavoriteProject")]
    async fn remove_favorite_project(
        &self,
        caller: Caller,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
    ) -> Result<Done, Fails<ActRefusals>> {
        let user_id = caller.require_person()?.id;
        let project = caller.visible_project(&project_id).await?;
        let tx = state.db.begin().await?;
        let changed = store::projects::favorites::unmark(&tx, user_id, project.id()).await?;
        let event = changed.then(|| event(EventKind::ProjectUnfavorited, &caller, project.id()));
        tx.commit(state.clock.now(), event).await?;
        Ok(Done)
    }
}

fn event(kind: EventKind, caller: &Caller, project: &str) -> NewEvent {
    NewEvent::new(kind, &caller.actor()).in_project(project).with_data(&json!({ "project": project }))
}
