//! Unleash's own files: `features-batch/export` of one environment, `state/export` of all, and the list of segments
//! that the former leaves out.

mod features;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Document, FileError, Options, read::text};
use crate::moving_in::{
    Finding,
    neutral::{
        ContextField, Dependency, Environment, FeatureType, Origin, Project, ProjectEnvironment, Segment, Set,
        StrategyType, Tag, TagType,
    },
};

/// Types of features that are always there.
const FEATURE_TYPES: [&str; 5] = ["release", "experiment", "operational", "kill-switch", "permission"];
/// Types of strategies that are always there.
const STRATEGY_TYPES: [&str; 5] = ["default", "flexibleRollout", "userWithId", "remoteAddress", "applicationHostname"];
/// Types that old instances came with.
const OLD_STRATEGY_TYPES: [&str; 3] = ["gradualRolloutUserId", "gradualRolloutSessionId", "gradualRolloutRandom"];

pub(super) fn is(document: &Value) -> bool {
    let lists = |names: &[&str]| names.iter().all(|name| document.get(name).is_some_and(Value::is_array));
    lists(&["features", "featureStrategies", "featureEnvironments"]) || is_list_of_segments(document)
}

/// The answer of `GET /api/admin/segments`.
fn is_list_of_segments(document: &Value) -> bool {
    let first = document.get("segments").and_then(Value::as_array).and_then(|segments| segments.first());
    document.get("features").is_none()
        && first
            .is_some_and(|segment| segment.get("id").is_some_and(Value::is_i64) && segment.get("constraints").is_some())
}

/// Reads part of a file, and tells which one does not fit.
struct Part<'a> {
    file: &'a str,
    name: &'static str,
}

impl Part<'_> {
    fn fault(&self, place: usize, what: impl std::fmt::Display) -> FileError {
        FileError { file: self.file.to_owned(), place: Some(format!("{}[{place}]", self.name)), what: what.to_string() }
    }

    fn read<T: DeserializeOwned>(&self, place: usize, value: &Value) -> Result<T, FileError> {
        T::deserialize(value)
            .map_err(|error| self.fault(place, format!("does not have the form of an export: {error}")))
    }

    fn name_of<'v>(&self, place: usize, value: &'v Value, key: &str) -> Result<&'v str, FileError> {
        text(value, key).ok_or_else(|| self.fault(place, format!("lacks {key}")))
    }
}

/// The items of a list with their places.
fn items<'a>(document: &'a Document<'_>, name: &'static str) -> impl Iterator<Item = (Part<'a>, usize, &'a Value)> {
    let list = document.value.get(name).and_then(Value::as_array).into_iter().flatten();
    list.enumerate().map(move |(place, value)| (Part { file: document.name, name }, place, value))
}

