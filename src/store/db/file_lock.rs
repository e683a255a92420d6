//! The lock of a server on its SQLite file. One server at a time has a file, since each keeps in memory what is in it;
//! commands may work at the same time.

use std::{
    fmt,
    fs::{File, OpenOptions, TryLockError},
    io::{self, Read as _, Write as _},
    path::{Path, PathBuf},
    time::Duration,
};

use flagstone_files as files;
use sea_orm::sqlx::{
    self, ConnectOptions as _, Connection as _,
    error::DatabaseError,
    sqlite::{SqliteConnectOptions, SqliteLockingMode},
};

use crate::error::is_sqlite_locked;

/// The lock on a SQLite file, which is held until this is dropped, however the process ends.
#[derive(Debug)]
pub struct FileLock {
    _lock: File,
}

/// Reason why a file cannot be locked.
#[derive(Debug)]
pub enum LockError {
    /// Another server has the lock, by the id of its process if it is known.
    Taken(PathBuf, Option<u32>),
    /// The lock file cannot be made or locked.
    Lock(PathBuf, io::Error),
}

impl fmt::Display for LockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Taken(path, process) => {
                let process = process.map(|id| format!(" (process {id})")).unwrap_or_default();
                write!(
                    f,
                    "another server{process} uses {}: stop it first, or give this one a database of its own; several \
                     servers share a PostgreSQL database",
                    path.display()
                )
            }
            Self::Lock(path, error) => write!(f, "the lock file {}: {}", path.display(), files::reason(error)),
        }
    }
}

impl std::error::Error for LockError {}

/// Locks a SQLite file for this process; the error names the process that has the lock. Does not wait.
pub fn lock(database: &Path) -> Result<FileLock, LockError> {
    let path = lock_file(database);
    let failed = |error| LockError::Lock(path.clone(), error);
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&path).map_err(failed)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let mut text = String::new();
            let process = (&mut file).take(32).read_to_string(&mut text).ok().and_then(|_| text.trim().parse().ok());
            return Err(LockError::Taken(database.to_owned(), process));
        }
        Err(TryLockError::Error(error)) => return Err(failed(error)),
    }
    // For the message above; the lock is what counts.
    let noted = file.set_len(0).and_then(|()| writeln!(file, "{}", std::process::id()));
    noted.map_err(failed)?;
    Ok(FileLock { _lock: file })
}

/// Path of the lock file: in the directory of the file itself, by whatever name it is reached.
fn lock_file(database: &Path) -> PathBuf {
    let real = database.canonicalize().or_else(|_| {
        let directory = files::directory_of(database).canonicalize()?;
        Ok::<_, io::Error>(database.file_name().map_or_else(|| directory.clone(), |name| directory.join(name)))
    });
    files::beside(&real.unwrap_or_else(|_| database.to_owned()), ".lock")
}

/// Whether some program has a SQLite file open. One that cannot be read as such is in use by none.
pub async fn is_open_elsewhere(database: &Path) -> bool {
    let options = SqliteConnectOptions::new()
        .filename(database)
        .locking_mode(SqliteLockingMode::Exclusive)
        .busy_timeout(Duration::ZERO)
        .disable_statement_logging();
    let is_locked = |error: &sqlx::Error| {
        error.as_database_error().and_then(DatabaseError::code).is_some_and(|code| is_sqlite_locked(&code))
    };
    match options.connect().await {
        Ok(mut connection) => {
            let asked = sqlx::raw_sql("BEGIN EXCLUSIVE; ROLLBACK").execute(&mut connection).await;
            // What is not closed properly is closed all the same.
            let _closed = connection.close().await;
            asked.as_ref().err().is_some_and(is_locked)
        }
        Err(error) => is_locked(&error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_one_server_by_whatever_name_and_is_free_when_that_ends() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("flagstone.db");
        let first = lock(&path).expect("free");
        std::fs::write(&path, "").expect("writes");
        let roundabout = directory.path().join(".").join("flagstone.db");
        for name in [&path, &roundabout] {
            let refused = lock(name).expect_err("taken").to_string();
            assert!(refused.contains(&format!("(process {})", std::process::id())), "{refused}");
        }
        drop(first);
        lock(&path).expect("free again");
        let nowhere = lock(&directory.path().join("no/such/file.db")).expect_err("no directory").to_string();
        assert!(nowhere.contains("file.db.lock"), "{nowhere}");
    }
}
