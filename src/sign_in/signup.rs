//! Users who sign up with a link.

use flagstone_accounts::{self as accounts, AccountError};
use flagstone_domain::{account_powers::Way, actor::Actor, event::NewEvent, event_kind::EventKind, secret};
use flagstone_error::Error;
use flagstone_state::State;
use flagstone_store::{
    self as store,
    access::people::{Account, NewUser},
    users::signup_links,
};
use serde_json::json;

use crate::author::themself;

/// Returns the id of the sign-up link with this secret: 400 unless it admits users.
pub async fn find_link(state: &State, secret: &str) -> Result<i64, Error> {
    let id = signup_links::find_id(&state.db, &secret::digest(secret)).await?.ok_or_else(closed)?;
    let link = signup_links::find(&state.db, id).await?.map(|(link, _)| link);
    link.filter(|link| link.admits(state.clock.now())).map(|link| link.id).ok_or_else(closed)
}

/// Creates a user with a password, who signs up with a link. 400 for a link that admits no users any more, or not this
/// email, and 409 when one of the names is taken.
pub async fn sign_up(state: &State, link_id: i64, new: NewUser, password: String) -> Result<Account, Error> {
    let new = NewUser { password_hash: Some(state.passwords.hash(password).await?), ..new };
    let now = state.clock.now();
    let tx = state.db.begin().await?;
    let link = signup_links::hold(&tx, link_id).await?.filter(|link| link.admits(now)).ok_or_else(closed)?;
    if !new.email.as_deref().is_some_and(|email| link.is_for(email)) {
        return Err(Error::property("/body/email", "must be the email that the link was sent to"));
    }
    // No user is signed in: the events are in the name of the new user, as soon as there is one.
    let made = accounts::insert_user(&tx, new, Way::Invitation, now, &Actor::system()).await;
    let (id, mut created) = made.map_err(refusal)?;
    signup_links::add_user(&tx, link.id, id).await?;
    let account = store::users::find(&tx, id).await?;
    let account = account.ok_or_else(|| Error::internal("the new user is missing"))?;
    created.actor = themself(&account);
    let joined = NewEvent::new(EventKind::PublicSignupTokenUserAdded, &created.actor);
    let joined = joined.with_data(&json!({ "id": link.id, "name": link.name, "userId": id }));
    tx.commit(now, [created, joined]).await?;
    Ok(account)
}

fn closed() -> Error {
    Error::invalid("/path/token", "The link of /path/token does not let anybody in any more; ask for another one.")
}

fn refusal(error: AccountError) -> Error {
    match error {
        AccountError::NameTaken(_) => Error::Conflict(error.to_string()),
        error => error.into(),
    }
}
