//! Changes without HTTP: several in one transaction, by the code of the operations that make one.

use flagstone::{
    access::{Caller, Identity, project_of_operator},
    changes::{
        Author, Begin, Transaction,
        dependencies::DeleteDependencies,
        feature::{FeatureChange, LockedFeature, Target},
        guard::Passage,
        if_match::IfMatch,
        properties::ArchiveFeature,
        switches::Switch,
    },
    config::Limits,
    domain::event::NewEvent,
};
use serde_json::json;

use crate::{
    harness::TestApp,
    strategies::{FEATURE, shop},
};

const ON: Switch<'_> = Switch { environment: "development", on: true, activate: false, named_at: None };

/// Applies a change of the feature `f` within a transaction. Returns its events.
async fn apply<C: FeatureChange>(transaction: &Transaction<'_>, change: C) -> Vec<NewEvent> {
    let (project, any) = (project_of_operator("shop"), IfMatch::default());
    let target = Target::new(&project, "f", &any);
    let feature = LockedFeature::lock(transaction, target, &change).await.expect("no refusal");
    let applied = change.apply(&mut feature.expect("the feature")).await.expect("no refusal");
    applied.events.unwrap_or_default()
}

async fn is_on(app: &TestApp) -> bool {
    let feature = app.admin().get(FEATURE).await.expect(200);
    let environments = feature["environments"].as_array().expect("a list");
    environments.iter().any(|environment| environment["enabled"] == json!(true))
}

#[tokio::test]
async fn several_changes_are_kept_together_or_not_at_all() {
    let app = shop().await;
    app.feature("shop", "parent").await;
    let dependencies = format!("{FEATURE}/dependencies");
    app.admin().post(&dependencies, json!({ "feature": "parent" })).await.expect(200);
    let before = app.event_types().await;

    let caller = Caller::new(Identity::Operator, app.db().clone());
    let limits = Limits::default();
    let author = Author { caller: &caller, db: app.db(), clock: &app.clock, limits: &limits, passage: Passage::Direct };

    let transaction = author.begin(Begin::Change).await.expect("a transaction");
    assert!(!apply(&transaction, ON).await.is_empty());
    assert!(!apply(&transaction, DeleteDependencies).await.is_empty());
    drop(transaction);
    assert_eq!(app.event_types().await, before);
    assert!(!is_on(&app).await);

    let transaction = author.begin(Begin::Change).await.expect("a transaction");
    let mut events = apply(&transaction, ON).await;
    // The feature is on by now: each change sees those before it.
    assert!(apply(&transaction, ON).await.is_empty());
    events.extend(apply(&transaction, DeleteDependencies).await);
    transaction.commit(events).await.expect("a commit");
    assert!(is_on(&app).await);
    let expected = ["feature-strategy-add", "feature-environment-enabled", "feature-dependencies-removed"];
    assert_eq!(app.event_types().await[before.len()..], expected);
}

#[tokio::test]
async fn a_change_that_changes_nothing_leaves_no_event() {
    let app = shop().await;
    let caller = Caller::new(Identity::Operator, app.db().clone());
    let limits = Limits::default();
    let author = Author { caller: &caller, db: app.db(), clock: &app.clock, limits: &limits, passage: Passage::Direct };
    let (project, any) = (project_of_operator("shop"), IfMatch::default());
    let target = Target::new(&project, "f", &any);
    author.change(target, ArchiveFeature).await.expect("no refusal");
    let before = app.event_types().await;
    author.change(target, ArchiveFeature).await.expect("no refusal");
    assert_eq!(app.event_types().await, before);
    let refusal = author.change(target, ON).await.expect_err("archived").to_string();
    assert!(refusal.contains("is archived: revive it before you switch it"), "{refusal}");
}
