//! Reports on the state of an edge: for containers, for Prometheus, and for its operator.

use std::sync::Arc;

use poem::{
    IntoResponse, Request, Response,
    http::{StatusCode, header},
    web::Data,
};
use poem_openapi::OpenApi;
use serde_json::{Value, json};

use super::access::Backstage;
use crate::{
    api::{
        Tag,
        answer::{Fails, JSON, JSON_UTF8, refusals},
        instance::metrics::{Exposition, edge_figures},
        response_meta::{ResponseMeta, api_response},
    },
    domain::secret,
    edge::Edge,
    error::Error,
    state::Serving,
};

/// Reports of an edge about itself.
#[derive(Debug)]
pub struct BackstageApi;

refusals! {
    /// The report is switched off, or this caller may not ask.
    BackstageRefusals = 401, 404;
}

/// JSON with a status.
#[derive(Debug)]
pub struct JsonAnswer {
    status: StatusCode,
    text: String,
}

impl JsonAnswer {
    fn json(status: StatusCode, value: &Value) -> Self {
        Self { status, text: value.to_string() }
    }
}

impl IntoResponse for JsonAnswer {
    fn into_response(self) -> Response {
        Response::builder().status(self.status).content_type(JSON_UTF8).body(self.text)
    }
}

api_response!(JsonAnswer, ResponseMeta::new(200, "The answer.").text(JSON));

#[OpenApi(tag = "Tag::Operational")]
impl BackstageApi {
    /// Get whether the edge runs
    #[oai(path = "/health", method = "get", operation_id = "getHealth")]
    async fn get_health(&self) -> JsonAnswer {
        JsonAnswer::json(StatusCode::OK, &json!({ "health": "GOOD" }))
    }

    /// Check that the edge runs, at the path of Unleash Edge
    #[oai(path = "/internal-backstage/health", method = "get", operation_id = "getBackstageHealth")]
    async fn get_backstage_health(&self) -> JsonAnswer {
        JsonAnswer::json(StatusCode::OK, &json!({ "status": "OK" }))
    }

    /// Get whether the edge can do its work
    #[oai(path = "/ready", method = "get", operation_id = "getReady")]
    async fn get_ready(&self, Data(edge): Data<&Arc<Edge>>) -> JsonAnswer {
        readiness(edge)
    }

    /// Check that the edge is ready, at the path of Unleash Edge
    #[oai(path = "/internal-backstage/ready", method = "get", operation_id = "getBackstageReady")]
    async fn get_backstage_ready(&self, Data(edge): Data<&Arc<Edge>>) -> JsonAnswer {
        readiness(edge)
    }

    /// Get metrics for Prometheus
    #[oai(path = "/internal-backstage/prometheus", method = "get", operation_id = "getPrometheusMetrics")]
    async fn get_prometheus_metrics(
        &self,
        Data(edge): Data<&Arc<Edge>>,
        Data(serving): Data<&Serving>,
        Data(shown): Data<&Backstage>,
    ) -> Result<Exposition, Fails<BackstageRefusals>> {
        Ok(metrics(edge, serving, *shown)?)
    }

    /// Get metrics for Prometheus, at the path of Unleash Edge
    #[oai(path = "/internal-backstage/metrics", method = "get", operation_id = "getBackstageMetrics")]
    async fn get_backstage_metrics(
        &self,
        Data(edge): Data<&Arc<Edge>>,
        Data(serving): Data<&Serving>,
        Data(shown): Data<&Backstage>,
    ) -> Result<Exposition, Fails<BackstageRefusals>> {
        Ok(metrics(edge, serving, *shown)?)
    }

    /// Get the amount of usage that waits to be reported
    ///
    /// Needs one of the tokens that the edge was started with.
    #[oai(path = "/internal-backstage/metricsbatch", method = "get", operation_id = "getBackstageMetricsBatch")]
    async fn get_backstage_metrics_batch(
        &self,
        Data(edge): Data<&Arc<Edge>>,
        Data(serving): Data<&Serving>,
        Data(shown): Data<&Backstage>,
        request: &Request,
    ) -> Result<JsonAnswer, Fails<BackstageRefusals>> {
        admit(edge, request, shown.metrics_batch)?;
        let waiting = serving.usage.buffered();
        let told = json!({ "counts": waiting.tallies, "programs": waiting.programs, "dropped": waiting.dropped });
        Ok(JsonAnswer::json(StatusCode::OK, &told))
    }

    /// Get the features that are served
    ///
    /// Needs one of the tokens that the edge was started with.
    #[oai(path = "/internal-backstage/features", method = "get", operation_id = "getBackstageFeatures")]
    async fn get_backstage_features(
        &self,
        Data(edge): Data<&Arc<Edge>>,
        Data(shown): Data<&Backstage>,
        request: &Request,
    ) -> Result<JsonAnswer, Fails<BackstageRefusals>> {
        admit(edge, request, shown.features)?;
        Ok(JsonAnswer::json(StatusCode::OK, &json!(edge.features_listed())))
    }

    /// Get the known tokens, without their secrets
    ///
    /// Needs one of the tokens that the edge was started with.
    #[oai(path = "/internal-backstage/tokens", method = "get", operation_id = "getBackstageTokens")]
    async fn get_backstage_tokens(
        &self,
        Data(edge): Data<&Arc<Edge>>,
        Data(shown): Data<&Backstage>,
        request: &Request,
    ) -> Result<JsonAnswer, Fails<BackstageRefusals>> {
        admit(edge, request, shown.tokens)?;
        Ok(JsonAnswer::json(StatusCode::OK, &edge.tokens_listed()))
    }

    /// Get the state of the edge
    ///
    /// Needs one of the tokens that the edge was started with.
    #[oai(path = "/internal-backstage/instancedata", method = "get", operation_id = "getBackstageInstanceData")]
    async fn get_backstage_instance_data(
        &self,
        Data(edge): Data<&Arc<Edge>>,
        Data(serving): Data<&Serving>,
        Data(shown): Data<&Backstage>,
        request: &Request,
    ) -> Result<JsonAnswer, Fails<BackstageRefusals>> {
        admit(edge, request, shown.instance_data)?;
        Ok(JsonAnswer::json(StatusCode::OK, &edge.about(serving)))
    }
}

/// Admits the operator alone: the reports include everything that one of the edge's own tokens reaches.
fn admit(edge: &Edge, request: &Request, is_shown: bool) -> Result<(), Error> {
    require_shown(is_shown)?;
    let given = request.headers().get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let is_own = given.is_some_and(|given| edge.is_own(secret::strip_bearer(given)));
    if is_own { Ok(()) } else { Err(Error::Unauthenticated) }
}

fn require_shown(is_shown: bool) -> Result<(), Error> {
    let hidden = || Error::NotFound("This edge was told not to answer here.".to_owned());
    is_shown.then_some(()).ok_or_else(hidden)
}

fn readiness(edge: &Edge) -> JsonAnswer {
    let readiness = edge.readiness();
    let status = if readiness.is_ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    let word = if readiness.is_ready { "READY" } else { "NOT_READY" };
    let told = json!({
        "status": word,
        "upstream": if edge.is_offline() { "none" } else if readiness.is_connected { "connected" } else { "away" },
        "reason": readiness.reason,
        "stateAgeSeconds": readiness.age_seconds,
    });
    JsonAnswer::json(status, &told)
}

fn metrics(edge: &Edge, serving: &Serving, shown: Backstage) -> Result<Exposition, Error> {
    require_shown(shown.metrics)?;
    Exposition::of(&edge_figures(edge, serving).map_err(Error::internal)?)
}
