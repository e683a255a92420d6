//! Proofs: what an auditor reads of a change request can be checked without the server, and forgeries are found.

use flagstone::{
    audit::{self, Scope, Trust},
    domain::{
        actor::Actor,
        change_request::{
            ChangeRequest,
            event::{ShownChange, Subject},
            state::State,
        },
        event::NewEvent,
        secret,
    },
    store::events::of_change_request::{self, Bounds},
};
use sea_orm::ConnectionTrait as _;
use serde_json::{Value, json};

use crate::{
    change_requests::{
        application::{apply, approve, caller},
        world::{PRODUCTION, World, switch},
    },
    harness::{TestApp, role},
};

fn path(id: i64) -> String {
    format!("/api/admin/projects/shop/change-requests/{id}/proof")
}

async fn proof(app: &TestApp, id: i64) -> Value {
    app.admin().get(&path(id)).await.expect(200)
}

async fn happen(app: &TestApp, events: Vec<NewEvent>) {
    app.tx().await.commit(app.clock.now(), events).await.expect("commits");
}

const fn subject(request: &ChangeRequest) -> Subject<'_> {
    Subject { id: request.id, project: "shop", environment: PRODUCTION, is_draft: false }
}

/// A change request by Ada that switches `cart` on, in review, with the events of that.
async fn requested(world: &World) -> ChangeRequest {
    let id = world.request(world.ada, State::InReview, &[switch("cart", true)]).await;
    let request = world.read(id).await;
    let ada = Actor::new(world.ada, "ada");
    let change = &request.changes[0];
    let shown = ShownChange { id: change.id, target: &change.target, action: &change.action, tags: &[] };
    let draft = Subject { is_draft: true, ..subject(&request) };
    let sent = draft.sent_to_review(&request.changes, None, &ada);
    let events = vec![draft.created(&ada), draft.change_added(&shown, &ada), sent];
    happen(&world.app, events).await;
    request
}

/// Lets a user approve it, with the event of that.
async fn approve_as(world: &World, request: &ChangeRequest, reviewer: i64) {
    approve(&world.app, request.id, reviewer).await;
    let approvals = world.read(request.id).await.approvals;
    let events = subject(request).approved(&approvals[0], 1, true, &Actor::new(reviewer, "ben"));
    happen(&world.app, events).await;
}

/// Chains the events that have happened.
pub async fn hashed(app: &TestApp) {
    app.db().note_change();
    audit::extend(&app.state).await.expect("hashes");
}

#[tokio::test]
async fn a_proof_grows_with_the_change_request_and_each_hash_is_that_of_its_text() {
    let world = World::new().await;
    let app = &world.app;
    let request = requested(&world).await;
    let told = proof(app, request.id).await;
    assert_eq!(
        (&told["result"], &told["approvals"], &told["application"]),
        (&json!("not-applied"), &json!([]), &Value::Null)
    );

    approve_as(&world, &request, world.ben).await;
    let told = proof(app, request.id).await;
    assert_eq!((&told["result"], &told["approvals"][0]["counts"]), (&json!("not-applied"), &json!(true)));
    assert_eq!((&told["approvals"][0]["event"]["hash"], &told["checkpoint"]), (&Value::Null, &Value::Null));

    apply(app, &caller(app, world.cleo).await, request.id, false).await.expect("no refusal");
    hashed(app).await;
    let made = audit::make_checkpoint_now(&app.state).await.expect("signs").expect("something happened");
    let told = proof(app, request.id).await;
    assert_eq!((&told["result"], &told["findings"], &told["remarks"]), (&json!("proved"), &json!([]), &json!([])));
    assert_eq!(told["checkpoint"], serde_json::to_value(&made).expect("JSON"));
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let digest = secret::digest(&text(&told["digestedText"]));
    assert_eq!(told["changesDigest"], digest);
    let expected =
        r#"{"changes":[{"action":"updateEnabled","feature":"cart","payload":{"enabled":true}}],"minApprovals":1}"#;
    assert_eq!(told["digestedText"], expected);
    let (approval, application) = (&told["approvals"][0], &told["application"]);
    assert_eq!((&approval["changesDigest"], &application["changesDigest"]), (&json!(digest), &json!(digest)));
    assert_eq!(application["approvalIds"], json!([approval["approvalId"]]));
    assert_eq!(
        (&approval["event"]["createdByUserId"], &application["event"]["createdByUserId"]),
        (&world.ben.into(), &world.cleo.into())
    );
    for event in [&approval["event"], &application["event"]] {
        assert_eq!(event["hash"], secret::digest(&text(&event["hashedText"])));
        assert!(text(&event["hashedText"]).contains(&format!("\"id\":{},", event["id"])));
    }
}

