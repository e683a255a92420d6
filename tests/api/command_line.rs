//! The commands that make people and tokens, and copy the database: the real program on a real file.

mod managing;

use std::{
    io::Write as _,
    path::Path,
    process::{Command, Output, Stdio},
};

use tempfile::TempDir;

use crate::address::ReservedAddress;

struct Place(TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a directory"))
    }

    /// A place with a database.
    fn with_database() -> Self {
        let place = Self::new();
        place.says(&["migrate"], "");
        place
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn run(&self, arguments: &[&str], input: &str) -> Output {
        let mut process = Command::new(env!("CARGO_BIN_EXE_flagstone"))
            .args(arguments)
            .current_dir(self.path())
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program");
        process.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("input");
        process.wait_with_output().expect("an end")
    }

    /// Returns the output of a command that succeeds.
    #[track_caller]
    fn says(&self, arguments: &[&str], input: &str) -> String {
        let output = self.run(arguments, input);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("UTF-8")
    }

    /// Returns the complaint of a command that fails.
    #[track_caller]
    fn refuses(&self, arguments: &[&str], input: &str) -> String {
        let output = self.run(arguments, input);
        assert!(!output.status.success());
        assert!(output.stdout.is_empty(), "{}", String::from_utf8_lossy(&output.stdout));
        let complaint = String::from_utf8(output.stderr).expect("UTF-8");
        assert!(complaint.starts_with("error: ") || arguments.contains(&"serve"), "no log: {complaint}");
        complaint
    }
}

#[test]
fn tokens_are_made_and_their_secret_is_all_that_is_printed() {
    let place = Place::with_database();
    let admin = place.says(&["token", "create", "--type", "admin", "--name", "ci"], "");
    assert!(admin.starts_with("*:*.") && admin.trim_end().len() == 60, "{admin}");
    let client = ["token", "create", "--type", "client", "--name", "app", "--environment", "development"];
    assert!(place.says(&client, "").starts_with("*:development."));
    let narrow = [&client[..], &["--project", "default", "--expires-at", "2030-01-01T00:00:00Z"]].concat();
    assert!(place.says(&narrow, "").starts_with("default:development."));
    for (arguments, reason) in [
        (&["token", "create", "--type", "client", "--name", "app"][..], "needs one environment"),
        (&["token", "create", "--type", "admin", "--name", "ci", "--project", "default"], "cannot be bound"),
        (&["token", "create", "--type", "admin", "--name", " "], "1 to 255 characters"),
        (&["token", "create", "--type", "admin", "--name", ".."], "clients remove from addresses"),
        (&[&client[..], &["--project", "nowhere"]].concat(), "no project named"),
        (&["token", "create", "--type", "client", "--name", "a", "--environment", "no"], "no environment named"),
        (&[&client[..], &["--expires-at", "tomorrow"]].concat(), "RFC 3339"),
    ] {
        let complaint = place.refuses(arguments, "");
        assert!(complaint.contains(reason), "{arguments:?}: {complaint}");
    }
}

#[test]
fn users_are_made_listed_and_given_passwords() {
    let place = Place::with_database();
    let ada = ["user", "create", "--username", "ada", "--email", "Ada@Example.com", "--role", "admin"];
    let said = place.says(&[&ada[..], &["--password-stdin"]].concat(), "Correct-horse-1\n");
    assert!(!said.contains("horse"), "{said}");
    let said = place.says(&["user", "create", "--email", "bob@example.com"], "");
    let password = said.lines().last().and_then(|line| line.rsplit(' ').next()).expect("a password");
    assert_eq!(flagstone::domain::password::judge(password), Ok(()));
    let list = place.says(&["user", "list"], "");
    let columns: Vec<Vec<&str>> = list.lines().map(|line| line.split('\t').skip(1).collect()).collect();
    assert_eq!(columns, [["ada", "ada@example.com", "Admin", "never"], ["-", "bob@example.com", "Viewer", "never"]]);
    assert!(place.says(&["user", "set-password", "BOB@example.com"], "").contains("Password, shown only now: "));
    for (arguments, input, reason) in [
        (&[&ada[..], &["--password-stdin"]].concat()[..], "Correct-horse-1", "exists already"),
        (&["user", "create", "--username", "eve", "--password-stdin"], "hunter2", "at least 10 characters"),
        (&["user", "create", "--username", "eve", "--password-stdin"], "hunter2hunter2", "upper-case"),
        (&["user", "create", "--email", "nobody"], "", "name@example.com"),
        (&["user", "create", "--email", "no body@example.com"], "", "without blanks"),
        (&["user", "create", "--email", "nobody@home@example.com"], "", "one @"),
        (&["user", "create"], "", "--username"),
        (&["user", "set-password", "nobody", "--password-stdin"], "Correct-horse-1", "no user named"),
    ] {
        let complaint = place.refuses(arguments, input);
        assert!(complaint.contains(reason), "{arguments:?}: {complaint}");
        assert!(!complaint.contains("hunter2") && !complaint.contains("horse"), "{complaint}");
    }
    assert_eq!(place.says(&["user", "list"], "").lines().count(), 2);
}

