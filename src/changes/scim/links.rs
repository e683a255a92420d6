//! Links of users and groups to the company's directory, made and taken back by administrators.

use flagstone_accounts::{
    administrators::keep_an_administrator,
    directory_links::{self, Link},
};
use flagstone_error::Error;
use flagstone_store::{self as store, access::people::Account, db::Tx, groups::Group, scim::directories};

use crate::{Author, Begin, Transaction, users};

impl Author<'_> {
    /// Links a user to a directory, or takes them back. Returns the user as they are then.
    pub async fn change_directory_of_user(self, id: Option<i64>, link: Link) -> Result<Account, Error> {
        let transaction = self.begin(Begin::Change).await?;
        let Transaction { tx, now, .. } = &transaction;
        keep(tx, link).await?;
        let account = users::hold(&transaction, id).await?;
        let (account, events) = directory_links::put_user(tx, &account, link, *now, &self.caller.actor()).await?;
        transaction.commit(events).await?;
        Ok(account)
    }

    /// Links a group to a directory, or takes it back. Returns the group as it is then.
    pub async fn change_directory_of_group(self, id: i64, link: Link) -> Result<Group, Error> {
        let missing = || Error::no_id("group", id);
        let transaction = self.begin(Begin::Change).await?;
        let Transaction { tx, now, .. } = &transaction;
        keep(tx, link).await?;
        let administrators = store::access::administrators::hold(tx, *now).await?;
        let old = store::groups::hold(tx, id).await?.ok_or_else(missing)?;
        let events = directory_links::put_group(tx, &old, link, *now, &self.caller.actor()).await?;
        keep_an_administrator(tx, administrators).await?;
        let group = store::groups::find(tx, id).await?.ok_or_else(missing)?;
        transaction.commit(events).await?;
        Ok(group)
    }
}

/// Refuses a directory that does not exist, and keeps it until the transaction ends.
async fn keep(tx: &Tx, link: Link) -> Result<(), Error> {
    if directories::keep(tx, link.directory_id()).await? {
        return Ok(());
    }
    Err(Error::invalid(
        "/query/directoryId",
        "The query parameter `directoryId` names a directory that does not exist.",
    ))
}
