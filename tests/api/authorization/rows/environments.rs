use poem::http::Method;
use serde_json::json;

use crate::authorization::{
    access::{ADMIN, Access::Authenticated},
    row::Row,
};

const ENVIRONMENTS: &str = "/api/admin/environments";

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
    ]
}
