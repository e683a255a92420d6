//! Insights: each figure against one worked out by hand, and trends that come from history.

mod hidden;
mod history;

use flagstone::{
    domain::{
        actor::{ADMIN_TOKEN_USER_ID, Actor},
        event::NewEvent,
        event_kind::EventKind,
        time::{DAY_MS, HOUR_MS, Timestamp},
    },
    jobs,
    store::entity::{app_user, client_metrics_daily, client_metrics_hourly, feature, project},
};
use sea_orm::{ActiveModelTrait, ActiveValue::Set, EntityTrait};
use serde_json::{Value, json};

use crate::harness::{TestApp, role};

const INSIGHTS: &str = "/api/admin/insights";
const EXECUTIVE: &str = "/api/admin/dashboard/executive";
/// The end of the day on which every test begins, a Thursday of week 2.
const TODAY: &str = "2026-01-15T23:59:59.999Z";

async fn event(app: &TestApp, kind: EventKind, project: &str, feature: &str, environment: Option<&str>) {
    let actor = Actor::new(ADMIN_TOKEN_USER_ID, "tests");
    let mut event = NewEvent::new(kind, &actor).in_project(project).of_feature(feature, &[]);
    if let Some(environment) = environment {
        event = event.in_environment(environment);
    }
    app.tx().await.commit(app.clock.now(), [event]).await.expect("commits");
}

async fn change(app: &TestApp, row: feature::ActiveModel) {
    let tx = app.tx().await;
    row.update(&tx).await.expect("updates");
    app.commit(tx).await;
}

async fn archive(app: &TestApp, project: &str, name: &str, id: i64) {
    let archived_at = Set(Some(app.clock.now()));
    change(app, feature::ActiveModel { id: Set(id), archived_at, ..Default::default() }).await;
    event(app, EventKind::FeatureArchived, project, name, None).await;
}

async fn seen(app: &TestApp, user_id: i64, at: Timestamp) {
    let tx = app.tx().await;
    let row = app_user::ActiveModel { id: Set(user_id), seen_at: Set(Some(at)), ..Default::default() };
    row.update(&tx).await.expect("updates");
    app.commit(tx).await;
}

async fn hour(app: &TestApp, feature: &str, application: &str, environment: &str, at: Timestamp, counts: (i64, i64)) {
    let tx = app.tx().await;
    let row = client_metrics_hourly::ActiveModel {
        feature_name: Set(feature.to_owned()),
        app_name: Set(application.to_owned()),
        environment: Set(environment.to_owned()),
        timestamp: Set(at.floor_hour()),
        yes: Set(counts.0),
        no: Set(counts.1),
    };
    row.insert(&tx).await.expect("inserts");
    app.commit(tx).await;
}

/// The entry of a list with this date, week, project or type.
fn entry<'a>(list: &'a Value, key: &str, value: &str) -> &'a Value {
    let found = list.as_array().expect("a list").iter().find(|entry| entry[key] == value);
    found.unwrap_or_else(|| panic!("no entry with {key} {value} in {list:#}"))
}

fn all<'a>(list: &'a Value, key: &str) -> Vec<&'a str> {
    list.as_array().expect("a list").iter().map(|entry| entry[key].as_str().expect("text")).collect()
}

#[tokio::test]
async fn everybody_with_credentials_may_ask_at_both_addresses() {
    let app = TestApp::new().await;
    jobs::record_insights(&app.state).await.expect("runs");
    let expected = app.admin().get(INSIGHTS).await.expect(200);
    assert_eq!(app.admin().get(EXECUTIVE).await.expect(200), expected);
    assert_eq!(expected["flags"], json!({ "total": 0 }));
    assert_eq!(expected["users"], json!({ "total": 0, "active": 0, "inactive": 0 }));
    for path in [INSIGHTS, EXECUTIVE] {
        app.anonymous().get(path).await.refused(401, "AuthenticationRequired", "token");
        let viewer = app.viewer().await;
        assert_eq!(viewer.get(path).await.expect(200)["flagTrends"], expected["flagTrends"]);
    }
}

