//! The features of a project: listing and changing them.

pub mod archive;
pub mod batches;
pub mod creation;
pub mod dependencies;
pub mod details;
pub mod favorites;
mod figures;
pub mod json_patch;
pub mod lifecycle;
pub mod links;
pub mod reading;
pub mod search;
pub mod switches;
pub mod tags;
pub mod types;
pub mod variants;

use poem::web::Data;
use poem_openapi::{
    Object, OpenApi,
    param::{Path, Query},
    types::MaybeUndefined,
};
use serde::Serialize;

use crate::{
    api::{
        Tag,
        answer::{DoneAccepted, EditRefusals, Fails, Out, QueryRefusals, RemoveRefusals},
        author::author,
        body::{Body, Patch},
        caller::AuthenticatedCaller,
        parameter::{AnyTagParameter, TextParameter},
        permitted::{InProject, Permitted, need},
        version::IfMatchHeader,
    },
    changes::{
        feature::Target,
        properties::{ArchiveFeature, UpdateFeature},
    },
    domain::{
        feature::{DEFAULT_TYPE, Feature},
        feature_document::FeatureDocument,
        patch::{self, PatchOp},
        time::Timestamp,
    },
    error::Error,
    state::State,
    store::{self, features::ListQuery},
    wire::{AtMost, Nullable, RawJsonOf},
};

/// The operations on the features of a project.
#[derive(Debug)]
pub struct FeaturesApi;

/// The operations in this folder and this file.
pub fn operations() -> impl OpenApi {
    (
        FeaturesApi,
        archive::FeatureArchiveApi,
        batches::FeatureBatchesApi,
        creation::FeatureCreationApi,
        dependencies::DependenciesApi,
        details::FeatureDetailsApi,
        favorites::FeatureFavoritesApi,
        figures::FeatureFiguresApi,
        lifecycle::LifecycleApi,
        links::FeatureLinksApi,
        search::SearchApi,
        switches::SwitchesApi,
        tags::FeatureTagsApi,
        types::FeatureTypesApi,
        variants::VariantsApi,
    )
}

/// The features of a project.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "Features")]
pub struct FeaturesBody {
    /// Version of this format: 2.
    pub version: i64,
    /// The features, oldest first, then by name.
    pub features: RawJsonOf<Vec<Feature>>,
}

/// Names of the features that the operation applies to.
#[derive(Debug, Clone, PartialEq, Eq, Object)]
#[oai(rename = "FeatureNames")]
pub struct FeatureNamesBody {
    /// Names of features of the project; duplicates are ignored.
    #[oai(validator(max_items = 1000, max_length = 100))]
    pub features: Vec<String>,
}

