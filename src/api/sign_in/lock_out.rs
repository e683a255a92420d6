//! That nobody is locked out: changes after which nobody could sign in and administer the instance are refused.

use crate::{
    api::caller::Caller,
    domain::{
        preference::Preference as _,
        settings::ProviderSettings,
        sign_in::{EnabledProviders, PasswordSignIn},
    },
    error::Error,
    sign_in::in_force,
    state::State,
    store::{self, access::administrators::Administrators, db::Tx},
};

/// Refuses a change that took the last of those who could sign in and administer the instance.
pub async fn keep_an_administrator(tx: &Tx, before: Administrators) -> Result<(), Error> {
    if store::access::administrators::are_gone(tx, before).await? {
        return Err(Error::forbidden(
            "This would leave nobody who can sign in and administer the instance; make somebody Admin who can still sign \
             in, or give an administrator a personal token.",
        ));
    }
    Ok(())
}

/// Refuses to disable or change the only login provider while nobody can sign in with a password, unless the caller has
/// signed in by these very settings in a trial.
pub async fn judge_provider<T: ProviderSettings>(
    state: &State,
    tx: &Tx,
    caller: &Caller,
    wanted: &T,
) -> Result<(), Error> {
    let stored: EnabledProviders = store::preferences::find(tx, EnabledProviders::ID).await?.unwrap_or_default();
    let enabled = state.config.providers.enabled(stored);
    let passwords: PasswordSignIn = store::preferences::find(tx, PasswordSignIn::ID).await?.unwrap_or_default();
    if !passwords.is_off(enabled) || enabled.with(T::PROVIDER, false).any() {
        return Ok(());
    }
    if !wanted.are_on() {
        return Err(Error::forbidden(
            "Nobody can sign in with a password, and this is the only login provider; switch passwords on first.",
        ));
    }
    let digest = in_force::digest(wanted)?;
    let tried = match caller.user_id() {
        Some(user_id) => crate::sign_in::trial::let_in(state, &digest, user_id).await?,
        None => false,
    };
    if tried {
        return Ok(());
    }
    Err(Error::forbidden(
        "Nobody can sign in with a password, and this is the only login provider: try these very settings out and sign in \
         by them first, or switch passwords on.",
    ))
}