pub(super) fn read(documents: &[Document<'_>], options: &Options) -> Result<(Set, Vec<Finding>), FileError> {
    let mut set =
        Set { origin: Origin { product: "Unleash".to_owned(), version: version(documents) }, ..Set::default() };
    let mut findings = Vec::new();
    for document in documents {
        lists(document, &mut set)?;
        features::read(document, options, &mut set, &mut findings)?;
    }
    segments(documents, &mut set, &mut findings)?;
    dependencies(documents, &mut set)?;
    complete(&mut set);
    Ok((set, findings))
}

fn version(documents: &[Document<'_>]) -> String {
    let state = documents.iter().find_map(|document| document.value.get("version")?.as_i64());
    state.map_or_else(|| "features export".to_owned(), |version| format!("state export {version}"))
}

fn lists(document: &Document<'_>, set: &mut Set) -> Result<(), FileError> {
    for (part, place, value) in items(document, "environments") {
        let mut environment: Environment = part.read(place, value)?;
        text(value, "type").unwrap_or("production").clone_into(&mut environment.kind);
        if !set.environments.iter().any(|known| known.name == environment.name) {
            set.environments.push(environment);
        }
    }
    for (part, place, value) in items(document, "projects") {
        let project: Project = part.read(place, value)?;
        if !set.projects.iter().any(|known| known.id == project.id) {
            set.projects.push(project);
        }
    }
    for (part, place, value) in items(document, "contextFields") {
        let field: ContextField = part.read(place, value)?;
        if !set.context_fields.iter().any(|known| known.name == field.name) {
            set.context_fields.push(field);
        }
    }
    for (part, place, value) in items(document, "tagTypes") {
        let kind: TagType = part.read(place, value)?;
        if !set.tag_types.iter().any(|known| known.name == kind.name) {
            set.tag_types.push(kind);
        }
    }
    for (part, place, value) in items(document, "tags") {
        let tag: Tag = part.read(place, value)?;
        set.tags.push(tag);
    }
    for (part, place, value) in items(document, "strategies") {
        let mut value = value.clone();
        if let Some(map) = value.as_object_mut() {
            map.retain(|_, value| !value.is_null());
        }
        let kind: StrategyType = part.read(place, &value)?;
        if !STRATEGY_TYPES.contains(&&*kind.name) && !set.strategy_types.iter().any(|known| known.name == kind.name) {
            set.strategy_types.push(kind);
        }
    }
    Ok(())
}

/// Segments with their constraints. Those of which a file tells the name alone are left out, so that strategies with
/// them are disabled: without constraints they would hold for everybody.
fn segments(documents: &[Document<'_>], set: &mut Set, findings: &mut Vec<Finding>) -> Result<(), FileError> {
    let mut named: BTreeMap<i64, String> = BTreeMap::new();
    for document in documents {
        for (part, place, value) in items(document, "segments") {
            let segment: Segment = part.read(place, value)?;
            if !value.get("constraints").is_some_and(Value::is_array) {
                named.insert(segment.id, segment.name);
            } else if !set.segments.iter().any(|known| known.id == segment.id) {
                set.segments.push(segment);
            }
        }
    }
    let known: BTreeSet<i64> = set.segments.iter().map(|segment| segment.id).collect();
    for (id, name) in named {
        if !known.contains(&id) {
            let reason = "the export names it without its constraints: give the answer of /api/admin/segments as well";
            findings.push(Finding::left_out("segment", name, reason));
        }
    }
    Ok(())
}

fn dependencies(documents: &[Document<'_>], set: &mut Set) -> Result<(), FileError> {
    let places: HashMap<String, usize> =
        set.features.iter().enumerate().map(|(place, feature)| (feature.name.clone(), place)).collect();
    for document in documents {
        for (part, place, value) in items(document, "dependencies") {
            let Some(feature) = places.get(part.name_of(place, value, "feature")?) else { continue };
            for item in value.get("dependencies").and_then(Value::as_array).into_iter().flatten() {
                let variants = item.get("variants").and_then(Value::as_array).into_iter().flatten();
                let dependency = Dependency {
                    parent: part.name_of(place, item, "feature")?.to_owned(),
                    enabled: item.get("enabled").and_then(Value::as_bool).unwrap_or(true),
                    variants: variants.filter_map(Value::as_str).map(str::to_owned).collect(),
                };
                let held = &mut set.features[*feature].dependencies;
                if !held.contains(&dependency) {
                    held.push(dependency);
                }
            }
        }
    }
    Ok(())
}

/// What features name and no list tells.
fn complete(set: &mut Set) {
    let mut used: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut strategies: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut types = BTreeSet::new();
    for feature in &set.features {
        let of_project = used.entry(&feature.project).or_default();
        of_project.extend(feature.environments.iter().map(|state| &*state.environment));
        types.insert(&*feature.kind);
        for strategy in feature.environments.iter().flat_map(|state| &state.strategies) {
            strategies.entry(&strategy.name).or_default().extend(strategy.parameters.keys().map(String::as_str));
        }
    }
    let types = types.into_iter().filter(|id| !FEATURE_TYPES.contains(id));
    set.feature_types.extend(types.map(|id| FeatureType {
        id: id.to_owned(),
        name: id.to_owned(),
        ..FeatureType::default()
    }));
    let known: BTreeSet<String> = set.strategy_types.iter().map(|kind| kind.name.clone()).collect();
    let missing = strategies.into_iter().filter(|(name, _)| !STRATEGY_TYPES.contains(name) && !known.contains(*name));
    let parameter =
        |name: &&str| serde_json::json!({ "name": name, "type": "string", "description": "", "required": false });
    set.strategy_types.extend(missing.map(|(name, parameters)| StrategyType {
        name: name.to_owned(),
        parameters: parameters.iter().map(parameter).collect(),
        deprecated: OLD_STRATEGY_TYPES.contains(&name),
        ..StrategyType::default()
    }));
    for (id, environments) in used {
        let place = set.projects.iter().position(|project| project.id == id).unwrap_or_else(|| {
            set.projects.push(Project { id: id.to_owned(), name: id.to_owned(), ..Project::default() });
            set.projects.len() - 1
        });
        set.projects[place].environments = environments
            .into_iter()
            .map(|name| ProjectEnvironment { environment: name.to_owned(), default_strategy: None })
            .collect();
    }
    for environment in set.projects.iter().flat_map(|project| &project.environments).map(|used| &used.environment) {
        if !set.environments.iter().any(|known| known.name == *environment) {
            let kind = if environment.contains("prod") { "production" } else { "development" };
            set.environments.push(Environment {
                name: environment.clone(),
                kind: kind.to_owned(),
                enabled: true,
                ..Environment::default()
            });
        }
    }
    for feature in &set.features {
        set.tags.extend(feature.tags.iter().cloned());
    }
    set.tags.sort();
    set.tags.dedup();
}
