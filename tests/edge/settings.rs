//! Every setting that Unleash Edge has had is honoured, refused by name, or told of.

use std::process::{Command, Output};

const CERTIFICATE: &[u8] = include_bytes!("../api/providers/tls/valid.pem");
const KEY: &[u8] = include_bytes!("../api/providers/tls/key.pem");

/// Fate of a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Honoured,
    /// With what to set instead.
    Refused(&'static str),
    /// As changing nothing, with the reason.
    Told(&'static str),
}
use Fate::{Honoured, Refused, Told};

/// Options of `unleash-edge edge` and of the program before it, of versions 1 to 20, with their variables, a value, and
/// what becomes of them. Those without a value are switches.
const OF_EDGE: [(&str, &str, &str, Fate); 92] = [
    ("upstream-url", "UPSTREAM_URL", "http://127.0.0.1:1", Honoured),
    ("port", "PORT", "3064", Honoured),
    ("interface", "INTERFACE", "::", Honoured),
    ("base-path", "BASE_PATH", "/flags", Honoured),
    ("tls-enable", "TLS_ENABLE", "", Honoured),
    ("tls-server-key", "TLS_SERVER_KEY", "PEM", Honoured),
    ("tls-server-cert", "TLS_SERVER_CERT", "PEM", Honoured),
    ("tls-server-port", "TLS_SERVER_PORT", "3044", Honoured),
    ("redirect-http-to-https", "REDIRECT_HTTP_TO_HTTPS", "", Honoured),
    ("cors-origin", "CORS_ORIGIN", "https://shop.example", Honoured),
    ("cors-allowed-headers", "CORS_ALLOWED_HEADERS", "x-a", Told("any header")),
    ("cors-max-age", "CORS_MAX_AGE", "60", Told("any header")),
    ("cors-exposed-headers", "CORS_EXPOSED_HEADERS", "x-a", Told("any header")),
    ("cors-methods", "CORS_METHODS", "GET", Told("any header")),
    ("allow-list", "ALLOW_LIST", "10.0.0.0/8", Honoured),
    ("deny-list", "DENY_LIST", "10.0.0.0/8", Honoured),
    ("workers", "WORKERS", "4", Told("as many as processors")),
    ("instance-id", "INSTANCE_ID", "edge-1", Honoured),
    ("client-id", "CLIENT_ID", "us", Told("OTEL_RESOURCE_ATTRIBUTES")),
    ("app-name", "APP_NAME", "edges", Honoured),
    ("trust-proxy", "TRUST_PROXY", "", Honoured),
    ("proxy-trusted-servers", "PROXY_TRUSTED_SERVERS", "10.0.0.1", Honoured),
    ("disable-all-endpoint", "DISABLE_ALL_ENDPOINT", "", Told("no address tells")),
    ("edge-request-timeout", "EDGE_REQUEST_TIMEOUT", "5", Told("--idle-timeout-seconds")),
    ("edge-keepalive-timeout", "EDGE_KEEPALIVE_TIMEOUT", "5", Told("--idle-timeout-seconds")),
    ("log-format", "LOG_FORMAT", "pretty", Honoured),
    ("edge-auth-header", "EDGE_AUTH_HEADER", "x-token", Honoured),
    ("upstream-auth-header", "UPSTREAM_AUTH_HEADER", "x-token", Honoured),
    ("token-header", "TOKEN_HEADER", "x-token", Honoured),
    ("disable-metrics-batch-endpoint", "DISABLE_METRICS_BATCH_ENDPOINT", "", Honoured),
    ("disable-metrics-endpoint", "DISABLE_METRICS_ENDPOINT", "", Honoured),
    ("disable-features-endpoint", "DISABLE_FEATURES_ENDPOINT", "", Honoured),
    ("disable-tokens-endpoint", "DISABLE_TOKENS_ENDPOINT", "", Honoured),
    ("disable-instance-data-endpoint", "DISABLE_INSTANCE_DATA_ENDPOINT", "", Honoured),
    ("sentry-dsn", "SENTRY_DSN", "https://x@sentry.example/1", Refused("OTEL_EXPORTER_OTLP_ENDPOINT")),
    ("sentry-tracing-rate", "SENTRY_TRACING_RATE", "0.1", Told("about Sentry")),
    ("sentry-debug", "SENTRY_DEBUG", "", Told("about Sentry")),
    ("sentry-enable-logs", "SENTRY_ENABLE_LOGS", "", Told("about Sentry")),
    ("datadog-url", "DATADOG_URL", "http://127.0.0.1:8126", Refused("OTEL_EXPORTER_OTLP_ENDPOINT")),
    ("otel-collector-url", "OTEL_COLLECTOR_URL", "http://127.0.0.1:4317", Refused("OTEL_EXPORTER_OTLP_ENDPOINT")),
    ("otel-exporter-otlp-endpoint", "OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4318", Honoured),
    ("otel-exporter-otlp-protocol", "OTEL_EXPORTER_OTLP_PROTOCOL", "http", Honoured),
    ("backup-folder", "BACKUP_FOLDER", "state", Honoured),
    ("metrics-interval-seconds", "METRICS_INTERVAL_SECONDS", "30", Honoured),
    ("features-refresh-interval-seconds", "FEATURES_REFRESH_INTERVAL_SECONDS", "30", Honoured),
    ("token-revalidation-interval-seconds", "TOKEN_REVALIDATION_INTERVAL_SECONDS", "600", Honoured),
    ("tokens", "TOKENS", "*:development.hush-hush", Honoured),
    ("pretrusted-tokens", "PRETRUSTED_TOKENS", "hush-hush@development", Honoured),
    ("custom-client-headers", "CUSTOM_CLIENT_HEADERS", "x-team: flags", Honoured),
    ("skip-ssl-verification", "SKIP_SSL_VERIFICATION", "", Honoured),
    ("pkcs8-client-certificate-file", "PKCS8_CLIENT_CERTIFICATE_FILE", "PEM", Honoured),
    ("pkcs8-client-key-file", "PKCS8_CLIENT_KEY_FILE", "PEM", Honoured),
    ("pkcs12-identity-file", "PKCS12_IDENTITY_FILE", "us.pfx", Refused("PKCS8_CLIENT_CERTIFICATE_FILE")),
    ("pkcs12-passphrase", "PKCS12_PASSPHRASE", "hush-hush", Refused("PKCS8_CLIENT_CERTIFICATE_FILE")),
    ("pem-cert-file", "PEM_CERT_FILE", "PEM", Honoured),
    ("upstream-certificate-file", "UPSTREAM_CERTIFICATE_FILE", "CERTIFICATE", Honoured),
    ("upstream-request-timeout", "UPSTREAM_REQUEST_TIMEOUT", "6", Honoured),
    ("upstream-socket-timeout", "UPSTREAM_SOCKET_TIMEOUT", "6", Honoured),
    ("redis-url", "REDIS_URL", "redis://:hush-hush@127.0.0.1", Refused("BACKUP_FOLDER")),
    ("redis-mode", "REDIS_MODE", "single", Told("about Redis")),
    ("redis-password", "REDIS_PASSWORD", "hush-hush", Told("about Redis")),
    ("redis-username", "REDIS_USERNAME", "us", Told("about Redis")),
    ("redis-port", "REDIS_PORT", "6379", Told("about Redis")),
    ("redis-host", "REDIS_HOST", "127.0.0.1", Refused("BACKUP_FOLDER")),
    ("redis-secure", "REDIS_SECURE", "", Told("about Redis")),
    ("redis-scheme", "REDIS_SCHEME", "redis", Told("about Redis")),
    (
        "redis-read-connection-timeout-milliseconds",
        "REDIS_READ_CONNECTION_TIMEOUT_MILLISECONDS",
        "2000",
        Told("about Redis"),
    ),
    (
        "redis-write-connection-timeout-milliseconds",
        "REDIS_WRITE_CONNECTION_TIMEOUT_MILLISECONDS",
        "2000",
        Told("about Redis"),
    ),
    ("s3-bucket-name", "S3_BUCKET_NAME", "flags", Refused("BACKUP_FOLDER")),
    ("s3-force-path-style", "S3_FORCE_PATH_STYLE", "", Told("about S3")),
    ("streaming", "STREAMING", "", Honoured),
    ("delta", "DELTA", "", Honoured),
    ("delta-diff", "DELTA_DIFF", "", Told("differences")),
    ("strict", "STRICT", "", Honoured),
    ("dynamic", "DYNAMIC", "", Told("unless STRICT")),
    ("consumption", "CONSUMPTION", "", Told("anyway")),
    ("enable-post-features", "ENABLE_POST_FEATURES", "", Told("anyway")),
    ("service-account-token", "SERVICE_ACCOUNT_TOKEN", "hush-hush", Refused("TOKENS")),
    ("client-keepalive-timeout", "CLIENT_KEEPALIVE_TIMEOUT", "15", Told("connections upstream")),
    ("prometheus-remote-write-url", "PROMETHEUS_REMOTE_WRITE_URL", "http://127.0.0.1:2", Refused("/prometheus")),
    ("prometheus-push-interval", "PROMETHEUS_PUSH_INTERVAL", "60", Told("/prometheus")),
    ("prometheus-username", "PROMETHEUS_USERNAME", "us", Told("/prometheus")),
    ("prometheus-password", "PROMETHEUS_PASSWORD", "hush-hush", Told("/prometheus")),
    ("prometheus-user-id", "PROMETHEUS_USER_ID", "us", Told("/prometheus")),
    ("ec2-instance-id", "EC2_INSTANCE_ID", "i-1", Told("/prometheus")),
    ("unleash-client-secret", "UNLEASH_CLIENT_SECRET", "hush-hush", Refused("TOKENS")),
    ("desired-environments", "DESIRED_ENVIRONMENTS", "production", Told("TOKENS")),
    ("desired-projects", "DESIRED_PROJECTS", "*", Told("TOKENS")),
    // Those of `offline`.
    ("bootstrap-file", "BOOTSTRAP_FILE", "features.json", Honoured),
    ("client-tokens", "CLIENT_TOKENS", "*:development.hush-hush", Honoured),
    ("frontend-tokens", "FRONTEND_TOKENS", "hush-hush@development", Honoured),
    ("reload-interval", "RELOAD_INTERVAL", "30", Honoured),
];

/// Further variables that go with a setting, where one alone is of no use.
fn companions(variable: &str) -> &'static [(&'static str, &'static str)] {
    match variable {
        "TLS_ENABLE" | "REDIRECT_HTTP_TO_HTTPS" => {
            &[("TLS_ENABLE", "true"), ("TLS_SERVER_KEY", "PEM"), ("TLS_SERVER_CERT", "PEM")]
        }
        "PKCS8_CLIENT_CERTIFICATE_FILE" => &[("PKCS8_CLIENT_KEY_FILE", "PEM")],
        "PKCS8_CLIENT_KEY_FILE" => &[("PKCS8_CLIENT_CERTIFICATE_FILE", "PEM")],
        "OTEL_EXPORTER_OTLP_PROTOCOL" => &[("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4317")],
        _ => &[],
    }
}

