//! Values that are stored or sent encrypted and read again.

use serde::{Serialize, de::DeserializeOwned};

use crate::{
    error::Error,
    state::State,
    store,
    vault::{Key, Vault},
};

/// The key that all nodes have at the moment.
pub async fn key(state: &State) -> Result<&Key, Error> {
    Ok(store::settings::key_for_now(&state.db, &state.vault).await?)
}

/// Seals a value for the place that `id` names.
pub fn seal<T: Serialize>(key: &Key, id: &str, value: &T) -> Result<String, Error> {
    Ok(key.seal(id, &serde_json::to_vec(value).map_err(Error::internal)?))
}

/// The value that was sealed for a place; nothing if it does not open, or is of another version.
pub fn open<T: DeserializeOwned>(vault: &Vault, id: &str, sealed: &str) -> Option<T> {
    let (plain, _) = vault.open(id, sealed).ok()?;
    serde_json::from_slice(&plain).ok()
}
