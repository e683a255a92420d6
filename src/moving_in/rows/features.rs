//! Features with all that hangs on them.

use std::collections::{BTreeMap, HashMap, HashSet};

use flagstone_domain::{
    repair::{Row, constraints, parameters, segment_ids, variants},
    time::Timestamp,
};
use serde_json::Value;

use super::Reading;
use crate::neutral::{Dependency, Feature, FeatureEnvironment, Link, Set, Stage, Strategy, Tag};

pub(super) const TABLES: &[&str] = &[
    "features",
    "feature_environments",
    "feature_strategies",
    "feature_strategy_segment",
    "feature_tag",
    "dependent_features",
    "feature_lifecycles",
    "feature_link",
    "last_seen_at_metrics",
];

/// Features by name, in the order in which they came.
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

pub(super) fn read(reading: &mut Reading<'_>, set: &mut Set) {
    let mut features = Features::default();
    for value in reading.take("features") {
        let Some(feature) = reading.row("features", &["name"], &value).and_then(|row| feature(&row)) else { continue };
        if !features.places.contains_key(&feature.name) {
            features.places.insert(feature.name.clone(), features.all.len());
            features.all.push(feature);
        }
    }
    environments(reading, &mut features);
    strategies(reading, set, &mut features);
    belongings(reading, &mut features);
    links(reading, &mut features);
    set.features = features.all;
}

fn feature(row: &Row<'_>) -> Option<Feature> {
    Some(Feature {
        name: row.text("name")?,
        project: row.find_text("project").unwrap_or_else(|| "default".to_owned()),
        kind: row.find_text("type").unwrap_or_else(|| "release".to_owned()),
        description: row.find_text("description"),
        stale: row.truth("stale", false),
        potentially_stale: row.truth("potentially_stale", false),
        impression_data: row.truth("impression_data", false),
        created_at: row.time("created_at"),
        created_by_user_id: row.find_number("created_by_user_id"),
        archived_at: archived_at(row),
        last_seen_at: row.time("last_seen_at"),
        ..Feature::default()
    })
}

/// Returns when a feature was archived. One whose time cannot be read is archived all the same.
fn archived_at(row: &Row<'_>) -> Option<Timestamp> {
    match row.value("archived_at") {
        Value::Null => None,
        Value::String(text) if text == "infinity" => row.end("archived_at"),
        _ => row.time("archived_at").or(Some(Timestamp::FIRST)),
    }
}

fn environments(reading: &mut Reading<'_>, features: &mut Features) {
    let mut seen: HashMap<(String, String), Timestamp> = HashMap::new();
    for value in reading.take("last_seen_at_metrics") {
        let key = ["feature_name", "environment"];
        let Some(row) = reading.row("last_seen_at_metrics", &key, &value) else { continue };
        if let (Some(name), Some(environment), Some(at)) =
            (row.text("feature_name"), row.text("environment"), row.time("last_seen_at"))
        {
            seen.insert((name, environment), at);
        }
    }
    for value in reading.take("feature_environments") {
        let key = ["feature_name", "environment"];
        let Some(row) = reading.row("feature_environments", &key, &value) else { continue };
        let (Some(name), Some(environment)) = (row.text("feature_name"), row.text("environment")) else { continue };
        let Some(feature) = features.find(&name) else {
            row.is_left_out("there is no such feature");
            continue;
        };
        if feature.environments.iter().any(|state| state.environment == environment) {
            row.is_left_out("there is another row of the same feature and environment");
            continue;
        }
        let last_seen_at = row.time("last_seen_at").max(seen.get(&(name, environment.clone())).copied());
        feature.last_seen_at = feature.last_seen_at.max(last_seen_at);
        feature.environments.push(FeatureEnvironment {
            enabled: row.truth("enabled", false),
            last_seen_at,
            variants: variants(&row, "variants"),
            strategies: Vec::new(),
            environment,
        });
    }
}

