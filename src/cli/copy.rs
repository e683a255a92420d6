//! `flagstone copy`: moves up from SQLite to PostgreSQL.

use std::path::PathBuf;

use clap::Args;

use crate::{
    cli::{Outcome, progress, say},
    config::Hidden,
    store::{
        copy::{self, Copied, Progress},
        db::{is_postgres, sqlite_path},
    },
};

/// Source and target of the copy.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Database to copy: `sqlite://PATH`. It is only read; a server may be using it, but what that writes after the
    /// start stays behind.
    #[arg(long, value_name = "URL")]
    from: Hidden,
    /// Empty database that receives everything: `postgres://…`.
    #[arg(long, value_name = "URL")]
    to: Hidden,
}

/// Copies and checks everything. What fails leaves the target without a row of the source.
pub(super) async fn run(arguments: &Arguments) -> Outcome {
    let (Hidden(from), Hidden(to)) = (&arguments.from, &arguments.to);
    let file = source(from, to)?;
    let bar = progress::Progress::new("copying {bar:40} {percent:>3}% {elapsed} {msg}", 10);
    let copied = copy::everything(&file, to, &|progress| tell(&bar, progress)).await;
    bar.end();
    for line in table(&copied?) {
        say(&line)?;
    }
    say("Give every node the key of the old server (FLAGSTONE_SECRET_KEY or FLAGSTONE_KEY_FILE).")?;
    Ok(())
}

/// The file to copy, if a copy goes this way.
fn source(from: &str, to: &str) -> Result<PathBuf, String> {
    if from == to {
        return Err("--from and --to name the same database".to_owned());
    }
    if is_postgres(from) && sqlite_path(to).is_some() {
        return Err(
            "a copy goes from SQLite to PostgreSQL, not back; `flagstone export` and `flagstone import` carry \
                    features either way"
                .to_owned(),
        );
    }
    let Some(file) = sqlite_path(from) else {
        return Err("--from must name a SQLite database, sqlite://PATH".to_owned());
    };
    if !is_postgres(to) {
        return Err("--to must name a PostgreSQL database, postgres://USER@HOST/NAME".to_owned());
    }
    if !file.is_file() {
        return Err(format!("there is no database at {}", file.display()));
    }
    Ok(file.to_owned())
}

/// Moves the bar, or prints each tenth where there is none.
fn tell(bar: &progress::Progress, progress: Progress<'_>) {
    match progress {
        Progress::Begins(steps) => bar.begin(steps),
        Progress::At(what) => bar.at(what),
        Progress::Done(steps) => {
            if let Some(tenths) = bar.advance(steps) {
                // A lost reader is no reason to stop.
                let _unheard = say(&format!("{tenths}0 %, at {}", bar.message()));
            }
        }
    }
}

/// The result as lines: every table with its rows and checksum.
fn table(copied: &[Copied]) -> Vec<String> {
    let width = copied.iter().map(|table| table.table.len()).max().unwrap_or_default();
    let line = |table: &Copied| format!("{:width$}  {:>9}  {:032x}", table.table, table.rows, table.checksum);
    let rows: u64 = copied.iter().map(|table| table.rows).sum();
    let mut lines = vec![format!("{:width$}  {:>9}  checksum", "table", "rows")];
    lines.extend(copied.iter().map(line));
    lines.push(format!("{rows} rows of {} tables came over, and read the same on both sides.", copied.len()));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_goes_from_a_file_to_a_postgresql_server() {
        let postgres = "postgres://ada:secret@db.example.com/flagstone";
        let cases = [
            (postgres, postgres, "--from and --to name the same database"),
            ("sqlite://a.db", "sqlite://a.db", "--from and --to name the same database"),
            (postgres, "sqlite://a.db", "not back"),
            (postgres, "postgresql://ada:secret@db.example.com/other", "--from must name a SQLite database"),
            ("flagstone.db", postgres, "--from must name a SQLite database"),
            ("sqlite://a.db", "sqlite://b.db", "--to must name a PostgreSQL database"),
            ("sqlite://a.db", "mysql://ada:secret@db.example.com/flagstone", "--to must name a PostgreSQL database"),
            ("sqlite://nowhere/a.db", postgres, "there is no database at nowhere/a.db"),
            ("sqlite://src", postgres, "there is no database at src"),
        ];
        for (from, to, complaint) in cases {
            let refused = source(from, to).expect_err(complaint);
            assert!(refused.contains(complaint), "{from} to {to}: {refused}");
            assert!(!refused.contains("secret"), "{refused}");
        }
        assert_eq!(source("sqlite://Cargo.toml?mode=ro", postgres), Ok(PathBuf::from("Cargo.toml")));
    }

    #[test]
    fn the_result_is_a_table() {
        let copied = |table: &str, rows, checksum| Copied { table: table.to_owned(), rows, checksum };
        let lines = table(&[copied("event", 1_000_000, 255), copied("tag", 0, 0)]);
        let expected = [
            "table       rows  checksum",
            "event    1000000  000000000000000000000000000000ff",
            "tag            0  00000000000000000000000000000000",
            "1000000 rows of 2 tables came over, and read the same on both sides.",
        ];
        assert_eq!(lines, expected);
    }
}