#[test]
fn a_wrong_setting_is_named_before_anything_is_made() {
    let place = Place::new();
    for (arguments, complaint) in [
        (["--job-usage-seconds", "0"], "'0' for '--job-usage-seconds <SECONDS>': 0 is not in 1..=3600"),
        (["--job-insights-seconds", "59"], "59 is not in 60..=86400"),
        (["--job-potentially-stale-seconds", "often"], "'often' for '--job-potentially-stale-seconds <SECONDS>'"),
        (["--streams-limit", "1000001"], "1000001 is not in 0..=1000000"),
        (["--metrics-token", "hunter2"], "FLAGSTONE_METRICS_TOKEN must have at least 16 characters"),
        (["--trusted-proxies", "10.0.0.0/8,proxy"], "\"proxy\" is neither a network such as 10.0.0.0/8"),
        (["--trusted-proxies", "0.0.0.0/0"], "0.0.0.0/0 is everybody"),
        (["--read-staleness-ms", "99"], "99 is not in 100..=60000"),
        (["--database-read-url", "postgres://flagstone:hunter2@localhost/flagstone"], "DATABASE_URL must begin with"),
    ] {
        let said = place.refuses(&[&["serve"], &arguments[..]].concat(), "");
        assert!(said.contains(complaint) && !said.contains("hunter2"), "{said}");
        let bare = place.run(&arguments, "");
        assert!(!bare.status.success() && String::from_utf8_lossy(&bare.stderr).contains(complaint), "{arguments:?}");
    }
    assert_eq!(std::fs::read_dir(place.path()).expect("a directory").count(), 0);
}

#[test]
fn each_command_tells_and_takes_its_own_options() {
    let place = Place::new();
    let help = |arguments: &[&str]| place.says(&[arguments, &["--help"]].concat(), "");
    for (arguments, own, others) in [
        (&[][..], &["serve", "completions", "manual"][..], &["--log-format", "--database-url"][..]),
        (
            &["serve"],
            &[
                "--listen",
                "--database-url",
                "--key-file",
                "--limit-feature-flags",
                "--job-usage-seconds",
                "--log-format",
            ],
            &["--limit-feature_flags"],
        ),
        (
            &["import"],
            &[
                "--create-missing",
                "--database-url",
                "--limit-feature-flags",
                "--limit-projects",
                "--limit-environments",
                "--limit-segments",
                "--limit-strategies",
                "--limit-constraints",
                "--limit-constraint-values",
                "--limit-strategy-segments",
            ],
            &[
                "--listen",
                "--key-file",
                "--limit-api-tokens",
                "--limit-segment-values",
                "--limit-integrations",
                "--limit-personal-tokens",
            ],
        ),
        (&["token", "create"], &["--expires-at", "--database-url"], &["--listen", "--limit-projects", "--key-file"]),
        (&["user", "list"], &["--database-url"], &["--listen", "--role"]),
        (&["settings", "rekey"], &["--previous-key-file", "--database-url"], &["--listen"]),
        (&["settings", "forget"], &["--database-url"], &["--key-file"]),
        (&["openapi"], &["--format"], &["--database-url"]),
        (&["copy"], &["--from"], &["--database-url"]),
    ] {
        let text = help(arguments);
        for option in own {
            assert!(text.contains(option), "{arguments:?} has {option}: {text}");
        }
        for option in others {
            assert!(!text.contains(option), "{arguments:?} has no {option}: {text}");
        }
    }
    assert!(help(&[]).contains("\nUsage: flagstone [COMMAND]\n"), "{}", help(&[]));
    let foreign = place.refuses(&["user", "list", "--listen", "127.0.0.1:1"], "");
    assert!(foreign.contains("unexpected argument '--listen'"), "{foreign}");
    let foreign = place.refuses(&["--listen", "127.0.0.1:1", "user", "list"], "");
    assert!(foreign.contains("unexpected argument '--listen'"), "{foreign}");
    let unknown = place.refuses(&["usre", "list"], "");
    assert!(unknown.contains("unrecognized subcommand 'usre'"), "{unknown}");
    let former = place.refuses(&["serve", "--limit-feature_flags", "many"], "");
    assert!(former.contains("'many' for '--limit-feature-flags <NUMBER>'"), "{former}");
    assert_eq!(std::fs::read_dir(place.path()).expect("a directory").count(), 0);
}

