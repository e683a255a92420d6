//! Changes of service accounts.

use flagstone_accounts::{self as accounts, AccountError, UserChange};
use flagstone_domain::{account_powers::Way, token::PersonalToken, user::AccountKind};
use flagstone_error::Error;
use flagstone_store::{
    self as store,
    access::people::{Account, NewUser},
};

use crate::{Author, Begin, Transaction, root_role::RootRole};

impl Author<'_> {
    /// Creates a service account: 409 when its user name is taken.
    pub async fn create_service_account(
        self,
        name: String,
        username: String,
        root_role: RootRole<'_>,
    ) -> Result<Account, Error> {
        let transaction = self.begin(Begin::Change).await?;
        let Transaction { tx, now, .. } = &transaction;
        let new = NewUser {
            username: Some(username),
            name: Some(name),
            root_role_id: root_role.find(tx).await?,
            kind: AccountKind::ServiceAccount,
            ..NewUser::default()
        };
        let made = accounts::insert_user(tx, new, Way::Administrator, *now, &self.caller.actor()).await;
        let (id, event) = made.map_err(name_refusal)?;
        let account = store::service_accounts::find(tx, id).await?;
        let account = account.ok_or_else(|| Error::internal("the new service account is missing"))?;
        transaction.commit([event]).await?;
        Ok(account)
    }

    /// Changes the name or the root role of a service account; what is `None` stays. Returns it with its tokens.
    pub async fn update_service_account(
        self,
        id: i64,
        name: Option<String>,
        root_role: Option<RootRole<'_>>,
    ) -> Result<(Account, Vec<PersonalToken>), Error> {
        let transaction = self.begin(Begin::Change).await?;
        let Transaction { tx, now, .. } = &transaction;
        let account = hold(&transaction, id).await?;
        let root_role_id = match root_role {
            Some(role) => Some(role.find(tx).await?),
            None => None,
        };
        let change = UserChange { name, root_role_id, ..UserChange::default() };
        let actor = self.caller.actor();
        let changed = accounts::change_user(tx, &account, change, Way::Administrator, *now, &actor).await;
        let (account, event) = changed.map_err(name_refusal)?;
        let tokens = store::tokens::personal::list(tx, account.id).await?;
        transaction.commit(event).await?;
        Ok((account, tokens))
    }

    /// Deletes a service account with its tokens, roles and memberships.
    pub async fn delete_service_account(self, id: i64) -> Result<(), Error> {
        let transaction = self.begin(Begin::Change).await?;
        let Transaction { tx, now, .. } = &transaction;
        let account = hold(&transaction, id).await?;
        let actor = self.caller.actor();
        let events = accounts::delete_users(tx, &[account], Way::Administrator, *now, &actor).await?;
        transaction.commit(events).await
    }
}

/// Locks a service account: 404 when there is none.
pub async fn hold(transaction: &Transaction<'_>, id: i64) -> Result<Account, Error> {
    let account = store::service_accounts::hold(&transaction.tx, id).await?;
    account.ok_or_else(|| Error::no_id("service account", id))
}

/// Error for a taken user name: a conflict, not a property that can have no such value.
fn name_refusal(error: AccountError) -> Error {
    match error {
        AccountError::NameTaken(_) | AccountError::Taken => {
            Error::Conflict("/body/username: a user or a service account with this username exists already.".to_owned())
        }
        error => error.into(),
    }
}
