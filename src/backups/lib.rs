//! Copies of a SQLite database that were proved to be whole, and the way back from them.
//!
//! A copy has its good name only after it was opened and checked, so that an operator who needs one at night takes the
//! newest.

mod directory;
mod making;
mod restoring;
mod verification;

use std::{fmt, io, path::Path};

use flagstone_files as files;
use flagstone_store::{StoreError, db::file_lock::LockError};

pub use self::{
    directory::{BackupDirectory, Copy},
    making::{Made, make, make_in_directory},
    restoring::{Restored, Wanted, restore},
    verification::{Report, verify, verify_file},
};

/// Reason why there is no copy, or nothing was restored: a sentence for the caller.
#[derive(Debug)]
pub struct BackupError(String);

impl BackupError {
    fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    fn of_file(path: &Path, error: &io::Error) -> Self {
        if error.kind() == io::ErrorKind::StorageFull {
            Self::full(path)
        } else {
            Self(format!("{}: {error}", path.display()))
        }
    }

    fn full(path: &Path) -> Self {
        let directory = files::directory_of(path);
        let left = files::room(directory).map(|(free, _)| format!(" ({} are free)", files::readable(free)));
        Self(format!(
            "the disk of {} is full{}: nothing was left there; make room for a copy of the whole database, or name another \
             directory",
            directory.display(),
            left.unwrap_or_default()
        ))
    }
}

impl fmt::Display for BackupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BackupError {}

impl From<StoreError> for BackupError {
    fn from(error: StoreError) -> Self {
        Self(error.to_string())
    }
}

impl From<LockError> for BackupError {
    fn from(error: LockError) -> Self {
        Self(error.to_string())
    }
}
