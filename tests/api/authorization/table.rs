//! The table of operations in `openapi/operations.md`: written from the rows, each of which these tests prove.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
};

use flagstone::api::document::DOCUMENT;
use serde_json::{Value, json};

use super::{access::Access, rows};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/openapi/operations.md");

const HEAD: &str = "# Operations\n\n\
    What each operation asks of its caller, and the events that it leaves in the log. Written by the authorization \
    tests, which call every operation as every kind of caller: do not edit it, run \
    `cargo operations`.\n\n\
    | Method | Path | Operation | Who may | Events |\n|---|---|---|---|---|\n";

fn table() -> String {
    let rows = rows::all();
    let by_operation: BTreeMap<&str, _> = rows.iter().map(|row| (row.operation, row)).collect();
    let mut table = HEAD.to_owned();
    for (path, item) in DOCUMENT["paths"].as_object().expect("paths") {
        for (method, operation) in item.as_object().expect("a path item") {
            let id = operation["operationId"].as_str().expect("an operation id");
            let Some(row) = by_operation.get(id) else { continue };
            let events = row.events.iter().map(|event| format!("`{event}`")).collect::<Vec<_>>().join(", ");
            let method = method.to_uppercase();
            let _ = writeln!(table, "| {method} | `{path}` | {id} | {} | {events} |", row.access.words());
        }
    }
    table
}

#[test]
fn the_committed_table_of_operations_is_the_one_that_the_rows_give() {
    let committed = std::fs::read_to_string(FILE).unwrap_or_default();
    assert!(committed == table(), "openapi/operations.md: rewrite it with `cargo operations`");
}

/// Operations of which the permission is decided by the body, the kind of a token, the project of a segment or another
/// credential.
const DECIDED_WITHIN: &[&str] = &[
    "createApiToken",
    "updateApiToken",
    "deleteApiToken",
    "createSegment",
    "updateSegment",
    "removeSegment",
    "getPrometheusMetrics",
];

#[test]
fn the_document_tells_of_each_operation_the_permission_that_its_row_proves() {
    let items = DOCUMENT["paths"].as_object().expect("paths").values();
    let operations: BTreeMap<&str, &Value> = items
        .flat_map(|item| item.as_object().expect("a path item"))
        .map(|(_, operation)| (operation["operationId"].as_str().expect("an operation id"), operation))
        .collect();
    let mut checked = 0;
    for row in rows::all() {
        let scope = match row.access {
            Access::Instance(_) => "root",
            Access::Shop(_) | Access::BothProjects(_) | Access::Somewhere(_) => "project",
            Access::Development(_) => "environment",
            _ => "",
        };
        let needs = row.access.permissions();
        let told = &operations[row.operation]["x-permission"];
        if DECIDED_WITHIN.contains(&row.operation) {
            assert_eq!(*told, Value::Null, "{}", row.operation);
            continue;
        }
        if needs.is_empty() {
            assert_eq!(*told, Value::Null, "{}", row.operation);
            continue;
        }
        let sorted = |needs: Vec<Value>| needs.iter().map(Value::to_string).collect::<BTreeSet<_>>();
        let proven = needs.iter().map(|need| json!({ "permission": need, "scope": scope })).collect();
        assert_eq!(sorted(told.as_array().cloned().unwrap_or_default()), sorted(proven), "{}", row.operation);
        let description = operations[row.operation]["description"].as_str().expect("a description");
        assert!(needs.iter().all(|need| description.contains(&format!("`{need}`"))), "{}", row.operation);
        checked += 1;
    }
    assert!(checked > 100, "{checked} operations");
}

#[test]
#[ignore = "writes the table instead of checking it: `cargo operations`"]
fn write_the_table_of_operations() {
    std::fs::write(FILE, table()).expect("writes the table");
}
