//! Names of features that programs ask for and that do not exist.

use flagstone::{jobs, store::entity::unknown_flag};
use sea_orm::{EntityTrait, PaginatorTrait as _};
use serde_json::{Value, json};

use crate::{
    calls::{delete, private_project},
    harness::{Client, TestApp},
};

const UNKNOWN: &str = "/api/admin/metrics/unknown-flags";
const DAY_MS: i64 = 24 * 3_600_000;

async fn report(program: &Client, application: &str, features: &[&str]) {
    let toggles: serde_json::Map<String, Value> =
        features.iter().map(|name| ((*name).to_owned(), json!({ "yes": 0, "no": 3 }))).collect();
    let bucket = json!({ "start": "2026-01-15T12:00:00Z", "stop": "2026-01-15T12:00:00Z", "toggles": toggles });
    program.post("/api/client/metrics", json!({ "appName": application, "bucket": bucket })).await.expect(202);
}

async fn listed(client: &Client) -> Value {
    client.get(UNKNOWN).await.expect(200)["unknownFlags"].clone()
}

async fn names(client: &Client) -> Vec<Value> {
    listed(client).await.as_array().expect("a list").iter().map(|flag| flag["name"].clone()).collect()
}

async fn write(app: &TestApp) {
    jobs::write_usage(&app.state).await.expect("writes");
}

#[tokio::test]
async fn names_that_nobody_created_are_listed_with_who_asks_for_them() {
    let app = TestApp::new().await;
    app.project("shop").await;
    app.feature("shop", "f").await;
    let admin = app.admin();
    let [development, production] =
        [app.program(&["shop"], "development").await, app.program(&["shop"], "production").await];
    report(&development, "till", &["f", "ff", "old"]).await;
    report(&production, "till", &["ff"]).await;
    app.clock.advance(60_000);
    report(&development, "web", &["ff"]).await;
    // A feature that nobody makes of a name that is too long for one.
    report(&development, "web", &[&"x".repeat(256)]).await;
    assert_eq!(listed(&admin).await, json!([]), "nothing is written yet");
    write(&app).await;
    let [early, late] = ["2026-01-15T12:00:00.000Z", "2026-01-15T12:01:00.000Z"];
    let expected = json!([
        { "name": "ff", "lastSeenAt": late, "lastEventAt": null, "reports": [
            { "appName": "till", "environments": [
                { "environment": "development", "seenAt": early }, { "environment": "production", "seenAt": early },
            ] },
            { "appName": "web", "environments": [{ "environment": "development", "seenAt": late }] },
        ] },
        { "name": "old", "lastSeenAt": early, "lastEventAt": null, "reports": [
            { "appName": "till", "environments": [{ "environment": "development", "seenAt": early }] },
        ] },
    ]);
    assert_eq!(listed(&admin).await, expected);
    // What is created is known, and what is deleted is not any more.
    admin.post("/api/admin/projects/shop/features", json!({ "name": "ff" })).await.expect(201);
    assert_eq!(names(&admin).await, ["old"]);
    delete(&admin, "/api/admin/projects/shop/features/ff").await.expect(202);
    assert_eq!(names(&admin).await, ["old"], "archived features exist");
    delete(&admin, "/api/admin/archive/ff").await.expect(200);
    let gone = listed(&admin).await[0].clone();
    assert_eq!((&gone["name"], &gone["lastEventAt"]), (&json!("ff"), &json!(late)));
    assert!(!app.event_types().await.contains(&"application-updated".to_owned()));
}

#[tokio::test]
async fn features_of_other_projects_are_unknown_to_a_token_and_hidden_ones_stay_hidden() {
    let app = TestApp::new().await;
    app.project("shop").await;
    private_project(&app, "secret").await;
    app.feature("secret", "hidden").await;
    let [of_shop, of_secret, of_both, of_all] =
        [&["shop"][..], &["secret"], &["shop", "secret"], &["*"]].map(|projects| app.program(projects, "development"));
    report(&of_shop.await, "a", &["hidden", "one"]).await;
    report(&of_secret.await, "b", &["hidden", "two"]).await;
    report(&of_both.await, "c", &["hidden", "three"]).await;
    report(&of_all.await, "d", &["hidden", "four"]).await;
    write(&app).await;
    let viewer = app.viewer().await;
    // Whether a hidden feature exists changes nothing: the token of this application does not reach it.
    assert_eq!(names(&viewer).await, ["hidden", "one"]);
    assert_eq!(names(&app.member("secret").await).await, ["hidden", "one", "three", "two"]);
    assert_eq!(names(&app.admin()).await, ["four", "hidden", "one", "three", "two"]);
    delete(&app.admin(), "/api/admin/projects/secret/features/hidden").await.expect(202);
    let of_viewer = listed(&viewer).await;
    assert_eq!((&of_viewer[0]["name"], &of_viewer[0]["lastEventAt"]), (&json!("hidden"), &Value::Null));
    assert_eq!(of_viewer[0]["reports"].as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn what_is_kept_ends_after_a_week_and_at_its_bound() {
    let app = TestApp::new().await;
    let program = app.program(&["default"], "development").await;
    let count = async || unknown_flag::Entity::find().count(app.db()).await.expect("a count");
    let many: Vec<String> = (0..2_100).map(|number| format!("unknown-{number}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    for part in many.chunks(700) {
        report(&program, "till", part).await;
    }
    write(&app).await;
    assert_eq!(count().await, 2_000, "no more are noted between two writes");
    assert_eq!(listed(&app.admin()).await.as_array().map(Vec::len), Some(1000));
    app.clock.advance(6 * DAY_MS);
    report(&program, "till", &["unknown-0", "unknown-1"]).await;
    write(&app).await;
    jobs::keep_usage_small(&app.state).await.expect("works");
    assert_eq!(count().await, 2_000);
    app.clock.advance(2 * DAY_MS);
    jobs::keep_usage_small(&app.state).await.expect("works");
    let mut kept = names(&app.admin()).await;
    kept.sort_by_key(ToString::to_string);
    assert_eq!((count().await, kept), (2, vec![json!("unknown-0"), json!("unknown-1")]));
}
