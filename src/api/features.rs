//! The features of a project: listing and changing them.

use poem::web::Data;
use poem_openapi::{
    Object, OpenApi,
    param::{Path, Query},
};
use serde::Serialize;

use crate::{
    api::{
        Tag,
        answer::{ChangeRefusals, Fails, Out, QueryRefusals},
        body::Body,
        caller::Caller,
        parameter::{AnyTagParameter, TextParameter},
        state::State,
    },
    domain::{
        feature::Feature,
        feature_document::Shelving,
        patch::{PatchOp, PatchRefusal},
        permission::Permission,
        project::ProjectScope,
    },
    error::Error,
    store::{self, features::ListQuery},
    wire::{AtMost, Nullable},
};

/// The operations on the features of a project.
#[derive(Debug)]
pub struct FeaturesApi;

/// The features of a project.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "Features")]
pub struct FeaturesBody {
    /// Version of this format: 2.
    pub version: i64,
    /// The features, oldest first, then by name.
    pub features: Vec<Feature>,
}

#[OpenApi(tag = "Tag::Features")]
impl FeaturesApi {
    /// List the features of a project
    ///
    /// Every feature that is not archived, with its state in each environment; strategies and variants are left out.
    /// A project that does not exist, or that the caller may not see, has no features.
    #[oai(path = "/api/admin/projects/:projectId/features", method = "get", operation_id = "getFeatures")]
    async fn get_features(
        &self,
        caller: Caller,
        Data(state): Data<&State>,
        /// Id of the project.
        #[oai(name = "projectId")]
        project_id: Path<String>,
        /// Only features that carry this tag, written as `type:value`. Repeated: features that carry any of them.
        tag: Query<Option<AnyTagParameter>>,
        /// Only features whose name starts so; upper and lower case count as equal.
        #[oai(name = "namePrefix")]
        name_prefix: Query<Option<TextParameter>>,
    ) -> Result<Out<FeaturesBody>, Fails<QueryRefusals>> {
        let query = ListQuery {
            tags: tag.0.map(|tags| tags.0.0).unwrap_or_default(),
            name_prefix: name_prefix.0.map(|prefix| prefix.0),
            ..ListQuery::of_project(&project_id.0)
        };
        let features = if caller.visibility().await?.admits(&query.project) {
            store::features::list(&state.db, &query, caller.user_id()).await?
        } else {
            Vec::new()
        };
        Ok(Out(FeaturesBody { version: 2, features }))
    }

    /// Modify a feature
    ///
    /// Applies the operations of a JSON Patch in order; all or none take effect. A patch that changes nothing leaves no
    /// event. `/description`, `/type`, `/stale`, `/impressionData` and `/archived` can be changed; `/archived` archives
    /// or revives the feature with everything that belongs to it: archiving also needs the permission `DELETE_FEATURE`
    /// and is refused while other features depend on this one; reviving switches the feature off everywhere. An
    /// archived feature can be changed like any other and keeps its `archivedAt`. Needs `UPDATE_FEATURE`.
    #[oai(
        path = "/api/admin/projects/:projectId/features/:featureName",
        method = "patch",
        operation_id = "patchFeature"
    )]
    async fn patch_feature(
        &self,
        caller: Caller,
        Data(state): Data<&State>,
        /// Id of the project that owns the feature.
        #[oai(name = "projectId")]
        project_id: Path<String>,
        /// Name of the feature.
        #[oai(name = "featureName")]
        feature_name: Path<String>,
        body: Body<AtMost<100, PatchOp>>,
    ) -> Result<Out<Feature>, Fails<ChangeRefusals>> {
        let project = caller.project(&project_id.0, Permission::UpdateFeature).await?;
        let ops = body.read()?.0;
        let tx = state.db.begin().await?;
        let now = state.clock.now();
        let Some(held) = store::features::hold(&tx, &project, &feature_name.0).await? else {
            drop(tx);
            return Err(missing(&caller, state, &project, &feature_name.0).await?.into());
        };
        let before = &held.document;
        let after = before.patched(&ops, now).map_err(|refusal| refused(&refusal))?;
        if before.shelving(&after) == Some(Shelving::Archive) {
            if !caller.grants().allow(Permission::DeleteFeature, Some(project.id()), None) {
                return Err(Error::no_access(Permission::DeleteFeature).into());
            }
            if store::dependencies::has_children(&tx, held.id).await? {
                return Err(depended_upon(&before.name).into());
            }
        }
        if *before != after {
            store::features::save(&tx, &held, &after, now).await?;
        }
        let feature = store::features::find(&tx, held.id, caller.user_id()).await?;
        let feature = feature.ok_or_else(|| Error::not_found("feature", &before.name))?;
        if *before != after {
            let tags = feature.tags.clone().and_then(Nullable::into_inner).unwrap_or_default();
            tx.commit(now, before.change_events(&after, &caller.actor(), &tags)).await?;
        }
        Ok(Out(feature))
    }
}

fn refused(refusal: &PatchRefusal) -> Error {
    let path = format!("/body/{}/{}", refusal.index, refusal.member);
    Error::invalid(&*path, format!("The {path} property {}.", refusal.reason))
}

fn depended_upon(name: &str) -> Error {
    Error::Forbidden {
        name: "InvalidOperationError",
        message: format!("The feature \"{name}\" cannot be archived while other features depend on it."),
    }
}

/// That a project has no such feature. Tells where it is, if the caller may see that project.
async fn missing(caller: &Caller, state: &State, project: &ProjectScope, name: &str) -> Result<Error, Error> {
    let missing = format!("There is no feature named \"{name}\" in project \"{}\"", project.id());
    let owner = store::features::find_owner(&state.db, name).await?;
    let visibility = caller.visibility().await?;
    Ok(Error::NotFound(match owner.filter(|owner| visibility.admits(owner)) {
        Some(owner) => format!("{missing}, but there is one in project \"{owner}\"."),
        None => format!("{missing}."),
    }))
}
