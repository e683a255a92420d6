//! Usage of a feature over hours, days and months.

use flagstone::{
    domain::time::{DAY_MS, HOUR_MS},
    jobs,
    store::entity::{client_metrics_daily, client_metrics_variant_daily},
};
use serde_json::Value;

use super::*;
use crate::harness::connect;

const USAGE: &str = "/api/admin/projects/shop/features/f/usage";

/// Reports through the API, as a program does, and writes what was gathered.
async fn evaluates(app: &TestApp, application: &str, environment: &str, yes: i64, no: i64, variants: Value) {
    let program = app.program(&["shop"], environment).await;
    let now = app.clock.now();
    let toggles = json!({ "f": { "yes": yes, "no": no, "variants": variants } });
    let bucket = json!({ "start": now, "stop": now, "toggles": toggles });
    let body = json!({ "appName": application, "instanceId": "i", "bucket": bucket });
    program.post("/api/client/metrics", body).await.expect(202);
    jobs::write_usage(&app.state).await.expect("writes");
}

/// A day of the past, as one that was added up long ago.
async fn day(app: &TestApp, application: &str, date: &str, [yes, no]: [i64; 2], variants: &[(&str, i64)]) {
    let tx = app.tx().await;
    let row = client_metrics_daily::ActiveModel {
        feature_name: Set("f".to_owned()),
        app_name: Set(application.to_owned()),
        environment: Set("production".to_owned()),
        date: Set(at(date)),
        yes: Set(yes),
        no: Set(no),
    };
    client_metrics_daily::Entity::insert(row).exec_without_returning(&tx).await.expect("a day");
    for (variant, count) in variants {
        let row = client_metrics_variant_daily::ActiveModel {
            feature_name: Set("f".to_owned()),
            app_name: Set(application.to_owned()),
            environment: Set("production".to_owned()),
            date: Set(at(date)),
            variant: Set((*variant).to_owned()),
            count: Set(*count),
        };
        client_metrics_variant_daily::Entity::insert(row).exec_without_returning(&tx).await.expect("a day");
    }
    app.commit(tx).await;
}

async fn told(app: &TestApp, query: &str) -> Value {
    app.viewer().await.get(&format!("{USAGE}{query}")).await.expect(200)
}

/// Points with evaluations: how many points from the last one, and their numbers.
fn peaks(points: &Value) -> Vec<(usize, i64, i64)> {
    let points = points.as_array().expect("points");
    let number = |point: &Value, name: &str| point[name].as_i64().unwrap_or_default();
    let all = points.iter().rev().enumerate().map(|(back, point)| {
        let yes = number(point, "yes") + number(point, "count");
        (back, yes, number(point, "no"))
    });
    all.filter(|(_, yes, no)| yes + no > 0).collect()
}

#[tokio::test]
async fn hours_come_by_application_and_variant_with_gaps_filled() {
    let app = shop().await;
    evaluates(&app, "web", "production", 3, 1, json!({ "red": 2, "blue": 1 })).await;
    app.clock.advance(47 * HOUR_MS);
    evaluates(&app, "till", "production", 10, 0, json!({ "red": 10 })).await;
    evaluates(&app, "till", "development", 5, 5, json!({})).await;
    let all = told(&app, "").await;
    assert_eq!((&all["period"], &all["bucket"]), (&json!("48h"), &json!("hour")));
    assert_eq!((&all["yes"], &all["no"]), (&json!(18), &json!(6)));
    assert_eq!(all["points"].as_array().expect("points").len(), 48);
    assert_eq!(all["points"][47]["start"], json!(app.clock.now().floor_hour()));
    assert_eq!(peaks(&all["points"]), [(0, 15, 5), (47, 3, 1)]);
    assert_eq!((&all["points"][0]["withVariant"], &all["points"][47]["withVariant"]), (&json!(3), &json!(10)));
    let applications = all["applications"].as_array().expect("applications");
    let names: Vec<_> = applications.iter().map(|one| (&one["appName"], &one["yes"], &one["no"])).collect();
    assert_eq!(names, [(&json!("till"), &json!(15), &json!(5)), (&json!("web"), &json!(3), &json!(1))]);
    assert_eq!(peaks(&applications[1]["points"]), [(47, 3, 1)]);
    let variants = all["variants"].as_array().expect("variants");
    let counts: Vec<_> = variants.iter().map(|one| (&one["variant"], &one["count"])).collect();
    assert_eq!(counts, [(&json!("red"), &json!(12)), (&json!("blue"), &json!(1))]);
    assert_eq!(peaks(&variants[0]["points"]), [(0, 10, 0), (47, 2, 0)]);
    assert_eq!((&all["otherApplications"], &all["otherVariants"]), (&json!(0), &json!(0)));
    assert!(all.get("environment").is_none() && all.get("appName").is_none(), "{all}");

    let narrowed = told(&app, "?environment=production&appName=till").await;
    assert_eq!((&narrowed["environment"], &narrowed["appName"]), (&json!("production"), &json!("till")));
    assert_eq!(peaks(&narrowed["points"]), [(0, 10, 0)]);
    assert_eq!(narrowed["applications"].as_array().expect("applications").len(), 1);
    assert_eq!(narrowed["variants"][0]["count"], 10);
    // An hour later the first one is out of reach.
    app.clock.advance(HOUR_MS);
    assert_eq!(peaks(&told(&app, "").await["points"]), [(1, 15, 5)]);
}

