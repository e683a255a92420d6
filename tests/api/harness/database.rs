//! A database of its own for each test.

use std::{mem, sync::Mutex};

use flagstone::store::{
    self,
    db::{Db, pool},
};
use sea_orm::{ConnectionTrait, Database, DatabaseConnection, Statement};
use tempfile::TempDir;
use tokio::sync::OnceCell;

/// Where a database is, which goes with this.
pub enum Place {
    Directory(TempDir),
    Clone { _kept: PostgresClone },
}

/// A migrated database that no other test uses: SQLite in a temporary directory, or PostgreSQL on the server that
/// `FLAGSTONE_TEST_DATABASE` names.
pub async fn fresh() -> (Db, Place) {
    if let Some(server) = postgres_server() {
        let (url, clone) = PostgresClone::make(&server).await;
        (Db::open(&url).await.expect("PostgreSQL"), Place::Clone { _kept: clone })
    } else {
        let files = scratch();
        let url = format!("sqlite://{}", files.path().join("test.db").display());
        std::fs::copy(sqlite_template().await, files.path().join("test.db")).expect("a copy");
        (Db::open(&url).await.expect("SQLite"), Place::Directory(files))
    }
}

/// A directory in memory where the system has one: these tests ask what is stored, not whether it survives the power.
fn scratch() -> TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).expect("a temporary directory")
}

#[expect(clippy::disallowed_methods, reason = "which database to test on is no setting of the program")]
fn postgres_server() -> Option<String> {
    std::env::var("FLAGSTONE_TEST_DATABASE").ok().filter(|url| !url.is_empty())
}

/// A migrated SQLite file to copy: migrating takes longer than most tests.
async fn sqlite_template() -> std::path::PathBuf {
    static TEMPLATE: OnceCell<(TempDir, std::path::PathBuf)> = OnceCell::const_new();
    let (_, path) = TEMPLATE
        .get_or_init(|| async {
            let files = scratch();
            let path = files.path().join("template.db");
            let db = Db::open(&format!("sqlite://{}", path.display())).await.expect("SQLite");
            store::migrate::migrate(&db).await.expect("migrates");
            db.close().await.expect("closes");
            (files, path)
        })
        .await;
    path.clone()
}

/// A database on a PostgreSQL server. It is dropped when the next one is made, since dropping it must wait for the server.
pub struct PostgresClone {
    name: String,
}

impl PostgresClone {
    /// Gives its URL as well.
    async fn make(server: &str) -> (String, Self) {
        static TEMPLATE: OnceCell<String> = OnceCell::const_new();
        // PostgreSQL copies a template for one test at a time.
        static ONE_AT_A_TIME: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());
        let (base, _) = server.rsplit_once('/').expect("a database URL");
        let _turn = ONE_AT_A_TIME.lock().await;
        let connection = Database::connect(pool(server, 1)).await.expect("PostgreSQL");
        let template = TEMPLATE.get_or_init(|| postgres_template(&connection, base)).await;
        let left_behind = mem::take(&mut *LEFT_BEHIND.lock().expect("unpoisoned"));
        for name in left_behind {
            // The server's own vacuum may be at it, and may not be stopped by anybody: another time.
            if connection.execute_unprepared(&format!("DROP DATABASE {name} WITH (FORCE)")).await.is_err() {
                LEFT_BEHIND.lock().expect("unpoisoned").push(name);
            }
        }
        let name = format!("flagstone_test_{}", flagstone::clock::new_uuid().simple());
        execute(&connection, &format!("CREATE DATABASE {name} TEMPLATE {template}")).await;
        connection.close().await.expect("closes");
        (format!("{base}/{name}"), Self { name })
    }
}

/// The names of the clones that nobody uses any more.
static LEFT_BEHIND: Mutex<Vec<String>> = Mutex::new(Vec::new());

impl Drop for PostgresClone {
    fn drop(&mut self) {
        LEFT_BEHIND.lock().expect("unpoisoned").push(mem::take(&mut self.name));
    }
}

/// A migrated database to copy, and how: files are copied sooner than pages, where the server knows of both.
async fn postgres_template(connection: &DatabaseConnection, base: &str) -> String {
    let name = format!("flagstone_template_{}", flagstone::clock::new_uuid().simple());
    execute(connection, &format!("CREATE DATABASE {name}")).await;
    let db = Db::open(&format!("{base}/{name}")).await.expect("PostgreSQL");
    store::migrate::migrate(&db).await.expect("migrates");
    db.close().await.expect("closes");
    let version = Statement::from_string(
        connection.get_database_backend(),
        "SELECT current_setting('server_version_num')::integer >= 150000 AS knows_both",
    );
    let version = connection.query_one_raw(version).await.expect("PostgreSQL").expect("a row");
    let strategy = if version.try_get("", "knows_both").expect("a flag") { " STRATEGY file_copy" } else { "" };
    format!("{name}{strategy}")
}

async fn execute(connection: &DatabaseConnection, sql: &str) {
    connection.execute_unprepared(sql).await.expect(sql);
}
