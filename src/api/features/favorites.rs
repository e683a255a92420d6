//! Features that people marked as theirs.

use poem::web::Data;
use poem_openapi::{OpenApi, param::Path};

use crate::{
    access::Caller,
    api::{
        Tag,
        answer::{ActRefusals, Done, Fails},
        author::author,
        caller::AuthenticatedCaller,
    },
    domain::ids::{FeatureName, ProjectId},
    error::Error,
    state::State,
};

/// The operations on the favourites among features.
#[derive(Debug)]
pub struct FeatureFavoritesApi;

#[OpenApi(tag = "Tag::Favorites")]
impl FeatureFavoritesApi {
    /// Add a feature to the favorites
    ///
    /// For the caller only, who must be a person. Marking it again changes nothing.
    #[oai(
        path = "/api/admin/projects/:projectId/features/:featureName/favorites",
        method = "post",
        operation_id = "addFavoriteFeature"
    )]
    async fn add_favorite_feature(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "featureName")] feature_name: Path<String>,
    ) -> Result<Done, Fails<ActRefusals>> {
        let (project, feature) = (ProjectId::new(&project_id.0), FeatureName::new(&feature_name.0));
        mark(&caller, state, project, feature, true).await?;
        Ok(Done)
    }

    /// Remove a feature from the favorites
    ///
    /// For the caller only, who must be a person. A feature that is no favourite stays as it is.
    #[oai(
        path = "/api/admin/projects/:projectId/features/:featureName/favorites",
        method = "delete",
        operation_id = "removeFavoriteFeature"
    )]
    async fn remove_favorite_feature(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "featureName")] feature_name: Path<String>,
    ) -> Result<Done, Fails<ActRefusals>> {
        let (project, feature) = (ProjectId::new(&project_id.0), FeatureName::new(&feature_name.0));
        mark(&caller, state, project, feature, false).await?;
        Ok(Done)
    }
}

async fn mark(
    caller: &Caller,
    state: &State,
    project: ProjectId<'_>,
    feature: FeatureName<'_>,
    favorite: bool,
) -> Result<(), Error> {
    let person = caller.require_person()?.id;
    let project = caller.visible_project(project.as_str()).await?;
    author(caller, state).mark_favorite_feature(person, &project, feature.as_str(), favorite).await
}
