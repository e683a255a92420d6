//! Copies that are proved to be whole, and the way back from them; what does not fit is refused in words.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::Path,
    process::{Command, Stdio},
};

use flagstone::store::db::pool;
use sea_orm::{ConnectionTrait as _, Database};

use crate::{Server, create_features, place::Place, start_of};

/// A place where a server was worked with and stopped, and a copy of its database.
fn worked_with() -> Place {
    let place = Place::new();
    let server = Server::start(place.path());
    create_features(&server);
    server.stop();
    place
}

/// Changes a file behind the program's back.
pub fn execute(file: &Path, sql: &str) {
    let work = async {
        let connection = Database::connect(pool(format!("sqlite://{}", file.display()), 1)).await.expect("opens");
        connection.execute_unprepared(sql).await.expect("changes");
        connection.close().await.expect("closes");
    };
    tokio::runtime::Runtime::new().expect("a runtime").block_on(work);
}

fn mode(place: &Place, name: &str) -> u32 {
    fs::metadata(place.file(name)).expect("a file").permissions().mode() & 0o777
}

#[test]
fn a_copy_has_its_name_once_it_is_whole_and_the_newest_are_kept() {
    let place = worked_with();
    let said = place.says(&["backup", "copy.db"]);
    assert!(said.contains("It is whole: ") && said.contains("Its log holds, up to event "), "{said}");
    assert_eq!(mode(&place, "copy.db"), 0o600);
    let verified = place.says(&["backup", "verify", "copy.db"]);
    assert!(verified.lines().any(|line| line.starts_with("feature ") && line.ends_with(" 4")), "{verified}");
    assert!(!place.file("copy.db-wal").exists() && !place.file("copy.db-shm").exists(), "it was only looked at");

    fs::create_dir(place.file("copies")).expect("a directory");
    for name in ["flagstone-20200101T000000Z.db", "flagstone-20200102T000000Z.db", "notes.txt"] {
        fs::write(place.file("copies").join(name), "old").expect("writes");
    }
    let said = place.says(&["backup", "--directory", "copies", "--keep", "2"]);
    assert!(said.contains("Removed copies/flagstone-20200101T000000Z.db"), "{said}");
    let names = place.names("copies");
    assert_eq!(names.len(), 3, "{names:?}");
    assert_eq!((names[0].as_str(), names[2].as_str()), ("flagstone-20200102T000000Z.db", "notes.txt"));
    assert_eq!(mode(&place, &format!("copies/{}", names[1])), 0o600);
    // One that fails removes none.
    let complaint = place.refuses(&["backup", "--directory", "nowhere", "--keep", "1"]);
    assert!(complaint.contains("there is no directory nowhere"), "{complaint}");
    let complaint = place.refuses(&["--database-url", "sqlite://copies/notes.txt", "backup", "--directory", "copies"]);
    assert!(complaint.starts_with("error: "), "{complaint}");
    assert_eq!(place.names("copies").len(), 3);
}

#[test]
fn copies_are_made_by_the_hour_until_told_to_stop_and_by_the_server_itself() {
    let place = worked_with();
    fs::create_dir(place.file("copies")).expect("a directory");
    let mut command = Command::new(env!("CARGO_BIN_EXE_flagstone"));
    command.args(["backup", "--directory", "copies", "--every", "6h"]).current_dir(place.path()).env_clear();
    let mut copying = command.stdout(Stdio::null()).spawn().expect("the program");
    crate::eventually("a copy is made", || place.names("copies").iter().any(|name| name.ends_with("Z.db")));
    let pid = copying.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &pid]).status().expect("kill runs").success());
    assert!(copying.wait().expect("ends").success());
    let complaint = place.refuses(&["backup", "--directory", "nowhere", "--every", "6h"]);
    assert!(complaint.contains("nowhere"), "{complaint}");

    fs::remove_dir_all(place.file("copies")).expect("removes");
    fs::create_dir(place.file("copies")).expect("a directory");
    let server = Server::start_with(place.path(), &[("FLAGSTONE_BACKUP_DIRECTORY", "copies")]);
    crate::eventually("the server makes a copy", || {
        server.figures().lines().any(|line| line == "flagstone_backup_copies 1")
    });
    let figures = server.figures();
    let last = figures.lines().find_map(|line| line.strip_prefix("flagstone_backup_last_timestamp_seconds "));
    assert!(last.and_then(|last| last.parse::<f64>().ok()).is_some_and(|last| last > 1.7e9), "{figures}");
    server.stop();
    let [name] = &place.names("copies")[..] else { panic!("one copy") };
    place.says(&["backup", "verify", &format!("copies/{name}")]);
}

