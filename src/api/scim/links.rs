//! Linking users and groups to the company's directory by hand, and taking them back.

use poem::web::Data;
use poem_openapi::{OpenApi, param::Path};

use crate::{
    access::Caller,
    accounts::{administrators::keep_an_administrator, directory_links},
    api::{
        Tag,
        answer::{ActRefusals, Fails, Out},
        groups::GroupBody,
        parameter::UserIdParameter,
        permitted::{Permitted, need},
        users::{UserBody, found},
    },
    error::Error,
    state::State,
    store,
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
    /// deactivated by hand can then be activated by the directory. Roles and credentials stay. A user who is linked
    /// already stays as they are, without an event.
    #[oai(path = "/api/admin/user-admin/:id/scim-link", method = "post", operation_id = "linkUserToDirectory")]
    async fn link_user_to_directory(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        id: Path<UserIdParameter>,
    ) -> Result<Out<UserBody>, Fails<ActRefusals>> {
        Ok(Out(put_user(state, &caller, id.0, true).await?))
    }

    /// Unlink a user from the directory
    ///
    /// Takes the user back from the directory, whichever way it came to manage them: names, email and activity are
    /// changed here again, and the directory can adopt the user anew only if they hold no role that was given by hand.
    /// A user whom no directory manages stays as they are, without an event.
    #[oai(path = "/api/admin/user-admin/:id/scim-link", method = "delete", operation_id = "unlinkUserFromDirectory")]
    async fn unlink_user_from_directory(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        id: Path<UserIdParameter>,
    ) -> Result<Out<UserBody>, Fails<ActRefusals>> {
        Ok(Out(put_user(state, &caller, id.0, false).await?))
    }

    /// Link a group to the directory
    ///
    /// Lets the directory manage a group that was created here and holds a role in the instance or in a project:
    /// without the link it can neither adopt, rename nor delete such a group, nor change its members. Whoever controls
    /// the directory then decides who has these roles. A group that is linked already stays as it is, without an event.
    #[oai(path = "/api/admin/groups/:groupId/scim-link", method = "post", operation_id = "linkGroupToDirectory")]
    async fn link_group_to_directory(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        #[oai(name = "groupId")] group_id: Path<i64>,
    ) -> Result<Out<GroupBody>, Fails<ActRefusals>> {
        Ok(Out(put_group(state, &caller, group_id.0, true).await?))
    }

    /// Unlink a group from the directory
    ///
    /// Takes the group back from the directory, whichever way it came to manage it: name and members are changed here
    /// again. Nested groups are taken out of it, and it out of those in which it was nested; its own people stay, and
    /// whoever was in another group through it alone leaves that one. 403 when nobody would be left to administer the
    /// instance. A group that no directory manages stays as it is, without an event.
    #[oai(path = "/api/admin/groups/:groupId/scim-link", method = "delete", operation_id = "unlinkGroupFromDirectory")]
    async fn unlink_group_from_directory(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        #[oai(name = "groupId")] group_id: Path<i64>,
    ) -> Result<Out<GroupBody>, Fails<ActRefusals>> {
        Ok(Out(put_group(state, &caller, group_id.0, false).await?))
    }
}

async fn put_user(state: &State, caller: &Caller, id: UserIdParameter, is_linked: bool) -> Result<UserBody, Error> {
    let now = state.clock.now();
    let tx = state.db.begin().await?;
    let account = found(store::users::hold(&tx, id.0.unwrap_or_default()).await?, id.0)?;
    let (account, event) = directory_links::put_user(&tx, &account, is_linked, now, &caller.actor()).await?;
    tx.commit(now, event).await?;
    Ok(UserBody::of(account))
}

async fn put_group(state: &State, caller: &Caller, id: i64, is_linked: bool) -> Result<GroupBody, Error> {
    let now = state.clock.now();
    let missing = || Error::no_id("group", id);
    let tx = state.db.begin().await?;
    let administrators = store::access::administrators::hold(&tx, now).await?;
    let old = store::groups::hold(&tx, id).await?.ok_or_else(missing)?;
    let events = directory_links::put_group(&tx, &old, is_linked, now, &caller.actor()).await?;
    keep_an_administrator(&tx, administrators).await?;
    let group = store::groups::find(&tx, id).await?.ok_or_else(missing)?;
    tx.commit(now, events).await?;
    Ok(GroupBody::of(group))
}
