//! The published document: it cannot drift from the code, and it says all that its readers need.

mod bounds;
mod cast;
mod contract;
mod operations;
mod shapes;

use std::collections::{BTreeMap, BTreeSet};

use flagstone::api::document::{self, DOCUMENT};
use serde_json::Value;

#[test]
fn the_committed_document_is_the_one_that_the_code_publishes() {
    let committed = include_str!("../../openapi/flagstone.json");
    assert!(document::as_json() == committed, "openapi/flagstone.json: rewrite it with `cargo api`");
}

#[test]
fn every_path_is_written_once() {
    let text = document::as_json();
    let mut seen = BTreeSet::new();
    for line in text.lines().filter(|line| line.starts_with("    \"/")) {
        assert!(seen.insert(line), "{line} is written twice");
    }
    assert_eq!(seen.len(), DOCUMENT["paths"].as_object().expect("paths").len());
}

/// Every operation: method, path, and what is said about it.
fn operations() -> impl Iterator<Item = (String, String, &'static Value)> {
    let paths = DOCUMENT["paths"].as_object().expect("paths");
    paths.iter().flat_map(|(path, item)| {
        let item = item.as_object().expect("a path item");
        item.iter().map(|(method, operation)| (method.clone(), path.clone(), operation))
    })
}

/// The named schemas.
fn schemas() -> BTreeMap<&'static String, &'static Value> {
    DOCUMENT["components"]["schemas"].as_object().expect("schemas").iter().collect()
}

/// Shows every value of the document, with the path to it.
fn visit(node: &Value, path: &str, see: &mut impl FnMut(&str, &Value)) {
    see(path, node);
    match node {
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, item)| visit(item, &format!("{path}/{index}"), see));
        }
        Value::Object(members) => members.iter().for_each(|(name, item)| visit(item, &format!("{path}/{name}"), see)),
        _ => {}
    }
}
