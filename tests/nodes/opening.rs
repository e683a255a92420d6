//! Every command that has a database, on each that it may be given: who may make or upgrade one does, and everybody
//! else says what is wrong and leaves all as it is.
//!
//! With `FLAGSTONE_TEST_DATABASE` on PostgreSQL, otherwise on SQLite.

use std::{
    collections::BTreeSet,
    fs,
    os::unix::{
        fs::{MetadataExt as _, PermissionsExt as _},
        process::CommandExt as _,
    },
    path::Path,
    process::{Command, Output, Stdio},
};

use flagstone::store::db::pool;
use sea_orm::{ConnectionTrait as _, Database};
use tempfile::TempDir;

use crate::{cluster::empty_database, upgrades};

/// Changes that a command may make to a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum May {
    /// A new one, or one of this version.
    Upgrade,
    /// Nothing: it needs one of this version.
    Work,
    /// Nothing, but one of before will do.
    Copy,
    /// Nothing: it tells what is wrong with it.
    Look,
    /// Another one in its place, as `tests/durability` tries.
    Replace,
}

/// Each command that has a database. What stands for `FILE` is a file of features, `NEW` one that is not there yet, and
/// `URL` the database.
const COMMANDS: [(&str, May); 31] = [
    ("serve --listen TAKEN", May::Upgrade),
    ("migrate", May::Upgrade),
    ("move-in --from FILE", May::Upgrade),
    ("import FILE --project default --environment development", May::Work),
    ("export --environment development --project default", May::Work),
    ("export --all --output NEW", May::Work),
    ("token create --type admin --name ci", May::Work),
    ("token list", May::Work),
    ("token revoke ci", May::Work),
    ("user create --username ada", May::Work),
    ("user list", May::Work),
    ("user set-password ada", May::Work),
    ("user sign-in-link ada", May::Work),
    ("user deactivate ada", May::Work),
    ("user reset-second-factor ada", May::Work),
    ("feature list --environment development", May::Work),
    ("feature on flag --environment development", May::Work),
    ("feature off flag --environment development", May::Work),
    ("settings forget", May::Work),
    ("settings passwords on", May::Work),
    ("settings rekey", May::Work),
    ("events export", May::Work),
    ("events export --output NEW", May::Work),
    ("events verify", May::Work),
    ("events checkpoints", May::Work),
    ("events proof 1", May::Work),
    ("backup NEW", May::Copy),
    ("backup --directory .", May::Copy),
    ("backup verify URL", May::Look),
    ("restore FILE", May::Replace),
    ("doctor", May::Look),
];

/// A database of the kind that is tested, and the directory in which commands are run.
struct Place {
    directory: TempDir,
    url: String,
    /// Nobody's, where the tests run as somebody whom no file refuses.
    user: Option<u32>,
}

impl Place {
    async fn new() -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let url = empty_database().await;
        let url = url.unwrap_or_else(|| format!("sqlite://{}", directory.path().join("flags.db").display()));
        Self { directory, url, user: None }
    }

    fn is_file(&self) -> bool {
        self.url.starts_with("sqlite:")
    }

    fn path(&self) -> &Path {
        self.directory.path()
    }

    fn run(&self, command: &str, taken: &str) -> Output {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/webshop.development.json");
        let words = command.split(' ').map(|word| match word {
            "FILE" => file,
            "NEW" => "new",
            "URL" => &self.url,
            "TAKEN" => taken,
            word => word,
        });
        let mut program = Command::new(env!("CARGO_BIN_EXE_flagstone"));
        program.args(words).current_dir(self.path()).env_clear().env("DATABASE_URL", &self.url);
        if let Some(user) = self.user {
            program.uid(user).gid(user);
        }
        program.stdin(Stdio::null()).output().expect("the program")
    }

    async fn sql(&self, sql: &str) {
        let connection = Database::connect(pool(format!("{}{}", self.url, self.made()), 1)).await.expect("opens");
        connection.execute_unprepared(sql).await.expect(sql);
        connection.close().await.expect("closes");
    }

    /// Part of the URL that has a file made that is not there.
    fn made(&self) -> &'static str {
        if self.is_file() { "?mode=rwc" } else { "" }
    }

    /// Every file with what it holds.
    fn files(&self) -> Vec<(String, Vec<u8>)> {
        let entries = fs::read_dir(self.path()).expect("a directory").map(|entry| entry.expect("an entry"));
        let mut files: Vec<_> = entries
            .map(|entry| (entry.file_name().to_string_lossy().into_owned(), fs::read(entry.path()).unwrap_or_default()))
            .collect();
        files.sort();
        files
    }
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout)
}

