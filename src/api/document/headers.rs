//! Headers of answers that follow from something else in the document: an operation that is deprecated, an answer 201,
//! parameters that take any text.

use serde_json::{Map, Value, json};

use super::traits_of;
use crate::api::http::{LONGEST_KEY, creates};

/// Description of the header `Idempotency-Key`.
const KEY: &str = "Key of this request, chosen by the caller. The same request with the same key is done once: when it \
                   comes again within a day, on any node, it gets the first answer, with `Idempotency-Replayed: true`. \
                   422 for the same key with another address or body, 409 while the first request is under way, or if \
                   its outcome is unknown. Only answers of success are kept, encrypted; of a caller at most 10,000 and \
                   16 MiB, the oldest are forgotten first.";

/// Adds the headers to every operation that has them.
pub(super) fn declare(document: &mut Value) {
    let items = document["paths"].as_object_mut().into_iter().flat_map(Map::values_mut);
    for operation in items.filter_map(Value::as_object_mut).flat_map(Map::values_mut) {
        let traits = operation["operationId"].as_str().and_then(traits_of);
        let is_lenient = traits.is_some_and(|traits| !traits.lenient.is_empty());
        let is_deprecated = operation["deprecated"] == true;
        if operation["operationId"].as_str().is_some_and(creates) {
            take_keys(operation);
        }
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

/// Adds the header of keys to a request, and the statuses that come with it.
fn take_keys(operation: &mut Value) {
    let parameter = json!({
        "name": "Idempotency-Key",
        "schema": {
            "type": "string",
            "minLength": 1,
            "maxLength": LONGEST_KEY,
            "example": "5f0c8f5e-6b0e-4d39-9d0a-6a1f4c1d2b7e",
        },
        "in": "header",
        "description": KEY,
        "required": false,
        "deprecated": false,
        "explode": true,
    });
    match operation["parameters"].as_array_mut() {
        Some(parameters) => parameters.push(parameter),
        None => operation["parameters"] = json!([parameter]),
    }
    let content = json!({ "application/json": { "schema": { "$ref": "#/components/schemas/ApiError" } } });
    let Some(responses) = operation["responses"].as_object_mut() else { return };
    for (status, description) in [
        ("409", "A request with the same `Idempotency-Key` is under way, or its outcome is unknown."),
        ("422", "The `Idempotency-Key` came before with another request: use a new one."),
    ] {
        responses.entry(status).or_insert_with(|| json!({ "description": description, "content": content }));
    }
    let mut sorted: Vec<_> = std::mem::take(responses).into_iter().collect();
    sorted.sort_by(|one, other| one.0.cmp(&other.0));
    responses.extend(sorted);
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
