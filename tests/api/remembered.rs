//! What is kept in memory is told no longer than it is true, whoever changed it.

use flagstone::store::db::{Db, Tx};
use poem::http::Method;
use serde_json::{Value, json};

use crate::harness::{Client, TestApp, role};

const LISTS: [&str; 3] =
    ["/api/admin/projects/shop/features", "/api/admin/projects/shop", "/api/admin/projects/shop/health-report"];
const PROFILE: &str = "/api/admin/user/profile";

/// The features of the project, which three operations list.
async fn features(client: &Client) -> Value {
    let mut lists = Vec::new();
    for path in LISTS {
        lists.push(client.get(path).await.expect(200)["features"].clone());
    }
    assert_eq!(lists[0], lists[1]);
    assert_eq!(lists[0], lists[2]);
    lists.remove(0)
}

async fn column(client: &Client, property: &str) -> Vec<Value> {
    let features = features(client).await;
    features.as_array().expect("a list").iter().map(|feature| feature[property].clone()).collect()
}

/// A transaction of another program that uses the same database, where one can.
async fn elsewhere(app: &TestApp) -> (Tx, Option<Db>) {
    let Some(directory) = app.directory() else { return (app.tx().await, None) };
    let other = Db::open(&format!("sqlite://{}", directory.join("test.db").display())).await.expect("opens");
    (other.begin().await.expect("a transaction"), Some(other))
}

#[tokio::test]
async fn a_list_shows_what_was_just_changed_with_or_without_an_event() {
    let app = TestApp::new().await;
    app.project("shop").await;
    let admin = app.admin();
    assert_eq!(features(&admin).await, json!([]));
    let first = app.feature("shop", "first").await;
    assert_eq!(column(&admin, "name").await, ["first"]);
    app.tag(first, "simple", "red").await;
    assert_eq!(column(&admin, "tags").await, [json!([{ "type": "simple", "value": "red" }])]);
    let change = json!([{ "op": "replace", "path": "/description", "value": "changed" }]);
    admin.patch("/api/admin/projects/shop/features/first", change).await.expect(200);
    assert_eq!(column(&admin, "description").await, ["changed"]);
    let archived = format!("{}?archived=true", LISTS[1]);
    assert_eq!(admin.get(&archived).await.expect(200)["features"], json!([]));
    let first = "/api/admin/projects/shop/features/first";
    admin.request(Method::DELETE, first, &[], vec![]).await.expect(202);
    assert_eq!(features(&admin).await, json!([]));
    assert_eq!(admin.get(&archived).await.expect(200)["features"][0]["name"], "first");
}

#[tokio::test]
async fn a_list_shows_what_another_program_changed() {
    let app = TestApp::new().await;
    app.project("shop").await;
    let id = app.feature("shop", "first").await;
    let admin = app.admin();
    assert_eq!(column(&admin, "stale").await, [false]);
    let (tx, _open) = elsewhere(&app).await;
    flagstone::store::features::mark_stale_all(&tx, &[id], true).await.expect("marked");
    assert_eq!(column(&admin, "stale").await, [false], "before the commit");
    app.commit(tx).await;
    assert_eq!(column(&admin, "stale").await, [true]);
}

#[tokio::test]
async fn everybody_has_their_own_favourites_in_a_list() {
    let app = TestApp::new().await;
    app.project("shop").await;
    app.feature("shop", "first").await;
    let (one, other) = (app.root_admin().await, app.root_admin().await);
    for client in [&one, &other] {
        assert_eq!(column(client, "favorite").await, [false]);
    }
    one.request(Method::POST, "/api/admin/projects/shop/features/first/favorites", &[], vec![]).await.expect(200);
    assert_eq!(column(&one, "favorite").await, [true]);
    assert_eq!(column(&other, "favorite").await, [false]);
    assert_eq!(column(&app.admin(), "favorite").await, [Value::Null]);
}

#[tokio::test]
async fn rights_that_are_given_or_taken_elsewhere_count_at_once() {
    let app = TestApp::new().await;
    app.project("shop").await;
    let person = app.viewer().await;
    let user_id = person.user_id.expect("a person");
    person.post(LISTS[0], json!({ "name": "early" })).await.refused(403, "NoAccessError", "CREATE_FEATURE");

    let (tx, _open) = elsewhere(&app).await;
    let now = app.clock.now();
    flagstone::store::access::people::grant_project_role(&tx, "shop", user_id, role::MEMBER, now)
        .await
        .expect("a role");
    app.commit(tx).await;
    person.post(LISTS[0], json!({ "name": "late" })).await.expect(201);
    assert_eq!(person.get(PROFILE).await.expect(200)["projects"], json!(["default", "shop"]));
}

#[tokio::test]
async fn a_credential_that_is_remembered_still_ends_when_it_ends() {
    let app = TestApp::new().await;
    let person = app.editor().await;
    person.get(PROFILE).await.expect(200);
    app.clock.advance(365 * flagstone::domain::time::DAY_MS);
    person.get(PROFILE).await.refused(401, "AuthenticationRequired", "");
}
