//! Environments.

mod cloning;

use flagstone::{
    config::{Config, Limits},
    domain::secret::TokenKind,
    store::{self, tokens::NewApiToken},
};
use poem::http::{Method, header};
use serde_json::{Value, json};

use crate::{
    harness::{Answer, Client, TestApp, connect, role},
    schema::assert_derived_columns,
};

const ALL: &str = "/api/admin/environments";

fn at(name: &str) -> String {
    format!("{ALL}/{name}")
}

async fn send(client: &Client, method: Method, path: &str, if_match: Option<&str>) -> Answer {
    let headers: Vec<(&str, &str)> = if_match.map(|tag| (header::IF_MATCH.as_str(), tag)).into_iter().collect();
    client.request(method, path, &headers, Vec::new()).await
}

async fn etag(client: &Client, name: &str) -> String {
    let answer = client.get(&at(name)).await;
    answer.headers[header::ETAG].to_str().expect("text").to_owned()
}

async fn names(client: &Client) -> Vec<String> {
    let body = client.get(ALL).await.expect(200);
    let list = body["environments"].as_array().expect("environments");
    list.iter().map(|environment| environment["name"].as_str().expect("a name").to_owned()).collect()
}

/// Type, environment, data and previous data of the events since some number of them.
async fn told_since(app: &TestApp, known: usize) -> Vec<Value> {
    let json = |text: Option<String>| text.map_or(Value::Null, |text| serde_json::from_str(&text).expect("JSON"));
    let events = app.events().await.into_iter().skip(known);
    let told = events.map(|event| json!([event.r#type, event.environment, json(event.data), json(event.pre_data)]));
    told.collect()
}

#[tokio::test]
async fn a_new_environment_comes_last_and_is_told_in_the_log() {
    let app = TestApp::new().await;
    let admin = app.admin();
    let made = admin.post(ALL, json!({ "name": "qa", "type": "test" })).await.expect(201);
    let expected = json!({
        "name": "qa", "type": "test", "enabled": true, "protected": false, "sortOrder": 4, "requiredApprovals": null,
        "projectCount": 0, "apiTokenCount": 0, "enabledToggleCount": 0,
    });
    assert_eq!(made, expected);
    assert_eq!(admin.get(&at("qa")).await.expect(200), expected);
    assert_eq!(names(&admin).await, ["default", "development", "production", "qa"]);
    let settings = json!({
        "name": "qa", "type": "test", "enabled": true, "protected": false,
        "sortOrder": 4, "requiredApprovals": null,
    });
    assert_eq!(told_since(&app, 0).await, [json!(["environment-created", "qa", settings, null])]);
    let body = json!({ "name": "first", "type": "x", "sortOrder": 0, "enabled": false });
    assert_eq!(admin.post(ALL, body).await.expect(201)["enabled"], false);
    assert_eq!(names(&admin).await[0], "first");
}

#[tokio::test]
async fn names_are_checked_before_and_when_an_environment_is_made() {
    let app = TestApp::new().await;
    let admin = app.admin();
    for name in ["", "a b", "ä", "a/b", "a\u{0}", "project", "sort-order", "update", "validate", ".", ".."] {
        for path in [ALL, "/api/admin/environments/validate"] {
            let answer = admin.post(path, json!({ "name": name, "type": "test" })).await;
            answer.refused(400, "ValidationError", "/body/name");
        }
    }
    for path in [ALL, "/api/admin/environments/validate"] {
        let answer = admin.post(path, json!({ "name": "production", "type": "test" })).await;
        answer.refused(409, "NameExistsError", "production");
        admin.post(path, json!({ "type": "test" })).await.refused(400, "ValidationError", "/body/name");
    }
    admin.post("/api/admin/environments/validate", json!({ "name": "a.b~c_d-E" })).await.expect(200);
    admin.post(ALL, json!({ "name": "qa" })).await.refused(400, "ValidationError", "/body/type");
    admin.post(ALL, json!({ "name": "qa", "type": "" })).await.refused(400, "ValidationError", "/body/type");
    let body = json!({ "name": "qa", "type": "t", "sortOrder": -1 });
    admin.post(ALL, body).await.refused(400, "ValidationError", "/body/sortOrder");
    assert_eq!(names(&admin).await.len(), 3);
    assert_eq!(app.event_types().await, Vec::<String>::new());
}

#[tokio::test]
async fn there_can_be_no_more_environments_than_the_limit() {
    let limits = Limits { environments: 4, ..Limits::default() };
    let app = TestApp::with_config(Config { limits, ..Config::default() }).await;
    let admin = app.admin();
    admin.post(ALL, json!({ "name": "four", "type": "test" })).await.expect(201);
    admin.post(ALL, json!({ "name": "five", "type": "test" })).await.refused(400, "ExceedsLimitError", "4");
    let clone = json!({ "name": "five" });
    admin.post(&at("four/clone"), clone).await.refused(400, "ExceedsLimitError", "4");
}

#[tokio::test]
async fn what_changes_in_an_environment_is_told_once() {
    let app = TestApp::new().await;
    let admin = app.admin();
    let path = at("update/development");
    let changed = admin.json(Method::PUT, &path, json!({ "type": "test", "sortOrder": 7 })).await.expect(200);
    assert_eq!((&changed["type"], &changed["sortOrder"]), (&json!("test"), &json!(7)));
    let before = json!({
        "name": "development", "type": "development", "enabled": true, "protected": false,
        "sortOrder": 2, "requiredApprovals": null,
    });
    let after = json!({
        "name": "development", "type": "test", "enabled": true, "protected": false,
        "sortOrder": 7, "requiredApprovals": null,
    });
    let told = [json!(["environment-updated", "development", after, before])];
    assert_eq!(told_since(&app, 0).await, told);
    for same in [json!({}), json!({ "type": "test" }), json!({ "sortOrder": 7 })] {
        admin.json(Method::PUT, &path, same).await.expect(200);
    }
    assert_eq!(told_since(&app, 0).await, told);
    let protected = admin.json(Method::PUT, &at("update/default"), json!({ "type": "test" })).await;
    protected.refused(403, "InvalidOperationError", "default");
    admin.json(Method::PUT, &at("update/none"), json!({})).await.refused(404, "NotFoundError", "none");
    admin.json(Method::PUT, &path, json!({ "type": 1 })).await.refused(400, "ValidationError", "/body/type");
    assert_eq!(told_since(&app, 0).await, told);
}

#[tokio::test]
async fn environments_are_sorted_in_one_step_or_not_at_all() {
    let app = TestApp::new().await;
    let admin = app.admin();
    let path = at("sort-order");
    let order = json!({ "production": 0, "default": 1, "development": 9 });
    admin.json(Method::PUT, &path, order).await.expect(200);
    assert_eq!(names(&admin).await, ["production", "default", "development"]);
    // `default` had its place already.
    let told = told_since(&app, 0).await;
    let moved: Vec<&Value> = told.iter().map(|event| &event[1]).collect();
    assert_eq!(moved, ["development", "production"]);
    let unknown = json!({ "production": 5, "none": 1 });
    admin.json(Method::PUT, &path, unknown).await.refused(400, "ValidationError", "/body/none");
    let wrong = json!({ "production": -5 });
    admin.json(Method::PUT, &path, wrong).await.refused(400, "ValidationError", "/body/production");
    admin.json(Method::PUT, &path, json!({ "production": "x" })).await.refused(
        400,
        "ValidationError",
        "/body/production",
    );
    assert_eq!(names(&admin).await, ["production", "default", "development"]);
    assert_eq!(told_since(&app, 0).await.len(), 2);
}

#[tokio::test]
async fn switching_an_environment_that_is_so_already_leaves_no_event() {
    let app = TestApp::new().await;
    let admin = app.admin();
    for (action, enabled, events) in [("off", false, 1), ("off", false, 1), ("on", true, 2), ("on", true, 2)] {
        let answer = send(&admin, Method::POST, &at(&format!("production/{action}")), None).await;
        assert_eq!((answer.status, answer.text.as_str()), (204, ""));
        assert_eq!(admin.get(&at("production")).await.expect(200)["enabled"], enabled);
        assert_eq!(app.events().await.len(), events, "{action}");
    }
    send(&admin, Method::POST, &at("none/on"), None).await.refused(404, "NotFoundError", "none");
}

#[tokio::test]
async fn a_change_meant_for_an_earlier_state_changes_nothing() {
    let app = TestApp::new().await;
    let admin = app.admin();
    admin.post(ALL, json!({ "name": "qa", "type": "test" })).await.expect(201);
    let stale = etag(&admin, "qa").await;
    let update = at("update/qa");
    admin.json(Method::PUT, &update, json!({ "sortOrder": 8 })).await.expect(200);
    let events = app.events().await.len();
    let body = serde_json::to_vec(&json!({ "type": "x" })).expect("JSON");
    let headers = [("content-type", "application/json"), ("if-match", &*stale)];
    let answer = admin.request(Method::PUT, &update, &headers, body.clone()).await;
    answer.refused(412, "PreconditionFailedError", "If-Match");
    for (method, path) in [(Method::POST, at("qa/off")), (Method::POST, at("qa/on")), (Method::DELETE, at("qa"))] {
        send(&admin, method, &path, Some(&stale)).await.refused(412, "PreconditionFailedError", "If-Match");
    }
    assert_eq!(app.events().await.len(), events);
    let fresh = etag(&admin, "qa").await;
    let headers = [("content-type", "application/json"), ("if-match", &*fresh)];
    admin.request(Method::PUT, &update, &headers, body).await.expect(200);
    let fresh = etag(&admin, "qa").await;
    send(&admin, Method::DELETE, &at("qa"), Some(&fresh)).await.expect(200);
}

async fn token(app: &TestApp, environment: &str) -> Client {
    let secret = format!("shop:{environment}.secret");
    let token = NewApiToken {
        secret: secret.clone(),
        name: "checkout".to_owned(),
        kind: TokenKind::Client,
        projects: vec!["shop".to_owned()],
        environment: environment.to_owned(),
        expires_at: None,
        created_by: None,
    };
    let tx = app.tx().await;
    store::tokens::insert_api_token(&tx, &token, app.clock.now()).await.expect("a token");
    app.commit(tx).await;
    app.with_authorization(&secret)
}

#[tokio::test]
async fn deleting_an_environment_takes_its_tokens_and_configuration_along() {
    let app = TestApp::new().await;
    app.project("shop").await;
    app.feature("shop", "f").await;
    let admin = app.admin();
    let checkout = token(&app, "production").await;
    assert_eq!(admin.get(&at("production")).await.expect(200)["apiTokenCount"], 1);
    send(&admin, Method::DELETE, &at("production"), None).await.expect(200);
    admin.get(&at("production")).await.refused(404, "NotFoundError", "production");
    checkout.get(ALL).await.refused(401, "AuthenticationRequired", "");
    let overview = admin.get("/api/admin/projects/shop/health-report").await.expect(200);
    assert_eq!(overview["environments"].as_array().expect("environments").len(), 1);
    let told = told_since(&app, 0).await;
    let kinds: Vec<&Value> = told.iter().map(|event| &event[0]).collect();
    let expected =
        ["project-environment-removed", "project-environment-removed", "api-token-deleted", "environment-deleted"];
    assert_eq!(kinds, expected);
    assert_eq!(told[2][3]["tokenName"], "checkout");
    assert!(!told[2].to_string().contains("secret"));
    assert_eq!(told[3][3]["name"], "production");
    assert_derived_columns(&app).await;
}

#[tokio::test]
async fn protected_environments_and_the_only_one_of_a_project_stay() {
    let app = TestApp::new().await;
    app.project("shop").await;
    let admin = app.admin();
    send(&admin, Method::DELETE, &at("default"), None).await.refused(403, "InvalidOperationError", "protected");
    send(&admin, Method::DELETE, &at("none"), None).await.refused(404, "NotFoundError", "none");
    send(&admin, Method::DELETE, &at("development"), None).await.expect(200);
    let events = app.events().await.len();
    let refused = send(&admin, Method::DELETE, &at("production"), None).await;
    refused.refused(409, "EnvironmentInUseError", "default, shop");
    assert_eq!(names(&admin).await, ["default", "production"]);
    assert_eq!(app.events().await.len(), events);
}

#[tokio::test]
async fn hidden_projects_do_not_count() {
    let app = TestApp::new().await;
    let tx = app.tx().await;
    let mut secret = store::projects::NewProject::named("secret", "Secret");
    secret.mode = "private".to_owned();
    store::projects::insert(&tx, &secret, app.clock.now()).await.expect("a project");
    connect(&tx, "secret", "production").await;
    app.commit(tx).await;
    let count = async |client: &Client| client.get(&at("production")).await.expect(200)["projectCount"].clone();
    assert_eq!(count(&app.admin()).await, 2);
    assert_eq!(count(&app.viewer().await).await, 1);
    assert_eq!(count(&app.person(role::VIEWER, Some(("secret", role::MEMBER))).await).await, 2);
}
