//! `flagstone backup`: copies of a running SQLite database, once or by the hour, and the proof that one is whole.

use std::{path::PathBuf, time::Duration};

use clap::{Args, Subcommand};

use crate::{
    backups::{self, BackupDirectory, Made, Report},
    cli::{
        Outcome,
        opening::{Opening, open},
        say,
        serve::signal,
    },
    clock::Clock,
    config::{DatabaseChoice, Hidden, Keys},
    domain::backup::Retention,
    store::db::{Db, is_postgres, sqlite_path},
    vault::Vault,
};

/// The shortest time between two copies.
const SHORTEST: Duration = Duration::from_mins(1);
/// The longest.
const LONGEST: Duration = Duration::from_hours(24 * 366);
/// Time after which a copy that failed is tried again.
const RETRY: Duration = Duration::from_mins(5);

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    copy: Copying,
    #[command(flatten)]
    database: DatabaseChoice,
    #[command(flatten)]
    keys: Keys,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Prove that a copy is whole, or a PostgreSQL database that was restored: its file, schema, rows, log and key.
    Verify(Verify),
}

#[derive(Debug, Args)]
struct Verify {
    /// A file that `flagstone backup` made, or `postgres://…`. It is only read.
    #[arg(value_name = "FILE|URL")]
    what: Hidden,
    #[command(flatten)]
    keys: Keys,
}

#[derive(Debug, Args)]
struct Copying {
    /// File to write; it must not exist yet.
    #[arg(required_unless_present = "directory")]
    file: Option<PathBuf>,
    /// Directory to keep copies in, each named by its time (UTC).
    #[arg(long, env = "FLAGSTONE_BACKUP_DIRECTORY", value_name = "DIRECTORY")]
    directory: Option<PathBuf>,
    /// Make one at once and then one in each such time, such as `30m`, `6h` or `1d`, until stopped.
    #[arg(long, value_name = "TIME", value_parser = period, requires = "directory")]
    every: Option<Duration>,
    /// Copies to keep in the directory; older ones are removed, but never before a newer one has proved to be whole.
    #[arg(
        long,
        env = "FLAGSTONE_BACKUP_KEEP",
        value_name = "COPIES",
        value_parser = clap::value_parser!(u16).range(1..)
    )]
    keep: Option<u16>,
    /// Days for which copies are kept.
    #[arg(
        long,
        env = "FLAGSTONE_BACKUP_KEEP_DAYS",
        value_name = "DAYS",
        value_parser = clap::value_parser!(i64).range(1..=36_525)
    )]
    keep_days: Option<i64>,
}

fn period(text: &str) -> Result<Duration, String> {
    let wrong = || "a time is a whole number with m, h or d, such as 30m, 6h or 1d".to_owned();
    let unit = text.chars().last().ok_or_else(wrong)?;
    let number: u64 = text[..text.len() - unit.len_utf8()].parse().map_err(|_| wrong())?;
    let seconds = match unit {
        'm' => 60,
        'h' => 3600,
        'd' => 86_400,
        _ => return Err(wrong()),
    };
    let period = Duration::from_secs(number.saturating_mul(seconds));
    if (SHORTEST..=LONGEST).contains(&period) { Ok(period) } else { Err("it must be 1m to 366d".to_owned()) }
}

pub(super) async fn run(arguments: Arguments) -> Outcome {
    let Arguments { command, copy, database, keys } = arguments;
    if let Some(Command::Verify(asked)) = command {
        return verify(&asked).await;
    }
    if sqlite_path(&database.url).is_none() {
        let reason = "only SQLite databases are copied by this command; use pg_dump for PostgreSQL, and `flagstone \
                      backup verify` for what pg_restore makes of it";
        return Err(reason.into());
    }
    let vault = keys.unlock_existing(&database)?;
    let retention = Retention { keep: copy.keep.map(usize::from), days: copy.keep_days };
    match (copy.file, copy.directory, copy.every) {
        (Some(file), ..) => {
            let db = open(&database, Opening::CurrentOrOlder).await?;
            let made = backups::make(&db, vault.as_ref(), &file).await;
            db.close().await?;
            tell(&made?)
        }
        (None, Some(directory), None) => {
            once(&database, vault.as_ref(), &BackupDirectory::at(directory), retention).await
        }
        (None, Some(directory), Some(every)) => {
            go_on(&database, vault.as_ref(), &BackupDirectory::at(directory), retention, every).await
        }
        (None, None, _) => Err("name a file, or a directory with --directory".into()),
    }
}

