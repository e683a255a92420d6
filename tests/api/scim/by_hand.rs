//! What a directory keeps is changed there, and by hand once it keeps it no more.

use serde_json::{Value, json};

use super::{SETTINGS, USERS, directory, id_of, number};
use crate::{
    calls::{delete, put},
    harness::{TestApp, role},
    users::{STRONG, sign_in, user},
};

const KEPT: (u16, &str, &str) = (403, "InvalidOperationError", "SCIM");

#[tokio::test]
async fn names_and_deletion_of_users_are_the_directory_s_and_roles_are_not() {
    let app = TestApp::new().await;
    let (admin, directory) = (app.admin(), directory(&app).await);
    let place = directory.make_user("ada@example.com").await;
    directory.patch(&place, json!([{ "op": "add", "path": "displayName", "value": "Ada" }])).await.expect(200);
    let path = format!("/api/admin/user-admin/{}", id_of(&place));
    let before = app.event_types().await.len();
    for change in [
        json!({ "email": "b@example.com" }),
        json!({ "username": "ada" }),
        json!({ "name": "B" }),
        json!({ "active": false }),
    ] {
        put(&admin, &path, change).await.refused(KEPT.0, KEPT.1, KEPT.2);
    }
    delete(&admin, &path).await.refused(KEPT.0, KEPT.1, KEPT.2);
    app.clock.advance(200 * 24 * 3_600_000);
    let inactive = "/api/admin/user-admin/inactive/delete";
    admin.post(inactive, json!({ "ids": [number(&place)] })).await.refused(KEPT.0, KEPT.1, KEPT.2);
    assert_eq!(app.event_types().await.len(), before);
    // Forms send all that they have.
    let form = json!({ "email": "Ada@example.com", "name": "Ada", "rootRole": role::EDITOR, "active": true });
    assert_eq!(put(&admin, &path, form).await.expect(200)["rootRole"], role::EDITOR);

    admin.post(SETTINGS, json!({ "enabled": false })).await.expect(200);
    assert_eq!(put(&admin, &path, json!({ "name": "B", "active": false })).await.expect(200)["active"], false);
    admin.post(SETTINGS, json!({ "enabled": true })).await.expect(200);
    put(&admin, &path, json!({ "name": "C" })).await.refused(KEPT.0, KEPT.1, KEPT.2);
    // What a person decided, a person takes back.
    assert_eq!(put(&admin, &path, json!({ "active": true })).await.expect(200).get("active"), None);
    put(&admin, &path, json!({ "active": false })).await.refused(KEPT.0, KEPT.1, KEPT.2);
    admin.post(SETTINGS, json!({ "enabled": false })).await.expect(200);
    delete(&admin, &path).await.expect(200);
}

#[tokio::test]
async fn names_members_and_deletion_of_groups_are_the_directory_s_and_what_they_give_is_not() {
    let app = TestApp::new().await;
    let (admin, directory) = (app.admin(), directory(&app).await);
    let ada = directory.make_user("ada@example.com").await;
    let group = directory.make_group("crew", &[&ada]).await;
    let path = format!("/api/admin/groups/{}", id_of(&group));
    let members = json!([{ "user": { "id": number(&ada) } }]);
    for change in [json!({ "name": "crew", "users": [] }), json!({ "name": "other", "users": members })] {
        put(&admin, &path, change).await.refused(KEPT.0, KEPT.1, KEPT.2);
    }
    delete(&admin, &path).await.refused(KEPT.0, KEPT.1, KEPT.2);
    let change =
        json!({ "name": "crew", "users": members, "rootRole": role::EDITOR, "mappingsSSO": ["m"], "description": "d" });
    let changed = put(&admin, &path, change).await.expect(200);
    assert_eq!((&changed["rootRole"], &changed["scimId"]), (&json!(role::EDITOR), &json!(id_of(&group))));
    admin.post(SETTINGS, json!({ "enabled": false })).await.expect(200);
    put(&admin, &path, json!({ "name": "other", "users": [] })).await.expect(200);
    delete(&admin, &path).await.expect(200);
}

#[tokio::test]
async fn an_administrator_deactivates_by_hand_whom_no_directory_keeps() {
    let app = TestApp::new().await;
    let admin = app.admin();
    let id = user(&app, "bob", role::VIEWER).await;
    let path = format!("/api/admin/user-admin/{id}");
    assert_eq!(put(&admin, &path, json!({ "active": false })).await.expect(200)["active"], false);
    assert_eq!(sign_in(&app, "bob", STRONG).await.status, 401);
    let users = admin.get("/api/admin/user-admin").await.expect(200);
    assert_eq!(users["users"][0]["active"], false);
    let back = put(&admin, &path, json!({ "active": true })).await.expect(200);
    assert_eq!(back.get("active"), None);
    assert_eq!(sign_in(&app, "bob", STRONG).await.status, 200);
    put(&admin, &path, json!({ "active": "no" })).await.refused(400, "ValidationError", "/body/active");
    put(&admin, &path, json!({ "active": Value::Null })).await.expect(200);
    let boss = user(&app, "boss", role::ADMIN).await;
    let last = put(&admin, &format!("/api/admin/user-admin/{boss}"), json!({ "active": false })).await;
    last.refused(403, "InvalidOperationError", "administrator");
    let directory = directory(&app).await;
    directory.get(&format!("{USERS}/{id}")).await.expect(200);
}
