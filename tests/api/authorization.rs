//! Who may do what: a row for every operation of the document, and the events that each change leaves.

use std::collections::BTreeSet;

use flagstone::{
    api::document::DOCUMENT,
    domain::secret::TokenKind,
    store::{self, tokens::NewApiToken},
};
use poem::http::Method;
use serde_json::{Value, json};

use crate::harness::{Client, TestApp, role};

/// What each kind of caller is answered.
struct Statuses {
    nobody: u16,
    client_token: u16,
    viewer: u16,
    editor: u16,
    member: u16,
    owner: u16,
    admin: u16,
}

/// Anybody with credentials for administration.
const AUTHENTICATED: Statuses =
    Statuses { nobody: 401, client_token: 403, viewer: 200, editor: 200, member: 200, owner: 200, admin: 200 };
/// Administrators alone.
const ADMIN: Statuses =
    Statuses { nobody: 401, client_token: 403, viewer: 403, editor: 403, member: 403, owner: 403, admin: 200 };
/// Whoever may work in the project `shop`: an Editor may in `default` alone.
const IN_SHOP: Statuses =
    Statuses { nobody: 401, client_token: 403, viewer: 403, editor: 403, member: 200, owner: 200, admin: 200 };
/// Everybody.
const OPEN: Statuses =
    Statuses { nobody: 200, client_token: 200, viewer: 200, editor: 200, member: 200, owner: 200, admin: 200 };

struct Row {
    operation: &'static str,
    method: Method,
    path: &'static str,
    body: Option<Value>,
    statuses: Statuses,
    /// Types of the events that a success leaves.
    events: &'static [&'static str],
}

fn read(operation: &'static str, path: &'static str, statuses: Statuses) -> Row {
    Row { operation, method: Method::GET, path, body: None, statuses, events: &[] }
}

fn write(
    operation: &'static str,
    path: &'static str,
    body: Value,
    statuses: Statuses,
    events: &'static [&'static str],
) -> Row {
    Row { operation, method: Method::POST, path, body: Some(body), statuses, events }
}

fn rows() -> Vec<Row> {
    let data = json!({ "features": [{ "name": "new" }], "featureStrategies": [], "tagTypes": [] });
    let import = json!({ "project": "shop", "environment": "development", "data": data });
    vec![
        read("getHealth", "/health", OPEN),
        read("getReady", "/ready", OPEN),
        read("getProfile", "/api/admin/user/profile", AUTHENTICATED),
        read("getProjectHealthReport", "/api/admin/projects/shop/health-report", AUTHENTICATED),
        read("getDeprecatedProjectOverview", "/api/admin/projects/shop", AUTHENTICATED),
        Row {
            operation: "patchFeature",
            method: Method::PATCH,
            path: "/api/admin/projects/shop/features/f",
            body: Some(json!([{ "op": "replace", "path": "/stale", "value": true }])),
            statuses: IN_SHOP,
            events: &["feature-metadata-updated", "feature-stale-on"],
        },
        read("searchFeatures", "/api/admin/search/features", AUTHENTICATED),
        read("getFeatures", "/api/admin/projects/shop/features", AUTHENTICATED),
        read("searchEvents", "/api/admin/search/events", AUTHENTICATED),
        write("deprecatedSearchEvents", "/api/admin/events/search", json!({}), AUTHENTICATED, &[]),
        read("getEventCreators", "/api/admin/event-creators", AUTHENTICATED),
        write(
            "setOidcSettings",
            "/api/admin/auth/oidc/settings",
            json!({ "enabled": true, "clientId": "flagstone", "secret": "s3cret-of-the-provider" }),
            ADMIN,
            &["setting-created"],
        ),
        read("getOidcSettings", "/api/admin/auth/oidc/settings", ADMIN),
        write(
            "setSamlSettings",
            "/api/admin/auth/saml/settings",
            json!({ "enabled": false }),
            ADMIN,
            &["setting-created"],
        ),
        read("getSamlSettings", "/api/admin/auth/saml/settings", ADMIN),
        write("validateImport", "/api/admin/features-batch/validate", import.clone(), AUTHENTICATED, &[]),
        write(
            "importFeatures",
            "/api/admin/features-batch/import",
            import,
            IN_SHOP,
            &["feature-created", "features-imported"],
        ),
        write(
            "exportFeatures",
            "/api/admin/features-batch/export",
            json!({ "environment": "development", "project": "shop" }),
            AUTHENTICATED,
            &["features-exported"],
        ),
        read("getInstanceInsights", "/api/admin/dashboard/executive", AUTHENTICATED),
        read("getInsights", "/api/admin/insights", AUTHENTICATED),
        write(
            "login",
            "/auth/simple/login",
            json!({ "username": "nobody", "password": "wrong" }),
            Statuses { nobody: 401, client_token: 401, viewer: 401, editor: 401, member: 401, owner: 401, admin: 401 },
            &[],
        ),
        Row {
            operation: "logout",
            method: Method::POST,
            path: "/logout",
            body: None,
            statuses: Statuses {
                nobody: 302,
                client_token: 302,
                viewer: 302,
                editor: 302,
                member: 302,
                owner: 302,
                admin: 302,
            },
            events: &[],
        },
    ]
}

