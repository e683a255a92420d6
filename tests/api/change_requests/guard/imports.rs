//! An import into an environment in which changes need approval: what it would change there becomes a change request.

use flagstone::{domain::change_request::state::State, store::change_requests};
use poem::http::Method;
use serde_json::{Value, json};

use super::{DEVELOPMENT, guard};
use crate::{
    authorization::somebody_granted,
    change_requests::{
        application::{apply, approve, caller},
        world::two_features,
    },
    harness::{Client, TestApp, role},
};

const IMPORT: &str = "/api/admin/features-batch/import";
const FEATURE: &str = "/api/admin/projects/shop/features/f";

/// A project with the feature `f`, which is on by two strategies.
async fn shop() -> TestApp {
    let app = two_features().await;
    let place = format!("{FEATURE}/environments/development");
    for title in ["First", "Second"] {
        let new = json!({ "name": "default", "title": title });
        app.admin().post(&format!("{place}/strategies"), new).await.expect(200);
    }
    app.admin().request(Method::POST, &format!("{place}/on"), &[], Vec::new()).await.expect(200);
    app
}

/// Overwrites `f`, makes `new`, and lets it depend on `g`.
fn data_set() -> Value {
    let strategy = |feature: &str, title: &str| json!({ "name": "flexibleRollout", "featureName": feature, "title": title, "parameters": { "rollout": "50" } });
    let on = |feature: &str| {
        let variants = json!([{ "name": "a", "weight": 1000, "weightType": "variable", "stickiness": "default" }]);
        json!({ "name": DEVELOPMENT, "featureName": feature, "enabled": true, "variants": variants })
    };
    let data = json!({
        "features": [{ "name": "f", "description": "Ours", "type": "release" }, { "name": "new", "type": "release" }],
        "featureStrategies": [strategy("f", "Only"), strategy("new", "One"), strategy("new", "Two")],
        "featureEnvironments": [on("f"), on("new")],
        "dependencies": [{ "feature": "new", "dependencies": [{ "feature": "g" }] }],
        "tagTypes": [],
    });
    json!({ "project": "shop", "environment": DEVELOPMENT, "data": data })
}

/// Somebody who may import and no more.
async fn importer(app: &TestApp) -> Client {
    let client = somebody_granted(app, Some("shop"), &[("UPDATE_FEATURE", None), ("CREATE_FEATURE", None)]).await;
    client.post(IMPORT, data_set()).await.refused(403, "NoAccessError", "in the \"development\" environment");
    guard(app, "shop", DEVELOPMENT).await;
    client
}

/// Returns all features as programs read them, without ids.
async fn told(app: &TestApp) -> Value {
    let program = app.program(&["shop"], DEVELOPMENT).await;
    let mut features = program.get("/api/client/features").await.expect(200)["features"].take();
    for feature in features.as_array_mut().expect("a list") {
        for strategy in feature["strategies"].as_array_mut().into_iter().flatten() {
            strategy.as_object_mut().expect("a strategy").remove("id");
        }
    }
    features
}

#[tokio::test]
async fn an_import_becomes_a_request_that_does_what_the_import_would_have_done() {
    let (app, twin) = (shop().await, shop().await);
    let client = importer(&app).await;
    let (before, types) = (told(&app).await, app.event_types().await);

    let preview = client.post(&format!("{IMPORT}?dryRun=true"), data_set()).await.expect(200);
    assert_eq!(app.event_types().await, types);
    let answer = client.post(IMPORT, data_set()).await.expect(200);
    let left = app.event_types().await.split_off(types.len());
    let expected = [
        "feature-metadata-updated",
        "feature-created",
        "features-imported",
        "change-request-created",
        "change-request-sent-to-review",
    ];
    assert_eq!(left, expected);
    for answer in [&preview, &answer] {
        let told: Vec<&Value> =
            answer["events"].as_array().expect("a list").iter().map(|event| &event["type"]).collect();
        assert_eq!(told, expected);
    }
    // The description has changed, and a feature was made that is off.
    let mut after = told(&app).await;
    let made = after.as_array_mut().expect("a list").pop().expect("the new feature");
    assert_eq!((&made["name"], &made["enabled"], &made["strategies"]), (&json!("new"), &json!(false), &json!([])));
    after[0]["description"] = before[0]["description"].clone();
    assert_eq!(after, before);

    let user = client.user_id.expect("a person");
    let pending = change_requests::pending_of(app.db(), "shop", user).await.expect("reads");
    let [request] = pending.as_slice() else { panic!("{pending:?}") };
    let actions: Vec<(&str, &str)> =
        request.changes.iter().map(|change| (change.target.feature().expect("one"), change.action.name())).collect();
    let expected = [
        ("f", "updateStrategy"),
        ("f", "deleteStrategy"),
        ("f", "patchVariant"),
        ("new", "addStrategy"),
        ("new", "addStrategy"),
        ("new", "patchVariant"),
        ("new", "updateEnabled"),
        ("new", "addDependency"),
    ];
    assert_eq!((actions, request.state), (expected.to_vec(), State::InReview));
    assert!(request.changes[0].snapshot.is_some());
    let sent = app.events().await.pop().and_then(|event| event.data).expect("data");
    let sent: Value = serde_json::from_str(&sent).expect("JSON");
    let shown = sent["changes"].as_array().expect("a list").iter();
    let shown: Vec<(&str, &str)> = shown.map(|change| (text(&change["feature"]), text(&change["action"]))).collect();
    assert_eq!((shown, &sent["changeRequestId"]), (expected.to_vec(), &json!(request.id)));

    let again = client.post(IMPORT, data_set()).await;
    again.refused(403, "InvalidOperationError", &format!("the pending change request {}", request.id));
    let [reviewer, applier] = [app.viewer().await, app.viewer().await].map(|person| person.user_id.expect("a person"));
    approve(&app, request.id, reviewer).await;
    apply(&app, &caller(&app, applier).await, request.id, false).await.expect("no refusal");
    twin.admin().post(IMPORT, data_set()).await.expect(200);
    assert_eq!(told(&app).await, told(&twin).await);
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}

#[tokio::test]
async fn an_import_that_changes_no_configuration_requests_nothing() {
    let app = shop().await;
    let client = importer(&app).await;
    let data = json!({ "features": [{ "name": "bare" }], "featureStrategies": [], "tagTypes": [] });
    let import = json!({ "project": "shop", "environment": DEVELOPMENT, "data": data });
    let types = app.event_types().await;
    client.post(IMPORT, import.clone()).await.expect(200);
    assert_eq!(app.event_types().await.split_off(types.len()), ["feature-created", "features-imported"]);
    let findings = client.post("/api/admin/features-batch/validate", import).await.expect(200);
    assert_eq!(findings["permissions"], json!([]));
}

#[tokio::test]
async fn who_may_skip_requests_imports_directly() {
    let app = shop().await;
    guard(&app, "shop", DEVELOPMENT).await;
    app.person(role::ADMIN, None).await.post(IMPORT, data_set()).await.expect(200);
    let strategies = app.admin().get(&format!("{FEATURE}/environments/development/strategies")).await.expect(200);
    assert_eq!(strategies[0]["title"], "Only");
    assert!(!app.event_types().await.iter().any(|kind| kind.starts_with("change-")));
}
