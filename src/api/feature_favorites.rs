//! Features that people marked as theirs.

use poem::web::Data;
use poem_openapi::{OpenApi, param::Path};
use serde_json::json;

use crate::{
    api::{
        Tag,
        answer::{ActRefusals, Done, Fails},
        caller::Caller,
        held::hold_feature,
        state::State,
    },
    domain::{event::NewEvent, event_kind::EventKind},
    error::Error,
    store,
};

/// The operations on the favourites among features.
#[derive(Debug)]
pub struct FeatureFavoritesApi;

#[OpenApi(tag = "Tag::Favorites")]
impl FeatureFavoritesApi {
    /// Mark a feature as a favourite
    ///
    /// For the caller alone, who must be a person. Marking it again changes nothing.
    #[oai(
        path = "/api/admin/projects/:projectId/features/:featureName/favorites",
        method = "post",
        operation_id = "addFavoriteFeature"
    )]
    async fn add_favorite_feature(
        &self,
        caller: Caller,
        Data(state): Data<&State>,
        /// Id of the project that owns the feature.
        #[oai(name = "projectId")]
        project_id: Path<String>,
        /// Name of the feature.
        #[oai(name = "featureName")]
        feature_name: Path<String>,
    ) -> Result<Done, Fails<ActRefusals>> {
        mark(&caller, state, &project_id.0, &feature_name.0, true).await?;
        Ok(Done)
    }

    /// Take the mark of a favourite off a feature
    ///
    /// For the caller alone, who must be a person. A feature without the mark stays as it is.
    #[oai(
        path = "/api/admin/projects/:projectId/features/:featureName/favorites",
        method = "delete",
        operation_id = "removeFavoriteFeature"
    )]
    async fn remove_favorite_feature(
        &self,
        caller: Caller,
        Data(state): Data<&State>,
        /// Id of the project that owns the feature.
        #[oai(name = "projectId")]
        project_id: Path<String>,
        /// Name of the feature.
        #[oai(name = "featureName")]
        feature_name: Path<String>,
    ) -> Result<Done, Fails<ActRefusals>> {
        mark(&caller, state, &project_id.0, &feature_name.0, false).await?;
        Ok(Done)
    }
}

async fn mark(caller: &Caller, state: &State, project: &str, feature: &str, favorite: bool) -> Result<(), Error> {
    let person = caller.require_person()?.id;
    let project = caller.visible_project(project).await?;
    let now = state.clock.now();
    let (tx, held) = hold_feature(caller, state, &project, feature).await?;
    let (changed, kind) = if favorite {
        (store::favorites::add_feature(&tx, person, held.id, now).await?, EventKind::FeatureFavorited)
    } else {
        (store::favorites::remove_feature(&tx, person, held.id).await?, EventKind::FeatureUnfavorited)
    };
    if changed {
        let tags = store::tags::of_feature(&tx, held.id).await?;
        let name = &held.document.name;
        let event = NewEvent::new(kind, &caller.actor()).of_feature(name, &tags).with_data(&json!({ "feature": name }));
        tx.commit(now, [event]).await?;
    }
    Ok(())
}
