//! Features with all that hangs on them.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::Value;

use super::{Source, record::Record};
use crate::{
    domain::{constraint::Constraint, time::Timestamp, variant::Payload},
    moving_in::{Dependency, Feature, FeatureEnvironment, Finding, Set, Stage, Strategy, Tag},
    store::moving_in::MoveInError,
};

pub(super) const TABLES: &[&str] = &[
    "features",
    "feature_environments",
    "feature_strategies",
    "feature_strategy_segment",
    "feature_tag",
    "dependent_features",
    "feature_lifecycles",
    "last_seen_at_metrics",
];

/// Features by name, in the order in which they were made.
#[derive(Default)]
struct Features {
    all: Vec<Feature>,
    places: HashMap<String, usize>,
}

impl Features {
    fn find(&mut self, name: &str) -> Option<&mut Feature> {
        self.places.get(name).map(|place| &mut self.all[*place])
    }
}

pub(super) async fn read(source: &mut Source, set: &mut Set, findings: &mut Vec<Finding>) -> Result<(), MoveInError> {
    let mut features = Features::default();
    for row in source.rows("features", "ORDER BY created_at, name").await? {
        let feature = feature(&row)?;
        features.places.insert(feature.name.clone(), features.all.len());
        features.all.push(feature);
    }
    environments(source, &mut features, findings).await?;
    strategies(source, set, &mut features, findings).await?;
    for row in source.rows("feature_tag", "").await? {
        if let Some(feature) = features.find(&row.text("feature_name")?) {
            feature.tags.push(Tag { kind: row.text("tag_type")?, value: row.text("tag_value")? });
        }
    }
    for row in source.rows("dependent_features", "ORDER BY child, parent").await? {
        if let Some(feature) = features.find(&row.text("child")?) {
            feature.dependencies.push(Dependency {
                parent: row.text("parent")?,
                enabled: row.is("enabled"),
                variants: row.read_list("variants").0,
            });
        }
    }
    for row in source.rows("feature_lifecycles", "ORDER BY feature, created_at").await? {
        if let Some(feature) = features.find(&row.text("feature")?) {
            feature.lifecycle.push(Stage {
                stage: row.text("stage")?,
                status: row.find_text("status"),
                status_value: row.find_text("status_value"),
                entered_at: row.time("created_at"),
            });
        }
    }
    set.features = features.all;
    Ok(())
}

fn feature(row: &Record) -> Result<Feature, MoveInError> {
    Ok(Feature {
        name: row.text("name")?,
        project: row.find_text("project").unwrap_or_else(|| "default".to_owned()),
        kind: row.find_text("type").unwrap_or_else(|| "release".to_owned()),
        description: row.find_text("description"),
        stale: row.is("stale"),
        potentially_stale: row.is("potentially_stale"),
        impression_data: row.is("impression_data"),
        created_at: row.time("created_at"),
        created_by_user_id: row.find_number("created_by_user_id"),
        archived_at: row.time("archived_at"),
        last_seen_at: row.time("last_seen_at"),
        ..Feature::default()
    })
}

async fn environments(
    source: &mut Source,
    features: &mut Features,
    findings: &mut Vec<Finding>,
) -> Result<(), MoveInError> {
    let mut seen: HashMap<(String, String), Timestamp> = HashMap::new();
    for row in source.rows("last_seen_at_metrics", "").await? {
        if let Some(at) = row.time("last_seen_at") {
            seen.insert((row.text("feature_name")?, row.text("environment")?), at);
        }
    }
    for row in source.rows("feature_environments", "ORDER BY feature_name, environment").await? {
        let (name, environment) = (row.text("feature_name")?, row.text("environment")?);
        let Some(feature) = features.find(&name) else { continue };
        let place = format!("{name} in {environment}");
        let last_seen_at = row.time("last_seen_at").max(seen.get(&(name, environment.clone())).copied());
        feature.last_seen_at = feature.last_seen_at.max(last_seen_at);
        feature.environments.push(FeatureEnvironment {
            enabled: row.is("enabled"),
            last_seen_at,
            variants: variants(&row, &place, findings),
            strategies: Vec::new(),
            environment,
        });
    }
    Ok(())
}

