//! Every setting that an Unleash server has is honoured, refused by name, or reported as without effect.

use std::{
    fs,
    process::{Command, Output},
};

use serde_json::Value;
use tempfile::TempDir;

/// Fate of a variable.
#[derive(Debug, Clone, Copy)]
enum Fate {
    /// The setting of this name has this value.
    Sets(&'static str, &'static str),
    /// It is a variable of Flagstone as well.
    Same,
    /// With a text that says what to do.
    Refused(&'static str),
    /// With the reason.
    Without(&'static str),
    /// Nothing is different from what it asks for.
    Nothing,
}
use Fate::{Nothing, Refused, Same, Sets, Without};

/// The variables of Unleash's documentation and source, versions 4 to 8, each with a value.
const VARIABLES: &[(&str, &str, Fate)] = &[
    ("DATABASE_URL", "postgres://db/flags", Same),
    ("DATABASE_HOST", "db", Sets("database-url", "postgres://db:5432/unleash?…")),
    ("DATABASE_PORT", "6543", Without("without DATABASE_HOST")),
    ("DATABASE_USERNAME", "ada", Sets("database-url", "postgres://ada@localhost:5432/unleash?…")),
    ("DATABASE_PASSWORD", "hush", Sets("database-url", "postgres://:(hidden)@localhost:5432/unleash?…")),
    ("DATABASE_NAME", "flags", Sets("database-url", "postgres://localhost:5432/flags?…")),
    ("DATABASE_SCHEMA", "public", Without("without DATABASE_HOST")),
    ("DATABASE_SSL", "false", Without("without DATABASE_HOST")),
    ("DATABASE_SSL_REJECT_UNAUTHORIZED", "true", Without("without DATABASE_HOST")),
    ("DATABASE_SSL_CA_FILE", "/ca.pem", Without("without DATABASE_HOST")),
    ("DATABASE_SSL_CERT_FILE", "/cert.pem", Without("without DATABASE_HOST")),
    ("DATABASE_SSL_KEY_FILE", "/key.pem", Without("without DATABASE_HOST")),
    ("DATABASE_APPLICATION_NAME", "flags", Without("without DATABASE_HOST")),
    ("DATABASE_SSL_CA_CONFIG", "/ssl.json", Refused("DATABASE_SSL_CA_FILE")),
    ("DATABASE_DISABLE_MIGRATION", "true", Refused("flagstone migrate")),
    ("DATABASE_DISABLE_MIGRATION", "false", Nothing),
    ("DATABASE_POOL_MIN", "1", Without("connections")),
    ("DATABASE_POOL_MAX", "10", Without("connections")),
    ("DATABASE_POOL_IDLE_TIMEOUT_MS", "1000", Without("connections")),
    ("DATABASE_VERSION", "15", Without("PostgreSQL")),
    ("DATABASE_STATEMENT_TIMEOUT_MS", "200", Without("statement_timeout")),
    ("ALLOW_NON_STANDARD_DB_DATES", "true", Without("times")),
    ("MIGRATION_LOCK", "true", Without("schema")),
    ("CHECK_DB_ON_READY", "true", Without("/ready")),
    ("ENABLE_SCHEDULED_CREATED_BY_MIGRATION", "true", Without("author")),
    ("HTTP_HOST", "0.0.0.0", Sets("listen", "0.0.0.0:4242")),
    ("HTTP_HOST", "localhost", Sets("listen", "127.0.0.1:4242")),
    ("HTTP_HOST", "::", Sets("listen", "[::]:4242")),
    ("HTTP_HOST", "flags.internal", Refused("HTTP_HOST takes an IP address")),
    ("HTTP_PORT", "8080", Sets("listen", "127.0.0.1:8080")),
    ("HTTP_PORT", "http", Refused("HTTP_PORT takes a port")),
    ("PORT", "8080", Sets("listen", "127.0.0.1:8080")),
    ("BASE_URI_PATH", "flags/", Sets("base-path", "flags/")),
    ("BASE_URI_PATH", "/api", Refused("BASE_URI_PATH: a path prefix cannot begin with /api")),
    ("UNLEASH_URL", "https://flags.example.com", Sets("base-url", "https://flags.example.com")),
    ("UNLEASH_URL", "flags.example.com", Refused("UNLEASH_URL: a public address is")),
    ("EDGE_URL", "https://edge.example.com", Without("edge")),
    ("CDN_PREFIX", "https://cdn.example.com", Without("other hosts")),
    ("SERVER_KEEPALIVE_TIMEOUT", "20", Sets("idle-timeout-seconds", "20")),
    ("SERVER_KEEPALIVE_TIMEOUT", "0", Refused("SERVER_KEEPALIVE_TIMEOUT: 0 is not in 1..=3600")),
    ("SERVER_DISABLE_COMPRESSION", "true", Without("accept")),
    ("GRACEFUL_SHUTDOWN_ENABLE", "false", Without("finishes")),
    ("GRACEFUL_SHUTDOWN_TIMEOUT", "1000", Without("finishes")),
    ("SECURE_HEADERS", "true", Without("headers")),
    ("ACCESS_CONTROL_MAX_AGE", "60", Without("a day")),
    (
        "UNLEASH_FRONTEND_API_ORIGINS",
        "https://a.example,https://b.example",
        Sets("cors-origins", "https://a.example,https://b.example"),
    ),
    ("UNLEASH_FRONTEND_API_ORIGINS", "a.example", Refused("UNLEASH_FRONTEND_API_ORIGINS: an origin is")),
    ("CSP_ALLOWED_DEFAULT", "x.example", Without("other hosts")),
    ("CSP_ALLOWED_FONT", "x.example", Without("other hosts")),
    ("CSP_ALLOWED_STYLE", "x.example", Without("other hosts")),
    ("CSP_ALLOWED_SCRIPT", "x.example", Without("other hosts")),
    ("CSP_ALLOWED_IMG", "x.example", Without("other hosts")),
    ("CSP_ALLOWED_CONNECT", "x.example", Without("other hosts")),
    ("CSP_ALLOWED_MEDIA", "x.example", Without("other hosts")),
    ("CSP_ALLOWED_OBJECT", "x.example", Without("other hosts")),
    ("CSP_ALLOWED_FRAME", "x.example", Without("other hosts")),
    ("ENABLE_OAS", "true", Without("document")),
    ("SESSION_TTL_HOURS", "12", Sets("session-hours", "12")),
    ("SESSION_CLEAR_SITE_DATA_ON_LOGOUT", "true", Without("signing out")),
    ("MAX_PARALLEL_SESSIONS", "5", Refused("FLAGSTONE_SESSION_HOURS")),
    ("UNLEASH_SECRET", "hush", Without("signed")),
    ("AUTH_TYPE", "open-source", Nothing),
    ("AUTH_TYPE", "none", Refused("AUTH_TYPE: users always sign in")),
    ("AUTH_TYPE", "custom", Refused("AUTH_TYPE: users always sign in")),
    ("AUTH_TYPE", "demo", Refused("AUTH_TYPE: users always sign in")),
    ("AUTH_ENABLE_API_TOKEN", "true", Without("token")),
    ("AUTH_DEMO_ALLOW_ADMIN_LOGIN", "true", Without("demonstrations")),
    ("USER_INACTIVITY_THRESHOLD_IN_DAYS", "90", Without("180 days")),
    ("SIMPLE_LOGIN_LIMIT_PER_MINUTE", "30", Sets("sign-ins-per-minute", "30")),
    ("CREATE_USER_RATE_LIMIT_PER_MINUTE", "30", Sets("new-users-per-minute", "30")),
    ("PASSWORD_RESET_LIMIT_PER_MINUTE", "3", Sets("password-links-per-minute", "3")),
    ("EMAIL_HOST", "mail.example.com", Refused("EMAIL_HOST: the server sends no mail")),
    ("EMAIL_PORT", "25", Without("mail")),
    ("EMAIL_SECURE", "true", Without("mail")),
    ("EMAIL_SENDER", "flags@example.com", Without("mail")),
    ("EMAIL_USER", "flags", Without("mail")),
    ("EMAIL_PASSWORD", "hush", Without("mail")),
    ("EMAIL_OPTIONAL_HEADERS", "{}", Without("mail")),
    ("TOKEN_EXPIRY_NOTIFICATION_DAYS", "14,3", Without("mail")),
    ("IMPORT_FILE", "export.json", Refused("flagstone import")),
    ("IMPORT_PROJECT", "default", Without("flagstone import")),
    ("IMPORT_ENVIRONMENT", "development", Without("flagstone import")),
    ("ENABLED_ENVIRONMENTS", "production", Refused("/api/admin/environments/{name}/on")),
    ("INIT_ADMIN_API_TOKENS", "*:*.hush-but-long-enough-for-a-token-", Same),
    ("INIT_BACKEND_API_TOKENS", "*:development.hush-but-long-enough-for-it-", Same),
    ("INIT_CLIENT_API_TOKENS", "*:development.hush-but-long-enough-for-it-", Same),
    ("INIT_FRONTEND_API_TOKENS", "*:development.hush-but-long-enough-for-it-", Same),
    ("UNLEASH_DEFAULT_ADMIN_USERNAME", "ada", Same),
    ("UNLEASH_DEFAULT_ADMIN_PASSWORD", "hush", Same),
    ("LOG_LEVEL", "debug", Nothing),
    ("LOG_LEVEL", "FATAL", Nothing),
    ("LOG_LEVEL", "loud", Without("it takes debug, info, warn, error or fatal")),
    ("REQUEST_LOGGER_ENABLE", "true", Sets("access-log", "true")),
    ("CHECK_VERSION", "true", Without("configured")),
    ("UNLEASH_VERSION_URL", "https://version.example", Without("configured")),
    ("SEND_TELEMETRY", "true", Without("configured")),
    ("LOGROCKET_APP_ID", "x", Without("configured")),
    ("FEEDBACK_URI_PATH", "/feedback", Without("configured")),
    ("OPENAI_API_KEY", "hush", Without("configured")),
    ("UNLEASH_FRONTEND_TOKEN", "hush", Without("flags of another server")),
    ("UNLEASH_ALLOW_PRIVATE_URL_IN_INTEGRATION", "true", Nothing),
    ("UNLEASH_ALLOW_PRIVATE_URL_IN_INTEGRATION", "false", Sets("outgoing-addresses", "public")),
    ("UNLEASH_ALLOW_LIST_INTEGRATION", "x.internal", Refused("FLAGSTONE_OUTGOING_ADDRESSES")),
    ("PROMETHEUS_API", "http://prometheus", Without("/internal-backstage/prometheus")),
    ("PROMETHEUS_IMPACT_METRICS_API", "http://prometheus", Without("/internal-backstage/prometheus")),
    ("EXTERNAL_PROMETHEUS_IMPACT_METRICS_API", "http://prometheus", Without("/internal-backstage/prometheus")),
    ("EDGE_MASTER_KEY", "hush", Refused("TOKENS")),
    ("EDGE_CLIENT_SECRET", "hush", Refused("TOKENS")),
    ("UNLEASH_FEATURE_FLAGS_LIMIT", "7", Sets("limit-feature-flags", "7")),
    ("UNLEASH_PROJECTS_LIMIT", "7", Sets("limit-projects", "7")),
    ("UNLEASH_ENVIRONMENTS_LIMIT", "7", Sets("limit-environments", "7")),
    ("UNLEASH_SEGMENTS_LIMIT", "7", Sets("limit-segments", "7")),
    ("UNLEASH_API_TOKENS_LIMIT", "7", Sets("limit-api-tokens", "7")),
    ("UNLEASH_FEATURE_ENVIRONMENT_STRATEGIES_LIMIT", "7", Same),
    ("UNLEASH_CONSTRAINTS_LIMIT", "7", Same),
    ("UNLEASH_CONSTRAINT_VALUES_LIMIT", "7", Same),
    ("UNLEASH_SEGMENT_VALUES_LIMIT", "7", Same),
    ("UNLEASH_STRATEGY_SEGMENTS_LIMIT", "7", Same),
    ("UNLEASH_SIGNAL_ENDPOINTS_LIMIT", "7", Without("signals")),
    ("UNLEASH_SIGNAL_TOKENS_PER_ENDPOINT_LIMIT", "7", Without("signals")),
    ("UNLEASH_ACTION_SET_ACTIONS_LIMIT", "7", Without("actions")),
    ("UNLEASH_ACTION_SETS_PER_PROJECT_LIMIT", "7", Without("actions")),
    ("UNLEASH_ACTION_SET_FILTERS_LIMIT", "7", Without("actions")),
    ("UNLEASH_ACTION_SET_FILTER_VALUES_LIMIT", "7", Without("actions")),
    ("UNLEASH_RELEASE_TEMPLATES_LIMIT", "7", Without("release plans")),
    ("SIGNAL_ENDPOINT_RATE_LIMIT_PER_SECOND", "7", Without("signals")),
    ("CLIENT_METRICS_RATE_LIMIT_PER_MINUTE", "7", Without("rate")),
    ("REGISTER_CLIENT_RATE_LIMIT_PER_MINUTE", "7", Without("rate")),
    ("FRONTEND_METRICS_RATE_LIMIT_PER_MINUTE", "7", Without("rate")),
    ("REGISTER_FRONTEND_RATE_LIMIT_PER_MINUTE", "7", Without("rate")),
    ("FILTER_INVALID_CLIENT_METRICS", "true", Without("reports")),
    ("DAILY_METRICS_STORAGE_DAYS", "91", Without("two years")),
    ("CLIENT_FEATURE_CACHING_ENABLED", "true", Without("memory")),
    ("CLIENT_FEATURE_CACHING_MAXAGE", "60", Without("memory")),
    ("FRONTEND_API_REFRESH_INTERVAL_MS", "60", Without("memory")),
    ("UNLEASH_DISABLE_CUSTOM_STRATEGY_CREATION", "1", Refused("permissions")),
    ("UNLEASH_DISABLE_CUSTOM_STRATEGY_CREATION", "false", Nothing),
    ("UNLEASH_DISABLE_CUSTOM_STRATEGY_EDITING", "t", Refused("permissions")),
    ("UNLEASH_ENCRYPTION_KEY", "hush", Without("encrypted")),
    ("UNLEASH_ENCRYPTION_IV", "hush", Without("encrypted")),
    ("EXPERIMENTAL_CONSUMPTION_MODEL", "true", Without("consumption")),
    ("ENABLE_HEAP_SNAPSHOT_ENPOINT", "true", Without("Node.js")),
    ("ENABLE_STORIES_PAGE", "true", Without("Node.js")),
    ("UNLEASH_EXPERIMENTAL_EMBED_PROXY", "true", Without("not finished")),
];

struct Place(TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a directory"))
    }

    fn run(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_flagstone"));
        command.args(arguments).env_clear().envs(variables.iter().copied()).current_dir(self.0.path());
        command.output().expect("the program")
    }

    /// Everything that a command prints.
    fn told(&self, arguments: &[&str], variables: &[(&str, &str)]) -> (Option<i32>, String) {
        let output = self.run(arguments, variables);
        let text = [output.stdout, output.stderr].concat();
        (output.status.code(), String::from_utf8(text).expect("text"))
    }

    fn shown(&self, variables: &[(&str, &str)]) -> Value {
        let output = self.run(&["config", "show", "--format", "json"], variables);
        serde_json::from_slice(&output.stdout).unwrap_or(Value::Null)
    }
}

fn row<'a>(rows: &'a Value, name: &str) -> Option<&'a Value> {
    rows.as_array()?.iter().find(|row| row["name"] == name)
}

