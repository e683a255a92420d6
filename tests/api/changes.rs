//! Changes without HTTP: several in one transaction, by the code of the operations that make one.

use flagstone::{
    access::{Caller, Identity, project_of_operator},
    changes::{
        Author, Begin, Transaction,
        api_tokens::WantedToken,
        applications::ApplicationContent,
        dependencies::DeleteDependencies,
        feature::{FeatureChange, LockedFeature, Target},
        guard::Passage,
        if_match::IfMatch,
        properties::ArchiveFeature,
        switches::Switch,
    },
    config::{ApiTokenSecrets, Limits},
    domain::{event::NewEvent, permission::Permission, secret::TokenKind, token::Reach},
};
use serde_json::json;

use crate::{
    harness::TestApp,
    strategies::{FEATURE, shop},
};

const ON: Switch<'_> = Switch { environment: "development", on: true, activate: false, named_at: None };

fn operator(app: &TestApp) -> Caller {
    Caller::new(Identity::Operator, app.db().clone())
}

fn author<'a>(app: &'a TestApp, caller: &'a Caller, limits: &'a Limits) -> Author<'a> {
    Author { caller, db: app.db(), clock: &app.clock, limits, passage: Passage::Direct }
}

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

    let (caller, limits) = (operator(&app), Limits::default());
    let author = author(&app, &caller, &limits);

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
    let (caller, limits) = (operator(&app), Limits::default());
    let author = author(&app, &caller, &limits);
    let (project, any) = (project_of_operator("shop"), IfMatch::default());
    let target = Target::new(&project, "f", &any);
    author.change(target, ArchiveFeature).await.expect("no refusal");
    let before = app.event_types().await;
    author.change(target, ArchiveFeature).await.expect("no refusal");
    assert_eq!(app.event_types().await, before);
    let refusal = author.change(target, ON).await.expect_err("archived").to_string();
    assert!(refusal.contains("is archived: revive it before you switch it"), "{refusal}");
}

#[tokio::test]
async fn the_operator_changes_api_tokens_within_their_limit() {
    let app = shop().await;
    // One token is there from the start.
    let (caller, limits) = (operator(&app), Limits { api_tokens: 2, ..Limits::default() });
    let author = author(&app, &caller, &limits);
    let before = app.event_types().await.len();
    let projects = vec!["shop".to_owned()];
    let reach = Reach { kind: TokenKind::Client, projects, environment: "development".to_owned() };
    let wanted = WantedToken { reach, name: "till".to_owned(), expires_at: None, alias: None };
    let create = || {
        let need = Permission::CreateClientApiToken;
        author.create_api_token(&app.state.vault, ApiTokenSecrets::Hashed, need, wanted.clone())
    };
    let (token, secret) = create().await.expect("no refusal");
    assert_eq!((&*token.name, token.created_at), ("till", app.clock.now()));
    let program = app.with_authorization(&secret);
    program.get("/api/client/features").await.expect(200);
    let refusal = create().await.expect_err("one too many").to_string();
    assert!(refusal.contains("API token"), "{refusal}");

    let (named, now) = (token.handle(), app.clock.now());
    for _ in 0..2 {
        author.update_api_token(&named, Some(now)).await.expect("no refusal");
    }
    program.get("/api/client/features").await.refused(401, "AuthenticationRequired", "");
    let refusal = author.delete_project_api_token(&project_of_operator("other"), &named).await;
    let refusal = refusal.expect_err("a token of another project").to_string();
    assert!(refusal.contains("\"other\" has no such API token"), "{refusal}");
    author.delete_project_api_token(&project_of_operator("shop"), &named).await.expect("no refusal");
    let refusal = author.delete_api_token(&named).await.expect_err("deleted").to_string();
    assert!(refusal.contains("no such API token"), "{refusal}");
    let expected = ["api-token-created", "api-token-updated", "api-token-deleted"];
    assert_eq!(app.event_types().await[before..], expected);
}

#[tokio::test]
async fn the_operator_changes_applications() {
    let app = shop().await;
    let (caller, limits) = (operator(&app), Limits::default());
    let author = author(&app, &caller, &limits);
    let before = app.event_types().await.len();
    let put = |name: &str, content: ApplicationContent| author.put_application(name.to_owned(), content);
    let text = |text: &str| Some(text.to_owned());
    put("till", ApplicationContent { url: text("https://example.com"), ..ApplicationContent::default() })
        .await
        .expect("no refusal");
    put("till", ApplicationContent { color: text("red"), ..ApplicationContent::default() }).await.expect("no refusal");
    let shown = app.admin().get("/api/admin/metrics/applications/till").await.expect(200);
    assert_eq!((&shown["url"], &shown["color"]), (&json!("https://example.com"), &json!("red")));
    let refusal = put("..", ApplicationContent::default()).await.expect_err("no name").to_string();
    assert!(refusal.contains("`appName`"), "{refusal}");
    assert_eq!(app.event_types().await[before..], ["application-created"]);

    author.delete_application("till").await.expect("no refusal");
    let refusal = author.delete_application("till").await.expect_err("deleted").to_string();
    assert!(refusal.contains("no application named \"till\""), "{refusal}");
    assert_eq!(app.event_types().await.len(), before + 1);
}
