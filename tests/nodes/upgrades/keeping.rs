//! Makes what `tests/upgrades` keeps: `tests/upgrades/keep` runs it at each release.

use std::{fs, io::Write as _, path::Path, process::Command};

use flagstone::{
    clock::Clock,
    domain::time::Timestamp,
    store::{backup, db::pool},
};
use flagstone_migrations::Migrator;
use flate2::{Compression, write::GzEncoder};
use sea_orm::{ConnectionTrait as _, Database, DatabaseConnection, Statement};
use sea_orm_migration::MigratorTrait as _;

use super::{Answered, Kept, directory};
use crate::{
    cluster::{Node, empty_database},
    copying::{
        answers::{self, Question},
        shop::{self, Keys},
    },
};

/// When the kept server was worked with.
const THEN: &str = "2026-11-21T12:30:00.000Z";

/// Keeps a worked-with server of this version as the environment says: `FLAGSTONE_KEEP` is its name, and
/// `FLAGSTONE_KEEP_MIGRATIONS` the migrations that its schema is to have, when those are not all.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "writes into tests/upgrades; tests/upgrades/keep runs it"]
#[expect(clippy::disallowed_methods, reason = "what to keep is no setting of the program")]
async fn keep() {
    let name = std::env::var("FLAGSTONE_KEEP").expect("FLAGSTONE_KEEP names what is kept");
    let steps: Option<u32> = std::env::var("FLAGSTONE_KEEP_MIGRATIONS").ok().and_then(|steps| steps.parse().ok());
    let url = empty_database().await.expect("FLAGSTONE_TEST_DATABASE names a PostgreSQL server");
    let target = directory().join(name);
    fs::create_dir_all(&target).expect("makes the directory");
    let work = tempfile::tempdir().expect("a directory");
    let file = |name: &str| work.path().join(name);
    let clock = Clock::manual(Timestamp::parse(THEN).expect("a time"));
    let worked = format!("sqlite://{}", file("worked.db").display());
    let node = Node::start(&worked, clock.clone()).await;
    let keys = shop::open(&node, &clock).await;
    let copy = file("kept.db");
    match steps {
        None => {
            backup::copy_into(&node.state.db, &copy).await.expect("copies");
            let from = format!("sqlite://{}", copy.display());
            let mut copying = Command::new(env!("CARGO_BIN_EXE_flagstone"));
            copying.args(["copy", "--from", &from, "--to", &url]);
            assert!(copying.output().expect("the program").status.success());
        }
        Some(steps) => {
            older_file(&file("worked.db"), &copy, steps).await;
            older_server(&copy, &url, steps).await;
        }
    }
    drop(node);
    pack(&fs::read(&copy).expect("a copy"), &target.join("sqlite.db.gz"));
    pack(dump(&url).as_bytes(), &target.join("postgres.sql.gz"));
    let kept = Kept { now: clock.now().to_string(), answers: ask(&copy, clock, &keys).await };
    pack(&serde_json::to_vec(&kept).expect("JSON"), &target.join("answers.json.gz"));
}

/// Everything that a server on this file answers, which is upgraded for it.
async fn ask(file: &Path, clock: Clock, keys: &Keys) -> Vec<Answered> {
    let node = Node::start(&format!("sqlite://{}", file.display()), clock).await;
    let mut answered = Vec::new();
    for Question { id, method, address, body } in answers::questions(keys) {
        for (header, secret) in &keys.callers {
            let (status, answer) =
                answers::answer(&node, method.clone(), &address, body.clone(), (header, secret)).await;
            if status < 400 {
                answered.push(Answered {
                    operation: id.to_owned(),
                    method: method.to_string(),
                    address: address.clone(),
                    header: (*header).to_owned(),
                    secret: secret.clone(),
                    body: body.clone(),
                    status,
                    answer,
                });
            }
        }
    }
    answered
}

async fn migrated(url: &str, steps: u32) -> DatabaseConnection {
    let connection = Database::connect(pool(url, 1)).await.expect("opens");
    Migrator::up(&connection, Some(steps)).await.expect("migrates");
    connection
}

async fn rows(connection: &DatabaseConnection, sql: &str) -> Vec<(String, String)> {
    let statement = Statement::from_string(connection.get_database_backend(), sql);
    let rows = connection.query_all_raw(statement).await.expect(sql);
    let text = |row: &sea_orm::QueryResult, index| row.try_get_by_index::<String>(index).expect("a text");
    rows.iter().map(|row| (text(row, 0), text(row, 1))).collect()
}

