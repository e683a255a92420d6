//! Change requests that are applied at their time, by the job.

use flagstone::{
    domain::{
        change_request::{
            review::Verdict,
            schedule::{Schedule, Status},
            state::State,
        },
        freeze_window::{FreezeWindow, When},
    },
    jobs::apply_scheduled,
    store::{
        change_requests::{self, NewChange, schedules},
        entity::{app_user, event},
        freeze_windows,
    },
};
use futures_util::future::try_join_all;
use poem::http::Method;
use sea_orm::{ActiveModelTrait as _, ActiveValue::Set};
use serde_json::{Value, json};

use super::world::{PRODUCTION, World, is_on, switch};
use crate::{calls::act, harness::role};

const SUCCESS: &str = "change-request-scheduled-application-success";
const FAILURE: &str = "change-request-scheduled-application-failure";

/// A change request of a user that another approved, scheduled by the user for so many milliseconds from now.
pub async fn scheduled(world: &World, user: i64, in_ms: i64, changes: &[NewChange]) -> i64 {
    let id = world.scheduled(user, world.now().plus_millis(in_ms), changes).await;
    let digest = world.read(id).await.digest();
    let tx = world.app.tx().await;
    let review = change_requests::add_review(&tx, id, world.cleo, Verdict::Approval, &digest, world.now()).await;
    review.expect("reviews").expect("the first one");
    world.app.commit(tx).await;
    id
}

pub async fn run(world: &World) {
    apply_scheduled(&world.app.state).await.expect("runs");
}