#[tokio::test]
async fn people_count_as_active_within_sixty_days_and_servers_are_no_people() {
    let app = TestApp::new().await;
    let now = app.clock.now();
    let window = 60 * DAY_MS;
    for ago in [0, window, window + 1] {
        let user_id = app.viewer().await.user_id.expect("a person");
        seen(&app, user_id, now.plus_millis(-ago)).await;
    }
    app.viewer().await;
    let gone = app.viewer().await.user_id.expect("a person");
    seen(&app, gone, now).await;
    let tx = app.tx().await;
    let deleted = app_user::ActiveModel { id: Set(gone), deleted_at: Set(Some(now)), ..Default::default() };
    deleted.update(&tx).await.expect("updates");
    app.commit(tx).await;
    jobs::record_insights(&app.state).await.expect("runs");
    let body = app.admin().get(INSIGHTS).await.expect(200);
    assert_eq!(body["users"], json!({ "total": 4, "active": 2, "inactive": 2 }));
    let today = json!({ "date": TODAY, "total": 4, "active": 2, "inactive": 2 });
    assert_eq!(*entry(&body["userTrends"], "date", TODAY), today);
}

#[tokio::test]
async fn features_of_today_are_counted_by_state_in_all_and_by_project() {
    let app = TestApp::new().await;
    for project in ["shop", "tools"] {
        app.project(project).await;
    }
    app.clock.advance(-40 * DAY_MS);
    app.feature("shop", "old").await;
    let stale = app.feature("shop", "stale").await;
    app.clock.advance(30 * DAY_MS);
    app.feature("shop", "in-production").await;
    app.clock.advance(3 * DAY_MS);
    event(&app, EventKind::FeatureEnvironmentEnabled, "shop", "in-production", Some("production")).await;
    app.clock.advance(7 * DAY_MS);
    change(&app, feature::ActiveModel { id: Set(stale), stale: Set(true), ..Default::default() }).await;
    let gone = app.feature("tools", "gone").await;
    archive(&app, "tools", "gone", gone).await;
    app.feature("tools", "fresh").await;
    app.member("shop").await;
    // Twice, and an hour later once more: the rows of today and of this week are replaced.
    for _ in 0..2 {
        jobs::record_insights(&app.state).await.expect("runs");
    }
    app.clock.advance(HOUR_MS);
    jobs::record_insights(&app.state).await.expect("runs");

    let body = app.admin().get(INSIGHTS).await.expect(200);
    assert_eq!(body["flags"], json!({ "total": 4 }));
    let today = json!({ "date": TODAY, "total": 4, "active": 2, "stale": 1, "potentiallyStale": 1 });
    assert_eq!(*entry(&body["flagTrends"], "date", TODAY), today);
    let this_week: Vec<_> =
        body["projectFlagTrends"].as_array().expect("a list").iter().filter(|row| row["week"] == "2026-02").collect();
    let row = |project: &str, health: i64, counts: [i64; 4], users: i64| {
        json!({
            "week": "2026-02", "project": project, "date": TODAY, "health": health,
            "total": counts[0], "active": counts[1], "stale": counts[2], "potentiallyStale": counts[3], "users": users,
        })
    };
    let mut shop = row("shop", 33, [3, 1, 1, 1], 1);
    shop["timeToProduction"] = json!(3);
    let expected = [row("default", 100, [0, 0, 0, 0], 0), shop, row("tools", 100, [1, 1, 0, 0], 0)];
    assert_eq!(this_week, expected.iter().collect::<Vec<_>>());
}

