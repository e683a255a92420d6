//! Change requests that are stored as they are once they have been approved and scheduled, and what has become of them.

use std::collections::BTreeMap;

use flagstone::{
    domain::{
        change_request::{
            Target,
            action::{Action, Switch},
            review::Verdict,
            state::State,
        },
        time::Timestamp,
    },
    store::{
        change_requests::{self, NewChange, NewChangeRequest, schedules},
        db::Db,
        entity::event,
    },
};
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _};

/// Type of the event of an application by a schedule.
pub const SUCCESS: &str = "change-request-scheduled-application-success";
const SWITCHED_ON: &str = "feature-environment-enabled";

/// Stores a change request of `author` for each of these features of the project `default`, which switches it on in
/// `production`, is approved by `reviewer`, and is due at its instant. Returns their ids.
pub async fn store(
    db: &Db,
    [author, reviewer]: [i64; 2],
    features: &[(String, Timestamp)],
    now: Timestamp,
) -> Vec<i64> {
    let tx = db.begin().await.expect("begins");
    let new = NewChangeRequest { project: "default", environment: "production", created_by: author, min_approvals: 1 };
    let mut ids = Vec::new();
    for (feature, due) in features {
        let (head, is_new) = change_requests::join_or_create(&tx, &new, now).await.expect("joins");
        assert!(is_new, "{feature}");
        let action = Action::UpdateEnabled(Switch { enabled: true, should_activate_disabled_strategies: None });
        let target = Target::Feature { name: feature.clone(), id: None };
        let change = NewChange { target, action, snapshot: None };
        change_requests::append(&tx, &head, &[change], author, now).await.expect("appends");
        let head = change_requests::hold(&tx, head.id).await.expect("reads").expect("a change request");
        assert!(change_requests::enter(&tx, &head, State::Scheduled, now).await.expect("enters"));
        let digest = change_requests::find(&tx, head.id).await.expect("reads").expect("a change request").digest();
        let review = change_requests::add_review(&tx, head.id, reviewer, Verdict::Approval, &digest, now).await;
        assert!(review.expect("reviews").is_some());
        schedules::set(&tx, head.id, *due, author).await.expect("schedules");
        ids.push(head.id);
    }
    tx.commit(now, []).await.expect("commits");
    ids
}

/// Numbers of times that the change requests were applied, by their ids. Each application has switched its feature on,
/// and nothing else has.
pub async fn applications(db: &Db) -> BTreeMap<i64, usize> {
    let events =
        async |kind: &str| event::Entity::find().filter(event::Column::Type.eq(kind)).all(db).await.expect("reads");
    let mut applications = BTreeMap::new();
    for event in events(SUCCESS).await {
        let data: serde_json::Value = event.data.as_deref().expect("data").parse().expect("JSON");
        *applications.entry(data["changeRequestId"].as_i64().expect("an id")).or_default() += 1;
    }
    let mut switched = BTreeMap::new();
    for event in events(SWITCHED_ON).await {
        *switched.entry(event.feature_name.expect("a feature")).or_insert(0) += 1;
    }
    assert_eq!(switched.len(), applications.len(), "each application has its change");
    assert!(switched.values().all(|times| *times == 1), "{switched:?}");
    for id in applications.keys() {
        let request = change_requests::find(db, *id).await.expect("reads").expect("a change request");
        assert_eq!((request.state, &request.schedule), (State::Applied, &None), "{id}");
        assert_eq!(request.applied_digest, Some(request.digest()), "{id}");
    }
    applications
}
