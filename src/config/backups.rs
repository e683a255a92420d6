//! Copies of the database that the server makes by itself.

use std::path::PathBuf;

use clap::Args;
use flagstone_domain::backup::Retention;

/// Default number of copies that the server keeps: those of a week at four a day.
const KEPT: u16 = 28;

/// Copies of the database: their directory, and how many are kept.
#[derive(Debug, Clone, Args)]
pub struct BackupOptions {
    /// Directory for backups of the SQLite database by the server, each named by its time. By default it makes none.
    #[arg(
        id = "backup-directory",
        long = "backup-directory",
        env = "FLAGSTONE_BACKUP_DIRECTORY",
        value_name = "DIRECTORY"
    )]
    directory: Option<PathBuf>,
    /// Number of backups to keep there; older ones are deleted after a newer one was verified.
    #[arg(
        id = "backup-keep",
        long = "backup-keep",
        env = "FLAGSTONE_BACKUP_KEEP",
        value_name = "COPIES",
        default_value_t = KEPT,
        value_parser = clap::value_parser!(u16).range(1..)
    )]
    keep: u16,
    /// Days to keep them. By default only the number matters.
    #[arg(
        id = "backup-keep-days",
        long = "backup-keep-days",
        env = "FLAGSTONE_BACKUP_KEEP_DAYS",
        value_name = "DAYS",
        value_parser = clap::value_parser!(i64).range(1..=36_525)
    )]
    keep_days: Option<i64>,
}

/// Copies that the server makes.
#[derive(Debug, Clone)]
pub struct Backups {
    /// Their directory.
    pub directory: PathBuf,
    /// Rule that decides which of them are kept.
    pub retention: Retention,
}

impl BackupOptions {
    /// Returns the settings of backups, if there are to be any. A variable that is set to nothing names no directory.
    pub fn wanted(&self) -> Option<Backups> {
        let directory = self.directory.clone().filter(|directory| !directory.as_os_str().is_empty())?;
        let retention = Retention { keep: Some(usize::from(self.keep)), days: self.keep_days };
        Some(Backups { directory, retention })
    }
}
