//! Programs do not wait for the database.

use flagstone::{
    domain::{actor::Actor, event::NewEvent, event_kind::EventKind, time::Timestamp},
    store::{self, db::Db},
};

use super::{FEATURES, switch};
use crate::harness::TestApp;

#[tokio::test]
async fn what_was_read_once_is_answered_without_the_database() {
    let app = TestApp::new().await;
    app.project("shop").await;
    app.feature("shop", "f").await;
    let program = app.program(&["shop"], "development").await;
    let first = program.get(FEATURES).await.expect(200);
    app.db().clone().close().await.expect("closes");
    assert_eq!(program.get(FEATURES).await.expect(200), first);
    assert_eq!(program.get("/api/client/features/f").await.expect(200), first["features"][0]);
    assert_eq!(program.get("/api/client/delta").await.status, 200);
    // Something changed, and nobody can see what: the last known state is told on.
    app.db().note_change();
    assert_eq!(program.get(FEATURES).await.expect(200), first);
}

#[tokio::test]
async fn a_change_on_another_node_is_seen_at_the_next_look() {
    let app = TestApp::new().await;
    let Some(directory) = app.directory() else { return };
    app.project("shop").await;
    let id = app.feature("shop", "f").await;
    let token = app.program_token(&["shop"], "development", None).await;
    let program = app.with_authorization(&token);
    let enabled = async || program.get(FEATURES).await.expect(200)["features"][0]["enabled"] == true;
    assert!(!enabled().await);
    let other = Db::open(&format!("sqlite://{}", directory.join("test.db").display())).await.expect("opens");
    let commit = async |kind: EventKind, sql: &str| {
        let tx = other.begin().await.expect("a transaction");
        sea_orm::ConnectionTrait::execute_unprepared(&tx, sql).await.expect("writes");
        let event = NewEvent::new(kind, &Actor::system());
        tx.commit(Timestamp::from_millis(0), [event]).await.expect("commits");
    };
    commit(
        EventKind::FeatureEnvironmentEnabled,
        &format!("UPDATE feature_environment SET enabled = true WHERE feature_id = {id}"),
    )
    .await;
    assert!(!enabled().await, "not noticed yet");
    app.state.sdk.poll().await.expect("looks");
    assert!(enabled().await);
    commit(EventKind::ApiTokenDeleted, "DELETE FROM api_token").await;
    assert!(enabled().await, "not noticed yet");
    app.state.sdk.poll().await.expect("looks");
    program.get(FEATURES).await.refused(401, "AuthenticationRequired", "token");
}

#[tokio::test]
async fn a_change_of_something_else_does_not_read_the_features_again() {
    let app = TestApp::new().await;
    app.project("shop").await;
    let id = app.feature("shop", "f").await;
    let environment = async || app.state.sdk.environment("development").await.expect("reads");
    let first = environment().await;
    let tx = app.tx().await;
    let event = NewEvent::new(EventKind::UserCreated, &Actor::system());
    tx.commit(app.clock.now(), [event]).await.expect("commits");
    assert!(std::sync::Arc::ptr_eq(&first, &environment().await));
    switch(&app, id, "development", true).await;
    assert!(!std::sync::Arc::ptr_eq(&first, &environment().await));
}

#[tokio::test]
async fn what_does_not_change_is_shared_between_states() {
    let app = TestApp::new().await;
    app.project("shop").await;
    let (one, _) = (app.feature("shop", "a").await, app.feature("shop", "b").await);
    let first = app.state.sdk.environment("development").await.expect("reads");
    switch(&app, one, "development", true).await;
    let second = app.state.sdk.environment("development").await.expect("reads");
    let shared = |index: usize| std::sync::Arc::ptr_eq(&first.flags()[index], &second.flags()[index]);
    assert_eq!((shared(0), shared(1)), (false, true));
    assert!(store::events::revisions::newest(app.db()).await.expect("reads") > 0);
}
