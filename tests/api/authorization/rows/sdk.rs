use poem::http::Method;
use serde_json::json;

use crate::authorization::{
    access::Access::{Application, Browser, Open, Program},
    row::Row,
};

pub fn rows() -> Vec<Row> {
    let application = json!({ "appName": "web", "strategies": [], "started": "2026-01-15T12:00:00Z", "interval": 15 });
    let start = "2026-01-15T12:00:00Z";
    let bucket = json!({ "start": start, "stop": start, "toggles": { "f": { "yes": 1, "no": 0 } } });
    let metrics = json!({ "appName": "web", "bucket": bucket });
    let context = json!({ "context": { "userId": "7" } });
    let bulk = json!({ "applications": [], "metrics": [] });
    vec![
        Row::get("getAllClientFeatures", "/api/client/features", Program),
        Row::get("getClientFeature", "/api/client/features/f", Program),
        Row::get("getDelta", "/api/client/delta", Program),
        Row::get("getFeatureStream", "/api/client/streaming", Program),
        Row::post("registerClientApplication", "/api/client/register", Program, application.clone()).answers(202),
        Row::post("registerClientMetrics", "/api/client/metrics", Program, metrics.clone()).answers(202),
        Row::post("clientBulkMetrics", "/api/client/metrics/bulk", Program, bulk.clone()).answers(202),
        Row::post("bulkMetrics", "/edge/metrics", Program, bulk).answers(202),
        Row::post("registerEdgeInstance", "/api/client/metrics/edge", Program, json!({})).answers(202),
        Row::new("edgeInstanceHeartbeat", Method::POST, "/api/client/edge-licensing/heartbeat", Program).answers(202),
        Row::get("getFrontendFeatures", "/api/frontend?userId=7", Browser),
        Row::post("postFrontendFeatures", "/api/frontend", Browser, context.clone()),
        Row::post("registerFrontendClient", "/api/frontend/client/register", Browser, application),
        Row::post("registerFrontendMetrics", "/api/frontend/client/metrics", Browser, metrics),
        Row::post("evaluateFlags", "/ofrep/v1/evaluate/flags", Application, context.clone()),
        Row::post("evaluateFlag", "/ofrep/v1/evaluate/flags/f", Application, context),
        Row::post("getValidTokens", "/edge/validate", Open, json!({ "tokens": [] })),
    ]
}
