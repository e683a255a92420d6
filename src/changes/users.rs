//! Changes of users by administrators.

use flagstone_accounts::{self as accounts, AccountError, UserChange, UserData};
use flagstone_domain::{account_powers::Way, change_summary::ChangesBody, time::Timestamp};
use flagstone_error::Error;
use flagstone_store::{
    self as store,
    access::people::{Account, NewUser},
};

use crate::{Author, Begin, Transaction, if_match::IfMatch, root_role::RootRole};

/// Days in which an invited user can set their first password.
const INVITATION_DAYS: i64 = 7;
/// Days without a sign of life after which a user counts as inactive.
const INACTIVE_DAYS: i64 = 180;

impl Author<'_> {
    /// Creates a user. Returns the user and, unless they have a password, the secret of a link to set one, which is
    /// shown here and never again.
    pub async fn create_user(self, new: NewUser) -> Result<(Account, Option<String>), Error> {
        let transaction = self.begin(Begin::Change).await?;
        let Transaction { tx, now, .. } = &transaction;
        let (actor, has_password) = (self.caller.actor(), new.password_hash.is_some());
        let made = accounts::insert_user(tx, new, Way::Administrator, *now, &actor).await;
        let (id, event) = made.map_err(refusal)?;
        let secret = if has_password {
            None
        } else {
            Some(accounts::make_password_link(tx, id, INVITATION_DAYS, *now, &actor).await?)
        };
        let account = store::users::find(tx, id).await?;
        let account = account.ok_or_else(|| Error::internal("the new user is missing"))?;
        transaction.commit([event]).await?;
        Ok((account, secret))
    }

    /// Changes a user, and their root role if one is given. Returns the user as they are then.
    pub async fn update_user(
        self,
        id: Option<i64>,
        if_match: &IfMatch,
        change: UserChange,
        root_role: Option<RootRole<'_>>,
    ) -> Result<Account, Error> {
        let transaction = self.begin(Begin::Change).await?;
        let Transaction { tx, now, .. } = &transaction;
        let account = hold_if_match(&transaction, id, if_match).await?;
        let root_role_id = match root_role {
            Some(role) => Some(role.find(tx).await?),
            None => None,
        };
        let change = UserChange { root_role_id, ..change };
        let actor = self.caller.actor();
        let changed = accounts::change_user(tx, &account, change, Way::Administrator, *now, &actor).await;
        let (account, event) = changed.map_err(refusal)?;
        transaction.commit(event).await?;
        Ok(account)
    }

    /// Deletes a user.
    pub async fn delete_user(self, id: Option<i64>, if_match: &IfMatch) -> Result<(), Error> {
        let transaction = self.begin(Begin::Change).await?;
        let account = hold_if_match(&transaction, id, if_match).await?;
        let (tx, now, actor) = (&transaction.tx, transaction.now, self.caller.actor());
        let events = accounts::delete_users(tx, &[account], Way::Administrator, now, &actor).await?;
        transaction.commit(events).await
    }

    /// Deletes those of the users with these ids who are inactive, except the author. With `dry_run` everything stays
    /// as it is.
    pub async fn delete_inactive_users(self, mut ids: Vec<i64>, dry_run: bool) -> Result<ChangesBody, Error> {
        ids.retain(|id| self.caller.user_id() != Some(*id));
        let transaction = self.begin(Begin::Change).await?;
        let Transaction { tx, now, .. } = &transaction;
        let accounts = store::users::hold_inactive(tx, &ids, inactive_since(*now)).await?;
        let actor = self.caller.actor();
        let events = accounts::delete_users(tx, &accounts, Way::Administrator, *now, &actor).await?;
        transaction.commit_or_preview(events, dry_run).await
    }
}

/// Returns the time since which inactive users have not been seen.
pub fn inactive_since(now: Timestamp) -> Timestamp {
    now.plus_days(-INACTIVE_DAYS)
}

/// Locks a user: 404 when there is none, and for a text that is no id.
pub async fn hold(transaction: &Transaction<'_>, id: Option<i64>) -> Result<Account, Error> {
    let account = store::users::hold(&transaction.tx, id.unwrap_or_default()).await?;
    account.ok_or_else(|| missing(id))
}

/// Locks a user, whom the change is meant for as they are now.
async fn hold_if_match(transaction: &Transaction<'_>, id: Option<i64>, if_match: &IfMatch) -> Result<Account, Error> {
    let account = hold(transaction, id).await?;
    if_match.check(UserData::of(&account).version())?;
    Ok(account)
}

/// Error for a user who does not exist, without an id for a text that is none.
pub fn missing(id: Option<i64>) -> Error {
    match id {
        Some(id) => Error::no_id("user", id),
        None => Error::NotFound("There is no user with this id.".to_owned()),
    }
}

/// A taken name is a property that cannot have this value, also when it was taken a moment ago.
fn refusal(error: AccountError) -> Error {
    match error {
        AccountError::Taken => Error::invalid("/body", "/body: somebody has this username or email already."),
        error => error.into(),
    }
}
