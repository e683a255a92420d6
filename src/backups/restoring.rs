//! The way back: a verified copy in the place of the database, which is kept aside.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use flagstone_domain::time::Timestamp;
use flagstone_files as files;
use flagstone_store::{
    db::file_lock::{self, is_open_elsewhere},
    settings::KeyFit,
};
use flagstone_vault::Vault;

use super::{
    BackupError, Report,
    directory::{draft_of, stamp},
    verify_file,
};

/// Parameters of a restore.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    /// The copy.
    pub copy: &'a Path,
    /// Path of the database.
    pub database: &'a Path,
    /// Whether one that is there may be put aside.
    pub replace: bool,
    /// Whether the key of the copy is lost.
    pub key_is_lost: bool,
}

/// Result of a restore.
#[derive(Debug)]
pub struct Restored {
    /// Report of the copy's verification.
    pub report: Report,
    /// Path to which the earlier database was moved.
    pub aside: Option<PathBuf>,
}

/// Puts a copy in the place of a database. What fails leaves everything as it was.
pub async fn restore(wanted: Wanted<'_>, vault: Option<&Vault>, now: Timestamp) -> Result<Restored, BackupError> {
    let Wanted { copy, database, replace, .. } = wanted;
    refuse_misfits(copy, database)?;
    let before = database.symlink_metadata().is_ok();
    if before && !replace {
        return Err(BackupError::new(format!(
            "there is a database at {}: --replace puts it aside under another name, and keeps it",
            database.display()
        )));
    }
    let _file_lock = file_lock::lock(database)?;
    if before && is_open_elsewhere(database).await {
        let name = database.display();
        return Err(BackupError::new(format!("another program has {name} open: stop it first, and every server")));
    }
    let report = verified(wanted, copy, vault).await?;
    let draft = draft_of(database);
    let placed = async {
        duplicate(copy, &draft)?;
        // What counts is what arrived.
        verified(wanted, &draft, vault).await?;
        put_in_place(&draft, database, before.then(|| aside(database, now)))
    };
    match placed.await {
        Ok(aside) => Ok(Restored { report, aside }),
        Err(error) => {
            // It may not have come to that.
            let _absent = fs::remove_file(&draft);
            Err(error)
        }
    }
}

fn refuse_misfits(copy: &Path, database: &Path) -> Result<(), BackupError> {
    if !copy.is_file() {
        return Err(BackupError::new(format!("there is no file {}", copy.display())));
    }
    if let (Ok(one), Ok(other)) = (copy.canonicalize(), database.canonicalize())
        && one == other
    {
        return Err(BackupError::new("the copy is the database itself"));
    }
    let log = files::beside(copy, "-wal");
    if log.metadata().is_ok_and(|log| log.len() > 0) {
        return Err(BackupError::new(format!(
            "{0} has a log beside it ({1}), so it is a database in use and no copy of one: make one with \
             `flagstone backup --database-url sqlite://{0} FILE`, and restore that",
            copy.display(),
            log.display()
        )));
    }
    Ok(())
}

/// Verifies a copy and checks that it fits.
async fn verified(wanted: Wanted<'_>, file: &Path, vault: Option<&Vault>) -> Result<Report, BackupError> {
    let told = if wanted.key_is_lost { None } else { vault };
    let mut report = verify_file(file, None, told).await?;
    if !report.faults.is_empty() {
        let faults = report.faults.join("; ");
        return Err(BackupError::new(format!("{} cannot be restored: {faults}", wanted.copy.display())));
    }
    if report.key == KeyFit::NoKey && !wanted.key_is_lost {
        return Err(BackupError::new(format!(
            "the login settings of {} are encrypted, and there is no key here: put the key file that belongs to it beside \
             the database first, or name it with FLAGSTONE_KEY_FILE or FLAGSTONE_SECRET_KEY; if it is lost, say \
             --key-is-lost",
            wanted.copy.display()
        )));
    }
    if report.key == KeyFit::NoKey {
        report.notes.push(
            "Run `flagstone settings forget` before the start: the key of its login settings is lost.".to_owned(),
        );
    }
    Ok(report)
}

fn duplicate(copy: &Path, draft: &Path) -> Result<(), BackupError> {
    let failed = |error: &io::Error| BackupError::of_file(draft, error);
    let mut from = File::open(copy).map_err(|error| BackupError::of_file(copy, &error))?;
    let mut to = files::create_private(draft).map_err(|error| failed(&error))?;
    io::copy(&mut from, &mut to).and_then(|_| to.sync_all()).map_err(|error| failed(&error))
}

fn aside(database: &Path, now: Timestamp) -> PathBuf {
    files::beside(database, &format!(".before-{}", stamp(now)))
}

/// The last steps, each a rename. One that is interrupted leaves both databases under some name.
fn put_in_place(draft: &Path, database: &Path, aside: Option<PathBuf>) -> Result<Option<PathBuf>, BackupError> {
    let [log, index] = ["-wal", "-shm"].map(|ending| files::beside(database, ending));
    let failed = |error: io::Error| BackupError::of_file(database, &error);
    if let Some(aside) = &aside {
        if aside.symlink_metadata().is_ok() {
            return Err(BackupError::new(format!("{}: a file of this name exists already", aside.display())));
        }
        fs::rename(database, aside).map_err(failed)?;
        // Its last changes may stand there.
        gone_or_renamed(&log, Some(&files::beside(aside, "-wal"))).map_err(failed)?;
    }
    // What is left of a file that is gone would be read into the copy.
    gone_or_renamed(&log, None).and_then(|()| gone_or_renamed(&index, None)).map_err(failed)?;
    if let Err(error) = files::place(draft, database) {
        let undone = aside.map_or(Ok(()), |aside| {
            gone_or_renamed(&files::beside(&aside, "-wal"), Some(&log)).and_then(|()| fs::rename(&aside, database))
        });
        return Err(undone.map_or_else(failed, |()| failed(error)));
    }
    Ok(aside)
}

fn gone_or_renamed(path: &Path, to: Option<&Path>) -> io::Result<()> {
    let done = to.map_or_else(|| fs::remove_file(path), |to| fs::rename(path, to));
    match done {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
