//! Settings of Unleash Edge without a counterpart: refused by name where something would be missing without a word,
//! accepted with a warning where nothing is.

use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches, builder::FalseyValueParser};

const IN_A_FOLDER: &str = "the state is kept in a folder; name one with BACKUP_FOLDER";
const OF_REDIS: &str = "it is about Redis, and the state is kept in the folder of BACKUP_FOLDER";
const AS_PEM: &str = "give the certificate and its key as PEM, with PKCS8_CLIENT_CERTIFICATE_FILE and \
                      PKCS8_CLIENT_KEY_FILE";
const NOT_PUSHED: &str = "figures are not pushed; let Prometheus fetch /internal-backstage/prometheus";
const OF_PUSHING: &str = "it is about pushing figures, which Prometheus fetches at /internal-backstage/prometheus";
const OF_SENTRY: &str = "it is about Sentry, which is told of nothing";
const OF_REQUESTED_TOKENS: &str = "it is about tokens that an edge requests, and those of TOKENS are used";
const IN_OPTIONS: &str = "see --idle-timeout-seconds, --head-timeout-seconds and --write-timeout-seconds";
const ANY_HEADER: &str = "pages may send any header, and GET and POST; a browser remembers that for a day";

/// A setting without a counterpart.
#[derive(Clone, Copy)]
struct Setting {
    option: &'static str,
    short: Option<char>,
    /// Its variable, unless that means something else wherever programs run.
    variable: Option<&'static str>,
    is_switch: bool,
    is_refused: bool,
    reason: &'static str,
}

impl Setting {
    const fn needless(option: &'static str, variable: &'static str, reason: &'static str) -> Self {
        Self { option, short: None, variable: Some(variable), is_switch: false, is_refused: false, reason }
    }

    const fn refused(option: &'static str, variable: &'static str, reason: &'static str) -> Self {
        Self { is_refused: true, ..Self::needless(option, variable, reason) }
    }

    const fn switch(option: &'static str, variable: &'static str, reason: &'static str) -> Self {
        Self { is_switch: true, ..Self::needless(option, variable, reason) }
    }

    /// Its name in messages.
    const fn name(&self) -> &'static str {
        match self.variable {
            Some(variable) => variable,
            None => self.option,
        }
    }

    fn argument(&self) -> Arg {
        let argument = Arg::new(self.option).long(self.option).hide(true).hide_env_values(true);
        let argument = self.short.into_iter().fold(argument, Arg::short);
        let argument = self.variable.into_iter().fold(argument, Arg::env);
        if self.is_switch {
            argument.action(ArgAction::SetTrue).value_parser(FalseyValueParser::new())
        } else {
            argument
        }
    }

    fn is_given(&self, matches: &ArgMatches) -> bool {
        if self.is_switch {
            return matches.get_flag(self.option);
        }
        matches.get_one::<String>(self.option).is_some_and(|text| !text.trim().is_empty())
    }
}

