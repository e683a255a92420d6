//! `flagstone copy`: everything comes over and goes on where it was, or nothing is kept.

pub mod answers;
mod requests;
pub mod shop;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
};

use flagstone::{
    clock::Clock,
    config::presets::Presets,
    domain::time::Timestamp,
    jobs::{self, JOBS},
    start,
    store::{
        self,
        db::{Db, pool},
    },
};
use sea_orm::{ConnectionTrait, Database, DatabaseConnection, Statement};

use crate::cluster::{Node, empty_database, eventually};

fn command(from: &str, to: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_flagstone"));
    command.args(["copy", "--from", from, "--to", to]).env_clear().stdin(Stdio::null());
    command
}

fn copy(from: &str, to: &str) -> Output {
    command(from, to).output().expect("the program")
}

fn copied(from: &str, to: &str) -> String {
    let output = copy(from, to);
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{printed}{}", String::from_utf8_lossy(&output.stderr));
    printed
}

/// Complaint of a copy that fails.
fn complaint(from: &str, to: &str) -> String {
    let output = copy(from, to);
    let printed = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{printed}");
    assert!(!printed.contains("came over"), "{printed}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The rows of each table as a copy printed them.
fn rows_of(printed: &str) -> BTreeMap<String, i64> {
    let lines = printed.lines().skip_while(|line| !line.starts_with("table "));
    let lines = lines.skip(1).take_while(|line| !line.contains("came over"));
    lines
        .map(|line| match line.split_whitespace().collect::<Vec<_>>()[..] {
            [table, rows, checksum] if checksum.len() == 32 => (table.to_owned(), rows.parse().expect("a number")),
            _ => panic!("{line}"),
        })
        .collect()
}

/// A SQLite file with the schema of this program, and the connection that can change it.
async fn migrated_file(directory: &Path) -> (String, DatabaseConnection) {
    let url = format!("sqlite://{}", directory.join("old.db").display());
    let db = Db::open(&url).await.expect("opens");
    store::migrate::migrate(&db).await.expect("migrates");
    db.close().await.expect("closes");
    (url.clone(), Database::connect(pool(url, 1)).await.expect("opens"))
}

async fn migrated(url: &str) -> DatabaseConnection {
    let db = Db::open(url).await.expect("opens");
    store::migrate::migrate(&db).await.expect("migrates");
    db.close().await.expect("closes");
    Database::connect(pool(url, 1)).await.expect("opens")
}

async fn run(connection: &DatabaseConnection, sql: &str) {
    connection.execute_unprepared(sql).await.expect(sql);
}

async fn texts(connection: &impl ConnectionTrait, sql: &str) -> Vec<String> {
    let statement = Statement::from_string(connection.get_database_backend(), sql);
    let rows = connection.query_all_raw(statement).await.expect(sql);
    rows.iter().map(|row| row.try_get_by_index(0).expect("a text")).collect()
}

async fn count(connection: &impl ConnectionTrait, sql: &str) -> i64 {
    let statement = Statement::from_string(connection.get_database_backend(), sql);
    let row = connection.query_one_raw(statement).await.expect(sql).expect("a row");
    row.try_get_by_index(0).expect("a number")
}

/// The tables of people's data in a SQLite database.
async fn tables_of(db: &impl ConnectionTrait) -> Vec<String> {
    let sql = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' \
               AND name NOT LIKE 'sqlite%' AND name <> 'seaql_migrations'";
    texts(db, sql).await
}

/// Everything that the schema of a PostgreSQL database says besides its tables and columns.
async fn rules_of(connection: &DatabaseConnection) -> Vec<String> {
    let sql = "SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' UNION ALL \
               SELECT format('%s %s %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) FROM pg_constraint \
               WHERE connamespace = 'public'::regnamespace ORDER BY 1";
    texts(connection, sql).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everything_comes_over_and_the_new_server_goes_on_where_the_old_one_was() {
    let Some(url) = empty_database().await else { return };
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("old.db");
    let from = format!("sqlite://{}", file.display());
    let clock = Clock::manual(Timestamp::parse("2026-11-21T12:30:00.000Z").expect("valid"));
    let old = Node::start(&from, clock.clone()).await;
    let keys = shop::open(&old, &clock).await;
    let mut expected = BTreeMap::new();
    for table in tables_of(&old.state.db).await {
        let rows = count(&old.state.db, &format!("SELECT count(*) FROM \"{table}\"")).await;
        expected.insert(table, rows);
    }
    let bare: Vec<_> = expected.iter().filter(|(_, rows)| **rows == 0).collect();
    assert!(bare.is_empty(), "no row, and so no proof, for {bare:?}");

    // The new server was started once already; what it made for itself gives way.
    let first = Node::start(&url, clock.clone()).await;
    let state = &first.state;
    start::prepare(&state.db, &state.vault, &clock, &state.passwords, &Presets::default()).await.expect("starts");
    for job in &JOBS {
        jobs::run_if_due(state, job).await.expect("runs");
    }
    drop(first);

    let files = || ["old.db", "old.db-wal"].map(|name| std::fs::read(directory.path().join(name)).ok());
    let before = files();
    let printed = copied(&from, &url);
    assert!(before == files(), "the source was written to");
    assert_eq!(rows_of(&printed), expected);
    assert!(printed.contains("\n100 %, at "), "{printed}");
    assert!(printed.contains("FLAGSTONE_SECRET_KEY"), "{printed}");
    for (_, secret) in &keys.callers {
        assert!(!printed.contains(secret.as_str()), "{printed}");
    }

    // Both start anew, so that neither remembers more than its database.
    drop(old);
    let old = Node::start(&from, clock.clone()).await;
    let new = Node::start(&url, clock.clone()).await;
    assert_eq!(answers::compare(&old, &new, &keys).await, [""; 0]);
    answers::compare_new_things(&old, &new, &keys).await;
    let refused = complaint(&from, &url);
    assert!(refused.contains("the target is in use, it holds rows in api_token ("), "{refused}");
}

#[tokio::test]
async fn tables_of_later_versions_come_over_and_every_value_stays_what_it_is() {
    let Some(url) = empty_database().await else { return };
    let directory = tempfile::tempdir().expect("a directory");
    let (from, old) = migrated_file(directory.path()).await;
    let new = migrated(&url).await;
    let columns = "note TEXT, weight DOUBLE PRECISION, whole BIGINT, truth BOOLEAN, raw BYTEA, \
                   parent BIGINT REFERENCES later (id), twice TEXT GENERATED ALWAYS AS (note || note) STORED";
    run(
        &old,
        &format!("CREATE TABLE later (id INTEGER PRIMARY KEY AUTOINCREMENT, {columns})").replace("BYTEA", "BLOB"),
    )
    .await;
    run(&new, &format!("CREATE TABLE later (id BIGSERIAL PRIMARY KEY, {columns})")).await;
    run(&new, "CREATE UNIQUE INDEX ux_later ON later (lower(note)) WHERE truth").await;
    run(
        &old,
        "INSERT INTO later (id, note, weight, whole, truth, raw, parent) VALUES \
         (1, '\\N', 0.1, -9223372036854775808, 1, x'005cff0a', 3), (2, '', -0.5, 9223372036854775807, 0, x'', NULL), \
         (3, '\\.', 5e-324, 0, NULL, NULL, 2), (4, NULL, 1.7976931348623157e308, NULL, 1, x'5c78', 4), \
         (5, 'a' || char(9) || char(10) || char(13) || char(92) || char(128681) || '''\"', 9e999, 1, 0, x'00', NULL), \
         (9, 'gone', NULL, NULL, NULL, NULL, NULL)",
    )
    .await;
    run(&old, "DELETE FROM later WHERE id = 9").await;
    let rules = rules_of(&new).await;
    let printed = copied(&from, &url);
    assert_eq!(rows_of(&printed)["later"], 5);
    assert_eq!(rules_of(&new).await, rules);
    let kept = texts(
        &new,
        "SELECT concat_ws('|', id, coalesce(note, 'none'), coalesce(weight::text, 'none'), coalesce(whole::text, 'none'), \
         coalesce(truth::text, 'none'), coalesce(encode(raw, 'hex'), 'none'), coalesce(parent::text, 'none'), \
         coalesce(length(twice)::text, 'none')) FROM later ORDER BY id",
    )
    .await;
    let expected = [
        "1|\\N|0.1|-9223372036854775808|true|005cff0a|3|4",
        "2||-0.5|9223372036854775807|false||none|0",
        "3|\\.|5e-324|0|none|none|2|4",
        "4|none|1.7976931348623157e+308|none|true|5c78|4|none",
        "5|a\t\n\r\\\u{1f6a9}'\"|Infinity|1|false|00|none|16",
    ];
    assert_eq!(kept, expected);
    let next = count(&new, "INSERT INTO later (note) VALUES ('next') RETURNING id").await;
    assert_eq!(next, 10, "numbers of rows that are gone do not come back");

    run(&old, "CREATE TABLE latest (id INTEGER PRIMARY KEY)").await;
    let Some(url) = empty_database().await else { return };
    let refused = complaint(&from, &url);
    assert!(refused.contains("only the source has later.id"), "{refused}");
}

/// Numbers of rows in a database that nothing was ever done with.
async fn rows_in(connection: &DatabaseConnection) -> (i64, i64, i64) {
    let features = count(connection, "SELECT count(*) FROM feature").await;
    let events = count(connection, "SELECT count(*) FROM event").await;
    (features, events, count(connection, "SELECT count(*) FROM context_field").await)
}

/// Puts a feature and an event into a file.
async fn work(old: &DatabaseConnection) {
    run(
        old,
        "INSERT INTO feature (name, project, type, description, stale, impression_data, created_at, search_text) \
         VALUES ('f', 'default', 'release', 'as it is', FALSE, FALSE, 1, 'f')",
    )
    .await;
    run(
        old,
        "INSERT INTO event (created_at, type, created_by, search_payload, search_origin, reason) \
         VALUES (1, 'feature-created', 'ada', '', '', 'the sale')",
    )
    .await;
}

#[tokio::test]
async fn a_copy_that_fails_keeps_nothing() {
    let Some(url) = empty_database().await else { return };
    let directory = tempfile::tempdir().expect("a directory");
    let (from, old) = migrated_file(directory.path()).await;
    work(&old).await;
    let new = migrated(&url).await;
    let (seeds, rules) = (rows_in(&new).await, rules_of(&new).await);
    let trigger = |work: &str| {
        format!(
            "CREATE OR REPLACE FUNCTION meddle() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN {work} RETURN NEW; END'; \
             CREATE OR REPLACE TRIGGER meddle BEFORE INSERT ON feature FOR EACH ROW EXECUTE FUNCTION meddle()"
        )
    };

    run(&new, &trigger("NEW.description = ''other'';")).await;
    let refused = complaint(&from, &url);
    assert!(refused.contains("feature reads differently from the target than from the source"), "{refused}");
    assert_eq!((rows_in(&new).await, rules_of(&new).await), (seeds, rules.clone()));

    run(&new, &trigger("RETURN NULL;")).await;
    assert!(complaint(&from, &url).contains("feature reads differently"));
    run(&new, &trigger("RAISE EXCEPTION ''no room'';")).await;
    assert!(complaint(&from, &url).contains("nothing was kept"));
    run(&new, "DROP TRIGGER meddle ON feature").await;

    run(&old, "PRAGMA foreign_keys = OFF").await;
    run(&old, "UPDATE feature SET project = 'nowhere'").await;
    let refused = complaint(&from, &url);
    assert!(refused.contains("fk_feature__project"), "{refused}");
    run(&old, "UPDATE feature SET project = 'default', description = 'a' || char(0)").await;
    let refused = complaint(&from, &url);
    assert!(refused.contains("a value in feature.description cannot be copied"), "{refused}");
    run(&old, "UPDATE feature SET description = 'as it is', created_at = 'yesterday'").await;
    let refused = complaint(&from, &url);
    assert!(refused.contains("a value in feature.created_at cannot be copied"), "{refused}");
    run(&old, "UPDATE feature SET created_at = 1").await;
    assert_eq!((rows_in(&new).await, rules_of(&new).await), (seeds, rules.clone()));

    let printed = copied(&from, &url);
    assert_eq!((rows_of(&printed)["feature"], rows_of(&printed)["event"]), (1, 1));
    assert_eq!((rows_in(&new).await, rules_of(&new).await), ((1, 1, seeds.2), rules));
    assert_eq!(count(&new, "SELECT count(*) FROM event WHERE reason = 'the sale'").await, 1);
}

#[tokio::test]
async fn a_copy_that_is_killed_keeps_nothing() {
    let Some(url) = empty_database().await else { return };
    let directory = tempfile::tempdir().expect("a directory");
    let (from, old) = migrated_file(directory.path()).await;
    work(&old).await;
    let new = migrated(&url).await;
    let seeds = rows_in(&new).await;
    // Each row waits for a lock that the test holds.
    run(
        &new,
        "CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS \
         'BEGIN SET LOCAL lock_timeout = 0; PERFORM pg_advisory_xact_lock(7); RETURN NEW; END'; \
         CREATE TRIGGER wait BEFORE INSERT ON feature FOR EACH ROW EXECUTE FUNCTION wait()",
    )
    .await;
    let holder = Database::connect(pool(&url, 1)).await.expect("opens");
    run(&holder, "SELECT pg_advisory_lock(7)").await;
    let mut copy: Child =
        command(&from, &url).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program");
    let waits = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'";
    eventually("the copy is under way", async || count(&new, waits).await == 1).await;
    copy.kill().expect("kills");
    copy.wait().expect("ends");
    run(&holder, "SELECT pg_advisory_unlock(7)").await;
    // Reads wait for the end of what was under way.
    assert_eq!(rows_in(&new).await, seeds);
    run(&new, "DROP TRIGGER wait ON feature").await;
    copied(&from, &url);
    assert_eq!(rows_in(&new).await, (1, 1, seeds.2));
}

#[tokio::test]
async fn what_cannot_be_copied_is_refused() {
    let Some(url) = empty_database().await else { return };
    let directory = tempfile::tempdir().expect("a directory");
    let path = |name: &str| -> PathBuf { directory.path().join(name) };
    let named = |name: &str| format!("sqlite://{}", path(name).display());
    let password = url.split(['@', ':']).nth(2).expect("a password");
    let refused = |from: &str, to: &str, why: &str| {
        let refused = complaint(from, to);
        assert!(refused.contains(why), "{refused}");
        assert!(!refused.contains(password), "the password is printed");
    };
    refused(&named("nothing.db"), &url, "there is no database at");
    assert!(!path("nothing.db").exists());
    refused(&url, &named("old.db"), "not back");
    std::fs::write(path("notes.txt"), "no database, but long enough to be taken for one".repeat(100)).expect("writes");
    refused(&named("notes.txt"), &url, "the source cannot be read");

    let (from, old) = migrated_file(directory.path()).await;
    let refusal = complaint(&from, "postgres://ada:Guess-1@127.0.0.1:1/flagstone");
    assert!(
        refusal.contains("the target: PostgreSQL at 127.0.0.1:1 cannot be reached") && !refusal.contains("Guess-1"),
        "{refusal}"
    );
    run(&old, "UPDATE seaql_migrations SET version = version || '~' WHERE version LIKE 'm0017%'").await;
    refused(&from, &url, "is of a newer version than this program");
    run(&old, "CREATE TABLE set_aside AS SELECT * FROM seaql_migrations WHERE version LIKE 'm0017%'").await;
    run(&old, "DELETE FROM seaql_migrations WHERE version LIKE 'm0017%'").await;
    refused(&from, &url, "run `flagstone migrate --database-url sqlite://");
    run(&old, "ALTER TABLE seaql_migrations RENAME TO other").await;
    refused(&from, &url, "is no database of Flagstone");
    let new = Database::connect(pool(&url, 1)).await.expect("opens");
    assert_eq!(count(&new, "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").await, 0, "still empty");
    run(&old, "ALTER TABLE other RENAME TO seaql_migrations").await;
    run(&old, "INSERT INTO seaql_migrations SELECT rtrim(version, '~'), applied_at FROM set_aside").await;
    run(&old, "DROP TABLE set_aside").await;

    run(&new, "CREATE TABLE invoice (id BIGINT)").await;
    refused(&from, &url, "the target is not Flagstone's, it holds invoice");
    assert_eq!(count(&new, "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").await, 1, "not migrated");
    run(&new, "DROP TABLE invoice").await;

    let new = migrated(&url).await;
    run(&new, "CREATE TABLE invoice (id BIGINT)").await;
    refused(&from, &url, "only the target has invoice.id");
    run(&new, "DROP TABLE invoice").await;
    let somebody = Db::open(&url).await.expect("opens");
    let tx = somebody.begin().await.expect("a transaction");
    tx.execute_unprepared("LOCK TABLE tag IN ACCESS SHARE MODE").await.expect("locks");
    refused(&from, &url, "somebody is at work in the target: stop every node that uses it");
    drop(tx);

    work(&new).await;
    refused(&from, &url, "the target is in use, it holds rows in event (1), feature (1): give an empty database");
    run(&new, "TRUNCATE feature, event CASCADE").await;
    assert!(!copied(&from, &url).contains(password));
}