#[tokio::test]
async fn usage_is_added_up_by_week_and_project_and_whole_days_count_once() {
    let app = TestApp::new().await;
    app.project("shop").await;
    app.feature("shop", "cart").await;
    app.feature("shop", "pay").await;
    app.feature("default", "other").await;
    let now = app.clock.now();
    let monday = Timestamp::parse("2026-01-12T00:00:00Z").expect("valid");
    hour(&app, "cart", "web", "production", monday, (10, 1)).await;
    hour(&app, "cart", "web", "development", now, (0, 2)).await;
    hour(&app, "pay", "app", "production", now, (5, 5)).await;
    hour(&app, "other", "web", "production", now, (1, 0)).await;
    hour(&app, "no-such-feature", "web", "production", now, (100, 100)).await;
    hour(&app, "cart", "old", "production", monday.plus_millis(-1), (7, 0)).await;
    // Tuesday has been added up; its hours are kept for a while.
    hour(&app, "cart", "web", "production", monday.plus_days(1), (3, 3)).await;
    let tx = app.tx().await;
    let day = client_metrics_daily::ActiveModel {
        feature_name: Set("cart".to_owned()),
        app_name: Set("batch".to_owned()),
        environment: Set("production".to_owned()),
        date: Set(monday.plus_days(1)),
        yes: Set(20),
        no: Set(30),
    };
    day.insert(&tx).await.expect("inserts");
    app.commit(tx).await;
    jobs::record_insights(&app.state).await.expect("runs");
    jobs::record_insights(&app.state).await.expect("runs");
    let body = app.admin().get(INSIGHTS).await.expect(200);
    let row = |week: &str, date: &str, project: &str, yes: i64, no: i64, [apps, flags, environments]: [i64; 3]| {
        json!({
            "week": week, "date": date, "project": project, "totalRequests": yes + no, "totalYes": yes,
            "totalNo": no, "totalApps": apps, "totalFlags": flags, "totalEnvironments": environments,
        })
    };
    let expected = json!([
        row("2026-01", "2026-01-11T23:59:59.999Z", "shop", 7, 0, [1, 1, 1]),
        row("2026-02", TODAY, "default", 1, 0, [1, 1, 1]),
        row("2026-02", TODAY, "shop", 35, 38, [3, 2, 2]),
    ]);
    assert_eq!(body["metricsSummaryTrends"], expected);
}

#[tokio::test]
async fn changes_are_counted_by_week_and_type_of_environment() {
    let app = TestApp::new().await;
    // Sunday's last millisecond and Monday's first belong to different weeks.
    let monday = Timestamp::parse("2026-01-12T00:00:00Z").expect("valid");
    let until = |at: Timestamp| app.clock.advance(at.millis() - app.clock.now().millis());
    let start = app.clock.now();
    until(monday.plus_millis(-1));
    event(&app, EventKind::FeatureStrategyAdd, "default", "f", Some("production")).await;
    until(monday);
    for environment in ["production", "development", "production", "no-such-environment"] {
        event(&app, EventKind::FeatureStrategyUpdate, "default", "f", Some(environment)).await;
    }
    event(&app, EventKind::FeatureMetadataUpdated, "default", "f", None).await;
    let imported = NewEvent::new(EventKind::FeaturesImported, &Actor::system()).in_environment("production");
    app.tx().await.commit(app.clock.now(), [imported]).await.expect("commits");
    until(start);
    jobs::record_insights(&app.state).await.expect("runs");
    jobs::record_insights(&app.state).await.expect("runs");
    let body = app.admin().get(INSIGHTS).await.expect(200);
    let expected = json!([
        { "date": "2026-01-11T23:59:59.999Z", "week": "2026-01", "environmentType": "production", "totalUpdates": 1 },
        { "date": TODAY, "week": "2026-02", "environmentType": "development", "totalUpdates": 1 },
        { "date": TODAY, "week": "2026-02", "environmentType": "production", "totalUpdates": 2 },
    ]);
    assert_eq!(body["environmentTypeTrends"], expected);
}

