//! Each way of copying, tried with a feature that has everything.

use std::process::Command;

use flagstone::store::db::Db;
use poem::http::Method;
use serde_json::{Value, json};

use super::{
    list::Way,
    snapshot::{Snapshot, assert_copied},
    world::{FEATURES, furnished, plain, surroundings},
};
use crate::{harness::TestApp, schema::assert_derived_columns};

const EXPORT: &str = "/api/admin/features-batch/export";
const IMPORT: &str = "/api/admin/features-batch/import";

/// A feature that was created just now, as what copies start anew is like in it.
async fn new_feature(app: &TestApp) -> Snapshot {
    plain(app, "new").await;
    Snapshot::of(app.db(), "new", None).await
}

async fn delete(app: &TestApp, path: &str, status: u16) {
    app.admin().request(Method::DELETE, path, &[], Vec::new()).await.expect(status);
}

/// The parents of a feature, as its answer tells them.
async fn parents(app: &TestApp, name: &str) -> Value {
    app.admin().get(&format!("{FEATURES}/{name}")).await.expect(200)["dependencies"].clone()
}

#[tokio::test]
async fn a_clone_of_a_feature_has_what_the_list_says() {
    let app = furnished().await;
    let original = Snapshot::of(app.db(), "original", None).await;
    let copy = json!({ "name": "copy", "replaceGroupId": false });
    app.admin().post(&format!("{FEATURES}/original/clone"), copy).await.expect(201);
    let new = new_feature(&app).await;
    assert_copied(Way::Clone, &original, &Snapshot::of(app.db(), "copy", None).await, &new);
    assert_eq!(parents(&app, "copy").await, parents(&app, "original").await);
    assert_derived_columns(&app).await;

    let copy = json!({ "name": "regrouped" });
    app.admin().post(&format!("{FEATURES}/original/clone"), copy).await.expect(201);
    let regrouped = app.admin().get(&format!("{FEATURES}/regrouped")).await.expect(200);
    let groups: Vec<&Value> = regrouped["environments"]
        .as_array()
        .expect("environments")
        .iter()
        .flat_map(|here| here["strategies"].as_array().expect("strategies"))
        .map(|strategy| &strategy["parameters"]["groupId"])
        .collect();
    assert_eq!(groups, [&json!("regrouped"), &json!("regrouped"), &Value::Null].repeat(2));
}

#[tokio::test]
async fn a_clone_of_an_environment_has_what_the_list_says() {
    let app = furnished().await;
    let original = Snapshot::of(app.db(), "original", Some("production")).await;
    app.admin().post("/api/admin/environments/production/clone", json!({ "name": "staging" })).await.expect(201);
    plain(&app, "new").await;
    let new = Snapshot::of(app.db(), "new", Some("staging")).await;
    assert_copied(Way::Environment, &original, &Snapshot::of(app.db(), "original", Some("staging")).await, &new);
    assert_derived_columns(&app).await;
}

#[tokio::test]
async fn a_feature_takes_everything_to_another_project() {
    let app = furnished().await;
    app.project("other").await;
    let change = format!("{FEATURES}/original/changeProject");
    let other = json!({ "newProjectId": "other" });
    app.admin().post(&change, other.clone()).await.refused(403, "ForbiddenError", "dependencies");
    delete(&app, &format!("{FEATURES}/original/dependencies"), 200).await;
    let before = Snapshot::of(app.db(), "original", None).await;
    app.admin().post(&change, other).await.expect(200);
    let new = new_feature(&app).await;
    assert_copied(Way::Project, &before, &Snapshot::of(app.db(), "original", None).await, &new);
    assert_derived_columns(&app).await;
}

#[tokio::test]
async fn an_export_that_is_imported_elsewhere_has_what_the_list_says() {
    let from = furnished().await;
    let to = TestApp::new().await;
    // Segments have other ids there.
    surroundings(&to, &["employees", "unused", "others"]).await;
    let wanted = json!({ "features": ["original", "parent", "absent"], "environment": "development" });
    let data = from.admin().post(EXPORT, wanted).await.expect(200);
    let request = json!({ "project": "shop", "environment": "development", "data": data });
    to.clock.advance(7_200_000);
    to.admin().post(IMPORT, request.clone()).await.expect(200);
    plain(&to, "new").await;
    let original = Snapshot::of(from.db(), "original", Some("development")).await;
    let new = Snapshot::of(to.db(), "new", Some("development")).await;
    assert_copied(Way::Import, &original, &Snapshot::of(to.db(), "original", Some("development")).await, &new);
    assert_eq!(parents(&to, "original").await, parents(&from, "original").await);
    // A second time it overwrites the same with the same.
    to.admin().post(IMPORT, request).await.expect(200);
    assert_copied(Way::Import, &original, &Snapshot::of(to.db(), "original", Some("development")).await, &new);
    assert_derived_columns(&to).await;
}

