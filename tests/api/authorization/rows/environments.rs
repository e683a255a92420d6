use poem::http::Method;
use serde_json::{Value, json};

use crate::authorization::{
    access::{ADMIN, Access::Authenticated},
    row::Row,
};

const ENVIRONMENTS: &str = "/api/admin/environments";

const FREEZE_WINDOWS: &str = "/api/admin/freeze-windows";

/// A freeze that does not begin while the tests last.
fn freeze() -> Value {
    let once = json!({ "from": "2030-12-24T00:00:00Z", "to": "2031-01-02T00:00:00Z" });
    json!({ "environment": "production", "once": once, "zone": "Europe/Berlin", "reason": "Year-end", "exemptRoles": [1] })
}

pub fn rows() -> Vec<Row> {
    let test = json!({ "name": "qa", "type": "test" });
    vec![
        Row::get("getAllEnvironments", ENVIRONMENTS, Authenticated),
        Row::get("getEnvironment", "/api/admin/environments/production", Authenticated),
        Row::post("createEnvironment", ENVIRONMENTS, ADMIN, test.clone()).answers(201).leaves(&["environment-created"]),
        Row::post("validateEnvironmentName", "/api/admin/environments/validate", ADMIN, json!({ "name": "qa" })),
        Row::put("updateEnvironment", "/api/admin/environments/update/development", ADMIN, json!({ "type": "test" }))
            .leaves(&["environment-updated"]),
        Row::put("updateSortOrder", "/api/admin/environments/sort-order", ADMIN, json!({ "development": 9 }))
            .leaves(&["environment-updated"]),
        Row::new("toggleEnvironmentOn", Method::POST, "/api/admin/environments/default/on", ADMIN)
            .answers(204)
            .leaves(&["environment-updated"]),
        Row::new("toggleEnvironmentOff", Method::POST, "/api/admin/environments/production/off", ADMIN)
            .answers(204)
            .leaves(&["environment-updated"]),
        Row::post("cloneEnvironment", "/api/admin/environments/production/clone", ADMIN, json!({ "name": "qa" }))
            .answers(201)
            .leaves(&["environment-created", "project-environment-added", "project-environment-added"]),
        Row::delete("removeEnvironment", "/api/admin/environments/qa", ADMIN)
            .after(Method::POST, ENVIRONMENTS, test)
            .leaves(&["environment-deleted"]),
        Row::get("getFreezeWindows", FREEZE_WINDOWS, Authenticated),
        Row::get("getProjectFreeze", "/api/admin/projects/shop/freeze", Authenticated),
        Row::post("createFreezeWindow", FREEZE_WINDOWS, ADMIN, freeze())
            .answers(201)
            .leaves(&["freeze-window-created"]),
        Row::put("updateFreezeWindow", "/api/admin/freeze-windows/1", ADMIN, freeze())
            .after(Method::POST, FREEZE_WINDOWS, json!({ "once": freeze()["once"], "reason": "Holidays" }))
            .leaves(&["freeze-window-updated"]),
        Row::delete("deleteFreezeWindow", "/api/admin/freeze-windows/1", ADMIN)
            .after(Method::POST, FREEZE_WINDOWS, freeze())
            .leaves(&["freeze-window-deleted"]),
    ]
}
