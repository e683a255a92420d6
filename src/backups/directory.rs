//! The directory that copies are kept in, by the time they were made.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

use flagstone_domain::{backup::Retention, secret, time::Timestamp};
use flagstone_files as files;

const BEGIN: &str = "flagstone-";
const END: &str = ".db";
/// Ending of a copy that is being made.
const DRAFT: &str = ".part";
/// Ending of a copy that did not prove to be whole.
pub(super) const DAMAGED: &str = ".damaged";
/// Age at which the draft of a copy counts as abandoned.
const ABANDONED: Duration = Duration::from_hours(24);

/// A copy that was whole when it was made.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Copy {
    /// When it was created.
    pub made_at: Timestamp,
    /// Its file.
    pub path: PathBuf,
}

/// The directory that copies are kept in.
#[derive(Debug, Clone)]
pub struct BackupDirectory(PathBuf);

impl BackupDirectory {
    /// A directory, which must exist by the time that a copy is made.
    pub const fn at(directory: PathBuf) -> Self {
        Self(directory)
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The name of a copy that is made at this time.
    pub(super) fn file_for(&self, now: Timestamp) -> PathBuf {
        self.0.join(format!("{BEGIN}{}{END}", stamp(now)))
    }

    /// The copies that are there, oldest first.
    pub fn copies(&self) -> io::Result<Vec<Copy>> {
        let mut copies = Vec::new();
        for entry in fs::read_dir(&self.0)? {
            let path = entry?.path();
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let time = name.strip_prefix(BEGIN).and_then(|rest| rest.strip_suffix(END)).and_then(read_stamp);
            if let Some(made_at) = time {
                copies.push(Copy { made_at, path });
            }
        }
        copies.sort_unstable();
        Ok(copies)
    }

    /// Removes copies that are kept no longer, now that this one was made, and abandoned drafts. Returns what was
    /// removed. The copy just made stays whatever its time says, since clocks are set back.
    pub(super) fn tidy(&self, made: &Path, retention: Retention, now: Timestamp) -> io::Result<Vec<PathBuf>> {
        let mut others = self.copies()?;
        others.retain(|copy| copy.path != made);
        let besides = retention.keep.map_or(usize::MAX, |keep| keep.saturating_sub(1));
        let surplus = others.len().saturating_sub(besides);
        let oldest = retention.days.map(|days| now.plus_days(-days));
        let is_gone =
            |(index, copy): &(usize, Copy)| *index < surplus || oldest.is_some_and(|oldest| copy.made_at < oldest);
        let mut removed = Vec::new();
        for (_, copy) in others.into_iter().enumerate().filter(is_gone) {
            fs::remove_file(&copy.path)?;
            removed.push(copy.path);
        }
        for entry in fs::read_dir(&self.0)? {
            let entry = entry?;
            let name = entry.file_name();
            let is_draft = name.to_str().is_some_and(|name| name.starts_with(BEGIN) && name.ends_with(DRAFT));
            let age = entry.metadata().and_then(|file| file.modified()).ok().and_then(|time| time.elapsed().ok());
            if is_draft && age.is_some_and(|age| age > ABANDONED) {
                fs::remove_file(entry.path())?;
            }
        }
        Ok(removed)
    }
}

/// A draft in the same directory, which gets this name once it proves to be whole.
pub(super) fn draft_of(path: &Path) -> PathBuf {
    files::beside(path, &format!(".{}{DRAFT}", &secret::random_part()[..8]))
}

/// A time as file names have it: `20261123T091500Z`.
pub(super) fn stamp(time: Timestamp) -> String {
    let text = time.to_string();
    let digits: String = text.split('.').next().unwrap_or(&text).chars().filter(|sign| !"-:".contains(*sign)).collect();
    digits + "Z"
}

fn read_stamp(text: &str) -> Option<Timestamp> {
    let is_stamp = text.len() == 16 && text.is_ascii() && text.as_bytes()[8] == b'T' && text.ends_with('Z');
    let (date, time) = is_stamp.then(|| (&text[..8], &text[9..15]))?;
    let written =
        format!("{}-{}-{}T{}:{}:{}.000Z", &date[..4], &date[4..6], &date[6..], &time[..2], &time[2..4], &time[4..]);
    Timestamp::parse(&written)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        Timestamp::parse(text).expect("a time")
    }

    fn directory_with(names: &[&str]) -> (tempfile::TempDir, BackupDirectory) {
        let temporary = tempfile::tempdir().expect("a directory");
        for name in names {
            fs::write(temporary.path().join(name), name).expect("writes");
        }
        let directory = BackupDirectory::at(temporary.path().to_owned());
        (temporary, directory)
    }

    fn names(directory: &BackupDirectory) -> Vec<String> {
        let name = |copy: Copy| copy.path.file_name().expect("a name").to_string_lossy().into_owned();
        directory.copies().expect("lists").into_iter().map(name).collect()
    }

    #[test]
    fn copies_are_named_by_their_time_and_nothing_else_is_one() {
        let (_temporary, directory) = directory_with(&[
            "flagstone-20261123T091500Z.db",
            "flagstone-20261122T235959Z.db",
            "flagstone-20261123T091500Z.db.damaged",
            "flagstone-20261123T091500Z.db.part",
            "flagstone-20261323T091500Z.db",
            "flagstone-2026112ßT09150Z.db",
            "flagstone.db",
        ]);
        assert_eq!(names(&directory), ["flagstone-20261122T235959Z.db", "flagstone-20261123T091500Z.db"]);
        let time = at("2026-11-23T09:15:00.999Z");
        let place = directory.file_for(time);
        assert!(place.ends_with("flagstone-20261123T091500Z.db"), "{}", place.display());
        assert_eq!(directory.copies().expect("lists")[1].made_at, at("2026-11-23T09:15:00.000Z"));
    }

    #[test]
    fn the_copy_just_made_stays_and_of_the_others_as_many_as_are_kept() {
        let all = ["20261101", "20261110", "20261120", "20261122"].map(|day| format!("flagstone-{day}T000000Z.db"));
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        let now = at("2026-11-23T00:00:00.000Z");
        let cases: [(Retention, usize, &[usize]); 7] = [
            (Retention::default(), 3, &[0, 1, 2, 3]),
            (Retention { keep: Some(2), days: None }, 3, &[2, 3]),
            (Retention { keep: Some(1), days: None }, 3, &[3]),
            (Retention { keep: None, days: Some(5) }, 3, &[2, 3]),
            (Retention { keep: Some(2), days: Some(20) }, 3, &[2, 3]),
            // Made after a clock was set back: all the others seem to be newer.
            (Retention { keep: Some(1), days: None }, 0, &[0]),
            (Retention { keep: Some(2), days: Some(1) }, 0, &[0, 3]),
        ];
        for (retention, made, kept) in cases {
            let (_temporary, directory) = directory_with(&all);
            let made = directory.path().join(all[made]);
            let removed = directory.tidy(&made, retention, now).expect("tidies");
            assert_eq!(names(&directory), kept.iter().map(|index| all[*index]).collect::<Vec<_>>(), "{retention:?}");
            assert_eq!(removed.len(), all.len() - kept.len());
        }
    }
}
