//! Deletion of all that the company's directory keeps, for an instance that leaves it.

use poem::web::Data;
use poem_openapi::{OpenApi, param::Query};

use crate::{
    accounts::{administrators::keep_an_administrator, leaving_directory},
    api::{
        Tag,
        answer::{Fails, Out, QueryRefusals},
        permitted::{Permitted, need},
    },
    changes::commit_or_preview,
    domain::change_summary::ChangesBody,
    error::Error,
    state::State,
    store,
};

/// The operations on all that a directory keeps.
#[derive(Debug)]
pub struct ScimLeavingApi;

#[OpenApi(tag = "Tag::Scim")]
impl ScimLeavingApi {
    /// Delete the users of the directory
    ///
    /// Deletes the users whom the directory manages, as `deleteUser` deletes one, for an instance that leaves its
    /// directory. Users without a `scimId` stay, and so does the caller. At most 5000 are deleted at once, those with
    /// the lowest ids; `events` is empty once none are left. All of these or none are deleted: 403 while SCIM is on,
    /// and if no administrator would be left. In addition to the event of each user, one has the `label`
    /// `scim-users-deleted`.
    #[oai(path = "/api/admin/user-admin/scim-users", method = "delete", operation_id = "deleteScimUsers")]
    async fn delete_scim_users(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        #[oai(name = "dryRun")] dry_run: Query<Option<bool>>,
    ) -> Result<Out<ChangesBody>, Fails<QueryRefusals>> {
        let now = state.clock.now();
        let tx = state.db.begin().await?;
        let deleted = leaving_directory::delete_users(&tx, caller.user_id(), now, &caller.actor()).await;
        let events = deleted.map_err(Error::from)?;
        Ok(Out(commit_or_preview(tx, now, events, dry_run.0.unwrap_or(false)).await?))
    }

    /// Delete the groups of the directory
    ///
    /// Deletes the groups that the directory manages, as `deleteGroup` deletes one, for an instance that leaves its
    /// directory. Groups without a `scimId` stay, and so do all members. At most 500 are deleted at once, those with
    /// the lowest ids; `events` is empty once there are none left. All of these or none are deleted: 403 while SCIM is
    /// on, and if no administrator would be left. In addition to the event of each group, one has the `label`
    /// `scim-groups-deleted`.
    #[oai(path = "/api/admin/groups/scim-groups", method = "delete", operation_id = "deleteScimGroups")]
    async fn delete_scim_groups(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        #[oai(name = "dryRun")] dry_run: Query<Option<bool>>,
    ) -> Result<Out<ChangesBody>, Fails<QueryRefusals>> {
        let now = state.clock.now();
        let tx = state.db.begin().await?;
        let administrators = store::access::administrators::hold(&tx, now).await?;
        let events = leaving_directory::delete_groups(&tx, now, &caller.actor()).await?;
        keep_an_administrator(&tx, administrators).await?;
        Ok(Out(commit_or_preview(tx, now, events, dry_run.0.unwrap_or(false)).await?))
    }
}
