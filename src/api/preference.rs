//! Changing a setting that holds no secret.

use std::sync::Arc;

use crate::{
    access::Caller,
    domain::preference::{Frontend, Preference},
    error::Error,
    state::{Serving, State},
    store,
};

/// The setting in force.
pub async fn get<T: Preference>(state: &State) -> Result<T, Error> {
    Ok(store::preferences::find(&state.db, T::ID).await?.unwrap_or_default())
}

/// How browsers may use the frontend API, from memory: as an administrator said, or else as the operator did.
pub async fn frontend(serving: &Serving) -> Result<Arc<Frontend>, Error> {
    let settings = serving.source.frontend_settings().await?;
    Ok(settings.unwrap_or_else(|| Arc::clone(&serving.config.frontend)))
}

/// Replaces the setting in force, which is `unset` when it was never made.
pub async fn replace<T: Preference>(state: &State, caller: &Caller, wanted: &T, unset: &T) -> Result<(), Error> {
    let now = state.clock.now();
    let tx = state.db.begin().await?;
    let before: Option<T> = store::preferences::hold(&tx, T::ID).await?;
    if let Some(event) = wanted.changed(before.as_ref(), unset, &caller.actor()) {
        store::preferences::put(&tx, T::ID, wanted, now).await?;
        tx.commit(now, [event]).await?;
    }
    Ok(())
}
