//! Signing in with a password.

use flagstone_domain::{
    identity::Refusal,
    network::ClientAddress,
    opaque_debug, password,
    sign_in_log::{Entry, Method, Outcome},
};
use flagstone_error::Error;
use flagstone_state::State;
use flagstone_store::{self as store, access::people::Account, db::NoEvent};

use crate::{
    browser::{BegunSession, Browser},
    log,
    second_factor::{self, Passed, Proof},
};

/// No user has this id.
const NOBODY: i64 = 0;

/// Credentials of a user who signs in. Printing them shows nothing.
pub struct Credentials {
    /// User name or email.
    pub username: String,
    /// Password.
    pub password: String,
    /// Proof of the second factor, if one was given.
    pub proof: Option<Proof>,
}

opaque_debug!(Credentials);

/// Begins a session of the user whose credentials these are, and notes in the log of sign-ins how that ended: 401 for
/// wrong ones, 429 after too many attempts with the name or from the address.
pub async fn sign_in(
    state: &State,
    credentials: Credentials,
    browser: &Browser<'_>,
    address: ClientAddress,
) -> Result<(Account, BegunSession), Error> {
    let Credentials { username, password, proof } = credentials;
    let counted = state.attempts.sign_in.count(&username, address)?;
    let account = match recognise(state, &username, password).await {
        Ok(account) => account,
        Err(error) => {
            if matches!(error, Error::PasswordMismatch) {
                // A name that no user has may be a password, typed into the wrong field.
                let is_known = store::access::people::find_account(&state.db, &username).await?.is_some();
                let named = is_known.then_some(username);
                note(state, browser, Outcome::Refused, Some("wrong-password"), None, named);
            }
            return Err(error);
        }
    };
    if account.deactivated_at.is_some() {
        let reason = Refusal::AccountInactive.code();
        note(state, browser, Outcome::Refused, Some(reason), Some(account.id), Some(username));
        return Err(Error::PasswordMismatch);
    }
    let proof = second_factor::count(state, account.id, proof).await?;
    let now = state.clock.now();
    let tx = state.db.begin().await?;
    // Meanwhile the password may have been changed or the user deactivated, which was to end every session.
    let held = store::users::hold(&tx, account.id).await?;
    let is_still = |held: &Account| held.password_hash == account.password_hash && held.deactivated_at.is_none();
    if !held.as_ref().is_some_and(is_still) {
        return Err(Error::PasswordMismatch);
    }
    let passed = match second_factor::pass(&tx, state, account.id, proof.as_ref(), now).await {
        Ok(passed) => passed,
        Err(error) => {
            drop(tx);
            if matches!(error, Error::SecondFactorRequired) {
                state.attempts.sign_in.give_back(counted);
            }
            let reason = second_factor::reason(&error);
            if reason.is_some() {
                note(state, browser, Outcome::Refused, reason, Some(account.id), Some(username));
            }
            return Err(error);
        }
    };
    let session = browser.begin_session(&tx, &state.config, account.id, Method::Simple, now).await?;
    tx.commit_without_event(NoEvent::SignIn).await?;
    state.attempts.sign_in.give_back(counted);
    state.attempts.sign_in.recognised(&account, address);
    second_factor::give_back(state, account.id, proof.as_ref());
    let reason = (passed == Passed::RecoveryCode).then_some(second_factor::RECOVERED);
    note(state, browser, Outcome::SignedIn, reason, Some(account.id), Some(username));
    Ok((account, session))
}

/// Notes in the log of sign-ins how an attempt with a password ended.
fn note(
    state: &State,
    browser: &Browser<'_>,
    outcome: Outcome,
    reason: Option<&str>,
    user_id: Option<i64>,
    username: Option<String>,
) {
    let entry = Entry {
        reason: reason.map(str::to_owned),
        user_id,
        subject: username,
        address: browser.client.address.clone(),
        ..Entry::new(state.clock.now(), Method::Simple, outcome)
    };
    log::note(state, entry);
}

/// Returns the user whose name and password these are.
///
/// The attempt is counted while the password is checked, and an unknown name has a count to raise as well, so that the
/// time of an answer does not distinguish known names from unknown ones; a good sign-in sets the count back.
async fn recognise(state: &State, username: &str, password: String) -> Result<Account, Error> {
    let account = store::access::people::find_account(&state.db, username).await?;
    let hash = account.as_ref().and_then(|account| account.password_hash.clone());
    let given = password.clone();
    let count = count_attempt(state, account.as_ref().map_or(NOBODY, |account| account.id));
    let (matches, counted) = tokio::join!(state.passwords.matches(password, hash), count);
    counted?;
    let account = account.filter(|_| matches.as_ref().is_ok_and(|matches| *matches));
    matches?;
    let account = account.ok_or(Error::PasswordMismatch)?;
    renew_hash(state, account, given).await
}

/// Puts one of our own hashes in the place of one that came from another server.
async fn renew_hash(state: &State, account: Account, password: String) -> Result<Account, Error> {
    let Some(foreign) = account.password_hash.clone().filter(|hash| password::is_foreign(hash)) else {
        return Ok(account);
    };
    let hash = state.passwords.hash(password.clone()).await?;
    let tx = state.db.begin().await?;
    let held = store::users::hold(&tx, account.id).await?.ok_or(Error::PasswordMismatch)?;
    // Meanwhile another sign-in may have done the same, or another password may have been set.
    if held.password_hash.as_deref() != Some(&foreign) {
        drop(tx);
        let matches = state.passwords.matches(password, held.password_hash.clone()).await?;
        return if matches { Ok(held) } else { Err(Error::PasswordMismatch) };
    }
    store::access::people::set_password_hash(&tx, account.id, Some(&hash)).await?;
    tx.commit_without_event(NoEvent::SignIn).await?;
    Ok(Account { password_hash: Some(hash), ..account })
}

async fn count_attempt(state: &State, user_id: i64) -> Result<(), Error> {
    let tx = state.db.begin().await?;
    store::access::people::count_failed_sign_in(&tx, user_id).await?;
    tx.commit_without_event(NoEvent::SignIn).await?;
    Ok(())
}