#[test]
fn completions_and_manual_pages_are_those_of_the_commands() {
    let place = Place::new();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let text = place.says(&["completions", shell], "");
        assert!(text.contains("rekey") && text.contains("create-missing"), "{shell}: {text}");
    }
    // Without a command it serves: `flagstone --li` is completed to `flagstone --listen`.
    let text = place.says(&["completions", "bash"], "");
    let (_, bare) = text.split_once("\n        flagstone)\n").expect("what completes the program itself");
    let words = bare.trim_start().lines().next().expect("a line");
    assert!(words.contains(" --listen ") && words.contains(" import "), "{words}");
    let page = place.says(&["manual"], "");
    assert!(page.contains("[\\fIsubcommands\\fR]"), "no command is needed: {page}");
    assert!(page.contains(".TH flagstone 1") && page.contains("flagstone\\-token(1)"), "{page}");
    let page = place.says(&["manual", "token", "create"], "");
    assert!(page.contains(".TH flagstone-token-create 1") && page.contains("\\-\\-expires\\-at"), "{page}");
    assert!(!page.contains("\\-\\-listen"), "{page}");
    let complaint = place.refuses(&["manual", "token", "crate"], "");
    assert_eq!(complaint, "error: there is no command token crate\n");
    std::fs::write(place.path().join("taken"), "").expect("writes");
    for command in ["manual", "openapi"] {
        let complaint = place.refuses(&[command, "--write", "taken"], "");
        assert!(complaint.contains("taken: "), "{complaint}");
    }
    place.says(&["manual", "--write", "pages"], "");
    for name in ["flagstone.1", "flagstone-serve.1", "flagstone-settings-rekey.1"] {
        let page = std::fs::read_to_string(place.path().join("pages").join(name)).expect(name);
        assert!(page.contains(".SH SYNOPSIS"), "{name}: {page}");
    }
}

#[test]
fn whoever_reads_no_further_has_enough() {
    let place = Place::with_database();
    for command in [&["user", "list"][..], &["export", "--environment", "development", "--project", "default"]] {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        place.says(&["user", "create", "--email", &format!("{}@example.com", command[0])], "");
        let output = Command::new(env!("CARGO_BIN_EXE_flagstone"))
            .args(command)
            .current_dir(place.path())
            .env_clear()
            .stdout(writer)
            .output()
            .expect("an end");
        assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    }
}

