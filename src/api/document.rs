//! The published OpenAPI document: what the annotated types register, repaired where readers would stumble.

mod deprecation;
mod headers;
mod permissions;
mod places;
mod repair;

use std::{borrow::Cow, fmt, sync::LazyLock};

use poem_openapi::{ContactObject, LicenseObject, OpenApiService};
use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
};
use serde_json::{Map, Value, json};

pub use self::{
    deprecation::Deprecation,
    places::{
        Traits, allowed_methods, is_path_parameter, operation_at, path_parameter, path_value, place_of, shown_path,
        traits_of,
    },
};
use crate::api::operations;

const TITLE: &str = "Flagstone";
const SUMMARY: &str = "Administration API of Flagstone, a feature-flag management server.\n\n\
    Every operation needs an API token, a personal token or a session, except where it says otherwise. Bodies are JSON \
    in UTF-8. Times are RFC 3339 in UTC with milliseconds. Every error has the same body: `name` is the kind of \
    error, and `message` names the offending property. Under `/ofrep` some errors have the form of OpenFeature's \
    protocol, and under `/scim` all have that of SCIM. Unknown properties of bodies and unknown query parameters are \
    ignored; `X-Defaulted-Parameters` names parameters whose value makes no sense, so that they have their default. \
    Answers of deprecated operations have `Deprecation` and `Sunset`, those that create something `Location`; a request \
    that creates something and has an `Idempotency-Key` can be repeated. A request below `/api/admin/` that changes \
    something can give the reason in `X-Change-Reason`, which its events keep as `reason`: one line of at most 500 \
    characters, percent-encoded as UTF-8. No text may hold a NUL character.";
/// Address of the first of the two licences; the document has room for one address.
const LICENSE: &str = "https://www.apache.org/licenses/LICENSE-2.0";
/// Path of a server without a prefix.
const ROOT: &str = "/";
/// OpenAPI version of the document; OpenAPI 3.0 is what the most generators read right.
const OPENAPI_VERSION: &str = "3.0.3";

/// Bodies and answers of one small shop by operation id.
const EXAMPLES: &[&str] = &[
    include_str!("document/examples/access.json"),
    include_str!("document/examples/change_request_evidence.json"),
    include_str!("document/examples/change_requests.json"),
    include_str!("document/examples/console.json"),
    include_str!("document/examples/environments.json"),
    include_str!("document/examples/evaluation.json"),
    include_str!("document/examples/features.json"),
    include_str!("document/examples/import.json"),
    include_str!("document/examples/instance.json"),
    include_str!("document/examples/integrations.json"),
    include_str!("document/examples/lists.json"),
    include_str!("document/examples/projects.json"),
    include_str!("document/examples/scim.json"),
    include_str!("document/examples/sdk.json"),
    include_str!("document/examples/search.json"),
    include_str!("document/examples/sign_in.json"),
    include_str!("document/examples/strategies.json"),
    include_str!("document/examples/users.json"),
];
/// Descriptions of parameters by name, for those that do not bring their own.
const DESCRIPTIONS: &str = include_str!("document/descriptions.json");
/// Values of parameters by name, or by operation id and name where that name means something else.
const PARAMETERS: &str = include_str!("document/examples/parameters.json");

/// The document, which is the same for every request.
pub static DOCUMENT: LazyLock<Value> = LazyLock::new(document);

/// Returns the document as indented JSON with a final line break.
pub fn as_json() -> String {
    as_json_below(ROOT)
}

/// Returns the document as YAML.
pub fn as_yaml() -> String {
    as_yaml_below(ROOT)
}

/// Returns the document of a server that has this path, as JSON in the same form.
pub fn as_json_below(path: &str) -> String {
    let mut text = serde_json::to_string_pretty(&placed(path)).expect("the document has string keys");
    text.push('\n');
    text
}

/// Returns the document of a server that has this path, as YAML.
pub fn as_yaml_below(path: &str) -> String {
    serde_norway::to_string(&placed(path)).expect("the document has string keys")
}

fn placed(path: &str) -> Cow<'static, Value> {
    if path == ROOT {
        return Cow::Borrowed(&*DOCUMENT);
    }
    let mut document = DOCUMENT.clone();
    document["servers"] = json!([{ "url": path }]);
    Cow::Owned(document)
}

