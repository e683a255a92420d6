//! API tokens of the instance and of projects.

mod reach;
mod sealed;

use flagstone::config::{Config, Limits};
use serde_json::{Value, json};

use crate::{
    authorization::{access::Access, somebody_with},
    calls::{delete, last_event, private_project, put},
    harness::{Client, TestApp, encoded, role},
};

const TOKENS: &str = "/api/admin/api-tokens";
const OF_SHOP: &str = "/api/admin/projects/shop/api-tokens";

async fn shop() -> TestApp {
    let app = TestApp::new().await;
    app.project("shop").await;
    app.project("other").await;
    app
}

fn client(projects: &[&str]) -> Value {
    json!({ "tokenName": "app", "type": "client", "environment": "development", "projects": projects })
}

/// A person with these permissions in the whole instance.
async fn holder(app: &TestApp, permissions: &[&str]) -> Client {
    let permissions: Vec<Value> = permissions.iter().map(|name| json!({ "name": name })).collect();
    let name = flagstone::clock::new_uuid().to_string();
    let body = json!({ "name": name, "type": "root-custom", "permissions": permissions });
    let role = app.admin().post("/api/admin/roles", body).await.expect(200)["roles"]["id"].as_i64().expect("an id");
    app.person(role, None).await
}

fn one(path: &str, token: &Value) -> String {
    format!("{path}/{}", encoded(token.as_str().expect("a text")))
}

async fn secrets(client: &Client, path: &str) -> Vec<Value> {
    let list = client.get(path).await.expect(200);
    list["tokens"].as_array().expect("tokens").iter().map(|token| token["secret"].clone()).collect()
}

#[tokio::test]
async fn a_secret_is_shown_once_and_the_list_says_by_what_to_name_the_token() {
    let app = shop().await;
    let admin = app.admin();
    let made = admin.post(TOKENS, client(&["shop"])).await.expect(201);
    let secret = made["secret"].as_str().expect("a secret");
    assert!(secret.starts_with("shop:development.") && secret.len() == "shop:development.".len() + 56, "{secret}");
    let told = json!({
        "tokenName": "app", "type": "client", "project": "shop", "projects": ["shop"], "environment": "development",
        "expiresAt": null, "createdAt": "2026-01-15T12:00:00.000Z",
    });
    assert_eq!(last_event(&app).await, json!(["api-token-created", "shop", told, null]));
    assert_eq!(app.events().await[0].environment.as_deref(), Some("development"));
    let shown = json!({
        "secret": "hidden:shop:development.id-2", "tokenName": "app", "username": "app", "type": "client",
        "environment": "development", "project": "shop", "projects": ["shop"], "expiresAt": null,
        "createdAt": "2026-01-15T12:00:00.000Z", "alias": null, "seenAt": null,
    });
    for path in [TOKENS, "/api/admin/api-tokens/app", OF_SHOP] {
        let list = admin.get(path).await.expect(200);
        assert_eq!(list["tokens"].as_array().and_then(|tokens| tokens.last()), Some(&shown), "{path}");
    }
    assert_eq!(secrets(&admin, TOKENS).await, ["hidden:*:*.id-1", "hidden:shop:development.id-2"]);
    assert_eq!(admin.get("/api/admin/api-tokens/nobody").await.expect(200), json!({ "tokens": [] }));
    // What the list shows lets nobody in.
    app.with_authorization("hidden:*:*.id-1").get(TOKENS).await.refused(401, "AuthenticationRequired", "");
    for event in app.events().await {
        assert!(!format!("{event:?}").contains(secret));
    }
}

#[tokio::test]
async fn backend_is_another_name_of_client_tokens() {
    let app = shop().await;
    let admin = app.admin();
    for kind in ["backend", "BACKEND", "Backend"] {
        let body = json!({ "tokenName": "app", "type": kind, "environment": "development", "projects": ["shop"] });
        let made = admin.post(TOKENS, body).await.expect(201);
        assert_eq!(made["type"], "client");
        let program = app.with_authorization(made["secret"].as_str().expect("a secret"));
        program.get("/api/client/features").await.expect(200);
    }
    // Who may make client tokens may make these, and who may make frontend tokens may not.
    let body = json!({ "tokenName": "app", "type": "backend", "environment": "development", "projects": ["shop"] });
    holder(&app, &["CREATE_CLIENT_API_TOKEN"]).await.post(TOKENS, body.clone()).await.expect(201);
    let other = holder(&app, &["CREATE_FRONTEND_API_TOKEN"]).await;
    other.post(TOKENS, body.clone()).await.refused(403, "NoAccessError", "CREATE_CLIENT_API_TOKEN");
    admin.post(OF_SHOP, body).await.expect(201);
    let body = json!({ "tokenName": "app", "type": "backends" });
    admin.post(TOKENS, body).await.refused(400, "ValidationError", "/body/type");
}

