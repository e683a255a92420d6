//! Calls of declarative tools in their order, with the statuses and shapes that they insist on: Unleash's Terraform
//! provider, and an operator of Kubernetes.

use flagstone::config::{ApiTokenSecrets, Config};
use poem::http::Method;
use serde_json::{Value, json};

use crate::{
    calls::act,
    harness::{Client, TestApp, role},
};

/// The tools read secrets where lists show them.
async fn sealing() -> TestApp {
    TestApp::with_config(Config { api_token_secrets: ApiTokenSecrets::Sealed, ..Config::default() }).await
}

async fn call(client: &Client, method: Method, path: &str, body: Value, status: u16) -> Value {
    let address = format!("/api/admin{path}");
    let answer = if body.is_null() {
        act(client, method.clone(), &address).await
    } else {
        client.json(method.clone(), &address, body).await
    };
    assert_eq!(answer.status, status, "{method} {path}: {}", answer.text);
    answer.body
}

#[tokio::test]
async fn terraform_creates_reads_changes_and_deletes_its_resources() {
    let app = sealing().await;
    let admin = app.admin();
    let post = async |path: &str, body: Value, status: u16| call(&admin, Method::POST, path, body, status).await;
    let put = async |path: &str, body: Value| call(&admin, Method::PUT, path, body, 200).await;
    let get = async |path: &str| call(&admin, Method::GET, path, Value::Null, 200).await;
    let delete = async |path: &str| call(&admin, Method::DELETE, path, Value::Null, 200).await;

    let shop = json!({ "id": "shop", "name": "Shop", "description": "", "environments": [] });
    assert_eq!(post("/projects", shop, 201).await["environments"], json!([]));
    put("/projects/shop", json!({ "name": "Shop", "description": "Sells" })).await;
    assert_eq!(get("/projects/shop/overview").await["environments"], json!([]));
    post("/environments", json!({ "name": "qa", "type": "test" }), 201).await;
    put("/environments/update/qa", json!({ "type": "test", "sortOrder": 9 })).await;
    assert_eq!(get("/environments/qa").await["sortOrder"], 9);
    post("/projects/shop/environments", json!({ "environment": "qa" }), 200).await;
    // By this it knows one that is attached already.
    post("/projects/shop/environments", json!({ "environment": "qa" }), 409).await;

    let permissions = json!([{ "name": "UPDATE_FEATURE_ENVIRONMENT", "environment": "qa" }]);
    let releaser = json!({ "name": "Releaser", "description": "d", "type": "custom", "permissions": permissions });
    let saved = post("/roles", releaser, 200).await;
    let releaser = saved["roles"]["id"].clone();
    let role_path = format!("/roles/{releaser}");
    assert_eq!(get(&role_path).await["permissions"][0]["environment"], "qa");
    let permissions = json!([{ "name": "CREATE_FEATURE" }]);
    let changed = json!({ "name": "Releaser", "description": "e", "type": "custom", "permissions": permissions });
    assert_eq!(put(&role_path, changed).await["roles"]["description"], "e");

    let ada = json!({ "name": "Ada", "email": "ada@example.com", "rootRole": role::EDITOR, "sendEmail": false });
    let ada = post("/user-admin", ada, 201).await["id"].clone();
    let user_path = format!("/user-admin/{ada}");
    put(&user_path, json!({ "name": "Ada L", "email": "ada@example.com", "rootRole": role::VIEWER })).await;
    assert_eq!(get(&user_path).await["rootRole"], role::VIEWER);
    let crew = json!({ "name": "crew", "mappingsSSO": [], "users": [{ "user": { "id": ada } }] });
    let crew = post("/groups", crew, 201).await["id"].clone();
    let group_path = format!("/groups/{crew}");
    put(&group_path, json!({ "name": "crew", "users": [] })).await;
    assert_eq!(get(&group_path).await["userCount"], 0);
    let access = json!({ "roles": [{ "id": releaser, "users": [ada], "groups": [crew] }] });
    put("/projects/shop/access", access).await;
    assert_eq!(get("/projects/shop/access").await["users"][0]["id"], ada);

    let token = json!({ "tokenName": "app", "type": "backend", "environment": "qa", "projects": ["shop"] });
    let secret = post("/api-tokens", token, 201).await["secret"].clone();
    let listed = get("/api-tokens").await;
    let of_secret = listed["tokens"].as_array().expect("tokens").iter().filter(|token| token["secret"] == secret);
    assert_eq!(of_secret.count(), 1, "it creates a token again whose secret is not listed: {listed}");
    let token_path = format!("/api-tokens/{}", secret.as_str().expect("a secret"));
    put(&token_path, json!({ "expiresAt": "2026-06-01T00:00:00.000Z" })).await;

    let robot = json!({ "name": "R", "username": "robot", "rootRole": role::VIEWER });
    let robot = post("/service-account", robot, 201).await["id"].clone();
    let robot_path = format!("/service-account/{robot}");
    put(&robot_path, json!({ "name": "R", "rootRole": role::EDITOR })).await;
    let lasting = json!({ "description": "ci", "expiresAt": "2026-06-01T00:00:00.000Z" });
    let lasting = post(&format!("{robot_path}/token"), lasting, 201).await["id"].clone();
    assert_eq!(get(&format!("{robot_path}/token")).await["pats"][0]["id"], lasting);
    post("/context", json!({ "name": "plan", "legalValues": [{ "value": "free" }] }), 201).await;
    put("/context/plan", json!({ "name": "plan", "stickiness": true, "legalValues": [] })).await;
    assert_eq!(get("/context/plan").await["stickiness"], true);
    assert!(get("/permissions").await["permissions"]["root"].is_array());

    put("/projects/shop/access", json!({ "roles": [] })).await;
    let token_of_robot = format!("{robot_path}/token/{lasting}");
    for path in ["/context/plan", &token_path, &token_of_robot, &robot_path, &role_path, &group_path, &user_path] {
        delete(path).await;
    }
    delete("/projects/shop").await;
    delete("/environments/qa").await;
}

#[tokio::test]
async fn an_operator_finds_no_token_creates_it_and_keeps_its_secret_as_listed() {
    let app = sealing().await;
    app.project("shop").await;
    let admin = app.admin();
    let listed = async || call(&admin, Method::GET, "/api-tokens/app", Value::Null, 200).await["tokens"].clone();
    assert_eq!(listed().await, json!([]));
    let token = json!({ "tokenName": "app", "type": "client", "environment": "development", "projects": ["shop"] });
    let secret = call(&admin, Method::POST, "/api-tokens", token, 201).await["secret"].clone();
    let tokens = listed().await;
    assert_eq!((tokens.as_array().map(Vec::len), &tokens[0]["secret"]), (Some(1), &secret));
    let path = format!("/api-tokens/{}", secret.as_str().expect("a secret"));
    call(&admin, Method::DELETE, &path, Value::Null, 200).await;
    assert_eq!(listed().await, json!([]));
}
