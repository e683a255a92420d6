//! Configuration by the operator: defaults, names of variables and the errors of wrong values, in one place.

mod backups;
mod connections;
mod edge;
mod example;
mod file;
mod gathering;
mod hidden;
mod judgement;
mod keys;
mod limits;
mod outgoing;
mod periods;
mod places;
pub mod presets;
pub mod providers;
mod proxies;
mod report;
mod setting;
mod telemetry;
mod tls;
mod unleash;
mod variables;

use std::{fmt, sync::Arc};

use clap::{Args, ValueEnum};

pub use self::{
    backups::{BackupOptions, Backups},
    connections::Connections,
    edge::EdgeOptions,
    example::example,
    gathering::{Gathered, Origin, gather, wrong_variables},
    hidden::Hidden,
    judgement::Judgement,
    keys::Keys,
    limits::{ImportLimits, Limits, StrategyLimits, admit_one_more},
    outgoing::{Outgoing, Route},
    periods::Periods,
    places::{Address, DatabaseChoice, ROOTS, SettingsFile},
    proxies::TrustedProxies,
    report::{Form, report},
    telemetry::{Telemetry, log_level},
    tls::{EdgeDoors, Pair, Redirecting, Tls},
    variables::Variables,
};

use crate::{
    domain::{
        preference::{Frontend, is_origin},
        secret,
    },
    outbound::Outbound,
    telemetry::{Log, Traces},
};
use providers::FromEnvironment;

const MIB: usize = 1 << 20;

/// Default limit of the streams of changes that a node keeps open.
const STREAMS: usize = 5000;
/// Default limit of the age of data from a read replica, in milliseconds.
const READ_STALENESS_MS: u64 = 1000;
/// Default limit of the life of a personal token, in days.
const PERSONAL_TOKEN_DAYS: i64 = 365;
/// Default time for which the log of sign-ins is kept, in hours: a fortnight.
const LOGIN_HISTORY_HOURS: i64 = 336;
/// Minimum number of days for which events are kept: a setting cannot wipe out what was done.
const LEAST_EVENT_DAYS: i64 = 30;

/// Bounds of request bodies.
#[derive(Debug, Clone)]
pub struct BodyLimits {
    /// Most bytes of an ordinary body.
    pub standard_bytes: usize,
    /// Most bytes of a body that carries an export.
    pub import_bytes: usize,
}

impl Default for BodyLimits {
    fn default() -> Self {
        Self { standard_bytes: MIB, import_bytes: 64 * MIB }
    }
}

/// Callers who may read the metrics. Administrators always may.
#[derive(Debug, Clone)]
pub enum MetricsAccess {
    /// Administrators alone.
    Administrators,
    /// Callers who send the secret that has this digest, too.
    Token(String),
    /// All who reach the server.
    Everybody,
}

/// Storage of the secrets of client and frontend tokens. Those of admin tokens and personal tokens are never kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ApiTokenSecrets {
    /// Only a digest of each is kept.
    Hashed,
    /// Each is kept encrypted as well, and shown in lists to those who could create the token.
    Sealed,
}

