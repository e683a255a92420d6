//! Traces of an edge: the server before it is told which trace its questions belong to.

use serde_json::json;

use super::{
    program::{CLIENT, Home},
    upstream::{Fake, Reply},
};

#[test]
fn requests_upstream_carry_the_trace_that_they_belong_to() {
    let collector = Fake::start(|_| Reply::of(200, "application/x-protobuf", ""));
    let upstream = Fake::start(|request| {
        if request.is_for("/edge/validate") {
            let token = json!({ "token": CLIENT, "type": "client", "projects": ["*"], "environment": "development" });
            Reply::json(&json!({ "tokens": [token] }).to_string())
        } else if request.is_for("/api/client/features") {
            Reply::json(r#"{"version":2,"features":[],"segments":[]}"#)
        } else {
            Reply::of(404, "application/json", "{}")
        }
    });
    let home = Home::new();
    let url = format!("http://{}", collector.address);
    let edge = home.edge(upstream.address, &[("OTEL_EXPORTER_OTLP_ENDPOINT", &url), ("OTEL_BSP_SCHEDULE_DELAY", "50")]);
    edge.wait_until_ready();
    edge.wait("spans are sent", || edge.figure(r#"flagstone_trace_spans_total{outcome="sent"}"#) > 0.5);
    assert!(!collector.heard("/v1/traces").is_empty());
    let asked = upstream.heard("/api/client/features").remove(0).head.to_lowercase();
    let parent = asked.lines().find_map(|line| line.strip_prefix("traceparent: ")).expect("a trace");
    assert!(parent.starts_with("00-") && parent.ends_with("-01") && parent.len() == 55, "{parent}");
}
