//! Behaviour that the consoles of Unleash rest on.

use poem::http::Method;
use serde_json::{Value, json};

use super::shop::{ALL, CART, CONFIG, REQUEST, Shop};

const PRODUCTION: &str = "production";

#[tokio::test]
async fn change_requests_are_switched_on_with_the_number_that_is_told_while_they_are_off() {
    let shop = Shop::needing(3).await;
    let admin = shop.app.admin();
    let told = async || {
        let all = admin.get(&format!("{ALL}/config")).await.expect(200);
        let all = all.as_array().expect("a list").clone();
        all.into_iter().find(|one| one["environment"] == PRODUCTION).expect("it is used")["requiredApprovals"].clone()
    };
    let switch = async |enabled: bool| {
        let body = json!({ "changeRequestsEnabled": enabled, "requiredApprovals": told().await });
        admin.json(Method::PUT, CONFIG, body).await.expect(204);
        told().await
    };
    assert_eq!(switch(true).await, 3);
    assert_eq!(switch(false).await, Value::Null);
    assert_eq!(switch(true).await, 1);
}

/// They warn of an edit by somebody else where a property of the strategy is neither that of the snapshot nor that of the
/// proposal, and fail where both lack it.
#[tokio::test]
async fn a_snapshot_of_a_strategy_has_what_the_strategy_shows() {
    let shop = Shop::needing(1).await;
    let path = format!("{CART}/environments/{PRODUCTION}/strategies");
    let strategy = json!({ "name": "flexibleRollout", "title": "Slowly", "parameters": { "rollout": "10" } });
    let id = shop.app.admin().post(&path, strategy).await.expect(200)["id"].clone();
    let proposed = json!({ "id": id, "name": "flexibleRollout", "parameters": { "rollout": "20" } });
    let changes = json!([
        { "feature": "cart", "action": "updateStrategy", "payload": proposed },
        { "feature": "cart", "action": "deleteStrategy", "payload": { "id": id } },
    ]);
    shop.ada.post(REQUEST, changes).await.expect(200);
    let feature = shop.ada.get(CART).await.expect(200);
    let environments = feature["environments"].as_array().expect("a list");
    let environment = environments.iter().find(|one| one["name"] == PRODUCTION).expect("it is used");
    let shown = &environment["strategies"][0];
    assert_eq!((&shown["id"], &shown["featureName"]), (&id, &json!("cart")));
    let pending = shop.ada.get(&format!("{ALL}/pending")).await.expect(200);
    let recorded = pending[0]["features"][0]["changes"].as_array().expect("a list");
    let snapshots: Vec<&Value> = recorded.iter().map(|change| &change["payload"]["snapshot"]).collect();
    assert_eq!(snapshots, [shown, shown]);
}

#[tokio::test]
async fn a_parent_that_must_be_on_is_shown_so_also_where_that_was_left_out() {
    let shop = Shop::needing(1).await;
    for name in ["till", "shelf"] {
        shop.app.feature("shop", name).await;
    }
    let depending = |payload: Value| json!({ "feature": "cart", "action": "addDependency", "payload": payload });
    let changes =
        json!([depending(json!({ "feature": "till" })), depending(json!({ "feature": "shelf", "enabled": false }))]);
    let request = shop.ada.post(REQUEST, changes).await.expect(200);
    let changes = request["features"][0]["changes"].as_array().expect("a list");
    let payloads: Vec<&Value> = changes.iter().map(|change| &change["payload"]).collect();
    let [on, off] =
        [("till", true), ("shelf", false)].map(|(feature, enabled)| json!({ "feature": feature, "enabled": enabled }));
    assert_eq!(payloads, [&on, &off]);
}