#[tokio::test]
async fn a_token_is_changed_and_deleted_by_its_secret_and_by_what_lists_show() {
    let app = shop().await;
    let admin = app.admin();
    let body = json!({ "tokenName": "script", "type": "ADMIN" });
    let first = admin.post(TOKENS, body.clone()).await.expect(201)["secret"].clone();
    let second = admin.post(TOKENS, body).await.expect(201)["secret"].clone();
    let as_first = app.with_authorization(first.as_str().expect("a secret"));
    let as_second = app.with_authorization(second.as_str().expect("a secret"));
    as_first.get(TOKENS).await.expect(200);
    let handle = json!("hidden:*:*.id-3");
    assert_eq!(secrets(&as_second, TOKENS).await[2], handle);

    let ends = json!({ "expiresAt": "2026-01-15T12:00:01.000Z" });
    put(&admin, &one(TOKENS, &first), ends.clone()).await.expect(200);
    let event = last_event(&app).await;
    assert_eq!((&event[0], &event[1]), (&json!("api-token-updated"), &json!("*")));
    assert_eq!((&event[2]["expiresAt"], &event[3]["expiresAt"]), (&ends["expiresAt"], &Value::Null));
    put(&admin, &one(TOKENS, &handle), ends.clone()).await.expect(200);
    let count = app.event_types().await.len();
    put(&admin, &one(TOKENS, &handle), ends).await.expect(200);
    assert_eq!(app.event_types().await.len(), count, "nothing changed");
    app.clock.advance(1000);
    as_first.get(TOKENS).await.refused(401, "AuthenticationRequired", "");
    as_second.get(TOKENS).await.refused(401, "AuthenticationRequired", "");
    put(&admin, &one(TOKENS, &first), json!({ "expiresAt": null })).await.expect(200);
    as_first.get(TOKENS).await.expect(200);

    delete(&admin, &one(TOKENS, &first)).await.expect(200);
    let event = last_event(&app).await;
    assert_eq!(
        (&event[0], &event[2], &event[3]["tokenName"]),
        (&json!("api-token-deleted"), &Value::Null, &json!("script"))
    );
    as_first.get(TOKENS).await.refused(401, "AuthenticationRequired", "");
    delete(&admin, &one(TOKENS, &handle)).await.expect(200);
    assert_eq!(secrets(&admin, TOKENS).await, ["hidden:*:*.id-1"]);
    let count = app.event_types().await.len();
    for token in [first, handle, json!("hidden:shop:development.id-1"), json!("id-1"), json!("x\u{0}")] {
        delete(&admin, &one(TOKENS, &token)).await.refused(404, "NotFoundError", "no such API token");
        let forever = json!({ "expiresAt": null });
        put(&admin, &one(TOKENS, &token), forever).await.refused(404, "NotFoundError", "no such API token");
    }
    put(&admin, "/api/admin/api-tokens/x", json!({})).await.refused(400, "ValidationError", "/body/expiresAt");
    assert_eq!(app.event_types().await.len(), count);
}

#[tokio::test]
async fn an_alias_lets_in_too_and_is_shown_once() {
    let app = shop().await;
    let admin = app.admin();
    let alias = "proxy-secret-that-nobody-will-ever-guess";
    let body = json!({ "tokenName": "proxy", "type": "admin", "alias": alias });
    assert_eq!(admin.post(TOKENS, body.clone()).await.expect(201)["alias"], alias);
    let by_alias = app.with_authorization(alias);
    assert!(!by_alias.get(TOKENS).await.text.contains(alias));
    admin.post(TOKENS, body.clone()).await.refused(409, "NameExistsError", "/body/alias");
    let short = json!({ "tokenName": "proxy", "type": "admin", "alias": "short" });
    admin.post(TOKENS, short).await.refused(400, "ValidationError", "/body/alias");
    assert_eq!(app.event_types().await.len(), 1);
    delete(&admin, &one(TOKENS, &json!(alias))).await.expect(200);
    by_alias.get(TOKENS).await.refused(401, "AuthenticationRequired", "");
}

