//! Settings from a file, from variables and from files that variables name: which counts, what is told of them, and
//! what is wrong with them.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    address::ReservedAddress,
    program::{Connection, Program},
};

/// A directory with files of settings.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a directory"))
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.path().join(name);
        fs::write(&path, text).expect("a file");
        path
    }

    fn run(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_flagstone"))
            .args(arguments)
            .current_dir(self.0.path())
            .env_clear()
            .envs(variables.iter().copied())
            .output()
            .expect("the program runs")
    }

    #[track_caller]
    fn says(&self, arguments: &[&str], variables: &[(&str, &str)]) -> String {
        let output = self.run(arguments, variables);
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout)
    }

    #[track_caller]
    fn refuses(&self, arguments: &[&str], variables: &[(&str, &str)]) -> String {
        let output = self.run(arguments, variables);
        assert!(!output.status.success() && output.stdout.is_empty(), "{}", text(&output.stdout));
        text(&output.stderr)
    }

    /// Value of a setting in force, and where it comes from.
    #[track_caller]
    fn shown(&self, name: &str, flags: &[&str], variables: &[(&str, &str)]) -> (Value, Value) {
        let arguments = [&["config", "show", "--format", "json", "--"], flags].concat();
        let rows: Value = serde_json::from_str(&self.says(&arguments, variables)).expect("JSON");
        let row = rows.as_array().expect("a list").iter().find(|row| row["name"] == name);
        row.map_or((Value::Null, Value::Null), |row| (row["value"].clone(), row["from"].clone()))
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn shown(path: &Path) -> &str {
    path.to_str().expect("a path")
}

#[test]
fn a_flag_wins_over_its_variable_and_the_variable_over_the_file() {
    let place = Place::new();
    let file = place.file("flagstone.toml", "# mine\nsession-hours = 3\nmetrics-token = \"hunter2-of-the-file\"\n");
    let secret = place.file("token", "hunter2-of-a-file-alone\r\n");
    let (file, secret) = (shown(&file), shown(&secret));
    let named = ("FLAGSTONE_CONFIG", file);
    let variable = ("FLAGSTONE_SESSION_HOURS", "4");
    let flag = ["--session-hours", "5"];
    let from_file = |line: u32| json!({ "kind": "file", "file": file, "line": line });
    for (flags, variables, value, from) in [
        (&[][..], &[][..], json!(48), json!({ "kind": "default" })),
        (&[], &[named], json!(3), from_file(2)),
        (&["--config", file], &[], json!(3), from_file(2)),
        (&[], &[named, variable], json!(4), json!({ "kind": "variable", "variable": "FLAGSTONE_SESSION_HOURS" })),
        (&flag, &[named, variable], json!(5), json!({ "kind": "flag" })),
        (&flag, &[], json!(5), json!({ "kind": "flag" })),
    ] {
        assert_eq!(place.shown("session-hours", flags, variables), (value, from), "{flags:?} {variables:?}");
    }
    let in_file = ("FLAGSTONE_METRICS_TOKEN_FILE", secret);
    let itself = ("FLAGSTONE_METRICS_TOKEN", "hunter2-of-the-variable");
    let of_file = json!({ "kind": "variable", "variable": "FLAGSTONE_METRICS_TOKEN_FILE", "file": secret });
    for (flags, variables, from) in [
        (&[][..], &[][..], Value::Null),
        (&[], &[named], from_file(3)),
        (&[], &[named, in_file], of_file.clone()),
        (&[], &[named, itself], json!({ "kind": "variable", "variable": "FLAGSTONE_METRICS_TOKEN" })),
        (&[], &[named, ("FLAGSTONE_METRICS_TOKEN", ""), in_file], of_file),
        (&["--metrics-token", "hunter2-of-the-flag"], &[named, in_file], json!({ "kind": "flag" })),
    ] {
        assert_eq!(place.shown("metrics-token", flags, variables), (Value::Null, from), "{flags:?} {variables:?}");
    }
}

#[test]
fn numbers_truths_and_lists_are_written_as_they_are() {
    let place = Place::new();
    let list = r#"cors-origins = ["https://a.example", "https://b.example"]"#;
    let text = format!(
        "{list}\ntrusted-proxies = [\"10.0.0.0/8\", \"::1\"]\nmetrics-open = true\nlog-format = \"json\"\n\
         limit-projects = 7\nINIT_CLIENT_API_TOKENS = [\"*:development.hunter2\"]\nOIDC_ENABLED = false\n"
    );
    // Some editors put a mark before it.
    let file = place.file("flagstone.toml", &format!("\u{feff}{text}"));
    let variables = [("FLAGSTONE_CONFIG", shown(&file))];
    for (name, value) in [
        ("cors-origins", json!(["https://a.example", "https://b.example"])),
        ("trusted-proxies", json!(["10.0.0.0/8", "::1"])),
        ("metrics-open", json!(true)),
        ("log-format", json!("json")),
        ("limit-projects", json!(7)),
        ("INIT_CLIENT_API_TOKENS", Value::Null),
        ("OIDC_ENABLED", json!(false)),
    ] {
        assert_eq!(place.shown(name, &[], &variables).0, value, "{name}");
    }
    // What is shown as a file of settings is one, and says the same.
    let again = place.file("again.toml", &place.says(&["config", "show", "--format", "toml"], &variables));
    let json = ["config", "show", "--format", "json"];
    let values = |variables: &[(&str, &str)]| {
        let rows: Value = serde_json::from_str(&place.says(&json, variables)).expect("JSON");
        let rows = rows.as_array().expect("a list").iter().filter(|row| row["hidden"] == false);
        rows.map(|row| (row["name"].clone(), row["value"].clone())).collect::<Vec<_>>()
    };
    assert_eq!(values(&variables), values(&[("FLAGSTONE_CONFIG", shown(&again))]));
}

#[test]
fn what_is_wrong_with_a_file_is_all_told_with_its_line_and_without_its_secrets() {
    let place = Place::new();
    let whole = "listen = \"127.0.0.1:1\"\nlog_format = \"text\"\nsesion-hours = 3\nFLAGSTONE_LISTEN = \"x\"\n\
                 upstream = \"http://hunter2\"\nwatermelon = \"hunter2\"\nsession-hours = 0\nmetrics-open = \"flase\"\n\
                 body-limit-mib = true\nstreams-limit = \"many\"\nmetrics-token = 5\nlog-format = \"loud\"\n\
                 cors-origins = [\"a,b\"]\nbase-url = [\"x\"]\nconfig = \"other.toml\"\n[edge]\nport = 1\n";
    let file = place.file("flagstone.toml", whole);
    let complaint = place.refuses(&["serve", "--config", shown(&file)], &[]);
    for expected in [
        ":2: log_format: there is no such setting; the nearest is log-format",
        ":3: sesion-hours: there is no such setting; the nearest is session-hours",
        ":4: FLAGSTONE_LISTEN: there is no such setting; the nearest is listen",
        ":5: upstream: this is a setting of an edge",
        ":6: watermelon: there is no such setting; `flagstone config example` lists all",
        ":7: session-hours: 0 is not in 1..=8784",
        ":8: metrics-open: takes true or false",
        ":9: body-limit-mib: takes a number",
        ":10: streams-limit: invalid digit",
        ":11: metrics-token: takes text",
        ":12: log-format: takes auto, text, json",
        ":13: cors-origins: an entry of the list holds a comma",
        ":14: base-url: takes text",
        ":15: config: there is no such setting",
        ":16: edge: there are no tables here",
    ] {
        assert!(complaint.contains(expected), "{expected}: {complaint}");
    }
    assert!(!complaint.contains("hunter2") && !complaint.contains(":1:"), "{complaint}");
    assert_eq!(place.run(&["serve", "--config", shown(&file)], &[]).status.code(), Some(2));
    for (text, expected) in [
        ("metrics-token = hunter2", ":1: this is no TOML"),
        ("listen = \"127.0.0.1:1\"\nlisten = \"hunter2\"", ":2: this is no TOML: duplicate key"),
    ] {
        let file = place.file("broken.toml", text);
        // Commands beside the server judge the same file.
        for command in ["serve", "migrate"] {
            let complaint = place.refuses(&[command, "--config", shown(&file)], &[]);
            assert!(complaint.contains(expected) && !complaint.contains("hunter2"), "{complaint}");
        }
    }
    let complaint = place.refuses(&["user", "list", "--config", "absent.toml"], &[]);
    assert!(complaint.contains("absent.toml: No such file"), "{complaint}");
    let file = place.file("edge.toml", "upstraem = \"http://x\"\nlimit-projects = 3\nport = 70000\n");
    let complaint = place.refuses(&["edge", "--config", shown(&file)], &[]);
    for expected in
        ["the nearest is upstream", "this is a setting of the server", ":3: port: 70000 is not in 0..=65535"]
    {
        assert!(complaint.contains(expected), "{expected}: {complaint}");
    }
}

#[test]
fn a_secret_is_in_its_variable_or_in_a_file() {
    let place = Place::new();
    let (secret, empty) = (place.file("secret", "hunter2-in-a-file\n"), place.file("empty", "\n"));
    let binary = place.0.path().join("binary");
    fs::write(&binary, [b'h', 0xff, b'\n']).expect("a file");
    for (variables, expected) in [
        (
            &[("DATABASE_URL", "sqlite://hunter2"), ("DATABASE_URL_FILE", shown(&secret))][..],
            "DATABASE_URL and DATABASE_URL_FILE are both set",
        ),
        (
            &[("UNLEASH_DEFAULT_ADMIN_PASSWORD", "hunter2"), ("UNLEASH_DEFAULT_ADMIN_PASSWORD_FILE", shown(&secret))],
            "UNLEASH_DEFAULT_ADMIN_PASSWORD_FILE are both set",
        ),
        (&[("OIDC_CLIENT_SECRET_FILE", "/nowhere/secret")], "OIDC_CLIENT_SECRET_FILE: /nowhere/secret: No such file"),
        (&[("FLAGSTONE_SECRET_KEY_FILE", shown(&empty))], "FLAGSTONE_SECRET_KEY_FILE: "),
        (&[("INIT_ADMIN_API_TOKENS_FILE", shown(&binary))], "INIT_ADMIN_API_TOKENS_FILE: "),
    ] {
        let complaint = place.refuses(&["serve"], variables);
        assert!(complaint.contains(expected) && !complaint.contains("hunter2"), "{expected}: {complaint}");
    }
    for variable in ["TOKENS", "CLIENT_TOKENS", "CUSTOM_CLIENT_HEADERS", "HTTPS_PROXY"] {
        let complaint = place.refuses(&["edge"], &[(&format!("{variable}_FILE"), "/nowhere")]);
        assert!(complaint.contains(&format!("{variable}_FILE: /nowhere: ")), "{complaint}");
    }
}

#[test]
fn what_is_shown_holds_no_secret() {
    let place = Place::new();
    let secrets: Vec<(String, String)> = [
        "DATABASE_URL",
        "DATABASE_READ_URL",
        "HTTPS_PROXY",
        "FLAGSTONE_SECRET_KEY",
        "FLAGSTONE_PREVIOUS_SECRET_KEY",
        "FLAGSTONE_METRICS_TOKEN",
        "INIT_ADMIN_API_TOKENS",
        "INIT_CLIENT_API_TOKENS",
        "INIT_FRONTEND_API_TOKENS",
        "UNLEASH_DEFAULT_ADMIN_PASSWORD",
        "OIDC_CLIENT_SECRET",
        "SAML_SIGNOUT_CERTIFICATE",
        "TOKENS",
        "PRETRUSTED_TOKENS",
        "CLIENT_TOKENS",
        "FRONTEND_TOKENS",
        "CUSTOM_CLIENT_HEADERS",
    ]
    .map(|name| {
        let is_url = name.ends_with("_URL") || name == "HTTPS_PROXY";
        let value = if is_url { "postgres://me:hunter2@db/flags?password=hunter2" } else { "hunter2-hunter2-hunter2" };
        (name.to_owned(), value.to_owned())
    })
    .into();
    let variables: Vec<_> = secrets.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    for form in ["text", "json", "toml"] {
        for whose in [&[][..], &["--edge"]] {
            let said = place.says(&[&["config", "show", "--format", form], whose].concat(), &variables);
            assert!(!said.contains("hunter2"), "{form}: {said}");
            let expected = if whose.is_empty() { "metrics-token" } else { "pretrusted-tokens" };
            assert!(said.contains(expected), "{form}: {said}");
        }
    }
    let said = place.says(&["config", "show"], &variables);
    assert!(said.contains("postgres://me:(hidden)@db/flags?…"), "{said}");
    let check = place.run(&["config", "check"], &variables);
    assert!(!text(&[check.stdout, check.stderr].concat()).contains("hunter2"));
}

#[test]
fn a_check_tells_everything_that_is_wrong() {
    let place = Place::new();
    let said = place.says(&["config", "check"], &[]);
    assert_eq!(said, "The settings hold.\n");
    assert_eq!(fs::read_dir(place.0.path()).expect("a directory").count(), 0, "nothing is made");
    let file =
        place.file("flagstone.toml", "session-hours = 0\nmetrics-token = \"short\"\nca-file = \"/nowhere.pem\"\n");
    let variables =
        [("FLAGSTONE_CONFIG", shown(&file)), ("FLAGSTONE_LOG_FORMAT", "loud"), ("FLAGSTONE_BODY_LIMIT_MIB", "0")];
    let complaint = place.refuses(&["config", "check"], &variables);
    for expected in ["3 settings are wrong", "session-hours", "FLAGSTONE_LOG_FORMAT: takes", "FLAGSTONE_BODY_LIMIT_MIB"]
    {
        assert!(complaint.contains(expected), "{expected}: {complaint}");
    }
    let file =
        place.file("flagstone.toml", "metrics-token = \"short\"\nca-file = \"/nowhere.pem\"\nkey-file = \"key\"\n");
    place.file("key", "no key");
    let variables = [
        ("FLAGSTONE_CONFIG", shown(&file)),
        ("OIDC_ENABLED", "maybe"),
        ("FLAGSTONE_TLS_CERTIFICATE", "/nowhere.crt"),
        ("FLAGSTONE_TLS_KEY", "/nowhere.key"),
        ("DATABASE_READ_URL", "postgres://x"),
    ];
    let output = place.run(&["config", "check"], &variables);
    assert_eq!(output.status.code(), Some(1));
    let complaint = text(&output.stderr);
    for expected in [
        "6 settings are wrong",
        "FLAGSTONE_METRICS_TOKEN",
        "/nowhere.pem",
        "OIDC_ENABLED must be true or false",
        "/nowhere.crt",
        "DATABASE_URL must begin with postgres://",
        "key",
    ] {
        assert!(complaint.contains(expected), "{expected}: {complaint}");
    }
    let complaint = place.refuses(&["config", "check", "--edge"], &[("REDIS_URL", "redis://hunter2")]);
    assert!(complaint.contains("BACKUP_FOLDER") && !complaint.contains("hunter2"), "{complaint}");
    assert!(place.says(&["config", "check", "--edge", "--", "--upstream", "http://x"], &[]).contains("hold"));
}

#[test]
fn the_example_is_current_and_every_line_of_it_is_a_setting() {
    let place = Place::new();
    let committed = concat!(env!("CARGO_MANIFEST_DIR"), "/packaging/flagstone.toml");
    let example = place.says(&["config", "example"], &[]);
    assert_eq!(
        fs::read_to_string(committed).expect("the example"),
        example,
        "packaging/flagstone.toml is what `flagstone config example` prints"
    );
    for whose in [&[][..], &["--edge"]] {
        let example = place.says(&[&["config", "example"], whose].concat(), &[]);
        let lines: Vec<_> = example.lines().filter(|line| line.starts_with('#') && !line.starts_with("# ")).collect();
        let file = place.file("whole.toml", &lines.iter().map(|line| &line[1..]).collect::<Vec<_>>().join("\n"));
        let json = place
            .says(&[&["config", "show", "--format", "json"], whose].concat(), &[("FLAGSTONE_CONFIG", shown(&file))]);
        let rows: Value = serde_json::from_str(&json).expect("JSON");
        let of_file = rows.as_array().expect("a list").iter().filter(|row| row["from"]["kind"] == "file").count();
        assert_eq!(of_file, lines.len(), "{json}");
    }
}

#[test]
fn the_server_and_the_commands_beside_it_heed_one_file() {
    let place = Place::new();
    let token = place.file("metrics", "read-with-this-one-secret\n");
    let reserved = ReservedAddress::new();
    let (address, database) = (reserved.get(), place.0.path().join("flags.db"));
    let text = format!(
        "listen = \"{address}\"\ndatabase-url = \"sqlite://{}\"\nINIT_ADMIN_API_TOKENS = \"*:*.an-administrator-of-a-file\"\n",
        shown(&database)
    );
    let file = place.file("flagstone.toml", &text);
    place.says(&["migrate", "--config", shown(&file)], &[]);
    assert!(database.exists());
    let mut command = Command::new(env!("CARGO_BIN_EXE_flagstone"));
    command.args(["--config", shown(&file)]);
    let variables =
        [("FLAGSTONE_LISTEN", ""), ("INIT_ADMIN_API_TOKENS", ""), ("FLAGSTONE_METRICS_TOKEN_FILE", shown(&token))];
    let program = Program::spawn(command, &variables);
    let get = |path: &str, token: &str| {
        let mut connection = Connection::open(address).ok()?;
        let head = format!("GET {path} HTTP/1.1\r\nHost: x\r\nAuthorization: {token}\r\nConnection: close\r\n\r\n");
        connection.try_send(head.as_bytes());
        connection.answer().map(|(status, _)| status)
    };
    program.wait_until(|| get("/ready", "") == Some(200));
    assert_eq!(get("/internal-backstage/prometheus", "read-with-this-one-secret"), Some(200));
    assert_eq!(get("/api/admin/projects", "*:*.an-administrator-of-a-file"), Some(200));
    let users = place.says(&["user", "--config", shown(&file), "list"], &[]);
    assert!(users.contains("admin"), "{users}");
}

#[test]
fn whoever_checks_a_server_asks_where_its_settings_have_it_listen() {
    let place = Place::new();
    let program = Program::start(&[]);
    let listen = program.address.to_string();
    let answer = place.says(&["check", "ready"], &[("FLAGSTONE_LISTEN", &listen)]);
    assert!(answer.contains("GOOD"), "{answer}");
    let settings = place.file("settings.toml", &format!("listen = \"{listen}\"\naccess-log = true\n"));
    let of_server = [("FLAGSTONE_CONFIG", settings.to_str().expect("a path"))];
    assert_eq!(place.says(&["check", "ready"], &of_server), answer);
    assert_eq!(place.says(&["check", "ready", "--config", of_server[0].1], &[]), answer);
    let of_edge = place.file("edge.toml", &format!("listen = \"{listen}\"\nupstream = \"http://127.0.0.1:9\"\n"));
    assert_eq!(place.says(&["check", "ready"], &[("FLAGSTONE_CONFIG", of_edge.to_str().expect("a path"))]), answer);

    // What is said nearer wins, and the answer tells who was asked.
    let reserved = ReservedAddress::new();
    let nobody = reserved.get();
    let asked = place.refuses(&["check", "ready"], &[of_server[0], ("FLAGSTONE_LISTEN", &nobody.to_string())]);
    assert!(asked.contains(&format!("http://{nobody}/ready")), "{asked}");
    let asked = place.refuses(&["check", "ready", "--url", &format!("http://{nobody}/x/")], &of_server);
    assert!(asked.contains(&format!("http://{nobody}/x/ready")), "{asked}");
    let silent = place.file("silent.toml", "access-log = true\n");
    let wrong = place.file("wrong.toml", "no-such-setting = 1\n");
    let asked = place.refuses(&["check", "health"], &[("FLAGSTONE_CONFIG", wrong.to_str().expect("a path"))]);
    assert!(asked.contains("no-such-setting"), "{asked}");
    let output = place.run(&["check", "health"], &[("FLAGSTONE_CONFIG", silent.to_str().expect("a path"))]);
    // Somebody may listen there on this machine.
    assert!(output.status.success() || text(&output.stderr).contains("http://127.0.0.1:4242/health"), "{output:?}");
}

#[test]
fn a_variable_that_is_empty_is_none() {
    let place = Place::new();
    for name in ["session-hours", "body-limit-mib", "trusted-proxies", "database-url", "log-format", "base-url"] {
        let default = place.shown(name, &[], &[]);
        let mut command = name.to_uppercase().replace('-', "_");
        if name != "database-url" {
            command.insert_str(0, "FLAGSTONE_");
        }
        assert_eq!(place.shown(name, &[], &[(&command, "")]), default, "{command}");
    }
    let file = place.file("flagstone.toml", "session-hours = 3\n");
    let (value, from) =
        place.shown("session-hours", &[], &[("FLAGSTONE_CONFIG", shown(&file)), ("FLAGSTONE_SESSION_HOURS", "")]);
    assert_eq!((value, &from["kind"]), (json!(3), &json!("file")));
    let migrated = place.says(&["migrate"], &[("FLAGSTONE_CONFIG", ""), ("DATABASE_URL", "")]);
    assert!(migrated.starts_with("The database flagstone.db is set up"), "{migrated}");
    let listed = place.says(&["user", "list"], &[("FLAGSTONE_CONFIG", ""), ("DATABASE_URL", "")]);
    assert_eq!(listed, "");
}

#[test]
fn what_cannot_be_an_address_or_an_email_is_refused_before_anything_is_made() {
    let place = Place::new();
    for (variable, value, expected) in [
        ("FLAGSTONE_BASE_URL", "flags.example.com", "a public address is http:// or https:// and a host"),
        ("FLAGSTONE_BASE_URL", "https://", "a public address is http:// or https:// and a host"),
        ("UNLEASH_DEFAULT_ADMIN_USERNAME", "a b@@c", "UNLEASH_DEFAULT_ADMIN_USERNAME has an @ and is no email"),
        ("DATABASE_URL", "postgres://ada:hunter2@localhost/flags?sslmod=require", "has no parameter \\\"sslmod\\\""),
    ] {
        let complaint = place.refuses(&["serve"], &[(variable, value)]);
        assert!(complaint.contains(expected) && !complaint.contains("hunter2"), "{complaint}");
    }
    let complaint = place.refuses(&["config", "check"], &[("FLAGSTONE_BASE_URL", "flags.example.com")]);
    assert!(complaint.contains("FLAGSTONE_BASE_URL: a public address is"), "{complaint}");
    let complaint = place.refuses(&["config", "check"], &[("UNLEASH_DEFAULT_ADMIN_USERNAME", "a b@@c")]);
    assert!(complaint.contains("has an @ and is no email"), "{complaint}");
    assert_eq!(fs::read_dir(place.0.path()).expect("a directory").count(), 0, "nothing is made");
}

#[test]
fn a_directory_that_is_missing_is_named_with_what_to_do() {
    let place = Place::new();
    for command in ["serve", "migrate"] {
        let complaint = place.refuses(&[command], &[("DATABASE_URL", "sqlite://no/such/flags.db")]);
        assert!(
            complaint.contains("no/such/flags.db") && complaint.contains("its directory must exist"),
            "{complaint}"
        );
    }
    let variables = [("FLAGSTONE_KEY_FILE", "no/such/flagstone.key")];
    let complaint = place.refuses(&["serve"], &variables);
    assert!(complaint.contains("FLAGSTONE_KEY_FILE") && complaint.contains("its directory must exist"), "{complaint}");
}
