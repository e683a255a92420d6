use poem::http::Method;
use serde_json::{Value, json};

use crate::authorization::{
    access::Access::{Authenticated, BothProjects, Instance, Person, Shop},
    row::Row,
};

const SHOP: &str = "/api/admin/projects/shop";
const FEATURE: &str = "/api/admin/projects/shop/features/f";

const REVIEWERS: &str = "/api/admin/projects/shop/environments/production/change-requests/reviewers";

fn archiving() -> Value {
    json!([{ "op": "replace", "path": "/archived", "value": true }])
}

pub fn rows() -> Vec<Row> {
    let strategy = json!({ "name": "flexibleRollout" });
    [reads(), changes(strategy)].into_iter().flatten().collect()
}

fn reads() -> Vec<Row> {
    vec![
        Row::get("getProjects", "/api/admin/projects", Authenticated),
        Row::get("getProjectHealthReport", "/api/admin/projects/shop/health-report", Authenticated),
        Row::get("getDeprecatedProjectOverview", SHOP, Authenticated),
        Row::get("getProjectOverview", "/api/admin/projects/shop/overview", Authenticated),
        Row::get("getProjectInsights", "/api/admin/projects/shop/insights", Authenticated),
        Row::get("getProjectStatus", "/api/admin/projects/shop/status", Authenticated),
        Row::get("getProjectDora", "/api/admin/projects/shop/dora", Authenticated),
        Row::get("getProjectApplications", "/api/admin/projects/shop/applications", Authenticated),
        Row::get("getProjectFlagCreators", "/api/admin/projects/shop/flag-creators", Authenticated),
        Row::get("getOutdatedProjectSdks", "/api/admin/projects/shop/sdks/outdated", Authenticated),
        Row::get("getRequiredReviewers", REVIEWERS, Authenticated),
        Row::get("getProjectEnvironments", "/api/admin/environments/project/shop", Authenticated),
        Row::get(
            "getDefaultStrategyOfProjectEnvironment",
            "/api/admin/projects/shop/environments/development/default-strategy",
            Authenticated,
        )
        .after(
            Method::POST,
            "/api/admin/projects/shop/environments/development/default-strategy",
            json!({ "name": "flexibleRollout" }),
        ),
    ]
}

fn changes(strategy: Value) -> Vec<Row> {
    let update = &["UPDATE_PROJECT"];
    vec![
        Row::put(
            "setRequiredReviewers",
            REVIEWERS,
            Shop(&["UPDATE_PROJECT", "PROJECT_CHANGE_REQUEST_WRITE"]),
            json!({ "rules": [{ "namePattern": "f.*", "need": "any", "groups": [1] }] }),
        )
        .after(Method::POST, "/api/admin/groups", json!({ "name": "Owners" }))
        .leaves(&["change-request-configuration-updated"]),
        Row::post(
            "createProject",
            "/api/admin/projects",
            Instance(&["CREATE_PROJECT"]),
            json!({ "id": "new", "name": "New", "changeRequestEnvironments": [{ "name": "production" }] }),
        )
        .answers(201)
        .leaves(&["project-created", "change-request-configuration-updated"]),
        Row::post(
            "validateProject",
            "/api/admin/projects/validate",
            Instance(&["CREATE_PROJECT"]),
            json!({ "id": "new" }),
        ),
        Row::put("updateProject", SHOP, Shop(update), json!({ "name": "A better name" })).leaves(&["project-updated"]),
        Row::put(
            "updateProjectEnterpriseSettings",
            "/api/admin/projects/shop/settings",
            Shop(&["UPDATE_PROJECT", "PROJECT_SETTINGS_WRITE"]),
            json!({ "featureLimit": 7 }),
        )
        .leaves(&["project-updated"]),
        Row::delete("deleteProject", SHOP, Shop(&["DELETE_PROJECT"]))
            .after(Method::PATCH, FEATURE, archiving())
            .leaves(&["feature-deleted", "project-deleted"]),
        Row::new("archiveProject", Method::POST, "/api/admin/projects/archive/shop", Shop(&["DELETE_PROJECT"]))
            .after(Method::PATCH, FEATURE, archiving())
            .leaves(&["project-updated"]),
        Row::new("reviveProject", Method::POST, "/api/admin/projects/revive/shop", Shop(&["DELETE_PROJECT"]))
            .after(Method::PATCH, FEATURE, archiving())
            .after(Method::POST, "/api/admin/projects/archive/shop", Value::Null)
            .leaves(&["project-updated"]),
        Row::post(
            "addEnvironmentToProject",
            "/api/admin/projects/shop/environments",
            Shop(update),
            json!({ "environment": "default" }),
        )
        .leaves(&["project-environment-added"]),
        Row::delete("removeEnvironmentFromProject", "/api/admin/projects/shop/environments/development", Shop(update))
            .leaves(&["project-environment-removed"]),
        Row::post(
            "addDefaultStrategyToProjectEnvironment",
            "/api/admin/projects/shop/environments/development/default-strategy",
            Shop(&["UPDATE_PROJECT", "PROJECT_DEFAULT_STRATEGY_WRITE"]),
            strategy,
        )
        .leaves(&["default-strategy-updated"]),
        Row::new("addFavoriteProject", Method::POST, "/api/admin/projects/shop/favorites", Person)
            .leaves(&["project-favorited"]),
        Row::delete("removeFavoriteProject", "/api/admin/projects/shop/favorites", Person),
        Row::post(
            "changeProject",
            "/api/admin/projects/shop/features/f/changeProject",
            BothProjects("MOVE_FEATURE_TOGGLE"),
            json!({ "newProjectId": "default" }),
        )
        .leaves(&["feature-project-change"]),
    ]
}
