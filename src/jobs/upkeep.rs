//! Small duties: writing down who was seen, and forgetting sessions that ended.

use crate::{
    api::state::State,
    presence::Sightings,
    store::{self, StoreError},
};

/// Writes when people and their tokens were last seen, as this node noted it.
pub async fn write_presence(state: &State) -> Result<(), StoreError> {
    // By id, as everybody does who writes several, so that no two wait for each other.
    let Sightings { people, tokens } = state.presence.take();
    if people.is_empty() {
        return Ok(());
    }
    let tx = state.db.begin().await?;
    store::people::mark_seen(&tx, &people).await?;
    store::personal_tokens::mark_seen(&tx, &tokens).await?;
    tx.commit(state.clock.now(), []).await
}

/// Forgets sessions that ended.
pub async fn remove_ended_sessions(state: &State) -> Result<(), StoreError> {
    let now = state.clock.now();
    let tx = state.db.begin().await?;
    store::sessions::remove_ended(&tx, now).await?;
    tx.commit(now, []).await
}