#[tokio::test]
async fn days_are_the_same_before_and_after_they_are_added_up() {
    let app = shop().await;
    evaluates(&app, "web", "production", 3, 1, json!({ "red": 3 })).await;
    app.clock.advance(HOUR_MS);
    evaluates(&app, "web", "production", 4, 0, json!({ "red": 1, "blue": 3 })).await;
    app.clock.advance(DAY_MS);
    evaluates(&app, "web", "production", 8, 2, json!({ "blue": 8 })).await;
    for days in [0, 1, 2, 3] {
        let now = [(1 + days, 7, 1), (days, 8, 2)];
        for round in 0..3 {
            let all = told(&app, "?period=30d").await;
            let mut found = peaks(&all["points"]);
            found.reverse();
            assert_eq!(found, now, "{days} days later, round {round}");
            let variants = all["variants"].as_array().expect("variants");
            let counts: Vec<_> = variants.iter().map(|one| (&one["variant"], &one["count"])).collect();
            assert_eq!(counts, [(&json!("blue"), &json!(11)), (&json!("red"), &json!(4))], "{days}, {round}");
            jobs::keep_usage_small(&app.state).await.expect("runs");
        }
        app.clock.advance(DAY_MS);
    }
    let days = client_metrics_variant_daily::Entity::find().all(app.db()).await.expect("days");
    assert_eq!(days.iter().map(|row| row.count).sum::<i64>(), 15, "each once");
    app.clock.advance(732 * DAY_MS);
    jobs::keep_usage_small(&app.state).await.expect("runs");
    assert_eq!(client_metrics_variant_daily::Entity::find().all(app.db()).await.expect("days"), []);
}

/// Usage as an upgrade leaves it, from a version that kept no days of variants.
#[tokio::test]
async fn variants_of_days_that_were_added_up_without_them_are_added_up_from_their_hours() {
    let app = shop().await;
    evaluates(&app, "web", "production", 3, 0, json!({ "red": 3 })).await;
    app.clock.advance(3 * DAY_MS);
    day(&app, "web", "2026-01-15T00:00:00Z", [3, 0], &[]).await;
    jobs::keep_usage_small(&app.state).await.expect("runs");
    app.clock.advance(7 * DAY_MS);
    jobs::keep_usage_small(&app.state).await.expect("runs");
    let all = told(&app, "?period=30d").await;
    assert_eq!((&all["yes"], &all["variants"][0]["count"]), (&json!(3), &json!(3)));
}

#[tokio::test]
async fn months_are_calendar_months() {
    let app = shop().await;
    for (date, counts) in [
        ("2024-01-31T00:00:00Z", [100, 0]),
        ("2024-02-01T00:00:00Z", [1, 1]),
        ("2024-02-29T00:00:00Z", [2, 0]),
        ("2025-12-31T00:00:00Z", [4, 4]),
        ("2026-01-01T00:00:00Z", [8, 0]),
    ] {
        day(&app, "web", date, counts, &[("red", counts[0])]).await;
    }
    evaluates(&app, "till", "production", 16, 0, json!({})).await;
    let all = told(&app, "?period=24m&environment=production").await;
    assert_eq!((&all["bucket"], &all["yes"], &all["no"]), (&json!("month"), &json!(31), &json!(5)));
    assert_eq!(all["points"].as_array().expect("points").len(), 24);
    assert_eq!(all["points"][0]["start"], "2024-02-01T00:00:00.000Z");
    assert_eq!(peaks(&all["points"]), [(0, 24, 0), (1, 4, 4), (23, 3, 1)]);
    assert_eq!(peaks(&all["variants"][0]["points"]), [(0, 8, 0), (1, 4, 0), (23, 3, 0)]);
    // The next month pushes the oldest one out.
    app.clock.advance(20 * DAY_MS);
    assert_eq!(peaks(&told(&app, "?period=24m").await["points"]), [(1, 24, 0), (2, 4, 4)]);
}

