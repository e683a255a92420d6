//! Groups, as a directory finds, makes, changes and deletes them.

use poem::web::Data;
use poem_openapi::{
    Object, OpenApi,
    param::{Path, Query},
};
use serde::Serialize;

use super::{
    answer::{ChangeRefusals, Current, DeletionRefusals, ListRefusals, Made, MakingRefusals, Resource, Selection},
    body::{GroupBody, GroupContentBody, PatchBody},
    directory::Directory,
    refusal::{Failure, ScimFails},
    users::Page,
};
use crate::{
    accounts::kept_groups::{self, Held},
    api::{
        Tag,
        answer::NoContent,
        body::Tolerant,
        parameter::{CountParameter, ScimSortOrderParameter, StartIndexParameter, TextParameter},
        version::IfMatchHeader,
    },
    changes::{if_match::IfMatch, scim::missing},
    domain::scim::{filter::Kind, tolerance},
    error::Error,
    state::State,
    store::{self, scim::GroupRow},
};

/// The operations on groups.
#[derive(Debug)]
pub struct ScimGroupsApi;

/// A page of groups for a directory.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "ScimGroupList", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct GroupListBody {
    /// The schema of lists.
    pub schemas: Vec<String>,
    /// Number of groups in all.
    pub total_results: i64,
    /// Position of the first one, from 1.
    pub start_index: i64,
    /// Number of groups of this page.
    pub items_per_page: i64,
    /// Groups of this page, by id.
    #[oai(rename = "Resources")]
    #[serde(rename = "Resources")]
    pub resources: Vec<GroupBody>,
}

#[OpenApi(tag = "Tag::Scim")]
impl ScimGroupsApi {
    /// List groups through SCIM
    ///
    /// All groups, including those that the directory does not manage yet; for a directory of `createScimDirectory` its
    /// own alone. At most 500 at once.
    #[oai(path = "/scim/Groups", method = "get", operation_id = "getScimGroups")]
    #[expect(clippy::too_many_arguments, reason = "each is a parameter of the protocol")]
    async fn get_scim_groups(
        &self,
        directory: Directory,
        Data(state): Data<&State>,
        /// Filter as of `getScimUsers`, on `id`, `externalId`, `displayName`, `members.value`, `meta.created` and
        /// `meta.lastModified`. Names are found without the case of ASCII letters. Absent: all groups.
        filter: Query<Option<TextParameter>>,
        /// Attribute that decides the order, of those that can be compared and have one value. Absent: `id`.
        #[oai(name = "sortBy")]
        sort_by: Query<Option<TextParameter>>,
        /// Direction of the order. Without effect unless `sortBy` is given.
        #[oai(name = "sortOrder")]
        sort_order: Query<Option<ScimSortOrderParameter>>,
        #[oai(name = "startIndex")] start_index: Query<Option<StartIndexParameter>>,
        count: Query<Option<CountParameter>>,
        attributes: Query<Option<TextParameter>>,
        #[oai(name = "excludedAttributes")] excluded: Query<Option<TextParameter>>,
    ) -> Result<Resource<GroupListBody>, ScimFails<ListRefusals>> {
        let selection = Selection::of(attributes.0, excluded.0);
        let page = Page::of(start_index.0, count.0);
        let listing = page.listing(Kind::Group, filter.0, sort_by.0, sort_order.0)?;
        let found = store::scim::groups(&state.db, directory.identity.id(), &listing).await?;
        let bodies = shown(state, found.items, selection.has("members"), &directory).await?;
        let resources: Vec<_> = bodies.iter().map(|body| selection.apply(body)).collect();
        Ok(Resource::new(page.list(found.total, &resources), &directory))
    }

    /// Create a group through SCIM
    ///
    /// Creates a group that is managed by the directory and has no roles yet: assign them here, with `updateGroup` and
    /// with roles in projects; the directory goes on managing its members. A member with the type `Group` is a group
    /// that is nested in it, whose people are in both: the directory has to manage that one as well. A name that is
    /// taken is 409, and so is nesting in more than 10 levels.
    #[oai(path = "/scim/Groups", method = "post", operation_id = "createScimGroup")]
    async fn create_scim_group(
        &self,
        directory: Directory,
        Data(state): Data<&State>,
        body: Tolerant<GroupContentBody>,
    ) -> Result<Made<GroupBody>, ScimFails<MakingRefusals>> {
        let made = make(state, body.read(tolerance::resource)?, &directory).await?;
        let (version, place) = (made.version(), directory.place(&format!("Groups/{}", made.id)));
        Ok(Made::new(Selection::default().apply(&made.versioned()), version, &directory, place))
    }

    /// Get a group through SCIM
    ///
    /// The group with its direct members; service accounts are left out.
    #[oai(path = "/scim/Groups/:id", method = "get", operation_id = "getScimGroup")]
    async fn get_scim_group(
        &self,
        directory: Directory,
        Data(state): Data<&State>,
        id: Path<String>,
        attributes: Query<Option<TextParameter>>,
        #[oai(name = "excludedAttributes")] excluded: Query<Option<TextParameter>>,
    ) -> Result<Current<GroupBody>, ScimFails<ListRefusals>> {
        let body = whole(state, &id.0, &directory).await?;
        Ok(current(body, &Selection::of(attributes.0, excluded.0), &directory))
    }

