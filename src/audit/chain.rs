//! Giving events their hashes.

use flagstone_domain::event_chain::Link;
use flagstone_state::State;
use flagstone_store::{
    StoreError,
    db::{Db, NoEvent},
    events::chain,
};

/// Events that get their hashes in one transaction.
const BATCH: u64 = 1000;
/// Transactions of one look, so that other work of the node gets its turn.
const ROUNDS: usize = 10;

/// Gives hashes to events that have none, as many as one look takes.
pub async fn extend(state: &State) -> Result<(), StoreError> {
    let generation = state.db.generation();
    if state.audit.is_complete_at(generation) {
        return Ok(());
    }
    for _ in 0..ROUNDS {
        if !extend_once(&state.db).await? {
            state.audit.note_complete_at(generation);
            break;
        }
    }
    Ok(())
}

/// Gives hashes to the next events. Returns whether there may be more.
async fn extend_once(db: &Db) -> Result<bool, StoreError> {
    let from = chain::head(db).await?;
    let page = chain::page(db, from.event_id, i64::MAX, BATCH).await?;
    if page.events.is_empty() {
        return Ok(false);
    }
    let (mut text, mut hash) = (Vec::new(), from.hash);
    let links: Vec<Link> = page
        .events
        .iter()
        .map(|event| {
            hash = event.hash(hash, &mut text);
            Link { event_id: event.id, hash }
        })
        .collect();
    let tx = db.begin().await?;
    // Otherwise another node was quicker, and goes on.
    if chain::append(&tx, from, &links).await? {
        tx.commit_without_event(NoEvent::Upkeep).await?;
    }
    Ok(page.events.len() as u64 == BATCH)
}
