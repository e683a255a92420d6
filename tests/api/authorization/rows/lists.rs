use poem::http::Method;
use serde_json::{Value, json};

use crate::authorization::{
    access::{
        ADMIN,
        Access::{Authenticated, Development, Instance, Shop, Somewhere},
    },
    row::Row,
};

const STRATEGIES: &str = "/api/admin/projects/shop/features/f/environments/development/strategies";

pub fn rows() -> Vec<Row> {
    [feature_tags(), tags(), tag_types(), segments(), context_fields(), context_fields_of_project(), feature_types()]
        .into_iter()
        .flatten()
        .collect()
}

fn feature_tags() -> Vec<Row> {
    let tag = json!({ "type": "simple", "value": "beta" });
    let changes = json!({ "addedTags": [tag], "removedTags": [] });
    let path = "/api/admin/features/f/tags";
    let access = Shop(&["UPDATE_FEATURE"]);
    vec![
        Row::get("listTags", path, Authenticated),
        Row::post("addTag", path, access, tag.clone()).answers(201).leaves(&["tag-created", "feature-tagged"]),
        Row::put("updateTags", path, access, changes.clone()).leaves(&["tag-created", "feature-tagged"]),
        Row::delete("removeTag", "/api/admin/features/f/tags/simple/beta", access)
            .after(Method::POST, path, tag)
            .leaves(&["feature-untagged"]),
        Row::put(
            "addTagToFeatures",
            "/api/admin/projects/shop/tags",
            access,
            json!({ "features": ["f"], "tags": changes }),
        )
        .leaves(&["tag-created", "feature-tagged"]),
    ]
}

fn tags() -> Vec<Row> {
    let tag = json!({ "type": "simple", "value": "beta" });
    let one = "/api/admin/tags/simple/beta";
    let made = |row: Row| row.after(Method::POST, "/api/admin/tags", tag.clone());
    vec![
        Row::get("getTags", "/api/admin/tags", Authenticated),
        Row::post("createTag", "/api/admin/tags", Somewhere("UPDATE_FEATURE"), tag.clone())
            .answers(201)
            .leaves(&["tag-created"]),
        Row::get("getTagsByType", "/api/admin/tags/simple", Authenticated),
        made(Row::get("getTag", one, Authenticated)),
        made(Row::delete("deleteTag", one, Instance(&["UPDATE_FEATURE"])))
            .after(Method::POST, "/api/admin/features/f/tags", tag.clone())
            .leaves(&["feature-untagged", "tag-deleted"]),
    ]
}

fn tag_types() -> Vec<Row> {
    let new = json!({ "name": "team", "description": "Who looks after it", "icon": "T" });
    let all = "/api/admin/tag-types";
    let one = "/api/admin/tag-types/simple";
    vec![
        Row::get("getTagTypes", all, Authenticated),
        Row::post("createTagType", all, Instance(&["CREATE_TAG_TYPE"]), new.clone())
            .answers(201)
            .leaves(&["tag-type-created"]),
        Row::post(
            "validateTagType",
            "/api/admin/tag-types/validate",
            Instance(&["CREATE_TAG_TYPE", "UPDATE_TAG_TYPE"]),
            new,
        ),
        Row::get("getTagType", one, Authenticated),
        Row::put("updateTagType", one, Instance(&["UPDATE_TAG_TYPE"]), json!({ "description": "new" }))
            .leaves(&["tag-type-updated"]),
        Row::delete("deleteTagType", one, Instance(&["DELETE_TAG_TYPE"])).leaves(&["tag-type-deleted"]),
    ]
}

fn segments() -> Vec<Row> {
    let new = json!({ "name": "employees", "constraints": [] });
    let all = "/api/admin/segments";
    let one = "/api/admin/segments/1";
    let made = |row: Row| row.after(Method::POST, all, new.clone());
    vec![
        Row::get("getSegments", all, Authenticated),
        Row::post("createSegment", all, Instance(&["CREATE_SEGMENT"]), new.clone())
            .answers(201)
            .leaves(&["segment-created"]),
        Row::post("validateSegment", "/api/admin/segments/validate", Authenticated, json!({ "name": "employees" }))
            .answers(204),
        made(Row::get("getSegment", one, Authenticated)),
        made(Row::put(
            "updateSegment",
            one,
            Instance(&["UPDATE_SEGMENT"]),
            json!({ "name": "staff", "constraints": [] }),
        ))
        .answers(204)
        .leaves(&["segment-updated"]),
        made(Row::delete("removeSegment", one, Instance(&["DELETE_SEGMENT"])))
            .answers(204)
            .leaves(&["segment-deleted"]),
        made(Row::get("getStrategiesBySegmentId", "/api/admin/segments/1/strategies", Authenticated)),
        made(Row::post(
            "updateFeatureStrategySegments",
            "/api/admin/segments/strategies",
            Development("UPDATE_FEATURE_STRATEGY"),
            json!({ "projectId": "shop", "environmentId": "development", "strategyId": "{id}", "segmentIds": [1] }),
        ))
        .after(Method::POST, STRATEGIES, json!({ "name": "default" }))
        .first_of(STRATEGIES)
        .answers(201)
        .leaves(&["feature-strategy-update"]),
        Row::get("getSegmentsByStrategyId", "/api/admin/segments/strategies/{id}", Authenticated)
            .after(Method::POST, STRATEGIES, json!({ "name": "default" }))
            .first_of(STRATEGIES),
    ]
}

