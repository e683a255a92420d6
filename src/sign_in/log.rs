//! The log of sign-ins: attempts are noted in memory and written a moment later, so that no request waits for it.

use flagstone_domain::sign_in_log::Entry;
use flagstone_state::State;
use flagstone_store::{self as store, StoreError};

/// Notes how an attempt ended. It is written soon.
pub fn note(state: &State, entry: Entry) {
    state.sign_in_log.push(entry.bounded());
    let state = state.clone();
    tokio::spawn(async move {
        if let Err(error) = write(&state).await {
            tracing::warn!(target: "flagstone::sign_in::log", %error, "the log of sign-ins cannot be written");
        }
    });
}

/// Writes what has been noted, and how many more there were in minutes that are over.
pub async fn write(state: &State) -> Result<(), StoreError> {
    let _turn = state.sign_in_log.writing.lock().await;
    let entries = state.sign_in_log.take(state.clock.now());
    if entries.is_empty() {
        return Ok(());
    }
    let written = store_entries(state, entries.clone()).await;
    if written.is_err() {
        state.sign_in_log.take_back(entries);
    }
    written
}

async fn store_entries(state: &State, entries: Vec<Entry>) -> Result<(), StoreError> {
    let tx = state.db.begin().await?;
    store::sign_in::log::append(&tx, entries).await?;
    tx.commit_without_event(store::db::NoEvent::SignIn).await
}