/// The properties of a feature, all at once.
#[derive(Debug, Clone, PartialEq, Object)]
#[oai(rename = "UpdateFeature", rename_all = "camelCase")]
pub struct UpdateFeatureBody {
    /// Purpose of the feature; `null` removes it. Absent keeps it.
    #[oai(validator(max_length = 100000))]
    pub description: MaybeUndefined<Nullable<String>>,
    /// Id of a feature type, such as `release`, `experiment`, `operational`, `kill-switch` or `permission`. Absent
    /// means `release`.
    #[oai(rename = "type", validator(max_length = 100))]
    pub kind: Option<String>,
    /// Whether the feature is marked as stale. Absent means false.
    pub stale: Option<bool>,
    /// Whether the feature is archived. Absent: stays as it is.
    pub archived: Option<bool>,
    /// Whether SDKs report each evaluation. Absent means false.
    pub impression_data: Option<bool>,
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
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        #[oai(name = "projectId", validator(max_length = 255))] project_id: Path<String>,
        /// Only features that carry this tag, written as `type:value`. Repeated: features that carry any of them.
        tag: Query<Option<AnyTagParameter>>,
        /// Only features whose name starts with this text; case-insensitive.
        #[oai(name = "namePrefix")]
        name_prefix: Query<Option<TextParameter>>,
    ) -> Result<Out<FeaturesBody>, Fails<QueryRefusals>> {
        let query = ListQuery {
            tags: tag.0.map(|tags| tags.0.0).unwrap_or_default(),
            name_prefix: name_prefix.0.map(|prefix| prefix.0),
            ..ListQuery::of_project(&project_id.0)
        };
        let features = if caller.visibility().await?.admits(&query.project) {
            store::features::list_as_json(&state.db.heavy(), &query, caller.user_id()).await?
        } else {
            RawJsonOf::of(&Vec::new())
        };
        Ok(Out(FeaturesBody { version: 2, features }))
    }

    /// Update a feature
    ///
    /// Sets type, stale and impression data, which are reset when absent, and the description and whether the feature
    /// is archived, which stay when absent. To change single properties, use `patchFeature`. Archiving also needs the
    /// permission `DELETE_FEATURE` and is refused while other features depend on this one; reviving disables the
    /// feature in every environment. A request that changes nothing leaves no event.
    #[oai(
        path = "/api/admin/projects/:projectId/features/:featureName",
        method = "put",
        operation_id = "updateFeature"
    )]
    async fn update_feature(
        &self,
        caller: Permitted<need::UpdateFeature, InProject>,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "featureName")] feature_name: Path<String>,
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
        body: Body<UpdateFeatureBody>,
    ) -> Result<Out<Feature>, Fails<EditRefusals>> {
        let project = caller.project(&project_id.0).await?;
        let body = body.read()?;
        let update = UpdateFeature {
            may_revive: body.archived == Some(false),
            kind: body.kind.clone(),
            edit: |before: &FeatureDocument, now: Timestamp| Ok(body.replaced(before, now)),
        };
        let target = Target::new(&project, &feature_name.0, &if_match);
        Ok(Out(author(&caller, state).change(target, update).await?))
    }

    /// Update a feature with a JSON Patch
    ///
    /// Applies the operations of a JSON Patch in order; all or none take effect. A patch that changes nothing leaves no
    /// event. `/description`, `/type`, `/stale`, `/impressionData` and `/archived` can be changed; `/archived` archives
    /// or revives the feature: archiving also needs the permission `DELETE_FEATURE` and is refused while other features
    /// depend on this one; reviving disables the feature in every environment. An archived feature can be changed like
    /// any other and keeps its `archivedAt`.
    #[oai(
        path = "/api/admin/projects/:projectId/features/:featureName",
        method = "patch",
        operation_id = "patchFeature"
    )]
    async fn patch_feature(
        &self,
        caller: Permitted<need::UpdateFeature, InProject>,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "featureName")] feature_name: Path<String>,
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
        body: Body<AtMost<100, PatchOp>, Patch>,
    ) -> Result<Out<Feature>, Fails<EditRefusals>> {
        let project = caller.project(&project_id.0).await?;
        let ops = body.read()?.0;
        let update = UpdateFeature {
            may_revive: patch::may_revive(&ops),
            kind: None,
            edit: |before: &FeatureDocument, now: Timestamp| before.patched(&ops, now).map_err(Error::from),
        };
        let target = Target::new(&project, &feature_name.0, &if_match);
        Ok(Out(author(&caller, state).change(target, update).await?))
    }

    /// Archive a feature
    ///
    /// An archived feature is no longer listed or sent to applications, and depends on no other feature; it can be
    /// revived or deleted. Refused with 403 while other features depend on it. An archived feature stays as it is.
    #[oai(
        path = "/api/admin/projects/:projectId/features/:featureName",
        method = "delete",
        operation_id = "archiveFeature"
    )]
    async fn archive_feature(
        &self,
        caller: Permitted<need::DeleteFeature, InProject>,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "featureName")] feature_name: Path<String>,
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
    ) -> Result<DoneAccepted, Fails<RemoveRefusals>> {
        let project = caller.project(&project_id.0).await?;
        author(&caller, state).change(Target::new(&project, &feature_name.0, &if_match), ArchiveFeature).await?;
        Ok(DoneAccepted)
    }
}

impl UpdateFeatureBody {
    /// Returns the feature with the properties of the body.
    fn replaced(self, before: &FeatureDocument, now: Timestamp) -> FeatureDocument {
        FeatureDocument {
            kind: self.kind.unwrap_or_else(|| DEFAULT_TYPE.to_owned()),
            description: match self.description {
                MaybeUndefined::Undefined => before.description.clone(),
                MaybeUndefined::Null => None,
                MaybeUndefined::Value(description) => description.into_inner(),
            },
            stale: self.stale.unwrap_or(false),
            impression_data: self.impression_data.unwrap_or(false),
            archived_at: match self.archived {
                None => before.archived_at,
                Some(true) => before.archived_at.or(Some(now)),
                Some(false) => None,
            },
            ..before.clone()
        }
    }
}
