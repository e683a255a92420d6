//! The order of strategies.

use serde_json::{Value, json};

use super::{STRATEGIES, added, seen, shop, told_after};
use crate::{harness::TestApp, schema::assert_derived_columns};

const ORDER: &str = "/api/admin/projects/shop/features/f/environments/development/strategies/set-sort-order";

async fn titles(app: &TestApp) -> Vec<Value> {
    let strategies = app.admin().get(STRATEGIES).await.expect(200);
    strategies.as_array().expect("a list").iter().map(|strategy| strategy["title"].clone()).collect()
}

async fn three(app: &TestApp) -> Vec<Value> {
    let mut ids = Vec::new();
    for title in ["a", "b", "c"] {
        let (_, strategy) = added(app, json!({ "name": "default", "title": title })).await;
        ids.push(strategy["id"].clone());
    }
    ids
}

#[tokio::test]
async fn strategies_take_the_places_that_are_given() {
    let app = shop().await;
    let ids = three(&app).await;
    let order = json!([{ "id": ids[0], "sortOrder": 9 }, { "id": ids[2], "sortOrder": -1 }]);
    let answer = app.admin().post(ORDER, order).await;
    assert_eq!((answer.status, &*answer.text), (200, ""));
    assert_eq!(titles(&app).await, ["c", "b", "a"]);
    let told = json!([
        "strategy-order-changed", "shop", "f", "development",
        { "strategyIds": [ids[2], ids[1], ids[0]] },
        { "strategyIds": ids },
    ]);
    assert_eq!(told_after(&app, 3).await, [told]);
    assert_derived_columns(&app).await;
}

#[tokio::test]
async fn places_that_stay_leave_no_event() {
    let app = shop().await;
    let ids = three(&app).await;
    app.admin().post(ORDER, json!([])).await.expect(200);
    app.admin().post(ORDER, json!([{ "id": ids[1], "sortOrder": 1 }])).await.expect(200);
    assert_eq!(seen(&app).await, 3);
}

#[tokio::test]
async fn unknown_and_repeated_ids_are_refused_and_nothing_moves() {
    let app = shop().await;
    let ids = three(&app).await;
    let foreign = "00000000-0000-4000-8000-000000000000";
    let cases = [
        (json!([{ "id": ids[0], "sortOrder": 9 }, { "id": foreign, "sortOrder": 1 }]), "/body/1/id"),
        (json!([{ "id": ids[0], "sortOrder": 9 }, { "id": ids[0], "sortOrder": 8 }]), "/body/1/id"),
        (json!([{ "id": "x", "sortOrder": 9 }]), "/body/0/id"),
        (json!([{ "id": ids[0] }]), "/body/0/sortOrder"),
        (json!({}), "/body"),
    ];
    for (body, property) in cases {
        app.admin().post(ORDER, body).await.refused(400, "ValidationError", property);
    }
    assert_eq!(titles(&app).await, ["a", "b", "c"]);
    assert_eq!(seen(&app).await, 3);
    let elsewhere = ORDER.replace("development", "nowhere");
    app.admin().post(&elsewhere, json!([])).await.refused(404, "NotFoundError", "nowhere");
}