#[test]
fn a_copy_that_is_not_whole_is_told_by_what_is_wrong_with_it() {
    let place = worked_with();
    place.says(&["backup", "copy.db"]);
    let whole = fs::read(place.file("copy.db")).expect("a copy");
    let damaged = |name: &str, change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = whole.clone();
        change(&mut bytes);
        fs::write(place.file(name), bytes).expect("writes");
        place.refuses(&["backup", "verify", name])
    };
    let cut = damaged("cut.db", &|bytes| bytes.truncate(whole.len() / 2));
    assert!(cut.contains("cut.db is not whole") || cut.contains("cut.db is no database that can be read"), "{cut}");
    let text = damaged("notes.txt", &|bytes| *bytes = b"no database, but long enough to be one".repeat(100));
    assert!(text.contains("notes.txt is no database that can be read"), "{text}");
    let empty = damaged("empty.db", &Vec::clear);
    assert!(empty.contains("it is no database of Flagstone"), "{empty}");
    // A page of zeros in the middle, as a disk may give back.
    let page = damaged("page.db", &|bytes| bytes[40 * 4096..44 * 4096].fill(0));
    assert!(
        page.contains("page.db is not whole") || page.contains("page.db is no database that can be read"),
        "{page}"
    );
    assert!(place.refuses(&["backup", "verify", "nowhere.db"]).contains("there is no file nowhere.db"));

    // Somebody who changes the log of the copy is found out, and what does not fit is not restored.
    fs::copy(place.file("copy.db"), place.file("changed.db")).expect("copies");
    execute(&place.file("changed.db"), "UPDATE event SET created_by = 'nobody' WHERE type = 'feature-created'");
    let changed = place.refuses(&["backup", "verify", "changed.db"]);
    assert!(changed.contains("its log of events does not hold: event "), "{changed}");
    fs::copy(place.file("copy.db"), place.file("dangling.db")).expect("copies");
    execute(&place.file("dangling.db"), "PRAGMA foreign_keys = OFF; UPDATE feature SET project = 'nowhere'");
    let dangling = place.refuses(&["backup", "verify", "dangling.db"]);
    assert!(dangling.contains("a row of feature refers to none of project"), "{dangling}");
    // What makes rows say what nobody wrote.
    let mut others = Vec::new();
    for (number, (sql, fault)) in [
        (
            "ALTER TABLE tag RENAME TO tag_kept; CREATE VIEW tag AS SELECT * FROM tag_kept",
            "tag is a view and not a table",
        ),
        (
            "CREATE TRIGGER rewrite AFTER INSERT ON event BEGIN UPDATE event SET created_by = 'x' WHERE id = new.id; END",
            "the trigger rewrite of event is not of Flagstone",
        ),
        ("CREATE VIEW notes AS SELECT 1", "the view notes is not of Flagstone"),
        ("CREATE TABLE notes (text text)", "the table notes is not of Flagstone"),
        ("DROP TABLE banner", "the table banner is missing"),
        ("ALTER TABLE banner ADD COLUMN more text", "the table banner was made otherwise"),
        ("DROP TRIGGER tr_event__fts_insert", "the trigger tr_event__fts_insert is missing"),
    ]
    .into_iter()
    .enumerate()
    {
        let name = format!("other-{number}.db");
        fs::copy(place.file("copy.db"), place.file(&name)).expect("copies");
        execute(&place.file(&name), sql);
        let told = place.refuses(&["backup", "verify", &name]);
        assert!(told.contains(&format!("its schema was changed: {fault}")), "{sql}: {told}");
        others.push(name);
    }
    let others = others.iter().map(String::as_str);
    for name in ["cut.db", "notes.txt", "empty.db", "page.db", "changed.db", "dangling.db"].into_iter().chain(others) {
        place.refuses(&["restore", name, "--database-url", "sqlite://new/flagstone.db"]);
        place.refuses(&["restore", name, "--replace"]);
    }
    assert!(place.says(&["user", "list"]).contains("root"), "the database is what it was");
    assert!(
        place.names(".").iter().all(|name| !name.contains(".part") && !name.contains(".before")),
        "nothing is left"
    );
}

