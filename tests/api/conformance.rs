//! Every answer that any test sees must be what the published document promises.

use std::{
    collections::{HashMap, HashSet},
    fs::File,
    io::Write as _,
    sync::{Arc, LazyLock, Mutex},
};

use flagstone::api::document::DOCUMENT;
use jsonschema::Validator;
use poem::http::HeaderMap;
use serde_json::{Value, json};

type Key = (String, String, u16);

/// Fails the test when an answer of a published operation has an undocumented status or a body off its schema.
///
/// `value` is what `body` holds when it is JSON.
pub fn check(method: &str, path: &str, status: u16, content_type: Option<&str>, body: &str, value: Option<&Value>) {
    let Some((template, operation)) = operation(method, path).filter(|_| status != 405) else { return };
    remember(&operation["operationId"], status);
    if status == 304 {
        return;
    }
    let response = &operation["responses"][status.to_string()];
    assert!(response.is_object(), "{method} {template} answered {status}, which the document does not know");
    if response["content"]["text/event-stream"].is_object() {
        assert_eq!(content_type, Some("text/event-stream"), "{method} {template} {status}");
        return;
    }
    let content = response["content"].as_object();
    let plain = ["text/plain", "text/html", "application/samlmetadata+xml", "application/x-ndjson"];
    if let Some(content) = content.filter(|content| plain.iter().any(|plain| content.contains_key(*plain))) {
        let is_told = |kind: &str| content.keys().any(|told| kind.starts_with(told.as_str()));
        assert!(content_type.is_some_and(is_told), "{method} {template} {status}");
        return;
    }
    // Beside JSON, for whoever asks.
    if response["content"]["text/csv"].is_object() && content_type.is_some_and(|kind| kind.starts_with("text/csv")) {
        return;
    }
    // What browsers pass on their way is a page for them.
    if status >= 400 && content_type == Some("text/html; charset=utf-8") && path.starts_with("/auth/") {
        return;
    }
    let schema = &response["content"]["application/json"]["schema"];
    if schema.is_null() {
        assert!(body.is_empty(), "{method} {template} {status} has a body, which the document does not know");
        return;
    }
    // The protocol's own label, for who does not ask for the plain one.
    let is_scim = template.starts_with("/scim") && content_type == Some("application/scim+json");
    assert!(is_scim || content_type == Some("application/json; charset=utf-8"), "{method} {template} {status}");
    let value = value.expect("JSON");
    let validator = validator((template.to_owned(), method.to_owned(), status), schema);
    let errors: Vec<String> = validator
        .iter_errors(value)
        .take(5)
        .map(|error| format!("{} at {}", error, error.instance_path().as_str()))
        .collect();
    assert!(errors.is_empty(), "{method} {path} {status} breaks the document: {errors:#?}\n{value:#}");
}

/// Fails the test when an answer lacks a header that the document promises.
pub fn check_headers(method: &str, path: &str, status: u16, headers: &HeaderMap) {
    let Some((template, operation)) = operation(method, path).filter(|_| !matches!(status, 304 | 405)) else { return };
    let promised = operation["responses"][status.to_string()]["headers"].as_object();
    for (name, header) in promised.into_iter().flatten().filter(|(_, header)| header["required"] == true) {
        assert!(headers.contains_key(name), "{method} {template} {status} has no {name}, but {header}");
    }
}

/// The statuses that each operation was seen to answer, one `operationId status` a line, in the file that
/// `FLAGSTONE_SEEN_STATUSES` names. `tests/contract/statuses.py` holds them against the document.
fn remember(id: &Value, status: u16) {
    static SEEN: LazyLock<Option<Mutex<Seen>>> = LazyLock::new(|| Some(Mutex::new((HashSet::new(), seen_statuses()?))));
    let Some(seen) = &*SEEN else { return };
    let id = id.as_str().expect("an operation id");
    let mut seen = seen.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if seen.0.insert((id.to_owned(), status)) {
        writeln!(seen.1, "{id} {status}").expect("writes");
    }
}

/// The pairs that were seen, and where they are written.
type Seen = (HashSet<(String, u16)>, File);

#[expect(clippy::disallowed_methods, reason = "where the test writes is no setting of the program")]
fn seen_statuses() -> Option<File> {
    let path = std::env::var_os("FLAGSTONE_SEEN_STATUSES")?;
    Some(File::options().create(true).append(true).open(path).expect("a file that can be written"))
}

/// A path of the document, and its segments.
type Template = (&'static str, Vec<&'static str>);

