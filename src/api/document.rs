//! The published OpenAPI document: what the annotated types register, repaired where readers would stumble.

use std::{fmt, sync::LazyLock};

use poem_openapi::{LicenseObject, OpenApiService};
use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
};
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

/// Bodies and answers of one small shop by operation id.
const EXAMPLES: &[&str] = &[
    include_str!("document/examples/access.json"),
    include_str!("document/examples/console.json"),
    include_str!("document/examples/environments.json"),
    include_str!("document/examples/features.json"),
    include_str!("document/examples/import.json"),
    include_str!("document/examples/instance.json"),
    include_str!("document/examples/lists.json"),
    include_str!("document/examples/projects.json"),
    include_str!("document/examples/sdk.json"),
    include_str!("document/examples/search.json"),
    include_str!("document/examples/sign_in.json"),
    include_str!("document/examples/strategies.json"),
    include_str!("document/examples/users.json"),
];
/// Values of parameters by name.
const PARAMETERS: &str = include_str!("document/examples/parameters.json");

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
    let spec = service.spec();
    let mut document: Value = serde_json::from_str(&spec).expect("poem-openapi writes JSON");
    let Spec { paths } = serde_json::from_str(&spec).expect("poem-openapi writes JSON");
    document["paths"] = Value::Object(paths.0);
    document["openapi"] = OPENAPI_VERSION.into();
    repair(&mut document);
    exemplify(&mut document);
    document
}

#[derive(Deserialize)]
struct Spec {
    paths: Paths,
}

/// The paths, each once. poem-openapi writes one again for each resource that has operations on it, and readers of
/// JSON would take the last.
struct Paths(Map<String, Value>);

impl<'de> Deserialize<'de> for Paths {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(PathsVisitor)
    }
}

struct PathsVisitor;

impl<'de> Visitor<'de> for PathsVisitor {
    type Value = Paths;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("paths")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Paths, A::Error> {
        let mut paths = Map::new();
        while let Some((path, operations)) = members.next_entry::<String, Map<String, Value>>()? {
            let item = paths.entry(path).or_insert_with(|| Value::Object(Map::new()));
            if let Value::Object(known) = item {
                known.extend(operations);
            }
        }
        Ok(Paths(paths))
    }
}

fn exemplify(document: &mut Value) {
    let examples: Map<String, Value> = EXAMPLES.iter().flat_map(|file| read_examples(file)).collect();
    let values = read_examples(PARAMETERS);
    let nothing = Value::Null;
    let items = document["paths"].as_object_mut().into_iter().flat_map(Map::values_mut);
    for operation in items.filter_map(Value::as_object_mut).flat_map(Map::values_mut) {
        let id = operation["operationId"].as_str().unwrap_or_default().to_owned();
        let example = examples.get(&id).unwrap_or(&nothing);
        show(operation.pointer_mut("/requestBody/content/application~1json"), &example["request"]);
        for success in ["200", "201", "202"] {
            let place = format!("/responses/{success}/content/application~1json");
            show(operation.pointer_mut(&place), &example["answer"]);
        }
        for parameter in operation["parameters"].as_array_mut().into_iter().flatten() {
            let value = values.get(parameter["name"].as_str().unwrap_or_default());
            if let Some(value) = value.filter(|_| parameter["schema"]["example"].is_null()) {
                parameter["example"] = value.clone();
            }
        }
    }
}

fn read_examples(file: &str) -> Map<String, Value> {
    serde_json::from_str(file).expect("the examples are JSON")
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

/// The published name of a path parameter, which the framework calls `param0`, `param1` and so on.
pub fn path_parameter<'a>(path: &str, framework_name: &'a str) -> &'a str {
    let index = framework_name.strip_prefix("param").and_then(|index| index.parse::<usize>().ok());
    let mut templates = DOCUMENT["paths"].as_object().into_iter().flat_map(Map::keys);
    let template = templates.find(|template| template_matches(template, path));
    let mut names =
        template.into_iter().flat_map(|template| template.split('/')).filter_map(|part| part.strip_prefix('{'));
    index.and_then(|index| names.nth(index)).map_or(framework_name, |name| name.trim_end_matches('}'))
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
        assert_eq!(path_parameter("/api/admin/segments/x", "param0"), "segmentId");
        assert_eq!(path_parameter("/api/admin/segments/x", "param1"), "param1");
    }

    #[test]
    fn a_path_that_is_written_twice_keeps_the_operations_of_both() {
        let spec = r#"{"paths":{"/a":{"get":{}},"/b":{"get":{}},"/a":{"post":{}}}}"#;
        let Spec { paths } = serde_json::from_str(spec).expect("paths");
        assert_eq!(Value::Object(paths.0), json!({ "/a": { "get": {}, "post": {} }, "/b": { "get": {} } }));
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
