//! Targets of changes as they are now, and the conflicts that come of it.

use flagstone::{
    domain::{
        change_request::{
            Change, Target,
            conflict::{Conflict, of_change, snapshot},
            state::State,
        },
        strategy::StrategyDefinition,
    },
    store::{
        self,
        change_requests::{NewChange, targets},
        entity::feature as feature_table,
        segments::NewSegment,
    },
};
use sea_orm::EntityTrait as _;
use serde_json::json;

use super::world::{PRODUCTION, World, feature, of};
use crate::{harness::add_strategy, statements::Listening};

async fn conflict(world: &World, change: &Change) -> Option<Conflict> {
    let current =
        targets::current(world.app.db(), PRODUCTION, [(&change.target, &change.action)]).await.expect("reads");
    of_change(&change.target, &change.action, "shop", &current)
}

#[tokio::test]
async fn a_change_keeps_its_target_as_it_was() {
    let world = World::new().await;
    let tx = world.app.tx().await;
    let strategy = StrategyDefinition { name: "default".to_owned(), ..StrategyDefinition::default() };
    let id = add_strategy(&tx, world.cart, PRODUCTION, &strategy, world.now()).await.expect("a strategy");
    let new = NewSegment { name: "Staff".to_owned(), project: Some("shop".to_owned()), ..NewSegment::default() };
    let segment = store::segments::insert(&tx, &new, world.now()).await.expect("a segment");
    world.app.commit(tx).await;
    let cart = || Target::Feature { name: "cart".to_owned(), id: Some(world.cart) };
    let changes = [
        of(cart(), "updateStrategy", json!({ "id": id, "name": "default", "title": "Proposed" })),
        of(cart(), "patchVariant", json!({ "variants": [] })),
        of(Target::Segment(segment), "updateSegment", json!({ "id": segment, "name": "All", "constraints": [] })),
    ];
    Listening::start();
    let about = changes.iter().map(|change| (&change.target, &change.action));
    let current = targets::current(world.app.db(), PRODUCTION, about).await.expect("reads");
    assert_eq!(Listening::end().len(), 5);
    let changes =
        changes.map(|change| NewChange { snapshot: snapshot(&change.target, &change.action, &current), ..change });
    assert!(changes.iter().all(|change| change.snapshot.is_some()));
    let request = world.request(world.ada, State::Draft, &changes).await;
    let recorded = world.read(request).await.changes;
    let snapshots: Vec<_> = recorded.iter().map(|change| change.snapshot.clone()).collect();
    assert_eq!(snapshots, changes.map(|change| change.snapshot));
    assert_eq!(recorded[0].snapshot.as_ref().map(|snapshot| &snapshot["id"]), Some(&json!(id)));
}

#[tokio::test]
async fn what_has_lost_its_target_is_in_conflict() {
    let world = World::new().await;
    let tx = world.app.tx().await;
    let strategy = StrategyDefinition { name: "default".to_owned(), ..StrategyDefinition::default() };
    let id = add_strategy(&tx, world.cart, PRODUCTION, &strategy, world.now()).await.expect("a strategy");
    world.app.commit(tx).await;
    let cart = Target::Feature { name: "cart".to_owned(), id: Some(world.cart) };
    let change = of(cart, "deleteStrategy", json!({ "id": id }));
    let request = world.request(world.ada, State::InReview, &[change]).await;
    let change = world.read(request).await.changes.remove(0);
    assert_eq!(conflict(&world, &change).await, None);

    let tx = world.app.tx().await;
    store::strategies::remove(&tx, world.cart, PRODUCTION, id).await.expect("removes");
    world.app.commit(tx).await;
    assert_eq!(conflict(&world, &change).await, Some(Conflict::StrategyGone));
    let tx = world.app.tx().await;
    store::features::archive_all(&tx, &[world.cart], world.now()).await.expect("archives");
    world.app.commit(tx).await;
    assert_eq!(conflict(&world, &change).await, Some(Conflict::FeatureArchived));

    // A later feature of this name is another one, but for a change that knew none.
    let tx = world.app.tx().await;
    feature_table::Entity::delete_by_id(world.cart).exec(&tx).await.expect("deletes");
    world.app.commit(tx).await;
    assert_eq!(conflict(&world, &change).await, Some(Conflict::FeatureGone));
    world.app.feature("shop", "cart").await;
    assert_eq!(conflict(&world, &change).await, Some(Conflict::FeatureGone));
    let unknown = Change { target: feature("cart"), ..change.clone() };
    assert_eq!(conflict(&world, &unknown).await, Some(Conflict::StrategyGone));
    assert_eq!(world.read(request).await.changes.len(), 1, "the change outlives its target");
}
