//! Changing a setting that holds no secret.

use crate::{
    api::{caller::Caller, state::State},
    domain::preference::Preference,
    error::Error,
    store,
};

/// The setting in force.
pub async fn get<T: Preference>(state: &State) -> Result<T, Error> {
    Ok(store::preferences::find(&state.db, T::ID).await?.unwrap_or_default())
}

/// Puts a setting in the place of the one in force.
pub async fn replace<T: Preference>(state: &State, caller: &Caller, wanted: &T) -> Result<(), Error> {
    let now = state.clock.now();
    let tx = state.db.begin().await?;
    let before: Option<T> = store::preferences::hold(&tx, T::ID).await?;
    if let Some(event) = wanted.changed(before.as_ref(), &caller.actor()) {
        store::preferences::put(&tx, T::ID, wanted, now).await?;
        tx.commit(now, [event]).await?;
    }
    Ok(())
}
