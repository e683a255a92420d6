//! Repairs of the document that poem-openapi writes, so that every reader takes it as it is meant.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::permissions;

/// Most characters of a name in an address.
const LONGEST_NAME: u32 = 255;
/// Largest id in an address. Ids count up from 1.
const LARGEST_ID: u32 = i32::MAX.unsigned_abs();
/// Largest number up to which every reader of JSON takes whole numbers exactly.
const MAX_EXACT: f64 = 9_007_199_254_740_991.0;

/// Repairs the document in place.
pub(super) fn repair(document: &mut Value) {
    repair_node(document);
    let schemas = document["components"]["schemas"].as_object().cloned().unwrap_or_default();
    repeat_beside_nullable(document, &schemas);
    forget_unused(document, &schemas);
    tell_apart(document);
    for operation in operations(document) {
        permissions::tell(operation);
        // Nothing at all would leave open whether credentials were forgotten.
        operation.entry("security").or_insert_with(|| json!([]));
        for parameter in operation.get_mut("parameters").and_then(Value::as_array_mut).into_iter().flatten() {
            bound_path_parameter(parameter);
        }
    }
    if let Some(tags) = document["tags"].as_array_mut() {
        tags.sort_by_key(|tag| tag["name"].as_str().unwrap_or_default().to_lowercase());
    }
}

/// Bounds how long a name in an address can be, and how large an id: nothing has a longer or larger one, and what
/// nothing has is refused as unknown.
fn bound_path_parameter(parameter: &mut Value) {
    if parameter["in"] != "path" {
        return;
    }
    let Some(schema) = parameter["schema"].as_object_mut() else { return };
    match schema.get("type").and_then(Value::as_str) {
        Some("string") => {
            schema.entry("maxLength").or_insert_with(|| LONGEST_NAME.into());
        }
        Some("integer") => {
            schema.entry("minimum").or_insert_with(|| 1.into());
            schema.entry("maximum").or_insert_with(|| LARGEST_ID.into());
        }
        _ => {}
    }
}

/// Gives a text a title where its default name, after the schema and the property, is that of another schema: `type` of
/// `Tag` next to `TagType`. Generators that make a type of each text with bounds would make two of one name.
fn tell_apart(document: &mut Value) {
    let Some(schemas) = document["components"]["schemas"].as_object_mut() else { return };
    let names: HashSet<String> = schemas.keys().cloned().collect();
    for (schema, members) in schemas {
        let properties = members.get_mut("properties").and_then(Value::as_object_mut);
        for (property, text) in properties.into_iter().flatten() {
            let place = format!("{schema}{}{}", property[..1].to_uppercase(), &property[1..]);
            let is_bounded =
                ["minLength", "maxLength", "pattern", "enum"].iter().any(|bound| text[bound] != Value::Null);
            if is_bounded && names.contains(&place) {
                text["title"] = format!("{place}Value").into();
            }
        }
    }
}

fn operations(document: &mut Value) -> impl Iterator<Item = &mut Map<String, Value>> {
    let items = document["paths"].as_object_mut().into_iter().flat_map(Map::values_mut);
    items.filter_map(Value::as_object_mut).flat_map(Map::values_mut).filter_map(Value::as_object_mut)
}

/// Repeats the type next to `nullable`, which counts only with a `type`: one next to a reference repeats the type of
/// the schema that it refers to. Where that lists its values, `null` is not among them, and generators stumble over a
/// list with it; so the reference becomes a pattern with the same values, which `null` need not match.
fn repeat_beside_nullable(node: &mut Value, schemas: &Map<String, Value>) {
    match node {
        Value::Array(items) => items.iter_mut().for_each(|item| repeat_beside_nullable(item, schemas)),
        Value::Object(members) => {
            if members.get("nullable") == Some(&json!(true))
                && !members.contains_key("type")
                && let Some(referred) = members.get("allOf").and_then(|all_of| schemas.get(name_in(&all_of[0])?))
                && let Some(kind) = referred.get("type")
            {
                members.insert("type".to_owned(), kind.clone());
                if let Some(values) = referred["enum"].as_array() {
                    members.remove("allOf");
                    let words: Vec<_> = values.iter().filter_map(Value::as_str).map(regex::escape).collect();
                    members.insert("pattern".to_owned(), format!("^({})$", words.join("|")).into());
                }
            }
            members.values_mut().for_each(|member| repeat_beside_nullable(member, schemas));
        }
        _ => {}
    }
}

