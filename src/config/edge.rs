//! Options of an edge. The variables have the names that Unleash Edge gave them, so that a container changes its image
//! and nothing else.

mod former;
mod without;

use std::{
    net::{IpAddr, SocketAddr},
    path::{Path, PathBuf},
    time::Duration,
};

use clap::Args;
use flagstone_domain::{opaque_debug, preference::Frontend};
use flagstone_files as files;
use flagstone_outbound::{Options, Outbound, Policy, Roots};
use ipnet::IpNet;

use former::Former;

use super::{
    BodyLimits, Config, Connections, EdgeDoors, Hidden, LogFormat, STREAMS, Telemetry, TrustedProxies, mebibytes,
    places::SettingsFile, tls::EdgeTls,
};

/// Most bytes of a file of certificates or keys.
const MOST_BYTES: u64 = 16 << 20;
/// Networks of private proxies, for operators who trust proxies without naming them.
const OWN_NETWORKS: &str = "10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,127.0.0.0/8,::1,fc00::/7";

/// Options of an edge.
#[derive(Clone, Args)]
pub struct EdgeOptions {
    /// URL of the upstream server, without `/api`: Flagstone, another edge, or Unleash from 4.15 on.
    #[arg(short = 'u', long = "upstream", alias = "upstream-url", env = "UPSTREAM_URL", value_name = "URL")]
    pub upstream: Option<String>,
    /// Client tokens whose features are fetched at the start, separated by commas.
    #[arg(short = 't', long, env = "TOKENS", value_delimiter = ',', hide_env_values = true)]
    pub tokens: Vec<Hidden>,
    /// Frontend tokens that are valid without asking the upstream: `project:environment.secret` or
    /// `secret@environment`.
    #[arg(long, env = "PRETRUSTED_TOKENS", value_delimiter = ',', hide_env_values = true)]
    pub pretrusted_tokens: Vec<Hidden>,
    /// Serve only what these tokens cover. Otherwise features are also fetched for client tokens that programs send.
    #[arg(long, env = "STRICT", value_parser = clap::builder::FalseyValueParser::new())]
    pub strict: bool,
    /// Serve from this file, a saved answer of `/api/client/features`, without a server.
    #[arg(long = "offline", alias = "bootstrap-file", env = "BOOTSTRAP_FILE", value_name = "FILE")]
    pub offline: Option<PathBuf>,
    /// Client tokens that are valid for the file.
    #[arg(short = 'c', long, env = "CLIENT_TOKENS", value_delimiter = ',', hide_env_values = true)]
    pub client_tokens: Vec<Hidden>,
    /// Frontend tokens that are valid for the file.
    #[arg(long, env = "FRONTEND_TOKENS", value_delimiter = ',', hide_env_values = true)]
    pub frontend_tokens: Vec<Hidden>,
    /// Seconds between checks whether the file has changed; 0 for never.
    #[arg(
        short = 'r',
        long,
        env = "RELOAD_INTERVAL",
        default_value_t = 0,
        value_parser = clap::value_parser!(u64).range(0..=86_400)
    )]
    pub reload_interval: u64,
    /// Seconds between polls for features, when the upstream does not stream changes.
    #[arg(short = 'f', long, env = "FEATURES_REFRESH_INTERVAL_SECONDS", default_value_t = 15, value_parser = seconds())]
    pub features_refresh_interval_seconds: u64,
    /// Seconds between usage reports.
    #[arg(short = 'm', long, env = "METRICS_INTERVAL_SECONDS", default_value_t = 60, value_parser = seconds())]
    pub metrics_interval_seconds: u64,
    /// Seconds between validations of known tokens.
    #[arg(long, env = "TOKEN_REVALIDATION_INTERVAL_SECONDS", default_value_t = 3600, value_parser = seconds())]
    pub token_revalidation_interval_seconds: u64,
    /// Folder for the state, so that the edge can start while the upstream is down.
    #[arg(short = 'b', long, env = "BACKUP_FOLDER", value_name = "FOLDER")]
    pub backup_folder: Option<PathBuf>,
    /// Preferred way of fetching features: `stream`, `delta` or `poll`. It falls back to what the upstream supports.
    #[arg(long, env = "FLAGSTONE_EDGE_FETCH", default_value = "stream", value_parser = ["stream", "delta", "poll"])]
    pub fetch: String,
    /// Seconds without contact to the upstream after which `/ready` answers 503.
    #[arg(long, env = "FLAGSTONE_EDGE_OLDEST_SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub oldest_seconds: Option<u64>,
    /// Address and port to listen on; otherwise `--interface` and `--port`.
    #[arg(long, env = "FLAGSTONE_LISTEN")]
    pub listen: Option<SocketAddr>,
    /// Port to listen on.
    #[arg(short = 'p', long, env = "PORT", default_value_t = 3063)]
    pub port: u16,
    /// Address to listen on.
    #[arg(short = 'i', long, env = "INTERFACE", default_value = "0.0.0.0")]
    pub interface: IpAddr,
    /// Path prefix of all operations.
    #[arg(long, env = "BASE_PATH", default_value = "")]
    pub base_path: String,
    /// Trust the reverse proxies in front of this edge for client addresses: those of `--proxy-trusted-servers`, or by
    /// default those in private networks.
    #[arg(long, env = "TRUST_PROXY", value_parser = clap::builder::FalseyValueParser::new())]
    pub trust_proxy: bool,
    /// Networks and addresses of trusted proxies, separated by commas.
    #[arg(long, env = "PROXY_TRUSTED_SERVERS", value_name = "NETWORKS")]
    pub proxy_trusted_servers: Option<TrustedProxies>,
    /// Networks and addresses that are allowed, separated by commas; by default all.
    #[arg(long, env = "ALLOW_LIST", value_delimiter = ',', value_parser = network)]
    pub allow_list: Vec<IpNet>,
    /// Networks and addresses that are denied, separated by commas.
    #[arg(long, env = "DENY_LIST", value_delimiter = ',', value_parser = network)]
    pub deny_list: Vec<IpNet>,
    /// Header of tokens, from programs and to the upstream, instead of `Authorization`.
    #[arg(long, env = "TOKEN_HEADER", value_parser = header_name)]
    pub token_header: Option<String>,
    /// Header of tokens from programs, if it differs from `--token-header`.
    #[arg(long, env = "EDGE_AUTH_HEADER", value_parser = header_name)]
    pub edge_auth_header: Option<String>,
    /// Header of tokens to the upstream, if it differs from `--token-header`.
    #[arg(long, env = "UPSTREAM_AUTH_HEADER", value_parser = header_name)]
    pub upstream_auth_header: Option<String>,
    /// Additional headers for the upstream, separated by commas, such as `X-Key: secret`.
    #[arg(short = 'H', long, env = "CUSTOM_CLIENT_HEADERS", value_delimiter = ',', hide_env_values = true)]
    pub custom_client_headers: Vec<Hidden>,
    /// File with the certificate authorities of the upstream, as PEM, instead of the public ones.
    #[arg(long, env = "UPSTREAM_CERTIFICATE_FILE", value_name = "FILE")]
    pub upstream_certificate_file: Option<PathBuf>,
    /// File with the client certificate of this edge for the upstream, as PEM.
    #[arg(long, env = "PKCS8_CLIENT_CERTIFICATE_FILE", value_name = "FILE")]
    pub pkcs8_client_certificate_file: Option<PathBuf>,
    /// File with the key of the client certificate, as PEM.
    #[arg(long, env = "PKCS8_CLIENT_KEY_FILE", value_name = "FILE")]
    pub pkcs8_client_key_file: Option<PathBuf>,
    /// Do not verify the upstream's certificate. For tests only.
    #[arg(short = 's', long, env = "SKIP_SSL_VERIFICATION", value_parser = clap::builder::FalseyValueParser::new())]
    pub skip_ssl_verification: bool,
    /// Timeout of answers of the upstream in seconds.
    #[arg(long, env = "UPSTREAM_REQUEST_TIMEOUT", default_value_t = 5, value_parser = seconds())]
    pub upstream_request_timeout: u64,
    /// Timeout of connecting to the upstream in seconds.
    #[arg(long, env = "UPSTREAM_SOCKET_TIMEOUT", default_value_t = 5, value_parser = seconds())]
    pub upstream_socket_timeout: u64,
    /// Proxy for the upstream.
    #[arg(long, env = "HTTPS_PROXY", hide_env_values = true, value_name = "URL")]
    pub https_proxy: Option<Hidden>,
    /// Hosts to reach without the proxy, separated by commas.
    #[arg(long, env = "NO_PROXY", value_name = "HOSTS")]
    pub no_proxy: Option<String>,
    /// Origins of the pages whose scripts may use this edge, separated by commas.
    #[arg(long, env = "CORS_ORIGIN", value_delimiter = ',', default_value = "*", value_parser = super::origin)]
    pub cors_origin: Vec<String>,
    /// Application name of the edges in reports.
    #[arg(short = 'a', long, env = "APP_NAME", default_value = "flagstone-edge")]
    pub app_name: String,
    /// Id of this instance in reports; by default a random one.
    #[arg(long, env = "INSTANCE_ID")]
    pub instance_id: Option<String>,
    /// Region of this edge in reports.
    #[arg(long, env = "AWS_REGION")]
    pub region: Option<String>,
    /// Format of the log: `text`, `json`, or `auto` for text on a terminal and JSON otherwise.
    #[arg(short = 'l', long, env = "FLAGSTONE_LOG_FORMAT", default_value = "auto")]
    pub log_format: LogFormat,
    /// Maximum size of a request body in MiB.
    #[arg(long, env = "FLAGSTONE_BODY_LIMIT_MIB", default_value_t = 1, value_parser = mebibytes())]
    pub body_limit_mib: u64,
    /// Maximum number of open streams; 0 disables streaming.
    #[arg(
        long,
        env = "FLAGSTONE_STREAMS_LIMIT",
        default_value_t = STREAMS as u64,
        value_parser = clap::value_parser!(u64).range(0..=1_000_000)
    )]
    pub streams_limit: u64,
    /// Disable `/internal-backstage/metrics`.
    #[arg(long, env = "DISABLE_METRICS_ENDPOINT", value_parser = clap::builder::FalseyValueParser::new())]
    pub disable_metrics_endpoint: bool,
    /// Disable `/internal-backstage/metricsbatch`.
    #[arg(long, env = "DISABLE_METRICS_BATCH_ENDPOINT", value_parser = clap::builder::FalseyValueParser::new())]
    pub disable_metrics_batch_endpoint: bool,
    /// Disable `/internal-backstage/features`.
    #[arg(long, env = "DISABLE_FEATURES_ENDPOINT", value_parser = clap::builder::FalseyValueParser::new())]
    pub disable_features_endpoint: bool,
    /// Disable `/internal-backstage/tokens`.
    #[arg(long, env = "DISABLE_TOKENS_ENDPOINT", value_parser = clap::builder::FalseyValueParser::new())]
    pub disable_tokens_endpoint: bool,
    /// Disable `/internal-backstage/instancedata`.
    #[arg(long, env = "DISABLE_INSTANCE_DATA_ENDPOINT", value_parser = clap::builder::FalseyValueParser::new())]
    pub disable_instance_data_endpoint: bool,
    /// Settings under their names of Unleash Edge.
    #[command(flatten)]
    pub former: Former,
    /// Limits of connections: how many there may be, and how long one may keep the edge waiting.
    #[command(flatten)]
    pub connections: Connections,
    /// Whether it speaks https.
    #[command(flatten)]
    pub tls: EdgeTls,
    /// File in which all of this may stand.
    #[command(flatten)]
    pub settings: SettingsFile,
    /// Traces and the log of requests.
    #[command(flatten)]
    pub telemetry: Telemetry,
}

