//! Features that people marked as theirs.

use poem::web::Data;
use poem_openapi::{OpenApi, param::Path};
use serde_json::json;

use crate::{
    access::Caller,
    api::{
        Tag,
        answer::{ActRefusals, Done, Fails},
        features::access::missing_feature,
    },
    domain::{event::NewEvent, event_kind::EventKind},
    error::Error,
    state::State,
    store,
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
        caller: Caller,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "featureName")] feature_name: Path<String>,
    ) -> Result<Done, Fails<ActRefusals>> {
        mark(&caller, state, &project_id.0, &feature_name.0, true).await?;
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
        caller: Caller,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "featureName")] feature_name: Path<String>,
    ) -> Result<Done, Fails<ActRefusals>> {
        mark(&caller, state, &project_id.0, &feature_name.0, false).await?;
        Ok(Done)
    }
}

async fn mark(caller: &Caller, state: &State, project: &str, feature: &str, favorite: bool) -> Result<(), Error> {
    let person = caller.require_person()?.id;
    let project = caller.visible_project(project).await?;
    let (now, tx) = (state.clock.now(), state.db.begin().await?);
    let Some(id) = store::features::favorites::hold_feature(&tx, &project, feature).await? else {
        drop(tx);
        return Err(missing_feature(caller, state, &project, feature).await?);
    };
    let (changed, kind) = if favorite {
        (store::features::favorites::add_feature(&tx, person, id, now).await?, EventKind::FeatureFavorited)
    } else {
        (store::features::favorites::remove_feature(&tx, person, id).await?, EventKind::FeatureUnfavorited)
    };
    if changed {
        let tags = store::tags::of_feature(&tx, id).await?;
        let event = NewEvent::new(kind, &caller.actor()).of_feature(feature, &tags);
        tx.commit(now, [event.with_data(&json!({ "feature": feature }))]).await?;
    }
    Ok(())
}