/// Makes a file of an older schema with what it would hold of a newer one.
async fn older_file(newer: &Path, older: &Path, steps: u32) {
    let old = migrated(&format!("sqlite://{}?mode=rwc", older.display()), steps).await;
    let run = async |sql: String| old.execute_unprepared(&sql).await.map(|_| ()).expect(&sql);
    run(format!("PRAGMA foreign_keys = OFF; ATTACH '{}' AS newer", newer.display())).await;
    let shared = "SELECT t.name, group_concat('\"' || c.name || '\"') FROM pragma_table_list t \
                  JOIN pragma_table_xinfo(t.name) c JOIN pragma_table_xinfo(t.name, 'newer') n ON n.name = c.name \
                  WHERE t.schema = 'main' AND t.type = 'table' AND c.hidden = 0 AND n.hidden = 0 \
                  AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND t.name <> 'seaql_migrations' GROUP BY t.name";
    let tables = rows(&old, shared).await;
    for (table, _) in &tables {
        run(format!("DELETE FROM main.\"{table}\"")).await;
    }
    for (table, columns) in &tables {
        run(format!("INSERT INTO main.\"{table}\" ({columns}) SELECT {columns} FROM newer.\"{table}\"")).await;
    }
    run("DETACH newer; VACUUM".to_owned()).await;
    old.close().await.expect("closes");
}

/// Makes a database of an older schema on PostgreSQL, with what the older file holds.
async fn older_server(file: &Path, url: &str, steps: u32) {
    let old = Database::connect(pool(format!("sqlite://{}", file.display()), 1)).await.expect("opens");
    let new = migrated(url, steps).await;
    let columns = "SELECT c.relname::text, string_agg(a.attname::text, ',' ORDER BY a.attnum) FROM pg_class c \
                   JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '' \
                   WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace \
                   AND c.relname <> 'seaql_migrations' GROUP BY c.relname";
    let mut waiting = rows(&new, columns).await;
    let names: Vec<String> = waiting.iter().map(|(table, _)| format!("\"{table}\"")).collect();
    new.execute_unprepared(&format!("TRUNCATE {}", names.join(", "))).await.expect("empties");
    // Rows that others refer to come first.
    while !waiting.is_empty() {
        let before = waiting.len();
        let mut refused = Vec::new();
        for (table, columns) in waiting {
            let names: Vec<&str> = columns.split(',').collect();
            let pairs: Vec<String> = names.iter().map(|name| format!("'{name}', {}", value_of(&table, name))).collect();
            let pairs = pairs.chunks(40).map(|pairs| format!("json_object({})", pairs.join(", ")));
            let row = pairs.reduce(|one, other| format!("json_patch({one}, {other})")).expect("a column");
            let sql = format!("SELECT '', coalesce(json_group_array(json({row})), '[]') FROM \"{table}\"");
            let content = rows(&old, &sql).await.remove(0).1;
            let list = names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
            let insert = format!(
                "INSERT INTO \"{table}\" ({list}) SELECT {list} FROM json_populate_recordset(NULL::\"{table}\", $1::json)"
            );
            let statement =
                Statement::from_sql_and_values(sea_orm::DatabaseBackend::Postgres, insert, [content.into()]);
            if new.execute_raw(statement).await.is_err() {
                refused.push((table, columns));
            }
        }
        assert!(refused.len() < before, "rows of {refused:?} cannot be carried over");
        waiting = refused;
    }
    let sequences = "SELECT format('SELECT setval(%L, greatest((SELECT max(%I) FROM %I), 1))', \
                     pg_get_serial_sequence(quote_ident(c.relname), a.attname), a.attname, c.relname), '' \
                     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped \
                     WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace \
                     AND pg_get_serial_sequence(quote_ident(c.relname), a.attname) IS NOT NULL";
    for (set, _) in rows(&new, sequences).await {
        new.execute_unprepared(&set).await.expect("numbers go on");
    }
    new.close().await.expect("closes");
    old.close().await.expect("closes");
}

/// A value as PostgreSQL reads it from JSON: bytes as it writes them, and the rest as it is.
fn value_of(table: &str, column: &str) -> String {
    let name = format!("\"{table}\".\"{column}\"");
    format!("CASE WHEN typeof({name}) = 'blob' THEN '\\x' || lower(hex({name})) ELSE {name} END")
}

/// The database as statements that a connection can be handed.
fn dump(url: &str) -> String {
    let mut dumping = Command::new("pg_dump");
    dumping.args(["--no-owner", "--no-acl", "--no-comments", "--rows-per-insert=50", "--dbname", url]);
    let output = dumping.output().expect("pg_dump");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("text");
    // What only psql understands, or newer servers alone.
    let is_kept = |line: &&str| {
        !line.starts_with('\\') && !line.starts_with("--") && !line.starts_with("SET transaction_timeout")
    };
    text.split_inclusive('\n').filter(is_kept).collect()
}

fn pack(bytes: &[u8], path: &Path) {
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    packed.write_all(bytes).expect("packs");
    let packed = packed.finish().expect("packs");
    fs::write(path, packed).expect("writes");
}