fn seconds() -> clap::builder::RangedU64ValueParser {
    clap::value_parser!(u64).range(1..=86_400)
}

fn file(name: &str, path: &Path) -> Result<Vec<u8>, String> {
    files::read_bounded(path, MOST_BYTES).map_err(|error| format!("{name}: {}: {error}", path.display()))
}

fn network(text: &str) -> Result<IpNet, String> {
    let text = text.trim();
    let single = |_| text.parse().map(|address: IpAddr| IpNet::from(address.to_canonical()));
    text.parse().or_else(single).map_err(|_| format!("{text:?} is neither a network nor an address"))
}

fn header_name(text: &str) -> Result<String, String> {
    let is_sign = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    if !text.is_empty() && text.bytes().all(is_sign) {
        Ok(text.to_owned())
    } else {
        Err("it is no name of a header".to_owned())
    }
}

// Secrets are among them.
opaque_debug!(EdgeOptions { port, .. });

impl EdgeOptions {
    /// Checks that the options go together. The error says what is wrong, and no secret.
    pub fn check(&self) -> Result<(), String> {
        self.former.without.check()?;
        self.check_upstream()?;
        if self.pkcs8_client_certificate_file.is_some() != self.pkcs8_client_key_file.is_some() {
            let reason = "PKCS8_CLIENT_CERTIFICATE_FILE and PKCS8_CLIENT_KEY_FILE: one is of no use without the other";
            return Err(reason.to_owned());
        }
        if self.former.pem_cert_file.is_some() && self.pkcs8_client_key_file.is_some() {
            let reason = "PEM_CERT_FILE and PKCS8_CLIENT_KEY_FILE: an edge has one client certificate";
            return Err(reason.to_owned());
        }
        match (&self.upstream, &self.offline) {
            (None, None) => Err("UPSTREAM_URL: an edge needs the address of the server before it, or a file with \
                                 --offline"
                .to_owned()),
            (Some(_), Some(_)) => {
                Err("UPSTREAM_URL and BOOTSTRAP_FILE: an edge serves from a server or from a file".to_owned())
            }
            (None, Some(_)) if self.client_tokens.is_empty() && self.frontend_tokens.is_empty() => {
                Err("CLIENT_TOKENS: a file serves nobody without tokens".to_owned())
            }
            _ => Ok(()),
        }
    }

