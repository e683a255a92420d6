//! Deletion of all that the company's directory keeps, for an instance that leaves it.

use flagstone_accounts::{administrators::keep_an_administrator, leaving_directory};
use flagstone_domain::change_summary::ChangesBody;
use flagstone_error::Error;
use flagstone_store as store;

use crate::{Author, Begin, Transaction};

impl Author<'_> {
    /// Deletes users whom a directory keeps, except the author, as many as are deleted at once. With `dry_run`
    /// everything stays as it is.
    pub async fn delete_scim_users(self, dry_run: bool) -> Result<ChangesBody, Error> {
        let transaction = self.begin(Begin::Change).await?;
        let Transaction { tx, now, .. } = &transaction;
        let actor = self.caller.actor();
        let events = leaving_directory::delete_users(tx, self.caller.user_id(), *now, &actor).await?;
        transaction.commit_or_preview(events, dry_run).await
    }

    /// Deletes groups that a directory keeps, as many as are deleted at once. With `dry_run` everything stays as it is.
    pub async fn delete_scim_groups(self, dry_run: bool) -> Result<ChangesBody, Error> {
        let transaction = self.begin(Begin::Change).await?;
        let Transaction { tx, now, .. } = &transaction;
        let administrators = store::access::administrators::hold(tx, *now).await?;
        let events = leaving_directory::delete_groups(tx, *now, &self.caller.actor()).await?;
        keep_an_administrator(tx, administrators).await?;
        transaction.commit_or_preview(events, dry_run).await
    }
}