#[tokio::test]
async fn a_revived_feature_has_what_the_list_says() {
    let app = furnished().await;
    let before = Snapshot::of(app.db(), "original", None).await;
    let feature = format!("{FEATURES}/original");
    let names = json!({ "features": ["original"] });
    let archived = |archived: bool| json!([{ "op": "replace", "path": "/archived", "value": archived }]);
    let put =
        |archived: bool| json!({ "type": "experiment", "stale": true, "impressionData": true, "archived": archived });
    for (number, way) in ["alone", "together", "patched", "replaced"].into_iter().enumerate() {
        let admin = app.admin();
        match way {
            "alone" => delete(&app, &feature, 202).await,
            "together" => drop(admin.post("/api/admin/projects/shop/archive", names.clone()).await.expect(202)),
            "patched" => drop(admin.patch(&feature, archived(true)).await.expect(200)),
            _ => drop(admin.json(Method::PUT, &feature, put(true)).await.expect(200)),
        }
        // It binds nobody meanwhile.
        let parent = admin.get(&format!("{FEATURES}/parent")).await.expect(200);
        assert_eq!(parent["children"], json!([]), "{way}");
        app.clock.advance(60_000);
        match way {
            "alone" => drop(admin.post("/api/admin/archive/revive/original", json!({})).await.expect(200)),
            "together" => drop(admin.post("/api/admin/projects/shop/revive", names.clone()).await.expect(200)),
            "patched" => {
                let revived = admin.patch(&feature, archived(false)).await.expect(200);
                assert_eq!(revived["dependencies"].as_array().map(Vec::len), Some(2));
            }
            _ => drop(admin.json(Method::PUT, &feature, put(false)).await.expect(200)),
        }
        let name = format!("new-{number}");
        plain(&app, &name).await;
        let new = Snapshot::of(app.db(), &name, None).await;
        assert_copied(Way::Revival, &before, &Snapshot::of(app.db(), "original", None).await, &new);
        assert_derived_columns(&app).await;
        let types = app.event_types().await;
        let told = ["feature-revived", "feature-dependency-added", "feature-dependency-added", "feature-created"];
        assert!(types.ends_with(&told.map(str::to_owned)), "{way}: {types:?}");
    }
}