    /// Checks the address of the upstream, which may hold a secret.
    fn check_upstream(&self) -> Result<(), String> {
        let Some(address) = &self.upstream else { return Ok(()) };
        let url = url::Url::parse(address).ok();
        let is_address = url.is_some_and(|url| {
            matches!(url.scheme(), "http" | "https")
                && url.host_str().is_some_and(|host| !host.is_empty())
                && url.username().is_empty()
                && url.password().is_none()
                && url.query().is_none()
        });
        if is_address {
            return Ok(());
        }
        Err("UPSTREAM_URL must be http:// or https:// and a host, perhaps a port and a path, and nothing else"
            .to_owned())
    }

    /// Settings that were taken over and change nothing here, each with the reason.
    pub fn needless(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.former.without.needless()
    }

    /// The preferred way of fetching, under either name.
    pub fn best_fetch(&self) -> &str {
        match &*self.fetch {
            "stream" if self.former.delta && !self.former.streaming => "delta",
            own => own,
        }
    }

    /// Form of the log, under either name.
    pub const fn log_format(&self) -> LogFormat {
        match (self.log_format, self.former.log_format) {
            (LogFormat::Auto, Some(former)) => former,
            (own, _) => own,
        }
    }

    /// The header in which tokens come.
    pub fn token_comes_in(&self) -> String {
        self.token_header_or(self.edge_auth_header.as_deref())
    }