/// Settings that requests depend on.
#[derive(Debug, Clone)]
pub struct Config {
    /// Address under which people and clients reach the server, without a trailing slash.
    pub base_url: String,
    /// Path below which the server answers, as well as at the root; empty for none.
    pub prefix: String,
    /// The proxies whose word counts about where a request comes from, and which host it asked for.
    pub trusted_proxies: TrustedProxies,
    /// Bounds of request bodies.
    pub body_limits: BodyLimits,
    /// CORS settings of the frontend API, until an administrator changes them.
    pub frontend: Arc<Frontend>,
    /// Limits of the instance.
    pub limits: Limits,
    /// Periods of the background jobs.
    pub periods: Periods,
    /// Most streams of changes that this node keeps open at once.
    pub streams: usize,
    /// Callers who may read the metrics, in addition to administrators.
    pub metrics: MetricsAccess,
    /// Time for which a sign-in lasts, in hours.
    pub session_hours: i64,
    /// Longest life of a personal token, in days.
    pub personal_token_days: i64,
    /// Storage of the secrets of client and frontend tokens.
    pub api_token_secrets: ApiTokenSecrets,
    /// Time for which the log of sign-ins is kept, in hours.
    pub login_history_hours: i64,
    /// Days for which events are kept; `None` keeps them for ever.
    pub event_retention_days: Option<i64>,
    /// Sign-in attempts that one address has in a minute.
    pub sign_in_attempts_per_minute: u32,
    /// Users that one address makes in a minute, by sign-up link or as an administrator.
    pub new_users_per_minute: u32,
    /// Links to set a forgotten password that one address asks for in a minute.
    pub password_links_per_minute: u32,
    /// Copies of the database that the server makes, if any.
    pub backups: Option<Backups>,
    /// Client for outgoing requests; by default one that suits the public address.
    pub outbound: Option<Outbound>,
    /// Settings of login providers that the operator gives.
    pub providers: FromEnvironment,
    /// The traces of this node.
    pub traces: Traces,
    /// The callers whose word counts about whether a trace is sent.
    pub trace_trusted_callers: TrustedProxies,
    /// The log of this node.
    pub log: Log,
    /// Memory and passes of a password hash: the full cost, or for tests the smallest.
    pub cheap_password_hashes: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            base_url: "http://127.0.0.1:4242".to_owned(),
            prefix: String::new(),
            trusted_proxies: TrustedProxies::default(),
            body_limits: BodyLimits::default(),
            frontend: Arc::default(),
            limits: Limits::default(),
            periods: Periods::default(),
            streams: STREAMS,
            metrics: MetricsAccess::Administrators,
            session_hours: 48,
            personal_token_days: PERSONAL_TOKEN_DAYS,
            api_token_secrets: ApiTokenSecrets::Hashed,
            login_history_hours: LOGIN_HISTORY_HOURS,
            event_retention_days: None,
            sign_in_attempts_per_minute: 10,
            new_users_per_minute: 20,
            password_links_per_minute: 1,
            backups: None,
            outbound: None,
            providers: FromEnvironment::default(),
            traces: Traces::default(),
            trace_trusted_callers: TrustedProxies::default(),
            log: Log::default(),
            cheap_password_hashes: false,
        }
    }
}

impl Config {
    /// The path of the public address, without a trailing slash: empty when it has none.
    pub fn base_path(&self) -> &str {
        let after_scheme = self.base_url.split_once("://").map_or("", |(_, rest)| rest);
        after_scheme.find('/').map_or("", |start| &after_scheme[start..])
    }
}

