//! Schedules that are claimed by one node, and suspended when something else changes what they are about.

use std::{collections::BTreeSet, sync::Arc};

use flagstone::{
    domain::{
        change_request::{
            Target,
            action::Action,
            schedule::{Schedule, Status},
            state::State,
            touch::Touch,
        },
        time::Timestamp,
    },
    store::{
        change_requests::{
            self, NewChange,
            schedules::{self, Claimed, LONGEST_CLAIM_MS},
            suspension::{Suspended, suspend, suspend_of_schedulers},
        },
        db::Tx,
    },
};
use futures_util::future::join_all;
use serde_json::json;
use uuid::Uuid;

use super::world::{PRODUCTION, World, change, feature, of, switch};

const FIRST: Uuid = Uuid::from_u128(1);
const SECOND: Uuid = Uuid::from_u128(2);

async fn claim(world: &World, tx: &Tx, claimant: &str) -> Vec<i64> {
    let now = world.now();
    let claimed = schedules::claim_due(tx, claimant, 100, now, now.plus_millis(60_000)).await.expect("claims");
    claimed.into_iter().map(|claimed| claimed.change_request_id).collect()
}

/// Scheduled change requests of new people, each for so many milliseconds from now.
async fn due(world: &World, times: &[i64]) -> Vec<i64> {
    let mut ids = Vec::new();
    for millis in times {
        let user = world.app.person(crate::harness::role::VIEWER, None).await.user_id.expect("a person");
        ids.push(world.scheduled(user, world.now().plus_millis(*millis), &[switch("cart", true)]).await);
    }
    ids
}

