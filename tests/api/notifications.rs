//! Notifications of what others did in the projects of the caller.

use flagstone::store::entity::notification_read;
use poem::http::Method;
use sea_orm::EntityTrait;
use serde_json::{Value, json};

use crate::{
    calls::act,
    harness::{Client, START, TestApp},
};

const PATH: &str = "/api/admin/notifications";
const READ: &str = "/api/admin/notifications/read";

/// Sentences of the notifications of a client, newest first.
pub async fn messages(client: &Client) -> Vec<String> {
    let list = client.get(PATH).await.expect(200);
    list.as_array()
        .expect("a list")
        .iter()
        .map(|notification| notification["message"].as_str().expect("text").to_owned())
        .collect()
}

/// Makes a feature, switches it on in an environment, and archives another.
async fn work(client: &Client, project: &str, prefix: &str) {
    let features = format!("/api/admin/projects/{project}/features");
    for name in ["kept", "gone"] {
        client.post(&features, json!({ "name": format!("{prefix}-{name}") })).await.expect(201);
    }
    let on = format!("{features}/{prefix}-kept/environments/development/on");
    assert_eq!(act(client, Method::POST, &on).await.status, 200);
    assert_eq!(act(client, Method::DELETE, &format!("{features}/{prefix}-gone")).await.status, 202);
}

#[tokio::test]
async fn members_are_told_what_others_did_and_nobody_else_is() {
    let app = TestApp::new().await;
    app.project("shop").await;
    app.project("other").await;
    let (owner, member) = (app.owner("shop").await, app.member("shop").await);
    let (stranger, viewer) = (app.owner("other").await, app.viewer().await);
    work(&owner, "shop", "a").await;
    work(&stranger, "other", "b").await;
    let me = owner.get("/api/admin/user").await.expect(200)["user"].clone();
    let name = me["email"].as_str().expect("an email");
    assert_eq!(
        messages(&member).await,
        [
            format!("{name} archived a-gone in shop"),
            format!("{name} switched on a-kept in development"),
            format!("{name} created a-gone in shop"),
            format!("{name} created a-kept in shop"),
        ]
    );
    assert_eq!(messages(&owner).await, [""; 0], "what they did themselves");
    assert_eq!(messages(&viewer).await, [""; 0], "no member of any project");
    assert_eq!(messages(&app.admin()).await, [""; 0], "a token is nobody");
    let newest = member.get(PATH).await.expect(200)[0].clone();
    let expected = json!({
        "id": newest["id"], "message": format!("{name} archived a-gone in shop"), "link": "/projects/shop/archive",
        "notificationType": "toggle", "createdBy": { "username": name, "imageUrl": me["imageUrl"] },
        "createdAt": START, "readAt": null,
    });
    assert_eq!(newest, expected);
}

#[tokio::test]
async fn whoever_belongs_through_a_group_or_joined_later_is_told_and_whoever_left_is_not() {
    let app = TestApp::new().await;
    app.project("shop").await;
    let viewer = app.viewer().await;
    let id = viewer.user_id.expect("an id");
    work(&app.owner("shop").await, "shop", "a").await;
    let admin = app.admin();
    let group = json!({ "name": "people", "users": [{ "user": { "id": id } }] });
    let group = admin.post("/api/admin/groups", group).await.expect(201)["id"].clone();
    let access = "/api/admin/projects/shop/access";
    admin.post(access, json!({ "roles": [5], "groups": [group], "users": [] })).await.expect(200);
    assert_eq!(messages(&viewer).await.len(), 4);
    let leave = format!("/api/admin/projects/shop/groups/{group}/roles");
    assert_eq!(act(&admin, Method::DELETE, &leave).await.status, 200);
    assert_eq!(messages(&viewer).await, [""; 0]);
    admin.post(access, json!({ "roles": [5], "groups": [group], "users": [] })).await.expect(200);
    let kept = "/api/admin/projects/shop/features/a-kept";
    assert_eq!(act(&admin, Method::DELETE, kept).await.status, 202);
    assert_eq!(act(&admin, Method::POST, "/api/admin/projects/archive/shop").await.status, 200);
    assert_eq!(messages(&viewer).await, [""; 0], "an archived project");
}

#[tokio::test]
async fn what_is_read_stays_read_for_its_reader_alone_and_is_forgotten_with_what_is_told() {
    let app = TestApp::new().await;
    app.project("shop").await;
    let (one, two) = (app.member("shop").await, app.member("shop").await);
    work(&app.owner("shop").await, "shop", "a").await;
    let list = one.get(PATH).await.expect(200);
    let ids: Vec<Value> =
        list.as_array().expect("a list").iter().map(|notification| notification["id"].clone()).collect();
    app.clock.advance(60_000);
    one.post(READ, json!({ "notifications": [ids[0], ids[2], 999_999, -1] })).await.expect(200);
    one.post(READ, json!({ "notifications": [ids[0]] })).await.expect(200);
    let read = |list: &Value| -> Vec<bool> {
        list.as_array().expect("a list").iter().map(|notification| notification["readAt"].is_string()).collect()
    };
    let list = one.get(PATH).await.expect(200);
    assert_eq!(read(&list), [true, false, true, false]);
    assert_eq!(list[0]["readAt"], "2026-01-15T12:01:00.000Z");
    assert_eq!(read(&two.get(PATH).await.expect(200)), [false; 4]);
    assert_eq!(notification_read::Entity::find().all(app.db()).await.expect("rows").len(), 2);
    app.admin().post(READ, json!({ "notifications": [] })).await.refused(403, "InvalidOperationError", "");
    one.post(READ, json!({ "notifications": ["x"] })).await.refused(400, "ValidationError", "/body/notifications");
    one.post(READ, json!({})).await.refused(400, "ValidationError", "/body/notifications");

    app.clock.advance(15 * 24 * 60 * 60 * 1000);
    assert_eq!(messages(&one).await, [""; 0]);
    one.post(READ, json!({ "notifications": [] })).await.expect(200);
    assert_eq!(notification_read::Entity::find().all(app.db()).await.expect("rows").len(), 0);
}

#[tokio::test]
async fn only_the_newest_fifty_are_told() {
    let app = TestApp::new().await;
    app.project("shop").await;
    let (owner, member) = (app.owner("shop").await, app.member("shop").await);
    for number in 0..60 {
        let body = json!({ "name": format!("f{number}") });
        owner.post("/api/admin/projects/shop/features", body).await.expect(201);
    }
    let messages = messages(&member).await;
    assert_eq!(messages.len(), 50);
    assert!(messages[0].ends_with("created f59 in shop") && messages[49].ends_with("created f10 in shop"));
}
