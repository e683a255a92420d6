//! Statistics of a project: their windows, and how long features take until they are in production.

use flagstone::domain::{
    actor::Actor,
    event::NewEvent,
    event_kind::EventKind,
    time::{DAY_MS, Timestamp},
};
use serde_json::json;

use super::{OVERVIEW, REPORT, aged, archive, shop};
use crate::harness::TestApp;

async fn enabled_event(app: &TestApp, feature: &str, environment: &str, at: Timestamp) {
    let event = NewEvent::new(EventKind::FeatureEnvironmentEnabled, &Actor::system());
    let event = event.in_project("elsewhere").of_feature(feature, &[]).in_environment(environment);
    app.tx().await.commit(at, [event]).await.expect("commits");
}

#[tokio::test]
async fn statistics_tell_the_windows_apart_at_their_edges() {
    let app = shop().await;
    let window = 30 * DAY_MS;
    for (name, age) in
        [("now", 0), ("first-of-current", window), ("last-of-past", window + 1), ("first-of-past", 2 * window)]
    {
        aged(&app, name, "permission", age).await;
    }
    aged(&app, "too-old", "permission", 2 * window + 1).await;
    for (name, age) in [("a0", 0), ("a1", window), ("a2", window), ("a3", window + 1), ("a4", 2 * window + 1)] {
        let id = aged(&app, name, "permission", 3 * window).await;
        archive(&app, id, age).await;
    }
    // A feature that was made and archived in the window counts as archived alone.
    let brief = aged(&app, "brief", "permission", DAY_MS).await;
    archive(&app, brief, 0).await;
    // The log never goes back in time, so the oldest comes first.
    for age in [2 * window + 1, 2 * window, window + 1, window, 0] {
        for project in ["shop", "shop", "other"] {
            let event = NewEvent::new(EventKind::ProjectUpdated, &Actor::system()).in_project(project);
            app.tx().await.commit(app.clock.now().plus_millis(-age), [event]).await.expect("commits");
        }
    }
    let stats = app.admin().get(REPORT).await.expect(200)["stats"].clone();
    let expected = json!({
        "avgTimeToProdCurrentWindow": 0,
        "createdCurrentWindow": 2, "createdPastWindow": 2,
        "archivedCurrentWindow": 4, "archivedPastWindow": 1,
        "projectActivityCurrentWindow": 4, "projectActivityPastWindow": 4,
        "projectMembersAddedCurrentWindow": 0,
    });
    assert_eq!(stats, expected);
    assert_eq!(app.admin().get(OVERVIEW).await.expect(200)["stats"], expected);
}

#[tokio::test]
async fn time_to_production_is_the_mean_until_the_first_enabling_in_production() {
    let app = shop().await;
    let average = async || app.admin().get(REPORT).await.expect(200)["stats"]["avgTimeToProdCurrentWindow"].clone();
    let start = app.clock.now();
    for name in ["quick", "slow", "never", "flaky"] {
        app.feature("shop", name).await;
    }
    let archived = app.feature("shop", "archived").await;
    aged(&app, "kill", "kill-switch", 0).await;
    enabled_event(&app, "never", "development", start.plus_days(1)).await;
    enabled_event(&app, "kill", "production", start.plus_days(1)).await;
    assert_eq!(average().await, 0, "nothing of type release is in production");

    enabled_event(&app, "quick", "production", start.plus_days(2).plus_millis(-1)).await;
    assert_eq!(average().await, 1, "one whole day");
    enabled_event(&app, "slow", "production", start.plus_days(2)).await;
    enabled_event(&app, "slow", "production", start.plus_days(9)).await;
    assert_eq!(average().await, 1.5, "the first enabling counts");
    enabled_event(&app, "archived", "production", start.plus_days(10)).await;
    archive(&app, archived, 0).await;
    assert_eq!(average().await, 4.3, "(1 + 2 + 10) / 3, archived or not");
}

#[tokio::test]
async fn a_feature_enabled_on_its_first_day_took_a_tenth_of_a_day() {
    let app = shop().await;
    app.feature("shop", "quick").await;
    enabled_event(&app, "quick", "production", app.clock.now()).await;
    let stats = app.admin().get(REPORT).await.expect(200)["stats"].clone();
    assert_eq!(stats["avgTimeToProdCurrentWindow"], 0.1);
}

#[tokio::test]
async fn events_of_an_earlier_feature_of_the_same_name_do_not_count() {
    let app = shop().await;
    enabled_event(&app, "again", "production", app.clock.now().plus_days(-3)).await;
    app.feature("shop", "again").await;
    assert_eq!(app.admin().get(REPORT).await.expect(200)["stats"]["avgTimeToProdCurrentWindow"], 0);
    enabled_event(&app, "again", "production", app.clock.now().plus_days(4)).await;
    assert_eq!(app.admin().get(REPORT).await.expect(200)["stats"]["avgTimeToProdCurrentWindow"], 4);
}
