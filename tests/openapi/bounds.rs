//! Everything that is sent has a description and a bound, and everything that is answered a description.

use std::collections::BTreeSet;

use flagstone::api::document::DOCUMENT;
use serde_json::Value;

use crate::{operations, schemas};

/// Schemas of requests that are schemas of answers, too: what a bound here would refuse in a request, an answer could
/// still have to hold. The rules bound what of them is stored, and their descriptions say how.
const SHARED: &[&str] = &[
    "Constraint",
    "ContextField",
    "Feature",
    "FeatureDependency",
    "FeatureEnvironment",
    "FeatureLinks",
    "FeatureStrategy",
    "FeatureTag",
    "FeatureVariant",
    "ImportData",
    "ImportDependency",
    "ImportedFeatureLink",
    "LegalValue",
    "Lifecycle",
    "SegmentReference",
    "StrategyVariant",
    "TagType",
    "UserSummary",
    "VariantOverride",
    "VariantPayload",
];

/// Texts and lists of shared schemas that are in no request, or that nobody stores.
const UNSTORED: &[&str] = &[
    "Feature.children",
    "Feature.dependencies",
    "Feature.environments",
    "Feature.project",
    "Feature.strategies",
    "Feature.tags",
    "Feature.variants",
    "FeatureEnvironment.environment",
    "FeatureEnvironment.strategies",
    "FeatureEnvironment.type",
    "FeatureTag.type",
    "FeatureTag.value",
    "ImportData.contextFields",
    "ImportData.dependencies",
    "ImportData.featureEnvironments",
    "ImportData.featureStrategies",
    "ImportData.featureTags",
    "ImportData.features",
    "ImportData.links",
    "ImportData.segments",
    "ImportData.tagTypes",
    "UserSummary.imageUrl",
    "UserSummary.name",
];

#[test]
fn every_text_and_list_of_a_shared_schema_that_is_stored_says_its_bound() {
    let (mut silent, mut unstored) = (Vec::new(), BTreeSet::new());
    for (name, schema) in schemas().into_iter().filter(|(name, _)| SHARED.contains(&&***name)) {
        for (property, schema) in schema["properties"].as_object().into_iter().flatten() {
            let place = format!("{name}.{property}");
            let words = schema["description"].as_str().unwrap_or_default();
            if !has_text_or_list(schema) || words.contains("at most") || tells_range(words) {
                continue;
            }
            match UNSTORED.iter().find(|listed| **listed == place) {
                Some(listed) => {
                    unstored.insert(*listed);
                }
                None => silent.push(place),
            }
        }
    }
    assert!(silent.is_empty(), "no word of a bound: {silent:#?}");
    assert_eq!(unstored.into_iter().collect::<Vec<_>>(), UNSTORED);
}

/// Whether the words speak of so many to so many.
fn tells_range(words: &str) -> bool {
    let is_digit = |sign: char| sign.is_ascii_digit();
    let mut ends = words.match_indices(" to ").map(|(place, to)| (&words[..place], &words[place + to.len()..]));
    ends.any(|(before, after)| before.ends_with(is_digit) && after.starts_with(is_digit))
}

/// Whether a property holds a text of any form, or a list or map.
fn has_text_or_list(schema: &'static Value) -> bool {
    let is_own = match schema["type"].as_str() {
        Some("string") => !is_bounded_text(schema),
        Some("array") => schema["maxItems"].is_null(),
        Some("object") => schema["additionalProperties"].is_object(),
        _ => false,
    };
    is_own || parts(schema).filter(|part| referred(part).is_none()).any(has_text_or_list)
}

#[test]
fn every_schema_and_property_is_described() {
    let mut silent = Vec::new();
    for (name, schema) in schemas() {
        let properties = schema["properties"].as_object().into_iter().flatten();
        let members = properties.map(|(property, schema)| (format!("{name}.{property}"), schema));
        let all = members.chain([(name.clone(), schema)]);
        silent.extend(all.filter(|(_, schema)| schema["description"].as_str().is_none_or(str::is_empty)));
    }
    assert!(silent.is_empty(), "no description: {silent:#?}");
}

