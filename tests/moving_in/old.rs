//! A server of old that answers what a test says, as rows of its tables say it.

use std::{
    collections::BTreeMap,
    io::{BufRead as _, BufReader, Write as _},
    net::{SocketAddr, TcpListener, TcpStream},
    thread,
};

use serde_json::{Value, json};

/// Rows by table, in the words of the database.
pub type Rows = BTreeMap<&'static str, Vec<Value>>;

/// One feature with one of everything.
pub fn rows() -> Rows {
    let constraint = json!({ "contextName": "country", "operator": "IN", "values": ["NO"], "inverted": false });
    let variant = json!({
        "name": "v", "weight": 1000, "weightType": "fix", "stickiness": "default",
        "payload": { "type": "number", "value": "5" },
    });
    let at = "2026-01-01T00:00:00.000Z";
    BTreeMap::from([
        ("projects", vec![json!({ "id": "shop", "name": "Shop", "description": "d", "created_at": at })]),
        ("project_environments", vec![json!({ "project_id": "shop", "environment_name": "production" })]),
        (
            "environments",
            vec![
                json!({ "name": "production", "type": "production", "enabled": true, "protected": false, "sort_order": 1 }),
            ],
        ),
        (
            "features",
            vec![json!({
                "name": "f", "project": "shop", "type": "release", "description": "d", "stale": false,
                "impression_data": false, "created_at": at, "last_seen_at": at,
            })],
        ),
        (
            "feature_environments",
            vec![json!({
                "feature_name": "f", "environment": "production", "enabled": true, "last_seen_at": at, "variants": [variant],
            })],
        ),
        (
            "feature_strategies",
            vec![json!({
                "id": "8e3ee7b4-7b0c-4f0a-9d2c-1d1a1a1a1a1a", "feature_name": "f", "environment": "production",
                "strategy_name": "flexibleRollout", "title": "t", "disabled": false, "sort_order": 1,
                "parameters": { "rollout": "100", "stickiness": "default", "groupId": "f" },
                "constraints": [constraint], "variants": [variant], "segments": [3], "created_at": at,
            })],
        ),
        (
            "segments",
            vec![json!({ "id": 3, "name": "s", "description": "d", "constraints": [constraint], "created_at": at })],
        ),
        (
            "context_fields",
            vec![json!({
                "name": "country", "description": "d", "stickiness": true, "sort_order": 1,
                "legal_values": [{ "value": "NO" }], "created_at": at,
            })],
        ),
        ("tag_types", vec![json!({ "name": "simple", "description": "d", "icon": "#" })]),
    ])
}

/// A row in the words of the API.
pub fn camel(row: &Value) -> Value {
    let Value::Object(members) = row else { return row.clone() };
    let name = |column: &str| {
        let mut parts = column.split('_');
        let first = parts.next().expect("a part").to_owned();
        parts.fold(first, |name, part| name + &part[..1].to_uppercase() + &part[1..])
    };
    Value::Object(members.iter().map(|(column, value)| (name(column), value.clone())).collect())
}

pub fn list(rows: &Rows, table: &str) -> Vec<Value> {
    rows.get(table).into_iter().flatten().map(camel).collect()
}

/// The strategies of the one feature, as the API answers them.
pub fn strategies(rows: &Rows) -> Vec<Value> {
    let mut all = list(rows, "feature_strategies");
    for strategy in all.iter_mut().filter_map(Value::as_object_mut) {
        let name = strategy.remove("strategyName").unwrap_or_default();
        strategy.insert("name".to_owned(), name);
    }
    all
}

/// State of the server, as its export writes it.
pub fn state(rows: &Rows) -> Value {
    json!({
        "version": 4, "features": list(rows, "features"), "featureEnvironments": list(rows, "feature_environments"),
        "featureStrategies": strategies(rows), "projects": list(rows, "projects"), "segments": list(rows, "segments"),
        "environments": list(rows, "environments"), "contextFields": list(rows, "context_fields"),
        "tagTypes": list(rows, "tag_types"),
    })
}

