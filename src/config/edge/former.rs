//! Settings of Unleash Edge that Flagstone's edge has in another way: refused by name where something would be missing
//! without a word, taken and told of where nothing is.

use std::path::PathBuf;

use clap::Args;

use crate::config::{Hidden, LogFormat};

const IN_OPTIONS: &str = "see --idle-timeout-seconds, --head-timeout-seconds and --write-timeout-seconds";
const ANY_HEADER: &str = "pages may send any header, and GET and POST; a browser remembers that for a day";

/// Settings of Unleash Edge that have another answer here.
#[derive(Clone, Args)]
pub struct Former {
    #[arg(long, env = "REDIS_URL", hide = true, hide_env_values = true)]
    redis_url: Option<Hidden>,
    #[arg(long, env = "REDIS_HOST", hide = true)]
    redis_host: Option<String>,
    #[arg(long, env = "S3_BUCKET_NAME", hide = true)]
    s3_bucket_name: Option<String>,
    #[arg(long, env = "PKCS12_IDENTITY_FILE", hide = true)]
    pkcs12_identity_file: Option<PathBuf>,
    #[arg(long, env = "PROMETHEUS_REMOTE_WRITE_URL", hide = true, hide_env_values = true)]
    prometheus_remote_write_url: Option<Hidden>,
    /// The form of the log under its former name.
    #[arg(id = "former-log-format", long = "former-log-format", env = "LOG_FORMAT", hide = true)]
    pub(super) log_format: Option<LogFormat>,
    #[arg(short, long, env = "WORKERS", hide = true)]
    workers: Option<String>,
    #[arg(long, env = "DYNAMIC", hide = true, num_args = 0..=1, default_missing_value = "true")]
    dynamic: Option<String>,
    #[arg(long, env = "DISABLE_ALL_ENDPOINT", hide = true, num_args = 0..=1, default_missing_value = "true")]
    disable_all_endpoint: Option<String>,
    #[arg(long, env = "CORS_ALLOWED_HEADERS", hide = true)]
    cors_allowed_headers: Option<String>,
    #[arg(long, env = "CORS_EXPOSED_HEADERS", hide = true)]
    cors_exposed_headers: Option<String>,
    #[arg(long, env = "CORS_MAX_AGE", hide = true)]
    cors_max_age: Option<String>,
    #[arg(long, env = "CORS_METHODS", hide = true)]
    cors_methods: Option<String>,
    #[arg(long, env = "CLIENT_KEEPALIVE_TIMEOUT", hide = true)]
    client_keepalive_timeout: Option<String>,
    #[arg(long, env = "EDGE_KEEPALIVE_TIMEOUT", hide = true)]
    edge_keepalive_timeout: Option<String>,
    #[arg(long, env = "EDGE_REQUEST_TIMEOUT", hide = true)]
    edge_request_timeout: Option<String>,
}

impl Former {
    /// What something else does here. The error says what.
    pub(super) fn check(&self) -> Result<(), String> {
        let named = |value: Option<&str>| value.is_some_and(|value| !value.is_empty());
        let hidden = |value: &Option<Hidden>| named(value.as_ref().map(|Hidden(text)| &**text));
        let refused = if hidden(&self.redis_url) || named(self.redis_host.as_deref()) {
            "REDIS_URL: the state is kept in a folder; name one with BACKUP_FOLDER"
        } else if named(self.s3_bucket_name.as_deref()) {
            "S3_BUCKET_NAME: the state is kept in a folder; name one with BACKUP_FOLDER"
        } else if self.pkcs12_identity_file.is_some() {
            "PKCS12_IDENTITY_FILE: give the certificate and its key as PEM, with PKCS8_CLIENT_CERTIFICATE_FILE and \
             PKCS8_CLIENT_KEY_FILE"
        } else if hidden(&self.prometheus_remote_write_url) {
            "PROMETHEUS_REMOTE_WRITE_URL: figures are not pushed; let Prometheus fetch /internal-backstage/prometheus"
        } else {
            return Ok(());
        };
        Err(refused.to_owned())
    }

    /// What is set and changes nothing here, each with the reason.
    pub(super) fn needless(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let is_on = |value: &Option<String>| value.as_deref().is_some_and(|text| !text.is_empty());
        [
            ("WORKERS", "there are as many as processors", is_on(&self.workers)),
            ("DYNAMIC", "it is so unless STRICT is set", is_on(&self.dynamic)),
            ("DISABLE_ALL_ENDPOINT", "no address tells of flags that are off", is_on(&self.disable_all_endpoint)),
            ("CORS_ALLOWED_HEADERS", ANY_HEADER, is_on(&self.cors_allowed_headers)),
            ("CORS_EXPOSED_HEADERS", ANY_HEADER, is_on(&self.cors_exposed_headers)),
            ("CORS_MAX_AGE", ANY_HEADER, is_on(&self.cors_max_age)),
            ("CORS_METHODS", ANY_HEADER, is_on(&self.cors_methods)),
            (
                "CLIENT_KEEPALIVE_TIMEOUT",
                "connections upstream are kept while they are used",
                is_on(&self.client_keepalive_timeout),
            ),
            ("EDGE_KEEPALIVE_TIMEOUT", IN_OPTIONS, is_on(&self.edge_keepalive_timeout)),
            ("EDGE_REQUEST_TIMEOUT", IN_OPTIONS, is_on(&self.edge_request_timeout)),
        ]
        .into_iter()
        .filter_map(|(name, reason, is_on)| is_on.then_some((name, reason)))
    }
}
