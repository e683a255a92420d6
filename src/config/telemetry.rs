//! Traces and the log of requests. What is about traces has the names that OpenTelemetry gives it.

use std::time::Duration;

use clap::Args;
use flagstone_clock as clock;
use flagstone_domain::opaque_debug;
use flagstone_outbound::{Options, Outbound, Policy};
use flagstone_telemetry::{Destination, Sampling, Settings};
use percent_encoding::percent_decode_str;

use super::{Hidden, TrustedProxies, unleash};

/// Path of a collector's endpoint for traces, below the address that is for every kind of figures.
const TRACES: &str = "/v1/traces";
/// Only protocol in which traces are sent.
const PROTOCOL: &str = "http/protobuf";
/// Name of the protocol in Unleash Edge.
const FORMER_PROTOCOL: &str = "http";
/// Port where collectors take gRPC.
const GRPC_PORT: u16 = 4317;

/// Traces and the log of requests.
#[derive(Clone, Args)]
pub struct Telemetry {
    /// Log every request: method, path, status, bytes, time, caller and address.
    #[arg(long, env = "FLAGSTONE_ACCESS_LOG", value_parser = clap::builder::FalseyValueParser::new())]
    pub access_log: bool,
    /// URL of the collector for traces, without `/v1/traces`. By default no traces are sent.
    #[arg(long, env = "OTEL_EXPORTER_OTLP_ENDPOINT", value_name = "URL", hide_env_values = true)]
    pub otel_exporter_otlp_endpoint: Option<Hidden>,
    /// URL of the collector with the full path, for traces only.
    #[arg(long, env = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", value_name = "URL", hide_env_values = true)]
    pub otel_exporter_otlp_traces_endpoint: Option<Hidden>,
    /// Headers for the collector, separated by commas: `name=value`, with percent-encoded values.
    #[arg(long, env = "OTEL_EXPORTER_OTLP_HEADERS", value_name = "HEADERS", hide_env_values = true)]
    pub otel_exporter_otlp_headers: Option<Hidden>,
    /// Headers for the collector, for traces only.
    #[arg(long, env = "OTEL_EXPORTER_OTLP_TRACES_HEADERS", value_name = "HEADERS", hide_env_values = true)]
    pub otel_exporter_otlp_traces_headers: Option<Hidden>,
    /// Protocol of traces: only `http/protobuf`.
    #[arg(long, env = "OTEL_EXPORTER_OTLP_PROTOCOL", value_name = "PROTOCOL")]
    pub otel_exporter_otlp_protocol: Option<String>,
    /// Timeout of the collector in milliseconds.
    #[arg(
        long,
        env = "OTEL_EXPORTER_OTLP_TIMEOUT",
        default_value_t = 10_000,
        value_parser = clap::value_parser!(u64).range(100..=60_000)
    )]
    pub otel_exporter_otlp_timeout: u64,
    /// Name of the service in traces.
    #[arg(long, env = "OTEL_SERVICE_NAME", value_name = "NAME")]
    pub otel_service_name: Option<String>,
    /// Further resource attributes of traces, separated by commas: `name=value`, with percent-encoded values.
    #[arg(long, env = "OTEL_RESOURCE_ATTRIBUTES", value_name = "ATTRIBUTES")]
    pub otel_resource_attributes: Option<String>,
    /// Sampler of traces: `always_on`, `always_off` or `traceidratio`, each also with `parentbased_` before it. By
    /// default `parentbased_always_on`.
    #[arg(long, env = "OTEL_TRACES_SAMPLER", value_name = "SAMPLER")]
    pub otel_traces_sampler: Option<String>,
    /// Ratio of traces that `traceidratio` sends, from 0 to 1.
    #[arg(long, env = "OTEL_TRACES_SAMPLER_ARG", value_name = "RATIO")]
    pub otel_traces_sampler_arg: Option<String>,
    /// Milliseconds that spans wait to be sent in a batch.
    #[arg(
        long,
        env = "OTEL_BSP_SCHEDULE_DELAY",
        default_value_t = 5000,
        value_parser = clap::value_parser!(u64).range(50..=60_000)
    )]
    pub otel_bsp_schedule_delay: u64,
    /// Size of the queue of spans; further spans are dropped.
    #[arg(
        long,
        env = "OTEL_BSP_MAX_QUEUE_SIZE",
        default_value_t = 2048,
        value_parser = clap::value_parser!(u64).range(64..=65_536)
    )]
    pub otel_bsp_max_queue_size: u64,
    /// Send no traces, regardless of the other settings.
    #[arg(long, env = "OTEL_SDK_DISABLED", value_parser = clap::builder::FalseyValueParser::new())]
    pub otel_sdk_disabled: bool,
    /// Networks of callers, separated by commas, that can decide that a trace is sent. By default none: a caller can
    /// only prevent that a trace is sent.
    #[arg(long, env = "FLAGSTONE_TRACE_TRUSTED_CALLERS", value_name = "NETWORKS")]
    pub trace_trusted_callers: Option<TrustedProxies>,
}