/// The name of the schema that a reference leads to.
fn name_in(reference: &Value) -> Option<&str> {
    reference["$ref"].as_str()?.rsplit('/').next()
}

/// Takes out lists of values that nothing refers to any more.
fn forget_unused(document: &mut Value, schemas: &Map<String, Value>) {
    let text = document.to_string();
    let is_used = |name: &str| text.contains(&format!("\"#/components/schemas/{name}\""));
    let Some(published) = document["components"]["schemas"].as_object_mut() else { return };
    for (name, _) in schemas.iter().filter(|(name, schema)| schema.get("enum").is_some() && !is_used(name)) {
        published.remove(name);
    }
}

fn repair_node(node: &mut Value) {
    match node {
        Value::Array(items) => items.iter_mut().for_each(repair_node),
        Value::Object(members) => {
            repair_nullable_reference(members);
            repair_format(members);
            members.values_mut().for_each(repair_node);
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

#[expect(clippy::cast_possible_truncation, reason = "whole and exact")]
fn whole(number: &serde_json::Number) -> Option<i64> {
    let value = number.as_f64().filter(|_| number.is_f64())?;
    (value.fract() == 0.0 && value.abs() <= MAX_EXACT).then_some(value as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_lose_their_fraction_and_references_one_entry() {
        let mut node = json!({
            "maximum": 1000.0,
            "minimum": -9_007_199_254_740_991.0,
            "multipleOf": 0.5,
            "field": { "nullable": true, "allOf": [{ "$ref": "#/x" }, { "nullable": true }] },
            "id": { "type": "integer", "format": "uint64" },
        });
        repair_node(&mut node);
        assert_eq!(
            node,
            json!({
                "maximum": 1000,
                "minimum": -9_007_199_254_740_991_i64,
                "multipleOf": 0.5,
                "field": { "nullable": true, "allOf": [{ "$ref": "#/x" }] },
                "id": { "type": "integer" },
            })
        );
    }

    #[test]
    fn tags_are_sorted_security_is_explicit_null_has_a_type_and_addresses_have_bounds() {
        let mut document = json!({
            "tags": [{ "name": "FeatureTypes" }, { "name": "Features" }, { "name": "Events" }],
            "paths": { "/a": {
                "get": {},
                "post": { "security": [{ "key": [] }], "parameters": [
                    { "in": "path", "schema": { "type": "string" } },
                    { "in": "path", "schema": { "type": "string", "maxLength": 20 } },
                    { "in": "path", "schema": { "type": "integer" } },
                    { "in": "query", "schema": { "type": "string" } },
                ] },
            } },
            "components": { "schemas": {
                "Bucket": { "type": "object" },
                "Side": { "type": "string", "enum": ["parent", "child"] },
                "Report": { "properties": {
                    "bucket": { "nullable": true, "allOf": [{ "$ref": "#/components/schemas/Bucket" }] },
                    "side": { "nullable": true, "allOf": [{ "$ref": "#/components/schemas/Side" }] },
                } },
            } },
        });
        repair(&mut document);
        let names: Vec<_> = document["tags"].as_array().expect("tags").iter().map(|tag| &tag["name"]).collect();
        assert_eq!(names, ["Events", "Features", "FeatureTypes"]);
        assert_eq!(document["paths"]["/a"]["get"]["security"], json!([]));
        assert_eq!(document["paths"]["/a"]["post"]["security"], json!([{ "key": [] }]));
        let parameters = document["paths"]["/a"]["post"]["parameters"].as_array().expect("parameters");
        let schemas: Vec<_> = parameters.iter().map(|parameter| parameter["schema"].clone()).collect();
        assert_eq!(
            schemas,
            [
                json!({ "type": "string", "maxLength": 255 }),
                json!({ "type": "string", "maxLength": 20 }),
                json!({ "type": "integer", "minimum": 1, "maximum": 2_147_483_647 }),
                json!({ "type": "string" }),
            ]
        );
        assert_eq!(
            document["components"]["schemas"]["Report"]["properties"]["bucket"],
            json!({ "type": "object", "nullable": true, "allOf": [{ "$ref": "#/components/schemas/Bucket" }] })
        );
        assert_eq!(
            document["components"]["schemas"]["Report"]["properties"]["side"],
            json!({ "type": "string", "nullable": true, "pattern": "^(parent|child)$" })
        );
        assert_eq!(document["components"]["schemas"].get("Side"), None);
    }
}
