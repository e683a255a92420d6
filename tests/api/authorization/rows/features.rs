use poem::http::Method;
use serde_json::{Value, json};

use crate::authorization::{
    access::Access::{Authenticated, Development, Person, Shop},
    row::Row,
};

const FEATURE: &str = "/api/admin/projects/shop/features/f";
const LINKS: &str = "/api/admin/projects/shop/features/f/link";
const LINK: &str = "/api/admin/projects/shop/features/linked/link/3f0a7f52-9a4e-4b8d-8f5a-6a1c2d3e4f50";

pub fn rows() -> Vec<Row> {
    [one(), archived(), many(), switched(), moved()].into_iter().flatten().collect()
}

fn link(ticket: &str) -> Value {
    json!({ "url": format!("https://tickets.example.com/{ticket}"), "title": "Ticket" })
}

/// With the link, whose id an import keeps.
fn with_link(row: Row) -> Row {
    let mut link = link("7");
    link["id"] = json!("3f0a7f52-9a4e-4b8d-8f5a-6a1c2d3e4f50");
    let data = json!({ "features": [{ "name": "linked" }], "featureStrategies": [], "tagTypes": [],
        "links": [{ "feature": "linked", "links": [link] }] });
    let import = json!({ "project": "shop", "environment": "development", "data": data });
    row.after(Method::POST, "/api/admin/features-batch/import", import)
}

fn one() -> Vec<Row> {
    let completion = json!({ "status": "kept" });
    vec![
        Row::post(
            "createFeature",
            "/api/admin/projects/shop/features",
            Shop(&["CREATE_FEATURE"]),
            json!({ "name": "new", "tags": [{ "type": "simple", "value": "beta" }] }),
        )
        .answers(201)
        .leaves(&["feature-created", "tag-created", "feature-tagged"]),
        Row::post(
            "cloneFeature",
            "/api/admin/projects/shop/features/f/clone",
            Shop(&["CREATE_FEATURE"]),
            json!({ "name": "copy" }),
        )
        .after(
            Method::POST,
            "/api/admin/projects/shop/features/f/environments/development/strategies",
            json!({ "name": "default" }),
        )
        .answers(201)
        .leaves(&["feature-created", "feature-strategy-add"])
        // The original has a strategy, which not everybody may add.
        .needs_more(),
        Row::post("validateFeature", "/api/admin/features/validate", Authenticated, json!({ "name": "new" })),
        Row::get("getFeature", FEATURE, Authenticated),
        Row::get(
            "getFeatureEnvironment",
            "/api/admin/projects/shop/features/f/environments/development",
            Authenticated,
        ),
        Row::put("updateFeature", FEATURE, Shop(&["UPDATE_FEATURE"]), json!({ "stale": true }))
            .leaves(&["feature-metadata-updated", "feature-stale-on"]),
        Row::patch(
            "patchFeature",
            FEATURE,
            Shop(&["UPDATE_FEATURE"]),
            json!([{ "op": "replace", "path": "/stale", "value": true }]),
        )
        .leaves(&["feature-metadata-updated", "feature-stale-on"]),
        Row::new("addFavoriteFeature", Method::POST, "/api/admin/projects/shop/features/f/favorites", Person)
            .leaves(&["feature-favorited"]),
        Row::delete("removeFavoriteFeature", "/api/admin/projects/shop/features/f/favorites", Person),
        Row::get("getFeatureLifecycle", "/api/admin/projects/shop/features/f/lifecycle", Authenticated),
        Row::post(
            "complete",
            "/api/admin/projects/shop/features/f/lifecycle/complete",
            Shop(&["UPDATE_FEATURE"]),
            completion.clone(),
        )
        .leaves(&["feature-completed"]),
        Row::new(
            "uncomplete",
            Method::POST,
            "/api/admin/projects/shop/features/f/lifecycle/uncomplete",
            Shop(&["UPDATE_FEATURE"]),
        )
        .after(Method::POST, "/api/admin/projects/shop/features/f/lifecycle/complete", completion)
        .leaves(&["feature-uncompleted"]),
        Row::post("createFeatureLink", LINKS, Shop(&["UPDATE_FEATURE"]), link("7"))
            .answers(204)
            .leaves(&["feature-link-added"]),
        with_link(Row::put("updateFeatureLink", LINK, Shop(&["UPDATE_FEATURE"]), link("8")))
            .answers(204)
            .leaves(&["feature-link-updated"]),
        with_link(Row::delete("deleteFeatureLink", LINK, Shop(&["UPDATE_FEATURE"])))
            .answers(204)
            .leaves(&["feature-link-removed"]),
        Row::get("searchFeatures", "/api/admin/search/features", Authenticated),
        Row::get("getFeatures", "/api/admin/projects/shop/features", Authenticated),
    ]
}

