use serde_json::json;

use crate::authorization::{
    access::{
        ADMIN,
        Access::{Authenticated, Open},
    },
    row::Row,
};

pub fn rows() -> Vec<Row> {
    vec![
        Row::get("getHealth", "/health", Open),
        Row::get("getReady", "/ready", Open),
        Row::get("getPrometheusMetrics", "/internal-backstage/prometheus", ADMIN),
        Row::get("searchEvents", "/api/admin/search/events", Authenticated),
        Row::post("deprecatedSearchEvents", "/api/admin/events/search", Authenticated, json!({})),
        Row::get("getEventCreators", "/api/admin/event-creators", Authenticated),
        Row::get("exportEvents", "/api/admin/event-log/export", ADMIN),
        Row::get("verifyEvents", "/api/admin/event-log/integrity", ADMIN),
        Row::get("getInstanceInsights", "/api/admin/dashboard/executive", Authenticated),
        Row::get("getInsights", "/api/admin/insights", Authenticated),
    ]
}
