//! Groups of people.

use poem::web::Data;
use poem_openapi::{Object, OpenApi, param::Path};
use serde::Serialize;

use crate::{
    api::{
        Tag,
        answer::{Created, Done, Fails, LookupRefusals, Out, ReadRefusals, RemoveRefusals, refusals},
        author::author,
        body::Body,
        permitted::{Permitted, need},
        users::person::PersonBody,
        version::{IfMatchHeader, Versioned},
    },
    domain::{group::GroupDocument, time::Timestamp, version::Version},
    error::Error,
    state::State,
    store::{
        self,
        access::people::Account,
        groups::{Group, GroupContent},
    },
    wire::Nullable,
};

/// The operations on groups.
#[derive(Debug)]
pub struct GroupsApi;

refusals! {
    /// Refusals when making something whose name may be taken.
    NameRefusals = 400, 401, 403, 409, 413, 415, 503;
    /// Refusals when changing something whose new name may be taken.
    RenameRefusals = 400, 401, 403, 404, 409, 412, 413, 415, 503;
}

/// Properties of a group.
#[derive(Debug, Clone, Object)]
#[oai(rename = "GroupContent", rename_all = "camelCase")]
pub struct GroupContentBody {
    /// Unique name, 1 to 255 characters, not only blanks.
    #[oai(validator(min_length = 1, max_length = 255, pattern = r"\S"))]
    pub name: String,
    /// Purpose of the group, at most 1000 characters. `null` or absent: nothing.
    #[oai(validator(max_length = 1000))]
    pub description: Option<Nullable<String>>,
    /// Names of the login provider's groups whose members become members of this one when they sign in, at most 100.
    /// Absent: none.
    #[oai(rename = "mappingsSSO", validator(max_items = 100, max_length = 255))]
    pub mappings_sso: Option<Vec<String>>,
    /// Id of a root role that every member has in addition to their own. `null` or absent: none.
    #[oai(validator(minimum(value = "1")))]
    pub root_role: Option<Nullable<i64>>,
    /// The members, at most 5000. Absent: none.
    #[oai(validator(max_items = 5000))]
    pub users: Option<Vec<NewMemberBody>>,
}

/// A user to be a member of a group.
#[derive(Debug, Clone, Object)]
#[oai(rename = "AddGroupMember")]
pub struct NewMemberBody {
    /// The person.
    pub user: PersonReferenceBody,
}

/// Reference to a user.
#[derive(Debug, Clone, Object)]
#[oai(rename = "PersonReference")]
pub struct PersonReferenceBody {
    /// Id of the user.
    #[oai(validator(minimum(value = "1")))]
    pub id: i64,
}

/// A group of people.
#[serde_with_macros::skip_serializing_none]
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "Group", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct GroupBody {
    /// Id of the group.
    pub id: i64,
    /// Unique name.
    pub name: String,
    /// Purpose of the group; `null` for none.
    pub description: Nullable<String>,
    /// Names of groups of the login provider that are mapped to this one.
    #[oai(rename = "mappingsSSO")]
    #[serde(rename = "mappingsSSO")]
    pub mappings_sso: Vec<String>,
    /// Id of the root role that every member has in addition to their own; `null` for none.
    pub root_role: Nullable<i64>,
    /// Creator of the group; `null` when unknown.
    pub created_by: Nullable<String>,
    /// When the group was created.
    pub created_at: Timestamp,
    /// Number of members, those of nested groups included.
    pub user_count: i64,
    /// The members, those of nested groups included, by id.
    pub users: Vec<MemberBody>,
    /// The groups that a directory nested in this one directly, by id. Absent when there are none.
    pub nested_groups: Option<Vec<NestedGroupBody>>,
    /// Ids of the projects in which the group holds a role, sorted. Archived projects are left out.
    pub projects: Vec<String>,
    /// Id of the group in SCIM. Absent for a group that no directory manages.
    pub scim_id: Option<String>,
    /// True for a group that an administrator linked to the directory. Absent for every other group.
    pub scim_linked: Option<bool>,
    /// Id of the directory that the group belongs to (`getScimDirectories`). Absent for the default directory, and for
    /// none.
    pub scim_directory: Option<i64>,
}

/// A group that is nested in a group.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "NestedGroup")]
pub struct NestedGroupBody {
    /// Id of the group.
    pub id: i64,
    /// Its unique name.
    pub name: String,
}

/// A member of a group.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "GroupMember", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct MemberBody {
    /// When the person joined.
    pub joined_at: Timestamp,
    /// True for a person who is a member only of a nested group. Absent for every other member.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nested: Option<bool>,
    /// The person.
    pub user: PersonBody,
}

/// Every group.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "Groups")]
pub struct GroupsBody {
    /// The groups, by name.
    pub groups: Vec<GroupBody>,
}