fn archived() -> Vec<Row> {
    vec![
        Row::delete("archiveFeature", FEATURE, Shop(&["DELETE_FEATURE"]))
            .answers(202)
            .leaves(&["feature-dependencies-removed", "feature-archived"]),
        Row::get("getArchivedFeatures", "/api/admin/archive/features", Authenticated),
        Row::get("getArchivedFeaturesByProjectId", "/api/admin/archive/features/shop", Authenticated),
        Row::new("reviveFeature", Method::POST, "/api/admin/archive/revive/f", Shop(&["UPDATE_FEATURE"]))
            .after(Method::DELETE, FEATURE, Value::Null)
            .leaves(&["feature-revived"]),
        Row::delete("deleteFeature", "/api/admin/archive/f", Shop(&["DELETE_FEATURE"]))
            .after(Method::DELETE, FEATURE, Value::Null)
            .leaves(&["feature-deleted"]),
    ]
}

fn many() -> Vec<Row> {
    let features = json!({ "features": ["f"] });
    vec![
        Row::post(
            "validateArchiveFeatures",
            "/api/admin/projects/shop/archive/validate",
            Shop(&["DELETE_FEATURE"]),
            features.clone(),
        ),
        Row::post("archiveFeatures", "/api/admin/projects/shop/archive", Shop(&["DELETE_FEATURE"]), features.clone())
            .answers(202)
            .leaves(&["feature-dependencies-removed", "feature-archived"]),
        Row::post(
            "staleFeatures",
            "/api/admin/projects/shop/stale",
            Shop(&["UPDATE_FEATURE"]),
            json!({ "features": ["f"], "stale": true }),
        )
        .answers(202)
        .leaves(&["feature-stale-on"]),
        Row::post("reviveFeatures", "/api/admin/projects/shop/revive", Shop(&["UPDATE_FEATURE"]), features.clone())
            .after(Method::DELETE, FEATURE, Value::Null)
            .leaves(&["feature-revived"]),
        Row::post("deleteFeatures", "/api/admin/projects/shop/delete", Shop(&["DELETE_FEATURE"]), features)
            .after(Method::DELETE, FEATURE, Value::Null)
            .leaves(&["feature-deleted"]),
    ]
}

fn switched() -> Vec<Row> {
    const ON: &str = "/api/admin/projects/shop/features/f/environments/development/on";
    let features = json!({ "features": ["f"] });
    vec![
        // The feature has no strategy, so that it gets one.
        Row::new("toggleFeatureEnvironmentOn", Method::POST, ON, Development("UPDATE_FEATURE_ENVIRONMENT"))
            .leaves(&["feature-strategy-add", "feature-environment-enabled"])
            .needs_more(),
        Row::new(
            "toggleFeatureEnvironmentOff",
            Method::POST,
            "/api/admin/projects/shop/features/f/environments/development/off",
            Development("UPDATE_FEATURE_ENVIRONMENT"),
        )
        .after(Method::POST, ON, Value::Null)
        .leaves(&["feature-environment-disabled"]),
        Row::post(
            "bulkToggleFeaturesEnvironmentOn",
            "/api/admin/projects/shop/bulk_features/environments/development/on",
            Development("UPDATE_FEATURE_ENVIRONMENT"),
            features.clone(),
        )
        .leaves(&["feature-strategy-add", "feature-environment-enabled"])
        .needs_more(),
        Row::post(
            "bulkToggleFeaturesEnvironmentOff",
            "/api/admin/projects/shop/bulk_features/environments/development/off",
            Development("UPDATE_FEATURE_ENVIRONMENT"),
            features,
        )
        .after(Method::POST, ON, Value::Null)
        .leaves(&["feature-environment-disabled"]),
    ]
}

fn moved() -> Vec<Row> {
    let data = json!({ "features": [{ "name": "new" }], "featureStrategies": [], "tagTypes": [] });
    let import = json!({ "project": "shop", "environment": "development", "data": data });
    vec![
        Row::post("validateImport", "/api/admin/features-batch/validate", Authenticated, import.clone()),
        Row::post("importFeatures", "/api/admin/features-batch/import", Shop(&["UPDATE_FEATURE"]), import)
            .leaves(&["feature-created", "features-imported"])
            .needs_more(),
        Row::post(
            "exportFeatures",
            "/api/admin/features-batch/export",
            Authenticated,
            json!({ "environment": "development", "project": "shop" }),
        )
        .leaves(&["features-exported"]),
    ]
}
