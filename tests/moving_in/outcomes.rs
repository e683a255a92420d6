//! Outcomes of the flags of each sample: the table of docs/moving-in-from-files.md.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use serde::Deserialize as _;
use serde_json::Value;

use crate::stored;

/// Kinds of files, by how the paths of the samples begin.
const KINDS: [(&str, &str); 15] = [
    ("flagd/", "flagd, flag files"),
    ("flagsmith/environment", "Flagsmith, environment document"),
    ("flagsmith/feature-export", "Flagsmith, bulk export"),
    ("flipt/features.v1", "Flipt 1, export"),
    ("flipt/v2", "Flipt 2, tree"),
    ("go-feature-flag/", "GO Feature Flag, flag files"),
    ("growthbook/features-v1", "GrowthBook, API version 1"),
    ("growthbook/features-v2", "GrowthBook, API version 2"),
    ("launchdarkly/getFeatureFlags", "LaunchDarkly, summaries"),
    ("launchdarkly/get_flags", "LaunchDarkly, API version 2"),
    ("unleash/unleash-4", "Unleash 4.19, state"),
    ("unleash/unleash-5", "Unleash 5.12, export"),
    ("unleash/unleash-6", "Unleash 6.3, export"),
    ("unleash/unleash-8.2.0.development.json unleash", "Unleash 8.2, exports"),
    ("unleash/unleash-8", "Unleash 8.2, export"),
];

/// Numbers of features in an environment, by outcome.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Counts {
    exact: usize,
    changed: usize,
    narrower: usize,
    left_out: usize,
    silent: usize,
}

/// Numbers of samples and outcomes, by kind of file.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Outcomes(BTreeMap<&'static str, (usize, Counts)>);

impl Outcomes {
    /// Adds a sample, from its files, its report, and the database that it moved into.
    pub async fn add(&mut self, files: &str, paths: &[&Path], report: &Value, database: &str) {
        let bare: Vec<&str> = files.split_whitespace().map(|file| file.rsplit('=').next().unwrap_or(file)).collect();
        let bare = bare.join(" ");
        let (_, kind) = KINDS.iter().find(|(start, _)| bare.starts_with(start)).expect("a kind of every sample");
        let (samples, counts) = self.0.entry(kind).or_default();
        *samples += 1;
        let told: Vec<(&str, bool)> = findings(report).collect();
        let mut known = BTreeSet::new();
        for (name, environment) in stored::feature_environments(database).await {
            let place = format!("{name} in {environment}");
            let of_place = || told.iter().filter(|(told, _)| *told == name || *told == place);
            if of_place().any(|(_, is_narrower)| *is_narrower) {
                counts.narrower += 1;
            } else if of_place().next().is_some() {
                counts.changed += 1;
            } else {
                counts.exact += 1;
            }
            known.insert(name);
        }
        for name in paths.iter().flat_map(|path| flags(path)).collect::<BTreeSet<_>>() {
            if known.contains(&name) {
                continue;
            }
            if told.iter().any(|(told, _)| *told == name || told.starts_with(&format!("{name} of "))) {
                counts.left_out += 1;
            } else {
                counts.silent += 1;
            }
        }
    }

    /// The rows of the table.
    pub fn table(&self) -> String {
        let row = |(kind, (samples, counts)): (&&str, &(usize, Counts))| {
            let Counts { exact, changed, narrower, left_out, silent } = counts;
            format!("| {kind} | {samples} | {exact} | {changed} | {narrower} | {left_out} | {silent} |\n")
        };
        self.0.iter().map(row).collect()
    }
}

/// Returns the names in the findings about features, and whether the feature is on for fewer.
fn findings(report: &Value) -> impl Iterator<Item = (&str, bool)> {
    let findings = report["findings"].as_array().expect("findings").iter();
    findings.filter(|finding| finding["kind"] == "feature").map(|finding| {
        let reason = finding["reason"].as_str().expect("a reason");
        let is_off = reason.starts_with("is switched off") || reason.starts_with("a strategy is disabled");
        (finding["name"].as_str().expect("a name"), is_off || finding["outcome"] == "left-out")
    })
}

/// The keys of the flags of a file, read without the readers of the program.
fn flags(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).expect("a file");
    let documents: Vec<Value> = match path.extension().and_then(|extension| extension.to_str()) {
        Some("toml") => vec![toml::from_str(&text).expect("TOML")],
        Some("yaml") => {
            let documents = serde_norway::Deserializer::from_str(&text);
            documents.map(|document| Value::deserialize(document).expect("YAML")).collect()
        }
        _ => vec![serde_json::from_str(&text).expect("JSON")],
    };
    documents.iter().flat_map(|document| keys(&path.display().to_string(), document)).collect()
}

fn keys(path: &str, document: &Value) -> Vec<String> {
    let texts = |list: &Value, pointer: &str| {
        let items = list.as_array().into_iter().flatten();
        items.filter_map(|item| Some(item.pointer(pointer)?.as_str()?.to_owned())).collect()
    };
    let of_object = |object: &Value| object.as_object().into_iter().flat_map(|map| map.keys().cloned()).collect();
    match path {
        path if path.contains("/flagd/") => of_object(&document["flags"]),
        path if path.contains("/go-feature-flag/") => of_object(document),
        path if path.ends_with("/environment.json") => texts(&document["feature_states"], "/feature/name"),
        path if path.contains("/flagsmith/") => texts(document, "/name"),
        path if path.contains("/flipt/") => texts(&document["flags"], "/key"),
        path if path.contains("/growthbook/") => texts(&document["features"], "/id"),
        path if path.contains("/launchdarkly/") && path.to_lowercase().contains("flags") => {
            texts(&document["items"], "/key")
        }
        path if path.contains("/unleash/") => texts(&document["features"], "/name"),
        _ => Vec::new(),
    }
}
