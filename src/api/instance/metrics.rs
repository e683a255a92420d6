//! Metrics for operators: figures of this node, and of the jobs of all nodes, for Prometheus.

mod edge;
mod figures;

use poem::{IntoResponse, Request, RequestBody, Response, http::header, web::Data};
use poem_openapi::{
    ApiExtractor, ApiExtractorType, ExtractParamOptions, OpenApi,
    registry::{MetaParamIn, Registry},
};
use prometheus::{Encoder as _, TextEncoder, proto::MetricFamily};

pub use self::edge::figures as edge_figures;
use crate::{
    api::{
        Tag,
        answer::{Fails, refusals},
        caller::AuthenticatedCaller,
        http::Attached as _,
        response_meta::{ResponseMeta, api_response},
    },
    config::MetricsAccess,
    domain::{permission::Permission, secret},
    error::Error,
    state::State,
};

/// The form of the answer, as the header carries it.
const TEXT_FORMAT: &str = "text/plain; version=0.0.4; charset=utf-8";

/// The operation for the metrics.
#[derive(Debug)]
pub struct MetricsApi;

refusals! {
    /// The caller may not read the figures.
    MetricsRefusals = 401, 403, 503;
}

/// A caller who may read the metrics.
#[derive(Debug)]
pub struct Watcher(());

impl<'a> ApiExtractor<'a> for Watcher {
    const TYPES: &'static [ApiExtractorType] = &[ApiExtractorType::SecurityScheme];
    type ParamType = ();
    type ParamRawType = ();

    fn register(registry: &mut Registry) {
        AuthenticatedCaller::register(registry);
    }

    fn security_schemes() -> Vec<&'static str> {
        AuthenticatedCaller::security_schemes()
    }

    fn param_in() -> Option<MetaParamIn> {
        None
    }

    async fn from_request(
        request: &'a Request,
        body: &mut RequestBody,
        options: ExtractParamOptions<()>,
    ) -> poem::Result<Self> {
        let admitted = match &State::of(request).config.metrics {
            MetricsAccess::Everybody => true,
            // Compared as digests: how long that takes reveals nothing about the secret.
            MetricsAccess::Token(digest) => given(request).is_some_and(|given| secret::digest(given) == *digest),
            MetricsAccess::Administrators => false,
        };
        if !admitted {
            AuthenticatedCaller::from_request(request, body, options).await?.require(Permission::Admin)?;
        }
        Ok(Self(()))
    }
}

fn given(request: &Request) -> Option<&str> {
    request.headers().get(header::AUTHORIZATION)?.to_str().ok().map(secret::strip_bearer)
}

#[OpenApi(tag = "Tag::Operational")]
impl MetricsApi {
    /// Get metrics for Prometheus
    ///
    /// Metrics of the process, requests, connections, answers to programs and background jobs, in the text format of
    /// Prometheus (version 0.0.4). Counters are of this server since its start; for jobs that one server runs for the
    /// whole database, the last run on any server is reported. Needs an administrator, the token of
    /// `FLAGSTONE_METRICS_TOKEN`, or nothing with `FLAGSTONE_METRICS_OPEN`. While the database is unreachable,
    /// administrators cannot be authenticated, and metrics that are read from it are left out.
    #[oai(path = "/internal-backstage/prometheus", method = "get", operation_id = "getPrometheusMetrics")]
    async fn get_prometheus_metrics(
        &self,
        _watcher: Watcher,
        Data(state): Data<&State>,
    ) -> Result<Exposition, Fails<MetricsRefusals>> {
        let mut families = state.requests.gather();
        families.extend(figures::gather(state).await.map_err(Error::internal)?);
        Ok(Exposition::of(&families)?)
    }
}

/// Figures in the text format of Prometheus.
#[derive(Debug)]
pub struct Exposition(Vec<u8>);

impl Exposition {
    /// Encodes these figures.
    pub(in crate::api) fn of(families: &[MetricFamily]) -> Result<Self, Error> {
        let mut text = Vec::new();
        TextEncoder::new().encode(families, &mut text).map_err(Error::internal)?;
        Ok(Self(text))
    }
}

impl IntoResponse for Exposition {
    fn into_response(self) -> Response {
        Response::builder().content_type(TEXT_FORMAT).body(self.0)
    }
}

api_response!(Exposition, ResponseMeta::new(200, "The figures.").text("text/plain"));