    /// Replace a group through SCIM
    ///
    /// Replaces name and members: what is absent is reset. Roles of the group, and service accounts in it, stay. The
    /// directory manages the group from then on. 403 for a group that the directory did not create and that holds a
    /// role in the instance or in any project, until an administrator links it with `linkGroupToDirectory`. 403, too,
    /// if the change would reach such a group, in which this one is nested. 409 when nobody would be left to administer
    /// the instance, for a group that would be nested in itself, and for nesting in more than 10 levels. A group has at
    /// most 5000 people, those in nested groups included: more are 400.
    #[oai(path = "/scim/Groups/:id", method = "put", operation_id = "replaceScimGroup")]
    async fn replace_scim_group(
        &self,
        directory: Directory,
        Data(state): Data<&State>,
        id: Path<String>,
        /// Version that the change is meant for. Absent: any.
        #[oai(name = "If-Match")]
        if_match: IfMatchHeader,
        body: Tolerant<GroupContentBody>,
    ) -> Result<Current<GroupBody>, ScimFails<ChangeRefusals>> {
        let body = replace(state, &id.0, &if_match, body.read(tolerance::resource)?, &directory).await?;
        Ok(current(body, &Selection::default(), &directory))
    }

    /// Update a group through SCIM
    ///
    /// Applies all operations or none; otherwise like `replaceScimGroup`. Users and groups can have the same id: where
    /// both are members, their removal needs the type, as in `members[value eq "7" and type eq "Group"]`. The answer
    /// has no body, since a group can have 5000 members.
    #[oai(path = "/scim/Groups/:id", method = "patch", operation_id = "changeScimGroup")]
    async fn change_scim_group(
        &self,
        directory: Directory,
        Data(state): Data<&State>,
        id: Path<String>,
        /// Version that the change is meant for. Absent: any.
        #[oai(name = "If-Match")]
        if_match: IfMatchHeader,
        body: Tolerant<PatchBody>,
    ) -> Result<NoContent, ScimFails<ChangeRefusals>> {
        change(state, &id.0, &if_match, &body.read(tolerance::patch)?, &directory).await?;
        Ok(NoContent)
    }

    /// Delete a group through SCIM
    ///
    /// Like `deleteGroup`; people leave the groups in which they were through it alone. 403 as with `replaceScimGroup`;
    /// 409 when nobody would be left to administer the instance.
    #[oai(path = "/scim/Groups/:id", method = "delete", operation_id = "deleteScimGroup")]
    async fn delete_scim_group(
        &self,
        directory: Directory,
        Data(state): Data<&State>,
        id: Path<String>,
        /// Version that the deletion is meant for. Absent: any.
        #[oai(name = "If-Match")]
        if_match: IfMatchHeader,
    ) -> Result<NoContent, ScimFails<DeletionRefusals>> {
        remove(state, &id.0, &if_match, &directory).await?;
        Ok(NoContent)
    }
}

/// Makes a group.
pub(super) async fn make(
    state: &State,
    content: GroupContentBody,
    directory: &Directory,
) -> Result<GroupBody, Failure> {
    let id = directory.author(state).create_group(content.draft()?).await?;
    Ok(whole(state, &id.to_string(), directory).await?)
}

/// Replaces a group.
pub(super) async fn replace(
    state: &State,
    id: &str,
    if_match: &IfMatch,
    content: GroupContentBody,
    directory: &Directory,
) -> Result<GroupBody, Failure> {
    let draft = content.draft()?;
    directory.author(state).update_group(id, if_match, |_| Ok(draft)).await?;
    Ok(whole(state, id, directory).await?)
}

/// Applies a patch to a group.
pub(super) async fn change(
    state: &State,
    id: &str,
    if_match: &IfMatch,
    patch: &PatchBody,
    directory: &Directory,
) -> Result<(), Failure> {
    let edit = |held: &Held<'_>| {
        let mut draft = kept_groups::draft_of(held);
        draft.patch(&patch.operations)?;
        Ok(draft)
    };
    Ok(directory.author(state).update_group(id, if_match, edit).await?)
}

/// Deletes a group.
pub(super) async fn remove(state: &State, id: &str, if_match: &IfMatch, directory: &Directory) -> Result<(), Failure> {
    Ok(directory.author(state).delete_group(id, if_match).await?)
}

fn current(body: GroupBody, selection: &Selection, directory: &Directory) -> Current<GroupBody> {
    let version = body.version();
    Current::new(selection.apply(&body.versioned()), version, directory)
}

/// A group with all attributes.
async fn whole(state: &State, id: &str, directory: &Directory) -> Result<GroupBody, Error> {
    let found = store::scim::group(&state.db, directory.identity.id(), store::scim::id_of(id)).await?;
    let (group, members) = found.ok_or_else(|| missing("group", id))?;
    Ok(GroupBody::of(group, members, directory))
}

async fn shown(
    state: &State,
    groups: Vec<GroupRow>,
    with_members: bool,
    directory: &Directory,
) -> Result<Vec<GroupBody>, Error> {
    if !with_members {
        return Ok(groups.into_iter().map(|group| GroupBody::of(group, None, directory)).collect());
    }
    let ids: Vec<i64> = groups.iter().map(|group| group.id).collect();
    let mut members = store::scim::members_of(&state.db, directory.identity.id(), &ids).await?;
    let body = |group: GroupRow| {
        let members = members.remove(&group.id);
        GroupBody::of(group, members, directory).versioned()
    };
    Ok(groups.into_iter().map(body).collect())
}