fn context_fields() -> Vec<Row> {
    let all = "/api/admin/context";
    let one = "/api/admin/context/userId";
    let update = Instance(&["UPDATE_CONTEXT_FIELD"]);
    vec![
        Row::get("getContextFields", all, Authenticated),
        Row::post("createContextField", all, Instance(&["CREATE_CONTEXT_FIELD"]), json!({ "name": "plan" }))
            .answers(201)
            .leaves(&["context-field-created"]),
        Row::post(
            "validateContextField",
            "/api/admin/context/validate",
            Instance(&["CREATE_CONTEXT_FIELD", "UPDATE_CONTEXT_FIELD"]),
            json!({ "name": "plan" }),
        ),
        Row::get("getContextField", one, Authenticated),
        Row::put("updateContextField", one, update, json!({ "description": "new" })).leaves(&["context-field-updated"]),
        Row::delete("deleteContextField", one, Instance(&["DELETE_CONTEXT_FIELD"])).leaves(&["context-field-deleted"]),
        Row::get("getStrategiesByContextField", "/api/admin/context/userId/strategies", Authenticated),
        Row::post(
            "updateContextFieldLegalValue",
            "/api/admin/context/userId/legal-values",
            update,
            json!({ "value": "7" }),
        )
        .leaves(&["context-field-updated"]),
        Row::delete("deleteContextFieldLegalValue", "/api/admin/context/userId/legal-values/7", update)
            .after(Method::POST, "/api/admin/context/userId/legal-values", json!({ "value": "7" }))
            .leaves(&["context-field-updated"]),
    ]
}

fn context_fields_of_project() -> Vec<Row> {
    let all = "/api/admin/projects/shop/context";
    let one = "/api/admin/projects/shop/context/tier";
    let update = Shop(&["UPDATE_PROJECT_CONTEXT"]);
    let field = json!({ "name": "tier", "legalValues": [{ "value": "7" }] });
    let made = |row: Row| row.after(Method::POST, all, field.clone());
    vec![
        Row::get("getContextFieldsForProject", "/api/admin/projects/shop/context?include=root", Authenticated),
        Row::post("createContextFieldForProject", all, update, field.clone())
            .answers(201)
            .leaves(&["context-field-created"]),
        Row::post(
            "validateContextFieldForProject",
            "/api/admin/projects/shop/context/validate",
            update,
            json!({ "name": "tier" }),
        ),
        made(Row::get("getContextFieldForProject", one, Authenticated)),
        made(Row::put("updateContextFieldForProject", one, update, json!({ "description": "new" })))
            .leaves(&["context-field-updated"]),
        made(Row::delete("deleteContextFieldForProject", one, update)).leaves(&["context-field-deleted"]),
        made(Row::get(
            "getStrategiesByContextFieldForProject",
            "/api/admin/projects/shop/context/tier/strategies",
            Authenticated,
        )),
        made(Row::post(
            "updateContextFieldLegalValueForProject",
            "/api/admin/projects/shop/context/tier/legal-values",
            update,
            json!({ "value": "8" }),
        ))
        .leaves(&["context-field-updated"]),
        made(Row::delete(
            "deleteContextFieldLegalValueForProject",
            "/api/admin/projects/shop/context/tier/legal-values/7",
            update,
        ))
        .leaves(&["context-field-updated"]),
    ]
}

fn feature_types() -> Vec<Row> {
    vec![
        Row::get("getAllFeatureTypes", "/api/admin/feature-types", Authenticated),
        Row::put(
            "updateFeatureTypeLifetime",
            "/api/admin/feature-types/release/lifetime",
            ADMIN,
            json!({ "lifetimeDays": Value::Null }),
        )
        .leaves(&["feature-type-updated"]),
    ]
}
