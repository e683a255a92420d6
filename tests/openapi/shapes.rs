//! Shapes that generators of clients were seen to choke on, and references that lead nowhere.

use std::collections::{BTreeMap, BTreeSet};

use flagstone::api::document::DOCUMENT;
use serde_json::{Map, Value};

use crate::{schemas, visit};

/// Only enum value that is no word: it stands for all projects, beside a list of them.
const ALL_PROJECTS: &str = "*";

#[test]
fn nothing_in_the_document_breaks_known_generators() {
    let mut breaking = Vec::new();
    visit(&DOCUMENT, "", &mut |path, node| {
        let Some(members) = node.as_object().filter(|_| !path.contains("/example")) else { return };
        breaking.extend(faults(members).into_iter().map(|fault| format!("{path}: {fault}")));
        if path.contains("/requestBody/") && members.contains_key("default") {
            breaking.push(format!("{path}: default in a body"));
        }
    });
    for (name, schema) in schemas() {
        let properties = schema["properties"].as_object().into_iter().flat_map(Map::keys);
        let mut spelled = BTreeMap::new();
        for property in properties {
            if let Some(other) = spelled.insert(snake_case(property), property) {
                breaking.push(format!("{name}: {other} and {property} are equal in snake case"));
            }
        }
        for (property, schema) in schema["properties"].as_object().into_iter().flatten() {
            if schema.get("default").is_some() {
                breaking.push(format!("{name}.{property}: default, which makes it look required"));
            }
        }
    }
    assert!(breaking.is_empty(), "{breaking:#?}");
}

/// What generators write beside a schema: Go a constructor `NewThing` for each `Thing`, several an `Error` of their
/// own.
#[test]
fn the_names_of_schemas_are_free_in_generated_code() {
    let schemas = schemas();
    for name in schemas.keys() {
        assert!(!schemas.contains_key(&format!("New{name}")), "New{name} is the constructor of {name}");
        assert!(!["Error", "Object", "Response", "Request", "Date"].contains(&name.as_str()), "{name} is taken");
    }
}

fn faults(members: &Map<String, Value>) -> Vec<&'static str> {
    let has = |key: &str| members.contains_key(key);
    let mut faults = Vec::new();
    if has("$ref") && members.len() > 1 {
        faults.push("siblings of $ref");
    }
    // A bound without a type is one of any kind of value, for which there are types.
    let is_typed =
        |schema: &Value| schema.as_object().is_some_and(|schema| schema.keys().any(|key| key != "maxLength"));
    if has("properties") && members.get("additionalProperties").is_some_and(is_typed) {
        faults.push("properties beside others of one type, for which TypeScript has no type");
    }
    if has("discriminator") || has("const") || members.get("anyOf").is_some_and(Value::is_array) {
        faults.push("discriminator, const or anyOf");
    }
    if members.get("nullable") == Some(&Value::Bool(true)) && !has("type") {
        faults.push("nullable without a type");
    }
    if members.get("content").and_then(|content| content.get("application/json; charset=utf-8")).is_some() {
        faults.push("media type with a charset");
    }
    let kinds = members.get("oneOf").and_then(Value::as_array).into_iter().flatten();
    let kinds: BTreeSet<_> = kinds.filter_map(|kind| kind["type"].as_str()).collect();
    if kinds.contains("string") && (kinds.contains("number") || kinds.contains("integer")) {
        faults.push("text or number");
    }
    let values = members.get("enum").and_then(Value::as_array).into_iter().flatten();
    if values.clone().any(Value::is_null) {
        faults.push("null among the values of an enum");
    }
    let words = values.filter_map(Value::as_str);
    if words.filter(|word| *word != ALL_PROJECTS).any(|word| !is_word(word)) {
        faults.push("an enum of signs");
    }
    if members.get("format").and_then(Value::as_str).is_some_and(|format| format.starts_with("uint")) {
        faults.push("a format that OpenAPI does not know");
    }
    faults
}

fn is_word(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphanumeric())
        && text.chars().all(|character| character.is_ascii_alphanumeric() || "-_.".contains(character))
}

fn snake_case(name: &str) -> String {
    let mut spelled = String::new();
    for character in name.chars() {
        if character.is_ascii_uppercase() && !spelled.is_empty() {
            spelled.push('_');
        }
        spelled.push(character.to_ascii_lowercase());
    }
    spelled
}

#[test]
fn every_reference_leads_somewhere_and_every_schema_is_used() {
    let mut used = BTreeSet::new();
    visit(&DOCUMENT, "", &mut |path, node| {
        let Some(reference) = node.get("$ref").and_then(Value::as_str) else { return };
        let name = reference.strip_prefix("#/components/schemas/").unwrap_or_else(|| panic!("{path}: {reference}"));
        assert!(DOCUMENT["components"]["schemas"][name].is_object(), "{path}: {reference}");
        used.insert(name.to_owned());
    });
    let declared: BTreeSet<String> = schemas().into_keys().cloned().collect();
    assert_eq!(used, declared, "schemas used and schemas declared");
}
