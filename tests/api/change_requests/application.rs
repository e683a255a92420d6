//! Applying a change request: the same as the direct calls, all of it or nothing, whatever the person who applies it may do.

mod freezes;
mod generated;
mod sequences;

use flagstone::{
    access::{Caller, Identity},
    changes::{Author, Begin, change_requests::application, guard::Passage},
    config::Limits,
    domain::{
        change_request::{Target, review::Verdict, state::State},
        secret,
    },
    error::Error,
    store::{
        self,
        access::{Credential, find_holder},
        change_requests::{self, NewChange, NewChangeRequest},
    },
};
use poem::http::Method;
use serde_json::{Value, json};

use crate::{
    change_requests::world::{World, feature, held, of, put, switch},
    harness::TestApp,
};

/// Environment of the tests.
const DEVELOPMENT: &str = "development";
const CART: &str = "/api/admin/projects/shop/features/cart";

/// Lets a change request be approved by a user.
pub async fn approve(app: &TestApp, id: i64, reviewer: i64) {
    let (tx, now) = (app.tx().await, app.clock.now());
    let request = change_requests::find(&tx, id).await.expect("reads").expect("a change request");
    let digest = request.digest();
    let review = change_requests::add_review(&tx, id, reviewer, Verdict::Approval, &digest, now).await;
    assert!(review.expect("reviews").is_some());
    let head = held(&tx, id).await;
    assert!(change_requests::enter(&tx, &head, State::Approved, now).await.expect("enters"));
    app.commit(tx).await;
}

/// A change request of a user with these changes, which another user has approved.
async fn approved(app: &TestApp, author: i64, reviewer: i64, changes: &[NewChange]) -> i64 {
    let new = NewChangeRequest { project: "shop", environment: DEVELOPMENT, created_by: author, min_approvals: 1 };
    let (id, _) = put(app, &new, State::Draft, changes).await;
    approve(app, id, reviewer).await;
    id
}

/// A user as a caller, who may do no more than their roles allow.
pub async fn caller(app: &TestApp, user_id: i64) -> Caller {
    let (session, now) = (flagstone::clock::new_uuid().simple().to_string(), app.clock.now());
    let digest = secret::digest(&session);
    let tx = app.tx().await;
    store::users::sessions::start(&tx, &digest, user_id, now, now.plus_days(1)).await.expect("a session");
    app.commit(tx).await;
    let holder = find_holder(app.db(), Credential::Session, &digest, now).await.expect("reads");
    Caller::new(Identity::Person(holder.expect("a holder")), app.db().clone())
}

/// Applies a change request as this caller.
pub async fn apply(app: &TestApp, caller: &Caller, id: i64, by_schedule: bool) -> Result<(), Error> {
    let limits = Limits::default();
    let passage = Passage::Approved { change_request: id };
    let author = Author { caller, db: app.db(), clock: &app.clock, limits: &limits, passage };
    let transaction = author.begin(Begin::Change).await?;
    application::hold_targets(&transaction, id).await?;
    let head = held(&transaction.tx, id).await;
    let request = change_requests::find(&transaction.tx, id).await?.expect("a change request");
    let events = application::apply(&transaction, &head, &request, by_schedule).await?;
    transaction.commit(events).await
}

async fn state(app: &TestApp, id: i64) -> State {
    change_requests::find(app.db(), id).await.expect("reads").expect("a change request").state
}