/// Runs each command that is chosen, which must fail with words, and leave what is there as it is.
fn refused(place: &Place, chosen: &[May], words: &[&str]) {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let taken = taken.local_addr().expect("an address").to_string();
    let before = place.files();
    for (command, may) in COMMANDS.into_iter().filter(|(_, may)| chosen.contains(may)) {
        // Copies of files alone are made.
        if may == May::Copy && !place.is_file() {
            continue;
        }
        let output = place.run(command, &taken);
        let said = text(&output);
        assert_eq!(output.status.code(), Some(1), "{command}: {said}");
        for words in words {
            assert!(said.contains(words), "{command} does not say {words}: {said}");
        }
        // A server takes the lock before it looks, and keeps it in a file.
        let mut after = place.files();
        if command.starts_with("serve") {
            after.retain(|(name, _)| name != "flags.db.lock");
            let _lock = fs::remove_file(place.path().join("flags.db.lock"));
        }
        assert!(
            before == after,
            "{command} changed something: {:?}",
            after.iter().map(|(name, _)| name).collect::<Vec<_>>()
        );
    }
}

/// Runs each command that looks, which leaves what is there as it is.
fn looked_at(place: &Place, words: &str) {
    let before = place.files();
    for (command, _) in COMMANDS.into_iter().filter(|(_, may)| *may == May::Look) {
        let said = text(&place.run(command, ""));
        assert!(said.contains(words), "{command} does not say {words}: {said}");
        assert!(before == place.files(), "{command} changed something");
    }
}

#[test]
fn every_command_that_has_a_database_is_in_the_table() {
    let help = |command: &[String]| {
        let output = Command::new(env!("CARGO_BIN_EXE_flagstone")).args(command).arg("--help").env_clear().output();
        String::from_utf8(output.expect("the program").stdout).expect("UTF-8")
    };
    let mut listed = BTreeSet::new();
    let mut left = vec![Vec::<String>::new()];
    while let Some(command) = left.pop() {
        let text = help(&command);
        let below = text.split("\nCommands:\n").nth(1).unwrap_or_default();
        let below = below.lines().take_while(|line| line.starts_with("  "));
        let names = below.filter(|line| !line.starts_with("   ")).filter_map(|line| line.split_whitespace().next());
        let below: Vec<_> =
            names.filter(|name| *name != "help").map(|name| [&command[..], &[name.to_owned()]].concat()).collect();
        let works_alone =
            below.is_empty() || text.contains(&format!("Usage: flagstone {} [OPTIONS] [FILE]", command.join(" ")));
        if works_alone && text.contains("--database-url") {
            listed.insert(command.join(" "));
        }
        left.extend(below);
    }
    let is_option = |word: &&str| word.starts_with('-') || word.chars().all(char::is_uppercase);
    let of =
        |command: &str| command.split(' ').take_while(|word| !is_option(word)).take(2).collect::<Vec<_>>().join(" ");
    let known: BTreeSet<_> = COMMANDS.iter().map(|(command, _)| of(command)).collect();
    let missing: Vec<_> = listed
        .iter()
        .filter(|command| !known.iter().any(|known| known == *command || known.starts_with(&format!("{command} "))))
        .collect();
    assert!(missing.is_empty(), "what do these do with a database? {missing:?}");
    assert!(listed.len() > 15, "{listed:?}");
}

#[tokio::test]
async fn no_database_is_made_but_by_who_may() {
    let place = Place::new().await;
    let makes = "`flagstone migrate`";
    if place.is_file() {
        let file = place.path().join("flags.db").display().to_string();
        refused(&place, &[May::Work, May::Copy], &["there is no database at", &file, "--database-url", makes]);
        looked_at(&place, "there is no");
        assert_eq!(place.files(), []);
        fs::write(place.path().join("flags.db"), "").expect("writes");
    }
    refused(&place, &[May::Work, May::Copy], &["the database ", " is empty", makes]);
    let said = text(&place.run("migrate", ""));
    assert!(said.starts_with("The database ") && said.contains(" is set up with the schema of version "), "{said}");
    let said = text(&place.run("migrate", ""));
    assert!(said.contains(" has the schema of version ") && said.ends_with(" already.\n"), "{said}");
    let said = place.run("user list", "");
    assert!(said.status.success() && text(&said).is_empty(), "{}", text(&said));
    if place.is_file() {
        fs::remove_file(place.path().join("flags.db")).expect("removes");
        let moved = place.run("move-in --from FILE", "");
        assert!(moved.status.success() && place.path().join("flags.db").exists(), "{}", text(&moved));
    }
}

