//! Hours become days, and what is old goes.

use flagstone::{
    domain::time::{DAY_MS, HOUR_MS},
    jobs,
    store::entity::{client_application, client_instance, client_metrics_daily, client_metrics_hourly},
};
use sea_orm::{EntityTrait, QueryOrder};
use serde_json::json;

use crate::harness::TestApp;

async fn report(app: &TestApp, feature: &str, yes: i64) {
    let program = app.program(&["*"], "development").await;
    let bucket = json!({ "start": app.clock.now(), "stop": app.clock.now(), "toggles": { feature: { "yes": yes } } });
    let body = json!({ "appName": "web", "instanceId": "i", "bucket": bucket });
    assert_eq!(program.post("/api/client/metrics", body).await.status, 202);
    jobs::write_usage(&app.state).await.expect("writes");
}

async fn days(app: &TestApp) -> Vec<(i64, i64)> {
    use client_metrics_daily::{Column, Entity};
    let rows = Entity::find().order_by_asc(Column::Date).all(app.db()).await.expect("reads");
    let today = app.clock.now().floor_day().millis();
    rows.into_iter().map(|row| ((today - row.date.millis()) / DAY_MS, row.yes)).collect()
}

async fn hours(app: &TestApp) -> usize {
    client_metrics_hourly::Entity::find().all(app.db()).await.expect("reads").len()
}

#[tokio::test]
async fn a_day_is_added_up_once_it_is_settled_and_its_hours_go_later() {
    let app = TestApp::new().await;
    app.project("shop").await;
    app.feature("shop", "f").await;
    report(&app, "f", 1).await;
    app.clock.advance(HOUR_MS);
    report(&app, "f", 2).await;
    app.clock.advance(DAY_MS);
    report(&app, "f", 4).await;
    let tidy = async || jobs::keep_usage_small(&app.state).await.expect("runs");
    tidy().await;
    assert_eq!((days(&app).await, hours(&app).await), (vec![], 3), "a report may still come");
    app.clock.advance(DAY_MS);
    for _ in 0..2 {
        tidy().await;
        assert_eq!((days(&app).await, hours(&app).await), (vec![(2, 3)], 3));
    }
    app.clock.advance(2 * DAY_MS);
    tidy().await;
    assert_eq!((days(&app).await, hours(&app).await), (vec![(4, 3), (3, 4)], 1));
    app.clock.advance(730 * DAY_MS);
    tidy().await;
    assert_eq!((days(&app).await, hours(&app).await), (vec![], 0));
}

#[tokio::test]
async fn copies_that_are_not_heard_of_go_and_the_application_stays() {
    let app = TestApp::new().await;
    app.project("shop").await;
    app.feature("shop", "f").await;
    report(&app, "f", 1).await;
    let instances = async || client_instance::Entity::find().all(app.db()).await.expect("reads").len();
    app.clock.advance(7 * DAY_MS);
    jobs::keep_usage_small(&app.state).await.expect("runs");
    assert_eq!(instances().await, 1);
    app.clock.advance(1);
    jobs::keep_usage_small(&app.state).await.expect("runs");
    assert_eq!(instances().await, 0);
    assert_eq!(client_application::Entity::find().all(app.db()).await.expect("reads").len(), 1);
}