#[tokio::test]
async fn somebody_who_may_do_nothing_else_applies_what_was_approved_and_the_log_proves_it() {
    let world = World::new().await;
    let app = &world.app;
    super::guard::guard(app, "shop", DEVELOPMENT).await;
    let segment = json!({ "name": "staff", "project": "shop", "constraints": [] });
    let segment = app.admin().post("/api/admin/segments", segment).await.expect(201)["id"].as_i64().expect("an id");
    let renamed = json!({ "id": segment, "name": "people", "constraints": [] });
    let changes = [
        switch("cart", true),
        of(feature("cart"), "addStrategy", json!({ "name": "default", "title": "Second" })),
        of(Target::Segment(segment), "updateSegment", renamed),
    ];
    let id = approved(app, world.ada, world.ben, &changes).await;
    let request = world.read(id).await;
    let before = app.event_types().await;
    apply(app, &caller(app, world.cleo).await, id, false).await.expect("no refusal");

    let events = app.events().await.split_off(before.len());
    let types: Vec<&str> = events.iter().map(|event| event.r#type.as_str()).collect();
    let expected = [
        "feature-strategy-add",
        "feature-environment-enabled",
        "feature-strategy-add",
        "segment-updated",
        "change-request-applied",
    ];
    assert_eq!(types, expected);
    assert!(events.iter().all(|event| event.created_by_user_id == Some(world.cleo)));
    let data: Value = serde_json::from_str(events[4].data.as_deref().expect("data")).expect("JSON");
    let approvals: Vec<i64> = request.approvals.iter().map(|approval| approval.id).collect();
    let proof = json!({ "changeRequestId": id, "changesDigest": request.digest(), "approvalIds": approvals });
    assert_eq!(data, proof);
    let after = world.read(id).await;
    assert_eq!((after.state, after.schedule, after.applied_digest), (State::Applied, None, Some(request.digest())));
    let segment = app.admin().get(&format!("/api/admin/segments/{segment}")).await.expect(200);
    assert_eq!((&segment["name"], &segment["project"]), (&json!("people"), &json!("shop")));
    let strategies = app.admin().get(&format!("{CART}/environments/development/strategies")).await.expect(200);
    assert_eq!(strategies.as_array().map(Vec::len), Some(2));
}

#[tokio::test]
async fn what_the_clock_applies_says_so_and_its_schedule_ends() {
    let world = World::new().await;
    let app = &world.app;
    let id = approved(app, world.ada, world.ben, &[switch("cart", true)]).await;
    let tx = app.tx().await;
    let head = held(&tx, id).await;
    assert!(change_requests::enter(&tx, &head, State::Scheduled, world.now()).await.expect("enters"));
    change_requests::schedules::set(&tx, id, world.now(), world.cleo).await.expect("schedules");
    app.commit(tx).await;
    apply(app, &caller(app, world.cleo).await, id, true).await.expect("no refusal");
    let last = app.event_types().await.pop();
    assert_eq!(last.as_deref(), Some("change-request-scheduled-application-success"));
    let after = world.read(id).await;
    assert_eq!((after.state, after.schedule), (State::Applied, None));
}

#[tokio::test]
async fn a_change_that_is_refused_takes_all_others_back_and_is_named() {
    let world = World::new().await;
    let app = &world.app;
    let constraint = json!({ "contextName": "nowhere", "operator": "IN", "values": ["1"] });
    let refused = json!({ "name": "default", "constraints": [constraint] });
    let changes = [switch("cart", true), of(feature("cart"), "addStrategy", refused)];
    let id = approved(app, world.ada, world.ben, &changes).await;
    let before = app.event_types().await;
    let error = apply(app, &caller(app, world.cleo).await, id, false).await.expect_err("a refusal").to_string();
    let change = world.read(id).await.changes[1].id;
    let named = format!("Change {change} (addStrategy of the feature \"cart\") is refused: The /body/constraints/0");
    assert!(error.contains(&named), "{error}");
    assert_eq!(app.event_types().await, before);
    assert_eq!(state(app, id).await, State::Approved);
    let strategies = app.admin().get(&format!("{CART}/environments/development/strategies")).await.expect(200);
    assert_eq!(strategies, json!([]));
}

#[tokio::test]
async fn conflicts_are_found_before_anything_is_changed() {
    let world = World::new().await;
    let app = &world.app;
    let strategies = format!("{CART}/environments/development/strategies");
    let strategy = app.admin().post(&strategies, json!({ "name": "default" })).await.expect(200)["id"].clone();
    let segment = json!({ "name": "staff", "project": "shop", "constraints": [] });
    let segment = app.admin().post("/api/admin/segments", segment).await.expect(201)["id"].as_i64().expect("an id");
    app.feature("shop", "menu").await;
    let changes = [
        of(world.target(), "deleteStrategy", json!({ "id": strategy })),
        switch("menu", true),
        switch("menu", false),
        of(Target::Segment(segment), "deleteSegment", json!({ "id": segment })),
    ];
    let id = approved(app, world.ada, world.ben, &changes).await;
    let strategy = strategy.as_str().expect("an id");
    app.admin().request(Method::DELETE, &format!("{strategies}/{strategy}"), &[], Vec::new()).await.expect(200);
    app.admin().request(Method::DELETE, "/api/admin/projects/shop/features/menu", &[], Vec::new()).await.expect(202);
    let global = json!({ "name": "staff", "constraints": [] });
    app.admin().json(Method::PUT, &format!("/api/admin/segments/{segment}"), global).await.expect(204);

    let before = app.event_types().await;
    let error = apply(app, &caller(app, world.cleo).await, id, false).await.expect_err("a refusal").to_string();
    let ids: Vec<i64> = world.read(id).await.changes.iter().map(|change| change.id).collect();
    let expected = format!(
        "The change request cannot be applied. \
         Change {} (deleteStrategy of the feature \"cart\"): A strategy of this change has been deleted. \
         Changes of the feature \"menu\": The feature is archived. Revive it to apply the changes. \
         Change {} (deleteSegment of the segment {segment}): The segment no longer belongs to the project.",
        ids[0], ids[3],
    );
    assert_eq!(error, expected);
    assert_eq!(app.event_types().await, before);
}

#[tokio::test]
async fn approvals_of_other_changes_apply_nothing() {
    let world = World::new().await;
    let app = &world.app;
    let id = approved(app, world.ada, world.ben, &[switch("cart", true)]).await;
    // As nobody could: the state stays, although the changes are others.
    let tx = app.tx().await;
    let head = held(&tx, id).await;
    let more = [of(feature("cart"), "addStrategy", json!({ "name": "default" }))];
    change_requests::append(&tx, &head, &more, world.ada, world.now()).await.expect("appends");
    app.commit(tx).await;
    let before = app.event_types().await;
    let error = apply(app, &caller(app, world.cleo).await, id, false).await.expect_err("a refusal").to_string();
    assert_eq!(error, "The change request needs 1 approvals of its changes as they are now, and has 0.");
    assert_eq!(app.event_types().await, before);
}
