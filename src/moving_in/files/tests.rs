mod data;
mod hostile;
mod nested;
mod planner;
mod products;

use std::collections::HashMap;

use serde_json::{Value, json};
use unleash_types::client_features::{ClientFeatures, Context};
use unleash_yggdrasil::{EngineState, UpdateMessage};

use super::*;
use crate::{Outcome, neutral::Feature};

fn options() -> Options {
    Options {
        project: "default".to_owned(),
        environment: "production".to_owned(),
        now: Timestamp::parse("2026-11-22T12:00:00Z").expect("a time"),
    }
}

/// Result of reading some files.
struct Moved {
    set: Set,
    findings: Vec<Finding>,
}

fn moved(format: Format, files: &[(&str, Option<&str>, &[u8])]) -> Moved {
    let files: Vec<SourceFile<'_>> =
        files.iter().map(|(name, environment, bytes)| SourceFile { name, environment: *environment, bytes }).collect();
    for file in &files {
        assert_eq!(Format::detect(file).expect("readable"), Some(format), "{}", file.name);
    }
    let (set, findings) = read(format, &files, &options()).expect("readable");
    // Some editors and shells put a mark before a file, which changes nothing.
    let marked: Vec<Vec<u8>> = files.iter().map(|file| [b"\xef\xbb\xbf", file.bytes].concat()).collect();
    let marked: Vec<SourceFile<'_>> =
        files.iter().zip(&marked).map(|(file, bytes)| SourceFile { bytes, ..*file }).collect();
    assert!(marked.iter().all(|file| Format::detect(file) == Ok(Some(format))));
    let again = read(format, &marked, &options()).expect("readable with a mark before it");
    assert_eq!(json!(again), json!((&set, &findings)));
    Moved { set, findings }
}

fn moved_json(format: Format, value: &Value) -> Moved {
    moved(format, &[("file.json", None, value.to_string().as_bytes())])
}

/// The neutral set as programs get it, evaluated by Unleash's own engine.
fn engine(set: &Set, environment: &str) -> EngineState {
    let segments: Vec<Value> =
        set.segments.iter().map(|segment| json!({ "id": segment.id, "constraints": segment.constraints })).collect();
    let features: Vec<Value> = set.features.iter().filter_map(|item| feature(item, environment)).collect();
    let state = json!({ "version": 2, "features": features, "segments": segments });
    let state: ClientFeatures = serde_json::from_value(state).expect("what clients read");
    let engine = EngineState::initial_state(chrono::DateTime::default());
    assert!(engine.take_state(UpdateMessage::FullResponse(state)).is_none_or(|warnings| warnings.is_empty()));
    engine
}

fn feature(feature: &Feature, environment: &str) -> Option<Value> {
    let here = feature.environments.iter().find(|state| state.environment == environment)?;
    assert!(!here.enabled || !here.strategies.is_empty(), "{} would be on for everybody", feature.name);
    let strategies: Vec<Value> = here
        .strategies
        .iter()
        .map(|strategy| {
            json!({
                "name": strategy.name, "parameters": strategy.parameters, "constraints": strategy.constraints,
                "segments": strategy.segments, "variants": strategy.variants,
            })
        })
        .collect();
    let parents: Vec<Value> = feature
        .dependencies
        .iter()
        .map(|dependency| {
            json!({
                "feature": dependency.parent, "enabled": dependency.enabled, "variants": dependency.variants,
            })
        })
        .collect();
    Some(json!({
        "name": feature.name, "enabled": here.enabled && feature.archived_at.is_none(), "strategies": strategies,
        "dependencies": parents, "variants": here.variants,
    }))
}

fn context(pairs: &[(&str, &str)]) -> Context {
    let mut properties: HashMap<String, String> =
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Context {
        user_id: properties.remove("userId"),
        session_id: properties.remove("sessionId"),
        current_time: Some(properties.remove("currentTime").unwrap_or_else(|| "2026-11-22T12:00:00Z".to_owned())),
        environment: None,
        app_name: None,
        remote_address: None,
        properties: Some(properties),
    }
}

impl Moved {
    /// Returns the outcome for a context: nothing, or that it is on, with the value where there is one.
    #[expect(clippy::option_option, reason = "off, on, and on with a value")]
    fn gets(&self, environment: &str, name: &str, pairs: &[(&str, &str)]) -> Option<Option<String>> {
        let variant = engine(&self.set, environment).get_variant(name, &context(pairs), &None);
        variant.feature_enabled.then(|| variant.payload.map(|payload| payload.value))
    }

    fn on(&self, environment: &str, name: &str, pairs: &[(&str, &str)]) -> bool {
        self.gets(environment, name, pairs).is_some()
    }

    fn value(&self, environment: &str, name: &str, pairs: &[(&str, &str)]) -> String {
        self.gets(environment, name, pairs).flatten().unwrap_or_else(|| "nothing".to_owned())
    }

    fn feature(&self, name: &str) -> &Feature {
        self.set.features.iter().find(|feature| feature.name == name).unwrap_or_else(|| panic!("no feature {name}"))
    }

    /// Returns why a feature is off in an environment.
    fn unsaid(&self, name: &str) -> &str {
        let told = self.findings.iter().find(|finding| finding.outcome == Outcome::LeftOut && finding.name == name);
        let told = told.unwrap_or_else(|| panic!("nothing told of {name}: {:#?}", self.findings));
        let (feature, environment) = name.split_once(" in ").expect("a feature in an environment");
        let feature = self.feature(feature);
        let here = feature.environments.iter().find(|state| state.environment == environment).expect("the environment");
        assert!(!here.enabled && here.strategies.is_empty(), "{name}");
        assert!(feature.tags.iter().any(|tag| tag.kind == "moved-in" && tag.value == "incomplete"), "{name}");
        assert!(feature.description.as_deref().is_some_and(|text| text.contains("Moved in switched off")), "{name}");
        &told.reason
    }
}