    /// The header in which tokens go upstream.
    pub fn token_goes_in(&self) -> String {
        self.token_header_or(self.upstream_auth_header.as_deref())
    }

    fn token_header_or(&self, own: Option<&str>) -> String {
        own.or(self.token_header.as_deref()).unwrap_or("Authorization").to_owned()
    }

    /// Address where the edge listens.
    pub fn address(&self) -> SocketAddr {
        self.listen.unwrap_or_else(|| SocketAddr::new(self.interface, self.port))
    }

    /// Addresses where it listens, with TLS or without.
    pub fn doors(&self) -> Result<EdgeDoors, String> {
        self.tls.doors(self.address())
    }

    /// The proxies that are believed.
    pub fn proxies(&self) -> TrustedProxies {
        match &self.proxy_trusted_servers {
            Some(named) if self.trust_proxy => named.clone(),
            None if self.trust_proxy => OWN_NETWORKS.parse().expect("networks"),
            _ => TrustedProxies::default(),
        }
    }

    /// Returns the additional headers that are sent upstream.
    pub fn headers(&self) -> Result<Vec<(String, String)>, String> {
        let read = |(place, Hidden(text)): (usize, &Hidden)| {
            let wrong = || format!("CUSTOM_CLIENT_HEADERS: number {} is not of the form name: value", place + 1);
            let (name, value) = text.split_once(':').ok_or_else(wrong)?;
            let name = header_name(name.trim()).map_err(|_| wrong())?;
            Ok((name, value.trim().to_owned()))
        };
        self.custom_client_headers.iter().filter(|Hidden(text)| !text.trim().is_empty()).enumerate().map(read).collect()
    }

