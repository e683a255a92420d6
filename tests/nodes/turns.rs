//! Changes of one node that would wait for each other in the database wait in the node, where a wait takes no
//! connection.

use std::sync::Arc;

use flagstone::store::db::pool;
use poem::http::Method;
use sea_orm::{ConnectionTrait as _, Database, DatabaseBackend, DatabaseConnection, Statement};
use serde_json::json;
use tokio::task::JoinHandle;

use crate::cluster::{ADMINISTRATOR, Node, eventually, migrated_database, nodes_on};

/// More than a node has connections for transactions.
const CHANGES: usize = 14;
/// Connections for transactions.
const CONNECTIONS: i64 = 12;
/// Key of the lock that holds the log of events, on every version.
const EVENT_LOG: i64 = 0x0046_4c41_4745_0001;

/// A node, and somebody else's only connection to its database.
async fn node() -> Option<(Arc<Node>, DatabaseConnection)> {
    let url = migrated_database().await?;
    let ([node], _) = nodes_on(&url).await;
    Some((Arc::new(node), Database::connect(pool(&url, 1)).await.expect("PostgreSQL")))
}

async fn describe(node: &Node, feature: &str) -> u16 {
    let path = format!("/api/admin/projects/default/features/{feature}");
    let operations = json!([{ "op": "replace", "path": "/description", "value": "changed" }]);
    node.ask(Method::PATCH, &path, Some(operations), ADMINISTRATOR).await.status().as_u16()
}

fn begin_to_describe(node: &Arc<Node>, feature: String) -> JoinHandle<u16> {
    let node = Arc::clone(node);
    tokio::spawn(async move { describe(&node, &feature).await })
}

/// On a slow machine some may have waited for as long as a change may.
async fn all_end(changes: Vec<JoinHandle<u16>>) {
    for change in changes {
        let status = change.await.expect("no panic");
        assert!(matches!(status, 200 | 503), "{status}");
    }
}

/// Numbers of connections in a transaction: those that wait for a lock, and those of which nothing is asked.
async fn in_transactions(holder: &DatabaseConnection) -> (i64, i64) {
    let sql = "SELECT count(*) FILTER (WHERE wait_event_type = 'Lock'), count(*) FILTER (WHERE state = 'idle in transaction') \
               FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()";
    // Within a transaction PostgreSQL goes on to show what it first saw.
    holder.execute_unprepared("SELECT pg_stat_clear_snapshot()").await.expect("forgets");
    let row = holder.query_one_raw(Statement::from_string(DatabaseBackend::Postgres, sql)).await;
    let row = row.expect("reads").expect("a row");
    (row.try_get_by_index(0).expect("a number"), row.try_get_by_index(1).expect("a number"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn who_waits_for_one_feature_keeps_nobody_from_changing_another() {
    let Some((node, holder)) = node().await else { return };
    node.create("held").await;
    node.create("free").await;
    holder.execute_unprepared("BEGIN; SELECT 1 FROM feature WHERE name = 'held' FOR UPDATE").await.expect("holds");
    let waiting: Vec<_> = (0..CHANGES).map(|_| begin_to_describe(&node, "held".to_owned())).collect();
    eventually("one waits in the database", async || in_transactions(&holder).await == (1, 0)).await;
    for _ in 0..10 {
        assert_eq!(describe(&node, "free").await, 200);
    }
    assert!(waiting.iter().all(|change| !change.is_finished()), "it had to wait until the others had given up");
    holder.execute_unprepared("ROLLBACK").await.expect("lets go");
    all_end(waiting).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_change_at_a_time_waits_for_the_log_of_events() {
    let Some((node, holder)) = node().await else { return };
    let names: Vec<String> = (0..CHANGES).map(|number| format!("flag-{number}")).collect();
    for name in &names {
        node.create(name).await;
    }
    holder.execute_unprepared(&format!("SELECT pg_advisory_lock({EVENT_LOG})")).await.expect("holds");
    // Features that share a queue would wait there.
    let waiting: Vec<_> = names.into_iter().map(|name| begin_to_describe(&node, name)).collect();
    let all = (1, CONNECTIONS - 1);
    eventually("one waits, the others are ready", async || in_transactions(&holder).await == all).await;
    holder.execute_unprepared("SELECT pg_advisory_unlock_all()").await.expect("lets go");
    all_end(waiting).await;
}
