//! Options of the server.

use std::{fmt, sync::Arc};

use clap::Args;
use flagstone_domain::{preference::Frontend, secret};
use flagstone_outbound::Outbound;

use super::{
    ACCESS_CHECK_MINUTES, Address, ApiTokenSecrets, BackupOptions, BodyLimits, Config, Connections, DatabaseChoice,
    Hidden, Keys, LOGIN_HISTORY_HOURS, Limits, LogFormat, MIB, MetricsAccess, Outgoing, PERSONAL_TOKEN_DAYS, Periods,
    Redirecting, STREAMS, Telemetry, TrustedProxies, mebibytes, origin,
};

/// Default limit of the age of data from a read replica, in milliseconds.
const READ_STALENESS_MS: u64 = 1000;
/// Minimum number of days for which events are kept: a setting cannot wipe out what was done.
const LEAST_EVENT_DAYS: i64 = 30;

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
    /// Minutes after which a login provider that gave a refresh token is asked again whether its user may still come in;
    /// 0 asks never, and keeps no refresh tokens.
    #[arg(
        long,
        env = "FLAGSTONE_ACCESS_CHECK_MINUTES",
        value_name = "MINUTES",
        default_value_t = ACCESS_CHECK_MINUTES,
        value_parser = clap::value_parser!(i64).range(0..=1440)
    )]
    pub access_check_minutes: i64,
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
    /// Keeps the context of each so many-th evaluation of the frontend API and OFREP in memory for a day, with hashed ids, for
    /// the impact of change requests; 0 keeps none.
    #[arg(
        long,
        env = "FLAGSTONE_SAMPLE_CONTEXTS_EVERY",
        value_name = "NUMBER",
        default_value_t = 0,
        value_parser = clap::value_parser!(u64).range(0..=1_000_000)
    )]
    pub sample_contexts_every: u64,
    /// Origins of the pages whose scripts may use the frontend API and OFREP, separated by commas, such as
    /// `https://shop.example.com`, or `*` for all; used until an administrator sets them. By default none.
    #[arg(long, env = "FLAGSTONE_CORS_ORIGINS", value_delimiter = ',', value_parser = origin)]
    pub cors_origins: Vec<String>,
    /// Let the console of Unleash, served in front of this server, show pages of its paid edition: those of change
    /// requests, and others that come with them.
    #[arg(
        long,
        env = "FLAGSTONE_UNLEASH_CONSOLE_PAID_PAGES",
        value_parser = clap::builder::FalseyValueParser::new()
    )]
    pub unleash_console_paid_pages: bool,
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
            access_check_minutes: self.access_check_minutes,
            personal_token_days: self.personal_token_days,
            api_token_secrets: self.api_token_secrets,
            login_history_hours: self.login_history_hours,
            event_retention_days: self.event_retention_days,
            sample_contexts_every: self.sample_contexts_every,
            unleash_console_paid_pages: self.unleash_console_paid_pages,
            sign_in_attempts_per_minute: self.sign_ins_per_minute,
            new_users_per_minute: self.new_users_per_minute,
            password_links_per_minute: self.password_links_per_minute,
            backups: self.backups.wanted(),
            trace_trusted_callers: self.telemetry.trusted_callers(),
            ..Config::default()
        }
    }
}

fn per_minute() -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(1..=10_000)
}