#[test]
fn a_server_of_postgresql_that_is_not_there_is_told_by_its_address() {
    let place = Place::with_database();
    let nobody = ReservedAddress::new();
    let port = nobody.get().port();
    let url = format!("postgres://ada:hunter2@127.0.0.1:{port}/flagstone");
    let expected = format!("PostgreSQL at 127.0.0.1:{port} cannot be reached: Connection refused");
    for arguments in [&["user", "list", "--database-url", &url][..], &["serve", "--database-url", &url]] {
        let complaint = place.refuses(arguments, "");
        assert!(complaint.contains(&expected) && !complaint.contains("hunter2"), "{complaint}");
    }
    let log = place.refuses(&["serve", "--log-format", "text", "--database-url", &url], "");
    assert!(log.contains("ERROR") && !log.contains('\u{1b}'), "colours are for terminals: {log:?}");
    place.says(&["user", "create", "--username", "ada"], "");
    let complaint = place.refuses(&["copy", "--from", "sqlite://flagstone.db", "--to", &url], "");
    assert!(complaint.starts_with(&format!("error: the target: {expected}")), "{complaint}");
}

#[test]
fn a_database_that_cannot_be_opened_is_told_in_plain_words() {
    let place = Place::new();
    std::fs::write(place.path().join("notes.txt"), "no database at all".repeat(100)).expect("writes");
    // It takes a connection and speaks something else.
    let other = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = other.local_addr().expect("a port").port();
    std::thread::spawn(move || {
        for mut connection in other.incoming().flatten() {
            let _ = std::io::Write::write_all(&mut connection, b"HTTP/1.1 400 Bad Request\r\n\r\n");
        }
    });
    let elsewhere = format!("postgres://ada:hunter2@127.0.0.1:{port}/flagstone");
    let foreign = format!("PostgreSQL at 127.0.0.1:{port} cannot be reached: ");
    for (url, expected) in [
        ("mysql://ada:hunter2@localhost/flagstone", "(DATABASE_URL) must begin with sqlite:// or postgres://"),
        ("foo", "(DATABASE_URL) must begin with sqlite:// or postgres://"),
        ("postgres://ada:hun#ter2@localhost/flagstone", "(DATABASE_URL) holds a `#`"),
        ("postgres://ada:hunter2@localhost:port/flagstone", "(DATABASE_URL) cannot be read: invalid port number"),
        ("postgres://ada:hunter2@[::1]:1/flagstone", "PostgreSQL at [::1]:1 cannot be reached: "),
        ("sqlite://notes.txt", "the database notes.txt cannot be opened: it is no SQLite database"),
        ("sqlite://no/such/flagstone.db", "there is no database at no/such/flagstone.db"),
        (&elsewhere, &foreign),
    ] {
        let complaint = place.refuses(&["user", "list", "--database-url", url], "");
        assert!(complaint.contains(expected), "{url}: {complaint}");
        assert_eq!(complaint.lines().count(), 1, "{complaint}");
        for driver in
            ["Custom Error", "Connection Error", "error returned from", "sqlx", ".rs", "hunter2", "ter2", "lookup"]
        {
            assert!(!complaint.contains(driver), "{complaint}");
        }
    }
}

#[test]
fn a_file_without_end_is_read_no_further_than_a_real_one_could_be() {
    let place = Place::with_database();
    for (arguments, expected) in [
        (&["config", "check", "--config", "/dev/zero"][..], "/dev/zero is larger than 1048576 bytes"),
        (&["serve", "--key-file", "/dev/zero"], "the key file /dev/zero does not hold 32 bytes"),
        (&["settings", "rekey", "--previous-key-file", "/dev/zero"], "the key file /dev/zero does not hold 32 bytes"),
        (&["serve", "--tls-certificate", "/dev/zero", "--tls-key", "/dev/zero"], "/dev/zero holds no certificate"),
        (&["restore", "/dev/zero"], "there is no file /dev/zero"),
        (&["backup", "verify", "/dev/zero"], "there is no file /dev/zero"),
    ] {
        let complaint = place.refuses(arguments, "");
        assert!(complaint.contains(expected), "{arguments:?}: {complaint}");
    }
}