async fn ends(world: &World) -> Vec<event::Model> {
    let events = world.app.events().await;
    events.into_iter().filter(|event| event.r#type == SUCCESS || event.r#type == FAILURE).collect()
}

fn data(event: &event::Model) -> Value {
    event.data.as_deref().expect("data").parse().expect("JSON")
}

async fn status(world: &World, id: i64) -> Status {
    world.read(id).await.schedule.expect("a schedule").status
}

#[tokio::test]
async fn it_is_applied_at_its_time_in_the_name_of_who_scheduled_it_and_once() {
    let world = World::new().await;
    let id = scheduled(&world, world.ada, 5000, &[switch("cart", true)]).await;
    world.app.clock.advance(4999);
    run(&world).await;
    assert_eq!((world.read(id).await.state, is_on(&world.app, PRODUCTION).await), (State::Scheduled, false));
    assert!(ends(&world).await.is_empty());

    world.app.clock.advance(1);
    for _ in 0..3 {
        run(&world).await;
    }
    let request = world.read(id).await;
    assert_eq!((request.state, &request.schedule, is_on(&world.app, PRODUCTION).await), (State::Applied, &None, true));
    assert_eq!(request.applied_digest, Some(request.digest()));
    let events = world.app.events().await;
    let by_ada = events.iter().filter(|event| event.created_by_user_id == Some(world.ada));
    let kinds: Vec<&str> = by_ada.map(|event| &*event.r#type).collect();
    assert_eq!(kinds, ["feature-strategy-add", "feature-environment-enabled", SUCCESS]);
    let [end] = &ends(&world).await[..] else { panic!("one end: {events:?}") };
    let data = data(end);
    assert_eq!((&data["changeRequestId"], &data["changesDigest"]), (&json!(id), &json!(request.digest())));
    assert_eq!(data["scheduledDate"], json!(world.now()));
    assert_eq!(data.get("lateBySeconds"), None);
    assert_eq!((end.project.as_deref(), end.environment.as_deref()), (Some("shop"), Some(PRODUCTION)));
}

#[tokio::test]
async fn after_downtime_it_is_applied_late_and_says_so() {
    let world = World::new().await;
    let due = world.now().plus_millis(1000);
    scheduled(&world, world.ada, 1000, &[switch("cart", true)]).await;
    world.app.clock.advance(1000 + 7_200_000);
    run(&world).await;
    assert!(is_on(&world.app, PRODUCTION).await);
    let data = data(&ends(&world).await[0]);
    assert_eq!((&data["scheduledDate"], &data["lateBySeconds"]), (&json!(due), &json!(7200)));
}

#[tokio::test]
async fn what_cannot_be_applied_is_told_once_and_holds_up_nothing_else() {
    let world = World::new().await;
    let broken = scheduled(&world, world.ada, 1, &[switch("cart", true), switch("ghost", true)]).await;
    let sound = scheduled(&world, world.ben, 2, &[switch("cart", true)]).await;
    world.app.clock.advance(2);
    run(&world).await;
    let told = ends(&world).await;
    let kinds: Vec<(&str, Option<i64>)> = told.iter().map(|end| (&*end.r#type, end.created_by_user_id)).collect();
    assert_eq!(kinds, [(FAILURE, Some(world.ada)), (SUCCESS, Some(world.ben))]);
    assert_eq!(data(&told[0])["changeRequestId"], json!(broken));
    let reason = data(&told[0])["reason"].as_str().expect("a reason").to_owned();
    assert!(reason.contains("ghost"), "{reason}");
    let Schedule { status, scheduled_by, .. } = world.read(broken).await.schedule.expect("a schedule");
    assert_eq!((status, scheduled_by), (Status::Failed(reason), world.ada));
    assert_eq!(world.read(broken).await.state, State::Scheduled);
    assert_eq!(world.read(sound).await.state, State::Applied);
    let on = world.app.events().await.iter().filter(|event| event.r#type == "feature-environment-enabled").count();
    assert_eq!(on, 1, "nothing of the failed one stays");

    world.app.clock.advance(3_600_000);
    run(&world).await;
    assert_eq!(ends(&world).await.len(), 2, "it is not tried again");
    let tx = world.app.tx().await;
    schedules::set(&tx, broken, world.now(), world.ben).await.expect("schedules");
    world.app.commit(tx).await;
    run(&world).await;
    assert_eq!(ends(&world).await.len(), 3, "until it is scheduled again");
}

#[tokio::test]
async fn nothing_is_applied_for_who_is_deactivated() {
    let world = World::new().await;
    let id = scheduled(&world, world.ada, 0, &[switch("cart", true)]).await;
    let tx = world.app.tx().await;
    let gone =
        app_user::ActiveModel { id: Set(world.ada), deactivated_at: Set(Some(world.now())), ..Default::default() };
    gone.update(&tx).await.expect("updates");
    world.app.commit(tx).await;
    run(&world).await;
    let Status::Failed(reason) = status(&world, id).await else { panic!("it has not failed") };
    assert!(reason.contains("deactivated"), "{reason}");
    assert!(!is_on(&world.app, PRODUCTION).await);
}

#[tokio::test]
async fn nothing_is_applied_for_who_may_not_apply_it_any_more() {
    let world = World::new().await;
    let viewer = world.app.person(role::VIEWER, None).await.user_id.expect("a person");
    let id = scheduled(&world, viewer, 0, &[switch("cart", true)]).await;
    run(&world).await;
    let Status::Failed(reason) = status(&world, id).await else { panic!("it has not failed") };
    assert!(reason.contains("may not apply change requests"), "{reason}");
    assert!(!is_on(&world.app, PRODUCTION).await);
}

#[tokio::test]
async fn under_maintenance_it_waits() {
    let world = World::new().await;
    let id = scheduled(&world, world.ada, 0, &[switch("cart", true)]).await;
    let admin = world.app.admin();
    admin.post("/api/admin/maintenance", json!({ "enabled": true })).await.expect(204);
    run(&world).await;
    assert_eq!(status(&world, id).await, Status::Pending);
    admin.post("/api/admin/maintenance", json!({ "enabled": false })).await.expect(204);
    run(&world).await;
    assert_eq!(world.read(id).await.state, State::Applied);
}

#[tokio::test]
async fn in_a_freeze_it_waits_for_the_end_and_others_do_not() {
    let world = World::new().await;
    let frozen = scheduled(&world, world.ada, 0, &[switch("cart", true)]).await;
    let freeze = FreezeWindow {
        environment: Some(PRODUCTION.to_owned()),
        when: When::Once {
            from: world.now().plus_millis(-1),
            to: world.now().plus_millis(600_000),
            zone: chrono_tz::Tz::UTC,
        },
        reason: "Sale".to_owned(),
        exempt_roles: [].into(),
    };
    let tx = world.app.tx().await;
    freeze_windows::insert(&tx, &freeze, world.now()).await.expect("a freeze");
    world.app.commit(tx).await;
    let elsewhere = world.request_in("shop", "development", world.ben, State::Scheduled, &[switch("cart", true)]).await;
    let digest = world.read(elsewhere).await.digest();
    let tx = world.app.tx().await;
    schedules::set(&tx, elsewhere, world.now(), world.ben).await.expect("schedules");
    change_requests::add_review(&tx, elsewhere, world.cleo, Verdict::Approval, &digest, world.now())
        .await
        .expect("reviews");
    world.app.commit(tx).await;
    run(&world).await;
    assert_eq!(status(&world, frozen).await, Status::Pending);
    assert_eq!(world.read(elsewhere).await.state, State::Applied);
    world.app.clock.advance(599_999);
    run(&world).await;
    assert_eq!(world.read(frozen).await.state, State::Scheduled);
    world.app.clock.advance(60_001);
    run(&world).await;
    assert_eq!((world.read(frozen).await.state, is_on(&world.app, PRODUCTION).await), (State::Applied, true));
}

#[tokio::test]
async fn a_claim_of_a_node_that_died_ends_and_it_is_applied_once() {
    let world = World::new().await;
    let id = scheduled(&world, world.ada, 0, &[switch("cart", true)]).await;
    let tx = world.app.tx().await;
    let until = world.now().plus_millis(60_000);
    schedules::claim_due(&tx, "dead", 1, world.now(), until).await.expect("claims");
    world.app.commit(tx).await;
    world.app.clock.advance(59_999);
    run(&world).await;
    assert_eq!(world.read(id).await.state, State::Scheduled, "another node may be at it");
    world.app.clock.advance(1);
    try_join_all((0..4).map(|_| apply_scheduled(&world.app.state))).await.expect("run");
    assert_eq!(world.read(id).await.state, State::Applied);
    assert_eq!(ends(&world).await.len(), 1);
}

#[tokio::test]
async fn many_that_are_due_are_applied_each_once() {
    let world = World::new().await;
    let mut ids = Vec::new();
    for place in 0..12 {
        let user = world.person().await.user_id.expect("a person");
        ids.push(scheduled(&world, user, 12 - place, &[switch("cart", place % 2 == 0)]).await);
    }
    world.app.clock.advance(12);
    try_join_all((0..3).map(|_| apply_scheduled(&world.app.state))).await.expect("run");
    run(&world).await;
    let ends = ends(&world).await;
    let applied: Vec<i64> = ends.iter().filter_map(|end| data(end)["changeRequestId"].as_i64()).collect();
    let mut sorted = applied.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, ids, "each once: {ends:?}");
}

#[tokio::test]
async fn author_and_scheduler_are_notified_and_nobody_else() {
    let world = World::new().await;
    let (author, scheduler, other) =
        (world.person().await, world.person().await, world.app.person(role::VIEWER, None).await);
    let id = scheduled(&world, author.user_id.expect("a person"), 0, &[switch("ghost", true)]).await;
    let tx = world.app.tx().await;
    schedules::set(&tx, id, world.now(), scheduler.user_id.expect("a person")).await.expect("schedules");
    world.app.commit(tx).await;
    run(&world).await;
    for person in [&author, &scheduler] {
        let told = person.get("/api/admin/notifications").await.expect(200);
        let told = told.as_array().expect("a list");
        assert_eq!(told.len(), 1, "{told:?}");
        assert_eq!(told[0]["notificationType"], "change-request");
        assert_eq!(told[0]["link"], format!("/projects/shop/change-requests/{id}"));
        let message = told[0]["message"].as_str().expect("a message");
        let begin = format!("The schedule of change request {id} in production failed: ");
        assert!(message.starts_with(&begin) && message.contains("ghost"), "{message}");
        let read = json!({ "notifications": [told[0]["id"]] });
        person.post("/api/admin/notifications/read", read).await.expect(200);
        assert_ne!(person.get("/api/admin/notifications").await.expect(200)[0]["readAt"], Value::Null);
    }
    assert_eq!(other.get("/api/admin/notifications").await.expect(200), json!([]));
    let path = "/api/admin/projects/shop";
    world.app.admin().json(Method::PUT, path, json!({ "name": "Shop", "mode": "private" })).await.expect(200);
    assert_eq!(author.get("/api/admin/notifications").await.expect(200), json!([]), "who may not see the project");
    assert_eq!(act(&author, Method::GET, path).await.status, 404);
}