fn as_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(texts) => texts.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(","),
        other => other.to_string(),
    }
}

#[test]
fn every_setting_of_an_unleash_server_is_honoured_or_refused_or_reported() {
    let place = Place::new();
    let mut wrong = Vec::new();
    for (variable, value, fate) in VARIABLES {
        let variables = [(*variable, *value)];
        let (status, told) = place.told(&["config", "check"], &variables);
        let rows = place.shown(&variables);
        let comes_from = |row: &Value| row["from"]["variable"] == *variable;
        let is_so = match fate {
            Sets(name, expected) => row(&rows, name).is_some_and(|row| {
                comes_from(row) && as_text(&row["value"]) == *expected && told == "The settings hold.\n"
            }),
            Same => rows.as_array().is_some_and(|rows| rows.iter().any(comes_from)) && status == Some(0),
            Refused(text) => status == Some(1) && told.contains(variable) && told.contains(text),
            Without(reason) => {
                status == Some(0)
                    && told.contains(&format!("warning: {variable} changes nothing here"))
                    && told.contains(reason)
            }
            Nothing => told == "The settings hold.\n",
        };
        if !is_so || told.contains("hush") {
            wrong.push(format!("{variable}={value}, {fate:?}: {told}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(fs::read_dir(place.0.path()).expect("a directory").count(), 0, "nothing is made");
}

#[test]
fn a_server_that_was_given_a_postgresql_does_not_begin_on_an_empty_file() {
    let place = Place::new();
    let nowhere = [("DATABASE_HOST", "127.0.0.1"), ("DATABASE_PORT", "1"), ("DATABASE_PASSWORD", "hush")];
    for arguments in [&["serve"][..], &["user", "list"], &["migrate"], &["doctor"]] {
        let (status, told) = place.told(arguments, &nowhere);
        assert_eq!(status, Some(1), "{arguments:?}: {told}");
        assert!(told.contains("127.0.0.1:1") && !told.contains("hush"), "{arguments:?}: {told}");
    }
    let (status, told) = place.told(&["user", "list"], &[("DATABASE_HOST", "db"), ("DATABASE_SSL", "hush")]);
    assert!(status == Some(2) && told.contains("DATABASE_SSL takes") && !told.contains("hush"), "{told}");
    // What is about the server alone does not stop a command beside it.
    let (status, told) = place.told(&["user", "list"], &[("EMAIL_HOST", "mail"), ("HTTP_HOST", "nowhere")]);
    assert!(status == Some(1) && told.contains("there is no database"), "{told}");
    assert_eq!(fs::read_dir(place.0.path()).expect("a directory").count(), 0, "nothing is made");
    let (status, told) = place.told(&["serve"], &[("EMAIL_HOST", "mail"), ("IMPORT_FILE", "hush.json")]);
    assert!(status == Some(2) && told.contains("EMAIL_HOST: ") && told.contains("IMPORT_FILE: "), "{told}");
    assert_eq!(fs::read_dir(place.0.path()).expect("a directory").count(), 0, "nothing is made");
}

#[test]
fn a_password_can_be_in_a_file_and_the_settings_file_yields() {
    let place = Place::new();
    fs::write(place.0.path().join("password"), "a b\n").expect("a file");
    fs::write(place.0.path().join("flagstone.toml"), "database-url = \"sqlite://x.db\"\nlisten = \"0.0.0.0:1\"\n")
        .expect("a file");
    let variables = [
        ("FLAGSTONE_CONFIG", "flagstone.toml"),
        ("DATABASE_USERNAME", "ada"),
        ("DATABASE_PASSWORD_FILE", "password"),
        ("HTTP_PORT", "8080"),
    ];
    let rows = place.shown(&variables);
    let database = row(&rows, "database-url").expect("a row");
    assert_eq!(database["value"], "postgres://ada:(hidden)@localhost:5432/unleash?…");
    assert_eq!(row(&rows, "listen").expect("a row")["value"], "0.0.0.0:8080");
}

#[test]
fn variables_of_flagstone_take_precedence_and_contradictions_are_refused() {
    let place = Place::new();
    let both = [("DATABASE_URL", "sqlite://flags.db"), ("DATABASE_HOST", "db"), ("DATABASE_NAME", "flags")];
    let (status, told) = place.told(&["config", "check"], &both);
    assert_eq!(status, Some(0), "{told}");
    for variable in ["DATABASE_HOST", "DATABASE_NAME"] {
        assert!(told.contains(&format!("{variable} changes nothing here: DATABASE_URL is set, too")), "{told}");
    }
    assert_eq!(row(&place.shown(&both), "database-url").expect("a row")["value"], "sqlite://flags.db");
    let listening = ("FLAGSTONE_LISTEN", "0.0.0.0:4242");
    for (variable, value, status, expected) in [
        ("HTTP_PORT", "4242", 0, "The settings hold."),
        ("HTTP_PORT", "8080", 1, "HTTP_PORT and FLAGSTONE_LISTEN name different ports"),
        ("HTTP_HOST", "0.0.0.0", 0, "The settings hold."),
        ("HTTP_HOST", "localhost", 1, "HTTP_HOST and FLAGSTONE_LISTEN name different addresses"),
        ("PORT", "8080", 0, "PORT changes nothing here: FLAGSTONE_LISTEN is set, too"),
        ("PORT", "tcp://10.0.0.1:80", 0, "The settings hold."),
    ] {
        let (code, told) = place.told(&["config", "check"], &[listening, (variable, value)]);
        assert!(code == Some(status) && told.contains(expected), "{variable}={value}: {told}");
    }
    let flag = place.told(&["config", "check", "--", "--database-url", "sqlite://x.db"], &[("DATABASE_HOST", "db")]);
    assert_eq!(flag.0, Some(0), "{}", flag.1);
    let edge = [("UPSTREAM_URL", "http://127.0.0.1:1"), ("EMAIL_HOST", "mail"), ("DATABASE_HOST", "db")];
    assert_eq!(place.told(&["config", "check", "--edge"], &edge), (Some(0), "The settings hold.\n".to_owned()));
}

#[test]
fn the_page_has_a_row_for_every_setting() {
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/unleash-settings.md")).expect("the page");
    let missing: Vec<_> = VARIABLES
        .iter()
        .map(|(variable, ..)| *variable)
        .filter(|name| !name.starts_with("UNLEASH_EXPERIMENTAL_") && !page.contains(&format!("`{name}`")))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}
