//! The tags of features.

use poem::web::Data;
use poem_openapi::{
    Object, OpenApi,
    param::{Path, Query},
};
use serde::Serialize;

use crate::{
    api::{
        Tag as Group,
        answer::{ChangeRefusals, Created, Done, EditRefusals, Fails, LookupRefusals, Out, RemoveRefusals},
        author::author,
        body::Body,
        caller::AuthenticatedCaller,
        permitted::{InProject, Permitted, need},
        version::{IfMatchHeader, Versioned},
    },
    changes::{feature::Target, tags::ChangeTags},
    domain::{change_summary::ChangesBody, tag::Tag},
    error::Error,
    state::State,
    store,
    wire::AtMost,
};

/// The operations on the tags of features.
#[derive(Debug)]
pub struct FeatureTagsApi;

/// Tags.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "Tags")]
pub struct TagsBody {
    /// Version of this format: 1.
    pub version: i64,
    /// The tags, by type, then value.
    pub tags: Vec<Tag>,
}

impl From<Vec<Tag>> for TagsBody {
    fn from(tags: Vec<Tag>) -> Self {
        Self { version: 1, tags }
    }
}

/// Tags to add and remove.
#[derive(Debug, Clone, Object)]
#[oai(rename = "UpdateTags", rename_all = "camelCase")]
pub struct TagChangesBody {
    /// Tags to add, at most 100; existing ones stay. Their types must exist.
    pub added_tags: AtMost<100, Tag>,
    /// Tags to remove, at most 100; missing ones are ignored. None of them may be in `addedTags`.
    pub removed_tags: AtMost<100, Tag>,
}

/// Tags to add to and remove from several features.
#[derive(Debug, Clone, Object)]
#[oai(rename = "UpdateTagsOfFeatures", rename_all = "camelCase")]
pub struct BulkTagsBody {
    /// Names of the features, at most 500, all of this project.
    #[oai(validator(max_length = 100))]
    pub features: AtMost<500, String>,
    /// Tags to add and remove.
    pub tags: TagChangesBody,
}

#[OpenApi(tag = "Group::Tags")]
impl FeatureTagsApi {
    /// List the tags of a feature
    ///
    /// Archived features keep their tags. The `ETag` is the version of the whole feature.
    #[oai(path = "/api/admin/features/:featureName/tags", method = "get", operation_id = "listTags")]
    async fn list_tags(
        &self,
        caller: AuthenticatedCaller,
        Data(state): Data<&State>,
        #[oai(name = "featureName")] feature_name: Path<String>,
    ) -> Result<Versioned<TagsBody>, Fails<LookupRefusals>> {
        let name = &feature_name.0;
        match store::tags::of_named(&state.db, name).await? {
            Some((project, tags)) if caller.visibility().await?.admits(&project) => {
                let version = store::events::version_of_feature(&state.db, name).await?;
                Ok(Versioned(tags.into(), version))
            }
            _ => Err(Error::not_found("feature", name).into()),
        }
    }

    /// Add a tag to a feature
    ///
    /// A tag that does not exist yet is created; its type must exist. A tag that the feature has already leaves no
    /// event.
    #[oai(path = "/api/admin/features/:featureName/tags", method = "post", operation_id = "addTag")]
    async fn add_tag(
        &self,
        caller: Permitted<need::UpdateFeature, InProject>,
        Data(state): Data<&State>,
        #[oai(name = "featureName")] feature_name: Path<String>,
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
        body: Body<Tag>,
    ) -> Result<Created<Tag>, Fails<EditRefusals>> {
        let project = caller.project_of_feature(&feature_name.0).await?;
        let tag = body.read()?;
        let visibility = caller.visibility().await?;
        let change =
            ChangeTags { added: vec![tag.clone()], removed: Vec::new(), visibility: &visibility, path: "/body" };
        author(&caller, state).change(Target::new(&project, &feature_name.0, &if_match), change).await?;
        Ok(Created(tag))
    }

