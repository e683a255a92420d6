//! Databases of other servers, restored from dumps.

use std::{fs::File, io::Read as _, path::PathBuf};

use flate2::read::GzDecoder;
use sea_orm::sqlx::{self, AssertSqlSafe, Connection as _, PgConnection};
use serde_json::Value;

fn read(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/moving-in").join(name);
    let mut text = String::new();
    let file = File::open(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    GzDecoder::new(file).read_to_string(&mut text).expect("a compressed text");
    text
}

/// What the server of this version answered.
pub fn expected(version: &str) -> Value {
    serde_json::from_str(&read(&format!("unleash-{version}.expected.json.gz"))).expect("JSON")
}

/// An empty database on the server of the tests, or `None` when there is none.
pub async fn empty() -> Option<String> {
    Some(empty_on(&server()?).await)
}

#[expect(clippy::disallowed_methods, reason = "which database to test on is no setting of the program")]
#[expect(clippy::print_stderr, reason = "says why nothing is tested")]
fn server() -> Option<String> {
    let Some(server) = std::env::var("FLAGSTONE_TEST_DATABASE").ok().filter(|url| !url.is_empty()) else {
        eprintln!("skipped: FLAGSTONE_TEST_DATABASE names no PostgreSQL server");
        return None;
    };
    Some(server)
}

/// An empty database on a server.
async fn empty_on(server: &str) -> String {
    let name = format!("flagstone_moving_in_{}", flagstone::clock::new_uuid().simple());
    execute(server, &format!("CREATE DATABASE {name} TEMPLATE template0")).await;
    let (base, _) = server.rsplit_once('/').expect("a database URL");
    format!("{base}/{name}")
}

/// A database with a dump in it.
pub async fn restored(version: &str) -> Option<String> {
    Some(restored_on(&server()?, version).await)
}

/// A database with a dump in it, on a server.
pub async fn restored_on(server: &str, version: &str) -> String {
    let url = empty_on(server).await;
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