#[test]
fn what_was_lost_is_restored_and_what_was_there_is_kept_aside() {
    let place = worked_with();
    place.says(&["backup", "copy.db"]);
    let complaint = place.refuses(&["restore", "copy.db"]);
    assert!(complaint.contains("there is a database at flagstone.db: --replace"), "{complaint}");
    let complaint = place.refuses(&["restore", "flagstone.db", "--replace"]);
    assert!(complaint.contains("the copy is the database itself"), "{complaint}");

    // While somebody uses it nothing is replaced, be it a server or a command.
    let server = Server::start(place.path());
    let complaint = place.refuses(&["restore", "copy.db", "--replace"]);
    let process = format!("another server (process {})", server.id());
    assert!(complaint.contains(&process), "{complaint}");
    let complaint = place.refuses(&["restore", "flagstone.db", "--database-url", "sqlite://other.db"]);
    assert!(complaint.contains("has a log beside it (flagstone.db-wal)"), "{complaint}");
    let later = server.url("/api/admin/projects/default/features");
    let made =
        ureq::post(later).header("Authorization", crate::TOKEN).send_json(serde_json::json!({ "name": "later" }));
    made.expect("is made");
    server.kill();

    let said = place.says(&["restore", "copy.db", "--replace"]);
    let aside = said.split_whitespace().find(|word| word.starts_with("flagstone.db.before-")).expect("a name");
    let aside = aside.trim_end_matches([';', ',']).to_owned();
    assert!(!place.file("flagstone.db-wal").exists() && !place.file("flagstone.db-shm").exists());
    assert_eq!(mode(&place, "flagstone.db"), 0o600);
    let found = |url: &str| {
        let features =
            place.says(&["export", "--environment", "development", "--project", "default", "--database-url", url]);
        features.contains("\"later\"")
    };
    assert!(!found("sqlite://flagstone.db") && found(&format!("sqlite://{aside}")), "{said}");
    Server::start(place.path()).stop();

    // A disk that was lost: nothing is there but what is left of a log.
    fs::remove_file(place.file("flagstone.db")).expect("removes");
    fs::write(place.file("flagstone.db-wal"), "left over").expect("writes");
    place.says(&["restore", "copy.db"]);
    assert!(place.says(&["user", "list"]).contains("root"));
}

#[test]
fn the_key_must_fit_or_be_said_to_be_lost() {
    let place = worked_with();
    place.says(&["backup", "copy.db"]);
    fs::create_dir(place.file("new")).expect("a directory");
    let restore = ["restore", "copy.db", "--database-url", "sqlite://new/flagstone.db"];
    let complaint = place.refuses(&restore);
    assert!(complaint.contains("there is no key here") && complaint.contains("FLAGSTONE_KEY_FILE"), "{complaint}");
    let other = [&restore[..], &["--secret-key", "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc="]].concat();
    let complaint = place.refuses(&other);
    assert!(complaint.contains("encrypted with another key") && !complaint.contains("BwcH"), "{complaint}");
    assert_eq!(place.names("new"), ["flagstone.db.lock"]);
    let said = place.says(&[&restore[..], &["--key-file", "flagstone.key"]].concat());
    assert!(said.contains("is restored to new/flagstone.db"), "{said}");
    fs::create_dir(place.file("lost")).expect("a directory");
    let said = place.says(&["restore", "copy.db", "--database-url", "sqlite://lost/flagstone.db", "--key-is-lost"]);
    assert!(said.contains("flagstone settings forget"), "{said}");
}