/// Options of the server, each with its variable and default.
#[derive(Clone, Args)]
pub struct Options {
    /// Addresses where the server listens, and is reached.
    #[command(flatten)]
    pub address: Address,
    /// The database that is served.
    #[command(flatten)]
    pub database: DatabaseChoice,
    /// Read replica of a PostgreSQL database, `postgres://…`: searches, lists and reports read there while it is
    /// recent.
    #[arg(long, env = "DATABASE_READ_URL", hide_env_values = true)]
    pub database_read_url: Option<String>,
    /// Accepted lag of the read replica in milliseconds; beyond it the primary database is read.
    #[arg(
        long,
        env = "FLAGSTONE_READ_STALENESS_MS",
        default_value_t = READ_STALENESS_MS,
        value_parser = clap::value_parser!(u64).range(100..=60_000)
    )]
    pub read_staleness_ms: u64,
    /// The key that login settings are encrypted with.
    #[command(flatten)]
    pub keys: Keys,
    /// Networks of the reverse proxies in front of the server, separated by commas, such as `10.0.0.0/8,::1`, whose
    /// `Forwarded` and `X-Forwarded-For` are trusted. By default none.
    #[arg(long, env = "FLAGSTONE_TRUSTED_PROXIES", value_name = "NETWORKS")]
    pub trusted_proxies: Option<TrustedProxies>,
    /// Format of the log: `text`, `json`, or `auto` for text on a terminal and JSON otherwise.
    #[arg(long, env = "FLAGSTONE_LOG_FORMAT", default_value = "auto")]
    pub log_format: LogFormat,
    /// Maximum size of an ordinary request body in MiB.
    #[arg(long, env = "FLAGSTONE_BODY_LIMIT_MIB", default_value_t = 1, value_parser = mebibytes())]
    pub body_limit_mib: u64,
    /// Maximum size of an import in MiB.
    #[arg(long, env = "FLAGSTONE_IMPORT_LIMIT_MIB", default_value_t = 64, value_parser = mebibytes())]
    pub import_limit_mib: u64,
    /// Hours that a sign-in lasts.
    #[arg(
        long,
        env = "FLAGSTONE_SESSION_HOURS",
        default_value_t = 48,
        value_parser = clap::value_parser!(i64).range(1..=8784)
    )]
    pub session_hours: i64,
    /// Maximum lifetime of new personal tokens in days; existing tokens keep theirs.
    #[arg(
        long,
        env = "FLAGSTONE_PERSONAL_TOKEN_DAYS",
        default_value_t = PERSONAL_TOKEN_DAYS,
        value_parser = clap::value_parser!(i64).range(1..=3660)
    )]
    pub personal_token_days: i64,
    /// Storage of client and frontend tokens: `hashed` for a digest only, or `sealed` to show their secrets in lists to
    /// those who could create them.
    #[arg(long = "api-tokens", env = "FLAGSTONE_API_TOKENS", value_name = "KEPT", default_value = "hashed")]
    pub api_token_secrets: ApiTokenSecrets,
    /// Hours for which sign-in attempts are kept, at least 24.
    #[arg(
        long,
        env = "FLAGSTONE_LOGIN_HISTORY_HOURS",
        default_value_t = LOGIN_HISTORY_HOURS,
        value_parser = clap::value_parser!(i64).range(24..=17_520)
    )]
    pub login_history_hours: i64,
    /// Attempts to sign in that one address has in a minute.
    #[arg(
        long,
        env = "SIMPLE_LOGIN_LIMIT_PER_MINUTE",
        value_name = "NUMBER",
        default_value_t = 10,
        value_parser = per_minute()
    )]
    pub sign_ins_per_minute: u32,
    /// Users that one address can create in a minute, by sign-up link or as an administrator.
    #[arg(
        long,
        env = "CREATE_USER_RATE_LIMIT_PER_MINUTE",
        value_name = "NUMBER",
        default_value_t = 20,
        value_parser = per_minute()
    )]
    pub new_users_per_minute: u32,
    /// Links to set a forgotten password that one address can request in a minute.
    #[arg(
        long,
        env = "PASSWORD_RESET_LIMIT_PER_MINUTE",
        value_name = "NUMBER",
        default_value_t = 1,
        value_parser = per_minute()
    )]
    pub password_links_per_minute: u32,
    /// Days for which events are kept, at least 30; older ones are deleted, which leaves an event. By default all are
    /// kept for ever.
    #[arg(
        long,
        env = "FLAGSTONE_EVENT_RETENTION_DAYS",
        value_name = "DAYS",
        value_parser = clap::value_parser!(i64).range(LEAST_EVENT_DAYS..=36_525)
    )]
    pub event_retention_days: Option<i64>,
    /// Origins of the pages whose scripts may use the frontend API and OFREP, separated by commas, such as
    /// `https://shop.example.com`, or `*` for all; used until an administrator sets them. By default none.
    #[arg(long, env = "FLAGSTONE_CORS_ORIGINS", value_delimiter = ',', value_parser = origin)]
    pub cors_origins: Vec<String>,
    /// Maximum number of open streams of this node; 0 disables streaming.
    #[arg(
        long,
        env = "FLAGSTONE_STREAMS_LIMIT",
        default_value_t = STREAMS as u64,
        value_parser = clap::value_parser!(u64).range(0..=1_000_000)
    )]
    pub streams_limit: u64,
    /// Token for reading `/internal-backstage/prometheus`, at least 16 characters. Administrators do not need it.
    #[arg(long, env = "FLAGSTONE_METRICS_TOKEN", hide_env_values = true)]
    pub metrics_token: Option<Hidden>,
    /// Let everybody who reaches the server read `/internal-backstage/prometheus`.
    #[arg(long, env = "FLAGSTONE_METRICS_OPEN", value_parser = clap::builder::FalseyValueParser::new())]
    pub metrics_open: bool,
    /// Outgoing connections of the server.
    #[command(flatten)]
    pub outgoing: Outgoing,
    /// Limits of connections: how many there may be, and how long one may keep the server waiting.
    #[command(flatten)]
    pub connections: Connections,
    /// Limits of the instance.
    #[command(flatten)]
    pub limits: Limits,
    /// Periods of the background jobs.
    #[command(flatten)]
    pub periods: Periods,
    /// Redirection of requests without TLS.
    #[command(flatten)]
    pub redirecting: Redirecting,
    /// Copies of the database that the server makes.
    #[command(flatten)]
    pub backups: BackupOptions,
    /// Traces and the log of requests.
    #[command(flatten)]
    pub telemetry: Telemetry,
}

