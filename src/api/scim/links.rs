//! Linking users and groups to the company's directory by hand, and taking them back.

use poem::web::Data;
use poem_openapi::{
    OpenApi,
    param::{Path, Query},
};

use crate::{
    accounts::directory_links::Link,
    api::{
        Tag,
        answer::{ActRefusals, Fails, Out},
        author::author,
        groups::GroupBody,
        parameter::UserIdParameter,
        permitted::{Permitted, need},
        users::UserBody,
    },
    state::State,
};

/// The operations on links to the directory.
#[derive(Debug)]
pub struct ScimLinksApi;

#[OpenApi(tag = "Tag::Scim")]
impl ScimLinksApi {
    /// Link a user to the directory
    ///
    /// Lets the directory manage a user who holds a role that was given by hand: without the link it can neither adopt,
    /// rename, deactivate nor delete such a user, nor change the email. Check first that the account and the entry of
    /// the directory belong to the same person, since whoever controls the entry can sign in as the user. A user who is
    /// deactivated by hand can then be activated by the directory. Roles and credentials stay. A user whom another
    /// directory managed is handed over, and leaves the groups that it keeps, each with an event. A user who is linked
    /// already stays as they are, without an event.
    #[oai(path = "/api/admin/user-admin/:id/scim-link", method = "post", operation_id = "linkUserToDirectory")]
    async fn link_user_to_directory(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        id: Path<UserIdParameter>,
        /// Id of the directory that it is handed over to. Absent: the default directory.
        #[oai(name = "directoryId", validator(minimum(value = "1"), maximum(value = "9007199254740991")))]
        directory_id: Query<Option<i64>>,
    ) -> Result<Out<UserBody>, Fails<ActRefusals>> {
        let link = Link::To(directory_id.0);
        Ok(Out(UserBody::of(author(&caller, state).change_directory_of_user(id.0.0, link).await?)))
    }

    /// Unlink a user from the directory
    ///
    /// Takes the user back from the directory, whichever way it came to manage them: names, email and activity are
    /// changed here again, and the directory can adopt the user anew only if they hold no role that was given by hand.
    /// The user leaves the groups that a named directory keeps, each with an event; the default directory goes on saying
    /// who is in its groups. 403 when nobody would be left to administer the instance. A user whom no directory manages
    /// stays as they are, without an event.
    #[oai(path = "/api/admin/user-admin/:id/scim-link", method = "delete", operation_id = "unlinkUserFromDirectory")]
    async fn unlink_user_from_directory(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        id: Path<UserIdParameter>,
    ) -> Result<Out<UserBody>, Fails<ActRefusals>> {
        Ok(Out(UserBody::of(author(&caller, state).change_directory_of_user(id.0.0, Link::Back).await?)))
    }

    /// Link a group to the directory
    ///
    /// Lets the directory manage a group that was created here and holds a role in the instance or in a project:
    /// without the link it can neither adopt, rename nor delete such a group, nor change its members. Whoever controls
    /// the directory then decides who has these roles. A group that another directory managed is handed over: it keeps
    /// its people as direct members, and is no longer nested. A group that is linked already stays as it is, without an
    /// event.
    #[oai(path = "/api/admin/groups/:groupId/scim-link", method = "post", operation_id = "linkGroupToDirectory")]
    async fn link_group_to_directory(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        #[oai(name = "groupId")] group_id: Path<i64>,
        /// Id of the directory that it is handed over to. Absent: the default directory.
        #[oai(name = "directoryId", validator(minimum(value = "1"), maximum(value = "9007199254740991")))]
        directory_id: Query<Option<i64>>,
    ) -> Result<Out<GroupBody>, Fails<ActRefusals>> {
        let link = Link::To(directory_id.0);
        Ok(Out(GroupBody::of(author(&caller, state).change_directory_of_group(group_id.0, link).await?)))
    }

    /// Unlink a group from the directory
    ///
    /// Takes the group back from the directory, whichever way it came to manage it: name and members are changed here
    /// again. Nested groups are taken out of it, and it out of those in which it was nested; its own people stay, and
    /// leave the groups that they were in through it alone. 403 when nobody would be left to administer the
    /// instance. A group that no directory manages stays as it is, without an event.
    #[oai(path = "/api/admin/groups/:groupId/scim-link", method = "delete", operation_id = "unlinkGroupFromDirectory")]
    async fn unlink_group_from_directory(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        #[oai(name = "groupId")] group_id: Path<i64>,
    ) -> Result<Out<GroupBody>, Fails<ActRefusals>> {
        Ok(Out(GroupBody::of(author(&caller, state).change_directory_of_group(group_id.0, Link::Back).await?)))
    }
}
