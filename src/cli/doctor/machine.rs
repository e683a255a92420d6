//! Findings about the machine: room, files, a clock, files that are one's own, and copies.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use super::Findings;
use crate::{
    backups::BackupDirectory,
    clock::Clock,
    config::Options,
    domain::time::{DAY_MS, Timestamp},
    files::{beside, directory_of, readable, room},
    server::files_of_process,
    store::db::sqlite_path,
    vault::Vault,
};

/// Room that a server needs to go on for a while.
const LEAST_ROOM: u64 = 64 << 20;
/// Files that are enough for a crowd.
const MANY_FILES: u64 = 4096;
/// Files that a server cannot do without.
const FEW_FILES: u64 = 256;
/// The year in which this program was written, 2026: an earlier time is wrong.
const WRITTEN_MS: i64 = 1_767_225_600_000;

pub(super) fn look(findings: &mut Findings, options: &Options, clock: &Clock) {
    if let Err(complaint) = options.check() {
        findings.fail("configuration", complaint, "correct the option or its variable");
    }
    disks(findings, options);
    match files_of_process() {
        Some((_, most)) if most < FEW_FILES => findings.fail(
            "open files",
            format!("a process may open {most} files"),
            "raise the limit (LimitNOFILE of the service, ulimit -n) to 65536",
        ),
        Some((_, most)) if most < MANY_FILES => findings.warn(
            "open files",
            format!("a process may open {most} files, and each connection is one"),
            "raise the limit (LimitNOFILE of the service, ulimit -n) to 65536",
        ),
        Some((now, most)) => findings.ok("open files", format!("{now}, which a server raises to {most}")),
        None => findings.ok("open files", "without a limit"),
    }
    let now = clock.now();
    if now < Timestamp::from_millis(WRITTEN_MS) {
        findings.fail(
            "clock",
            format!("it is {now} on this machine, which is before this program was written"),
            "set the clock, and have it follow a time server (timedatectl set-ntp true)",
        );
    } else {
        findings.ok("clock", format!("{now}"));
    }
}

/// Whether files of settings with secrets in them are one's own.
pub(super) fn settings(findings: &mut Findings, secret_files: &BTreeSet<PathBuf>) {
    for file in secret_files {
        privacy(findings, "settings file", file);
    }
}

fn disks(findings: &mut Findings, options: &Options) {
    let Some(path) = sqlite_path(&options.database.url) else { return };
    let file = std::fs::metadata(path);
    let size = file.as_ref().map(std::fs::Metadata::len).unwrap_or_default();
    let directory = directory_of(path);
    let directory = &directory.canonicalize().unwrap_or_else(|_| directory.to_owned());
    if !directory.is_dir() {
        findings.fail(
            "disk",
            format!("there is no directory {}", directory.display()),
            "make it, for the user of the server",
        );
        return;
    }
    let Some((free, all)) = room(directory) else { return };
    let found = format!("{} of {} are free at {}", readable(free), readable(all), directory.display());
    if free < LEAST_ROOM {
        findings.fail("disk", found, "make room before changes fail");
    } else if free < size.saturating_mul(2).saturating_add(LEAST_ROOM) {
        let needed = readable(size.saturating_mul(2));
        findings.warn("disk", found, format!("make room: a copy and an upgrade may take {needed} for a while"));
    } else {
        findings.ok("disk", found);
    }
    if file.is_ok() {
        for path in [path.to_owned(), beside(path, "-wal")] {
            privacy(findings, "database file", &path);
        }
    }
}

/// The key, if it can be read.
pub(super) fn key(findings: &mut Findings, options: &Options) -> Option<Vault> {
    if let Some(file) = options.keys.file(&options.database) {
        privacy(findings, "key file", &file);
    }
    match options.keys.unlock_existing(&options.database) {
        Ok(Some(vault)) => {
            findings.ok("key", "it can be read");
            Some(vault)
        }
        Ok(None) => {
            findings.warn(
                "key",
                "there is none yet",
                "nothing for a new instance, whose first start makes it; otherwise put the key file back before the start",
            );
            None
        }
        Err(error) => {
            findings.fail(
                "key",
                error.to_string(),
                "put the key file back, or correct FLAGSTONE_KEY_FILE or FLAGSTONE_SECRET_KEY",
            );
            None
        }
    }
}

#[cfg(unix)]
fn privacy(findings: &mut Findings, about: &'static str, path: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    let Ok(file) = path.metadata() else { return };
    let mode = file.permissions().mode() & 0o777;
    let name = path.display();
    let of_others = mode & 0o077;
    if of_others == 0 {
        findings.ok(about, format!("{name} is its owner's alone"));
    } else {
        findings.warn(
            about,
            format!("others on this machine can open {name} (mode {mode:03o})"),
            format!("chmod 600 {name}"),
        );
    }
}

#[cfg(not(unix))]
fn privacy(_findings: &mut Findings, _about: &'static str, _path: &Path) {}

/// Whether there are copies, where the server is to make some.
pub(super) fn backups(findings: &mut Findings, options: &Options, clock: &Clock) {
    let about = "backups";
    let Some(wanted) = options.backups.wanted() else {
        if sqlite_path(&options.database.url).is_some() {
            findings.warn(
                about,
                "the server makes none, and no directory is named where others are",
                "set FLAGSTONE_BACKUP_DIRECTORY to a directory on another disk, or run `flagstone backup --every`",
            );
        }
        return;
    };
    let directory = &wanted.directory;
    let copies = match BackupDirectory::at(directory.clone()).copies() {
        Ok(copies) => copies,
        Err(error) => {
            findings.fail(
                about,
                format!("{}: {error}", directory.display()),
                "make the directory, for the user of the server",
            );
            return;
        }
    };
    let damaged = damaged(directory);
    if let Some(file) = damaged.first() {
        findings.warn(
            about,
            format!("{} copies did not prove to be whole, such as {}", damaged.len(), file.display()),
            "look at the log of that time and at the line about pages above; remove the file then",
        );
    }
    let period = options.periods.backup();
    let period_ms = i64::try_from(period.as_millis()).unwrap_or(i64::MAX);
    let Some(newest) = copies.last() else {
        findings.fail(
            about,
            format!("there is none in {}", directory.display()),
            "see the log of the server for the job `backup`",
        );
        return;
    };
    let found = format!("{} in {}, the newest of {}", copies.len(), directory.display(), newest.made_at);
    if newest.made_at < clock.now().plus_millis(-period_ms.saturating_mul(2)) {
        findings.fail(about, found, "see the log of the server for the job `backup`; is the server running?");
    } else if newest.made_at > clock.now().plus_millis(DAY_MS) {
        findings.warn(
            about,
            found,
            "that is to come: the clock was set back; rename the file, so that it is not taken for the newest",
        );
    } else {
        findings.ok(about, found);
    }
}

fn damaged(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().filter_map(Result::ok);
    let mut found: Vec<_> = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "damaged"))
        .collect();
    found.sort();
    found
}