fn document() -> Value {
    let service = OpenApiService::new(operations(), TITLE, env!("CARGO_PKG_VERSION"))
        .description(SUMMARY)
        .contact(ContactObject::new().name("The Flagstone contributors"))
        .license(LicenseObject::new("Apache-2.0 OR MIT").url(LICENSE))
        .server(ROOT);
    let spec = service.spec();
    let mut document: Value = serde_json::from_str(&spec).expect("poem-openapi writes JSON");
    let Spec { paths } = serde_json::from_str(&spec).expect("poem-openapi writes JSON");
    document["paths"] = Value::Object(paths.0);
    document["openapi"] = OPENAPI_VERSION.into();
    repair::repair(&mut document);
    headers::declare(&mut document);
    describe(&mut document);
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

/// Describes the parameters that mean the same wherever they occur, or wherever they occur below a path: then the path
/// stands before the name, and of several the longest counts.
fn describe(document: &mut Value) {
    let descriptions = read_members(DESCRIPTIONS);
    for (path, item) in document["paths"].as_object_mut().into_iter().flatten() {
        for parameter in item.as_object_mut().into_iter().flat_map(Map::values_mut).flat_map(parameters) {
            let Some(name) = parameter["name"].as_str() else { continue };
            let description = description_of(&descriptions, path, name).cloned();
            if let (Some(members), Some(description)) = (parameter.as_object_mut(), description)
                && !members.contains_key("description")
            {
                let place = members.keys().position(|member| member == "required").unwrap_or(members.len());
                members.shift_insert(place, "description".to_owned(), description);
            }
        }
    }
}

fn description_of<'a>(descriptions: &'a Map<String, Value>, path: &str, name: &str) -> Option<&'a Value> {
    let ends = path.match_indices('/').map(|(at, _)| at).skip(1).chain([path.len()]);
    let below: Vec<&str> = ends.map(|end| &path[..end]).collect();
    let found = below.into_iter().rev().find_map(|prefix| descriptions.get(&format!("{prefix} {name}")));
    found.or_else(|| descriptions.get(name))
}

fn parameters(operation: &mut Value) -> impl Iterator<Item = &mut Value> {
    operation.get_mut("parameters").and_then(Value::as_array_mut).into_iter().flatten()
}

fn exemplify(document: &mut Value) {
    let examples: Map<String, Value> = EXAMPLES.iter().flat_map(|file| read_members(file)).collect();
    let values = read_members(PARAMETERS);
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
        for parameter in parameters(operation) {
            let name = parameter["name"].as_str().unwrap_or_default();
            let value = values.get(&format!("{id}.{name}")).or_else(|| values.get(name));
            if let Some(value) = value.filter(|_| !shows_itself(&parameter["schema"])) {
                parameter["example"] = value.clone();
            }
        }
    }
}

/// Whether a parameter brings an example of its own, or its items do.
fn shows_itself(schema: &Value) -> bool {
    [schema, &schema["items"]].iter().any(|schema| !schema["example"].is_null())
}

fn read_members(file: &str) -> Map<String, Value> {
    serde_json::from_str(file).expect("the files beside this one are JSON objects")
}

fn show(place: Option<&mut Value>, example: &Value) {
    if let Some(Value::Object(content)) = place.filter(|_| !example.is_null()) {
        content.insert("example".to_owned(), example.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_is_written_twice_keeps_the_operations_of_both() {
        let spec = r#"{"paths":{"/a":{"get":{}},"/b":{"get":{}},"/a":{"post":{}}}}"#;
        let Spec { paths } = serde_json::from_str(spec).expect("paths");
        assert_eq!(Value::Object(paths.0), json!({ "/a": { "get": {}, "post": {} }, "/b": { "get": {} } }));
    }

    #[test]
    fn of_descriptions_the_one_below_the_longest_path_counts() {
        let known = json!({ "id": "any", "/a id": "below a", "/a/{id}/b id": "below b", "/c id": "below c" });
        let known = known.as_object().expect("an object");
        for (path, expected) in [
            ("/a/{id}", "below a"),
            ("/a/{id}/bb", "below a"),
            ("/a/{id}/b", "below b"),
            ("/a/{id}/b/c", "below b"),
            ("/ab/{id}", "any"),
            ("/x/c/{id}", "any"),
        ] {
            assert_eq!(description_of(known, path, "id"), Some(&json!(expected)), "{path}");
        }
        assert_eq!(description_of(known, "/a", "name"), None);
    }

    #[test]
    fn every_description_describes_something() {
        let mut unused = read_members(DESCRIPTIONS);
        for (path, item) in DOCUMENT["paths"].as_object().expect("paths") {
            for parameter in item
                .as_object()
                .expect("operations")
                .values()
                .filter_map(|operation| operation["parameters"].as_array())
            {
                for parameter in parameter {
                    let told = &parameter["description"];
                    let name = parameter["name"].as_str().expect("a name");
                    unused.retain(|key, description| {
                        let (below, of) = key.rsplit_once(' ').unwrap_or(("", key));
                        !(of == name && path.starts_with(below) && description == told)
                    });
                }
            }
        }
        assert!(unused.is_empty(), "{unused:?}");
    }
}
