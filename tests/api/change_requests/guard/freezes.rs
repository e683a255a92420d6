//! The guard holds in a freeze as well: against everybody, but for who switches off or breaks the glass.

use super::{DEVELOPMENT, PRODUCTION, Scope, guarded, powerful};
use crate::{
    authorization::{access::Asker, client, row::Row, shop_for},
    freeze_windows::freeze,
    harness::{Client, TestApp},
};

const REASON: (&str, &str) = ("x-change-reason", "Payments%20are%20down");

/// Calls that a freeze refuses. Segments that no strategy applies are changed at any time: they have tests of their own.
fn frozen() -> Vec<(Scope, Row)> {
    let passes = ["toggleFeatureEnvironmentOff", "bulkToggleFeaturesEnvironmentOff", "updateSegment", "removeSegment"];
    guarded().into_iter().filter(|(_, row)| !passes.contains(&row.operation)).collect()
}

async fn refuse(app: &TestApp, row: &Row, client: &Client, who: &str) {
    let before = app.event_types().await;
    let answer = row.call.take(client).await;
    assert_eq!(answer.status, 403, "{} as {who}: {}", row.operation, answer.text);
    assert_eq!(answer.body["name"], "EnvironmentFrozenError", "{} as {who}: {}", row.operation, answer.text);
    let message = answer.body["message"].as_str().expect("a message");
    for part in ["\"development\" environment is frozen until 2026-01-16 13:00 (Europe/Berlin)", "\"Stocktaking\""] {
        assert!(message.contains(part), "{} as {who}: {message}", row.operation);
    }
    assert_eq!(app.event_types().await, before, "{} as {who}", row.operation);
}

#[tokio::test]
async fn every_guarded_call_is_refused_in_a_freeze_and_passes_with_a_reason() {
    let mut refused = 0;
    for (scope, row) in frozen() {
        let app = shop_for(&row).await;
        freeze(&app, Some(DEVELOPMENT), &[]).await;
        for asker in [Asker::Administrator, Asker::AdminToken] {
            refuse(&app, &row, &client(&app, asker).await, &format!("{asker:?}")).await;
            refused += 1;
        }
        let person = powerful(&app, &[PRODUCTION]).await.sending(&[REASON]);
        refuse(&app, &row, &person, "somebody who may skip elsewhere").await;
        let here = powerful(&app, &[DEVELOPMENT]).await;
        refuse(&app, &row, &here, "somebody without a reason").await;
        refused += 2;
        let glass = match scope {
            Scope::Environment => here,
            Scope::Project | Scope::Nobody => client(&app, Asker::Administrator).await,
        };
        let before = app.events().await.len();
        let answer = row.call.take(&glass.sending(&[REASON])).await;
        assert_eq!(answer.status, row.success, "{}: {}", row.operation, answer.text);
        let events = app.events().await;
        assert!(events.len() > before, "{}", row.operation);
        for event in &events[before..] {
            assert_eq!(event.reason.as_deref(), Some("Payments are down"), "{}", row.operation);
        }
    }
    println!("{refused} refusals in a freeze");
    assert!(refused > 80, "{refused}");
}

#[tokio::test]
async fn switching_off_is_never_frozen() {
    let mut called = 0;
    for (_, row) in guarded().into_iter().filter(|(_, row)| row.operation.ends_with("EnvironmentOff")) {
        let app = shop_for(&row).await;
        freeze(&app, None, &[]).await;
        let answer = row.call.take(&powerful(&app, &[]).await).await;
        assert_eq!(answer.status, row.success, "{}: {}", row.operation, answer.text);
        called += 1;
    }
    assert_eq!(called, 2);
}
