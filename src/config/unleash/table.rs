//! The variables of an Unleash server that are not Flagstone's own, and the effect of each here.

/// Effect of a variable.
#[derive(Debug, Clone, Copy)]
pub(super) enum Effect {
    /// Sets the option of this long name to the value in the option's form; `None` leaves the default.
    Sets(&'static str, fn(&str) -> Option<String>),
    /// Part of the URL of the database.
    Database,
    /// Part of the address to listen on.
    Listening,
    /// Sets the level of the log.
    Level,
    /// Stops the start, because something would be missing otherwise; the reason names the replacement.
    Refused(&'static str),
    /// Stops the start when it is on.
    RefusedWhenOn(&'static str),
    /// Stops the start unless it has one of these values.
    RefusedUnless(&'static [&'static str], &'static str),
    /// None; the start logs the reason.
    Without(&'static str),
}
use Effect::{Database, Listening, Refused, RefusedUnless, RefusedWhenOn, Sets, Without};

const MAIL: &str = "the server sends no mail: invitations and links to set a password are shown to administrators, who \
                    pass them on";
const OF_MAIL: &str = "it is about mail, and the server sends none";
const OF_IMPORT: &str = "it is about the import at the start, which `flagstone import` does";
const OF_POOL: &str = "the number of connections to the database is fixed";
const NOTHING_FROM_ELSEWHERE: &str = "the console loads nothing from other hosts";
const NOTHING_SENT: &str = "the server connects only to what is configured";
const NO_RATE: &str = "reports of programs are not limited by rate";
const NO_ACTIONS: &str = "there are no signals, actions and release plans";
const FROM_MEMORY: &str = "programs are answered from memory, which follows each change";
const ALWAYS_FINISHED: &str = "a server that stops always finishes the requests in progress";
const NO_EDGE_SECRETS: &str = "no tokens are requested with it; create some, and name them with TOKENS of the edge";
const NO_PROMETHEUS: &str = "no figures are read from Prometheus, which can fetch /internal-backstage/prometheus";
const BY_PERMISSION: &str = "give the permissions to create and update strategies only to roles that need them";
const OF_NODE: &str = "it is about Node.js and pages for developers of Unleash";

#[expect(clippy::unnecessary_wraps, reason = "one of several forms")]
fn same(value: &str) -> Option<String> {
    Some(value.trim().to_owned())
}

/// Whether a switch is on, as Unleash reads it.
pub(super) fn is_on(value: &str) -> bool {
    matches!(value.trim(), "true" | "1" | "t")
}

#[expect(clippy::unnecessary_wraps, reason = "one of several forms")]
fn truth(value: &str) -> Option<String> {
    Some(is_on(value).to_string())
}

/// Returns the addresses for integrations, unless private ones are allowed, as they are by default.
fn addresses(value: &str) -> Option<String> {
    (!is_on(value)).then(|| "public".to_owned())
}

/// Variables by their names. Those that have the same name here are options of the server, or among its presets.
pub(super) const VARIABLES: [(&str, Effect); 107] = [
    // The database.
    ("DATABASE_HOST", Database),
    ("DATABASE_PORT", Database),
    ("DATABASE_USERNAME", Database),
    ("DATABASE_PASSWORD", Database),
    ("DATABASE_NAME", Database),
    ("DATABASE_SCHEMA", Database),
    ("DATABASE_SSL", Database),
    ("DATABASE_SSL_REJECT_UNAUTHORIZED", Database),
    ("DATABASE_SSL_CA_FILE", Database),
    ("DATABASE_SSL_CERT_FILE", Database),
    ("DATABASE_SSL_KEY_FILE", Database),
    ("DATABASE_APPLICATION_NAME", Database),
    (
        "DATABASE_SSL_CA_CONFIG",
        Refused(
            "give the certificates as files, with DATABASE_SSL_CA_FILE, DATABASE_SSL_CERT_FILE and DATABASE_SSL_KEY_FILE",
        ),
    ),
    (
        "DATABASE_DISABLE_MIGRATION",
        RefusedWhenOn(
            "the server upgrades the schema of its database when it starts; `flagstone migrate` does so beforehand",
        ),
    ),
    ("DATABASE_POOL_MIN", Without(OF_POOL)),
    ("DATABASE_POOL_MAX", Without(OF_POOL)),
    ("DATABASE_POOL_IDLE_TIMEOUT_MS", Without(OF_POOL)),
    ("DATABASE_VERSION", Without("the version of PostgreSQL is asked for")),
    ("DATABASE_STATEMENT_TIMEOUT_MS", Without("set statement_timeout of the role in PostgreSQL")),
    ("ALLOW_NON_STANDARD_DB_DATES", Without("times are exchanged with PostgreSQL in one form")),
    ("MIGRATION_LOCK", Without("of several nodes one upgrades the schema, and the others wait")),
    (
        "CHECK_DB_ON_READY",
        Without("/ready always checks the database, and /ready?for=programs whether flags are served"),
    ),
    ("ENABLE_SCHEDULED_CREATED_BY_MIGRATION", Without("every row has its author")),
    // The address.
    ("HTTP_HOST", Listening),
    ("HTTP_PORT", Listening),
    ("PORT", Listening),
    ("BASE_URI_PATH", Sets("base-path", same)),
    ("UNLEASH_URL", Sets("base-url", same)),
    ("EDGE_URL", Without("the console does not show the address of an edge")),
    ("CDN_PREFIX", Without(NOTHING_FROM_ELSEWHERE)),
    ("SERVER_KEEPALIVE_TIMEOUT", Sets("idle-timeout-seconds", same)),
    ("SERVER_DISABLE_COMPRESSION", Without("answers are compressed for clients that accept it")),
    ("GRACEFUL_SHUTDOWN_ENABLE", Without(ALWAYS_FINISHED)),
    ("GRACEFUL_SHUTDOWN_TIMEOUT", Without(ALWAYS_FINISHED)),
    ("SECURE_HEADERS", Without("answers always have these headers; Strict-Transport-Security needs TLS")),
    ("ACCESS_CONTROL_MAX_AGE", Without("browsers remember for a day what pages may send")),
    ("UNLEASH_FRONTEND_API_ORIGINS", Sets("cors-origins", same)),
    ("CSP_ALLOWED_DEFAULT", Without(NOTHING_FROM_ELSEWHERE)),
    ("CSP_ALLOWED_FONT", Without(NOTHING_FROM_ELSEWHERE)),
    ("CSP_ALLOWED_STYLE", Without(NOTHING_FROM_ELSEWHERE)),
    ("CSP_ALLOWED_SCRIPT", Without(NOTHING_FROM_ELSEWHERE)),
    ("CSP_ALLOWED_IMG", Without(NOTHING_FROM_ELSEWHERE)),
    ("CSP_ALLOWED_CONNECT", Without(NOTHING_FROM_ELSEWHERE)),
    ("CSP_ALLOWED_MEDIA", Without(NOTHING_FROM_ELSEWHERE)),
    ("CSP_ALLOWED_OBJECT", Without(NOTHING_FROM_ELSEWHERE)),
    ("CSP_ALLOWED_FRAME", Without(NOTHING_FROM_ELSEWHERE)),
    ("ENABLE_OAS", Without("the OpenAPI document is always served")),
    // Signing in.
    ("SESSION_TTL_HOURS", Sets("session-hours", same)),
    (
        "SESSION_CLEAR_SITE_DATA_ON_LOGOUT",
        Without("signing out ends the session, and pages keep no data in the browser"),
    ),
    (
        "MAX_PARALLEL_SESSIONS",
        Refused("the number of sessions of a user is not limited; FLAGSTONE_SESSION_HOURS limits how long they last"),
    ),
    ("UNLEASH_SECRET", Without("sessions are random secrets, and are not signed")),
    (
        "AUTH_TYPE",
        RefusedUnless(
            &["open-source", "enterprise", "hosted"],
            "users always sign in with a password or through a login provider, and programs with tokens",
        ),
    ),
    ("AUTH_ENABLE_API_TOKEN", Without("programs always need a token")),
    ("AUTH_DEMO_ALLOW_ADMIN_LOGIN", Without("it is about the sign-in of demonstrations, and there is none")),
    ("USER_INACTIVITY_THRESHOLD_IN_DAYS", Without("a user counts as inactive after 180 days")),
    // Mail.
    ("EMAIL_HOST", Refused(MAIL)),
    ("EMAIL_PORT", Without(OF_MAIL)),
    ("EMAIL_SECURE", Without(OF_MAIL)),
    ("EMAIL_SENDER", Without(OF_MAIL)),
    ("EMAIL_USER", Without(OF_MAIL)),
    ("EMAIL_PASSWORD", Without(OF_MAIL)),
    ("EMAIL_OPTIONAL_HEADERS", Without(OF_MAIL)),
    ("TOKEN_EXPIRY_NOTIFICATION_DAYS", Without(OF_MAIL)),
    // The first start.
    ("IMPORT_FILE", Refused("import the file with `flagstone import` once the server runs")),
    ("IMPORT_PROJECT", Without(OF_IMPORT)),
    ("IMPORT_ENVIRONMENT", Without(OF_IMPORT)),
    (
        "ENABLED_ENVIRONMENTS",
        Refused("enable environments with POST /api/admin/environments/{name}/on, or in the console"),
    ),
    // The log and connections to elsewhere.
    ("LOG_LEVEL", Effect::Level),
    ("REQUEST_LOGGER_ENABLE", Sets("access-log", truth)),
    ("CHECK_VERSION", Without(NOTHING_SENT)),
    ("UNLEASH_VERSION_URL", Without(NOTHING_SENT)),
    ("SEND_TELEMETRY", Without(NOTHING_SENT)),
    ("LOGROCKET_APP_ID", Without(NOTHING_SENT)),
    ("FEEDBACK_URI_PATH", Without(NOTHING_SENT)),
    ("OPENAI_API_KEY", Without(NOTHING_SENT)),
    ("UNLEASH_FRONTEND_TOKEN", Without("the console is controlled by no flags of another server")),
    ("UNLEASH_ALLOW_PRIVATE_URL_IN_INTEGRATION", Sets("outgoing-addresses", addresses)),
    ("UNLEASH_ALLOW_LIST_INTEGRATION", Refused("name the networks with FLAGSTONE_OUTGOING_ADDRESSES")),
    ("PROMETHEUS_API", Without(NO_PROMETHEUS)),
    ("PROMETHEUS_IMPACT_METRICS_API", Without(NO_PROMETHEUS)),
    ("EXTERNAL_PROMETHEUS_IMPACT_METRICS_API", Without(NO_PROMETHEUS)),
    ("EDGE_MASTER_KEY", Refused(NO_EDGE_SECRETS)),
    ("EDGE_CLIENT_SECRET", Refused(NO_EDGE_SECRETS)),
    // Limits and what is stored.
    ("UNLEASH_SIGNAL_ENDPOINTS_LIMIT", Without(NO_ACTIONS)),
    ("UNLEASH_SIGNAL_TOKENS_PER_ENDPOINT_LIMIT", Without(NO_ACTIONS)),
    ("UNLEASH_ACTION_SET_ACTIONS_LIMIT", Without(NO_ACTIONS)),
    ("UNLEASH_ACTION_SETS_PER_PROJECT_LIMIT", Without(NO_ACTIONS)),
    ("UNLEASH_ACTION_SET_FILTERS_LIMIT", Without(NO_ACTIONS)),
    ("UNLEASH_ACTION_SET_FILTER_VALUES_LIMIT", Without(NO_ACTIONS)),
    ("UNLEASH_RELEASE_TEMPLATES_LIMIT", Without(NO_ACTIONS)),
    ("SIGNAL_ENDPOINT_RATE_LIMIT_PER_SECOND", Without(NO_ACTIONS)),
    ("CLIENT_METRICS_RATE_LIMIT_PER_MINUTE", Without(NO_RATE)),
    ("REGISTER_CLIENT_RATE_LIMIT_PER_MINUTE", Without(NO_RATE)),
    ("FRONTEND_METRICS_RATE_LIMIT_PER_MINUTE", Without(NO_RATE)),
    ("REGISTER_FRONTEND_RATE_LIMIT_PER_MINUTE", Without(NO_RATE)),
    ("FILTER_INVALID_CLIENT_METRICS", Without("invalid entries of reports are always left out")),
    ("DAILY_METRICS_STORAGE_DAYS", Without("usage is kept for two years")),
    ("CLIENT_FEATURE_CACHING_ENABLED", Without(FROM_MEMORY)),
    ("CLIENT_FEATURE_CACHING_MAXAGE", Without(FROM_MEMORY)),
    ("FRONTEND_API_REFRESH_INTERVAL_MS", Without(FROM_MEMORY)),
    ("UNLEASH_DISABLE_CUSTOM_STRATEGY_CREATION", RefusedWhenOn(BY_PERMISSION)),
    ("UNLEASH_DISABLE_CUSTOM_STRATEGY_EDITING", RefusedWhenOn(BY_PERMISSION)),
    ("UNLEASH_ENCRYPTION_KEY", Without("addresses of users are not encrypted")),
    ("UNLEASH_ENCRYPTION_IV", Without("addresses of users are not encrypted")),
    ("EXPERIMENTAL_CONSUMPTION_MODEL", Without("no consumption is accounted")),
    ("ENABLE_HEAP_SNAPSHOT_ENPOINT", Without(OF_NODE)),
    ("ENABLE_STORIES_PAGE", Without(OF_NODE)),
];

/// Prefix of the variables that switch on unfinished functions of Unleash.
pub(super) const EXPERIMENTAL: &str = "UNLEASH_EXPERIMENTAL_";