fn strategies(reading: &mut Reading<'_>, set: &Set, features: &mut Features) {
    let mut segments: BTreeMap<String, Vec<i64>> = BTreeMap::new();
    for value in reading.take("feature_strategy_segment") {
        let Some(row) = reading.row("feature_strategy_segment", &["feature_strategy_id"], &value) else { continue };
        let Some(strategy) = row.text("feature_strategy_id") else { continue };
        // No segment has the number 0: the strategy is disabled rather than on for more people.
        segments.entry(strategy).or_default().push(row.find_number("segment_id").unwrap_or_default());
    }
    let used = set
        .projects
        .iter()
        .flat_map(|project| project.environments.iter().map(|used| (project.id.clone(), used.environment.clone())));
    let used: HashSet<(String, String)> = used.collect();
    for value in reading.take("feature_strategies") {
        let key = ["feature_name", "environment"];
        let Some(row) = reading.row("feature_strategies", &key, &value) else { continue };
        let (Some(name), Some(environment)) = (row.text("feature_name"), row.text("environment")) else { continue };
        let Some(feature) = features.find(&name) else {
            row.is_left_out("there is no such feature");
            continue;
        };
        if !feature.environments.iter().any(|state| state.environment == environment) {
            if !used.contains(&(feature.project.clone(), environment.clone())) {
                row.is_left_out("a strategy is for an environment that the project does not use");
                continue;
            }
            feature.environments.push(FeatureEnvironment { environment: environment.clone(), ..Default::default() });
        }
        let held = feature.environments.iter_mut().find(|state| state.environment == environment);
        let held = &mut held.expect("it is there, or was added").strategies;
        let row = row.called(format!("{name} in {environment}, strategy {}", held.len() + 1));
        let mut strategy = strategy(&row, held.len());
        strategy.segments.extend(segments.get(&strategy.id).into_iter().flatten());
        held.push(strategy);
    }
}

/// Reads a strategy. One whose type is not known never holds, so that no feature is left without any.
fn strategy(row: &Row<'_>, place: usize) -> Strategy {
    let place = i64::try_from(place).unwrap_or(i64::MAX);
    let frame = Strategy {
        id: row.find_text("id").unwrap_or_default(),
        name: "userWithId".to_owned(),
        title: row.find_text("title").filter(|title| !title.is_empty()),
        disabled: row.truth("disabled", true),
        sort_order: row.find_number("sort_order").unwrap_or(place),
        created_at: row.time("created_at"),
        ..Strategy::default()
    };
    let Some(name) = row.find_text("strategy_name") else {
        row.changed("strategy_name", "is no name of a strategy: one that holds for nobody is in its place");
        return frame;
    };
    Strategy {
        name,
        parameters: parameters(row, "parameters"),
        constraints: constraints(row, "constraints"),
        segments: segment_ids(row, "segments"),
        variants: variants(row, "variants"),
        ..frame
    }
}

fn links(reading: &mut Reading<'_>, features: &mut Features) {
    for value in reading.take("feature_link") {
        let Some(row) = reading.row("feature_link", &["url", "feature_name"], &value) else { continue };
        let (Some(name), Some(url)) = (row.text("feature_name"), row.text("url")) else { continue };
        let link = Link { id: row.find_text("id").unwrap_or_default(), url, title: row.find_text("title") };
        // A file of each environment tells them.
        if let Some(feature) = features.find(&name)
            && !feature.links.contains(&link)
        {
            feature.links.push(link);
        }
    }
}

/// Tags, parents and stages.
fn belongings(reading: &mut Reading<'_>, features: &mut Features) {
    for value in reading.take("feature_tag") {
        let Some(row) = reading.row("feature_tag", &["tag_value", "feature_name"], &value) else { continue };
        let (Some(name), Some(kind), Some(value)) =
            (row.text("feature_name"), row.text("tag_type"), row.text("tag_value"))
        else {
            continue;
        };
        if let Some(feature) = features.find(&name) {
            feature.tags.push(Tag { kind, value });
        }
    }
    for value in reading.take("dependent_features") {
        let Some(row) = reading.row("dependent_features", &["child"], &value) else { continue };
        let (Some(name), Some(parent)) = (row.text("child"), row.text("parent")) else { continue };
        let enabled = row.value("enabled").is_null() || row.truth("enabled", true);
        let dependency = Dependency { parent, enabled, variants: row.texts("variants") };
        if let Some(feature) = features.find(&name)
            && !feature.dependencies.contains(&dependency)
        {
            feature.dependencies.push(dependency);
        }
    }
    for value in reading.take("feature_lifecycles") {
        let Some(row) = reading.row("feature_lifecycles", &["stage", "feature"], &value) else { continue };
        let (Some(name), Some(stage)) = (row.text("feature"), row.text("stage")) else { continue };
        if let Some(feature) = features.find(&name) {
            feature.lifecycle.push(Stage {
                stage,
                status: row.find_text("status"),
                status_value: row.find_text("status_value"),
                entered_at: row.time("created_at"),
            });
        }
    }
}