async fn shop() -> TestApp {
    let app = TestApp::new().await;
    app.project("shop").await;
    app.feature("shop", "f").await;
    app
}

async fn client_token(app: &TestApp) -> Client {
    let tx = app.tx().await;
    let secret = "shop:development.client-token";
    let token = NewApiToken {
        secret: secret.to_owned(),
        name: "an application".to_owned(),
        kind: TokenKind::Client,
        projects: vec!["shop".to_owned()],
        environment: "development".to_owned(),
        expires_at: None,
        created_by: None,
    };
    store::tokens::insert_api_token(&tx, &token, app.clock.now()).await.expect("a token");
    app.commit(tx).await;
    app.with_authorization(secret)
}

async fn call(client: &Client, row: &Row) -> u16 {
    let answer = match &row.body {
        Some(body) => client.json(row.method.clone(), row.path, body.clone()).await,
        None => client.request(row.method.clone(), row.path, &[], Vec::new()).await,
    };
    if matches!(answer.status, 401 | 403) && row.operation != "login" {
        let name = if answer.status == 401 { "AuthenticationRequired" } else { "NoAccessError" };
        assert_eq!(answer.body["name"], name, "{}", row.operation);
    }
    answer.status
}

#[tokio::test]
async fn every_operation_has_a_row() {
    let paths = DOCUMENT["paths"].as_object().expect("paths");
    let published: BTreeSet<&str> = paths
        .values()
        .flat_map(|item| item.as_object().expect("a path item").values())
        .map(|operation| operation["operationId"].as_str().expect("an operation id"))
        .collect();
    let listed: BTreeSet<&str> = rows().iter().map(|row| row.operation).collect();
    assert_eq!(published, listed);
}

#[tokio::test]
async fn every_operation_lets_in_exactly_whom_it_should() {
    let app = shop().await;
    let callers = [
        ("nobody", app.anonymous()),
        ("client token", client_token(&app).await),
        ("viewer", app.viewer().await),
        ("editor", app.editor().await),
        ("member", app.member("shop").await),
        ("member of another project", app.person(role::VIEWER, Some(("default", role::OWNER))).await),
        ("owner", app.owner("shop").await),
        ("administrator", app.root_admin().await),
        ("admin token", app.admin()),
    ];
    for row in rows() {
        for (name, client) in &callers {
            let expected = match *name {
                "nobody" => row.statuses.nobody,
                "client token" => row.statuses.client_token,
                "viewer" | "member of another project" => row.statuses.viewer,
                "editor" => row.statuses.editor,
                "member" => row.statuses.member,
                "owner" => row.statuses.owner,
                _ => row.statuses.admin,
            };
            assert_eq!(call(client, &row).await, expected, "{} as {name}", row.operation);
        }
    }
}

/// Operations that change nothing in spite of their method, or only the caller's own session. May only shrink.
const WITHOUT_EVENTS: &[&str] = &["deprecatedSearchEvents", "validateImport", "login", "logout"];

#[tokio::test]
async fn every_change_leaves_its_events_and_every_refusal_none() {
    for row in rows().into_iter().filter(|row| row.method != Method::GET) {
        let app = shop().await;
        let viewer = app.viewer().await;
        if row.statuses.viewer == 403 {
            call(&viewer, &row).await;
            assert_eq!(app.event_types().await, Vec::<String>::new(), "{} refused", row.operation);
        }
        call(&app.admin(), &row).await;
        assert_eq!(app.event_types().await, row.events, "{}", row.operation);
        assert_eq!(row.events.is_empty(), WITHOUT_EVENTS.contains(&row.operation), "{}", row.operation);
    }
}
