//! Calls of the newest console of Unleash besides those of earlier ones.

use flagstone::domain::lifecycle::Stage;
use flagstone::store;
use poem::http::Method;
use serde_json::{Value, json};

use crate::{
    calls::private_project,
    harness::{TestApp, role},
};

const DAY_MS: i64 = 24 * 3_600_000;

/// Lets a feature enter a stage now.
async fn enter(app: &TestApp, feature: i64, stage: Stage) {
    let tx = app.tx().await;
    store::features::enter_stage(&tx, feature, stage, app.clock.now()).await.expect("entered");
    app.commit(tx).await;
}

#[tokio::test]
async fn the_status_of_a_project_tells_stages_debt_activity_and_contents() {
    let app = TestApp::new().await;
    app.project("shop").await;
    let admin = app.admin();
    let gone = json!({ "name": "gone", "type": "release" });
    admin.post("/api/admin/projects/shop/features", gone).await.expect(201);
    let [a, b] = [app.feature("shop", "a").await, app.feature("shop", "b").await];
    app.feature("shop", "c").await;
    app.clock.advance(2 * DAY_MS);
    enter(&app, a, Stage::PreLive).await;
    app.clock.advance(DAY_MS);
    enter(&app, b, Stage::PreLive).await;
    // At once: the one that is further on counts.
    enter(&app, b, Stage::Live).await;
    crate::calls::delete(&admin, "/api/admin/projects/shop/features/gone").await.expect(202);
    admin.post("/api/admin/projects/shop/stale", json!({ "features": ["c"], "stale": true })).await.expect(202);
    let segment = json!({ "name": "s", "project": "shop", "constraints": [] });
    admin.post("/api/admin/segments", segment).await.expect(201);
    let token = json!({ "tokenName": "t", "type": "client", "environment": "development", "projects": ["shop"] });
    admin.post("/api/admin/api-tokens", token).await.expect(201);
    app.member("shop").await;
    let status = app.viewer().await.get("/api/admin/projects/shop/status").await.expect(200);
    assert_eq!(status["health"], json!({ "current": 67 }));
    assert_eq!(status["technicalDebt"], json!({ "current": 33 }));
    assert_eq!(status["staleFlags"], json!({ "total": 1 }));
    assert_eq!(status["resources"], json!({ "apiTokens": 1, "members": 1, "segments": 1 }));
    let archived = json!({ "currentFlags": 1, "last30Days": 1 });
    let stages = json!({
        "initial": { "averageDays": 2.7, "currentFlags": 1 },
        "preLive": { "averageDays": 0, "currentFlags": 1 },
        "live": { "averageDays": null, "currentFlags": 1 },
        "completed": { "averageDays": null, "currentFlags": 0 },
        "archived": archived,
    });
    assert_eq!(status["lifecycleSummary"], stages);
    let activity = status["activityCountByDate"].as_array().expect("a list");
    let days: Vec<&Value> = activity.iter().map(|day| &day["date"]).collect();
    let mut sorted = days.clone();
    sorted.sort_by_key(|day| day.as_str());
    assert_eq!((days.len(), &days), (2, &sorted), "{activity:?}");
    let total: i64 = activity.iter().filter_map(|day| day["count"].as_i64()).sum();
    let of_shop = app.events().await.into_iter().filter(|event| event.project.as_deref() == Some("shop")).count();
    assert_eq!(usize::try_from(total), Ok(of_shop));
    // Later, what was archived is no longer of late, and what happened more than a year ago is not shown.
    app.clock.advance(400 * DAY_MS);
    let status = admin.get("/api/admin/projects/shop/status").await.expect(200);
    assert_eq!(status["lifecycleSummary"]["archived"], json!({ "currentFlags": 1, "last30Days": 0 }));
    assert_eq!(status["activityCountByDate"], json!([]));
    admin.get("/api/admin/projects/nowhere/status").await.refused(404, "NotFoundError", "nowhere");
}

