//! Changes of users by a directory.

use flagstone_accounts::{AccountError, kept_users, newcomer_role::NewcomerRole};
use flagstone_domain::scim::{directory::DirectoryRef, person::UserDraft};
use flagstone_error::Error;
use flagstone_store::{self as store, access::people::Account, db::Tx};

use super::{DirectoryAuthor, missing};
use crate::if_match::IfMatch;

impl DirectoryAuthor<'_> {
    /// Creates a user, or brings back the one whom the directory deleted and who is the same there.
    pub async fn create_user(self, draft: UserDraft, role: NewcomerRole) -> Result<Account, Error> {
        let (tx, now) = self.begin().await?;
        let root_role_id = role.find(&tx).await?;
        let created = kept_users::create(&tx, self.directory, draft, root_role_id, now).await;
        let (account, event) = created.map_err(refusal)?;
        tx.commit(now, [event]).await?;
        Ok(account)
    }

    /// Updates a user to what `edit` returns. Returns the user as they are then.
    pub async fn update_user(
        self,
        id: &str,
        if_match: &IfMatch,
        edit: impl FnOnce(&Account) -> Result<UserDraft, Error> + Send,
    ) -> Result<Account, Error> {
        let (tx, now) = self.begin().await?;
        let before = self.hold_user(&tx, id, if_match).await?;
        let updated = kept_users::update(&tx, self.directory, &before, edit(&before)?, now).await;
        let (account, event) = updated.map_err(refusal)?;
        tx.commit(now, event).await?;
        Ok(account)
    }

    /// Deletes a user.
    pub async fn delete_user(self, id: &str, if_match: &IfMatch) -> Result<(), Error> {
        let (tx, now) = self.begin().await?;
        let account = self.hold_user(&tx, id, if_match).await?;
        let events = kept_users::delete(&tx, self.directory, account, now).await.map_err(refusal)?;
        Ok(tx.commit(now, events).await?)
    }

    /// Locks a user, whom the change is meant for as they are now.
    async fn hold_user(self, tx: &Tx, id: &str, if_match: &IfMatch) -> Result<Account, Error> {
        let account = own(store::users::hold(tx, store::scim::id_of(id)).await?, self.directory, id)?;
        if if_match.is_given() {
            let groups = store::scim::groups_of(tx, self.directory.id(), &[account.id]).await?.remove(&account.id);
            if_match.check(self.versions.of_user(&account, groups))?;
        }
        Ok(account)
    }
}

/// Returns a user who is the directory's, or may become so: 404 without one. Those of another directory do not exist
/// for it.
pub fn own(account: Option<Account>, directory: &DirectoryRef, id: &str) -> Result<Account, Error> {
    let account = account.filter(|account| account.directory_id == directory.id());
    account.ok_or_else(|| missing("user", id))
}

/// A taken name is a conflict here, and so is the last administrator.
fn refusal(error: AccountError) -> Error {
    let message = error.to_string();
    match error {
        AccountError::NameTaken(_) | AccountError::Taken => Error::Conflict(message),
        AccountError::LastAdministrator => Error::InUse { name: "LastAdministratorError", message },
        error => error.into(),
    }
}
