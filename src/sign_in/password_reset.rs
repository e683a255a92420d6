//! Passwords that users set by a link, without being signed in.

use flagstone_accounts as accounts;
use flagstone_domain::{account_powers::Way, secret};
use flagstone_error::Error;
use flagstone_state::State;
use flagstone_store::{self as store, access::people::Account, users::password_resets};

use crate::author::themself;

/// Sets the password of the user whom a link with this secret is for, uses the link up, and ends the sessions and
/// personal tokens of the user. 401 for a link that is unknown, used or too old. Returns the user.
pub async fn set_password(state: &State, token: &str, password: String) -> Result<Account, Error> {
    let digest = secret::digest(token);
    let now = state.clock.now();
    let owner = password_resets::find(&state.db, &digest, now).await?.ok_or(Error::DeadLink)?.account;
    let hash = state.passwords.hash(password).await?;
    let tx = state.db.begin().await?;
    let account = store::users::hold(&tx, owner.id).await?.ok_or(Error::DeadLink)?;
    if !password_resets::take(&tx, &digest, now).await? {
        return Err(Error::DeadLink);
    }
    let actor = themself(&account);
    let events = accounts::replace_password(&tx, &account, &hash, None, Way::Invitation, &actor).await?;
    tx.commit(now, events).await?;
    Ok(account)
}