#[tokio::test]
async fn an_older_schema_is_upgraded_by_who_may_alone() {
    for name in upgrades::names() {
        let old = upgrades::Old::of(&name).await;
        let place = Place { url: old.url.clone(), ..Place::new().await };
        let place = if place.is_file() {
            let file = place.path().join("flags.db");
            fs::copy(place.url.trim_start_matches("sqlite://"), &file).expect("copies");
            Place { url: format!("sqlite://{}", file.display()), ..place }
        } else {
            place
        };
        let words = ["the schema of the database ", " is older than this program", "`flagstone migrate`"];
        refused(&place, &[May::Work], &words);
        looked_at(&place, "older than this program");
        if place.is_file() {
            let copied = place.run("backup copy.db", "");
            assert!(copied.status.success(), "a backup is made before an upgrade: {}", text(&copied));
        }
        refused(&place, &[May::Work], &words);
        let said = text(&place.run("migrate", ""));
        assert!(
            said.contains(" is upgraded to the schema of version ") && said.contains(" migrations, from m"),
            "{said}"
        );
        assert!(place.run("user list", "").status.success());
    }
}

#[tokio::test]
async fn a_newer_schema_is_refused_by_everybody() {
    let place = Place::new().await;
    assert!(place.run("migrate", "").status.success());
    place
        .sql(
            "INSERT INTO seaql_migrations (version, applied_at) VALUES ('m9999_later', 0); \
             INSERT INTO setting (id, content, created_at, updated_at) \
             VALUES ('flagstone.schema-version', '\"9.8.7\"', 0, 0) \
             ON CONFLICT (id) DO UPDATE SET content = excluded.content",
        )
        .await;
    let words = ["upgraded by version 9.8.7 of Flagstone", "m9999_later", "restore a backup"];
    refused(&place, &[May::Upgrade, May::Work, May::Copy], &words);
    looked_at(&place, "9.8.7");
}

#[tokio::test]
async fn the_database_of_another_program_is_left_alone() {
    let place = Place::new().await;
    place.sql("CREATE TABLE note (id integer, content text)").await;
    place.sql("INSERT INTO note VALUES (1, 'mine')").await;
    let words = ["the database ", " is that of another program"];
    // A database on PostgreSQL may have room for several programs.
    refused(&place, &[May::Work, May::Copy], &words);
    if place.is_file() {
        refused(&place, &[May::Upgrade], &words);
    }
    looked_at(&place, if place.is_file() { "Flagstone" } else { "" });
    if !place.is_file() {
        assert!(place.run("migrate", "").status.success());
        place.sql("SELECT 1 / count(*) FROM note WHERE content = 'mine'").await;
    }
}

#[tokio::test]
async fn a_file_that_may_not_be_written_is_told_with_what_to_do() {
    let mut place = Place::new().await;
    if !place.is_file() {
        return;
    }
    assert!(place.run("migrate", "").status.success());
    let file = place.path().join("flags.db");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o444)).expect("read only");
    fs::set_permissions(place.path(), fs::Permissions::from_mode(0o555)).expect("read only");
    // Files refuse nothing to the superuser.
    let is_superuser = fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0);
    place.user = is_superuser.then_some(65_534);
    refused(&place, &[May::Upgrade, May::Work, May::Copy], &["flags.db", "must be able to write"]);
    looked_at(&place, "");
    fs::set_permissions(place.path(), fs::Permissions::from_mode(0o755)).expect("its own again");
}

#[tokio::test]
async fn a_right_that_postgresql_misses_is_told_with_what_gives_it() {
    let place = Place::new().await;
    if place.is_file() {
        return;
    }
    let connection = Database::connect(pool(&place.url, 1)).await.expect("opens");
    let limited = "SELECT 1 / (1 - rolsuper::integer) FROM pg_roles WHERE rolname = current_user";
    let is_superuser = connection.execute_unprepared(limited).await.is_err();
    connection.close().await.expect("closes");
    if is_superuser {
        return;
    }
    place.sql("CREATE SCHEMA closed; REVOKE CREATE ON SCHEMA closed FROM CURRENT_USER").await;
    let closed = Place { url: format!("{}?options[search_path]=closed", place.url), ..Place::new().await };
    let refused = |place: &Place, command: &str, words: &[&str]| {
        let output = place.run(command, "");
        let said = text(&output);
        assert_eq!(output.status.code(), Some(1), "{command}: {said}");
        for words in words {
            assert!(said.contains(words), "{command} does not say {words}: {said}");
        }
    };
    let grant = "GRANT USAGE, CREATE ON SCHEMA closed TO role";
    refused(&closed, "migrate", &["permission denied for schema closed", grant]);
    assert!(place.run("migrate", "").status.success());
    place.sql("REVOKE ALL ON seaql_migrations FROM CURRENT_USER").await;
    let grant = "GRANT SELECT, INSERT, UPDATE, DELETE ON seaql_migrations TO role";
    refused(&place, "user list", &["permission denied for table seaql_migrations", grant]);
}
