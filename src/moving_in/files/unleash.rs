//! Unleash's own files: `features-batch/export` of one environment, `state/export` of all, and the list of segments
//! that the former leaves out. They become rows of its tables, which one reader reads whatever way they come.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_json::{Value, json};

use super::{Document, FileError, Options, read::text};
use crate::{
    Finding,
    neutral::{Environment, FeatureType, Origin, Project, ProjectEnvironment, STRATEGY_TYPES, Set, StrategyType},
    rows::{Tables, snake_case},
};

/// Types of features that are always there.
const FEATURE_TYPES: [&str; 6] = ["release", "experiment", "operational", "kill-switch", "permission", "sunset"];
/// Types that old instances came with.
const OLD_STRATEGY_TYPES: [&str; 3] = ["gradualRolloutUserId", "gradualRolloutSessionId", "gradualRolloutRandom"];
/// Lists that stand for a table as they are.
const LISTS: [(&str, &str); 6] = [
    ("environments", "environments"),
    ("projects", "projects"),
    ("contextFields", "context_fields"),
    ("tagTypes", "tag_types"),
    ("tags", "tags"),
    ("featureStrategySegments", "feature_strategy_segment"),
];
/// Properties of a project that the database keeps as its settings.
const PROJECT_SETTINGS: [(&str, &str); 7] = [
    ("mode", "project_mode"),
    ("defaultStickiness", "default_stickiness"),
    ("featureLimit", "feature_limit"),
    ("namingPattern", "feature_naming_pattern"),
    ("namingExample", "feature_naming_example"),
    ("namingDescription", "feature_naming_description"),
    ("linkTemplates", "link_templates"),
];

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

