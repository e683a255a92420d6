//! What one node changes, the others hear of at once; and where they cannot hear, they look.

use flagstone::domain::time::DAY_MS;
use sea_orm::{ConnectionTrait as _, DatabaseBackend, Statement};

use crate::cluster::{Node, eventually, nodes};

fn listen(node: &Node) -> tokio::task::JoinHandle<()> {
    let sdk = std::sync::Arc::clone(&node.state.sdk);
    tokio::spawn(async move { sdk.listen().await })
}

async fn hears(node: &Node) {
    eventually("the node listens", async || node.state.sdk.figures().is_listening()).await;
}

#[tokio::test]
async fn a_change_is_heard_of_without_looking() {
    let Some(([one, other, deaf], _)) = nodes().await else { return };
    let listening = listen(&other);
    hears(&other).await;
    for node in [&one, &other, &deaf] {
        assert!(!node.tells_of("new").await);
    }
    let mut streams = other.state.db.watch_changes();
    streams.mark_unchanged();
    one.create("new").await;
    eventually("the change is heard of", async || other.tells_of("new").await).await;
    assert!(streams.has_changed().expect("the sender lives"), "those who wait for changes are told");
    assert!(!deaf.tells_of("new").await, "only the notification can have told it");
    deaf.state.sdk.poll().await.expect("looks");
    assert!(deaf.tells_of("new").await);
    listening.abort();
}

#[tokio::test]
async fn the_log_of_every_node_tells_what_one_is_told_to() {
    let Some(([one, other], clock)) = nodes().await else { return };
    let listening = listen(&other);
    hears(&other).await;
    let following = other.state.clone();
    let following = tokio::spawn(async move { flagstone::jobs::follow_log_level(&following).await });
    let body = serde_json::json!({ "level": "debug", "minutes": 1 });
    one.call(poem::http::Method::PUT, "/api/admin/log-level", Some(body)).await;
    assert_eq!(one.state.config.log.in_force().as_deref(), Some("debug"));
    let follows = async || other.state.config.log.in_force().as_deref() == Some("debug");
    eventually("the other node follows", follows).await;
    clock.advance(60_000);
    eventually("it falls back by itself", async || other.state.config.log.in_force().is_none()).await;
    listening.abort();
    following.abort();
}

#[tokio::test]
async fn what_is_undone_is_not_told() {
    let Some(([one, other], clock)) = nodes().await else { return };
    let listening = listen(&other);
    hears(&other).await;
    assert!(!other.tells_of("new").await);
    let before = other.state.db.generation();
    // Neither a change that is dropped nor one without an event is anything to hear of.
    drop(one.state.db.begin().await.expect("a transaction"));
    let tx = one.state.db.begin().await.expect("a transaction");
    tx.commit(clock.now().plus_millis(DAY_MS), []).await.expect("commits");
    one.create("new").await;
    eventually("the change is heard of", async || other.tells_of("new").await).await;
    assert_eq!(other.state.db.generation(), before + 1);
    listening.abort();
}

#[tokio::test]
async fn a_node_whose_connection_is_cut_looks_and_listens_again() {
    let Some(([one, other], _)) = nodes().await else { return };
    let listening = listen(&other);
    hears(&other).await;
    assert!(!other.tells_of("missed").await);
    let cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
        WHERE datname = current_database() AND query LIKE 'LISTEN%'";
    let mut heard_again = 0;
    for round in 0..3 {
        one.state.db.query_all_raw(Statement::from_string(DatabaseBackend::Postgres, cut)).await.expect("cuts");
        eventually("the loss is noticed", async || !other.state.sdk.figures().is_listening()).await;
        let missed = format!("missed-{round}");
        one.create(&missed).await;
        other.state.sdk.poll().await.expect("looks");
        assert!(other.tells_of(&missed).await);
        hears(&other).await;
        let heard = format!("heard-{round}");
        one.create(&heard).await;
        eventually("the next change is heard of", async || other.tells_of(&heard).await).await;
        heard_again += 1;
    }
    assert_eq!(heard_again, 3);
    listening.abort();
}
