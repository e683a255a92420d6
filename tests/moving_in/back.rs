//! The way back: what is exported for older versions of Unleash is what those take, and gives nobody more.
//!
//! What they take was read in their sources, and tried on servers of 5.6.0 and 6.10.1; `tests/rehearsal` tries it again.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use serde_json::{Value, json};

use crate::{dump, server};

/// Operators of versions 5 and 6.
const OPERATORS: [&str; 15] = [
    "NOT_IN",
    "IN",
    "STR_ENDS_WITH",
    "STR_STARTS_WITH",
    "STR_CONTAINS",
    "NUM_EQ",
    "NUM_GT",
    "NUM_GTE",
    "NUM_LT",
    "NUM_LTE",
    "DATE_AFTER",
    "DATE_BEFORE",
    "SEMVER_EQ",
    "SEMVER_GT",
    "SEMVER_LT",
];

/// Parts of a state, with the keys that version 5 takes in each; of those without keys it takes any.
const STATE: [(&str, &[&str]); 12] = [
    ("version", &[]),
    ("features", &[]),
    ("strategies", &[]),
    ("projects", &[]),
    ("tagTypes", &[]),
    ("tags", &[]),
    ("featureStrategies", &[]),
    ("segments", &[]),
    ("featureStrategySegments", &[]),
    ("environments", &["name", "displayName", "type", "sortOrder", "enabled", "protected"]),
    ("featureEnvironments", &["environment", "featureName", "enabled", "variants"]),
    ("featureTags", &["featureName", "tagType", "tagValue", "type", "value"]),
];

fn read(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).expect("a file")).expect("JSON")
}

fn items<'a>(document: &'a Value, part: &str) -> &'a [Value] {
    document[part].as_array().map(Vec::as_slice).unwrap_or_default()
}

fn text<'a>(item: &'a Value, key: &str) -> &'a str {
    item[key].as_str().unwrap_or_default()
}

/// Ends the test unless an older version takes these strategies or segments, and none is of a type that it lacks.
fn is_taken(constrained: &[Value]) {
    for item in constrained {
        for constraint in items(item, "constraints") {
            assert!(OPERATORS.contains(&text(constraint, "operator")), "{item}");
        }
        let name = if item["strategyName"].is_null() { text(item, "name") } else { text(item, "strategyName") };
        assert!(!name.starts_with("gradualRollout"), "{item}");
    }
}

/// Features in their environments that are on, and in how many strategies there.
fn on<'a>(states: impl Iterator<Item = (&'a str, &'a str)>, strategies: &[(&str, &str)]) -> BTreeMap<String, usize> {
    let count = |place: (&str, &str)| strategies.iter().filter(|other| **other == place).count();
    states.map(|place| (format!("{} in {}", place.0, place.1), count(place))).collect()
}

/// Returns the features that are on in a state; disabled strategies do not count.
fn on_in_state(state: &Value) -> BTreeMap<String, usize> {
    let place = |item: &'static str| {
        move |value: &'_ Value| (text(value, item).to_owned(), text(value, "environment").to_owned())
    };
    let strategies: Vec<_> = items(state, "featureStrategies")
        .iter()
        .filter(|strategy| strategy["disabled"] != true)
        .map(place("featureName"))
        .collect();
    let strategies: Vec<_> = strategies.iter().map(|(feature, name)| (feature.as_str(), name.as_str())).collect();
    let states = items(state, "featureEnvironments").iter().filter(|state| state["enabled"] == true);
    on(states.map(|state| (text(state, "featureName"), text(state, "environment"))), &strategies)
}

/// Ends the test where something is on that was not, or that was on for some and has no strategy any more.
fn nothing_is_wider(before: &BTreeMap<String, usize>, after: &BTreeMap<String, usize>, told: &str) {
    for (place, strategies) in after {
        let earlier = before.get(place).unwrap_or_else(|| panic!("{place} was not on"));
        assert!(*strategies > 0 || *earlier == 0, "{place} is on for everybody: {told}");
    }
    for (place, strategies) in before {
        let now = after.get(place);
        assert!(now == Some(strategies) || told.contains(&format!("{place}: ")), "{place} is not told: {told}");
    }
}

