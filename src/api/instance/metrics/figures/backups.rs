//! The copies of the database that the server makes, where it does.

use super::{PATIENCE, Sheet, seconds, size};
use crate::{backups::BackupDirectory, state::State};

/// Figures of the copies, where copies are wanted. A directory that cannot be read counts as one without a copy.
pub(super) async fn figures(sheet: &Sheet, state: &State) -> prometheus::Result<()> {
    let Some(backups) = &state.config.backups else { return Ok(()) };
    let period = state.config.periods.backup().as_secs_f64();
    sheet.gauge(
        "flagstone_backup_period_seconds",
        "Time from one copy of the database to the next.",
        &[],
        &[(&[], period)],
    )?;
    // The directory may be on another machine.
    let directory = BackupDirectory::at(backups.directory.clone());
    let reading = tokio::task::spawn_blocking(move || directory.copies());
    let copies = match tokio::time::timeout(PATIENCE, reading).await {
        Ok(Ok(Ok(copies))) => copies,
        _ => Vec::new(),
    };
    sheet.gauge(
        "flagstone_backup_copies",
        "Copies of the database that are kept.",
        &[],
        &[(&[], size(copies.len()))],
    )?;
    sheet.gauge(
        "flagstone_backup_last_timestamp_seconds",
        "When the newest copy was made that proved to be whole; 0 when there is none.",
        &[],
        &[(&[], copies.last().map_or(0.0, |newest| seconds(newest.made_at)))],
    )
}
