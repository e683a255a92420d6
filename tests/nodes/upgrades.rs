//! Databases of released schemas, which are kept in `tests/upgrades`, still answer what they answered; whoever reads
//! them while they are upgraded is answered, too; an upgrade that is killed is done again; and no program goes back.
//!
//! With `FLAGSTONE_TEST_DATABASE` on PostgreSQL, otherwise on SQLite.

mod keeping;

use std::{
    fs,
    io::Read as _,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use flagstone::{audit, clock::Clock, domain::time::Timestamp, store::db::pool};
use flate2::read::GzDecoder;
use sea_orm::{ConnectionTrait as _, Database, DatabaseConnection, Statement};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tempfile::TempDir;

use crate::{
    cluster::{Node, empty_database, eventually},
    copying::answers,
};

/// Answers of a server when its database was kept.
#[derive(Serialize, Deserialize)]
struct Kept {
    now: String,
    answers: Vec<Answered>,
}

#[derive(Serialize, Deserialize)]
struct Answered {
    operation: String,
    method: String,
    address: String,
    header: String,
    secret: String,
    body: Option<Value>,
    status: u16,
    answer: Value,
}

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/upgrades")
}

/// The names of what is kept, oldest first.
pub fn names() -> Vec<String> {
    let entries = fs::read_dir(directory()).expect("the directory").map(|entry| entry.expect("an entry"));
    let mut names: Vec<String> = entries
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

fn unpacked(name: &str, file: &str) -> Vec<u8> {
    let packed = fs::File::open(directory().join(name).join(file)).expect("kept");
    let mut bytes = Vec::new();
    GzDecoder::new(packed).read_to_end(&mut bytes).expect("whole");
    bytes
}

fn kept(name: &str) -> Kept {
    serde_json::from_slice(&unpacked(name, "answers.json.gz")).expect("answers")
}

/// A database of a kept schema, of the kind that is tested.
pub struct Old {
    pub url: String,
    /// For a SQLite file.
    _directory: Option<TempDir>,
}

impl Old {
    pub async fn of(name: &str) -> Self {
        let Some(url) = empty_database().await else {
            let directory = tempfile::tempdir().expect("a directory");
            let file = directory.path().join("flagstone.db");
            fs::write(&file, unpacked(name, "sqlite.db.gz")).expect("writes");
            return Self { url: format!("sqlite://{}", file.display()), _directory: Some(directory) };
        };
        let dump = String::from_utf8(unpacked(name, "postgres.sql.gz")).expect("text");
        // The dump sets what holds for its connection alone.
        let connection = Database::connect(pool(&url, 1)).await.expect("opens");
        connection.execute_unprepared(&dump).await.expect("the dump is read");
        connection.close().await.expect("closes");
        Self { url, _directory: None }
    }

    fn is_file(&self) -> bool {
        self.url.starts_with("sqlite:")
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_flagstone"));
        command.args(arguments).env_clear().env("DATABASE_URL", &self.url);
        command.env("FLAGSTONE_SECRET_KEY", "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("the program")
    }

    async fn connect(&self) -> DatabaseConnection {
        Database::connect(pool(&self.url, 5)).await.expect("opens")
    }
}

/// Upgrades a database, and asks what was asked when it was kept. What is answered may have grown, but nothing in it
/// may have changed or be gone.
async fn answers_as_before(url: &str, kept: &Kept) {
    let clock = Clock::manual(Timestamp::parse(&kept.now).expect("a time"));
    let node = Node::start(url, clock).await;
    assert!(kept.answers.len() > 100, "{} answers are no proof", kept.answers.len());
    // Without hashes its log was kept, and what is asked about it depends on when the job gives them.
    for one in kept.answers.iter().filter(|one| one.operation != "verifyEvents") {
        let method = one.method.parse().expect("a method");
        let caller = (one.header.as_str(), one.secret.as_str());
        let (status, answer) = answers::answer(&node, method, &one.address, one.body.clone(), caller).await;
        let asked = format!("{}: {} {}", one.operation, one.method, one.address);
        assert_eq!(status, one.status, "{asked}: {answer}");
        if let Some(difference) = missing(&one.answer, &answer, "") {
            panic!("{asked}: {difference}");
        }
    }
    audit::extend(&node.state).await.expect("hashes");
    node.state.db.clone().close().await.expect("closes");
}

/// The first thing that was answered before and is not answered now.
fn missing(before: &Value, now: &Value, place: &str) -> Option<String> {
    match (before, now) {
        (Value::Object(before), Value::Object(now)) => before.iter().find_map(|(key, value)| {
            // It tells of the program and not of the database.
            if ["version", "versionInfo", "personalDashboardUI"].contains(&key.as_str()) {
                return None;
            }
            // A built-in role came along; the other is a checksum of such figures.
            if key == "sum" || (key == "roles" && value.is_number()) {
                return None;
            }
            missing(value, now.get(key).unwrap_or(&Value::Null), &format!("{place}/{key}"))
        }),
        (Value::Array(before), Value::Array(now)) if before.len() == now.len() => {
            let both = before.iter().zip(now).enumerate();
            both.into_iter().find_map(|(index, (before, now))| missing(before, now, &format!("{place}/{index}")))
        }
        // A list may have more entries now, between those of before.
        (Value::Array(before), Value::Array(now)) if before.len() < now.len() => {
            let mut left = now.iter();
            let gone = before.iter().find(|before| !left.any(|now| missing(before, now, place).is_none()));
            gone.map(|gone| format!("at {place} {gone} was answered, and is not among {}", Value::Array(now.clone())))
        }
        _ if before == now => None,
        _ => Some(format!("at {place} {before} was answered, and now {now}")),
    }
}

/// The id of the built-in role for those who only look, and the last id of all roles.
async fn reader(old: &Old) -> Option<(i64, i64)> {
    let connection = old.connect().await;
    let sql = "SELECT id, (SELECT max(id) FROM role) FROM role WHERE type = 'project' AND name = 'Reader'";
    let statement = Statement::from_string(connection.get_database_backend(), sql);
    let row = connection.query_one_raw(statement).await.expect("reads");
    connection.close().await.expect("closes");
    let id = |index| row.as_ref().map(|row| row.try_get_by_index(index).expect("an id"));
    Some((id(0)?, id(1)?))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_instance_that_has_a_role_named_reader_keeps_it_instead_of_the_built_in_one() {
    for name in names() {
        let old = Old::of(&name).await;
        let connection = old.connect().await;
        let own = "INSERT INTO role (name, type, description) VALUES ('Reader', 'custom', 'Ours')";
        connection.execute_unprepared(own).await.expect("a role");
        connection.close().await.expect("closes");
        let output = old.run(&["migrate"]);
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(reader(&old).await, None, "{name}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_kept_database_is_upgraded_under_readers_and_answers_as_before() {
    assert_ne!(names().len(), 0);
    for name in names() {
        let old = Old::of(&name).await;
        // An old node goes on reading its tables while a new one upgrades them. A file has one server, which is
        // stopped.
        let (stop, reads) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let mut readers = Vec::new();
        if !old.is_file() {
            for sql in [
                "SELECT count(*) FROM feature WHERE search_text ILIKE '%a%'",
                "SELECT count(*) FROM event e LEFT JOIN feature f ON f.name = e.feature_name",
                "SELECT count(*) FROM feature_strategy s JOIN feature_environment f USING (feature_id, environment)",
            ] {
                let (connection, stop, reads) = (old.connect().await, Arc::clone(&stop), Arc::clone(&reads));
                readers.push(tokio::spawn(async move {
                    while !stop.load(Ordering::SeqCst) {
                        connection.execute_unprepared(sql).await.map_err(|error| format!("{sql}: {error}"))?;
                        reads.fetch_add(1, Ordering::SeqCst);
                    }
                    Ok::<_, String>(())
                }));
            }
            eventually("readers are at work", async || reads.load(Ordering::SeqCst) > 10).await;
        }
        answers_as_before(&old.url, &kept(&name)).await;
        stop.store(true, Ordering::SeqCst);
        for reader in readers {
            reader.await.expect("no panic").expect("every read is answered");
        }
        // Custom roles have the ids after those of the other built-in ones.
        let (reader, last) = reader(&old).await.expect("the built-in role");
        assert!(reader == last && reader > 6, "{name}: {reader} of {last}");
        let verified = old.run(&["backup", "verify", &old.url]);
        let complaint = String::from_utf8_lossy(&verified.stderr);
        assert!(verified.status.success(), "{name}: {complaint}");
        assert!(String::from_utf8_lossy(&verified.stdout).contains("Its log holds"), "{name}");
        let told = old.run(&["doctor"]);
        let told = String::from_utf8_lossy(&told.stdout);
        let ours = if old.is_file() { ["journal", "key and database"] } else { ["extension", "key and database"] };
        for about in [&ours[..], &["schema", "log of events"]].concat() {
            assert!(told.lines().any(|line| line.starts_with(&format!("OK    {about} "))), "{about}: {told}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_upgrade_that_is_killed_is_done_at_the_next_start() {
    let name = &names()[names().len() - 1];
    let oldest = names().into_iter().find(|name| name.starts_with("schema")).unwrap_or_else(|| name.clone());
    let old = Old::of(&oldest).await;
    if old.is_file() {
        // At whatever it is doing then; each begins where the one before was ended.
        for delay in [0, 5, 10, 15, 20, 25, 30, 40, 60, 90, 130] {
            let mut upgrade = old.command(&["migrate"]).spawn().expect("the program");
            tokio::time::sleep(Duration::from_millis(delay)).await;
            upgrade.kill().expect("kills");
            upgrade.wait().expect("ends");
        }
    } else {
        // In the middle: a table that is to be changed is held.
        let holder = Database::connect(pool(&old.url, 1)).await.expect("opens");
        holder.execute_unprepared("BEGIN; LOCK TABLE event, feature, app_user IN SHARE MODE").await.expect("holds");
        let mut upgrade = old.command(&["migrate"]).spawn().expect("the program");
        let watcher = old.connect().await;
        let waits = "SELECT 1 / count(*) FROM pg_locks WHERE NOT granted AND locktype = 'relation'";
        eventually("the upgrade is under way", async || watcher.execute_unprepared(waits).await.is_ok()).await;
        upgrade.kill().expect("kills");
        upgrade.wait().expect("ends");
        holder.execute_unprepared("ROLLBACK").await.expect("lets go");
    }
    answers_as_before(&old.url, &kept(&oldest)).await;
}

#[tokio::test]
async fn a_program_never_works_on_a_newer_schema_and_says_which_does() {
    let newest = names().pop().expect("something is kept");
    let old = Old::of(&newest).await;
    assert!(old.run(&["migrate"]).status.success());
    let connection = old.connect().await;
    let later = "INSERT INTO seaql_migrations (version, applied_at) VALUES ('m9999_later', 0); \
                 INSERT INTO setting (id, content, created_at, updated_at) \
                 VALUES ('flagstone.schema-version', '\"9.8.7\"', 0, 0) \
                 ON CONFLICT (id) DO UPDATE SET content = excluded.content";
    connection.execute_unprepared(later).await.expect("a later version was here");
    connection.close().await.expect("closes");
    let directory = tempfile::tempdir().expect("a directory");
    let copy = directory.path().join("copy.db");
    let copy = copy.to_str().expect("UTF-8");
    let commands: &[&[&str]] = &[
        &["serve", "--listen", "127.0.0.1:0"],
        &["migrate"],
        &["user", "list"],
        &["token", "create", "--type", "admin", "--name", "late"],
        &["export", "--environment", "development", "--project", "default"],
        &["events", "verify"],
        &["settings", "forget"],
        &["backup", "verify", &old.url],
    ];
    let only_for_files: &[&[&str]] = &[&["backup", copy], &["restore", copy]];
    for arguments in commands.iter().chain(only_for_files.iter().take(usize::from(old.is_file()))) {
        let output = old.run(arguments);
        let said = String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {said}");
        let ours = format!("this program is version {}", env!("CARGO_PKG_VERSION"));
        for words in ["upgraded by version 9.8.7 of Flagstone", &ours, "m9999_later", "restore a backup"] {
            assert!(said.contains(words), "{arguments:?}: {said}");
        }
    }
    assert!(!Path::new(copy).exists());
    let told = old.run(&["doctor"]);
    let told = String::from_utf8_lossy(&told.stdout);
    assert!(told.lines().any(|line| line.starts_with("FAIL  schema") && line.contains("9.8.7")), "{told}");
}
