//! Headers of answers that follow from something else in the document: an operation that is deprecated, an answer 201,
//! parameters that take any text.

use serde_json::{Map, Value, json};

use super::traits_of;

/// Adds the headers to every operation that has them.
pub(super) fn declare(document: &mut Value) {
    let items = document["paths"].as_object_mut().into_iter().flat_map(Map::values_mut);
    for operation in items.filter_map(Value::as_object_mut).flat_map(Map::values_mut) {
        let traits = operation["operationId"].as_str().and_then(traits_of);
        let is_lenient = traits.is_some_and(|traits| !traits.lenient.is_empty());
        let is_deprecated = operation["deprecated"] == true;
        for (status, response) in operation["responses"].as_object_mut().into_iter().flatten() {
            if is_deprecated {
                add(
                    response,
                    "Deprecation",
                    "Since when the operation is deprecated: `@` and seconds since 1970 (RFC 9745).",
                    true,
                );
                add(response, "Sunset", "Day from which a version may lack the operation (RFC 8594).", true);
            }
            if status == "201" {
                let text = "Path of the created resource; of one that only a list has, or whose name is a secret, the \
                            path of the list.";
                add(response, "Location", text, true);
            }
            if is_lenient && status == "200" {
                let text = "Query parameters whose value made no sense, so that they have their default, separated by \
                            commas. Absent when there is none.";
                add(response, "X-Defaulted-Parameters", text, false);
            }
        }
    }
}

fn add(response: &mut Value, name: &str, description: &str, is_required: bool) {
    let Some(response) = response.as_object_mut().filter(|response| !response.contains_key("$ref")) else { return };
    let headers = response.entry("headers").or_insert_with(|| json!({}));
    let mut header = json!({ "description": description, "schema": { "type": "string" } });
    if is_required {
        header["required"] = true.into();
    }
    if let Some(headers) = headers.as_object_mut() {
        headers.entry(name).or_insert(header);
    }
}
