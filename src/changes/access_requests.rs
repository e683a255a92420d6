//! Decisions of administrators about requests for access.

use flagstone_accounts::{self as accounts, AccountError};
use flagstone_domain::{
    access_request::{AccessRequest, DAYS, Step},
    account_powers::{self, Power, Standing, Way},
    time::Timestamp,
};
use flagstone_error::Error;
use flagstone_store::{
    self as store,
    access::people::{Account, NewUser},
    db::Tx,
    sign_in::{
        access_requests::{self, subject_of},
        identities::{self, NewIdentity},
    },
};

use crate::{Author, Begin, Transaction, root_role::RootRole};

impl Author<'_> {
    /// Creates the user who requests access, with a root role, and links the identity: 409 when the email or the identity
    /// is that of a user by now.
    pub async fn approve_access_request(self, id: i64, role: RootRole<'_>) -> Result<Account, Error> {
        let transaction = self.begin(Begin::Change).await?;
        let Transaction { tx, now, .. } = &transaction;
        let request = hold(tx, id, *now).await?;
        let root_role_id = role.find(tx).await?;
        let (subject, actor) = (subject_of(&request), self.caller.actor());
        let known = identities::find(tx, &subject, &request.email, *now).await?;
        if known.owner.is_some() {
            return Err(identity_taken());
        }
        if known.by_email.is_some() {
            return Err(email_taken());
        }
        let new = NewUser {
            email: Some(request.email.clone()),
            name: request.name.clone(),
            root_role_id,
            ..NewUser::default()
        };
        let inserted = accounts::insert_user(tx, new, Way::Administrator, *now, &actor).await;
        let (user_id, created) = inserted.map_err(refusal)?;
        account_powers::judge(Way::Administrator, Power::Link, Standing::default()).map_err(AccountError::from)?;
        let identity = NewIdentity {
            subject: &subject,
            email: Some(&request.email),
            proves_owner: request.proves_owner,
            settings: None,
        };
        let linked = identities::insert(tx, identity, user_id, *now).await;
        linked.map_err(|error| if error.is_duplicate() { identity_taken() } else { error.into() })?;
        access_requests::remove_of(tx, &subject).await?;
        let account = store::users::find(tx, user_id).await?;
        let account = account.ok_or_else(|| Error::internal("the new user is missing"))?;
        let approved = request.event(Step::Approved { user_id, root_role_id }, &actor);
        transaction.commit([created, approved]).await?;
        Ok(account)
    }

    /// Rejects a request. Its identity is refused without another one until the row ends.
    pub async fn reject_access_request(self, id: i64) -> Result<(), Error> {
        let transaction = self.begin(Begin::Change).await?;
        let Transaction { tx, now, .. } = &transaction;
        let request = hold(tx, id, *now).await?;
        let rejected = AccessRequest { rejected_at: Some(*now), ends_at: now.plus_days(DAYS), ..request };
        access_requests::save(tx, &rejected).await?;
        let event = rejected.event(Step::Rejected, &self.caller.actor());
        transaction.commit([event]).await
    }
}

async fn hold(tx: &Tx, id: i64, now: Timestamp) -> Result<AccessRequest, Error> {
    access_requests::hold(tx, id, now).await?.ok_or_else(|| Error::no_id("access request", id))
}

fn identity_taken() -> Error {
    Error::InUse {
        name: "IdentityTakenError",
        message: "This identity is that of a user already: reject the request.".to_owned(),
    }
}

fn email_taken() -> Error {
    Error::Conflict(
        "There is a user with the email of this request already: link the identity to that user (linkUserIdentity), or \
         reject the request."
            .to_owned(),
    )
}

/// An email that is taken is a matter of the request, and not of the body.
fn refusal(error: AccountError) -> Error {
    match error {
        AccountError::NameTaken(_) | AccountError::Taken => email_taken(),
        error => error.into(),
    }
}
