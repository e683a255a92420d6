//! What a body can hold is bounded on every way in: each text, list and map of each operation's body, blown up alone,
//! is refused by its name and leaves nothing behind.
//!
//! The document says what a body can hold; whether it is bounded is asked of the server, not of the document.

mod blown;

use flagstone::{api::document::DOCUMENT, jobs};
use sea_orm::{ConnectionTrait, FromQueryResult, JsonValue, Statement};
use serde_json::{Value, json};

use self::blown::{Blown, blow_up};
use crate::{
    authorization::{
        access::Asker,
        client,
        row::{Row, Step},
        rows, shop_for,
    },
    harness::{Answer, TestApp},
};

/// Reports of programs, which lose nothing by one long name: they are taken in, and what is too much is left out.
const CUT: &[&str] = &[
    "bulkMetrics",
    "clientBulkMetrics",
    "edgeInstanceHeartbeat",
    "registerClientApplication",
    "registerClientMetrics",
    "registerEdgeInstance",
    "registerFrontendClient",
    "registerFrontendMetrics",
];

/// Questions, of which nothing is kept.
const ASKED: &[&str] = &["getAdvancedPlayground", "getChangeRequestPlayground", "getImpactOfChanges", "getPlayground"];

/// Changes that are requested, some of a strategy or of a segment of the project.
const REQUESTING: &[&str] = &["changeRequest", "editChange", "getImpactOfChanges"];

/// Data sets: what of one concerns no feature that it lists is left out, and its findings name features. That what is
/// kept is bounded is shown by what is stored; which bound is told by which finding, in `import::bounds`.
const DATA_SETS: &[&str] = &["importFeatures"];

/// Stores nothing, and judges as `importFeatures` does.
const ELSEWHERE: &[&str] = &["validateImport"];

/// Most characters of a refusal, which must not send back what it refuses.
const LONGEST_REFUSAL: usize = 16_384;

/// Most characters that anything stored may have after what is more has been refused.
const LONGEST_STORED: usize = blown::LONG / 2;
/// Most rows that there may be more: those of programs that reported, and of what is made in the first place.
const MOST_ROWS: usize = 100;
/// Most names of features that nobody created, which reports of usage leave.
const UNKNOWN_FLAGS: usize = 2000;

#[tokio::test]
async fn every_text_list_and_map_of_a_body_is_bounded() {
    let mut loose = Vec::new();
    for row in rows::all().into_iter().filter(|row| !ELSEWHERE.contains(&row.operation)) {
        if let Some(schema) = body_schema(row.operation) {
            loose.extend(try_all(&row, schema).await);
        }
    }
    assert!(loose.is_empty(), "{} not bounded:\n{}", loose.len(), loose.join("\n"));
}

/// Returns the parts of one operation's body that are not bounded.
async fn try_all(row: &Row, schema: &'static Value) -> Vec<String> {
    let app = shop_for(row).await;
    // The examples have constraints on it.
    app.admin().post("/api/admin/context", json!({ "name": "country" })).await.expect(201);
    if REQUESTING.contains(&row.operation) {
        let segment = json!({ "name": "customers", "project": "shop", "constraints": [] });
        app.admin().post("/api/admin/segments", segment).await.expect(201);
    }
    let asker = Asker::ALL.into_iter().rev().find(|asker| row.access.refusal(*asker).is_none());
    let client = client(&app, asker.expect("somebody may")).await;
    row.prepare(&client).await;
    let strategy = if REQUESTING.contains(&row.operation) { Some(strategy_to_change(&app).await) } else { None };
    let call = call_of(row, &app).await;
    let before = Stored::of(&app).await;
    let (mut loose, mut is_taken) = (Vec::new(), false);
    for blown in blow_up(schema, row.call.body.as_ref(), example(row.operation)) {
        let body = match &strategy {
            Some(id) => blown.body.to_string().replace(blown::MADE_UP_ID, id).parse().expect("JSON"),
            None => blown.body.clone(),
        };
        let call = Step { body: Some(body), ..call.clone() };
        let answer = call.take(&client).await;
        is_taken |= answer.status < 400;
        if let Some(fault) = fault(row, &blown, &answer) {
            loose.push(format!("{} {}: {fault}", row.operation, blown.place));
        }
    }
    jobs::write_usage(&app.state).await.expect("writes");
    let after = Stored::of(&app).await;
    let most_rows = match row.operation {
        operation if DATA_SETS.contains(&operation) => usize::MAX,
        operation if operation.ends_with("Metrics") => before.rows + MOST_ROWS + UNKNOWN_FLAGS,
        _ => before.rows + MOST_ROWS,
    };
    if after.longest > LONGEST_STORED.max(before.longest) || after.rows > most_rows {
        loose.push(format!("{}: changed {before:?} to {after:?}", row.operation));
    } else if !is_taken && after != before {
        loose.push(format!("{}: refused everything, and changed {before:?} to {after:?}", row.operation));
    }
    loose
}