#[tokio::test]
async fn a_feature_is_revived_with_its_parents_or_after_them() {
    let app = furnished().await;
    let admin = app.admin();
    let archive = async |names: &[&str]| {
        admin.post("/api/admin/projects/shop/archive", json!({ "features": names })).await.expect(202);
    };
    let revive =
        async |names: &[&str]| admin.post("/api/admin/projects/shop/revive", json!({ "features": names })).await;
    let before = parents(&app, "original").await;
    archive(&["original", "parent"]).await;
    let events = app.event_types().await;
    revive(&["original"]).await.refused(403, "InvalidOperationError", "\"parent\"");
    let alone = admin.post("/api/admin/archive/revive/original", json!({})).await;
    alone.refused(403, "InvalidOperationError", "\"parent\"");
    let patch = json!([{ "op": "replace", "path": "/archived", "value": false }]);
    admin.patch(&format!("{FEATURES}/original"), patch).await.refused(403, "InvalidOperationError", "\"parent\"");
    assert_eq!(app.event_types().await, events);
    for together in [["original", "parent"], ["parent", "original"]] {
        revive(&together).await.expect(200);
        assert_eq!(parents(&app, "original").await, before);
        archive(&together).await;
    }
    revive(&["parent"]).await.expect(200);
    revive(&["original"]).await.expect(200);
    assert_eq!(parents(&app, "original").await, before);

    // A parent that is gone cannot be asked any more: the log says so.
    archive(&["original"]).await;
    archive(&["parent"]).await;
    delete(&app, "/api/admin/archive/parent", 200).await;
    // One that depends on another itself cannot either.
    plain(&app, "further").await;
    let on = json!({ "feature": "further" });
    admin.post(&format!("{FEATURES}/absent/dependencies"), on).await.expect(200);
    revive(&["original"]).await.expect(200);
    assert_eq!(parents(&app, "original").await, json!([]));
    let lost: Vec<String> = app
        .events()
        .await
        .into_iter()
        .filter(|event| event.r#type == "feature-dependency-removed")
        .filter_map(|event| event.data)
        .collect();
    assert_eq!(lost, [r#"{"feature":"absent"}"#, r#"{"feature":"parent"}"#]);
    assert_derived_columns(&app).await;
}

#[tokio::test]
async fn an_archived_feature_is_imported_with_its_parents_and_off() {
    let from = furnished().await;
    delete(&from, &format!("{FEATURES}/original"), 202).await;
    let wanted = json!({ "features": ["original", "parent", "absent"], "environment": "development" });
    let data = from.admin().post(EXPORT, wanted).await.expect(200);
    assert_eq!(data["dependencies"][0]["dependencies"].as_array().map(Vec::len), Some(2));
    let to = TestApp::new().await;
    surroundings(&to, &["employees", "others"]).await;
    let request = json!({ "project": "shop", "environment": "development", "data": data });
    let found = to.admin().post("/api/admin/features-batch/validate", request.clone()).await.expect(200);
    let warning = found["warnings"].as_array().expect("warnings").iter().find(|warning| {
        warning["message"].as_str().is_some_and(|message| message.contains("archived in the data set"))
    });
    assert_eq!(warning.expect("a warning")["affectedItems"], json!(["original"]));
    to.admin().post(IMPORT, request).await.expect(200);
    let imported = to.admin().get(&format!("{FEATURES}/original")).await.expect(200);
    let environments = imported["environments"].as_array().expect("environments").iter();
    let is_on: Vec<_> = environments.map(|environment| &environment["enabled"]).filter(|on| **on == true).collect();
    assert_eq!((&imported["archived"], is_on.len()), (&json!(false), 0), "{imported}");
    assert_eq!(imported["dependencies"].as_array().map(Vec::len), Some(2));
    assert_derived_columns(&to).await;
}

#[tokio::test]
async fn what_is_moved_out_and_in_has_what_the_list_says() {
    let app = furnished().await;
    // On PostgreSQL the command is given another address; what it writes does not depend on the database.
    let Some(directory) = app.directory() else { return };
    let run = |database: &std::path::Path, arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_flagstone"));
        command.args(arguments).env("DATABASE_URL", format!("sqlite://{}", database.display()));
        let output = command.output().expect("the program runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    let (files, moved) = (directory.join("files"), directory.join("moved.db"));
    run(&directory.join("test.db"), &["export", "--all", "--output", &files.display().to_string()]);
    run(&moved, &["move-in", "--from", &files.join("state.json").display().to_string()]);
    let there = Db::open(&format!("sqlite://{}", moved.display())).await.expect("opens");
    let original = Snapshot::of(app.db(), "original", None).await;
    let (copy, new) = (Snapshot::of(&there, "original", None).await, Snapshot::of(&there, "plain", None).await);
    assert_copied(Way::MoveIn, &original, &copy, &new);
    there.close().await.expect("closes");
}

#[tokio::test]
async fn the_first_strategy_of_a_feature_is_all_of_the_default_strategy() {
    let app = furnished().await;
    let default = json!({
        "name": "flexibleRollout", "title": "Some of the north", "disabled": true, "sortOrder": 7,
        "parameters": { "rollout": "42", "stickiness": "email", "groupId": "" },
        "constraints": [{ "contextName": "region", "operator": "IN", "values": ["north"], "inverted": true }],
        "variants": [{ "name": "blue", "weight": 1000, "weightType": "variable", "stickiness": "email" }],
        "segments": [1, 2],
    });
    let settings = "/api/admin/projects/shop/environments/development/default-strategy";
    app.admin().post(settings, default.clone()).await.expect(200);
    app.admin().post(&format!("{FEATURES}/plain/environments/development/on"), json!({})).await.expect(200);
    let plain = app.admin().get(&format!("{FEATURES}/plain")).await.expect(200);
    let first = &plain["environments"].as_array().expect("environments")[0]["strategies"][0];
    for (property, value) in default.as_object().expect("an object") {
        match property.as_str() {
            "disabled" => assert_eq!(first[property], false),
            "sortOrder" => assert_eq!(first[property], 0),
            "parameters" => {
                let own = json!({ "rollout": "42", "stickiness": "email", "groupId": "plain" });
                assert_eq!(first[property], own);
            }
            "constraints" => assert_eq!(first[property][0]["values"], value[0]["values"]),
            "variants" => assert_eq!(first[property][0]["name"], value[0]["name"]),
            _ => assert_eq!(first[property], *value, "{property}"),
        }
    }
    assert_eq!(
        (&first["constraints"][0]["inverted"], &first["variants"][0]["stickiness"]),
        (&json!(true), &json!("email"))
    );
}