#[tokio::test]
async fn figures_of_all_projects_leave_out_those_that_are_hidden() {
    let app = TestApp::new().await;
    private_project(&app, "secret").await;
    let admin = app.admin();
    let maker = app.editor().await;
    maker.post("/api/admin/projects/default/features", json!({ "name": "open" })).await.expect(201);
    let hidden = app.owner("secret").await;
    hidden.post("/api/admin/projects/secret/features", json!({ "name": "hidden" })).await.expect(201);
    hidden.post("/api/admin/projects/secret/features", json!({ "name": "past" })).await.expect(201);
    crate::calls::delete(&hidden, "/api/admin/projects/secret/features/past").await.expect(202);
    let viewer = app.viewer().await;
    let count = async |client: &crate::harness::Client| client.get("/api/admin/lifecycle/count").await.expect(200);
    let of = |initial: i64, archived: i64| json!({ "initial": initial, "preLive": 0, "live": 0, "completed": 0, "archived": archived });
    assert_eq!(count(&viewer).await, of(1, 0));
    assert_eq!(count(&admin).await, of(2, 1));
    let creators = async |client: &crate::harness::Client, query: &str| {
        let found = client.get(&format!("/api/admin/flag-creators?{query}")).await.expect(200);
        let ids: Vec<Value> =
            found["flagCreators"].as_array().expect("a list").iter().map(|one| one["id"].clone()).collect();
        (ids, found["total"].clone())
    };
    let (maker, hidden) = (json!(maker.user_id), json!(hidden.user_id));
    assert_eq!(creators(&viewer, "").await, (vec![maker.clone()], json!(1)));
    let (all, total) = creators(&admin, "").await;
    assert!(all.contains(&maker) && all.contains(&hidden) && total == json!(2), "{all:?}");
    assert_eq!(creators(&admin, "limit=1&offset=1").await, (vec![all[1].clone()], json!(2)));
    assert_eq!(creators(&admin, "q=nobody-of-this-name").await, (vec![], json!(0)));
}

#[tokio::test]
async fn groups_stand_in_the_overview_of_permissions() {
    let app = TestApp::new().await;
    let admin = app.admin();
    let viewer = app.viewer().await.user_id.expect("an id");
    for (name, root_role) in [("operators", json!(role::EDITOR)), ("another", Value::Null)] {
        let group = json!({ "name": name, "rootRole": root_role, "users": [{ "user": { "id": viewer } }] });
        admin.post("/api/admin/groups", group).await.expect(201);
    }
    let found = admin.get(&format!("/api/admin/user-admin/{viewer}/permissions")).await.expect(200);
    let names = |groups: &Value| -> Vec<(String, Value)> {
        let groups = groups.as_array().expect("a list").iter();
        groups.map(|group| (group["name"].as_str().expect("a name").to_owned(), group["rootRole"].clone())).collect()
    };
    let expected = [("another".to_owned(), Value::Null), ("operators".to_owned(), json!(role::EDITOR))];
    assert_eq!(names(&found["overview"]["groups"]), expected);
    let robot = json!({ "name": "R", "username": "robot", "rootRole": role::VIEWER });
    let robot = admin.post("/api/admin/service-account", robot).await.expect(201)["id"].clone();
    let found = admin.get(&format!("/api/admin/service-account/{robot}/permissions")).await.expect(200);
    assert_eq!(found["matrix"]["groups"], json!([]));
}

#[tokio::test]
async fn statistics_are_a_table_too_and_nothing_is_sent_anywhere() {
    let app = TestApp::new().await;
    let admin = app.admin();
    admin.post("/api/admin/metrics/applications/checkout", json!({})).await.expect(202);
    let statistics = admin.get("/api/admin/instance-admin/statistics").await.expect(200);
    let answer = admin.get("/api/admin/instance-admin/statistics/csv").await;
    assert_eq!(answer.headers["content-type"], "text/csv; charset=utf-8");
    let lines: Vec<Vec<&str>> = answer.text.trim_end().split("\r\n").map(|line| line.split(',').collect()).collect();
    let [names, values] = lines.as_slice() else { panic!("{}", answer.text) };
    let value = |name: &str| {
        let place = names.iter().position(|column| *column == name);
        values[place.unwrap_or_else(|| panic!("{name} in {names:?}"))]
    };
    assert_eq!(names.len(), values.len());
    assert_eq!(
        (value("clientApps.30d"), value("versionOSS")),
        ("1", statistics["versionOSS"].as_str().expect("a text"))
    );
    assert_eq!(value("activeUsers.last7"), statistics["activeUsers"]["last7"].to_string());
    let sent = admin.get("/api/admin/telemetry/settings").await.expect(200);
    assert_eq!(sent, json!({ "versionInfoCollectionEnabled": false, "featureInfoCollectionEnabled": false }));
}