#[test]
fn every_parameter_has_a_bound() {
    let mut boundless = Vec::new();
    for (method, path, operation) in operations() {
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            let name = format!("{method} {path} {}", parameter["name"]);
            let schema = &parameter["schema"];
            let schema = referred(schema).map_or(schema, |name| &DOCUMENT["components"]["schemas"][name]);
            let bounded = match schema["type"].as_str() {
                Some("boolean") => true,
                Some("integer" | "number") => schema["minimum"].is_number() && schema["maximum"].is_number(),
                Some("array") => schema["maxItems"].is_number() && is_bounded_text(&schema["items"]),
                _ => is_bounded_text(schema),
            };
            if !bounded {
                boundless.push(name);
            }
        }
    }
    assert!(boundless.is_empty(), "no bound: {boundless:#?}");
}

/// Texts by their length or form; the date of a date-time has a form.
fn is_bounded_text(schema: &Value) -> bool {
    schema["type"] == "string" && ["maxLength", "pattern", "enum", "format"].iter().any(|key| !schema[key].is_null())
}

#[test]
fn every_text_and_list_of_a_body_has_a_bound() {
    let (mut boundless, mut seen) = (Vec::new(), BTreeSet::new());
    for (method, path, operation) in operations() {
        let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
        find_boundless(schema, &format!("{method} {path}"), &mut seen, &mut boundless);
    }
    assert!(boundless.is_empty(), "no bound: {boundless:#?}");
    let answered = answered();
    for name in SHARED {
        assert!(answered.contains(*name), "{name} is in no answer, so that its texts and lists can have bounds");
    }
}

fn find_boundless(schema: &'static Value, place: &str, seen: &mut BTreeSet<&'static str>, found: &mut Vec<String>) {
    if let Some(name) = referred(schema) {
        if !SHARED.contains(&name) && seen.insert(name) {
            find_boundless(&DOCUMENT["components"]["schemas"][name], name, seen, found);
        }
        return;
    }
    let bounded = match schema["type"].as_str() {
        Some("string") => is_bounded_text(schema),
        Some("array") => schema["maxItems"].is_number(),
        _ => true,
    };
    if !bounded {
        found.push(place.to_owned());
    }
    for part in parts(schema) {
        find_boundless(part, place, seen, found);
    }
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        find_boundless(property, &format!("{place}.{name}"), seen, found);
    }
}

/// The name of the schema that this one refers to, alone or with a description beside it.
fn referred(schema: &'static Value) -> Option<&'static str> {
    let reference = schema["$ref"].as_str().or_else(|| schema["allOf"][0]["$ref"].as_str())?;
    reference.strip_prefix("#/components/schemas/")
}

/// The schemas inside one, but for its properties.
fn parts(schema: &'static Value) -> impl Iterator<Item = &'static Value> {
    let inside = ["items", "additionalProperties"].into_iter().map(|key| &schema[key]).filter(|part| part.is_object());
    let listed = ["oneOf", "anyOf", "allOf"].into_iter().filter_map(|key| schema[key].as_array()).flatten();
    inside.chain(listed)
}

/// Names of the schemas that some answer holds.
fn answered() -> BTreeSet<&'static str> {
    fn collect(schema: &'static Value, names: &mut BTreeSet<&'static str>) {
        if let Some(name) = referred(schema)
            && names.insert(name)
        {
            collect(&DOCUMENT["components"]["schemas"][name], names);
        }
        parts(schema).chain(schema["properties"].as_object().into_iter().flat_map(|all| all.values())).for_each(
            |part| {
                collect(part, names);
            },
        );
    }
    let mut names = BTreeSet::new();
    for (_, _, operation) in operations() {
        for answer in operation["responses"].as_object().expect("responses").values() {
            collect(&answer["content"]["application/json"]["schema"], &mut names);
        }
    }
    names
}
