//! Changes of passwords: of one's own, and by administrators those of users.

use flagstone_accounts as accounts;
use flagstone_domain::account_powers::Way;
use flagstone_error::Error;
use flagstone_store::{self as store, access::people::Account, db::NoEvent};

use crate::{Author, Begin, Transaction, users};

/// Days in which a link to set a password can be used.
const LINK_DAYS: i64 = 1;

impl Author<'_> {
    /// Replaces the password of a person, the author, by one with the hash `new`. The author has proved to know the one
    /// with the hash `proved`: 401 if another one was set meanwhile. Everything that they came in by ends, except the
    /// session with the digest `kept`.
    pub async fn change_own_password(
        self,
        person: i64,
        proved: Option<&str>,
        new: &str,
        kept: Option<&str>,
    ) -> Result<(), Error> {
        let transaction = self.begin(Begin::Change).await?;
        let account = store::users::hold(&transaction.tx, person).await?.ok_or(Error::Unauthenticated)?;
        if account.password_hash.as_deref() != proved {
            return Err(Error::PasswordMismatch);
        }
        replace(transaction, &account, new, kept, Way::Themself).await
    }

    /// Replaces the password of a user by one with the hash `new`. Everything that the user came in by ends.
    pub async fn change_user_password(self, user_id: i64, new: &str) -> Result<(), Error> {
        let transaction = self.begin(Begin::Change).await?;
        let account = users::hold(&transaction, Some(user_id)).await?;
        replace(transaction, &account, new, None, Way::Administrator).await
    }

    /// Creates a link with which a user sets a new password, in the place of earlier ones. Returns its secret, which is
    /// shown here and never again. Leaves no event.
    pub async fn create_password_link(self, user_id: i64) -> Result<String, Error> {
        let transaction = self.begin(Begin::Change).await?;
        let Transaction { tx, now, .. } = &transaction;
        let account = users::hold(&transaction, Some(user_id)).await?;
        let actor = self.caller.actor();
        let secret = accounts::make_password_link(tx, account.id, LINK_DAYS, *now, &actor).await?;
        transaction.tx.commit_without_event(NoEvent::SignIn).await?;
        Ok(secret)
    }
}

async fn replace(
    transaction: Transaction<'_>,
    account: &Account,
    new: &str,
    kept: Option<&str>,
    way: Way,
) -> Result<(), Error> {
    let actor = transaction.author.caller.actor();
    let events = accounts::replace_password(&transaction.tx, account, new, kept, way, &actor).await?;
    transaction.commit(events).await
}
