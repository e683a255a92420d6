//! How far the log of events is, and its proof.

use super::{PATIENCE, Sheet, seconds};
use crate::{
    state::State,
    store::events::{chain, checkpoints},
};

/// What is in the database is left out where that does not answer.
pub(super) async fn figures(sheet: &Sheet, state: &State, is_up: bool) -> prometheus::Result<()> {
    let held_back = f64::from(u8::from(state.audit.is_held_back()));
    sheet.gauge(
        "flagstone_event_log_retention_held_back",
        "1 when this node found that the log of events does not hold, and so removes no old events; otherwise 0.",
        &[],
        &[(&[], held_back)],
    )?;
    if !is_up {
        return Ok(());
    }
    let read = async {
        Ok::<_, crate::store::StoreError>((chain::reach(&state.db).await?, checkpoints::newest(&state.db).await?))
    };
    let Ok(Ok((reach, newest))) = tokio::time::timeout(PATIENCE, read).await else { return Ok(()) };
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
