//! Segments that open change requests would use: they are listed with their other uses, and cannot be deleted.

use flagstone::domain::change_request::state::State;
use serde_json::{Value, json};

use super::world::{PRODUCTION, World, feature, of, segment};
use crate::{calls::delete, harness::Client};

async fn uses(client: &Client, segment: i64) -> Value {
    let path = format!("/api/admin/segments/{segment}/strategies");
    client.get(&path).await.expect(200)["changeRequestStrategies"].clone()
}

#[tokio::test]
async fn a_segment_that_a_request_would_use_is_listed_and_stays() {
    let world = World::new().await;
    let admin = world.app.admin();
    let segment = segment(&admin).await;
    let strategy = json!({ "name": "flexibleRollout", "segments": [segment] });
    let add = of(feature("cart"), "addStrategy", strategy);
    let id = world.request(world.ada, State::InReview, &[add]).await;
    let expected = json!([{
        "featureName": "cart", "projectId": "shop", "environment": PRODUCTION, "strategyName": "flexibleRollout",
        "changeRequest": { "id": id, "title": null },
    }]);
    assert_eq!(uses(&admin, segment).await, expected);
    let path = format!("/api/admin/segments/{segment}");
    let refused = delete(&admin, &path).await;
    assert!(refused.text.contains(&format!("change request {id} for the feature")), "{}", refused.text);
    assert_eq!(refused.status, 409);

    let tx = world.app.tx().await;
    let head = super::world::held(&tx, id).await;
    assert!(flagstone::store::change_requests::enter(&tx, &head, State::Rejected, world.now()).await.expect("enters"));
    world.app.commit(tx).await;
    assert_eq!(uses(&admin, segment).await, json!([]));
    assert_eq!(delete(&admin, &path).await.status, 204);
}

#[tokio::test]
async fn a_draft_of_another_counts_and_is_not_named() {
    let world = World::new().await;
    let admin = world.app.admin();
    let author = world.app.editor().await;
    let segment = segment(&admin).await;
    let add = of(feature("cart"), "addStrategy", json!({ "name": "default", "segments": [segment] }));
    world.request(author.user_id.expect("a person"), State::Draft, &[add]).await;
    assert_eq!(uses(&admin, segment).await, json!([]));
    assert_eq!(uses(&author, segment).await.as_array().map(Vec::len), Some(1));
    let refused = delete(&admin, &format!("/api/admin/segments/{segment}")).await;
    assert_eq!(refused.status, 409);
    assert!(refused.text.contains("Uses that you may see: none"), "{}", refused.text);
}
