//! Reading and reporting by programs.

mod delta;
mod edge;
mod entries;
mod features;
mod memory;
mod reports;
mod tokens;
mod touched;
mod usage_history;

use flagstone::{
    domain::{
        actor::Actor,
        constraint::{Constraint, Operator},
        event::NewEvent,
        event_kind::EventKind,
        strategy::Parameters,
        strategy::StrategyDefinition,
    },
    store::{self, db::Tx, segments::NewSegment},
};

use crate::harness::TestApp;

const FEATURES: &str = "/api/client/features";

/// Keeps a change, with an event by which the server notices it.
async fn change(app: &TestApp, tx: Tx) {
    let event = NewEvent::new(EventKind::FeatureUpdated, &Actor::system());
    tx.commit(app.clock.now(), [event]).await.expect("commits");
}

fn constraint(values: &[&str]) -> Constraint {
    Constraint {
        context_name: "userId".to_owned(),
        operator: Operator::In,
        case_insensitive: None,
        inverted: None,
        values: Some(values.iter().map(|value| (*value).to_owned()).collect()),
        value: None,
    }
}

async fn segment(tx: &Tx, app: &TestApp, name: &str) -> i64 {
    let new = NewSegment { name: name.to_owned(), constraints: vec![constraint(&[name])], ..NewSegment::default() };
    store::segments::insert(tx, &new, app.clock.now()).await.expect("a segment")
}

fn strategy(disabled: bool, segments: &[i64]) -> StrategyDefinition {
    StrategyDefinition {
        name: "flexibleRollout".to_owned(),
        disabled,
        parameters: Parameters::from([("rollout".to_owned(), "50".to_owned())]),
        segments: segments.to_vec(),
        ..StrategyDefinition::default()
    }
}

/// Switches a feature, as somebody does.
async fn switch(app: &TestApp, feature: i64, environment: &str, enabled: bool) {
    let tx = app.tx().await;
    store::features::set_enabled(&tx, feature, environment, enabled).await.expect("switches");
    change(app, tx).await;
}

/// Names of the features of an answer.
fn names(body: &serde_json::Value) -> Vec<&str> {
    let features = body["features"].as_array().expect("features");
    features.iter().map(|feature| feature["name"].as_str().expect("a name")).collect()
}
