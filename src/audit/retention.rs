//! Removing events that are older than they are kept: never silently, and never from a log that does not hold.

use flagstone_domain::event_chain::{Link, checkpoint::CheckpointKind};
use flagstone_state::State;
use flagstone_store::{
    StoreError,
    db::NoEvent,
    events::{chain, checkpoints, retention},
};

use crate::{Scope, Trust, checkpoint::sign, verify};

/// Target of lines in the log, by the part of the program: a crate is none to those who operate it.
const LOG: &str = "flagstone::audit::retention";

/// Removes events that are older than the retention. A checkpoint says where the log begins from then on, and has an
/// event.
pub async fn keep_retention(state: &State) -> Result<(), StoreError> {
    // What was begun is ended, whatever the setting says by now.
    remove(state).await?;
    let Some(days) = state.config.event_retention_days else { return Ok(()) };
    let Some(last) = last_to_go(state, days).await? else { return Ok(()) };
    let scope = Scope { up_to: last.event_id, ..Scope::default() };
    // Signatures of all keys count: after a change of keys the next beginning is signed with the new one.
    let verdict = verify(&state.db, &Trust::default(), &[], scope).await?;
    state.audit.note_held_back(verdict.fault.is_some());
    if let Some(fault) = verdict.fault {
        tracing::error!(target: LOG, %fault, "the log of events failed verification; no events are removed");
        return Ok(());
    }
    let now = state.clock.now();
    let tx = state.db.begin().await?;
    checkpoints::lock(&tx).await?;
    let begins = checkpoints::beginning(&tx).await?.map_or(0, |(link, _)| link.event_id);
    if begins >= last.event_id {
        return Ok(());
    }
    let made = sign(&tx, &state.vault, last, CheckpointKind::Beginning, now).await?;
    tx.commit(now, [made.event()]).await?;
    tracing::warn!(target: LOG, up_to = last.event_id, days, "removing events older than the retention period");
    remove(state).await
}

/// The newest event that is to go: one with a hash, and never the newest of all, whose id is the state of the log.
async fn last_to_go(state: &State, days: i64) -> Result<Option<Link>, StoreError> {
    let until = state.clock.now().plus_days(-days);
    let Some(old) = retention::newest_before(&state.db, until).await? else { return Ok(None) };
    let newest = chain::reach(&state.db).await?.newest;
    chain::place(&state.db, old.min(newest - 1)).await
}

/// Removes what lies before the beginning of the log, batch by batch.
async fn remove(state: &State) -> Result<(), StoreError> {
    let Some((beginning, _)) = checkpoints::beginning(&state.db).await? else { return Ok(()) };
    let mut removed = 0;
    while chain::reach(&state.db).await?.first <= beginning.event_id {
        let tx = state.db.begin().await?;
        let gone = retention::remove(&tx, beginning.event_id).await?;
        tx.commit_without_event(NoEvent::Upkeep).await?;
        removed += gone;
        if gone == 0 {
            break;
        }
    }
    if removed > 0 {
        tracing::warn!(target: LOG, removed, up_to = beginning.event_id, "events were removed");
        // Caches of their number are read again.
        state.db.note_change();
    }
    Ok(())
}
