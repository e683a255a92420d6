//! The examples tell of one small shop: whoever and whatever appears in several of them is the same in each.

use std::collections::{BTreeMap, BTreeSet};

use flagstone::api::document::DOCUMENT;
use serde_json::{Map, Value};

use crate::operations;

/// Kind of an object of an example, and the properties by which it is the same wherever it appears.
type Role = (&'static str, &'static str, &'static [&'static str], fn(&Map<String, Value>) -> bool);

const ROLES: &[Role] = &[
    ("user", "id", &["name", "username", "email", "imageUrl", "rootRole", "createdAt"], |object| {
        ["imageUrl", "email"].iter().any(|key| object.contains_key(*key))
    }),
    ("feature", "name", &["type", "project", "impressionData", "createdAt", "createdBy"], |object| {
        let kinds = ["release", "experiment", "operational", "kill-switch", "permission"];
        object.get("type").and_then(Value::as_str).is_some_and(|kind| kinds.contains(&kind))
    }),
    ("role", "id", &["name", "type", "description"], |object| {
        let kinds = ["root", "root-custom", "project", "custom"];
        object.get("type").and_then(Value::as_str).is_some_and(|kind| kinds.contains(&kind))
            && !object.contains_key("displayName")
    }),
    ("group", "id", &["name", "description"], |object| object.contains_key("userCount")),
    ("context field", "name", &["description", "legalValues", "stickiness"], |object| {
        object.contains_key("legalValues") && object.contains_key("name")
    }),
    ("strategy type", "name", &["displayName", "description"], |object| object.contains_key("editable")),
    ("author", "createdByUserId", &["createdBy"], |object| object.contains_key("createdBy")),
];

/// The shop's people and things, wherever an example speaks of one by its name alone.
const NAMES: &[(&str, &[&str])] = &[
    ("project", &["shop", "default"]),
    ("projectId", &["shop"]),
    // The last is no environment but what the console is told about the edition.
    ("environment", &["development", "staging", "production", "Open Source"]),
    ("appName", &["web-shop", "checkout", "edge"]),
    ("createdBy", &["admin", "ada"]),
];

#[test]
fn people_and_things_are_the_same_in_all_examples() {
    let mut known: BTreeMap<(&str, String, &str), BTreeMap<String, String>> = BTreeMap::new();
    each_object(&mut |operation, object| {
        for (role, id, properties, is_one) in ROLES {
            let Some(id) = object.get(*id).filter(|_| is_one(object)) else { continue };
            for property in *properties {
                if let Some(value) = object.get(*property) {
                    let values = known.entry((role, id.to_string(), property)).or_default();
                    values.entry(value.to_string()).or_insert_with(|| operation.to_owned());
                }
            }
        }
    });
    known.retain(|_, values| values.len() > 1);
    assert!(known.is_empty(), "told in several ways: {known:#?}");
}

#[test]
fn nothing_appears_that_is_not_of_the_cast() {
    let mut strangers = BTreeSet::new();
    each_object(&mut |operation, object| {
        for (key, names) in NAMES {
            if let Some(name) = object.get(*key).and_then(Value::as_str).filter(|name| !names.contains(name)) {
                strangers.insert(format!("{operation}: {key} {name}"));
            }
        }
    });
    assert!(strangers.is_empty(), "{strangers:#?}");
}

#[test]
fn nothing_ends_or_is_seen_before_it_began() {
    let mut turned = Vec::new();
    each_object(&mut |operation, object| {
        let at = |key: &str| object.get(key).and_then(Value::as_str);
        let Some(began) = at("createdAt") else { return };
        for key in ["updatedAt", "seenAt", "lastSeenAt", "archivedAt", "expiresAt", "addedAt", "joinedAt"] {
            if at(key).is_some_and(|later| later < began) {
                turned.push(format!("{operation}: {key} {:?} is before {began}", at(key)));
            }
        }
    });
    assert!(turned.is_empty(), "{turned:#?}");
}

/// Every object in the examples of bodies and answers, with the operation that it is from.
fn each_object(see: &mut impl FnMut(&str, &Map<String, Value>)) {
    fn descend(operation: &str, value: &Value, see: &mut impl FnMut(&str, &Map<String, Value>)) {
        match value {
            Value::Array(items) => items.iter().for_each(|item| descend(operation, item, see)),
            Value::Object(members) => {
                see(operation, members);
                members.values().for_each(|member| descend(operation, member, see));
            }
            _ => {}
        }
    }
    assert!(DOCUMENT["paths"].is_object());
    for (_, _, operation) in operations() {
        let id = operation["operationId"].as_str().expect("text");
        let answers = operation["responses"].as_object().expect("responses").values();
        let contents = answers.chain([&operation["requestBody"]]).map(|part| &part["content"]["application/json"]);
        contents.for_each(|content| descend(id, &content["example"], see));
    }
}