const SETTINGS: [Setting; 45] = [
    Setting::refused("redis-url", "REDIS_URL", IN_A_FOLDER),
    Setting::refused("redis-host", "REDIS_HOST", IN_A_FOLDER),
    Setting::needless("redis-mode", "REDIS_MODE", OF_REDIS),
    Setting::needless("redis-password", "REDIS_PASSWORD", OF_REDIS),
    Setting::needless("redis-username", "REDIS_USERNAME", OF_REDIS),
    Setting::needless("redis-port", "REDIS_PORT", OF_REDIS),
    Setting::switch("redis-secure", "REDIS_SECURE", OF_REDIS),
    Setting::needless("redis-scheme", "REDIS_SCHEME", OF_REDIS),
    Setting::needless(
        "redis-read-connection-timeout-milliseconds",
        "REDIS_READ_CONNECTION_TIMEOUT_MILLISECONDS",
        OF_REDIS,
    ),
    Setting::needless(
        "redis-write-connection-timeout-milliseconds",
        "REDIS_WRITE_CONNECTION_TIMEOUT_MILLISECONDS",
        OF_REDIS,
    ),
    Setting::refused("s3-bucket-name", "S3_BUCKET_NAME", IN_A_FOLDER),
    Setting::switch(
        "s3-force-path-style",
        "S3_FORCE_PATH_STYLE",
        "it is about S3, and the state is kept in the folder of BACKUP_FOLDER",
    ),
    Setting::refused("pkcs12-identity-file", "PKCS12_IDENTITY_FILE", AS_PEM),
    Setting::refused("pkcs12-passphrase", "PKCS12_PASSPHRASE", AS_PEM),
    Setting::refused("prometheus-remote-write-url", "PROMETHEUS_REMOTE_WRITE_URL", NOT_PUSHED),
    Setting::needless("prometheus-push-interval", "PROMETHEUS_PUSH_INTERVAL", OF_PUSHING),
    Setting::needless("prometheus-username", "PROMETHEUS_USERNAME", OF_PUSHING),
    Setting::needless("prometheus-password", "PROMETHEUS_PASSWORD", OF_PUSHING),
    Setting::needless("prometheus-user-id", "PROMETHEUS_USER_ID", OF_PUSHING),
    // Every container has such a variable.
    Setting { variable: None, ..Setting::needless("hostname", "HOSTNAME", OF_PUSHING) },
    Setting::needless("ec2-instance-id", "EC2_INSTANCE_ID", OF_PUSHING),
    Setting::refused(
        "sentry-dsn",
        "SENTRY_DSN",
        "errors are told in the log, and as traces at OTEL_EXPORTER_OTLP_ENDPOINT, and not to Sentry",
    ),
    Setting::needless("sentry-tracing-rate", "SENTRY_TRACING_RATE", OF_SENTRY),
    Setting::switch("sentry-debug", "SENTRY_DEBUG", OF_SENTRY),
    Setting::switch("sentry-enable-logs", "SENTRY_ENABLE_LOGS", OF_SENTRY),
    Setting::refused(
        "datadog-url",
        "DATADOG_URL",
        "let Datadog's agent take traces at OTEL_EXPORTER_OTLP_ENDPOINT, and fetch figures from \
         /internal-backstage/prometheus",
    ),
    Setting::refused(
        "otel-collector-url",
        "OTEL_COLLECTOR_URL",
        "name the collector with OTEL_EXPORTER_OTLP_ENDPOINT, and its port for http/protobuf, usually 4318",
    ),
    Setting::needless("client-id", "CLIENT_ID", "traces carry what OTEL_RESOURCE_ATTRIBUTES names"),
    Setting::refused(
        "unleash-client-secret",
        "UNLEASH_CLIENT_SECRET",
        "no tokens are requested with it; create some on the server, and name them with TOKENS",
    ),
    Setting::needless("desired-environments", "DESIRED_ENVIRONMENTS", OF_REQUESTED_TOKENS),
    Setting::needless("desired-projects", "DESIRED_PROJECTS", OF_REQUESTED_TOKENS),
    Setting::refused(
        "service-account-token",
        "SERVICE_ACCOUNT_TOKEN",
        "no tokens are created with it; create some on the server, and name them with TOKENS",
    ),
    Setting { short: Some('w'), ..Setting::needless("workers", "WORKERS", "there are as many as processors") },
    Setting::switch("dynamic", "DYNAMIC", "it is so unless STRICT is set"),
    Setting::switch("delta-diff", "DELTA_DIFF", "differences are what an upstream tells of them"),
    Setting::switch("consumption", "CONSUMPTION", "the server is told of requests and streams anyway"),
    Setting::switch("enable-post-features", "ENABLE_POST_FEATURES", "/api/frontend takes POST anyway"),
    Setting::switch("disable-all-endpoint", "DISABLE_ALL_ENDPOINT", "no address tells of flags that are off"),
    Setting::needless("cors-allowed-headers", "CORS_ALLOWED_HEADERS", ANY_HEADER),
    Setting::needless("cors-exposed-headers", "CORS_EXPOSED_HEADERS", ANY_HEADER),
    Setting::needless("cors-max-age", "CORS_MAX_AGE", ANY_HEADER),
    Setting::needless("cors-methods", "CORS_METHODS", ANY_HEADER),
    Setting::needless(
        "client-keepalive-timeout",
        "CLIENT_KEEPALIVE_TIMEOUT",
        "connections upstream are kept while they are used",
    ),
    Setting::needless("edge-keepalive-timeout", "EDGE_KEEPALIVE_TIMEOUT", IN_OPTIONS),
    Setting::needless("edge-request-timeout", "EDGE_REQUEST_TIMEOUT", IN_OPTIONS),
];

/// The settings without a counterpart that are given.
#[derive(Clone)]
pub struct Without(Vec<Setting>);

impl Args for Without {
    fn augment_args(command: Command) -> Command {
        command.args(SETTINGS.iter().map(Setting::argument))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Without {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        Ok(Self(SETTINGS.into_iter().filter(|setting| setting.is_given(matches)).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Without {
    /// Refuses settings whose effect would be missing. The error says what to set instead.
    pub(super) fn check(&self) -> Result<(), String> {
        let refused = self.0.iter().filter(|setting| setting.is_refused);
        let told: Vec<_> = refused.map(|setting| format!("{}: {}", setting.name(), setting.reason)).collect();
        if told.is_empty() { Ok(()) } else { Err(told.join("\n")) }
    }

    /// Returns the settings that change nothing here, each with the reason.
    pub(super) fn needless(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.0.iter().filter(|setting| !setting.is_refused).map(|setting| (setting.name(), setting.reason))
    }
}
