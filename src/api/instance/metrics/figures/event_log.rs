//! Figures about the extent of the log of events, and about its proof.

use super::{Sheet, seconds};
use crate::{
    domain::event_chain::checkpoint::Checkpoint,
    state::State,
    store::{
        StoreError,
        db::Db,
        events::{
            chain::{self, Reach},
            checkpoints,
        },
    },
};

/// Returns the extent of the log, and its newest checkpoint.
pub(super) async fn progress(db: &Db) -> Result<(Reach, Option<Checkpoint>), StoreError> {
    tokio::try_join!(chain::reach(db), checkpoints::newest(db))
}

/// Figures of the log; those from the database are left out where that does not answer.
pub(super) fn figures(
    sheet: &Sheet,
    state: &State,
    progress: Option<&(Reach, Option<Checkpoint>)>,
) -> prometheus::Result<()> {
    let held_back = f64::from(u8::from(state.audit.is_held_back()));
    sheet.gauge(
        "flagstone_event_log_retention_held_back",
        "1 when this node found that the log of events does not hold, and so removes no old events; otherwise 0.",
        &[],
        &[(&[], held_back)],
    )?;
    let Some((reach, newest)) = progress else { return Ok(()) };
    for (name, help, id) in [
        ("flagstone_event_log_first_id", "Id of the first event in the log.", reach.first),
        ("flagstone_event_log_newest_id", "Id of the newest event in the log.", reach.newest),
        ("flagstone_event_log_hashed_id", "Id of the last event that has a hash.", reach.hashed),
    ] {
        #[expect(clippy::cast_precision_loss, reason = "no log has 2^53 events")]
        sheet.gauge(name, help, &[], &[(&[], id as f64)])?;
    }
    let Some(newest) = newest else { return Ok(()) };
    sheet.gauge(
        "flagstone_event_log_checkpoint_timestamp_seconds",
        "When the last checkpoint of the log was made.",
        &[],
        &[(&[], seconds(newest.created_at))],
    )
}
