//! Visibility of events: those of the instance and of private projects stay hidden from those who may not see them.

use flagstone::store::{self, projects::NewProject};

use super::*;
use crate::harness::role;

/// One event each in an open project, in a private one, in one that is gone, and in none; their ids in that order.
async fn seed_places(app: &TestApp) -> [i64; 4] {
    app.project("shop").await;
    let tx = app.tx().await;
    let secret = NewProject { mode: "private".to_owned(), ..NewProject::named("secret", "Secret") };
    store::projects::insert(&tx, &secret, app.clock.now()).await.expect("done");
    app.commit(tx).await;
    let event = || {
        NewEvent::new(EventKind::FeatureCreated, &Actor::system())
            .with_data(&json!({ "word": "needle" }))
            .of_feature("f", &[])
            .in_environment("production")
    };
    let events = [event().in_project("shop"), event().in_project("secret"), event().in_project("gone"), event()];
    app.tx().await.commit(app.clock.now(), events).await.expect("done");
    [1, 2, 3, 4]
}

/// Asserts that both searches, with and without filters, find these events and count no other.
async fn assert_sees(client: &Client, expected: &[i64]) {
    let expected: Vec<i64> = expected.iter().rev().copied().collect();
    let total = i64::try_from(expected.len()).expect("few");
    let queries = [
        "",
        "query=needle",
        "query=ne",
        "type=IS:feature-created",
        "feature=IS:f",
        "feature=IS:f&query=needle",
        "environment=IS:production",
        "environment=IS_ANY_OF:production,development&query=needle",
        "createdBy=IS:-1337",
        "createdAtFrom=IS:2026-01-01",
        "type=IS:feature-created&createdAtTo=IS:2026-02-01",
        "query=needle&createdAtTo=IS:2026-02-01",
    ];
    for query in queries {
        assert_eq!(find(client, query).await, (expected.clone(), total), "{query}");
    }
    for body in
        [json!({}), json!({ "query": "needle" }), json!({ "type": "feature-created" }), json!({ "feature": "f" })]
    {
        assert_eq!(find_by_body(client, body.clone()).await, (expected.clone(), total), "{body}");
    }
    let (found, total) = find(client, "project=IS_ANY_OF:secret").await;
    assert_eq!((found.contains(&2), total == 1), (expected.contains(&2), expected.contains(&2)));
    let found = find_by_body(client, json!({ "project": "secret" })).await;
    assert_eq!(found.0.contains(&2), expected.contains(&2));
}

#[tokio::test]
async fn administrators_see_every_event() {
    let app = TestApp::new().await;
    let all = seed_places(&app).await;
    assert_sees(&app.admin(), &all).await;
    assert_sees(&app.root_admin().await, &all).await;
}

#[tokio::test]
async fn others_see_only_events_of_projects_that_they_may_see() {
    let app = TestApp::new().await;
    let [shop, secret, gone, _] = seed_places(&app).await;
    assert_sees(&app.viewer().await, &[shop, gone]).await;
    assert_sees(&app.editor().await, &[shop, gone]).await;
    assert_sees(&app.owner("shop").await, &[shop, gone]).await;
    assert_sees(&app.member("secret").await, &[shop, secret, gone]).await;
}

#[tokio::test]
async fn a_group_opens_a_private_project_to_its_members() {
    let app = TestApp::new().await;
    let [shop, secret, gone, _] = seed_places(&app).await;
    let client = app.viewer().await;
    let group = app.group("team", &[client.user_id.unwrap()]).await;
    app.group_role("secret", group, role::MEMBER).await;
    assert_sees(&client, &[shop, secret, gone]).await;
}

#[tokio::test]
async fn nobody_sees_anything_without_credentials() {
    let app = TestApp::new().await;
    let anonymous = app.anonymous();
    anonymous.get("/api/admin/search/events?type=nonsense").await.refused(401, "AuthenticationRequired", "token");
    let answer = anonymous.post("/api/admin/events/search", json!({ "type": "nonsense" })).await;
    answer.refused(401, "AuthenticationRequired", "token");
}
