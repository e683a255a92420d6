//! A database of its own for each test.

use std::{mem, sync::OnceLock, thread};

use flagstone::{
    domain::time::Timestamp,
    store::{self, db::Db},
};
use sea_orm::ConnectionTrait as _;
use tempfile::TempDir;
use tokio::{
    runtime,
    sync::{
        Mutex, OnceCell,
        mpsc::{self, Receiver, Sender},
    },
};

use super::START;
use crate::{admin_token, postgres};

/// Place of a database, which goes with this.
pub enum Place {
    Directory(TempDir),
    Clone { _kept: PostgresClone },
}

/// A migrated database that no other test uses: SQLite in a temporary directory, or PostgreSQL on the server that
/// `FLAGSTONE_TEST_DATABASE` names.
pub async fn fresh() -> (Db, Place) {
    if let Some(server) = postgres::server() {
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

/// Migrates a database that is copied then, with the token that every test has: both take longer than most tests.
async fn prepare(url: &str) {
    let db = Db::open(url).await.expect("a database");
    store::migrate::migrate(&db).await.expect("migrates");
    admin_token::insert(&db, Timestamp::parse(START).expect("valid")).await;
    db.close().await.expect("closes");
}

/// A SQLite file to copy.
async fn sqlite_template() -> std::path::PathBuf {
    static TEMPLATE: OnceCell<(TempDir, std::path::PathBuf)> = OnceCell::const_new();
    let (_, path) = TEMPLATE
        .get_or_init(|| async {
            let files = scratch();
            let path = files.path().join("template.db");
            prepare(&format!("sqlite://{}", path.display())).await;
            (files, path)
        })
        .await;
    path.clone()
}

/// A database on a PostgreSQL server, which is dropped when nobody uses it any more.
pub struct PostgresClone {
    name: String,
}

impl PostgresClone {
    /// Gives its URL as well.
    async fn make(server: &str) -> (String, Self) {
        static READY: OnceLock<Mutex<Receiver<String>>> = OnceLock::new();
        let ready = READY.get_or_init(|| {
            let (sender, receiver) = mpsc::channel(1);
            let (server, runtime) = (server.to_owned(), runtime::Builder::new_current_thread().enable_all().build());
            thread::spawn(move || runtime.expect("a runtime").block_on(keep_ready(&server, sender)));
            Mutex::new(receiver)
        });
        let name = ready.lock().await.recv().await.expect("the thread that makes databases runs");
        (postgres::url_of(server, &name), Self { name })
    }
}

/// The names of the clones that nobody uses any more.
static LEFT_BEHIND: std::sync::Mutex<Vec<String>> = std::sync::Mutex::new(Vec::new());

impl Drop for PostgresClone {
    fn drop(&mut self) {
        LEFT_BEHIND.lock().expect("unpoisoned").push(mem::take(&mut self.name));
    }
}

/// Has a database ready for who comes next, and drops those that are left behind: over one connection, which ends with
/// the runtime that opened it, and therefore not within a test.
async fn keep_ready(server: &str, ready: Sender<String>) {
    let connection = postgres::connect(server).await;
    let template = postgres::copy(&connection, postgres::EMPTY).await;
    prepare(&postgres::url_of(server, &template)).await;
    while ready.send(postgres::copy(&connection, &template).await).await.is_ok() {
        let left_behind = mem::take(&mut *LEFT_BEHIND.lock().expect("unpoisoned"));
        for name in left_behind {
            // The server's own vacuum may be at it, and may not be stopped by anybody: another time.
            if connection.execute_unprepared(&format!("DROP DATABASE {name} WITH (FORCE)")).await.is_err() {
                LEFT_BEHIND.lock().expect("unpoisoned").push(name);
            }
        }
    }
}
