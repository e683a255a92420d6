//! Trends of days on which no figures were taken.

use flagstone::{
    domain::{actor::Actor, event::NewEvent, event_kind::EventKind, time::DAY_MS},
    jobs,
    store::entity::feature,
};
use sea_orm::{ActiveValue::Set, EntityTrait, ModelTrait};
use serde_json::json;

use super::{INSIGHTS, TODAY, all, archive, change, entry, event, seen};
use crate::harness::TestApp;

/// A feature with the event that its creation leaves.
async fn create(app: &TestApp, project: &str, name: &str) -> i64 {
    let id = app.feature(project, name).await;
    event(app, EventKind::FeatureCreated, project, name, None).await;
    id
}

/// Two weeks of history that ends where tests begin, with no figures taken on any day of it.
///
/// Features by the end of each day from January 2nd to 14th, one letter each for total, active and stale.
async fn with_history() -> (TestApp, [(i64, i64, i64); 13]) {
    let app = TestApp::new().await;
    let start = app.clock.now();
    app.clock.advance(-13 * DAY_MS);
    app.project("shop").await;
    create(&app, "shop", "kept").await;
    let marked = create(&app, "shop", "marked").await;
    app.clock.advance(2 * DAY_MS);
    let archived = create(&app, "shop", "archived").await;
    let deleted = create(&app, "shop", "deleted").await;
    app.clock.advance(3 * DAY_MS);
    archive(&app, "shop", "archived", archived).await;
    change(&app, feature::ActiveModel { id: Set(marked), stale: Set(true), ..Default::default() }).await;
    event(&app, EventKind::FeatureStaleOn, "shop", "marked", None).await;
    app.clock.advance(2 * DAY_MS);
    archive(&app, "shop", "deleted", deleted).await;
    let document = json!({ "type": "release", "stale": false });
    let event = NewEvent::new(EventKind::FeatureDeleted, &Actor::system())
        .in_project("shop")
        .of_feature("deleted", &[])
        .with_pre_data(&document);
    let tx = app.tx().await;
    let row = feature::Entity::find_by_id(deleted).one(&tx).await.expect("reads").expect("exists");
    row.delete(&tx).await.expect("deletes");
    tx.commit(app.clock.now(), [event]).await.expect("commits");
    app.clock.advance(start.millis() - app.clock.now().millis());
    // From the 2nd two, from the 4th four, from the 7th three with one of them marked, from the 9th two.
    let days = [
        (2, 2, 0),
        (2, 2, 0),
        (4, 4, 0),
        (4, 4, 0),
        (4, 4, 0),
        (3, 2, 1),
        (3, 2, 1),
        (2, 1, 1),
        (2, 1, 1),
        (2, 1, 1),
        (2, 1, 1),
        (2, 1, 1),
        (2, 1, 1),
    ];
    (app, days)
}

#[tokio::test]
async fn history_fills_the_trends_of_a_server_that_never_took_figures() {
    let (app, days) = with_history().await;
    // The first run fills in the past, the second changes nothing about it.
    let mut answers = Vec::new();
    for _ in 0..2 {
        jobs::record_insights(&app.state).await.expect("runs");
        answers.push(app.admin().get(INSIGHTS).await.expect(200));
    }
    jobs::backfill(&app.state).await.expect("runs");
    answers.push(app.admin().get(INSIGHTS).await.expect(200));
    assert_eq!(answers[0], answers[1]);
    assert_eq!(answers[0], answers[2]);

    let body = &answers[0];
    let expected: Vec<_> = days
        .iter()
        .chain([&(2, 1, 1)])
        .zip(2..)
        .map(|((total, active, stale), day)| {
            let date = format!("2026-01-{day:02}T23:59:59.999Z");
            json!({ "date": date, "total": total, "active": active, "stale": stale, "potentiallyStale": 0 })
        })
        .collect();
    assert_eq!(body["flagTrends"], json!(expected));

    let trends = body["projectFlagTrends"].as_array().expect("a list").iter();
    let shop: Vec<_> = trends
        .filter(|row| row["project"] == "shop")
        .map(|row| json!([row["week"], row["date"], row["total"], row["stale"], row["health"]]))
        .collect();
    let expected = [
        // The week of December 29th ends on January 4th.
        json!(["2025-52", "2026-01-04T23:59:59.999Z", 4, 0, 100]),
        json!(["2026-01", "2026-01-11T23:59:59.999Z", 2, 1, 50]),
        json!(["2026-02", TODAY, 2, 1, 50]),
    ];
    assert_eq!(shop, expected);
}