#[tokio::test]
async fn a_verification_of_the_log_proves_what_was_applied_and_finds_what_was_not_approved() {
    let world = World::new().await;
    let app = &world.app;
    let request = requested(&world).await;
    approve_as(&world, &request, world.ben).await;
    apply(app, &caller(app, world.cleo).await, request.id, false).await.expect("no refusal");
    hashed(app).await;
    let trust = Trust::default();
    let verify = || audit::verify(app.db(), &trust, &[], Scope::default());
    let verdict = verify().await.expect("reads");
    assert_eq!((verdict.fault, verdict.applications.proved, verdict.applications.fault_count), (None, 1, 0));

    // Somebody who can write to the database appends what would be needed for another application.
    let other = Subject { id: request.id + 1, ..subject(&request) };
    happen(
        app,
        vec![
            other.created(&Actor::new(world.ada, "ada")),
            other.applied("0", &[], false, &Actor::new(world.ada, "ada")),
        ],
    )
    .await;
    hashed(app).await;
    let verdict = verify().await.expect("reads");
    let forged = app.events().await.last().expect("an event").id;
    assert_eq!((verdict.fault, verdict.applications.proved), (None, 1));
    assert_eq!(verdict.applications.faults.iter().map(|fault| fault.event_id).collect::<Vec<_>>(), [forged]);
}

#[tokio::test]
async fn a_proof_names_what_was_forged() {
    let world = World::new().await;
    let app = &world.app;
    let request = requested(&world).await;
    approve_as(&world, &request, world.ada).await;
    apply(app, &caller(app, world.cleo).await, request.id, false).await.expect("no refusal");
    hashed(app).await;
    let told = proof(app, request.id).await;
    let approval = told["approvals"][0]["event"]["id"].as_i64().expect("an id");
    let remark = format!("the approval of event {approval} is by the author, which only administrators can give");
    assert_eq!((&told["result"], &told["remarks"]), (&json!("proved"), &json!([remark])));

    let tx = app.tx().await;
    let statement = format!("UPDATE event SET created_by_user_id = {} WHERE id = {approval}", world.ben);
    tx.execute_unprepared(&statement).await.expect("changes");
    app.commit(tx).await;
    let told = proof(app, request.id).await;
    assert_eq!(told["findings"], json!([format!("event {approval} is not the one that was hashed")]));
    assert_eq!((&told["result"], &told["remarks"]), (&json!("not-proved"), &json!([])));
}

#[tokio::test]
async fn a_proof_is_seen_by_those_who_see_the_change_request() {
    let world = World::new().await;
    let app = &world.app;
    let viewer = app.person(role::VIEWER, None).await;
    let draft = world.request(world.ada, State::Draft, &[switch("cart", true)]).await;
    let message = format!("There is no change request {draft}");
    let answer = viewer.get(&path(draft)).await;
    assert_eq!((answer.status, answer.body["name"].as_str()), (404, Some("NotFoundError")), "{message}");
    let request = requested_by(&world, world.ben).await;
    assert_eq!(viewer.get(&path(request)).await.expect(200)["state"], "In review");
    app.project("other").await;
    let elsewhere = format!("/api/admin/projects/other/change-requests/{request}/proof");
    assert_eq!(viewer.get(&elsewhere).await.status, 404);
}

async fn requested_by(world: &World, user: i64) -> i64 {
    world.request(user, State::InReview, &[switch("cart", true)]).await
}

#[tokio::test]
async fn events_are_read_up_to_a_number_of_them_and_of_their_bytes() {
    let world = World::new().await;
    let request = requested(&world).await;
    let list = async |events, bytes| {
        let bounds = Bounds { events, bytes };
        let found = of_change_request::list(world.app.db(), request.id, "shop", request.created_at, bounds).await;
        found.expect("lists")
    };
    let all = list(3, 1 << 20).await;
    let kinds: Vec<&str> = all.events.iter().map(|event| &*event.kind).collect();
    assert_eq!(kinds, ["change-request-created", "change-added", "change-request-sent-to-review"]);
    assert!(!all.is_cut);
    let size = |text: Option<&str>| text.map_or(0, str::len);
    let first = &all.events[0];
    let first =
        u64::try_from(size(first.data.as_deref()) + size(first.pre_data.as_deref()) + first.tags.len()).expect("few");
    for (events, bytes, expected) in [(1, 1 << 20, 1), (2, first, 1), (2, first - 1, 0)] {
        let found = list(events, bytes).await;
        assert_eq!((found.events.len(), found.is_cut), (expected, true), "{events} {bytes}");
        assert_eq!(&found.events[..], &all.events[..expected]);
    }
}