// Secrets are among them.
opaque_debug!(Telemetry { access_log, .. });

impl Telemetry {
    /// Returns the settings of traces, if any are to be sent, for a service with this name unless the operator gave
    /// another. `client` makes what sends them. The error says what is wrong, and no secret.
    pub fn traces(
        &self,
        service: &str,
        client: impl FnOnce(Options) -> Result<Outbound, String>,
    ) -> Result<Option<Settings>, String> {
        let Some(url) = self.destination()?.filter(|_| !self.otel_sdk_disabled) else { return Ok(None) };
        match given(self.otel_exporter_otlp_protocol.as_ref()) {
            Some(PROTOCOL | FORMER_PROTOCOL) => {}
            Some(_) => {
                return Err(format!(
                    "OTEL_EXPORTER_OTLP_PROTOCOL must be {PROTOCOL}, for which collectors listen at port 4318"
                ));
            }
            None if url::Url::parse(&url).is_ok_and(|url| url.port() == Some(GRPC_PORT)) => {
                return Err(format!(
                    "OTEL_EXPORTER_OTLP_ENDPOINT names port {GRPC_PORT}, where collectors take gRPC: name the port for \
                     {PROTOCOL}, usually 4318, or set OTEL_EXPORTER_OTLP_PROTOCOL to {PROTOCOL} if it is that"
                ));
            }
            None => {}
        }
        let sampler = given(self.otel_traces_sampler.as_ref());
        let sampling = Sampling::read(sampler, given(self.otel_traces_sampler_arg.as_ref()))?;
        let options = Options {
            plain_http: true,
            call_timeout: Duration::from_millis(self.otel_exporter_otlp_timeout),
            ..Options::new(Policy::of_an_operator())
        };
        let destination = Destination { outbound: client(options)?, url, headers: self.headers()? };
        Ok(Some(Settings {
            destination,
            sampling,
            resource: self.resource(service)?,
            delay: Duration::from_millis(self.otel_bsp_schedule_delay),
            queue: usize::try_from(self.otel_bsp_max_queue_size).unwrap_or(usize::MAX),
        }))
    }

    /// The networks whose word counts about whether a trace is sent.
    pub fn trusted_callers(&self) -> TrustedProxies {
        self.trace_trusted_callers.clone().unwrap_or_default()
    }

    fn destination(&self) -> Result<Option<String>, String> {
        let address = |name: &str, text: &str| {
            let url = url::Url::parse(text).ok().filter(|url| {
                let is_named = url.host_str().is_some_and(|host| !host.is_empty());
                let is_bare = url.username().is_empty() && url.password().is_none();
                matches!(url.scheme(), "http" | "https") && is_named && is_bare
            });
            url.map(|_| text.to_owned()).ok_or_else(|| {
                format!("{name} must be http:// or https:// and a host, perhaps a port and a path, without credentials")
            })
        };
        let whole = secret(self.otel_exporter_otlp_traces_endpoint.as_ref());
        let base = secret(self.otel_exporter_otlp_endpoint.as_ref());
        match (whole, base) {
            (Some(whole), _) => address("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", whole).map(Some),
            (None, Some(base)) => {
                let base = address("OTEL_EXPORTER_OTLP_ENDPOINT", base)?;
                Ok(Some(format!("{}{TRACES}", base.trim_end_matches('/'))))
            }
            (None, None) => Ok(None),
        }
    }