#[tokio::test]
async fn days_on_which_nothing_ran_are_filled_in() {
    let (app, _) = with_history().await;
    jobs::record_insights(&app.state).await.expect("runs");
    app.clock.advance(DAY_MS);
    create(&app, "shop", "new").await;
    app.clock.advance(2 * DAY_MS);
    jobs::record_insights(&app.state).await.expect("runs");
    let body = app.admin().get(INSIGHTS).await.expect(200);
    let totals: Vec<_> = (14..=18)
        .map(|day| entry(&body["flagTrends"], "date", &format!("2026-01-{day}T23:59:59.999Z"))["total"].clone())
        .collect();
    assert_eq!(json!(totals), json!([2, 2, 3, 3, 3]));
}

#[tokio::test]
async fn features_that_arrive_with_their_past_are_filled_in_after_an_import() {
    let app = TestApp::new().await;
    app.project("shop").await;
    jobs::record_insights(&app.state).await.expect("runs");
    app.clock.advance(-10 * DAY_MS);
    app.feature("shop", "imported").await;
    app.clock.advance(10 * DAY_MS);
    jobs::backfill(&app.state).await.expect("runs");
    let body = app.admin().get(INSIGHTS).await.expect(200);
    let dates = all(&body["flagTrends"], "date");
    assert_eq!((dates.len(), dates.first(), dates.last()), (11, Some(&"2026-01-05T23:59:59.999Z"), Some(&TODAY)));
    assert!(body["flagTrends"].as_array().expect("a list").iter().all(|row| row["total"] == 1));
}

#[tokio::test]
async fn people_of_the_past_are_known_by_what_they_did() {
    let app = TestApp::new().await;
    let start = app.clock.now();
    app.clock.advance(-100 * DAY_MS);
    let doer = app.viewer().await.user_id.expect("a person");
    app.viewer().await;
    app.clock.advance(10 * DAY_MS);
    let actor = Actor::new(doer, "doer");
    let did = NewEvent::new(EventKind::ProjectUpdated, &actor).in_project("default");
    app.tx().await.commit(app.clock.now(), [did]).await.expect("commits");
    app.clock.advance(start.millis() - app.clock.now().millis());
    seen(&app, doer, start).await;
    jobs::record_insights(&app.state).await.expect("runs");
    let body = app.admin().get(&format!("{INSIGHTS}?from=2025-01-01")).await.expect(200);
    // The account is of October 7th, the deed of the 17th, and 60 days later is December 15th.
    let active = |day: &str| {
        let row = entry(&body["userTrends"], "date", &format!("{day}T23:59:59.999Z"));
        assert_eq!(row["total"], 2, "{day}");
        row["active"].as_i64().expect("whole")
    };
    assert_eq!(all(&body["userTrends"], "date").first(), Some(&"2025-10-07T23:59:59.999Z"));
    let days = ["2025-10-16", "2025-10-17", "2025-12-15", "2025-12-16", "2026-01-14", "2026-01-15"];
    assert_eq!(days.map(active), [0, 1, 1, 0, 0, 1]);
}

#[tokio::test]
async fn figures_taken_on_the_day_know_more_about_people_than_history() {
    let app = TestApp::new().await;
    let person = app.viewer().await.user_id.expect("a person");
    seen(&app, person, app.clock.now()).await;
    jobs::record_insights(&app.state).await.expect("runs");
    app.clock.advance(70 * DAY_MS);
    seen(&app, person, app.clock.now()).await;
    jobs::backfill(&app.state).await.expect("runs");
    let body = app.admin().get(INSIGHTS).await.expect(200);
    assert_eq!(entry(&body["userTrends"], "date", TODAY)["active"], 1);
}
