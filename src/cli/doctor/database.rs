//! Whether the database can be reached, and is set up as it should be.

use super::{Findings, close};
use crate::{
    clock::Clock,
    config::{DatabaseChoice, Options},
    domain::time::Timestamp,
    store::{
        condition::{PostgresCondition, of_postgres, of_sqlite},
        db::{Db, sqlite_path},
        schema,
    },
};

const ABOUT: &str = "database";
/// The oldest version of PostgreSQL that its makers still mend.
const OLDEST: i32 = 140_000;
/// Connections that a node opens: for reads and transactions, to listen, and for upkeep.
const OF_A_NODE: i64 = 26;
/// Largest difference allowed between two clocks.
const APART_MS: i64 = 5_000;

pub(super) async fn open(findings: &mut Findings, database: &DatabaseChoice) -> Option<Db> {
    if let Some(path) = sqlite_path(&database.url)
        && !path.exists()
    {
        let found = format!("there is none at {}", path.display());
        findings.fail(
            ABOUT,
            found,
            "start the server, which makes it, or name it with DATABASE_URL; after a loss: `flagstone restore`",
        );
        return None;
    }
    match Db::open_read_only(&database.url).await {
        Ok(db) => Some(db),
        Err(error) => {
            findings.fail(
                ABOUT,
                format!("it cannot be opened: {error}"),
                "check DATABASE_URL, that its server runs, and who may read it",
            );
            None
        }
    }
}

pub(super) async fn look(findings: &mut Findings, options: &Options, db: &Db, clock: &Clock) {
    if db.is_shared() {
        match of_postgres(db).await {
            Ok(condition) => postgres(findings, &condition, clock.now()),
            Err(error) => unreadable(findings, &error),
        }
        return schema(findings, db).await;
    }
    let path = sqlite_path(&options.database.url).map(|path| path.display().to_string()).unwrap_or_default();
    match of_sqlite(db).await {
        Ok(condition) if condition.faults.is_empty() => {
            findings.ok(ABOUT, format!("SQLite {}, {path}, whose pages are in order", condition.version));
            let (free, all) = condition.pages;
            if condition.journal_mode == "wal" {
                findings.ok("journal", "wal, as a server wants it; a server syncs each commit");
            } else {
                findings.ok("journal", format!("{}; the next start makes it wal", condition.journal_mode));
            }
            if free > 1000 && free > all / 2 {
                findings.warn(
                    "room in it",
                    format!("{free} of {all} pages hold nothing"),
                    "a restored backup takes less room, if that matters",
                );
            }
        }
        Ok(condition) => findings.fail(
            ABOUT,
            format!("{path} is damaged: {}", condition.faults.join("; ")),
            "stop the server, keep the file, check the disk, and `flagstone restore --replace` the newest backup",
        ),
        Err(error) => unreadable(findings, &error),
    }
    schema(findings, db).await;
}

/// Checks that the schema was changed by Flagstone alone.
async fn schema(findings: &mut Findings, db: &Db) {
    match schema::differences(db).await {
        Ok(differences) if differences.is_empty() => {}
        Ok(differences) => findings.fail(
            "schema",
            differences.join("; "),
            "find out who changed it, and restore a backup from before: what it says cannot be believed",
        ),
        // An empty or foreign one has another finding.
        Err(_) => {}
    }
}

fn unreadable(findings: &mut Findings, error: &dyn std::fmt::Display) {
    findings.fail(
        ABOUT,
        format!("it cannot be read: {error}"),
        "if it is damaged or no database of Flagstone: keep it aside, and restore the newest backup (docs/backup.md)",
    );
}

fn postgres(findings: &mut Findings, condition: &PostgresCondition, now: Timestamp) {
    if condition.version < OLDEST {
        findings.warn(
            ABOUT,
            format!("PostgreSQL {}", condition.version_text),
            "upgrade it: its makers mend this version no more",
        );
    } else {
        findings.ok(ABOUT, format!("PostgreSQL {}", condition.version_text));
    }
    if condition.encoding != "UTF8" {
        findings.fail(
            "encoding",
            condition.encoding.clone(),
            "make a database with ENCODING 'UTF8', and restore into that",
        );
    }
    if condition.has_trigrams {
        findings.ok("extension", "pg_trgm is there");
    } else if condition.offers_trigrams {
        findings.fail("extension", "pg_trgm is missing", "CREATE EXTENSION pg_trgm, as the owner of the database");
    } else {
        findings.fail("extension", "pg_trgm is not installed", "install PostgreSQL's contrib package on its machine");
    }
    settings(findings, condition);
    let left = i64::from(condition.most_connections) - condition.connections;
    let found = format!("{} of {} are open", condition.connections, condition.most_connections);
    if left < OF_A_NODE {
        findings.warn("connections", found, format!("raise max_connections: a node opens up to {OF_A_NODE}"));
    } else {
        findings.ok("connections", found);
    }
    let apart = now.millis() - condition.now;
    if apart.abs() > APART_MS {
        let (seconds, direction) = (apart.abs() / 1000, if apart > 0 { "ahead of" } else { "behind" });
        findings.fail(
            "its clock",
            format!("the clock of this machine is {seconds} s {direction} that of the database"),
            "have both follow a time server (timedatectl set-ntp true)",
        );
    } else {
        findings.ok("its clock", "like that of this machine");
    }
}

/// Checks settings of the server that keep it from working, or endanger what it stores.
fn settings(findings: &mut Findings, condition: &PostgresCondition) {
    if condition.is_replica {
        findings.fail("role", "the server is a replica and takes no changes", "name the primary with DATABASE_URL");
    } else if condition.is_read_only {
        findings.fail(
            "role",
            "transactions are read-only for this role or database",
            "ALTER ROLE or DATABASE … RESET default_transaction_read_only",
        );
    }
    if condition.fsync != "on" {
        findings.warn("fsync", "off: a loss of power loses or damages the database", "set fsync = on");
    }
    if condition.isolation != "read committed" {
        findings.warn(
            "isolation",
            condition.isolation.clone(),
            "reset default_transaction_isolation: the server expects read committed",
        );
    }
    if condition.has_stale_collation {
        findings.warn(
            "collation",
            "the system sorts by other rules than when the indexes were made",
            "REINDEX DATABASE, then ALTER DATABASE … REFRESH COLLATION VERSION",
        );
    }
}

pub(super) async fn replica(findings: &mut Findings, url: &str, bound_ms: u64) {
    let about = "replica";
    let db = match Db::open_read_only(url).await {
        Ok(db) => db,
        Err(error) => {
            findings.warn(
                about,
                format!("it cannot be opened: {error}"),
                "check DATABASE_READ_URL; meanwhile the database itself is read",
            );
            return;
        }
    };
    match of_postgres(&db).await {
        Ok(condition) if !condition.is_replica => {
            findings.warn(
                about,
                "it takes writes itself: a primary, or promoted",
                "name a replica with DATABASE_READ_URL",
            );
        }
        Ok(condition) => {
            let behind = condition.seconds_behind.unwrap_or_default();
            let found = format!("it is {behind:.1} s behind");
            let bound = std::time::Duration::from_millis(bound_ms).as_secs_f64();
            if behind > bound {
                findings.warn(
                    about,
                    found,
                    "see its load and its network; until it catches up the database itself is read",
                );
            } else {
                findings.ok(about, found);
            }
        }
        Err(error) => findings.warn(about, format!("it cannot be read: {error}"), "see the log of that server"),
    }
    close(db).await;
}