#[tokio::test]
async fn the_server_needs_no_licence_and_at_first_nobody_waits_for_an_account() {
    let app = TestApp::new().await;
    let valid = app.viewer().await.get("/api/admin/license/check").await.expect(200);
    assert_eq!(valid, json!({ "isValid": true }));
    let waiting = app.admin().get("/api/admin/user-access-requests").await.expect(200);
    assert_eq!(waiting, json!({ "userAccessRequests": [] }));
}

#[tokio::test]
async fn errors_of_a_page_are_taken_whatever_they_say() {
    let app = TestApp::new().await;
    let path = "/api/admin/record-ui-error";
    let viewer = app.viewer().await;
    for _ in 0..30 {
        let error = json!({ "errorMessage": "x\ny", "errorStack": "at z" });
        assert_eq!(viewer.post(path, error).await.status, 204);
    }
    for body in [json!({}), json!({ "errorMessage": "" }), json!({ "errorMessage": "x".repeat(2001) })] {
        viewer.post(path, body).await.refused(400, "ValidationError", "/body/errorMessage");
    }
    app.anonymous().post(path, json!({ "errorMessage": "x" })).await.refused(401, "AuthenticationRequired", "");
    assert_eq!(app.event_types().await, Vec::<String>::new());
}

#[tokio::test]
async fn the_tab_of_a_stage_lists_the_features_that_are_counted_there() {
    let app = TestApp::new().await;
    for project in ["shop", "past"] {
        app.project(project).await;
    }
    private_project(&app, "secret").await;
    let admin = app.admin();
    let initial = app.feature("shop", "a").await;
    app.feature("shop", "b").await;
    let hidden = app.feature("secret", "hidden").await;
    for (project, name) in [("shop", "gone"), ("secret", "hidden-past"), ("past", "of-old")] {
        app.feature(project, name).await;
        crate::calls::delete(&admin, &format!("/api/admin/projects/{project}/features/{name}")).await.expect(202);
    }
    crate::calls::act(&admin, Method::POST, "/api/admin/projects/archive/past").await.expect(200);
    let viewer = app.viewer().await;
    let listed = async |client: &crate::harness::Client, stage: &str| {
        let found = client.get(&format!("/api/admin/search/features?lifecycle=IS:{stage}")).await.expect(200);
        let features = found["features"].as_array().expect("a list");
        assert!(features.iter().all(|feature| feature["lifecycle"]["stage"] == stage), "{found}");
        assert_eq!(found["total"], features.len());
        features.iter().map(|feature| feature["name"].as_str().expect("a name").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(listed(&viewer, "initial").await, ["a", "b"]);
    // By usage, and so without an event.
    enter(&app, initial, Stage::Live).await;
    assert_eq!(listed(&viewer, "initial").await, ["b"]);
    assert_eq!(listed(&viewer, "live").await, ["a"]);
    assert_eq!(listed(&viewer, "archived").await, ["gone"]);
    assert_eq!(listed(&admin, "archived").await, ["gone", "hidden-past"]);
    for client in [&viewer, &admin] {
        let count = client.get("/api/admin/lifecycle/count").await.expect(200);
        let stages = ["initial", "preLive", "live", "completed", "archived"].into_iter().zip(Stage::ALL);
        for (name, stage) in stages {
            assert_eq!(count[name], listed(client, stage.as_str()).await.len(), "{name}");
        }
    }
    let page = "/api/admin/search/features?lifecycle=IS:initial&limit=1";
    assert_eq!(admin.get(page).await.expect(200)["total"], 2);
    enter(&app, hidden, Stage::PreLive).await;
    assert_eq!(admin.get(page).await.expect(200)["total"], 1);
}