/// The paths of the document by how many segments they have; those with fewer parameters first, since a literal segment
/// wins over a parameter.
static TEMPLATES: LazyLock<HashMap<usize, Vec<Template>>> = LazyLock::new(|| {
    let mut templates: HashMap<usize, Vec<Template>> = HashMap::new();
    for path in DOCUMENT["paths"].as_object().expect("the document has paths").keys() {
        let segments: Vec<_> = path.split('/').collect();
        templates.entry(segments.len()).or_default().push((path, segments));
    }
    for alike in templates.values_mut() {
        alike.sort_by_key(|(path, _)| path.matches('{').count());
    }
    templates
});

fn operation(method: &str, path: &str) -> Option<(&'static str, &'static Value)> {
    let path = path.split('?').next().expect("split gives one part").trim_end_matches('/');
    let given: Vec<_> = path.split('/').collect();
    let (template, _) = TEMPLATES.get(&given.len())?.iter().find(|(_, segments)| {
        segments.iter().zip(&given).all(|(expected, given)| expected.starts_with('{') || expected == given)
    })?;
    let operation = DOCUMENT["paths"][template].get(method.to_lowercase())?;
    Some((template, operation))
}

fn validator(key: Key, schema: &Value) -> Arc<Validator> {
    static COMPILED: LazyLock<Mutex<HashMap<Key, Arc<Validator>>>> = LazyLock::new(Mutex::default);
    let mut compiled = COMPILED.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let validator = compiled.entry(key).or_insert_with(|| {
        let mut needed = serde_json::Map::new();
        collect(schema, &mut needed);
        let mut root = json!({ "components": { "schemas": needed }, "allOf": [schema] });
        close(&mut root);
        let validator = jsonschema::draft7::options().should_validate_formats(true).build(&root);
        Arc::new(validator.expect("published schemas compile"))
    });
    Arc::clone(validator)
}

/// The schemas that a schema refers to, directly or not: the whole document is too much to compile for each answer.
fn collect(schema: &Value, needed: &mut serde_json::Map<String, Value>) {
    match schema {
        Value::Array(items) => items.iter().for_each(|item| collect(item, needed)),
        Value::Object(members) => {
            let name = members.get("$ref").and_then(Value::as_str).and_then(|path| path.rsplit('/').next());
            if let Some(name) = name.filter(|name| !needed.contains_key(*name)) {
                let referred = &DOCUMENT["components"]["schemas"][name];
                needed.insert(name.to_owned(), referred.clone());
                collect(referred, needed);
            }
            members.values().for_each(|member| collect(member, needed));
        }
        _ => {}
    }
}

/// Says in JSON Schema what the document means: `nullable` admits null, and undocumented properties do not occur.
fn close(schema: &mut Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(close),
        Value::Object(members) => {
            members.values_mut().for_each(close);
            if members.get("properties").is_some_and(Value::is_object) && !members.contains_key("additionalProperties")
            {
                members.insert("additionalProperties".into(), false.into());
            }
            if members.remove("nullable") == Some(Value::Bool(true)) {
                let inner = Value::Object(std::mem::take(members));
                members.insert("anyOf".into(), json!([inner, { "type": "null" }]));
            }
        }
        _ => {}
    }
}

#[test]
fn every_body_and_answer_has_an_example_that_fits_its_schema() {
    let paths = DOCUMENT["paths"].as_object().expect("paths");
    for (path, item) in paths {
        for (method, operation) in item.as_object().expect("a path item") {
            let name = format!("{method} {path}");
            for status in [200, 201, 202] {
                let answer = &operation["responses"][status.to_string()]["content"]["application/json"];
                if answer.is_object() {
                    let example = &answer["example"];
                    let text = example.to_string();
                    check(method, path, status, Some("application/json; charset=utf-8"), &text, Some(example));
                }
            }
            let body = &operation["requestBody"]["content"]["application/json"];
            if body.is_object() {
                let validator = validator((path.clone(), method.clone(), 0), &body["schema"]);
                assert!(validator.is_valid(&body["example"]), "{name}: {}", body["example"]);
            }
            for parameter in operation["parameters"].as_array().into_iter().flatten() {
                let shown = [&parameter["example"], &parameter["schema"]["example"], &parameter["schema"]["enum"]];
                let listed = &parameter["schema"]["items"]["example"];
                assert!(
                    shown.iter().any(|example| !example.is_null()) || !listed.is_null(),
                    "{name}: {} has no example",
                    parameter["name"]
                );
            }
        }
    }
}