async fn strategies(
    source: &mut Source,
    set: &Set,
    features: &mut Features,
    findings: &mut Vec<Finding>,
) -> Result<(), MoveInError> {
    let mut segments: BTreeMap<String, Vec<i64>> = BTreeMap::new();
    for row in source.rows("feature_strategy_segment", "ORDER BY feature_strategy_id, created_at, segment_id").await? {
        segments.entry(row.text("feature_strategy_id")?).or_default().push(row.number("segment_id")?);
    }
    let used = set
        .projects
        .iter()
        .flat_map(|project| project.environments.iter().map(|used| (project.id.clone(), used.environment.clone())));
    let used: HashSet<(String, String)> = used.collect();
    for row in source.rows("feature_strategies", "ORDER BY feature_name, environment, sort_order, created_at").await? {
        let (name, environment) = (row.text("feature_name")?, row.text("environment")?);
        let Some(feature) = features.find(&name) else { continue };
        let place = format!("{name} in {environment}");
        if !feature.environments.iter().any(|state| state.environment == environment) {
            if !used.contains(&(feature.project.clone(), environment.clone())) {
                let reason = "a strategy is for an environment that the project does not use";
                findings.push(Finding::left_out("strategy", place, reason));
                continue;
            }
            feature.environments.push(FeatureEnvironment { environment: environment.clone(), ..Default::default() });
        }
        let id = row.text("id")?;
        let strategy = Strategy {
            name: row.text("strategy_name")?,
            title: row.find_text("title"),
            disabled: row.is("disabled"),
            sort_order: row.find_number("sort_order").unwrap_or_default(),
            parameters: parameters(row.json("parameters")),
            constraints: constraints(&row, &place, findings),
            segments: segments.remove(&id).unwrap_or_default(),
            variants: variants(&row, &place, findings),
            created_at: row.time("created_at"),
            id,
        };
        let held = feature.environments.iter_mut().find(|state| state.environment == environment);
        held.expect("it is there, or was added").strategies.push(strategy);
    }
    Ok(())
}

/// Parameters are texts; old rows hold numbers as well.
fn parameters(value: &Value) -> BTreeMap<String, String> {
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Null => None,
        other => Some(other.to_string()),
    };
    let all = value.as_object().into_iter().flatten();
    all.filter_map(|(name, value)| Some((name.clone(), text(value)?))).collect()
}

/// Constraints, with values as the texts that they are compared as. One that cannot be read becomes one that holds for
/// nobody, since without it more would be on than before.
pub(super) fn constraints(row: &Record, place: &str, findings: &mut Vec<Finding>) -> Vec<Constraint> {
    let mut read = Vec::new();
    for value in row.list("constraints") {
        let mut value = value.clone();
        if let Some(object) = value.as_object_mut() {
            object.retain(|_, value| !value.is_null());
            if let Some(value) = object.get_mut("value") {
                as_text(value);
            }
            object.get_mut("values").and_then(Value::as_array_mut).into_iter().flatten().for_each(as_text);
        }
        let constraint = serde_json::from_value(value);
        if constraint.is_err() {
            findings.push(Finding::changed("feature", place, "a constraint that cannot be read holds for nobody"));
        }
        read.push(constraint.unwrap_or_else(|_| never()));
    }
    read
}

fn as_text(value: &mut Value) {
    if matches!(value, Value::Number(_) | Value::Bool(_)) {
        *value = Value::String(value.to_string());
    }
}

fn never() -> Constraint {
    let text = r#"{"contextName":"userId","operator":"IN","values":[]}"#;
    serde_json::from_str(text).expect("a constraint")
}

/// Variants. What has no form here is repaired: payloads of other types are texts.
fn variants<T: serde::de::DeserializeOwned>(row: &Record, place: &str, findings: &mut Vec<Finding>) -> Vec<T> {
    let mut read = Vec::new();
    for value in row.list("variants") {
        let as_it_is = serde_json::from_value(value.clone());
        let repaired = || {
            let mut value = value.clone();
            repair(&mut value);
            serde_json::from_value(value)
        };
        match as_it_is.or_else(|_| repaired()) {
            Ok(variant) => read.push(variant),
            Err(_) => findings.push(Finding::left_out("variant", place, "it has a form that is not known here")),
        }
    }
    read
}

fn repair(variant: &mut Value) {
    let Some(object) = variant.as_object_mut() else { return };
    object.retain(|_, value| !value.is_null());
    for (property, usual) in [("weightType", "variable"), ("stickiness", "default")] {
        object.entry(property).or_insert_with(|| usual.into());
    }
    if let Some(payload) = object.get_mut("payload")
        && serde_json::from_value::<Payload>(payload.clone()).is_err()
    {
        if let Some(payload) = payload.as_object_mut() {
            payload.insert("type".to_owned(), "string".into());
            payload.entry("value").or_insert_with(|| "".into());
            let value = &mut payload["value"];
            if !value.is_string() {
                *value = Value::String(value.to_string());
            }
        } else {
            object.remove("payload");
        }
    }
}