#[test]
fn a_backup_is_a_whole_database_and_overwrites_nothing() {
    let place = Place::new();
    let complaint = place.refuses(&["backup", "copy.db"], "");
    assert!(complaint.contains("no database at flagstone.db"), "{complaint}");
    assert!(!place.path().join("flagstone.db").exists() && !place.path().join("copy.db").exists());
    place.says(&["migrate"], "");
    place.says(&["user", "create", "--username", "ada"], "");
    assert!(place.says(&["backup", "copy.db"], "").contains("bytes copied to copy.db"));
    let copy = ["--database-url", "sqlite://copy.db", "user", "list"];
    assert_eq!(place.says(&copy, ""), place.says(&["user", "list"], ""));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(place.path().join("copy.db")).expect("a copy").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    let before = std::fs::read(place.path().join("copy.db")).expect("a copy");
    assert!(place.refuses(&["backup", "copy.db"], "").contains("copy.db: "));
    assert_eq!(std::fs::read(place.path().join("copy.db")).expect("a copy"), before);
    let complaint = place.refuses(&["--database-url", "postgres://x@127.0.0.1:1/x", "backup", "other"], "");
    assert!(complaint.contains("pg_dump"), "{complaint}");
}

#[test]
fn a_server_with_a_foreign_key_file_does_not_start_until_the_settings_are_forgotten() {
    let place = Place::new();
    let key = place.path().join("flagstone.key");
    // A port that is taken ends the server right after its key was checked, or before anything was made.
    let port = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let listen = port.local_addr().expect("an address").to_string();
    let complaint = place.refuses(&["serve", "--listen", &listen], "");
    let log: serde_json::Value = serde_json::from_str(&complaint).expect("a line of the log");
    let error = log["fields"]["error"].as_str().expect("an error");
    assert!(error.starts_with(&format!("cannot listen on {listen}: Address already in use")), "{error}");
    assert_eq!(place.says(&["user", "list"], ""), "", "nobody is made whose password was not shown");
    std::fs::write(&key, "hunter2").expect("a file");
    let complaint = place.refuses(&["serve"], "");
    assert!(complaint.contains("flagstone.key") && !complaint.contains("hunter2"), "{complaint}");
    let complaint = place.refuses(&["serve", "--secret-key", "hunter2"], "");
    assert!(complaint.contains("FLAGSTONE_SECRET_KEY") && !complaint.contains("hunter2"), "{complaint}");
    assert_eq!(place.says(&["settings", "forget"], ""), "0 login settings are deleted.\n");
}

#[test]
fn the_key_is_changed_by_its_files_and_no_key_is_ever_said() {
    let place = Place::with_database();
    let file = |name: &str| place.path().join(name);
    assert!(place.says(&["settings", "rekey"], "").contains("with this key already"));
    std::fs::rename(file("flagstone.key"), file("previous.key")).expect("renames");
    let rekey = ["settings", "rekey", "--previous-key-file", "previous.key"];
    let said = place.says(&rekey, "");
    assert!(said.contains("1 entry is now encrypted with the new key: flagstone.key-check"), "{said}");
    assert!(place.says(&rekey, "").contains("with this key already"));
    let key = |name: &str| std::fs::read_to_string(file(name)).expect("a key").trim().to_owned();
    let (new, previous) = (key("flagstone.key"), key("previous.key"));
    assert_ne!(new, previous);
    let complaint = place.refuses(&["settings", "rekey", "--key-file", "previous.key"], "");
    assert!(complaint.contains("FLAGSTONE_PREVIOUS_KEY_FILE"), "{complaint}");
    for (option, value, named) in [
        ("--previous-secret-key", "hunter2", "FLAGSTONE_PREVIOUS_SECRET_KEY is not 32 bytes"),
        ("--secret-key", "hunter2", "FLAGSTONE_SECRET_KEY is not 32 bytes"),
        ("--previous-key-file", "nowhere.key", "the key file nowhere.key"),
    ] {
        let complaint = place.refuses(&["settings", "rekey", option, value], "");
        assert!(complaint.contains(named), "{complaint}");
        let shows = |text: &str| complaint.contains(text);
        assert!(!shows("hunter2") && !shows(&new) && !shows(&previous), "{complaint}");
    }
    assert!(!file("nowhere.key").exists());
    let both = ["--secret-key", &previous, "--previous-secret-key", &new];
    assert!(place.says(&[&["settings", "rekey"], &both[..]].concat(), "").contains("1 entry is"));
}
