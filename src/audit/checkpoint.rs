//! Signing where the log is.

use flagstone_domain::{
    event_chain::{
        Link,
        checkpoint::{Checkpoint, CheckpointKind, Statement},
    },
    stored_event::StoredEvent,
    time::Timestamp,
};
use flagstone_state::State;
use flagstone_store::{
    self as store, StoreError,
    db::Tx,
    events::{chain, checkpoints},
};
use flagstone_vault::Vault;

/// Name of the job that makes checkpoints.
pub const CHECKPOINT_JOB: &str = "event-checkpoint";
/// Most events that may be about checkpoints alone, of which several can be made after one event.
const TELLING: u64 = 8;

/// Makes a checkpoint, if something happened since the last one. The first is made a period after the first look: what
/// an upgrade or a move brought has its hashes by then.
pub async fn make_checkpoint(state: &State) -> Result<(), StoreError> {
    if store::jobs::last_finished(&state.db, CHECKPOINT_JOB).await?.is_some() {
        make_checkpoint_now(state).await?;
    }
    Ok(())
}

/// Makes a checkpoint, if something happened since the last one.
pub async fn make_checkpoint_now(state: &State) -> Result<Option<Checkpoint>, StoreError> {
    let tx = state.db.begin().await?;
    checkpoints::lock(&tx).await?;
    let head = chain::head(&tx).await?;
    let last = checkpoints::newest(&tx).await?.map_or(0, |last| last.event_id);
    let since = chain::page(&tx, last, head.event_id, TELLING).await?.events;
    if since.iter().all(StoredEvent::tells_of_checkpoint) && (since.len() as u64) < TELLING {
        return Ok(None);
    }
    let now = state.clock.now();
    let made = sign(&tx, &state.vault, head, CheckpointKind::Checkpoint, now).await?;
    tx.commit(now, [made.event()]).await?;
    Ok(Some(made))
}

/// Signs and stores a checkpoint; its event is for the commit.
pub(super) async fn sign(
    tx: &Tx,
    vault: &Vault,
    link: Link,
    kind: CheckpointKind,
    now: Timestamp,
) -> Result<Checkpoint, StoreError> {
    let signer = vault.main().signer();
    let instance: Option<String> = store::preferences::find(tx, store::preferences::INSTANCE_ID).await?;
    let statement = Statement {
        created_at: now,
        event_id: link.event_id,
        hash: link.hash,
        instance: instance.unwrap_or_default(),
        kind,
        public_key: signer.public_key(),
    };
    let signature = signer.sign(&statement.text());
    let checkpoint = Checkpoint::new(statement, signature);
    checkpoints::insert(tx, &checkpoint).await?;
    Ok(checkpoint)
}
