use poem::http::Method;
use serde_json::json;

use crate::authorization::{
    access::{
        ADMIN,
        Access::{self, Authenticated, Instance, Person},
    },
    row::Row,
};

const BANNERS: &str = "/api/admin/banners";
const CHANGE_BANNERS: Access = Instance(&["UPDATE_INSTANCE_BANNERS"]);
const CHECKOUT: &str = "/api/admin/metrics/applications/checkout";

pub fn rows() -> Vec<Row> {
    let context = json!({ "appName": "checkout" });
    vec![
        Row::post(
            "getPlayground",
            "/api/admin/playground",
            Authenticated,
            json!({ "environment": "production", "context": context }),
        ),
        Row::post(
            "getAdvancedPlayground",
            "/api/admin/playground/advanced",
            Authenticated,
            json!({ "environments": ["production"], "context": context }),
        ),
        Row::get("getMaintenance", "/api/admin/maintenance", Instance(&["UPDATE_MAINTENANCE_MODE"])),
        Row::post(
            "toggleMaintenance",
            "/api/admin/maintenance",
            Instance(&["UPDATE_MAINTENANCE_MODE"]),
            json!({ "enabled": true }),
        )
        .answers(204)
        .leaves(&["setting-created"]),
        Row::get("getLogLevel", "/api/admin/log-level", ADMIN),
        Row::put("setLogLevel", "/api/admin/log-level", ADMIN, json!({ "level": "debug", "minutes": 5 }))
            .leaves(&["setting-created"]),
        Row::new("resetLogLevel", Method::DELETE, "/api/admin/log-level", ADMIN)
            .after(Method::PUT, "/api/admin/log-level", json!({ "level": "debug" }))
            .answers(204)
            .leaves(&["setting-updated"]),
        Row::get("getUiConfig", "/api/admin/ui-config", Authenticated),
        Row::post(
            "setUiConfig",
            "/api/admin/ui-config",
            ADMIN,
            json!({ "frontendSettings": { "frontendApiOrigins": ["https://shop.example.com"] } }),
        )
        .answers(204)
        .leaves(&["setting-created"]),
        Row::post(
            "setCors",
            "/api/admin/ui-config/cors",
            Instance(&["UPDATE_CORS"]),
            json!({ "frontendApiOrigins": ["https://shop.example.com"] }),
        )
        .answers(204)
        .leaves(&["setting-created"]),
        Row::new("updateSplashSettings", Method::POST, "/api/admin/splash/welcome", Person),
        Row::post("createFeedback", "/api/admin/feedback", Person, json!({ "feedbackId": "survey" })),
        Row::put("updateFeedback", "/api/admin/feedback/survey", Person, json!({ "neverShow": true })),
        Row::get("getFeatureUsageSummary", "/api/admin/client-metrics/features/f", Authenticated),
        Row::get("getRawFeatureMetrics", "/api/admin/client-metrics/features/f/raw", Authenticated),
        Row::get("getFeatureUsageHistory", "/api/admin/projects/shop/features/f/usage", Authenticated),
        Row::get("getEvents", "/api/admin/events", Instance(&["READ_LOGS"])),
        Row::get("getEventsForToggle", "/api/admin/events/f", Authenticated),
        Row::get("getPersonalDashboard", "/api/admin/personal-dashboard", Person),
        Row::get("getPersonalDashboardProjectDetails", "/api/admin/personal-dashboard/shop", Person),
        Row::get("getInstanceAdminStats", "/api/admin/instance-admin/statistics", ADMIN),
        Row::get("getInstanceAdminStatsCsv", "/api/admin/instance-admin/statistics/csv", ADMIN),
        Row::get("getLifecycleCount", "/api/admin/lifecycle/count", Authenticated),
        Row::get("getFlagCreators", "/api/admin/flag-creators", Authenticated),
        Row::get("getOutdatedSdks", "/api/admin/metrics/sdks/outdated", Authenticated),
        Row::get("getUnknownFlags", "/api/admin/metrics/unknown-flags", Authenticated),
        Row::get("getTelemetrySettings", "/api/admin/telemetry/settings", Authenticated),
        Row::get("checkLicense", "/api/admin/license/check", Authenticated),
        Row::post(
            "recordUiError",
            "/api/admin/record-ui-error",
            Authenticated,
            json!({ "errorMessage": "x is not a function" }),
        )
        .answers(204),
        Row::get("getNotifications", "/api/admin/notifications", Authenticated),
        Row::post("markNotificationsAsRead", "/api/admin/notifications/read", Person, json!({ "notifications": [1] })),
    ]
    .into_iter()
    .chain(applications())
    .chain(banners())
    .collect()
}

fn applications() -> Vec<Row> {
    vec![
        Row::get("getEdges", "/api/admin/metrics/edges", Authenticated),
        Row::get("getApplications", "/api/admin/metrics/applications", Authenticated),
        Row::get("getApplication", CHECKOUT, Authenticated).after(Method::POST, CHECKOUT, json!({})),
        Row::post(
            "createApplication",
            CHECKOUT,
            Instance(&["UPDATE_APPLICATION"]),
            json!({ "description": "The till" }),
        )
        .answers(202)
        .leaves(&["application-created"]),
        Row::delete("deleteApplication", CHECKOUT, Instance(&["UPDATE_APPLICATION"])).after(
            Method::POST,
            CHECKOUT,
            json!({}),
        ),
        Row::get("getApplicationOverview", "/api/admin/metrics/applications/checkout/overview", Authenticated).after(
            Method::POST,
            CHECKOUT,
            json!({}),
        ),
        Row::get(
            "getApplicationEnvironmentInstances",
            "/api/admin/metrics/instances/checkout/environment/production",
            Authenticated,
        )
        .after(Method::POST, CHECKOUT, json!({})),
    ]
}

/// With a banner whose id is 1.
fn with_banner(row: Row) -> Row {
    row.after(Method::POST, BANNERS, json!({ "message": "Maintenance at noon" }))
}

fn banners() -> Vec<Row> {
    let changed = json!({ "message": "Maintenance is over", "variant": "success" });
    vec![
        Row::get("getBanners", BANNERS, Authenticated),
        Row::post("createBanner", BANNERS, CHANGE_BANNERS, json!({ "message": "Maintenance at noon" }))
            .answers(201)
            .leaves(&["banner-created"]),
        with_banner(Row::put("updateBanner", "/api/admin/banners/1", CHANGE_BANNERS, changed))
            .leaves(&["banner-updated"]),
        with_banner(Row::delete("deleteBanner", "/api/admin/banners/1", CHANGE_BANNERS)).leaves(&["banner-deleted"]),
        with_banner(Row::new("hideBanner", Method::POST, "/api/admin/banners/1/off", CHANGE_BANNERS))
            .leaves(&["banner-updated"]),
        Row::new("showBanner", Method::POST, "/api/admin/banners/1/on", CHANGE_BANNERS)
            .after(Method::POST, BANNERS, json!({ "message": "Maintenance at noon", "enabled": false }))
            .leaves(&["banner-updated"]),
    ]
}
