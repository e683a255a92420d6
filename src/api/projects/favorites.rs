//! Projects that people marked as theirs.

use poem::web::Data;
use poem_openapi::{OpenApi, param::Path};

use crate::{
    api::{
        Tag,
        answer::{ActRefusals, Done, Fails},
        author::author,
        caller::AuthenticatedCaller,
    },
    state::State,
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
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
    ) -> Result<Done, Fails<ActRefusals>> {
        let user_id = caller.require_person()?.id;
        let project = caller.visible_project(&project_id).await?;
        author(&caller, state).mark_favorite_project(user_id, &project, true).await?;
        Ok(Done)
    }

    /// Remove a project from the favorites
    ///
    /// For the caller only, who must be a person. Doing it again changes nothing and leaves no event.
    #[oai(path = "/api/admin/projects/:projectId/favorites", method = "delete", operation_id = "removeFavoriteProject")]
    async fn remove_favorite_project(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
    ) -> Result<Done, Fails<ActRefusals>> {
        let user_id = caller.require_person()?.id;
        let project = caller.visible_project(&project_id).await?;
        author(&caller, state).mark_favorite_project(user_id, &project, false).await?;
        Ok(Done)
    }
}
