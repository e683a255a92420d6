//! Replacing the properties of a feature.

use poem::http::Method;
use serde_json::{Value, json};

use super::{FEATURE, SHOP, document, event, shop_with_feature, stored, told_events};
use crate::harness::{Answer, TestApp, role};

async fn put(app: &TestApp, body: Value) -> Answer {
    app.admin().json(Method::PUT, FEATURE, body).await
}

#[tokio::test]
async fn what_is_given_is_set_and_what_is_absent_takes_its_default() {
    let (app, _) = shop_with_feature().await;
    app.clock.advance(1000);
    let body = json!({ "description": "d", "type": "operational", "stale": true, "impressionData": true });
    let answer = put(&app, body).await.expect(200);
    assert_eq!(
        (&answer["type"], &answer["stale"], &answer["name"]),
        (&json!("operational"), &json!(true), &json!("f"))
    );
    let full = document(&json!({ "description": "d", "type": "operational", "stale": true, "impressionData": true }));
    let rest = document(&json!({ "description": "d" }));
    // The description stays where it is absent.
    assert_eq!(put(&app, json!({})).await.expect(200)["description"], "d");
    assert_eq!(put(&app, json!({ "description": null })).await.expect(200)["description"], Value::Null);
    // Nothing new.
    put(&app, json!({ "description": null, "type": "release", "name": "ignored" })).await.expect(200);
    assert_eq!(
        told_events(&app).await,
        [
            event("feature-metadata-updated", &full, &document(&json!({}))),
            event("feature-stale-on", &Value::Null, &Value::Null),
            event("feature-metadata-updated", &rest, &full),
            event("feature-stale-off", &Value::Null, &Value::Null),
            event("feature-metadata-updated", &document(&json!({})), &rest),
        ]
    );
    assert_eq!(stored(&app).await["name"], "f");
}

#[tokio::test]
async fn an_archived_feature_stays_archived_until_somebody_says_so() {
    let (app, _) = shop_with_feature().await;
    assert_eq!(put(&app, json!({ "archived": true })).await.expect(200)["archived"], true);
    app.clock.advance(1000);
    let answer = put(&app, json!({ "description": "x", "archived": true })).await.expect(200);
    assert_eq!(answer["archivedAt"], "2026-01-15T12:00:00.000Z");
    assert_eq!(put(&app, json!({})).await.expect(200)["archived"], true);
    assert_eq!(put(&app, json!({ "archived": false })).await.expect(200)["archived"], false);
    assert_eq!(
        app.event_types().await,
        ["feature-dependencies-removed", "feature-archived", "feature-metadata-updated", "feature-revived"]
    );
    assert_eq!(stored(&app).await["lifecycle"]["stage"], "initial");
}

#[tokio::test]
async fn what_is_wrong_is_named_and_nothing_changes() {
    let (app, _) = shop_with_feature().await;
    for (body, part) in [
        (json!({ "type": "unheard" }), "/body/type"),
        (json!({ "type": null }), "/body/type"),
        (json!({ "stale": "true" }), "/body/stale"),
        (json!({ "archived": 1 }), "/body/archived"),
        (json!({ "description": 3 }), "/body/description"),
        (json!([]), "/body"),
    ] {
        put(&app, body).await.refused(400, "ValidationError", part);
    }
    let missing = app.admin().json(Method::PUT, &format!("{SHOP}/no"), json!({})).await;
    missing.refused(404, "NotFoundError", "\"no\"");
    assert_eq!(app.event_types().await, [""; 0]);
}

#[tokio::test]
async fn archiving_needs_its_own_permission() {
    use flagstone::store::entity::role_permission;
    use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
    let (app, _) = shop_with_feature().await;
    let tx = app.tx().await;
    let of_members = role_permission::Column::RoleId.eq(role::MEMBER);
    let delete = role_permission::Column::Permission.eq("DELETE_FEATURE");
    role_permission::Entity::delete_many().filter(of_members).filter(delete).exec(&tx).await.expect("takes it away");
    app.commit(tx).await;
    let member = app.member("shop").await;
    let refusal = member.json(Method::PUT, FEATURE, json!({ "archived": true })).await;
    refusal.refused(403, "NoAccessError", "\"DELETE_FEATURE\"");
    member.json(Method::PUT, FEATURE, json!({ "archived": false, "stale": true })).await.expect(200);
}