/// Exports a database for both versions. Returns the report of each.
fn exports_are_taken(database: &str) -> [String; 2] {
    let directory = tempfile::tempdir().expect("a directory");
    let [all, five, six] = ["all", "5", "6"].map(|name| directory.path().join(name));
    server::exported(database, &all, None);
    let before = on_in_state(&read(&all.join("state.json")));

    let told_of_5 = server::exported(database, &five, Some("unleash-5"));
    assert_eq!(std::fs::read_dir(&five).expect("a folder").count(), 1);
    let state = read(&five.join("state.json"));
    for (part, held) in state.as_object().expect("parts") {
        let known = STATE.iter().find(|(name, _)| name == part);
        let keys = known.map_or_else(|| panic!("version 5 refuses {part}"), |(_, keys)| *keys);
        for key in held.as_array().into_iter().flatten().filter_map(Value::as_object).flat_map(|item| item.keys()) {
            assert!(keys.is_empty() || keys.contains(&&**key), "version 5 refuses {key} of {part}");
        }
    }
    assert_eq!(state["version"], 4);
    is_taken(items(&state, "featureStrategies"));
    is_taken(items(&state, "segments"));
    for strategy in items(&state, "featureStrategies") {
        assert_ne!(strategy["disabled"], true, "{strategy}");
    }
    let segments: BTreeSet<i64> =
        items(&state, "segments").iter().filter_map(|segment| segment["id"].as_i64()).collect();
    for used in items(&state, "featureStrategySegments") {
        assert!(used["segmentId"].as_i64().is_some_and(|id| segments.contains(&id)), "{used}");
    }
    assert!(!items(&state, "featureStrategies").is_empty());
    nothing_is_wider(&before, &on_in_state(&state), &told_of_5);

    let told_of_6 = server::exported(database, &six, Some("unleash-6"));
    let (mut strategies, mut states) = (Vec::new(), Vec::new());
    for entry in std::fs::read_dir(&six).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_stem().and_then(|name| name.to_str()).expect("a name").to_owned();
        let document = read(&path);
        if ["segments", "strategies"].contains(&&*name) {
            is_taken(document.as_array().expect("a list"));
            continue;
        }
        let (_, environment) = name.split_once('.').expect("a project and an environment");
        let listed = items(&document, "featureStrategies");
        is_taken(listed);
        let active = listed.iter().filter(|strategy| strategy["disabled"] != true);
        strategies.extend(active.map(|strategy| (text(strategy, "featureName").to_owned(), environment.to_owned())));
        let enabled = items(&document, "featureEnvironments").iter().filter(|state| state["enabled"] == true);
        states.extend(enabled.map(|state| (text(state, "featureName").to_owned(), environment.to_owned())));
    }
    let strategies: Vec<_> = strategies.iter().map(|(feature, name)| (feature.as_str(), name.as_str())).collect();
    let states = states.iter().map(|(feature, name)| (feature.as_str(), name.as_str()));
    nothing_is_wider(&before, &on(states, &strategies), &told_of_6);
    [told_of_5, told_of_6]
}

/// Moves a file in that holds what older versions have no words for.
#[test]
fn what_older_versions_have_no_words_for_is_told() {
    let directory = tempfile::tempdir().expect("a directory");
    let to = format!("sqlite://{}", directory.path().join("new.db").display());
    let data = json!({
        "features": [{ "name": "beta", "project": "default" }, { "name": "old", "project": "default" }],
        "featureEnvironments": [
            { "name": "beta", "featureName": "beta", "environment": "production", "enabled": true },
            { "name": "old", "featureName": "old", "environment": "production", "enabled": true },
        ],
        "featureStrategies": [
            { "id": "018f4e3c-0000-7000-8000-000000000001", "featureName": "beta", "name": "default", "constraints": [
                { "contextName": "plan", "operator": "REGEX", "value": "^pro" },
            ] },
            { "id": "018f4e3c-0000-7000-8000-000000000002", "featureName": "old", "name": "gradualRolloutUserId",
              "parameters": { "percentage": "20", "groupId": "old" } },
        ],
        "contextFields": [], "featureTags": [], "segments": [], "tagTypes": [], "dependencies": [],
    });
    let file = directory.path().join("export.json");
    std::fs::write(&file, data.to_string()).expect("a file");
    server::moved(&format!("production={}", file.display()), &to, &["--format", "unleash"]);
    let [of_5, of_6] = exports_are_taken(&to);
    for (told, version, product) in [(of_5, "unleash-5", "Unleash 5"), (of_6, "unleash-6", "Unleash 6")] {
        let expected = format!(
            "{version}: beta in production: its strategy default is left out: {product} has no operator REGEX\n\
             {version}: old in production: its strategy gradualRolloutUserId becomes flexibleRollout, for the same users\n\
             {version}: beta in production: is switched off: no strategy is left that says for whom\n"
        );
        assert!(told.starts_with(&expected), "{told}");
    }
}

#[test]
fn exports_of_files_are_what_older_versions_take() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/vendors/unleash");
    for file in ["unleash-4.19.5.state.json", "unleash-8.2.0.development.json"] {
        let directory = tempfile::tempdir().expect("a directory");
        let to = format!("sqlite://{}", directory.path().join("new.db").display());
        server::moved(&samples.join(file).display().to_string(), &to, &[]);
        exports_are_taken(&to);
    }
}

#[tokio::test]
async fn exports_of_whole_databases_are_what_older_versions_take() {
    for version in ["4.19.5", "5.12.8", "6.3.0", "8.2.0"] {
        let Some(from) = dump::restored(version).await else { return };
        let directory = tempfile::tempdir().expect("a directory");
        let to = format!("sqlite://{}", directory.path().join("new.db").display());
        server::moved(&from, &to, &[]);
        let [of_5, of_6] = exports_are_taken(&to);
        assert!(of_5.contains("unleash-5: context fields are left out: "), "{of_5}");
        assert_eq!(of_6.contains("has no operator REGEX"), version == "8.2.0", "{version}: {of_6}");
    }
}