async fn schedule(world: &World, id: i64) -> Schedule {
    world.read(id).await.schedule.expect("a schedule")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_several_nodes_one_claims_a_schedule() {
    let world = Arc::new(World::new().await);
    let ids = due(&world, &[-5, -4, -3, -2, -1, 0, 1]).await;
    let rounds = (0..6).map(|node| {
        let world = Arc::clone(&world);
        tokio::spawn(async move {
            let tx = world.app.tx().await;
            let claimed = claim(&world, &tx, &format!("node-{node}")).await;
            world.app.commit(tx).await;
            claimed
        })
    });
    let claimed: Vec<i64> = join_all(rounds).await.into_iter().flat_map(|round| round.expect("no panic")).collect();
    assert_eq!(claimed.len(), 6, "{claimed:?}");
    assert_eq!(claimed.into_iter().collect::<BTreeSet<_>>(), ids[..6].iter().copied().collect(), "the last is not due");
}

#[tokio::test]
async fn the_longest_overdue_are_claimed_first_and_again_when_the_claim_has_ended() {
    let world = World::new().await;
    let ids = due(&world, &[-1, -3, -2]).await;
    let tx = world.app.tx().await;
    let now = world.now();
    let first = schedules::claim_due(&tx, "one", 2, now, now.plus_millis(60_000)).await.expect("claims");
    let order: Vec<i64> = first.iter().map(|claimed| claimed.change_request_id).collect();
    assert_eq!(order, [ids[1], ids[2]]);
    let scheduled_by = world.read(ids[1]).await.created_by.id;
    let expected = Claimed { change_request_id: ids[1], due_at: now.plus_millis(-3), scheduled_by };
    assert_eq!(first[0], expected);
    assert_eq!(claim(&world, &tx, "two").await, [ids[0]]);
    world.app.clock.advance(60_000);
    assert_eq!(claim(&world, &tx, "three").await, [ids[1], ids[2], ids[0]]);
    schedules::release(&tx, "three").await.expect("releases");
    assert_eq!(claim(&world, &tx, "four").await.len(), 3);
}

#[tokio::test]
async fn a_claim_of_a_clock_that_has_been_set_back_holds_nothing_up() {
    let world = World::new().await;
    let id = due(&world, &[-3 * LONGEST_CLAIM_MS]).await[0];
    let tx = world.app.tx().await;
    assert_eq!(claim(&world, &tx, "one").await, [id]);
    assert_eq!(claim(&world, &tx, "two").await, [0; 0]);
    world.app.clock.advance(-LONGEST_CLAIM_MS);
    assert_eq!(claim(&world, &tx, "two").await, [id]);
}

#[tokio::test]
async fn what_is_claimed_is_applied_by_the_claimant_and_once() {
    let world = World::new().await;
    let id = due(&world, &[0]).await[0];
    let tx = world.app.tx().await;
    assert_eq!(claim(&world, &tx, "one").await, [id]);
    world.app.commit(tx).await;

    let tx = world.app.tx().await;
    let held = async |claimant| schedules::hold_claimed(&tx, id, claimant, world.now()).await.expect("holds");
    assert_eq!(held("two").await, None);
    let claimed = held("one").await.expect("claimed");
    assert!(change_requests::enter(&tx, &claimed, State::Applied, world.now()).await.expect("enters"));
    schedules::end(&tx, id).await.expect("ends");
    assert_eq!(held("one").await, None, "it is applied");
    world.app.commit(tx).await;
    let request = world.read(id).await;
    assert_eq!((request.state, request.schedule), (State::Applied, None));

    let id = due(&world, &[0]).await[0];
    let tx = world.app.tx().await;
    assert_eq!(claim(&world, &tx, "one").await, [id]);
    world.app.clock.advance(60_000);
    assert_eq!(schedules::hold_claimed(&tx, id, "one", world.now()).await.expect("holds"), None, "the claim has ended");
}

#[tokio::test]
async fn what_failed_is_not_tried_again_until_it_is_rescheduled() {
    let world = World::new().await;
    let id = due(&world, &[0]).await[0];
    let tx = world.app.tx().await;
    assert!(!schedules::fail(&tx, id, "one", "gone").await.expect("notes"), "not claimed");
    assert_eq!(claim(&world, &tx, "one").await, [id]);
    assert!(!schedules::fail(&tx, id, "two", "gone").await.expect("notes"), "claimed by another");
    assert!(schedules::fail(&tx, id, "one", "The flag is gone.").await.expect("notes"));
    assert_eq!(claim(&world, &tx, "two").await, [0; 0]);
    world.app.commit(tx).await;
    let failed = Status::Failed("The flag is gone.".to_owned());
    assert_eq!(schedule(&world, id).await.status, failed);

    let tx = world.app.tx().await;
    schedules::set(&tx, id, world.now().plus_millis(5), world.ben).await.expect("schedules");
    world.app.commit(tx).await;
    let again = Schedule { at: world.now().plus_millis(5), status: Status::Pending, scheduled_by: world.ben };
    assert_eq!(schedule(&world, id).await, again);
    world.app.clock.advance(5);
    let tx = world.app.tx().await;
    assert_eq!(claim(&world, &tx, "two").await, [id]);
}

/// One change of each kind that something else can touch, each in a scheduled change request of its own.
fn touchable() -> Vec<NewChange> {
    let strategy = |id: Uuid| json!({ "id": id, "name": "default" });
    vec![
        switch("cart", true),
        switch("order", true),
        of(feature("order"), "updateStrategy", strategy(FIRST)),
        of(
            feature("order"),
            "reorderStrategy",
            json!([{ "id": FIRST, "sortOrder": 1 }, { "id": SECOND, "sortOrder": 0 }]),
        ),
        of(feature("cart"), "patchVariant", json!({ "variants": [] })),
        of(Target::Segment(7), "updateSegment", json!({ "id": 7, "name": "Staff", "constraints": [] })),
        of(feature("order"), "addStrategy", json!({ "name": "default", "segments": [7] })),
        change(feature("order"), Action::ArchiveFeature),
    ]
}

#[tokio::test]
async fn what_something_else_changes_is_suspended_and_nothing_besides() {
    let world = World::new().await;
    let later = world.now().plus_days(1);
    let mut ids = Vec::new();
    for (place, change) in touchable().into_iter().enumerate() {
        let user = world.app.person(crate::harness::role::VIEWER, None).await.user_id.expect("a person");
        ids.push(world.scheduled(if place == 1 { world.ben } else { user }, later, &[change]).await);
    }
    let places = |suspended: Vec<Suspended>| -> Vec<usize> {
        let place = |one: &Suspended| ids.iter().position(|id| *id == one.id).expect("one of them");
        suspended.iter().map(place).collect()
    };
    let suspended = async |touches: &[Touch<'_>], except: Option<i64>| {
        let tx = world.app.tx().await;
        let suspended = suspend(&tx, touches, except).await.expect("suspends");
        let again = suspend(&tx, touches, except).await.expect("suspends");
        assert!(again.is_empty(), "what is suspended already");
        assert!(suspended.iter().all(|one| one.project == "shop" && one.environment == PRODUCTION));
        places(suspended)
        // The transaction is dropped: each case begins with all pending.
    };
    let variants = |feature, environment| Touch::VariantsUpdated { feature, environment };
    let updated = |id| Touch::StrategyUpdated { feature: "order", id };
    let segment = |id| Touch::SegmentUpdated { id, name: "staff" };
    for (touches, expected) in [
        (&[][..], &[][..]),
        (&[Touch::FeatureArchived("cart")], &[0, 4]),
        (&[Touch::FeatureArchived("cart"), Touch::FeatureArchived("order")], &[0, 1, 2, 3, 4, 6, 7]),
        (&[Touch::FeatureArchived("Cart")], &[]),
        (&[updated(FIRST)], &[2, 3]),
        (&[updated(SECOND)], &[3]),
        (&[variants("cart", Some(PRODUCTION))], &[4]),
        (&[variants("cart", Some("development"))], &[]),
        (&[variants("order", None)], &[]),
        (&[segment(7)], &[5]),
        (&[segment(8)], &[]),
        (&[segment(7), updated(SECOND)], &[3, 5]),
    ] {
        assert_eq!(suspended(touches, None).await, expected, "{touches:?}");
    }
    let archived = [Touch::FeatureArchived("cart")];
    assert_eq!(suspended(&archived, Some(ids[0])).await, [4], "but for the one that is applied");

    let tx = world.app.tx().await;
    let of_ben = suspend_of_schedulers(&tx, &[world.ben, world.cleo]).await.expect("suspends");
    assert_eq!(places(of_ben), [1]);
    assert!(suspend_of_schedulers(&tx, &[world.ben]).await.expect("suspends").is_empty());
    drop(tx);

    let tx = world.app.tx().await;
    let reasons = suspend(&tx, &[segment(7), updated(SECOND)], None).await.expect("suspends");
    world.app.commit(tx).await;
    for (place, one) in [3, 5].into_iter().zip(reasons) {
        assert_eq!(schedule(&world, ids[place]).await.status, Status::Suspended(one.reason));
    }
    let status = Status::Suspended("The segment \"staff\" was changed.".to_owned());
    assert_eq!(schedule(&world, ids[5]).await.status, status);
    world.app.clock.advance(Timestamp::from_millis(0).plus_days(2).millis());
    let tx = world.app.tx().await;
    let claimed = claim(&world, &tx, "one").await;
    assert_eq!((claimed.len(), claimed.contains(&ids[5])), (6, false), "nothing suspended is applied");
}
