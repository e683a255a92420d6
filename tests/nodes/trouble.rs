//! What PostgreSQL refuses for a while is refused clearly, changes nothing, and is done when it is asked for again.

use flagstone::{
    clock::Clock,
    store::db::{Db, pool},
};
use poem::http::{Method, header};
use sea_orm::{ConnectionTrait as _, Database, DatabaseBackend, DatabaseConnection, Statement};
use serde_json::{Value, json};

use crate::cluster::{ADMINISTRATOR, Node, migrated_database, nodes_on};

/// Codes that tell of trouble that passes: a lost race, a deadlock, a lock or a statement that took too long, a
/// transaction that idled, a server without memory, disk or connections, and one that takes no writes any more.
const PASSING: [&str; 9] = ["40001", "40P01", "55P03", "57014", "25P03", "53200", DISK_FULL, "53300", "25006"];
const DISK_FULL: &str = "53100";
const FEATURE: &str = "/api/admin/projects/default/features/flag";

/// A node with a feature, its clock, and a connection of somebody else to the same database, which is called so.
async fn node() -> Option<(Node, Clock, DatabaseConnection, String)> {
    let url = migrated_database().await?;
    let ([node], clock) = nodes_on(&url).await;
    node.create("flag").await;
    Some((node, clock, Database::connect(pool(&url, 5)).await.expect("PostgreSQL"), url))
}

async fn describe(node: &Node, description: &str) -> (u16, Option<String>, Value) {
    let operations = json!([{ "op": "replace", "path": "/description", "value": description }]);
    let answer = node.ask(Method::PATCH, FEATURE, Some(operations), ADMINISTRATOR).await;
    let (status, again) = (answer.status().as_u16(), answer.header(header::RETRY_AFTER).map(str::to_owned));
    let text = answer.into_body().into_string().await.expect("a body");
    (status, again, serde_json::from_str(&text).expect("JSON"))
}

/// Asserts that a change is refused as one that may be tried again, and that nothing came of it.
async fn is_refused(node: &Node, what: &str) {
    let events = "/api/admin/search/events?feature=IS:flag";
    let before = (node.call(Method::GET, FEATURE, None).await, node.call(Method::GET, events, None).await);
    let (status, again, body) = describe(node, what).await;
    let name = if what == DISK_FULL { "DiskFullError" } else { "UnavailableError" };
    assert_eq!((status, &body["name"]), (503, &json!(name)), "{what}: {body}");
    assert!(again.is_some_and(|seconds| seconds.parse::<u32>().is_ok_and(|seconds| seconds > 0)), "{what}");
    let text = body.to_string();
    assert!(!text.contains("secret") && !text.to_lowercase().contains("update "), "{what}: {text}");
    let after = (node.call(Method::GET, FEATURE, None).await, node.call(Method::GET, events, None).await);
    assert_eq!(before, after, "{what}");
}

async fn succeeds(node: &Node, description: &str) {
    let (status, _, body) = describe(node, description).await;
    assert_eq!((status, &body["description"]), (200, &json!(description)), "{body}");
}

#[tokio::test]
async fn trouble_that_passes_is_told_from_faults() {
    let Some((node, _, other, _)) = node().await else { return };
    let fail_with = async |code: &str| {
        let function = format!(
            "CREATE OR REPLACE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS \
             $$ BEGIN RAISE EXCEPTION 'secret' USING ERRCODE = '{code}'; END $$"
        );
        other.execute_unprepared(&function).await.expect("makes it");
    };
    fail_with(PASSING[0]).await;
    let trigger = "CREATE TRIGGER fail BEFORE INSERT ON event FOR EACH ROW EXECUTE FUNCTION fail()";
    other.execute_unprepared(trigger).await.expect("makes it");
    for code in PASSING {
        fail_with(code).await;
        is_refused(&node, code).await;
    }
    fail_with("XX000").await;
    let (status, again, body) = describe(&node, "a fault").await;
    assert_eq!((status, again, &body["name"]), (500, None, &json!("InternalError")));
    assert!(!body.to_string().contains("secret"), "{body}");
    other.execute_unprepared("DROP TRIGGER fail ON event").await.expect("drops it");
    succeeds(&node, "done").await;
}

#[tokio::test]
async fn a_change_that_waits_for_longer_than_the_operator_allows_is_refused() {
    let Some((_, clock, other, url)) = node().await else { return };
    let (_, name) = url.rsplit_once('/').expect("a database URL");
    other.execute_unprepared(&format!("ALTER DATABASE {name} SET statement_timeout = '2s'")).await.expect("sets it");
    let node = Node::on(Db::open(&url).await.expect("PostgreSQL"), clock);
    // Somebody holds the feature, and does not let go of it.
    let holder = Database::connect(pool(&url, 5)).await.expect("PostgreSQL");
    let hold = "BEGIN; SELECT * FROM feature WHERE name = 'flag' FOR UPDATE";
    let pool = holder.get_postgres_connection_pool();
    let mut session = pool.acquire().await.expect("a connection");
    sea_orm::sqlx::raw_sql(hold).execute(&mut *session).await.expect("holds it");
    is_refused(&node, "held").await;
    sea_orm::sqlx::raw_sql("ROLLBACK").execute(&mut *session).await.expect("lets go");
    succeeds(&node, "free").await;
}

#[tokio::test]
async fn a_server_that_takes_no_writes_any_more_is_read_and_refuses_changes_clearly() {
    let Some((_, clock, other, url)) = node().await else { return };
    let (_, name) = url.rsplit_once('/').expect("a database URL");
    let set = format!("ALTER DATABASE {name} SET default_transaction_read_only = on");
    other.execute_unprepared(&set).await.expect("sets it");
    let node = Node::on(Db::open(&url).await.expect("PostgreSQL"), clock.clone());
    is_refused(&node, "only read").await;
    // Where writes go on, a node that starts there writes.
    let reset = format!("ALTER DATABASE {name} RESET default_transaction_read_only");
    other.execute_unprepared(&reset).await.expect("resets it");
    succeeds(&Node::on(Db::open(&url).await.expect("PostgreSQL"), clock), "written").await;
}

#[tokio::test]
async fn connections_that_the_server_ended_are_replaced_and_nobody_notices() {
    let Some((node, _, other, _)) = node().await else { return };
    let end = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity \
               WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()";
    for round in 0..3 {
        succeeds(&node, &format!("before {round}")).await;
        let ended = other.query_all_raw(Statement::from_string(DatabaseBackend::Postgres, end)).await.expect("ends");
        assert!(ended.len() >= 2, "one that reads and one that changes, at least");
        succeeds(&node, &format!("after {round}")).await;
    }
}

#[tokio::test]
async fn a_change_uses_the_connection_of_the_one_before() {
    let Some((node, _, other, _)) = node().await else { return };
    // The server's own vacuum may be there, too.
    let sql = "SELECT count(*) FROM pg_stat_activity \
               WHERE datname = current_database() AND backend_type = 'client backend'";
    let connections = async || {
        let row = other.query_one_raw(Statement::from_string(DatabaseBackend::Postgres, sql)).await;
        row.expect("reads").expect("a row").try_get_by_index::<i64>(0).expect("a number")
    };
    succeeds(&node, "the first").await;
    let before = connections().await;
    for round in 0..10 {
        succeeds(&node, &format!("change {round}")).await;
    }
    assert_eq!(connections().await, before);
}
