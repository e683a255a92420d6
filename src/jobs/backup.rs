//! A copy of the database, where the operator wants some.

use flagstone_backups::{BackupDirectory, make_in_directory};
use flagstone_config::{Backups, Config};
use flagstone_files::readable;
use flagstone_state::State;
use flagstone_store::StoreError;

/// Name of the job.
pub(super) const NAME: &str = "backup";

/// Whether there is anything to do for it.
pub(super) const fn is_wanted(config: &Config) -> bool {
    config.backups.is_some()
}

/// Makes a copy, and removes old ones.
pub async fn make_backup(state: &State) -> Result<(), StoreError> {
    let Some(Backups { directory, retention }) = &state.config.backups else { return Ok(()) };
    let directory = BackupDirectory::at(directory.clone());
    let made = make_in_directory(&state.db, Some(&state.vault), &directory, *retention, state.clock.now()).await;
    let made = made.map_err(|error| StoreError::external(error.to_string()))?;
    let (file, size, removed) = (made.path.display().to_string(), readable(made.bytes), made.removed.len());
    tracing::info!(
        target: "flagstone::jobs::backup",
        file,
        size,
        removed,
        "the database was copied, and the copy is whole"
    );
    Ok(())
}
