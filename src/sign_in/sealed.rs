//! Values that are stored or sent encrypted and read again.

use flagstone_domain::time::Timestamp;
use flagstone_error::Error;
use flagstone_state::State;
use flagstone_store::{self as store, db::Tx};
use flagstone_vault::{Key, Vault};
use serde::{Serialize, de::DeserializeOwned};

/// The key that all nodes have at the moment.
pub async fn key(state: &State) -> Result<&Key, Error> {
    Ok(store::settings::key_for_now(&state.db, &state.vault).await?)
}

/// Returns the key for values that last: 500 where this server does not have the one of the database.
pub async fn lasting_key<'a>(tx: &Tx, vault: &'a Vault, now: Timestamp) -> Result<&'a Key, Error> {
    let key = store::settings::key_in_force(tx, vault, now).await?;
    key.ok_or_else(|| Error::internal("the database is sealed with a key that this server does not have"))
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