/// Reads files into the set.
pub(super) fn read(documents: &[Document<'_>], options: &Options) -> Result<(Set, Vec<Finding>), FileError> {
    let origin = Origin { product: "Unleash".to_owned(), version: version(documents) };
    let (tables, told) = tables(documents, options)?;
    let (mut set, mut findings) = tables.read(origin);
    complete(&mut set);
    findings.extend(told);
    Ok((set, findings))
}

fn version(documents: &[Document<'_>]) -> String {
    let state = documents.iter().find_map(|document| document.value.get("version")?.as_i64());
    state.map_or_else(|| "features export".to_owned(), |version| format!("state export {version}"))
}

/// Returns the content of documents as rows, with findings about it.
pub(crate) fn tables(documents: &[Document<'_>], options: &Options) -> Result<(Tables, Vec<Finding>), FileError> {
    let (mut tables, mut findings) = (Tables::default(), Vec::new());
    let mut told = HashMap::new();
    for (place, document) in documents.iter().enumerate() {
        lists(document, &mut tables);
        features(document, options, &mut tables);
        let variants = variants_everywhere(document);
        for row in items(document, "featureEnvironments") {
            let Some(row) = state(document, row, &variants) else { continue };
            let key = (row["feature_name"].to_string(), row["environment"].to_string());
            if let Some(other) = told.insert(key, place).filter(|other| *other != place) {
                let what = format!(
                    "tells of {} in {}, as {} does: move in one of them",
                    row["feature_name"], row["environment"], documents[other].name
                );
                return Err(FileError { file: document.name.to_owned(), place: None, what });
            }
            tables.add("feature_environments", row);
        }
        if strategies(document, &mut tables) {
            let reason =
                "a file of exports does not tell the order of a feature's strategies: that of the file is kept";
            findings.push(Finding::changed("strategies", document.name, reason));
        }
    }
    Ok((tables, findings))
}

/// Returns the items of a list. What is no list is one item, which the reader then names.
fn items<'a>(document: &'a Document<'_>, name: &str) -> impl Iterator<Item = &'a Value> {
    let list = match document.value.get(name) {
        Some(Value::Array(items)) => items.as_slice(),
        None | Some(Value::Null) => &[],
        Some(other) => std::slice::from_ref(other),
    };
    list.iter()
}

/// Returns an item with its properties named as columns.
fn row(item: &Value) -> Value {
    let Value::Object(members) = item else { return item.clone() };
    Value::Object(members.iter().map(|(name, value)| (snake_case(name), value.clone())).collect())
}

/// Gives a column the value of the first of some properties that is there.
fn rename(row: &mut Value, column: &str, names: &[&str]) {
    let Some(members) = row.as_object_mut() else { return };
    let found = names.iter().find_map(|name| members.get(*name).filter(|value| !value.is_null()).cloned());
    members.insert(column.to_owned(), found.unwrap_or(Value::Null));
}

fn lists(document: &Document<'_>, tables: &mut Tables) {
    for (name, table) in LISTS {
        tables.extend(table, items(document, name).map(row));
    }
    for item in items(document, "projects") {
        let settings = PROJECT_SETTINGS
            .into_iter()
            .filter_map(|(name, column)| Some((column.to_owned(), item.get(name)?.clone())))
            .chain(item.get("id").map(|id| ("project".to_owned(), id.clone())));
        tables.add("project_settings", Value::Object(settings.collect()));
    }
    for item in items(document, "segments") {
        let mut row = row(item);
        rename(&mut row, "segment_project_id", &["segment_project_id", "project"]);
        tables.add("segments", row);
    }
    let is_own = |item: &&Value| !text(item, "name").is_some_and(|name| STRATEGY_TYPES.contains(&name));
    tables.extend("strategies", items(document, "strategies").filter(is_own).map(row));
    for item in items(document, "featureTags") {
        let mut row = row(item);
        rename(&mut row, "tag_type", &["tag_type", "type"]);
        rename(&mut row, "tag_value", &["tag_value", "value"]);
        tables.add("feature_tag", row);
    }
    for item in items(document, "links") {
        for link in item.get("links").and_then(Value::as_array).into_iter().flatten() {
            let mut link = row(link);
            if let Some(members) = link.as_object_mut() {
                members.insert("feature_name".to_owned(), item.get("feature").cloned().unwrap_or_default());
            }
            tables.add("feature_link", link);
        }
    }
    for item in items(document, "dependencies") {
        let child = item.get("feature").unwrap_or(&Value::Null);
        let parents = item.get("dependencies").unwrap_or(&Value::Null);
        let Some(parents) = parents.as_array() else {
            tables.add("dependent_features", json!({ "child": child, "parent": parents }));
            continue;
        };
        for parent in parents {
            let mut row = row(parent);
            rename(&mut row, "parent", &["feature"]);
            if let Some(members) = row.as_object_mut() {
                members.insert("child".to_owned(), child.clone());
            }
            tables.add("dependent_features", row);
        }
    }
}

fn features(document: &Document<'_>, options: &Options, tables: &mut Tables) {
    for item in items(document, "features") {
        let mut feature = row(item);
        let is_archived = item.get("archived") == Some(&Value::Bool(true));
        if let Some(members) = feature.as_object_mut() {
            if is_archived && members.get("archived_at").is_none_or(Value::is_null) {
                members.insert("archived_at".to_owned(), json!(options.now));
            }
            let by = item.pointer("/createdBy/id").cloned();
            members.entry("created_by_user_id").or_insert_with(|| by.unwrap_or_default());
            // Of an archived feature, and in each environment.
            members.remove("variants");
        }
        tables.add("features", feature);
    }
}

/// Returns variants of features in all environments, as files of version 3 have them.
fn variants_everywhere<'a>(document: &'a Document<'_>) -> HashMap<&'a str, &'a Value> {
    let named = items(document, "features").filter_map(|item| Some((text(item, "name")?, item.get("variants")?)));
    named.filter(|(_, variants)| !variants.is_null()).collect()
}

/// Returns the row of a feature in an environment; `None` where the file stands for another one.
fn state(document: &Document<'_>, item: &Value, everywhere: &HashMap<&str, &Value>) -> Option<Value> {
    let mut row = row(item);
    let environment = item.get("environment").and_then(Value::as_str);
    if document.environment.is_some_and(|only| environment.is_some_and(|environment| environment != only)) {
        return None;
    }
    let own = item.get("variants").unwrap_or(&Value::Null);
    let has_own = !own.is_null() && own.as_array().is_none_or(|variants| !variants.is_empty());
    if let (false, Some(members), Some(name)) = (has_own, row.as_object_mut(), text(item, "featureName")) {
        let variants = everywhere.get(name).map(|variants| (*variants).clone()).unwrap_or_default();
        members.insert("variants".to_owned(), variants);
    }
    Some(row)
}

/// Adds strategies, and returns whether a feature has several in no order.
fn strategies(document: &Document<'_>, tables: &mut Tables) -> bool {
    // A file of one environment does not say so at its strategies.
    let sole = items(document, "featureEnvironments").find_map(|value| text(value, "environment"));
    let mut counts: BTreeMap<(String, String), usize> = BTreeMap::new();
    let mut several = false;
    for item in items(document, "featureStrategies") {
        let mut strategy = row(item);
        rename(&mut strategy, "strategy_name", &["name", "strategy_name"]);
        if let Some(members) = strategy.as_object_mut() {
            let environment = members.entry("environment").or_insert(Value::Null);
            if let (Value::Null, Some(sole)) = (&*environment, sole) {
                *environment = json!(sole);
            }
        }
        let environment = strategy.get("environment").unwrap_or(&Value::Null);
        if document.environment.is_some_and(|only| environment.as_str().is_some_and(|environment| environment != only))
        {
            continue;
        }
        let key = (strategy["feature_name"].to_string(), environment.to_string());
        let count = counts.entry(key).or_default();
        *count += 1;
        several |= *count > 1 && strategy.get("sort_order").is_none();
        tables.add("feature_strategies", strategy);
    }
    several
}

/// Adds the objects that features name and no list has.
pub(crate) fn complete(set: &mut Set) {
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
        let project = &mut set.projects[place];
        if project.environments.is_empty() {
            let used = environments.into_iter();
            project.environments =
                used.map(|name| ProjectEnvironment { environment: name.to_owned(), default_strategy: None }).collect();
        }
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
