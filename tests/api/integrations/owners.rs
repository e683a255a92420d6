//! Owners of integrations: what their owners may see now is what they are told.

use flagstone::store::{self, entity::integration};
use poem::http::Method;
use sea_orm::{ActiveValue::Set, EntityTrait};
use serde_json::{Value, json};

use super::{ADDONS, FIRST, deliver, event, make, put, receiver, told, webhook};
use crate::{
    harness::{Client, TestApp, role},
    providers::server::{Reply, Server},
};

/// An integration of an Editor for the project `shop`, which has the id 1.
async fn of_editor(server: &Server) -> (TestApp, Client) {
    let app = TestApp::new().await;
    app.project("shop").await;
    let editor = app.editor().await;
    let mut body = webhook(&server.url("/hook"));
    body["projects"] = json!(["shop"]);
    let made = editor.post(ADDONS, body).await.expect(201);
    assert_eq!(made["owner"]["id"], json!(editor.user_id), "{made}");
    (app, editor)
}

fn names(server: &Server, path: &str) -> Vec<String> {
    server.seen(path).iter().map(|seen| event(seen)["featureName"].as_str().unwrap_or_default().to_owned()).collect()
}

async fn hide(app: &TestApp) {
    let settings = json!({ "mode": "private", "defaultStickiness": "default" });
    app.admin().json(Method::PUT, "/api/admin/projects/shop/settings", settings).await.expect(200);
}

#[tokio::test]
async fn a_project_that_turns_private_is_told_to_nobody_who_may_not_see_it() {
    let server = receiver();
    let (app, editor) = of_editor(&server).await;
    make(&app, "before").await;
    deliver(&app).await;
    make(&app, "waiting").await;
    hide(&app).await;
    make(&app, "after").await;
    deliver(&app).await;
    assert_eq!(names(&server, "/hook"), ["before"], "neither what waits nor what comes");
    let log = super::log(&app).await;
    assert!(log.iter().take(2).all(|entry| entry["state"] == "failed"), "{log:?}");
    assert_eq!(log[0]["stateDetails"], "The owner of the integration may not see the event.");
    // Who becomes a member sees it again.
    let tx = app.tx().await;
    let user_id = editor.user_id.expect("a person");
    store::access::people::grant_project_role(&tx, "shop", user_id, role::MEMBER, app.clock.now())
        .await
        .expect("a role");
    app.commit(tx).await;
    make(&app, "member").await;
    deliver(&app).await;
    assert_eq!(names(&server, "/hook"), ["before", "member"]);
}

#[tokio::test]
async fn without_its_owner_it_is_told_nothing_until_somebody_takes_it_over() {
    for way in ["deleted", "deactivated"] {
        let server = receiver();
        let (app, editor) = of_editor(&server).await;
        let id = editor.user_id.expect("a person");
        if way == "deleted" {
            app.admin().request(Method::DELETE, &format!("/api/admin/user-admin/{id}"), &[], vec![]).await.expect(200);
        } else {
            use store::entity::app_user;
            let tx = app.tx().await;
            let row =
                app_user::ActiveModel { id: Set(id), deactivated_at: Set(Some(app.clock.now())), ..Default::default() };
            app_user::Entity::update(row).exec(&tx).await.expect("a user");
            app.commit(tx).await;
        }
        make(&app, "till").await;
        deliver(&app).await;
        assert!(server.seen("/hook").is_empty(), "{way}");
        let shown = app.admin().get(FIRST).await.expect(200);
        assert_eq!(shown["owner"], Value::Null, "{way}");
        let list = app.admin().get(ADDONS).await.expect(200);
        assert_eq!(list["addons"][0]["owner"], Value::Null, "{way}");
        let why = super::log(&app).await[0]["stateDetails"].clone();
        assert!(why.as_str().is_some_and(|why| why.starts_with("Nobody owns the integration any more")), "{why}");
        // Saving it as it is takes it over, which is a change.
        let mut body = webhook("*****");
        body["projects"] = json!(["shop"]);
        let taken = put(&app.admin(), body.clone()).await.expect(200);
        assert_eq!(taken["owner"]["id"], -42, "{way}");
        make(&app, "cart").await;
        deliver(&app).await;
        assert!(names(&server, "/hook").contains(&"cart".to_owned()), "{way}");
        let events = app.event_types().await.len();
        put(&app.admin(), body).await.expect(200);
        assert_eq!(app.event_types().await.len(), events, "{way}: nothing is changed then");
    }
}

#[tokio::test]
async fn an_administrator_who_is_none_any_more_is_told_no_more_of_the_instance() {
    let server = receiver();
    let app = TestApp::new().await;
    let admin = app.root_admin().await;
    // Somebody has to be left who administers.
    crate::users::user(&app, "boss", role::ADMIN).await;
    let mut body = webhook(&server.url("/hook"));
    body["events"] = json!(["segment-created", "feature-created"]);
    admin.post(ADDONS, body).await.expect(201);
    let segment = |name: &str| json!({ "name": name, "constraints": [] });
    app.admin().post("/api/admin/segments", segment("one")).await.expect(201);
    deliver(&app).await;
    assert_eq!(server.seen("/hook").len(), 1);
    let change = json!({ "rootRole": role::EDITOR });
    let path = format!("/api/admin/user-admin/{}", admin.user_id.expect("a person"));
    app.admin().json(Method::PUT, &path, change).await.expect(200);
    app.admin().post("/api/admin/segments", segment("two")).await.expect(201);
    deliver(&app).await;
    assert_eq!(server.seen("/hook").len(), 1);
}

#[tokio::test]
async fn those_of_before_owners_were_recorded_are_of_the_instance() {
    let (app, server) = told(|_| Reply::with_headers(204, "", b"")).await;
    let tx = app.tx().await;
    let row = integration::ActiveModel { id: Set(1), owner_id: Set(None), owner_name: Set(None), ..Default::default() };
    integration::Entity::update(row).exec(&tx).await.expect("an integration");
    app.commit(tx).await;
    make(&app, "till").await;
    deliver(&app).await;
    assert_eq!(names(&server, "/hook"), ["till"]);
    let shown = app.admin().get(FIRST).await.expect(200);
    assert_eq!(shown["owner"], json!({ "id": -1337, "name": "unleash_system_user" }));
}

#[tokio::test]
async fn one_person_does_not_make_all_integrations() {
    let app = TestApp::new().await;
    app.project("shop").await;
    let editor = app.editor().await;
    let mut body = webhook("https://example.com/hook");
    body["projects"] = json!(["shop"]);
    for _ in 0..50 {
        editor.post(ADDONS, body.clone()).await.expect(201);
    }
    let refused = editor.post(ADDONS, body.clone()).await;
    assert!(
        refused.status == 400 && refused.text.contains("integration of yours: the limit of 50"),
        "{}",
        refused.text
    );
    app.editor().await.post(ADDONS, body.clone()).await.expect(201);
    app.admin().post(ADDONS, body).await.expect(201);
}