fn per_minute() -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(1..=10_000)
}

fn mebibytes() -> clap::builder::RangedU64ValueParser {
    clap::value_parser!(u64).range(1..=4096)
}

/// One origin; a variable that is set to nothing names none.
fn origin(text: &str) -> Result<String, &'static str> {
    let text = text.trim();
    if text.is_empty() || is_origin(text) {
        Ok(text.to_owned())
    } else {
        Err("an origin is http:// or https:// and a host, perhaps a port, and nothing else; or it is *")
    }
}

/// Format of log lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// Text on a terminal, JSON otherwise.
    Auto,
    /// One readable line each.
    #[value(aliases = ["plain", "pretty"])]
    Text,
    /// One JSON object each.
    Json,
}

/// Secrets are among them.
impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options").field("listen", &self.address.listen).finish_non_exhaustive()
    }
}

impl Options {
    /// Returns the client for outgoing requests of the server. The error says what is wrong, and no secret.
    pub fn outbound(&self) -> Result<Outbound, String> {
        self.outgoing.client(&self.address.base_url())
    }

    /// Returns the settings that requests depend on.
    pub fn config(&self) -> Config {
        let bytes = |mib: u64| usize::try_from(mib).unwrap_or(usize::MAX).saturating_mul(MIB);
        Config {
            base_url: self.address.base_url(),
            prefix: self.address.base_path.clone(),
            trusted_proxies: self.trusted_proxies.clone().unwrap_or_default(),
            body_limits: BodyLimits {
                standard_bytes: bytes(self.body_limit_mib),
                import_bytes: bytes(self.import_limit_mib),
            },
            frontend: Arc::new(Frontend {
                frontend_api_origins: self.cors_origins.iter().filter(|text| !text.is_empty()).cloned().collect(),
            }),
            limits: self.limits.clone(),
            periods: self.periods.clone(),
            streams: usize::try_from(self.streams_limit).unwrap_or(usize::MAX),
            metrics: match &self.metrics_token {
                _ if self.metrics_open => MetricsAccess::Everybody,
                Some(Hidden(token)) => MetricsAccess::Token(secret::digest(token)),
                None => MetricsAccess::Administrators,
            },
            session_hours: self.session_hours,
            personal_token_days: self.personal_token_days,
            api_token_secrets: self.api_token_secrets,
            login_history_hours: self.login_history_hours,
            event_retention_days: self.event_retention_days,
            sign_in_attempts_per_minute: self.sign_ins_per_minute,
            new_users_per_minute: self.new_users_per_minute,
            password_links_per_minute: self.password_links_per_minute,
            backups: self.backups.wanted(),
            trace_trusted_callers: self.telemetry.trusted_callers(),
            ..Config::default()
        }
    }
}
