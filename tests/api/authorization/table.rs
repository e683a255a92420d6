//! The table of operations in `openapi/operations.md`: written from the rows, each of which these tests prove.

use std::{collections::BTreeMap, fmt::Write as _};

use flagstone::api::document::DOCUMENT;

use super::rows;

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

#[test]
#[ignore = "writes the table instead of checking it: `cargo operations`"]
fn write_the_table_of_operations() {
    std::fs::write(FILE, table()).expect("writes the table");
}