/// Only feature with its environments, as the API answers it.
pub fn feature(rows: &Rows) -> Value {
    let mut feature = camel(&rows["features"][0]);
    let mut environments = list(rows, "feature_environments");
    for environment in environments.iter_mut().filter_map(Value::as_object_mut) {
        let name = environment.remove("environment").unwrap_or_default();
        environment.insert("name".to_owned(), name);
        environment.insert("strategies".to_owned(), json!(strategies(rows)));
    }
    feature["environments"] = json!(environments);
    feature
}

/// The answer to a program of the environment.
pub fn client(rows: &Rows) -> Value {
    let mut feature = camel(&rows["features"][0]);
    let state = camel(&rows["feature_environments"][0]);
    for name in ["enabled", "variants"] {
        feature[name] = state[name].clone();
    }
    feature["strategies"] = json!(strategies(rows));
    json!({
        "version": 2, "features": [feature], "segments": list(rows, "segments"), "query": { "environment": "production" },
    })
}

/// Answers of the API, by path. `version` is what the server says it is.
pub fn api(rows: &Rows, version: &str) -> BTreeMap<String, String> {
    let project = json!({
        "id": "shop", "name": "Shop", "description": "d", "createdAt": rows["projects"][0]["created_at"],
        "environments": [{ "environment": "production" }],
    });
    let named = json!({ "name": "f", "project": "shop", "tags": [] });
    let answers = [
        ("ui-config", json!({ "version": version })),
        ("environments", json!({ "environments": list(rows, "environments") })),
        ("segments", json!({ "segments": list(rows, "segments") })),
        ("context", json!(list(rows, "context_fields"))),
        ("strategies", json!({ "strategies": [] })),
        ("tag-types", json!({ "tagTypes": list(rows, "tag_types") })),
        ("tags", json!({ "tags": [] })),
        ("feature-types", json!({ "types": [] })),
        ("api-tokens", json!({ "tokens": list(rows, "api_tokens") })),
        ("user-admin", json!({ "users": [], "rootRoles": [] })),
        ("invite-link/tokens", json!({ "tokens": list(rows, "public_signup_tokens") })),
        ("addons", json!({ "addons": list(rows, "addons") })),
        ("search/features", json!({ "features": [named], "total": 1 })),
        ("projects", json!({ "projects": [{ "id": "shop" }] })),
        ("projects/shop/overview", project),
        ("projects/shop/features/f", feature(rows)),
        ("archive/features", json!({ "features": [] })),
        ("metrics/applications", json!({ "applications": list(rows, "client_applications") })),
        ("search/events", json!({ "events": list(rows, "events"), "total": rows.get("events").map_or(0, Vec::len) })),
    ];
    let mut answers: BTreeMap<String, String> =
        answers.into_iter().map(|(path, answer)| (format!("/api/admin/{path}"), answer.to_string())).collect();
    answers.insert("/api/client/features".to_owned(), client(rows).to_string());
    answers
}

/// Answers by path until the test ends; 404 for every other path.
pub fn serve(answers: BTreeMap<String, String>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address");
    thread::spawn(move || {
        for connection in listener.incoming().flatten() {
            // Whoever goes away in between is not answered.
            let _gone = answer(&connection, &answers);
        }
    });
    address
}

fn answer(mut connection: &TcpStream, answers: &BTreeMap<String, String>) -> std::io::Result<()> {
    let mut head = BufReader::new(connection).lines();
    let line = head.next().transpose()?.unwrap_or_default();
    while head.next().transpose()?.is_some_and(|line| !line.is_empty()) {}
    let path = line.split(' ').nth(1).and_then(|path| path.split('?').next()).unwrap_or_default();
    let (status, body) = answers.get(path).map_or(("404 Not Found", "{}"), |body| ("200 OK", body.as_str()));
    write!(
        connection,
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )
}
