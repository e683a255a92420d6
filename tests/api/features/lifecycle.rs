//! The stages of a feature, declaring it done with, and marking it as a favourite.

use poem::http::Method;
use serde_json::{Value, json};

use super::{FEATURE, SHOP, event, shop_with_feature, told_events};
use crate::harness::{Answer, Client, TestApp};

const LIFECYCLE: &str = "/api/admin/projects/shop/features/f/lifecycle";

async fn complete(app: &TestApp, body: Value) -> Answer {
    app.admin().post(&format!("{LIFECYCLE}/complete"), body).await
}

async fn uncomplete(app: &TestApp) -> Answer {
    app.admin().request(Method::POST, &format!("{LIFECYCLE}/uncomplete"), &[], Vec::new()).await
}

async fn stages(app: &TestApp) -> Value {
    app.viewer().await.get(LIFECYCLE).await.expect(200)
}

fn told(kind: &str, data: &Value, at: &str) -> Value {
    let mut event = event(kind, data, &Value::Null);
    event["createdAt"] = at.into();
    event
}

#[tokio::test]
async fn a_feature_is_done_with_until_that_is_taken_back() {
    let (app, _) = shop_with_feature().await;
    let (first, second) = ("2026-01-15T12:00:00.000Z", "2026-01-15T12:00:01.000Z");
    app.clock.advance(1000);
    complete(&app, json!({ "status": "kept", "statusValue": "blue" })).await.expect(200);
    complete(&app, json!({ "status": "kept", "statusValue": "blue" })).await.expect(200);
    let initial = json!({ "stage": "initial", "enteredStageAt": first });
    let completed = |status: &str| json!({ "stage": "completed", "status": status, "enteredStageAt": second });
    assert_eq!(stages(&app).await, json!([initial, completed("kept")]));
    app.clock.advance(1000);
    // The row and the event agree on how it ended.
    complete(&app, json!({ "status": "discarded", "statusValue": null })).await.expect(200);
    assert_eq!(stages(&app).await, json!([initial, completed("discarded")]));
    uncomplete(&app).await.expect(200);
    uncomplete(&app).await.expect(200);
    assert_eq!(stages(&app).await, json!([initial]));
    let third = "2026-01-15T12:00:02.000Z";
    assert_eq!(
        told_events(&app).await,
        [
            told("feature-completed", &json!({ "status": "kept", "statusValue": "blue", "kept": true }), second),
            told("feature-completed", &json!({ "status": "discarded", "kept": false }), third),
            told("feature-uncompleted", &Value::Null, third),
        ]
    );
    // An archived feature still tells of its life; revived, it starts over.
    app.admin().request(Method::DELETE, FEATURE, &[], vec![]).await.expect(202);
    assert_eq!(stages(&app).await[1]["stage"], "archived");
    app.admin().request(Method::POST, "/api/admin/archive/revive/f", &[], vec![]).await.expect(200);
    assert_eq!(stages(&app).await, json!([{ "stage": "initial", "enteredStageAt": third }]));
}

#[tokio::test]
async fn what_does_not_exist_cannot_be_done_with() {
    let (app, _) = shop_with_feature().await;
    for (body, part) in [
        (json!({}), "/body/status"),
        (json!({ "status": "lost" }), "/body/status"),
        (json!({ "status": "kept", "statusValue": 3 }), "/body/statusValue"),
        (json!({ "status": "kept", "statusValue": "x".repeat(101) }), "/body/statusValue"),
    ] {
        complete(&app, body).await.refused(400, "ValidationError", part);
    }
    let kept = json!({ "status": "kept" });
    let unknown = format!("{SHOP}/no/lifecycle");
    app.admin().post(&format!("{unknown}/complete"), kept).await.refused(404, "NotFoundError", "\"no\"");
    let answer = app.admin().request(Method::POST, &format!("{unknown}/uncomplete"), &[], vec![]).await;
    answer.refused(404, "NotFoundError", "\"no\"");
    assert_eq!(app.event_types().await, [""; 0]);
}

async fn favorite(client: &Client, method: Method, path: &str) -> Answer {
    client.request(method, &format!("{path}/favorites"), &[], Vec::new()).await
}

#[tokio::test]
async fn a_favourite_is_one_person_s_own() {
    let (app, _) = shop_with_feature().await;
    let (ada, ben) = (app.viewer().await, app.viewer().await);
    for _ in 0..2 {
        favorite(&ada, Method::POST, FEATURE).await.expect(200);
    }
    assert_eq!(ada.get(FEATURE).await.expect(200)["favorite"], true);
    assert_eq!(ben.get(FEATURE).await.expect(200)["favorite"], false);
    for _ in 0..2 {
        favorite(&ada, Method::DELETE, FEATURE).await.expect(200);
    }
    assert_eq!(ada.get(FEATURE).await.expect(200)["favorite"], false);
    let events = told_events(&app).await;
    let shown: Vec<_> = events.iter().map(|event| (&event["type"], &event["featureName"], &event["data"])).collect();
    let (name, data) = (json!("f"), json!({ "feature": "f" }));
    assert_eq!(shown, [(&json!("feature-favorited"), &name, &data), (&json!("feature-unfavorited"), &name, &data)]);
    assert!(events.iter().all(|event| event["createdByUserId"] == ada.user_id.expect("a person")));
}

#[tokio::test]
async fn favourites_need_a_person_and_a_feature() {
    let (app, _) = shop_with_feature().await;
    let viewer = app.viewer().await;
    for method in [Method::POST, Method::DELETE] {
        let answer = favorite(&app.admin(), method.clone(), FEATURE).await;
        answer.refused(403, "InvalidOperationError", "API token");
        favorite(&viewer, method.clone(), &format!("{SHOP}/no")).await.refused(404, "NotFoundError", "\"no\"");
        let nowhere = "/api/admin/projects/nowhere/features/f";
        favorite(&viewer, method, nowhere).await.refused(404, "NotFoundError", "nowhere");
    }
    assert_eq!(app.event_types().await, [""; 0]);
}