    fn headers(&self) -> Result<Vec<(String, String)>, String> {
        let (name, list) = match secret(self.otel_exporter_otlp_traces_headers.as_ref()) {
            Some(list) => ("OTEL_EXPORTER_OTLP_TRACES_HEADERS", list),
            None => {
                ("OTEL_EXPORTER_OTLP_HEADERS", secret(self.otel_exporter_otlp_headers.as_ref()).unwrap_or_default())
            }
        };
        let headers = pairs(name, list)?;
        let is_name = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
        let is_value = |text: &str| text.bytes().all(|byte| (b' '..=b'~').contains(&byte));
        match headers.iter().position(|(name, value)| !is_name(name) || !is_value(value)) {
            Some(place) => Err(format!("{name}: number {} cannot be a header", place + 1)),
            None => Ok(headers),
        }
    }

    fn resource(&self, service: &str) -> Result<Vec<(String, String)>, String> {
        let own = [
            ("service.name", service.to_owned()),
            ("service.version", env!("CARGO_PKG_VERSION").to_owned()),
            ("service.instance.id", clock::new_uuid().to_string()),
        ];
        let mut resource: Vec<_> = own.map(|(name, value)| (name.to_owned(), value)).into();
        let named = given(self.otel_resource_attributes.as_ref()).unwrap_or_default();
        let named = pairs("OTEL_RESOURCE_ATTRIBUTES", named)?;
        let service = given(self.otel_service_name.as_ref()).map(|name| ("service.name".to_owned(), name.to_owned()));
        for (name, value) in named.into_iter().chain(service) {
            resource.retain(|(known, _)| *known != name);
            resource.push((name, value));
        }
        Ok(resource)
    }
}

/// Level of the log, in the variable that Rust programs use for it, otherwise in that of an Unleash server.
#[expect(clippy::disallowed_methods, reason = "part of the configuration, which alone reads the environment")]
pub fn log_level() -> Option<String> {
    let given = |name| std::env::var(name).ok().filter(|level| !level.trim().is_empty());
    given("RUST_LOG").or_else(|| unleash::log_level(&given("LOG_LEVEL")?).map(str::to_owned))
}

/// Returns the trimmed text, or `None` where it is empty.
fn given(text: Option<&String>) -> Option<&str> {
    text.map(|text| text.trim()).filter(|text| !text.is_empty())
}

fn secret(text: Option<&Hidden>) -> Option<&str> {
    given(text.map(|Hidden(text)| text))
}