/// Id of a strategy that changes can be about.
async fn strategy_to_change(app: &TestApp) -> String {
    let path = "/api/admin/projects/shop/features/f/environments/production/strategies";
    let strategy = app.admin().post(path, json!({ "name": "flexibleRollout" })).await.expect(200);
    strategy["id"].as_str().expect("an id").to_owned()
}

/// The call of a row; one that names a link that nobody made gets one that lets people in.
async fn call_of(row: &Row, app: &TestApp) -> Step {
    if row.operation != "addPublicSignupTokenUser" {
        return row.call.clone();
    }
    let link = json!({ "name": "welcome", "expiresAt": "2026-02-01T00:00:00.000Z" });
    let link = app.admin().post("/api/admin/invite-link/tokens", link).await.expect(201);
    let path = format!("/invite/{}/signup", link["secret"].as_str().expect("a secret"));
    Step { path: path.leak(), ..row.call.clone() }
}

fn fault(row: &Row, blown: &Blown, answer: &Answer) -> Option<String> {
    let shown = || answer.text.split("\"message\":").nth(1).unwrap_or_default().chars().take(120).collect::<String>();
    match answer.status {
        200..=399 if blown.is_free || [CUT, ASKED, DATA_SETS].concat().contains(&row.operation) => None,
        200..=399 => Some(format!("taken with {}", answer.status)),
        413 => None,
        _ if answer.text.chars().count() > LONGEST_REFUSAL => Some(format!("sent back with {}", answer.status)),
        // What does not exist is as good as bounded by what does.
        404 => None,
        _ if DATA_SETS.contains(&row.operation) => None,
        // Of a list of things, the thing that is to blame is enough.
        _ if ![&*blown.property, "/body/0"].iter().any(|name| answer.text.contains(name)) => {
            Some(format!("not named: {} {}", answer.status, shown()))
        }
        _ => None,
    }
}

fn operation(id: &str) -> &'static Value {
    let paths = DOCUMENT["paths"].as_object().expect("paths").values();
    let mut operations = paths.flat_map(|item| item.as_object().expect("a path item").values());
    operations.find(|operation| operation["operationId"] == id).expect("an operation of the document")
}

fn body_schema(id: &str) -> Option<&'static Value> {
    let schema = &operation(id)["requestBody"]["content"]["application/json"]["schema"];
    (!schema.is_null()).then_some(schema)
}

fn example(id: &str) -> &'static Value {
    &operation(id)["requestBody"]["content"]["application/json"]["example"]
}

/// Amount of everything that is stored.
#[derive(Debug, PartialEq, Eq)]
struct Stored {
    rows: usize,
    events: Vec<String>,
    longest: usize,
}

impl Stored {
    async fn of(app: &TestApp) -> Self {
        let (mut rows, mut longest) = (0, 0);
        for table in tables(app).await {
            let all = select(app, &format!("SELECT * FROM \"{table}\"")).await;
            rows += all.len();
            let texts = all.iter().flat_map(|row| row.as_object().expect("a row").values()).filter_map(Value::as_str);
            longest = texts.map(str::len).chain([longest]).max().unwrap_or_default();
        }
        Self { rows, events: app.event_types().await, longest }
    }
}

pub async fn tables(app: &TestApp) -> Vec<String> {
    let list = match app.db().get_database_backend() {
        sea_orm::DatabaseBackend::Sqlite => {
            "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE '%VIRTUAL%'"
        }
        _ => "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'",
    };
    let tables = select(app, list).await;
    let names = tables.iter().map(|table| table["name"].as_str().expect("a name").to_owned());
    // The index for full text is written with the rows that it is about.
    names.filter(|name| !name.contains("fts") && !name.starts_with("sqlite_")).collect()
}

async fn select(app: &TestApp, sql: &str) -> Vec<JsonValue> {
    let statement = Statement::from_string(app.db().get_database_backend(), sql);
    JsonValue::find_by_statement(statement).all(app.db()).await.expect(sql)
}
