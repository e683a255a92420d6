//! Files of products that are known, and not read.

use serde_json::Value;

/// The product whose file it is, by what its documentation shows.
pub(super) fn product(document: &Value) -> Option<&'static str> {
    let is_list = |key: &str| document.get(key).is_some_and(Value::is_array);
    let first = |pointer: &str, marks: &[&str]| {
        document.pointer(pointer).is_some_and(|item| marks.iter().all(|mark| item.get(mark).is_some()))
    };
    let of_config_cat = document.pointer("/p/s").is_some() && document.get("f").is_some_and(Value::is_object);
    if of_config_cat {
        return Some("ConfigCat");
    }
    if first("/results/0", &["key", "filters"]) || (is_list("flags") && first("/flags/0", &["key", "filters"])) {
        return Some("PostHog");
    }
    let of_split = first("/splits/0", &["name", "conditions"])
        || first("/ff/d/0", &["name", "conditions"])
        || first("/objects/0", &["name", "treatments"])
        || (document.get("treatments").is_some() && document.get("trafficType").is_some());
    of_split.then_some("Split")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::moving_in::files::{Format, SourceFile, unread};

    #[test]
    fn files_of_other_products_are_known_by_name_and_not_taken_for_those_that_are_read() {
        let setting = json!({ "t": 0, "v": { "b": true }, "r": [] });
        let rollout = json!({ "key": "beta", "active": true, "filters": { "groups": [] } });
        let split = json!({ "name": "beta", "killed": false, "conditions": [], "defaultTreatment": "off" });
        for (document, expected) in [
            (
                json!({ "p": { "u": "https://cdn-global.configcat.com", "s": "salt" }, "f": { "beta": setting } }),
                "ConfigCat",
            ),
            (json!({ "count": 1, "next": null, "results": [rollout] }), "PostHog"),
            (json!({ "flags": [rollout], "group_type_mapping": {}, "cohorts": {} }), "PostHog"),
            (json!({ "splits": [split], "since": -1, "till": 1 }), "Split"),
            (json!({ "ff": { "s": -1, "t": 1, "d": [split] } }), "Split"),
            (json!({ "name": "beta", "treatments": [], "trafficType": { "name": "user" } }), "Split"),
        ] {
            let bytes = document.to_string();
            let file = SourceFile { name: "export.json", environment: None, bytes: bytes.as_bytes() };
            assert_eq!(Format::detect(&file), Ok(None), "{document}");
            assert_eq!(unread(&file), Ok(Some(expected)), "{document}");
        }
        let file = SourceFile { name: "notes.json", environment: None, bytes: b"{\"results\": [1], \"p\": 2}" };
        assert_eq!(unread(&file), Ok(None));
    }
}