async fn once(
    database: &DatabaseChoice,
    vault: Option<&Vault>,
    directory: &BackupDirectory,
    retention: Retention,
) -> Outcome {
    let db = open(database, Opening::CurrentOrOlder).await?;
    let made = backups::make_in_directory(&db, vault, directory, retention, Clock::system().now()).await;
    db.close().await?;
    tell(&made?)
}

/// Makes copies until stopped. The first is due a period after the newest that is there.
async fn go_on(
    database: &DatabaseChoice,
    vault: Option<&Vault>,
    directory: &BackupDirectory,
    retention: Retention,
    every: Duration,
) -> Outcome {
    let stop = signal();
    tokio::pin!(stop);
    let copies = directory.copies().map_err(|error| format!("{}: {error}", directory.path().display()))?;
    let age = copies.last().map(|newest| Clock::system().now().millis() - newest.made_at.millis());
    let age = age.and_then(|millis| u64::try_from(millis).ok()).map(Duration::from_millis);
    let mut wait = age.map_or(Duration::ZERO, |age| every.saturating_sub(age));
    let mut last: Outcome = Ok(());
    loop {
        tokio::select! {
            // First, so that it listens before the first copy is made: a signal to stop then is no failure.
            biased;
            () = &mut stop => return last,
            () = tokio::time::sleep(wait) => {}
        }
        last = once(database, vault, directory, retention).await;
        wait = every;
        if let Err(error) = &last {
            wait = RETRY.min(every);
            // A lost reader is no reason to stop.
            let _unheard = say(&format!("error: {error}"));
        }
    }
}

fn tell(made: &Made) -> Outcome {
    say(&format!("{} bytes copied to {}.", made.bytes, made.path.display()))?;
    say(&found(&made.report))?;
    if !made.is_counted {
        say("The disk was too slow to count the rows of the source at the same moment.")?;
    }
    for note in &made.report.notes {
        say(note)?;
    }
    for removed in &made.removed {
        say(&format!("Removed {}.", removed.display()))?;
    }
    say("The key file is not part of the copy; keep it elsewhere.")?;
    Ok(())
}

/// Sentence with the counts of a database that is whole.
pub(super) fn found(report: &Report) -> String {
    let newest = report.newest.map(|newest| format!(", the newest event of {newest}")).unwrap_or_default();
    format!("It is whole: {} rows in {} tables{newest}.", report.rows(), report.tables.len())
}

async fn verify(asked: &Verify) -> Outcome {
    let Hidden(what) = &asked.what;
    let is_server = is_postgres(what);
    let path = sqlite_path(what).map_or_else(|| PathBuf::from(what), PathBuf::from);
    // The key in the directory of a copy, if there is one, is that of the copy.
    let url = if is_server { what.clone() } else { format!("sqlite://{}", path.display()) };
    let vault = asked.keys.unlock_existing(&DatabaseChoice::at(url.clone()))?;
    let report = if is_server {
        let db = Db::open_read_only(&url).await?;
        let report = backups::verify(&db, None, vault.as_ref()).await;
        db.close().await?;
        report?
    } else {
        backups::verify_file(&path, None, vault.as_ref()).await?
    };
    let name = if is_server { "The database".to_owned() } else { path.display().to_string() };
    if !report.faults.is_empty() {
        return Err(format!("{name} is not whole: {}", report.faults.join("; ")).into());
    }
    let width = report.tables.keys().map(String::len).max().unwrap_or_default();
    for (table, rows) in &report.tables {
        say(&format!("{table:width$}  {rows:>9}"))?;
    }
    say(&found(&report))?;
    for note in &report.notes {
        say(note)?;
    }
    if report.key == crate::store::settings::KeyFit::NoKey {
        say("Whether its key is at hand was not tried: name it with FLAGSTONE_KEY_FILE or FLAGSTONE_SECRET_KEY.")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_whole_numbers_of_a_unit() {
        for (text, minutes) in [("1m", 1), ("90m", 90), ("6h", 360), ("1d", 1440)] {
            assert_eq!(period(text), Ok(Duration::from_mins(minutes)));
        }
        for text in ["", "6", "h", "0m", "-1h", "1.5h", "6 h", "1w", "6ß", "367d", "99999999999999999999d"] {
            assert!(period(text).is_err(), "{text}");
        }
    }
}
