//! The tags of features.

use std::collections::HashSet;

use poem::web::Data;
use poem_openapi::{
    Object, OpenApi,
    param::{Path, Query},
};
use serde::Serialize;

use crate::{
    access::Caller,
    api::{
        Tag as Group,
        answer::{ChangeRefusals, Created, Done, EditRefusals, Fails, LookupRefusals, Out, RemoveRefusals},
        body::Body,
        changes::{ChangesBody, settle},
        features::access::{Begin, FeatureWrite},
        permitted::{InProject, Permitted, need},
        tags::admit_tags,
        version::{IfMatch, Versioned},
    },
    domain::{
        event::NewEvent,
        project::ProjectScope,
        tag::{Tag, TagChange},
        time::Timestamp,
        visibility::Visibility,
    },
    error::Error,
    state::State,
    store::{self, db::Tx, tags::Carrier},
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
        caller: Caller,
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
        #[oai(name = "If-Match")] if_match: IfMatch,
        body: Body<Tag>,
    ) -> Result<Created<Tag>, Fails<EditRefusals>> {
        let project = caller.project_of_feature(&feature_name.0).await?;
        let tag = body.read()?;
        let wish = Wish { added: vec![tag.clone()], ..Wish::default() };
        wish.fulfil(&caller, state, &project, &feature_name.0, &if_match, "/body").await?;
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
        #[oai(name = "If-Match")] if_match: IfMatch,
        body: Body<TagChangesBody>,
    ) -> Result<Out<TagsBody>, Fails<EditRefusals>> {
        let project = caller.project_of_feature(&feature_name.0).await?;
        let wish = Wish::read(body.read()?, "/body")?;
        let tags = wish.fulfil(&caller, state, &project, &feature_name.0, &if_match, "/body/addedTags").await?;
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
        #[oai(name = "If-Match")] if_match: IfMatch,
    ) -> Result<Done, Fails<RemoveRefusals>> {
        let project = caller.project_of_feature(&feature_name.0).await?;
        let tag = Tag { value: value.0, kind: kind.0 };
        let wish = Wish { removed: vec![tag], ..Wish::default() };
        wish.fulfil(&caller, state, &project, &feature_name.0, &if_match, "/path").await?;
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
        let wish = Wish::read(tags, "/body/tags")?;
        let (now, visibility) = (state.clock.now(), caller.visibility().await?);
        let tx = state.db.begin().await?;
        let carriers = store::tags::hold_features(&tx, &project, &names).await?;
        let carriers = match in_order(carriers, &names) {
            Ok(carriers) => carriers,
            Err(index) => {
                let path = format!("/body/features/{index}");
                return Err(Error::unknown(path, "feature of this project", &names[index]).into());
            }
        };
        let (events, _) = wish.apply(&tx, (&caller, &visibility), carriers, now, "/body/tags/addedTags").await?;
        Ok(Out(settle(tx, now, events, dry_run.0.unwrap_or_default()).await?))
    }
}

/// The carriers in the order of the names, each once; or the place of the first name that none has.
fn in_order(mut carriers: Vec<Carrier>, names: &[String]) -> Result<Vec<Carrier>, usize> {
    let mut seen = HashSet::new();
    let names = names.iter().enumerate().filter(|(_, name)| seen.insert(*name));
    names
        .map(|(place, name)| {
            let index = carriers.iter().position(|carrier| carrier.name == *name).ok_or(place)?;
            Ok(carriers.swap_remove(index))
        })
        .collect()
}

/// Tags to add and to remove.
#[derive(Debug, Default)]
struct Wish {
    added: Vec<Tag>,
    removed: Vec<Tag>,
}

impl Wish {
    fn read(body: TagChangesBody, path: &str) -> Result<Self, Error> {
        let (added, removed) = (body.added_tags.0, body.removed_tags.0);
        if let Some(index) = removed.iter().position(|tag| added.contains(tag)) {
            return Err(Error::property(format!("{path}/removedTags/{index}"), "is among the added tags, too"));
        }
        Ok(Self { added, removed })
    }

    /// Does it to one feature and returns the tags that it has then. `path` points to the tags to add, or the one.
    async fn fulfil(
        &self,
        caller: &Caller,
        state: &State,
        project: &ProjectScope,
        name: &str,
        if_match: &IfMatch,
        path: &str,
    ) -> Result<Vec<Tag>, Error> {
        let visibility = caller.visibility().await?;
        let write = FeatureWrite::hold(caller, state, project, name, Begin::Change, if_match).await?.tagged().await?;
        let (id, tags) = (write.held.id, write.tags.clone());
        let carrier = Carrier { id, name: name.to_owned(), project: project.id().to_owned(), tags };
        let (events, after) = self.apply(&write.tx, (caller, &visibility), vec![carrier], write.now, path).await?;
        write.commit(events).await?;
        Ok(after)
    }

    /// Does it to features that the transaction holds. Returns the events, and the tags of the last.
    async fn apply(
        &self,
        tx: &Tx,
        (caller, visibility): (&Caller, &Visibility),
        carriers: Vec<Carrier>,
        now: Timestamp,
        path: &str,
    ) -> Result<(Vec<NewEvent>, Vec<Tag>), Error> {
        let place = |index: usize| if path == "/body" { path.to_owned() } else { format!("{path}/{index}") };
        admit_tags(tx, &self.added, visibility, place).await?;
        let actor = caller.actor();
        let change = |carrier: Carrier| {
            let change = TagChange::new(carrier.tags.clone(), &self.added, &self.removed);
            (carrier, change)
        };
        let changes: Vec<_> = carriers.into_iter().map(change).collect();
        let mut new_tags = store::tags::change(tx, &changes, visibility, actor.user_id, now).await?;
        let events = changes
            .iter()
            .flat_map(|(carrier, change)| change.events(&carrier.project, &carrier.name, &actor, &mut new_tags))
            .collect();
        Ok((events, changes.last().map(|(_, change)| change.after()).unwrap_or_default()))
    }
}
