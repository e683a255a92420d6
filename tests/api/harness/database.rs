//! A database of its own for each test.

use flagstone::store::{self, db::Db};
use sea_orm::{ConnectionTrait, Database};
use tempfile::TempDir;
use tokio::sync::OnceCell;

/// A migrated database that no other test uses: SQLite in a temporary directory, or PostgreSQL on the server that
/// `FLAGSTONE_TEST_DATABASE` names.
pub async fn fresh() -> (Db, Option<TempDir>) {
    if let Some(server) = postgres_server() {
        (Db::open(&postgres_clone(&server).await).await.expect("PostgreSQL"), None)
    } else {
        let files = scratch();
        let url = format!("sqlite://{}", files.path().join("test.db").display());
        std::fs::copy(sqlite_template().await, files.path().join("test.db")).expect("a copy");
        (Db::open(&url).await.expect("SQLite"), Some(files))
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

async fn postgres_clone(server: &str) -> String {
    static TEMPLATE: OnceCell<String> = OnceCell::const_new();
    let (base, _) = server.rsplit_once('/').expect("a database URL");
    let template = TEMPLATE
        .get_or_init(|| async {
            let name = format!("flagstone_template_{}", flagstone::clock::new_uuid().simple());
            execute(server, &format!("CREATE DATABASE {name}")).await;
            let db = Db::open(&format!("{base}/{name}")).await.expect("PostgreSQL");
            store::migrate::migrate(&db).await.expect("migrates");
            db.close().await.expect("closes");
            name
        })
        .await;
    let name = format!("flagstone_test_{}", flagstone::clock::new_uuid().simple());
    execute(server, &format!("CREATE DATABASE {name} TEMPLATE {template}")).await;
    format!("{base}/{name}")
}

async fn execute(server: &str, sql: &str) {
    // PostgreSQL copies a template for one test at a time.
    static ONE_AT_A_TIME: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());
    let _turn = ONE_AT_A_TIME.lock().await;
    let connection = Database::connect(server).await.expect("PostgreSQL");
    connection.execute_unprepared(sql).await.expect("creates");
    connection.close().await.expect("closes");
}
