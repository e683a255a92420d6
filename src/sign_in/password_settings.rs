//! Changes of whether people may sign in with a password.

use flagstone_accounts::administrators::keep_a_way_in;
use flagstone_domain::{preference::Preference as _, secret, sign_in::PasswordSignIn};
use flagstone_error::Error;
use flagstone_state::State;
use flagstone_store as store;

use crate::{
    author::Author,
    in_force,
    lock_out::{self, Wanted},
};

/// Refuses an author who did not sign in through a login provider under the settings in force: they could not sign in
/// again without a password. `session` is the secret of their session, if they have one.
pub async fn require_provider(state: &State, session: Option<&str>) -> Result<(), Error> {
    let rule = "Sign in through a login provider first, under its present settings: the administrator who switches passwords \
        off must be able to sign in without one.";
    let Some(session) = session else { return Err(Error::forbidden(rule)) };
    let came_through = store::sign_in::sessions::find(&state.db, &secret::digest(session)).await?;
    let Some(came_through) = came_through else { return Err(Error::forbidden(rule)) };
    let in_force = in_force::find_digest(state, &came_through.provider).await?;
    if in_force == Some(came_through.settings_hash) { Ok(()) } else { Err(Error::forbidden(rule)) }
}

/// Switches sign-in with a password on or off, unless that leaves the instance without a way in. The current setting
/// leaves no event.
pub async fn replace(state: &State, author: &Author, wanted: PasswordSignIn) -> Result<(), Error> {
    let now = state.clock.now();
    let tx = state.db.begin().await?;
    let administrators = store::access::administrators::hold(&tx, now).await?;
    let before: Option<PasswordSignIn> = store::preferences::hold(&tx, PasswordSignIn::ID).await?;
    let event = wanted.changed(before.as_ref(), &PasswordSignIn::default(), &author.actor);
    let Some(event) = event else { return Ok(()) };
    lock_out::judge(state, &tx, author.user_id, &Wanted { passwords: Some(wanted), ..Wanted::default() }).await?;
    store::preferences::put(&tx, PasswordSignIn::ID, &wanted, now).await?;
    keep_a_way_in(&tx, administrators).await?;
    tx.commit(now, [event]).await?;
    if wanted.disabled {
        lock_out::tell_way_back();
    }
    Ok(())
}