#[tokio::test]
async fn what_is_not_said_has_its_usual_value() {
    let app = shop().await;
    let admin = app.admin();
    for (body, prefix, projects) in [
        (json!({ "username": "a", "type": "Frontend" }), "*:default.", json!(["*"])),
        (json!({ "tokenName": "a", "type": "client", "project": "shop" }), "shop:default.", json!(["shop"])),
        (
            json!({ "tokenName": "a", "type": "client", "projects": ["shop", "other", "shop"] }),
            "[]:default.",
            json!(["other", "shop"]),
        ),
        (json!({ "tokenName": "a", "type": "client", "projects": ["shop", "*"] }), "*:default.", json!(["*"])),
        (json!({ "tokenName": "a", "type": "admin" }), "*:*.", json!(["*"])),
    ] {
        let made = admin.post(TOKENS, body.clone()).await.expect(201);
        assert!(made["secret"].as_str().expect("a secret").starts_with(prefix), "{body}");
        assert_eq!(made["projects"], projects);
    }
    let made = admin.post(OF_SHOP, json!({ "tokenName": "a", "type": "frontend" })).await.expect(201);
    assert_eq!(made["projects"], json!(["shop"]));
    // An event about several projects names them all.
    assert_eq!(app.events().await[2].project.as_deref(), Some("other,shop"));
}

#[tokio::test]
async fn what_does_not_exist_or_fit_makes_no_token() {
    let app = shop().await;
    let admin = app.admin();
    for (changes, text) in [
        (json!({ "environment": "nope" }), "/body/environment"),
        (json!({ "environment": "*" }), "/body/environment"),
        (json!({ "projects": ["nope"] }), "/body/projects"),
        (json!({ "projects": ["shop", "nope"] }), "\"nope\""),
        (json!({ "projects": [] }), "/body/projects"),
        (json!({ "type": "admin" }), "/body/type"),
        (json!({ "type": "proxy" }), "/body/type"),
        (json!({ "username": "b" }), "/body/username"),
        (json!({ "tokenName": "" }), "/body/tokenName"),
        (json!({ "tokenName": " " }), "/body/tokenName"),
        (json!({ "expiresAt": "soon" }), "/body/expiresAt"),
    ] {
        let mut body = client(&["shop"]);
        for (name, value) in changes.as_object().expect("an object") {
            body[name] = value.clone();
        }
        admin.post(TOKENS, body).await.refused(400, "ValidationError", text);
    }
    admin.post(TOKENS, json!({ "type": "client" })).await.refused(400, "ValidationError", "/body/tokenName");
    for (body, text) in [
        (json!({ "tokenName": "a", "type": "admin" }), "/body/type"),
        // The reference never answers this one.
        (client(&["other"]), "/body/projects"),
        (client(&["*"]), "/body/projects"),
    ] {
        admin.post(OF_SHOP, body).await.refused(400, "ValidationError", text);
    }
    admin.post("/api/admin/projects/no/api-tokens", client(&["no"])).await.refused(404, "NotFoundError", "no");
    assert_eq!(app.event_types().await, [""; 0]);
    assert_eq!(secrets(&admin, TOKENS).await, ["hidden:*:*.id-1"]);
}

#[tokio::test]
async fn each_kind_of_token_has_its_own_permissions() {
    let app = shop().await;
    let admin = app.admin();
    let kind = |kind: &str| json!({ "tokenName": kind, "type": kind });
    for name in ["client", "frontend"] {
        admin.post(TOKENS, kind(name)).await.expect(201);
    }
    let (client_token, frontend_token) = (json!("hidden:*:default.id-2"), json!("hidden:*:default.id-3"));
    let names =
        ["CREATE_CLIENT_API_TOKEN", "READ_CLIENT_API_TOKEN", "UPDATE_CLIENT_API_TOKEN", "DELETE_CLIENT_API_TOKEN"];
    let ada = holder(&app, &names).await;
    let forever = json!({ "expiresAt": null });
    assert_eq!(secrets(&ada, TOKENS).await, std::slice::from_ref(&client_token));
    assert_eq!(ada.get("/api/admin/api-tokens/frontend").await.expect(200), json!({ "tokens": [] }));
    let mut of_shop = kind("client");
    of_shop["projects"] = json!(["shop"]);
    ada.post(TOKENS, of_shop).await.expect(201);
    ada.post(TOKENS, kind("frontend")).await.refused(403, "NoAccessError", "CREATE_FRONTEND_API_TOKEN");
    ada.post(TOKENS, kind("admin")).await.refused(403, "NoAccessError", "ADMIN");
    put(&ada, &one(TOKENS, &client_token), forever.clone()).await.expect(200);
    let other = one(TOKENS, &frontend_token);
    put(&ada, &other, forever.clone()).await.refused(403, "NoAccessError", "UPDATE_FRONTEND_API_TOKEN");
    delete(&ada, &other).await.refused(403, "NoAccessError", "DELETE_FRONTEND_API_TOKEN");
    put(&ada, "/api/admin/api-tokens/*:*.id-1", forever).await.refused(403, "NoAccessError", "ADMIN");
    delete(&ada, "/api/admin/api-tokens/*:*.id-1").await.refused(403, "NoAccessError", "ADMIN");
    delete(&ada, &one(TOKENS, &client_token)).await.expect(200);
    assert_eq!(secrets(&admin, TOKENS).await, ["hidden:*:*.id-1", "hidden:*:default.id-3", "hidden:shop:default.id-4"]);
}