/// A folder with a certificate, and with that and its key in one file.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        std::fs::write(directory.path().join("PEM"), [CERTIFICATE, KEY].concat()).expect("a file");
        std::fs::write(directory.path().join("CERTIFICATE"), CERTIFICATE).expect("a file");
        Self(directory)
    }

    fn run(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_flagstone"));
        command.args(arguments).env_clear().envs(variables.iter().copied()).current_dir(self.0.path());
        command.output().expect("the program")
    }
}

#[test]
fn every_setting_of_the_fields_edge_is_honoured_or_refused_or_told_of() {
    let place = Place::new();
    let mut wrong = Vec::new();
    for (option, variable, value, fate) in OF_EDGE {
        let mut variables = vec![("UPSTREAM_URL", "http://127.0.0.1:1")];
        if variable == "BOOTSTRAP_FILE" {
            variables = vec![("CLIENT_TOKENS", "*:development.x")];
        }
        variables.extend(companions(variable));
        let given = if value.is_empty() { "true" } else { value };
        let by_variable = place.run(&["config", "check", "--edge"], &[&variables[..], &[(variable, given)]].concat());
        let flag = if value.is_empty() { format!("--{option}") } else { format!("--{option}={value}") };
        let by_flag = place.run(&["config", "check", "--edge", "--", &flag], &variables);
        let shown = place.run(&["config", "show", "--edge"], &[&variables[..], &[(variable, given)]].concat());
        for output in [&by_variable, &by_flag] {
            let told =
                format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
            let is_so = match fate {
                // What is hidden is not shown.
                Honoured if variable == "LOG_FORMAT" => told == "The settings hold.\n",
                Honoured => {
                    let shown = String::from_utf8_lossy(&shown.stdout);
                    told == "The settings hold.\n" && shown.contains(&format!("variable {variable}"))
                }
                Refused(instead) => {
                    !output.status.success() && told.contains(&format!("{variable}: ")) && told.contains(instead)
                }
                Told(reason) => {
                    output.status.success()
                        && told.contains(&format!("warning: {variable} changes nothing here: "))
                        && told.contains(reason)
                }
            };
            if !is_so || told.contains("hush") {
                wrong.push(format!("{flag}, {variable}, {fate:?}: {told}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Every container has that variable, and nobody means the edge with it.
#[test]
fn the_name_of_the_host_is_an_option_alone() {
    let place = Place::new();
    let upstream = ("UPSTREAM_URL", "http://127.0.0.1:1");
    let named = place.run(&["config", "check", "--edge"], &[upstream, ("HOSTNAME", "edge-1")]);
    assert_eq!(String::from_utf8_lossy(&named.stdout), "The settings hold.\n");
    let told = place.run(&["config", "check", "--edge", "--", "--hostname", "edge-1"], &[upstream]);
    assert!(String::from_utf8_lossy(&told.stdout).starts_with("warning: hostname changes nothing here"));
}

#[test]
fn what_is_off_is_not_refused() {
    let place = Place::new();
    let variables = ["REDIS_SECURE", "SENTRY_DEBUG", "DYNAMIC", "STREAMING", "REDIRECT_HTTP_TO_HTTPS"];
    let mut variables: Vec<_> = variables.map(|variable| (variable, "false")).into();
    variables.extend([("UPSTREAM_URL", "http://127.0.0.1:1"), ("REDIS_URL", "")]);
    let held = place.run(&["config", "check", "--edge"], &variables);
    assert_eq!(String::from_utf8_lossy(&held.stdout), "The settings hold.\n", "{held:?}");
}

#[test]
fn traces_by_grpc_are_refused_with_what_to_set() {
    let place = Place::new();
    let grpc = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4317");
    for variables in [&[grpc][..], &[grpc, ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")]] {
        let variables = [&[("UPSTREAM_URL", "http://127.0.0.1:1")], variables].concat();
        let refused = place.run(&["config", "check", "--edge"], &variables);
        let told = String::from_utf8_lossy(&refused.stderr);
        assert!(told.contains("OTEL_EXPORTER_OTLP_") && told.contains("4318"), "{told}");
    }
}
