//! What ends a move half way keeps nothing of it, and the same command succeeds afterwards.

use std::{
    thread,
    time::{Duration, Instant},
};

use sea_orm::sqlx::{self, Connection as _, PgConnection};

use crate::{cut, dump, server, server::Server, stored};

const PATIENCE: Duration = Duration::from_mins(2);

fn file(directory: &tempfile::TempDir) -> String {
    format!("sqlite://{}", directory.path().join("new.db").display())
}

/// Host and port of a database URL.
fn host(url: &str) -> &str {
    let (_, rest) = url.rsplit_once('@').expect("a user");
    rest.split('/').next().expect("a host")
}

#[tokio::test]
async fn a_line_to_the_database_that_breaks_leaves_the_target_empty() {
    let Some(from) = dump::restored("6.3.0").await else { return };
    let directory = tempfile::tempdir().expect("a directory");
    let to = file(&directory);
    server::migrate(&to);
    // Among lists, features, and events.
    for most in [12_000, 60_000, 150_000, 400_000] {
        let line = cut::line_to(host(&from), most).to_string();
        let told = server::complaint(&from.replace(host(&from), &line), &to);
        assert!(told.contains("the source") && !told.contains("target failed"), "{most}: {told}");
        if most > 12_000 {
            assert!(
                told.contains("cannot be read any further") && told.contains("run the same again"),
                "{most}: {told}"
            );
        }
        assert!(stored::is_empty(&to).await, "{most}");
    }
    server::moved(&from, &to, &[]);
}

#[tokio::test]
async fn a_server_that_falls_silent_leaves_the_target_empty() {
    let Some(from) = dump::restored("6.3.0").await else { return };
    let directory = tempfile::tempdir().expect("a directory");
    let to = file(&directory);
    server::migrate(&to);
    let expected = dump::expected("6.3.0");
    let admin = expected["secrets"]["tokens"]["admin"][0].as_str().expect("a token");
    // A server of our own speaks the same language.
    let old = format!("sqlite://{}", directory.path().join("old.db").display());
    server::moved(&from, &old, &[]);
    let old = Server::start(directory.path(), &old).await;
    let target = old.address().to_string();
    let complaint = |most: usize| {
        let line = format!("http://{}", cut::line_to(&target, most));
        let output = server::move_in_by_api(&line, admin, &to, &["--with-events"]);
        assert_eq!(output.status.code(), Some(1), "{most}: {}", String::from_utf8_lossy(&output.stdout));
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    for most in [500, 20_000] {
        let told = complaint(most);
        assert!(told.contains("nothing came over") && told.contains("run the same again"), "{most}: {told}");
        assert!(!told.contains(admin), "{told}");
        assert!(stored::is_empty(&to).await, "{most}");
    }
    let output = server::move_in_by_api(&format!("http://{target}"), admin, &to, &["--with-events"]);
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{printed}{}", String::from_utf8_lossy(&output.stderr));
    // One of them is that of the change request which is open.
    for told in ["48 features", "387 events", "hours of usage", "left out: days of usage", "left out: passwords"] {
        assert!(printed.contains(told), "{told}: {printed}");
    }
    stored::same_log(&format!("sqlite://{}", directory.path().join("old.db").display()), &to).await;
}

/// Killed while the log is read: everything else is written by then.
async fn is_killed(from: &str, to: &str) {
    let waiting = "ALTER TABLE events RENAME TO kept; \
                   CREATE VIEW events AS SELECT * FROM kept WHERE id < 200 OR pg_sleep(600) IS NULL";
    dump::execute(from, waiting).await;
    let mut moving = server::begun(from, to);
    let mut connection = PgConnection::connect(from).await.expect("PostgreSQL");
    let began = Instant::now();
    let asleep = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'";
    loop {
        let pid: Option<i32> = sqlx::query_scalar(asleep).fetch_optional(&mut connection).await.expect("a list");
        if pid.is_some() {
            break;
        }
        assert!(moving.try_wait().expect("a state").is_none(), "the move ended");
        assert!(began.elapsed() < PATIENCE, "the log is not asked for");
        thread::sleep(Duration::from_millis(20));
    }
    moving.kill().expect("kills");
    moving.wait().expect("ends");
    assert!(stored::is_empty(to).await);
    let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
               WHERE datname = current_database() AND pid <> pg_backend_pid()";
    sqlx::query(end).execute(&mut connection).await.expect("ends");
    connection.close().await.expect("closes");
    dump::execute(from, "DROP VIEW events; ALTER TABLE kept RENAME TO events").await;
    let printed = server::moved(from, to, &[]);
    assert!(printed.contains("386 events"), "{printed}");
}

#[tokio::test]
async fn a_move_into_sqlite_that_is_killed_leaves_the_target_empty() {
    let Some(from) = dump::restored("6.3.0").await else { return };
    let directory = tempfile::tempdir().expect("a directory");
    is_killed(&from, &file(&directory)).await;
}

#[tokio::test]
async fn a_move_into_postgresql_that_is_killed_leaves_the_target_empty() {
    let Some(from) = dump::restored("6.3.0").await else { return };
    is_killed(&from, &dump::empty().await.expect("a server")).await;
}

#[tokio::test]
async fn a_full_disk_leaves_the_target_empty() {
    let Some(from) = dump::restored("6.3.0").await else { return };
    let directory = tempfile::tempdir().expect("a directory");
    let to = file(&directory);
    server::migrate(&to);
    let size = std::fs::metadata(directory.path().join("new.db")).expect("the file").len();
    let told = server::complaint_on_small_disk(&from, &to, size + 64 * 1024);
    assert!(told.contains("the target failed") && told.contains("the target is as it was"), "{told}");
    assert!(told.contains("disk"), "{told}");
    assert!(stored::is_empty(&to).await);
    server::moved(&from, &to, &[]);
}