#[test]
fn two_servers_do_not_share_a_file() {
    let place = Place::new();
    let first = Server::start(place.path());
    let second = place.refuses(&["serve", "--listen", "127.0.0.1:0"]);
    let expected = format!("another server (process {}) uses flagstone.db: stop it first", first.id());
    assert!(second.contains(&expected), "{second}");
    fs::create_dir(place.file("below")).expect("a directory");
    let roundabout =
        place.refuses(&["serve", "--listen", "127.0.0.1:0", "--database-url", "sqlite://below/../flagstone.db"]);
    assert!(roundabout.contains("another server"), "{roundabout}");
    // Commands work beside it, and the first goes on.
    assert!(place.says(&["user", "list"]).contains("root"));
    create_features(&first);
    first.kill();
    Server::start(place.path()).stop();
}

#[test]
fn a_full_disk_leaves_no_half_copy_and_no_half_upgrade() {
    let place = worked_with();
    let Some(_disk) = place.small_disk("small", 400) else { return };
    let complaint = place.refuses(&["backup", "small/copy.db"]);
    assert!(
        complaint.contains("the disk of small is full") && complaint.contains("nothing was left there"),
        "{complaint}"
    );
    place.says(&["backup", "copy.db"]);
    let restore =
        ["restore", "copy.db", "--database-url", "sqlite://small/flagstone.db", "--key-file", "flagstone.key"];
    let complaint = place.refuses(&restore);
    assert!(complaint.contains("the disk of small is full"), "{complaint}");
    assert_eq!(place.names("small"), ["flagstone.db.lock"]);
    let complaint = place.refuses(&["migrate", "--database-url", "sqlite://small/flagstone.db"]);
    assert!(complaint.contains("disk") && complaint.contains("full"), "{complaint}");
    let complaint = place.refuses(&["doctor", "--database-url", "sqlite://small/flagstone.db"]);
    assert!(complaint.contains("to be mended"), "{complaint}");
}

#[test]
fn a_directory_that_is_read_only_is_told_before_anything_else() {
    let place = worked_with();
    let Some(disk) = place.small_disk("fixed", 4096) else { return };
    place.says(&["backup", "copy.db"]);
    fs::copy(place.file("copy.db"), place.file("fixed/flagstone.db")).expect("copies");
    let path = place.file("fixed");
    let again = Command::new("mount").args(["-o", "remount,ro"]).arg(&path).status().expect("mount runs");
    assert!(again.success());
    let key = ["--key-file", "flagstone.key"];
    let url = ["--database-url", "sqlite://fixed/flagstone.db"];
    let served = place.refuses(&[&["serve", "--listen", "127.0.0.1:0"][..], &url, &key].concat());
    assert!(served.contains("flagstone.db.lock") && served.contains("file system that can be written to"), "{served}");
    let copied = place.refuses(&["backup", "fixed/copy.db"]);
    assert!(copied.contains("fixed/copy.db: Read-only file system"), "{copied}");
    let restored = place.refuses(&[&["restore", "copy.db", "--replace"][..], &url, &key].concat());
    assert!(restored.contains("file system that can be written to"), "{restored}");
    // To look at it nothing needs to be written.
    let verified = place.says(&["backup", "verify", "fixed/flagstone.db"]);
    assert!(verified.contains("It is whole"), "{verified}");
    let looked = place.run(&[&["doctor"][..], &url, &key].concat());
    assert!(start_of(&looked.stdout, "OK    schema"), "{}", String::from_utf8_lossy(&looked.stdout));
    drop(disk);
}

/// The first look of a server comes too early here, and the next one must not be a whole period later.
#[test]
fn a_copy_that_is_due_soon_after_a_restart_is_made_then() {
    let place = Place::new();
    let copying = [("FLAGSTONE_BACKUP_DIRECTORY", "copies"), ("FLAGSTONE_JOB_BACKUP_SECONDS", "300")];
    fs::create_dir(place.file("copies")).expect("a directory");
    let server = Server::start_with(place.path(), &copying);
    crate::eventually("a copy", || server.figures().lines().any(|line| line == "flagstone_backup_copies 1"));
    server.stop();
    let earlier = "last_started_at = last_started_at - 285000, last_finished_at = last_finished_at - 285000";
    execute(&place.file("flagstone.db"), &format!("UPDATE job_run SET {earlier} WHERE name = 'backup'"));
    let server = Server::start_with(place.path(), &copying);
    crate::eventually("the next copy", || server.figures().lines().any(|line| line == "flagstone_backup_copies 2"));
    server.stop();
}