impl GroupBody {
    /// A group as stored.
    pub fn of(group: Group) -> Self {
        let GroupDocument {
            id,
            name,
            description,
            mappings_sso,
            root_role,
            created_by,
            created_at,
            users,
            nested_users,
            nested_groups: _,
            scim,
            scim_linked,
            scim_directory,
            origin: _,
        } = group.document;
        let member = |(person, joined_at): (Account, Timestamp)| MemberBody {
            joined_at,
            nested: nested_users.binary_search(&person.id).is_ok().then_some(true),
            user: PersonBody::from(person),
        };
        let nested_groups: Vec<NestedGroupBody> =
            group.nested_groups.into_iter().map(|(id, name)| NestedGroupBody { id, name }).collect();
        Self {
            id,
            name,
            description: description.into(),
            mappings_sso,
            root_role: root_role.into(),
            created_by: created_by.into(),
            created_at,
            user_count: i64::try_from(users.len()).unwrap_or(i64::MAX),
            users: group.members.into_iter().map(member).collect(),
            nested_groups: Some(nested_groups).filter(|groups| !groups.is_empty()),
            projects: group.projects,
            scim_id: scim.map(|_| id.to_string()),
            scim_linked,
            scim_directory,
        }
    }
}

#[OpenApi(tag = "Tag::Groups")]
impl GroupsApi {
    /// List the groups
    ///
    /// Every group with its members, those of nested groups included, and the projects in which it holds a role.
    #[oai(path = "/api/admin/groups", method = "get", operation_id = "getGroups")]
    async fn get_groups(
        &self,
        _caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
    ) -> Result<Out<GroupsBody>, Fails<ReadRefusals>> {
        let groups = store::groups::list(&state.db).await?;
        Ok(Out(GroupsBody { groups: groups.into_iter().map(GroupBody::of).collect() }))
    }

    /// Create a group
    ///
    /// A name that another group has is 409; a member or a root role that does not exist is 400.
    #[oai(path = "/api/admin/groups", method = "post", operation_id = "createGroup")]
    async fn create_group(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        body: Body<GroupContentBody>,
    ) -> Result<Created<GroupBody>, Fails<NameRefusals>> {
        let content = content(body.read()?);
        Ok(Created(GroupBody::of(author(&caller, state).create_group(&content).await?)))
    }

    /// Get a group
    #[oai(path = "/api/admin/groups/:groupId", method = "get", operation_id = "getGroup")]
    async fn get_group(
        &self,
        _caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        #[oai(name = "groupId")] group_id: Path<i64>,
    ) -> Result<Versioned<GroupBody>, Fails<LookupRefusals>> {
        let group =
            store::groups::find(&state.db, group_id.0).await?.ok_or_else(|| Error::no_id("group", group_id.0))?;
        let version = Version::of(&group.document);
        Ok(Versioned(GroupBody::of(group), version))
    }

    /// Update a group
    ///
    /// Replaces the stored values: what is absent is reset, including the members. Members who stay keep the time at
    /// which they joined. Groups that a directory nested in this one stay, with their members: to leave out one of
    /// these is 400. A change that leaves nobody to administer the instance is 403. A request that changes nothing
    /// leaves no event. Name and members of a group managed by a directory cannot be changed here: 403 while SCIM is
    /// on.
    #[oai(path = "/api/admin/groups/:groupId", method = "put", operation_id = "updateGroup")]
    async fn update_group(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        #[oai(name = "groupId")] group_id: Path<i64>,
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
        body: Body<GroupContentBody>,
    ) -> Result<Out<GroupBody>, Fails<RenameRefusals>> {
        let content = content(body.read()?);
        Ok(Out(GroupBody::of(author(&caller, state).update_group(group_id.0, &if_match, content).await?)))
    }

    /// Delete a group
    ///
    /// Its members lose the roles that they had through it and through groups in which a directory nested it. 403 when
    /// nobody would be left to administer the instance, and, while SCIM is on, for a group managed by a directory.
    #[oai(path = "/api/admin/groups/:groupId", method = "delete", operation_id = "deleteGroup")]
    async fn delete_group(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        #[oai(name = "groupId")] group_id: Path<i64>,
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
    ) -> Result<Done, Fails<RemoveRefusals>> {
        author(&caller, state).delete_group(group_id.0, &if_match).await?;
        Ok(Done)
    }
}

fn content(body: GroupContentBody) -> GroupContent {
    let mut users: Vec<i64> = body.users.into_iter().flatten().map(|member| member.user.id).collect();
    users.sort_unstable();
    users.dedup();
    GroupContent {
        name: body.name,
        description: body.description.and_then(Nullable::into_inner),
        mappings_sso: body.mappings_sso.unwrap_or_default(),
        root_role: body.root_role.and_then(Nullable::into_inner),
        users,
        nested_groups: Vec::new(),
        kept: None,
        origin: None,
        directory_id: None,
    }
}