#[tokio::test]
async fn tokens_of_projects_are_the_business_of_their_members() {
    let app = shop().await;
    let admin = app.admin();
    let member = app.member("shop").await;
    member.post(OF_SHOP, client(&["shop"])).await.expect(201);
    member.post(OF_SHOP, client(&["other", "shop"])).await.refused(403, "NoAccessError", "CREATE_PROJECT_API_TOKEN");
    member.post(OF_SHOP, client(&["none", "shop"])).await.refused(403, "NoAccessError", "CREATE_PROJECT_API_TOKEN");
    for projects in [&["other"][..], &["shop", "other"], &["*"]] {
        admin.post(TOKENS, client(projects)).await.expect(201);
    }
    assert_eq!(secrets(&member, OF_SHOP).await, ["hidden:shop:development.id-2", "hidden:[]:development.id-4"]);
    let of = |token: &str| one(OF_SHOP, &json!(token));
    for token in [
        "hidden:other:development.id-3",
        "hidden:*:development.id-5",
        "hidden:*:*.id-1",
        "hidden:shop:development.id-9",
    ] {
        delete(&member, &of(token)).await.refused(404, "NotFoundError", "no such API token");
        delete(&admin, &of(token)).await.refused(404, "NotFoundError", "no such API token");
    }
    let both = of("hidden:[]:development.id-4");
    delete(&member, &both).await.refused(403, "NoAccessError", "DELETE_PROJECT_API_TOKEN");
    let elsewhere = format!("/api/admin/projects/other/users/{}/roles", member.user_id.expect("a person"));
    put(&admin, &elsewhere, json!({ "roles": [role::MEMBER] })).await.expect(200);
    member.post(OF_SHOP, client(&["other", "shop"])).await.expect(201);
    delete(&member, &both).await.expect(200);
    delete(&member, &of("hidden:shop:development.id-2")).await.expect(200);
    assert_eq!(last_event(&app).await[1], "shop");
    assert_eq!(secrets(&member, OF_SHOP).await, ["hidden:[]:development.id-6"]);
}

#[tokio::test]
async fn hidden_projects_appear_in_no_list_of_tokens_and_no_refusal() {
    let app = shop().await;
    private_project(&app, "secret").await;
    let admin = app.admin();
    for projects in [&["secret"][..], &["secret", "shop"], &["*"]] {
        admin.post(TOKENS, client(projects)).await.expect(201);
    }
    let names =
        ["READ_CLIENT_API_TOKEN", "CREATE_CLIENT_API_TOKEN", "UPDATE_CLIENT_API_TOKEN", "DELETE_CLIENT_API_TOKEN"];
    let ada = holder(&app, &names).await;
    for (client, path) in [(&ada, TOKENS), (&ada, "/api/admin/api-tokens/app"), (&app.member("shop").await, OF_SHOP)] {
        let list = client.get(path).await;
        assert!(!list.text.contains("secret:") && !list.text.contains("\"secret\"]"), "{path}: {}", list.text);
        let projects: Vec<Value> = list.expect(200)["tokens"]
            .as_array()
            .expect("tokens")
            .iter()
            .map(|token| json!([token["secret"], token["project"], token["projects"]]))
            .collect();
        assert_eq!(projects[0], json!(["hidden:shop:development.id-3", "shop", ["shop"]]));
    }
    assert_eq!(secrets(&ada, TOKENS).await.len(), 2);
    let hidden = one(TOKENS, &json!("hidden:secret:development.id-2"));
    delete(&ada, &hidden).await.refused(404, "NotFoundError", "no such API token");
    let nowhere = ada.post(TOKENS, client(&["secret"])).await;
    nowhere.refused(400, "ValidationError", "\"secret\", which does not exist");
    let events = app.viewer().await.get("/api/admin/search/events?type=IS:api-token-created").await;
    assert!(!events.text.contains("\"secret\""), "{}", events.text);
    assert_eq!(secrets(&admin, TOKENS).await.len(), 4);
}

#[tokio::test]
async fn there_are_at_most_as_many_as_the_operator_allows() {
    let limits = Limits { api_tokens: 2, ..Limits::default() };
    let app = TestApp::with_config(Config { limits, ..Config::default() }).await;
    app.project("shop").await;
    let admin = app.admin();
    admin.post(OF_SHOP, client(&["shop"])).await.expect(201);
    for path in [TOKENS, OF_SHOP] {
        admin.post(path, client(&["shop"])).await.refused(400, "ExceedsLimitError", "limit of 2");
    }
    delete(&admin, "/api/admin/api-tokens/shop:development.id-2").await.expect(200);
    admin.post(TOKENS, client(&["shop"])).await.expect(201);
}
