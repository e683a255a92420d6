use poem::http::Method;
use serde_json::{Value, json};

use crate::authorization::{
    access::Access::{Authenticated, Development, Instance, Shop},
    row::Row,
};

const STRATEGIES: &str = "/api/admin/projects/shop/features/f/environments/development/strategies";
const STRATEGY: &str = "/api/admin/projects/shop/features/f/environments/development/strategies/{id}";
const ORDER: &str = "/api/admin/projects/shop/features/f/environments/development/strategies/set-sort-order";
const VARIANTS: &str = "/api/admin/projects/shop/features/f/variants";
const IN_DEVELOPMENT: &str = "/api/admin/projects/shop/features/f/environments/development/variants";
const DEPENDENCIES: &str = "/api/admin/projects/shop/features/f/dependencies";
const TYPES: &str = "/api/admin/strategies";
const TYPE: &str = "/api/admin/strategies/byTime";

/// A call on the one strategy that there is.
fn on_strategy(row: Row) -> Row {
    row.after(Method::POST, STRATEGIES, json!({ "name": "default" })).first_of(STRATEGIES)
}

fn strategies() -> Vec<Row> {
    let update = Development("UPDATE_FEATURE_STRATEGY");
    let retitle = json!([{ "op": "replace", "path": "/title", "value": "new" }]);
    vec![
        Row::get("getFeatureStrategies", STRATEGIES, Authenticated),
        Row::post(
            "addFeatureStrategy",
            STRATEGIES,
            Development("CREATE_FEATURE_STRATEGY"),
            json!({ "name": "default" }),
        )
        .leaves(&["feature-strategy-add"]),
        on_strategy(Row::get("getFeatureStrategy", STRATEGY, Authenticated)),
        on_strategy(Row::put("updateFeatureStrategy", STRATEGY, update, json!({ "title": "new" })))
            .leaves(&["feature-strategy-update"]),
        on_strategy(Row::patch("patchFeatureStrategy", STRATEGY, update, retitle)).leaves(&["feature-strategy-update"]),
        on_strategy(Row::delete("deleteFeatureStrategy", STRATEGY, Development("DELETE_FEATURE_STRATEGY")))
            .leaves(&["feature-strategy-remove"]),
        on_strategy(Row::post("setStrategySortOrder", ORDER, update, json!([{ "id": "{id}", "sortOrder": 7 }])))
            .leaves(&["strategy-order-changed"]),
        Row::post(
            "validateConstraint",
            "/api/admin/constraints/validate",
            Authenticated,
            json!({ "contextName": "userId", "operator": "IN", "values": ["1"] }),
        )
        .answers(204),
    ]
}

fn variants() -> Vec<Row> {
    let all = Shop(&["UPDATE_FEATURE_VARIANTS"]);
    let here = Development("UPDATE_FEATURE_ENVIRONMENT_VARIANTS");
    let list = || json!([{ "name": "a", "weight": 0 }]);
    let patch = || json!([{ "op": "add", "path": "/-", "value": { "name": "a", "weight": 0 } }]);
    vec![
        Row::get("getFeatureVariants", VARIANTS, Authenticated),
        Row::put("overwriteFeatureVariants", VARIANTS, all, list()).leaves(&["feature-variants-updated"]),
        Row::patch("patchFeatureVariants", VARIANTS, all, patch()).leaves(&["feature-variants-updated"]),
        Row::get("getEnvironmentFeatureVariants", IN_DEVELOPMENT, Authenticated),
        Row::put("overwriteEnvironmentFeatureVariants", IN_DEVELOPMENT, here, list())
            .leaves(&["feature-environment-variants-updated"]),
        Row::patch("patchEnvironmentsFeatureVariants", IN_DEVELOPMENT, here, patch())
            .leaves(&["feature-environment-variants-updated"]),
        Row::put(
            "overwriteFeatureVariantsOnEnvironments",
            "/api/admin/projects/shop/features/f/variants-batch",
            here,
            json!({ "variants": list(), "environments": ["development"] }),
        )
        .leaves(&["feature-environment-variants-updated"]),
    ]
}

fn dependencies() -> Vec<Row> {
    let need = Shop(&["UPDATE_FEATURE_DEPENDENCY"]);
    let data = json!({ "features": [{ "name": "parent" }], "featureStrategies": [], "tagTypes": [] });
    let import = json!({ "project": "shop", "environment": "development", "data": data });
    let with_parent = |row: Row| row.after(Method::POST, "/api/admin/features-batch/import", import.clone());
    let on_parent = || json!({ "feature": "parent" });
    vec![
        with_parent(Row::post("addFeatureDependency", DEPENDENCIES, need, on_parent()))
            .leaves(&["feature-dependency-added"]),
        with_parent(Row::delete(
            "deleteFeatureDependency",
            "/api/admin/projects/shop/features/f/dependencies/parent",
            need,
        ))
        .after(Method::POST, DEPENDENCIES, on_parent())
        .leaves(&["feature-dependency-removed"]),
        with_parent(Row::delete("deleteFeatureDependencies", DEPENDENCIES, need))
            .after(Method::POST, DEPENDENCIES, on_parent())
            .leaves(&["feature-dependencies-removed"]),
        Row::get("listParentOptions", "/api/admin/projects/shop/features/f/parents", Authenticated),
        Row::get("listParentVariantOptions", "/api/admin/projects/shop/features/f/parent-variants", Authenticated),
        Row::get("checkDependenciesExist", "/api/admin/projects/shop/dependencies", Authenticated),
    ]
}

fn types() -> Vec<Row> {
    let update = Instance(&["UPDATE_STRATEGY"]);
    let new = || json!({ "name": "byTime", "parameters": [] });
    let deprecate = "/api/admin/strategies/byTime/deprecate";
    let with_type = |row: Row| row.after(Method::POST, TYPES, new());
    vec![
        Row::get("getAllStrategies", TYPES, Authenticated),
        with_type(Row::get("getStrategy", TYPE, Authenticated)),
        Row::post("createStrategy", TYPES, Instance(&["CREATE_STRATEGY"]), new())
            .answers(201)
            .leaves(&["strategy-created"]),
        with_type(Row::put("updateStrategy", TYPE, update, json!({ "title": "By time", "parameters": [] })))
            .leaves(&["strategy-updated"]),
        with_type(Row::delete("removeStrategy", TYPE, Instance(&["DELETE_STRATEGY"]))).leaves(&["strategy-deleted"]),
        with_type(Row::new("deprecateStrategy", Method::POST, deprecate, update)).leaves(&["strategy-deprecated"]),
        with_type(Row::new("reactivateStrategy", Method::POST, "/api/admin/strategies/byTime/reactivate", update))
            .after(Method::POST, deprecate, Value::Null)
            .leaves(&["strategy-reactivated"]),
    ]
}

pub fn rows() -> Vec<Row> {
    [strategies(), variants(), dependencies(), types()].into_iter().flatten().collect()
}