#[tokio::test]
async fn hidden_and_deleted_projects_are_left_out() {
    let app = TestApp::new().await;
    for id in ["open", "secret", "removed"] {
        app.project(id).await;
        app.feature(id, &format!("{id}-feature")).await;
        hour(&app, &format!("{id}-feature"), "web", "production", app.clock.now(), (1, 1)).await;
    }
    let (viewer, member) = (app.viewer().await, app.person(role::VIEWER, Some(("secret", role::MEMBER))).await);
    jobs::record_insights(&app.state).await.expect("runs");
    let tx = app.tx().await;
    let private =
        project::ActiveModel { id: Set("secret".to_owned()), mode: Set("private".to_owned()), ..Default::default() };
    private.update(&tx).await.expect("updates");
    feature::Entity::delete_many().exec(&tx).await.expect("deletes");
    project::Entity::delete_by_id("removed").exec(&tx).await.expect("deletes");
    app.commit(tx).await;
    for path in [INSIGHTS, EXECUTIVE] {
        let told = async |caller: crate::harness::Client| {
            let body = caller.get(path).await.expect(200);
            json!([all(&body["projectFlagTrends"], "project"), all(&body["metricsSummaryTrends"], "project")])
        };
        assert_eq!(told(viewer.clone()).await, json!([["default", "open"], ["open"]]), "{path}");
        let expected = json!([["default", "open", "secret"], ["open", "secret"]]);
        assert_eq!(told(member.clone()).await, expected, "{path}");
        assert_eq!(told(app.admin()).await, expected, "{path}");
    }
}

#[tokio::test]
async fn a_range_bounds_the_trends_and_without_one_they_go_back_ninety_days_and_a_year() {
    let app = TestApp::new().await;
    let start = app.clock.now();
    app.clock.advance(-500 * DAY_MS);
    app.project("shop").await;
    app.feature("shop", "old").await;
    app.clock.advance(start.millis() - app.clock.now().millis());
    jobs::record_insights(&app.state).await.expect("runs");
    let ends = async |query: &str, list: &str| {
        let body = app.admin().get(&format!("{INSIGHTS}{query}")).await.expect(200);
        let mut dates: Vec<_> = all(&body[list], "date").into_iter().map(|date| date[..10].to_owned()).collect();
        dates.dedup();
        (dates.len(), dates.first().cloned().unwrap_or_default(), dates.last().cloned().unwrap_or_default())
    };
    let expect = |count: usize, first: &str, last: &str| (count, first.to_owned(), last.to_owned());
    for query in ["", "?from=&to="] {
        assert_eq!(ends(query, "flagTrends").await, expect(90, "2025-10-18", "2026-01-15"), "{query}");
        // 52 Sundays and today.
        assert_eq!(ends(query, "projectFlagTrends").await, expect(53, "2025-01-19", "2026-01-15"), "{query}");
    }
    let query = "?from=2025-12-28&to=2026-01-04";
    assert_eq!(ends(query, "flagTrends").await, expect(8, "2025-12-28", "2026-01-04"));
    assert_eq!(ends(query, "projectFlagTrends").await, expect(2, "2025-12-28", "2026-01-04"));
    assert_eq!(ends("?to=2025-06-30", "flagTrends").await, expect(90, "2025-04-02", "2025-06-30"));
    assert_eq!(ends("?from=2026-01-14", "flagTrends").await, expect(2, "2026-01-14", "2026-01-15"));
    assert_eq!(ends("?from=2027-01-01&to=2027-02-01", "flagTrends").await, expect(0, "", ""));
}

#[tokio::test]
async fn dates_that_are_none_are_refused_by_name() {
    let app = TestApp::new().await;
    for (query, parameter) in [
        ("from=2026-02-30", "from"),
        ("to=yesterday", "to"),
        ("to=2026-1-5", "to"),
        ("from=2026-01-15T00%3A00%3A00Z", "from"),
        ("from=%2B12026-01-1", "from"),
        ("from=2026-01-02&to=2026-01-01", "from"),
    ] {
        let answer = app.admin().get(&format!("{INSIGHTS}?{query}")).await;
        assert_eq!(answer.body["details"][0]["path"], format!("/query/{parameter}"), "{query}");
        answer.refused(400, "ValidationError", &format!("The query parameter `{parameter}` must"));
    }
}
