//! Messages above every page.

use poem::http::Method;
use serde_json::{Value, json};

use crate::{
    calls::{act, delete, last_event, put},
    harness::{START, TestApp},
};

const BANNERS: &str = "/api/admin/banners";

#[tokio::test]
async fn a_banner_is_made_changed_hidden_and_removed_and_each_is_told() {
    let app = TestApp::new().await;
    let admin = app.admin();
    let made = admin.post(BANNERS, json!({ "message": "Maintenance at **noon**" })).await.expect(201);
    let id = made["id"].clone();
    let whole = json!({
        "id": id, "message": "Maintenance at **noon**", "enabled": true, "variant": "info", "sticky": false,
        "icon": null, "link": null, "linkText": null, "dialogTitle": null, "dialog": null, "createdAt": START,
    });
    assert_eq!(made, whole);
    assert_eq!(last_event(&app).await, json!(["banner-created", null, whole, null]));
    assert_eq!(admin.get(BANNERS).await.expect(200), json!({ "banners": [whole] }));

    let path = format!("{BANNERS}/{id}");
    let wanted = json!({
        "message": "Over", "enabled": true, "variant": "success", "sticky": true, "icon": "none", "link": "dialog",
        "linkText": "More", "dialogTitle": "Thanks", "dialog": "for waiting", "id": 77, "createdAt": "x",
    });
    let changed = put(&admin, &path, wanted.clone()).await.expect(200);
    let mut expected = wanted.clone();
    expected["id"] = id.clone();
    expected["createdAt"] = json!(START);
    assert_eq!(changed, expected);
    assert_eq!(last_event(&app).await, json!(["banner-updated", null, expected, whole]));
    let events = app.events().await.len();
    assert_eq!(put(&admin, &path, wanted).await.expect(200), expected);
    act(&admin, Method::POST, &format!("{path}/on")).await.expect(200);
    assert_eq!(app.events().await.len(), events, "nothing changed");

    let hidden = act(&admin, Method::POST, &format!("{path}/off")).await.expect(200);
    assert_eq!(hidden["enabled"], false);
    let event = last_event(&app).await;
    assert_eq!(
        (&event[0], &event[2]["enabled"], &event[3]["enabled"]),
        (&json!("banner-updated"), &json!(false), &json!(true))
    );
    assert_eq!(admin.get(BANNERS).await.expect(200), json!({ "banners": [hidden] }));
    act(&admin, Method::POST, &format!("{path}/on")).await.expect(200);

    assert_eq!(delete(&admin, &path).await.status, 200);
    assert_eq!(last_event(&app).await, json!(["banner-deleted", null, null, expected]));
    assert_eq!(admin.get(BANNERS).await.expect(200), json!({ "banners": [] }));
    delete(&admin, &path).await.refused(404, "NotFoundError", "no banner");
    put(&admin, &path, json!({ "message": "x" })).await.refused(404, "NotFoundError", "no banner");
    act(&admin, Method::POST, &format!("{path}/off")).await.refused(404, "NotFoundError", "no banner");
}

#[tokio::test]
async fn what_is_not_shown_yet_only_administrators_see() {
    let app = TestApp::new().await;
    let admin = app.admin();
    admin.post(BANNERS, json!({ "message": "shown" })).await.expect(201);
    admin.post(BANNERS, json!({ "message": "a draft", "enabled": false })).await.expect(201);
    let messages = |answer: &Value| -> Vec<String> {
        answer["banners"].as_array().expect("a list").iter().map(|banner| banner["message"].to_string()).collect()
    };
    assert_eq!(messages(&admin.get(BANNERS).await.expect(200)), ["\"shown\"", "\"a draft\""]);
    for caller in [app.viewer().await, app.editor().await] {
        assert_eq!(messages(&caller.get(BANNERS).await.expect(200)), ["\"shown\""]);
        caller.post(BANNERS, json!({ "message": "m" })).await.refused(403, "NoAccessError", "UPDATE_INSTANCE_BANNERS");
    }
    assert_eq!(messages(&app.root_admin().await.get(BANNERS).await.expect(200)).len(), 2);
}

#[tokio::test]
async fn what_is_no_banner_is_refused_and_nothing_is_stored() {
    let app = TestApp::new().await;
    let admin = app.admin();
    for (body, property) in [
        (json!({}), "/body/message"),
        (json!({ "message": "" }), "/body/message"),
        (json!({ "message": " \n " }), "/body/message"),
        (json!({ "message": 5 }), "/body/message"),
        (json!({ "message": "x".repeat(10_001) }), "/body/message"),
        (json!({ "message": "a\u{7}" }), "/body/message"),
        (json!({ "message": "m", "variant": "loud" }), "/body/variant"),
        (json!({ "message": "m", "enabled": "yes" }), "/body/enabled"),
        (json!({ "message": "m", "link": "javascript:alert(1)" }), "/body/link"),
        (json!({ "message": "m", "link": "java\tscript:alert(1)" }), "/body/link"),
        (json!({ "message": "m", "link": "dialog" }), "/body/dialog"),
        (json!({ "message": "m", "icon": "x".repeat(256) }), "/body/icon"),
    ] {
        admin.post(BANNERS, body.clone()).await.refused(400, "ValidationError", property);
    }
    assert_eq!(app.events().await.len(), 0);
    for _ in 0..100 {
        admin.post(BANNERS, json!({ "message": "m" })).await.expect(201);
    }
    admin.post(BANNERS, json!({ "message": "m" })).await.refused(400, "ExceedsLimitError", "limit of 100");
}
