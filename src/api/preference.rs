//! Changing a setting that holds no secret.

use std::sync::Arc;

use crate::{
    access::Caller,
    api::author::author,
    changes::if_match::IfMatch,
    domain::preference::{Frontend, Preference},
    error::Error,
    state::{Serving, State},
    store,
};

/// The setting in force.
pub async fn get<T: Preference>(state: &State) -> Result<T, Error> {
    Ok(store::preferences::find(&state.db, T::ID).await?.unwrap_or_default())
}

/// Returns the CORS settings of the frontend API, from memory: those of an administrator, or else those of the
/// operator.
pub async fn frontend(serving: &Serving) -> Result<Arc<Frontend>, Error> {
    let settings = serving.source.frontend_settings().await?;
    Ok(settings.unwrap_or_else(|| Arc::clone(&serving.config.frontend)))
}

/// Replaces the setting in force, which is `unset` when it was never made.
pub async fn replace<T: Preference>(state: &State, caller: &Caller, wanted: &T, unset: &T) -> Result<(), Error> {
    author(caller, state).replace_preference(&IfMatch::default(), wanted, unset).await
}
