//! Links for signing in once, made by the operator on the machine when all other ways fail.

use flagstone_accounts::{self as accounts, AccountError};
use flagstone_domain::{
    secret,
    sign_in_log::{Entry, Method, Outcome},
    time::Timestamp,
};
use flagstone_error::Error;
use flagstone_state::State;
use flagstone_store::{
    self as store,
    access::people::Account,
    db::{Db, NoEvent},
};
use flagstone_vault::Vault;
use serde::{Deserialize, Serialize};

use crate::{
    browser::{BegunSession, Browser},
    sealed,
};

/// Lifetime of a link.
const LASTS_MS: i64 = 10 * 60_000;
/// Links are sealed for this place.
const PLACE: &str = "sign-in-link";
/// Prefix of their tickets, which keeps them apart from tickets of other kinds.
const PREFIX: &str = "link:";

#[derive(Serialize, Deserialize)]
struct Link {
    user_id: i64,
}

/// Makes a link for the user with this user name or email, and returns its secret. Every link that is made is logged.
pub async fn make(db: &Db, vault: &Vault, login: &str, now: Timestamp) -> Result<String, AccountError> {
    let key = store::settings::key_for_now(db, vault).await?;
    let tx = db.begin().await?;
    let account = accounts::named(&tx, login).await?;
    if account.deactivated_at.is_some() {
        return Err(AccountError::Name("This user is deactivated, and would not get in by a link."));
    }
    let token = secret::random_part();
    let sealed = sealed::seal(key, PLACE, &Link { user_id: account.id })?;
    let entry = Entry {
        user_id: Some(account.id),
        subject: Some(login.to_owned()),
        ..Entry::new(now, Method::Link, Outcome::LinkMade)
    };
    let expires_at = now.plus_millis(LASTS_MS);
    store::sign_in::sealed::insert_ticket(&tx, &format!("{PREFIX}{token}"), &sealed, expires_at).await?;
    store::sign_in::log::append(&tx, vec![entry.bounded()]).await?;
    tx.commit_without_event(NoEvent::SignIn).await?;
    Ok(token)
}

/// Uses a link up, and returns its user with the session that begins; `None` for a link that is unknown, used or too
/// old. The browser's earlier session ends.
pub async fn follow(
    state: &State,
    token: &str,
    browser: &Browser<'_>,
) -> Result<Option<(Account, BegunSession)>, Error> {
    let now = state.clock.now();
    let tx = state.db.begin().await?;
    let sealed = store::sign_in::sealed::take_ticket(&tx, &format!("{PREFIX}{token}"), now).await?;
    let link: Option<Link> = sealed.and_then(|sealed| sealed::open(&state.vault, PLACE, &sealed));
    let account = match link {
        Some(link) => store::users::hold(&tx, link.user_id).await?,
        None => None,
    };
    let Some(account) = account.filter(|account| account.deactivated_at.is_none()) else {
        tx.commit_without_event(NoEvent::SignIn).await?;
        return Ok(None);
    };
    let session = browser.begin_session(&tx, &state.config, account.id, Method::Link, now).await?;
    tx.commit_without_event(NoEvent::SignIn).await?;
    Ok(Some((account, session)))
}