    /// Update the tags of a feature
    ///
    /// Adds and removes tags; tags that are in neither list stay. A tag that does not exist yet is created. Adding a
    /// tag that is present, or removing one that is not, leaves no event. The answer holds all tags of the feature.
    #[oai(path = "/api/admin/features/:featureName/tags", method = "put", operation_id = "updateTags")]
    async fn update_tags(
        &self,
        caller: Permitted<need::UpdateFeature, InProject>,
        Data(state): Data<&State>,
        #[oai(name = "featureName")] feature_name: Path<String>,
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
        body: Body<TagChangesBody>,
    ) -> Result<Out<TagsBody>, Fails<EditRefusals>> {
        let project = caller.project_of_feature(&feature_name.0).await?;
        let (added, removed) = body.read()?.distinct("/body")?;
        let visibility = caller.visibility().await?;
        let change = ChangeTags { added, removed, visibility: &visibility, path: "/body/addedTags" };
        let tags = author(&caller, state).change(Target::new(&project, &feature_name.0, &if_match), change).await?;
        Ok(Out(tags.into()))
    }

    /// Remove a tag from a feature
    ///
    /// The tag itself stays, for other features. Removing a tag that the feature does not have leaves no event.
    #[oai(path = "/api/admin/features/:featureName/tags/:type/:value", method = "delete", operation_id = "removeTag")]
    async fn remove_tag(
        &self,
        caller: Permitted<need::UpdateFeature, InProject>,
        Data(state): Data<&State>,
        #[oai(name = "featureName")] feature_name: Path<String>,
        #[oai(name = "type")] kind: Path<String>,
        value: Path<String>,
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
    ) -> Result<Done, Fails<RemoveRefusals>> {
        let project = caller.project_of_feature(&feature_name.0).await?;
        let tag = Tag { value: value.0, kind: kind.0 };
        let visibility = caller.visibility().await?;
        let change = ChangeTags { added: Vec::new(), removed: vec![tag], visibility: &visibility, path: "/path" };
        author(&caller, state).change(Target::new(&project, &feature_name.0, &if_match), change).await?;
        Ok(Done)
    }

    /// Update the tags of features
    ///
    /// Adds tags to each of the features and removes others, including archived features: all of it, or nothing. A tag
    /// that does not exist yet is created. With `dryRun` nothing is changed, and the answer reports what would happen.
    #[oai(path = "/api/admin/projects/:projectId/tags", method = "put", operation_id = "addTagToFeatures")]
    async fn add_tag_to_features(
        &self,
        caller: Permitted<need::UpdateFeature, InProject>,
        Data(state): Data<&State>,
        #[oai(name = "projectId")] project_id: Path<String>,
        #[oai(name = "dryRun")] dry_run: Query<Option<bool>>,
        body: Body<BulkTagsBody>,
    ) -> Result<Out<ChangesBody>, Fails<ChangeRefusals>> {
        let project = caller.project(&project_id.0).await?;
        let BulkTagsBody { features, tags } = body.read()?;
        let names = features.0;
        let (added, removed) = tags.distinct("/body/tags")?;
        let visibility = caller.visibility().await?;
        let change = ChangeTags { added, removed, visibility: &visibility, path: "/body/tags/addedTags" };
        let dry_run = dry_run.0.unwrap_or_default();
        Ok(Out(author(&caller, state).change_tags(&project, &names, change, dry_run).await?))
    }
}

impl TagChangesBody {
    /// The tags to add and to remove, none of which may be both; `path` points to the body.
    fn distinct(self, path: &str) -> Result<(Vec<Tag>, Vec<Tag>), Error> {
        let (added, removed) = (self.added_tags.0, self.removed_tags.0);
        if let Some(index) = removed.iter().position(|tag| added.contains(tag)) {
            return Err(Error::property(format!("{path}/removedTags/{index}"), "is among the added tags, too"));
        }
        Ok((added, removed))
    }
}
