//! Things that one node takes away while another is about to use them.

use flagstone::store;
use poem::http::Method;
use sea_orm::{ConnectionTrait as _, DatabaseBackend, Statement};
use serde_json::{Value, json};

use crate::cluster::{ADMINISTRATOR, Node, eventually, nodes};

/// Whether a statement waits for what another transaction holds.
async fn is_anybody_waiting(node: &Node) -> bool {
    let sql = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    let row = node.state.db.query_one_raw(Statement::from_string(DatabaseBackend::Postgres, sql)).await;
    row.expect("reads").is_some()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_feature_that_is_made_with_a_tag_whose_type_is_being_removed_is_refused_by_name() {
    let Some((nodes, clock)) = nodes::<2>().await else { return };
    let kind = json!({ "name": "team", "description": "" });
    nodes[0].call(Method::POST, "/api/admin/tag-types", Some(kind)).await;
    let tx = nodes[0].state.db.begin().await.expect("begins");
    store::tags::types::hold(&tx, "team").await.expect("reads").expect("a type");
    store::tags::types::delete(&tx, "team").await.expect("deletes");
    let path = "/api/admin/projects/default/features";
    let body = json!({ "name": "cart", "tags": [{ "type": "team", "value": "blue" }] });
    let making = nodes[1].ask(Method::POST, path, Some(body), ADMINISTRATOR);
    let removing = async {
        eventually("the feature waits for the type", async || is_anybody_waiting(&nodes[0]).await).await;
        tx.commit(clock.now(), []).await.expect("commits");
    };
    let (answer, ()) = futures_util::future::join(making, removing).await;
    let status = answer.status().as_u16();
    let text = answer.into_body().into_string().await.expect("a body");
    let refusal: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!((status, &refusal["name"]), (400, &json!("ValidationError")), "{text}");
    assert!(text.contains("/body/tags/0/type") && text.contains("there is no"), "{text}");
}