#[tokio::test]
async fn more_applications_and_variants_than_are_told_apart_are_counted() {
    let app = shop().await;
    for number in 0..23_i64 {
        let (name, date) = (format!("app-{number:02}"), "2026-01-10T00:00:00Z");
        day(&app, &name, date, [number + 1, 0], &[(&format!("v-{number:02}"), number + 1)]).await;
    }
    let all = told(&app, "?period=30d").await;
    assert_eq!((&all["yes"], &all["otherApplications"], &all["otherVariants"]), (&json!(276), &json!(3), &json!(3)));
    let names = |list: &str, name: &str| {
        let all = all[list].as_array().expect("a list");
        (all.len(), all[0][name].clone(), all[19][name].clone())
    };
    assert_eq!(names("applications", "appName"), (20, json!("app-22"), json!("app-03")));
    assert_eq!(names("variants", "variant"), (20, json!("v-22"), json!("v-03")));
    assert_eq!(peaks(&all["points"]), [(5, 276, 0)]);
    assert_eq!(all["points"][24]["withVariant"], 276);
}

#[tokio::test]
async fn what_is_missing_hidden_or_nonsense_is_refused() {
    let app = shop().await;
    secret(&app).await;
    let viewer = app.viewer().await;
    let empty = viewer.get(USAGE).await.expect(200);
    assert_eq!((&empty["yes"], &empty["applications"], &empty["variants"]), (&json!(0), &json!([]), &json!([])));
    assert_eq!(viewer.get(&format!("{USAGE}?environment=moon&appName=none")).await.expect(200)["yes"], 0);
    viewer.get("/api/admin/projects/shop/features/none/usage").await.refused(404, "NotFoundError", "none");
    viewer.get("/api/admin/projects/secret/features/s/usage").await.refused(404, "NotFoundError", "secret");
    viewer.get("/api/admin/projects/shop/features/s/usage").await.refused(404, "NotFoundError", "\"s\"");
    for (query, name) in [("period=7d", "period"), ("period=", "period"), ("period=30d&period=24m", "period")] {
        let answer = viewer.get(&format!("{USAGE}?{query}")).await;
        assert_eq!(answer.body["details"][0]["path"], format!("/query/{name}"), "{}", answer.text);
        answer.refused(400, "ValidationError", "`period`");
    }
}

#[tokio::test]
async fn usage_outlives_its_environment_and_moves_with_its_feature_but_ends_with_it() {
    let app = shop().await;
    app.project("other").await;
    let admin = app.admin();
    let tx = app.tx().await;
    store::environments::insert(&tx, "qa", "test", 9).await.expect("an environment");
    connect(&tx, "shop", "qa").await;
    app.commit(tx).await;
    evaluates(&app, "web", "qa", 1, 0, json!({})).await;
    evaluates(&app, "web", "production", 2, 0, json!({ "red": 2 })).await;
    app.clock.advance(2 * DAY_MS);
    jobs::keep_usage_small(&app.state).await.expect("runs");
    for path in ["/api/admin/projects/shop/environments/qa", "/api/admin/environments/qa"] {
        let answer = admin.request(Method::DELETE, path, &[], vec![]).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
    }
    let all = admin.get(&format!("{USAGE}?period=30d")).await.expect(200);
    assert_eq!((&all["yes"], peaks(&all["points"])), (&json!(3), vec![(2, 3, 0)]));

    let moved = json!({ "newProjectId": "other" });
    admin.post("/api/admin/projects/shop/features/f/changeProject", moved).await.expect(200);
    let there = "/api/admin/projects/other/features/f";
    assert_eq!(admin.get(&format!("{there}/usage?period=30d")).await.expect(200)["yes"], 3);
    admin.get(USAGE).await.refused(404, "NotFoundError", "other");

    admin.request(Method::DELETE, there, &[], vec![]).await.expect(202);
    assert_eq!(admin.get(&format!("{there}/usage?period=30d")).await.expect(200)["yes"], 3, "archived");
    admin.request(Method::DELETE, "/api/admin/archive/f", &[], vec![]).await.expect(200);
    assert_eq!(client_metrics_variant_daily::Entity::find().all(app.db()).await.expect("days"), []);
    app.feature("shop", "f").await;
    assert_eq!(admin.get(&format!("{USAGE}?period=30d")).await.expect(200)["yes"], 0);
}