    /// The client that asks the upstream: it is named by the operator, and so may be anywhere.
    pub fn outbound(&self) -> Result<Outbound, String> {
        let apart = self.pkcs8_client_certificate_file.as_ref().zip(self.pkcs8_client_key_file.as_ref());
        let identity = if let Some((certificate, key)) = apart {
            Some((file("PKCS8_CLIENT_CERTIFICATE_FILE", certificate)?, file("PKCS8_CLIENT_KEY_FILE", key)?))
        } else {
            let both = self.former.pem_cert_file.as_ref().map(|path| file("PEM_CERT_FILE", path)).transpose()?;
            both.map(|bytes| (bytes.clone(), bytes))
        };
        self.client(Options {
            plain_http: true,
            identity,
            trusts_everybody: self.skip_ssl_verification,
            connect_timeout: Duration::from_secs(self.upstream_socket_timeout),
            call_timeout: Duration::from_secs(self.upstream_request_timeout),
            ..Options::new(Policy::of_an_operator())
        })
    }

    /// A client that goes the way which the operator names, and trusts the authorities that are trusted upstream.
    pub fn client(&self, options: Options) -> Result<Outbound, String> {
        let roots = match &self.upstream_certificate_file {
            Some(path) => Roots::Pem(file("UPSTREAM_CERTIFICATE_FILE", path)?),
            None => Roots::Public,
        };
        let proxy = self.https_proxy.as_ref().map(|Hidden(url)| url.clone()).filter(|url| !url.trim().is_empty());
        Outbound::new(Options { roots, proxy, no_proxy: self.no_proxy.clone(), ..options })
    }

    /// Returns the settings that requests depend on.
    pub fn config(&self) -> Config {
        let scheme = if self.tls.tls.is_on() { "https" } else { "http" };
        let origins = self.cors_origin.iter().filter(|text| !text.is_empty()).cloned().collect();
        Config {
            base_url: format!("{scheme}://{}{}", self.address(), self.base_path.trim_end_matches('/')),
            trusted_proxies: self.proxies(),
            body_limits: BodyLimits {
                standard_bytes: usize::try_from(self.body_limit_mib).unwrap_or(usize::MAX).saturating_mul(super::MIB),
                ..BodyLimits::default()
            },
            frontend: std::sync::Arc::new(Frontend { frontend_api_origins: origins }),
            streams: usize::try_from(self.streams_limit).unwrap_or(usize::MAX),
            trace_trusted_callers: self.telemetry.trusted_callers(),
            ..Config::default()
        }
    }
}
