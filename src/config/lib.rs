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
mod options;
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

use std::sync::Arc;

use clap::ValueEnum;
use flagstone_domain::preference::{Frontend, is_origin};
use flagstone_outbound::Outbound;
use flagstone_telemetry::{Log, Traces};

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
    options::Options,
    outgoing::{Outgoing, Route},
    periods::Periods,
    places::{Address, DatabaseChoice, ROOTS, SettingsFile},
    proxies::TrustedProxies,
    report::{Form, report},
    telemetry::{Telemetry, log_level},
    tls::{EdgeDoors, Pair, Redirecting, Tls},
    variables::Variables,
};

use providers::FromEnvironment;

const MIB: usize = 1 << 20;

/// Default limit of the streams of changes that a node keeps open.
const STREAMS: usize = 5000;
/// Default limit of the life of a personal token, in days.
const PERSONAL_TOKEN_DAYS: i64 = 365;
/// Default time after which access is checked again at a login provider, in minutes.
const ACCESS_CHECK_MINUTES: i64 = 15;
/// Default time for which the log of sign-ins is kept, in hours: a fortnight.
const LOGIN_HISTORY_HOURS: i64 = 336;

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
    /// Minutes after which access is checked again at a login provider that gave a refresh token; 0 for never.
    pub access_check_minutes: i64,
    /// Longest life of a personal token, in days.
    pub personal_token_days: i64,
    /// Storage of the secrets of client and frontend tokens.
    pub api_token_secrets: ApiTokenSecrets,
    /// Time for which the log of sign-ins is kept, in hours.
    pub login_history_hours: i64,
    /// Days for which events are kept; `None` keeps them for ever.
    pub event_retention_days: Option<i64>,
    /// Each so many-th evaluated context is sampled; 0 for none.
    pub sample_contexts_every: u64,
    /// Whether the console of Unleash shows pages of its paid edition.
    pub unleash_console_paid_pages: bool,
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
            access_check_minutes: ACCESS_CHECK_MINUTES,
            personal_token_days: PERSONAL_TOKEN_DAYS,
            api_token_secrets: ApiTokenSecrets::Hashed,
            login_history_hours: LOGIN_HISTORY_HOURS,
            event_retention_days: None,
            sample_contexts_every: 0,
            unleash_console_paid_pages: false,
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
