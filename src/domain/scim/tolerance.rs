//! Bodies as directories send them, brought into the form that is published: names of attributes count in any case,
//! `null` is the same as nothing, and truth values may be written as texts.

use serde_json::Value;

use super::{group, patch::truth};

/// The attributes that are known here, as they are published.
const NAMES: [&str; 23] = [
    "userName",
    "externalId",
    "displayName",
    "active",
    "name",
    "formatted",
    "givenName",
    "familyName",
    "emails",
    "members",
    "value",
    "display",
    "type",
    "primary",
    "Operations",
    "op",
    "path",
    "schemas",
    "failOnErrors",
    "method",
    "bulkId",
    "version",
    "data",
];

/// Tidies a user or a group.
pub fn resource(body: &mut Value) {
    tidy(body, 4);
}

/// Tidies a patch, whose values are read where it is applied.
pub fn patch(body: &mut Value) {
    rename(body);
    if let Some(operations) = body.get_mut("Operations").and_then(Value::as_array_mut) {
        operations.iter_mut().for_each(rename);
    }
}

/// Tidies a bulk, whose data are tidied where they are applied.
pub fn bulk(body: &mut Value) {
    rename(body);
    leave_out_null(body);
    if let Some(operations) = body.get_mut("Operations").and_then(Value::as_array_mut) {
        for operation in operations {
            rename(operation);
            leave_out_null(operation);
        }
    }
}

fn leave_out_null(value: &mut Value) {
    if let Value::Object(members) = value {
        members.retain(|_, member| !member.is_null());
    }
}

/// Tidies a value down to a depth, below which there is nothing that is known here.
fn tidy(value: &mut Value, depth: usize) {
    rename(value);
    match value {
        Value::Object(members) if depth > 0 => {
            members.retain(|_, member| !member.is_null());
            for (name, member) in members {
                match (name.as_str(), &mut *member) {
                    ("active" | "primary", Value::String(_)) => {
                        if let Some(truth) = truth(member) {
                            *member = truth.into();
                        }
                    }
                    // Directories that count give ids as numbers.
                    ("value" | "externalId", Value::Number(number)) => *member = number.to_string().into(),
                    ("members", Value::Array(members)) => {
                        members.iter_mut().for_each(group::settle);
                        tidy(member, depth - 1);
                    }
                    _ => tidy(member, depth - 1),
                }
            }
        }
        Value::Array(values) if depth > 0 => values.iter_mut().for_each(|value| tidy(value, depth - 1)),
        _ => {}
    }
}

fn rename(value: &mut Value) {
    let Value::Object(members) = value else { return };
    let published = |name: &str| NAMES.into_iter().find(|known| known.eq_ignore_ascii_case(name));
    if members.keys().all(|name| published(name).is_none_or(|known| known == name)) {
        return;
    }
    let renamed = std::mem::take(members).into_iter().map(|(name, member)| match published(&name) {
        Some(known) => (known.to_owned(), member),
        None => (name, member),
    });
    *members = renamed.collect();
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn bodies_of_all_directories_get_one_form() {
        let mut body = json!({
            "USERNAME": "ada", "Active": "False", "title": null, "name": { "givenname": "Ada", "familyName": null },
            "emails": [{ "Primary": "True", "value": "a@x" }], "members": [{ "value": 7 }], "other": { "Deep": [1] },
        });
        resource(&mut body);
        let expected = json!({
            "userName": "ada", "active": false, "name": { "givenName": "Ada" },
            "emails": [{ "primary": true, "value": "a@x" }], "members": [{ "value": "7" }], "other": { "Deep": [1] },
        });
        assert_eq!(body, expected);
        let mut body = json!({ "operations": [{ "Op": "Add", "VALUE": null, "Path": "active" }, 7], "x": null });
        patch(&mut body);
        assert_eq!(body, json!({ "Operations": [{ "op": "Add", "value": null, "path": "active" }, 7], "x": null }));
        let mut body = json!({
            "FailOnErrors": null, "operations": [{ "METHOD": "POST", "bulkid": "a", "Data": { "UserName": null } }, 7],
        });
        bulk(&mut body);
        let operation = json!({ "method": "POST", "bulkId": "a", "data": { "UserName": null } });
        assert_eq!(body, json!({ "Operations": [operation, 7] }));
    }
}
