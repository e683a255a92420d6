//! Deletion of all that the company's directory keeps, for an instance that leaves it.

use poem::web::Data;
use poem_openapi::{OpenApi, param::Query};

use crate::{
    api::{
        Tag,
        answer::{Fails, Out, QueryRefusals},
        author::author,
        permitted::{Permitted, need},
    },
    domain::change_summary::ChangesBody,
    state::State,
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
        Ok(Out(author(&caller, state).delete_scim_users(dry_run.0.unwrap_or(false)).await?))
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
        Ok(Out(author(&caller, state).delete_scim_groups(dry_run.0.unwrap_or(false)).await?))
    }
}
