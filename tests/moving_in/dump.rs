//! Databases of other servers, restored from dumps.

use std::{collections::BTreeMap, fs::File, io::Read as _, path::PathBuf};

use flate2::read::GzDecoder;
use sea_orm::sqlx::{self, AssertSqlSafe, Connection as _, PgConnection};
use serde_json::Value;
use tokio::sync::Mutex;

use crate::postgres;

fn read(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/moving-in").join(name);
    let mut text = String::new();
    let file = File::open(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    GzDecoder::new(file).read_to_string(&mut text).expect("a compressed text");
    text
}

/// Answers of the server of this version.
pub fn expected(version: &str) -> Value {
    serde_json::from_str(&read(&format!("unleash-{version}.expected.json.gz"))).expect("JSON")
}

/// An empty database on the server of the tests, or `None` when there is none.
pub async fn empty() -> Option<String> {
    Some(postgres::copy_on(&postgres::server_or_skip()?, postgres::EMPTY).await)
}

/// Another database that holds the same.
pub async fn copied(url: &str) -> String {
    let server = postgres::server().expect("the server that it is on");
    postgres::copy_on(&server, postgres::name_in(url)).await
}

/// A database with a dump in it, or `None` without a server. It is copied: restoring takes longer.
pub async fn restored(version: &'static str) -> Option<String> {
    static TEMPLATES: Mutex<BTreeMap<&str, String>> = Mutex::const_new(BTreeMap::new());
    let server = postgres::server_or_skip()?;
    let mut templates = TEMPLATES.lock().await;
    if !templates.contains_key(version) {
        let url = restored_on(&server, version).await;
        templates.insert(version, postgres::name_in(&url).to_owned());
    }
    Some(postgres::copy_on(&server, &templates[version]).await)
}

/// A database with a dump in it, on a server.
pub async fn restored_on(server: &str, version: &str) -> String {
    let url = postgres::copy_on(server, postgres::EMPTY).await;
    let mut connection = PgConnection::connect(&url).await.expect("PostgreSQL");
    let text = read(&format!("unleash-{version}.sql.gz"));
    let (mut statements, mut lines) = (String::new(), text.lines());
    while let Some(line) = lines.next() {
        if line.starts_with('\\') {
            continue;
        }
        if !(line.starts_with("COPY ") && line.ends_with("FROM stdin;")) {
            statements.push_str(line);
            statements.push('\n');
            continue;
        }
        let before = std::mem::take(&mut statements);
        sqlx::raw_sql(AssertSqlSafe(before)).execute(&mut connection).await.expect("statements of the dump");
        let mut copy = connection.copy_in_raw(line.trim_end_matches(';')).await.expect("a table of the dump");
        let rows: String = lines.by_ref().take_while(|row| *row != "\\.").flat_map(|row| [row, "\n"]).collect();
        copy.send(rows.into_bytes()).await.expect("rows of the dump");
        copy.finish().await.expect("the end of a table");
    }
    sqlx::raw_sql(AssertSqlSafe(statements)).execute(&mut connection).await.expect("the end of the dump");
    connection.close().await.expect("closes");
    url
}

/// Changes a database.
pub async fn execute(url: &str, sql: &str) {
    let mut connection = PgConnection::connect(url).await.expect("PostgreSQL");
    sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut connection).await.unwrap_or_else(|error| panic!("{sql}: {error}"));
    connection.close().await.expect("closes");
}
