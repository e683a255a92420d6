//! Files of products that are known, and not read.

use serde_json::Value;

use super::{Document, FileError};

/// Advice for the flags of a product whose files are not read.
const ADVICE: &str = "describe its flags in a file of flagd (https://flagd.dev/reference/flag-definitions), which is \
                        read, or create them by the API";

/// A product that is known by its files.
struct Product {
    name: &'static str,
    is: fn(&Value) -> bool,
}

/// The products, each recognised by properties of the files that its documentation shows.
const PRODUCTS: [Product; 4] = [
    Product {
        name: "ConfigCat",
        // What SDKs download, and the list of settings of the management API.
        is: |document| {
            let is_setting = |setting: &Value| has(setting, &["t", "v"]);
            let of_sdk = document.get("f").and_then(Value::as_object);
            of_sdk.is_some_and(|flags| {
                document.pointer("/p/s").is_some() || (!flags.is_empty() && flags.values().all(is_setting))
            }) || first(document, "/0", &["settingType", "key"])
        },
    },
    Product {
        name: "PostHog",
        is: |document| ["/results/0", "/flags/0", "/0"].iter().any(|place| first(document, place, &["key", "filters"])),
    },
    Product {
        name: "Split",
        // What SDKs download, answers of the API, and the file of the SDKs' mode without a server.
        is: |document| {
            first(document, "/splits/0", &["name", "conditions"])
                || first(document, "/ff/d/0", &["name", "conditions"])
                || first(document, "/objects/0", &["name", "treatments"])
                || has(document, &["treatments", "trafficType"])
                || document.pointer("/0").and_then(Value::as_object).is_some_and(|item| {
                    item.len() == 1 && item.values().all(|flag| flag.get("treatment").is_some_and(Value::is_string))
                })
        },
    },
    Product {
        name: "Statsig",
        is: |document| {
            document.get("feature_gates").is_some() && document.get("dynamic_configs").is_some()
                || first(document, "/data/0", &["idType", "rules"])
        },
    },
];

/// Refuses a file of a product that is known and not read, with what to do instead.
pub(super) fn refuse(document: &Document<'_>) -> Result<(), FileError> {
    match PRODUCTS.iter().find(|product| (product.is)(&document.value)) {
        None => Ok(()),
        Some(Product { name, .. }) => {
            let what = format!("is a file of {name}, which is not read here: {ADVICE}");
            Err(FileError { file: document.name.to_owned(), place: None, what })
        }
    }
}

/// Whether a value is an object that has these keys.
fn has(value: &Value, keys: &[&str]) -> bool {
    keys.iter().all(|key| value.get(key).is_some())
}

/// Whether there is an object with these keys at a place.
fn first(document: &Value, place: &str, keys: &[&str]) -> bool {
    document.pointer(place).is_some_and(|item| has(item, keys))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::files::{Format, SourceFile};

    #[test]
    fn files_of_other_products_are_known_by_name_and_not_taken_for_those_that_are_read() {
        let setting = json!({ "t": 0, "v": { "b": true }, "r": [] });
        let rollout = json!({ "key": "beta", "active": true, "filters": { "groups": [] } });
        let split = json!({ "name": "beta", "killed": false, "conditions": [], "defaultTreatment": "off" });
        let gate = json!({ "name": "beta", "type": "feature_gate", "rules": [], "idType": "userID" });
        for (document, expected) in [
            (
                json!({ "p": { "u": "https://cdn-global.configcat.com", "s": "salt" }, "f": { "beta": setting } }),
                "ConfigCat",
            ),
            (json!({ "p": { "r": 0 }, "f": { "beta": { "v": true, "t": 0, "p": [], "r": [] } } }), "ConfigCat"),
            (json!([{ "settingId": 1, "key": "beta", "name": "Beta", "settingType": "boolean" }]), "ConfigCat"),
            (json!({ "count": 1, "next": null, "results": [rollout] }), "PostHog"),
            (json!({ "flags": [rollout], "group_type_mapping": {}, "cohorts": {} }), "PostHog"),
            (json!([rollout]), "PostHog"),
            (json!({ "splits": [split], "since": -1, "till": 1 }), "Split"),
            (json!({ "ff": { "s": -1, "t": 1, "d": [split] } }), "Split"),
            (json!({ "objects": [{ "name": "beta", "treatments": [] }] }), "Split"),
            (json!({ "name": "beta", "treatments": [], "trafficType": { "name": "user" } }), "Split"),
            (json!([{ "beta": { "treatment": "on", "keys": "ada" } }]), "Split"),
            (json!({ "feature_gates": [gate], "dynamic_configs": [], "layer_configs": [] }), "Statsig"),
            (json!({ "data": [gate] }), "Statsig"),
        ] {
            let bytes = document.to_string();
            let file = SourceFile { name: "export.json", environment: None, bytes: bytes.as_bytes() };
            let told = Format::detect(&file).expect_err("refused").to_string();
            let expected =
                format!("export.json: it is a file of {expected}, which is not read here: describe its flags");
            assert!(told.starts_with(&expected), "{document}: {told}");
        }
        for bytes in [&b"{\"results\": [1], \"p\": 2}"[..], b"[]", b"{\"f\": {}}"] {
            assert_eq!(Format::detect(&SourceFile { name: "notes.json", environment: None, bytes }), Ok(None));
        }
    }
}