/// Reads `name=value` with commas between them. The error does not quote them.
fn pairs(variable: &str, list: &str) -> Result<Vec<(String, String)>, String> {
    let read = |(place, pair): (usize, &str)| {
        let wrong = || format!("{variable}: number {} is not of the form name=value", place + 1);
        let (name, value) = pair.split_once('=').ok_or_else(wrong)?;
        let value = percent_decode_str(value.trim()).decode_utf8().map_err(|_| wrong())?;
        let name = name.trim();
        if name.is_empty() { Err(wrong()) } else { Ok((name.to_owned(), value.into_owned())) }
    };
    list.split(',').filter(|pair| !pair.trim().is_empty()).enumerate().map(read).collect()
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Program {
        #[command(flatten)]
        telemetry: Telemetry,
    }

    fn read(arguments: &[&str]) -> Result<Option<Settings>, String> {
        let program = Program::parse_from(["program"].iter().chain(arguments));
        program.telemetry.traces("flagstone", Outbound::new)
    }

    #[test]
    fn nothing_is_sent_unless_an_address_is_named() {
        assert!(read(&[]).expect("settings").is_none());
        assert!(read(&["--otel-exporter-otlp-endpoint="]).expect("settings").is_none());
        let endpoint = "--otel-exporter-otlp-endpoint=http://collector:4318/";
        assert!(read(&[endpoint, "--otel-sdk-disabled"]).expect("settings").is_none());
        let settings = read(&[endpoint]).expect("settings").expect("traces");
        assert_eq!(settings.destination.url, "http://collector:4318/v1/traces");
        let elsewhere = ["--otel-exporter-otlp-endpoint=http://collector:4317", "--otel-exporter-otlp-protocol=http"];
        let settings = read(&elsewhere).expect("settings").expect("traces");
        assert_eq!(settings.destination.url, "http://collector:4317/v1/traces");
        let whole = "--otel-exporter-otlp-traces-endpoint=https://collector/otlp";
        assert_eq!(
            read(&[endpoint, whole]).expect("settings").expect("traces").destination.url,
            "https://collector/otlp"
        );
    }

    #[test]
    fn headers_and_attributes_are_pairs_with_percent_signs() {
        let settings = read(&[
            "--otel-exporter-otlp-endpoint=http://collector",
            "--otel-exporter-otlp-headers=authorization=Bearer%20a%3Db, x-team = flags ",
            "--otel-resource-attributes=service.name=other,deployment.environment.name=pro%20duction",
            "--otel-service-name=flags",
        ]);
        let settings = settings.expect("settings").expect("traces");
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(settings.destination.headers, [pair("authorization", "Bearer a=b"), pair("x-team", "flags")]);
        assert!(settings.resource.contains(&pair("service.name", "flags")));
        assert!(settings.resource.contains(&pair("deployment.environment.name", "pro duction")));
        assert_eq!(settings.resource.iter().filter(|(name, _)| name == "service.name").count(), 1);
    }

    #[test]
    fn what_is_wrong_is_named_without_the_secret() {
        let endpoint = "--otel-exporter-otlp-endpoint=http://collector";
        for (arguments, named) in [
            (vec!["--otel-exporter-otlp-endpoint=collector:4318"], "OTEL_EXPORTER_OTLP_ENDPOINT"),
            (vec!["--otel-exporter-otlp-endpoint=http://me:hush@collector"], "OTEL_EXPORTER_OTLP_ENDPOINT"),
            (vec!["--otel-exporter-otlp-traces-endpoint=ftp://collector"], "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"),
            (vec![endpoint, "--otel-exporter-otlp-headers=a=b,hush"], "OTEL_EXPORTER_OTLP_HEADERS: number 2"),
            (vec![endpoint, "--otel-exporter-otlp-headers=a=hush%0a"], "OTEL_EXPORTER_OTLP_HEADERS: number 1"),
            (vec![endpoint, "--otel-exporter-otlp-traces-headers==hush"], "OTEL_EXPORTER_OTLP_TRACES_HEADERS"),
            (vec![endpoint, "--otel-exporter-otlp-protocol=grpc"], "http/protobuf"),
            (
                vec!["--otel-exporter-otlp-endpoint=http://collector:4317"],
                "OTEL_EXPORTER_OTLP_ENDPOINT names port 4317",
            ),
            (vec![endpoint, "--otel-traces-sampler=often"], "OTEL_TRACES_SAMPLER"),
            (
                vec![endpoint, "--otel-traces-sampler=traceidratio", "--otel-traces-sampler-arg=2"],
                "OTEL_TRACES_SAMPLER_ARG",
            ),
            (vec![endpoint, "--otel-resource-attributes=a"], "OTEL_RESOURCE_ATTRIBUTES: number 1"),
        ] {
            let Err(wrong) = read(&arguments) else { panic!("{arguments:?}") };
            assert!(wrong.contains(named) && !wrong.contains("hush"), "{wrong}");
        }
    }
}
