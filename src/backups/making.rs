//! Making a copy: under another name until it is proved to be whole.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
};

use flagstone_domain::{backup::Retention, time::Timestamp};
use flagstone_files as files;
use flagstone_store::{
    backup,
    db::Db,
    migrate::{self, Standing},
};
use flagstone_vault::Vault;

use super::{
    BackupDirectory, BackupError, Report,
    directory::{DAMAGED, draft_of},
    verify_file,
};

/// A copy that is whole.
#[derive(Debug)]
pub struct Made {
    /// Its file.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// Report of its verification.
    pub report: Report,
    /// Whether the rows of its tables were compared with those of the source.
    pub is_counted: bool,
    /// Older copies that were removed for it.
    pub removed: Vec<PathBuf>,
}

/// Copies a database into a file that does not exist yet, and verifies it.
pub async fn make(db: &Db, vault: Option<&Vault>, path: &Path) -> Result<Made, BackupError> {
    if path.symlink_metadata().is_ok() {
        return Err(BackupError::new(format!("{}: a file of this name exists already", path.display())));
    }
    match migrate::standing(db).await? {
        Standing::Current | Standing::Older(_) => {}
        Standing::Newer(newer) => return Err(BackupError::new(newer.to_string())),
        Standing::Empty | Standing::Foreign => return Err(BackupError::new("this is no database of Flagstone")),
    }
    let draft = draft_of(path);
    // Made here, so that the copy is its owner's alone.
    let file = files::create_private(&draft).map_err(|error| BackupError::of_file(path, &error))?;
    match copy(db, vault, &draft, &file).await {
        Ok((report, is_counted)) if report.faults.is_empty() => {
            let bytes = fs::metadata(&draft).map(|file| file.len()).unwrap_or_default();
            if let Err(error) = files::place(&draft, path) {
                return Err(give_up(&draft, BackupError::of_file(path, &error)));
            }
            Ok(Made { path: path.to_owned(), bytes, report, is_counted, removed: Vec::new() })
        }
        Ok((report, _)) => {
            let kept = files::beside(path, DAMAGED);
            let moved = fs::rename(&draft, &kept).map_err(|error| BackupError::of_file(&kept, &error));
            moved.map_err(|error| give_up(&draft, error))?;
            let faults = report.faults.join("; ");
            Err(BackupError::new(format!(
                "the copy is not whole, and was kept as {}: {faults}. Check the database itself with `flagstone doctor`",
                kept.display()
            )))
        }
        Err(error) => Err(give_up(&draft, error)),
    }
}

/// Makes a copy by its time, and removes those that are kept no longer.
pub async fn make_in_directory(
    db: &Db,
    vault: Option<&Vault>,
    directory: &BackupDirectory,
    retention: Retention,
    now: Timestamp,
) -> Result<Made, BackupError> {
    if !directory.path().is_dir() {
        return Err(BackupError::new(format!("there is no directory {}", directory.path().display())));
    }
    let mut made = make(db, vault, &directory.file_for(now)).await?;
    let tidied = directory.tidy(&made.path, retention, now);
    made.removed = tidied.map_err(|error| BackupError::of_file(directory.path(), &error))?;
    Ok(made)
}

async fn copy(db: &Db, vault: Option<&Vault>, draft: &Path, file: &File) -> Result<(Report, bool), BackupError> {
    let counts = backup::copy_into(db, draft)
        .await
        .map_err(|error| if error.is_disk_full() { BackupError::full(draft) } else { BackupError::from(error) })?;
    file.sync_all().map_err(|error| BackupError::of_file(draft, &error))?;
    Ok((verify_file(draft, counts.as_ref(), vault).await?, counts.is_some()))
}

/// Leaves nothing half-written behind.
fn give_up(draft: &Path, error: BackupError) -> BackupError {
    match fs::remove_file(draft) {
        Ok(()) => error,
        Err(left) => BackupError::new(format!("{error}; and {} could not be removed: {left}", draft.display())),
    }
}
