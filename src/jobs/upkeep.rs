//! Small duties: writing down who was seen, and forgetting sessions that ended.

use crate::{
    api::state::State,
    store::{self, StoreError},
};

/// Writes when people were last seen, as this node noted it.
pub async fn write_presence(state: &State) -> Result<(), StoreError> {
    let mut sightings = state.presence.take();
    if sightings.is_empty() {
        return Ok(());
    }
    // Everybody who writes several users does so by id, so that no two wait for each other.
    sightings.sort_unstable();
    let tx = state.db.begin().await?;
    store::people::mark_seen(&tx, &sightings).await?;
    tx.commit(state.clock.now(), []).await
}

/// Forgets sessions that ended.
pub async fn remove_ended_sessions(state: &State) -> Result<(), StoreError> {
    let now = state.clock.now();
    let tx = state.db.begin().await?;
    store::sessions::remove_ended(&tx, now).await?;
    tx.commit(now, []).await
}
