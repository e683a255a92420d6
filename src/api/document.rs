//! The published OpenAPI document: what the annotated types register, repaired where readers would stumble.

use std::sync::LazyLock;

use poem_openapi::{LicenseObject, OpenApiService};
use serde_json::{Map, Value, json};

use crate::api::operations;

const TITLE: &str = "Flagstone";
const SUMMARY: &str = "Administration API of Flagstone, a feature-flag management server.\n\n\
    Every operation needs an API token, a personal token or a session, except where it says otherwise. Bodies are JSON \
    in UTF-8. Times are RFC 3339 in UTC with milliseconds. Every refusal has the same body, whose `name` tells the kind \
    of error and whose `message` names the offending property. Unknown properties of bodies and unknown query \
    parameters are ignored.";
/// What the document calls itself; OpenAPI 3.0 is what the most generators read right.
const OPENAPI_VERSION: &str = "3.0.3";

/// Bodies and answers of one small shop by operation id, and values of parameters by name.
const EXAMPLES: &str = include_str!("document/examples.json");

/// The document, which is the same for every request.
pub static DOCUMENT: LazyLock<Value> = LazyLock::new(document);

/// The document as indented JSON with a final line break.
pub fn as_json() -> String {
    let mut text = serde_json::to_string_pretty(&*DOCUMENT).expect("the document has string keys");
    text.push('\n');
    text
}

/// The document as YAML.
pub fn as_yaml() -> String {
    serde_norway::to_string(&*DOCUMENT).expect("the document has string keys")
}

fn document() -> Value {
    let service = OpenApiService::new(operations(), TITLE, env!("CARGO_PKG_VERSION"))
        .description(SUMMARY)
        .license(LicenseObject::new("Apache-2.0 OR MIT"))
        .server("/");
    let mut document: Value = serde_json::from_str(&service.spec()).expect("poem-openapi writes JSON");
    document["openapi"] = OPENAPI_VERSION.into();
    repair(&mut document);
    exemplify(&mut document);
    document
}

fn exemplify(document: &mut Value) {
    let examples: Value = serde_json::from_str(EXAMPLES).expect("the examples are JSON");
    let items = document["paths"].as_object_mut().into_iter().flat_map(Map::values_mut);
    for operation in items.filter_map(Value::as_object_mut).flat_map(Map::values_mut) {
        let id = operation["operationId"].as_str().unwrap_or_default().to_owned();
        let example = &examples[id];
        show(operation.pointer_mut("/requestBody/content/application~1json"), &example["request"]);
        show(operation.pointer_mut("/responses/200/content/application~1json"), &example["answer"]);
        for parameter in operation["parameters"].as_array_mut().into_iter().flatten() {
            let value = examples["parameters"][parameter["name"].as_str().unwrap_or_default()].clone();
            if parameter["schema"]["example"].is_null() && value.is_string() {
                parameter["example"] = value;
            }
        }
    }
}

fn show(place: Option<&mut Value>, example: &Value) {
    if let Some(Value::Object(content)) = place.filter(|_| !example.is_null()) {
        content.insert("example".to_owned(), example.clone());
    }
}

fn repair(node: &mut Value) {
    match node {
        Value::Array(items) => items.iter_mut().for_each(repair),
        Value::Object(members) => {
            repair_nullable_reference(members);
            repair_format(members);
            members.values_mut().for_each(repair);
        }
        Value::Number(number) => {
            if let Some(whole) = whole(number) {
                *node = whole.into();
            }
        }
        _ => {}
    }
}

/// A nullable reference comes as two entries of `allOf`, the second of which says `nullable` once more.
fn repair_nullable_reference(members: &mut Map<String, Value>) {
    let Some(Value::Array(all_of)) = members.get_mut("allOf") else { return };
    all_of.retain(|entry| entry.get("$ref").is_some());
    for key in ["nullable", "description", "deprecated"] {
        if members.get(key) == Some(&json!(false)) {
            members.remove(key);
        }
    }
}

/// OpenAPI knows no formats of unsigned integers.
fn repair_format(members: &mut Map<String, Value>) {
    if members.get("format").and_then(Value::as_str).is_some_and(|format| format.starts_with("uint")) {
        members.remove("format");
    }
}

#[expect(clippy::cast_possible_truncation, reason = "bounds in the document are small")]
fn whole(number: &serde_json::Number) -> Option<i64> {
    let value = number.as_f64().filter(|_| number.is_f64())?;
    (value.fract() == 0.0 && value.abs() < 1e15).then_some(value as i64)
}

/// The methods that the document knows for a request path, comma-separated, or `None` for an unknown path.
pub fn allowed_methods(path: &str) -> Option<String> {
    let paths = DOCUMENT["paths"].as_object()?;
    let (_, item) = paths.iter().find(|(template, _)| template_matches(template, path))?;
    let methods = item.as_object()?.keys().map(|method| method.to_ascii_uppercase());
    Some(methods.collect::<Vec<_>>().join(", "))
}

fn template_matches(template: &str, path: &str) -> bool {
    let (mut left, mut right) = (template.split('/'), path.split('/'));
    loop {
        match (left.next(), right.next()) {
            (None, None) => return true,
            (Some(expected), Some(given)) if expected == given || (expected.starts_with('{') && !given.is_empty()) => {}
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allowed_methods_come_from_the_document() {
        assert_eq!(allowed_methods("/api/admin/user/profile").as_deref(), Some("GET"));
        assert_eq!(allowed_methods("/api/admin/nothing"), None);
    }

    #[test]
    fn whole_numbers_lose_their_fraction_and_references_one_entry() {
        let mut node = json!({
            "maximum": 1000.0,
            "multipleOf": 0.5,
            "field": { "nullable": true, "allOf": [{ "$ref": "#/x" }, { "nullable": true }] },
            "id": { "type": "integer", "format": "uint64" },
        });
        repair(&mut node);
        assert_eq!(
            node,
            json!({
                "maximum": 1000,
                "multipleOf": 0.5,
                "field": { "nullable": true, "allOf": [{ "$ref": "#/x" }] },
                "id": { "type": "integer" },
            })
        );
    }
}
