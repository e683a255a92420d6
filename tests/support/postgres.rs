//! Databases on the PostgreSQL server that `FLAGSTONE_TEST_DATABASE` names.

use flagstone::store::db::pool;
use sea_orm::{ConnectionTrait as _, Database, DatabaseConnection, Statement};

/// Name of the empty template that every server has.
pub const EMPTY: &str = "template0";

/// The server of the tests, or `None` when there is none.
#[expect(clippy::disallowed_methods, reason = "which database to test on is no setting of the program")]
pub fn server() -> Option<String> {
    std::env::var("FLAGSTONE_TEST_DATABASE").ok().filter(|url| !url.is_empty())
}

/// Returns the server, for tests that without it have nothing to test, and say so.
#[expect(clippy::print_stderr, reason = "says why nothing is tested")]
pub fn server_or_skip() -> Option<String> {
    let server = server();
    if server.is_none() {
        eprintln!("skipped: FLAGSTONE_TEST_DATABASE names no PostgreSQL server");
    }
    server
}

/// Opens the connection to a server over which databases are made.
pub async fn connect(server: &str) -> DatabaseConnection {
    Database::connect(pool(server, 1)).await.expect("PostgreSQL")
}

/// Makes a database like the one of this name, to which nobody may be connected; gives its own name.
pub async fn copy(connection: &DatabaseConnection, template: &str) -> String {
    let name = format!("flagstone_test_{}", flagstone::clock::new_uuid().simple());
    // Files are copied sooner than pages, where the server knows of both.
    let strategy = if can_choose(connection).await { "STRATEGY file_copy" } else { "" };
    let sql = format!("CREATE DATABASE {name} TEMPLATE {template} {strategy}");
    connection.execute_unprepared(&sql).await.expect("makes a database");
    name
}

async fn can_choose(connection: &DatabaseConnection) -> bool {
    let version = "SELECT current_setting('server_version_num')::integer >= 150000 AS can_choose";
    let version = Statement::from_string(connection.get_database_backend(), version);
    let version = connection.query_one_raw(version).await.expect("PostgreSQL").expect("a row");
    version.try_get("", "can_choose").expect("a flag")
}

/// Does as [`copy`], over a connection for this alone; gives the URL.
pub async fn copy_on(server: &str, template: &str) -> String {
    let connection = connect(server).await;
    let name = copy(&connection, template).await;
    connection.close().await.expect("closes");
    url_of(server, &name)
}

/// The URL of another database of a server.
pub fn url_of(server: &str, name: &str) -> String {
    let (base, _) = server.rsplit_once('/').expect("a database URL");
    format!("{base}/{name}")
}

/// The name of the database that a URL leads to.
pub fn name_in(url: &str) -> &str {
    url.rsplit_once('/').expect("a database URL").1
}
