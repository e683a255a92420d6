//! GrowthBook: answers of its API, versions 1 and 2, saved groups and environments, and what its SDKs get.

mod conditions;
mod rules;

use std::collections::{BTreeMap, HashMap};

use flagstone_domain::time::Timestamp;
use serde_json::Value;

use self::{
    conditions::{Group, Groups, field_of},
    rules::Reading,
};
use super::{
    Document, FileError, Options,
    assemble::Found,
    comparison::Otherwise,
    condition::{Condition, Unsupported},
    flag::{Flag, Parent, Rules, Ruling, Served},
    read::{list, one_of, text, truth},
};
use crate::{Finding, neutral::Tag};

/// Keys of the SDK payload whose values are encrypted.
const ENCRYPTED: [&str; 2] = ["encryptedFeatures", "encryptedSavedGroups"];

/// Refuses payloads for SDKs that are encrypted: the rest of such a document is empty.
fn refuse_encrypted(documents: &[Document<'_>]) -> Result<(), FileError> {
    for document in documents {
        if let Some(key) =
            ENCRYPTED.into_iter().find(|key| text(&document.value, key).is_some_and(|text| !text.is_empty()))
        {
            let what = "is encrypted for an SDK: take the answer of the API, /api/v2/features, or that of an SDK \
                        connection without encryption";
            return Err(FileError {
                file: document.name.to_owned(),
                place: Some(key.to_owned()),
                what: what.to_owned(),
            });
        }
    }
    Ok(())
}

pub(super) fn is(document: &Value) -> bool {
    match document.get("features") {
        Some(Value::Array(features)) => features.first().is_none_or(|feature| feature.get("valueType").is_some()),
        Some(Value::Object(features)) => {
            features.values().all(|feature| feature.get("defaultValue").is_some() || feature.get("rules").is_some())
        }
        _ => {
            let first = |key: &str, mark: &str| {
                document.pointer(&format!("/{key}/0")).is_some_and(|item| item.get(mark).is_some())
            };
            ENCRYPTED.iter().any(|key| document.get(key).is_some())
                || document.get("savedGroups").is_some_and(Value::is_array)
                || first("environments", "toggleOnList")
                || first("projects", "settings")
        }
    }
}

pub(super) fn read(documents: &[Document<'_>], options: &Options) -> Result<Found, FileError> {
    refuse_encrypted(documents)?;
    let mut found = Found::default();
    let all = |key| listed(documents, key);
    let groups = groups(documents, &mut found);
    for environment in all("environments") {
        if let Some(id) = text(environment, "id") {
            found.environment(id);
        }
    }
    for project in all("projects") {
        if let Some(id) = text(project, "id") {
            found.project(id, text(project, "name").unwrap_or(id), None);
        }
    }
    let features: BTreeMap<&str, &Value> =
        all("features").filter_map(|feature| Some((text(feature, "id")?, feature))).collect();
    for document in documents {
        match document.value.get("features") {
            Some(Value::Array(items)) => {
                for item in items {
                    feature(item, document.environment, options, &groups, &features, &mut found);
                }
                if truth(&document.value, "hasMore") {
                    let reason = "is one page of several: fetch the others with offset, and give them too";
                    found.findings.push(Finding::changed("file", document.name, reason));
                }
            }
            Some(Value::Object(items)) => {
                let environment = document.environment.unwrap_or(&options.environment);
                found.environment(environment);
                found.project(&options.project, &options.project, None);
                let flags = items.iter().map(|(key, item)| of_payload(key, item, environment, options, &groups));
                found.flags.extend(flags);
            }
            _ => {}
        }
    }
    Ok(found)
}

/// Returns the items of the documents under a key.
fn listed<'a>(documents: &'a [Document<'_>], key: &'static str) -> impl Iterator<Item = &'a Value> {
    documents.iter().filter_map(move |document| document.value.get(key)?.as_array()).flatten()
}

/// The saved groups, each as a segment.
fn groups<'a>(documents: &'a [Document<'_>], found: &mut Found) -> Groups<'a> {
    let mut groups = Groups::new();
    for group in listed(documents, "savedGroups") {
        if let Some(id) = text(group, "id") {
            let values = group.get("values").and_then(Value::as_array).map(Vec::as_slice);
            groups.insert(id, Group { place: usize::MAX, values });
        }
    }
    // Groups that are conditions may name groups that are lists.
    let mut places = HashMap::new();
    for group in listed(documents, "savedGroups") {
        let Some(id) = text(group, "id") else { continue };
        let when = match (text(group, "attributeKey"), groups[id].values) {
            (Some(attribute), Some(values)) => one_of(&field_of(attribute), values, Otherwise::Fails),
            _ => conditions::stated(group.get("condition"), &groups).unwrap_or_else(Condition::Unsupported),
        };
        let description = text(group, "description").map(str::to_owned);
        places.insert(id, found.segments.add(text(group, "name").unwrap_or(id).to_owned(), description, when));
    }
    for (id, place) in places {
        if let Some(group) = groups.get_mut(id) {
            group.place = place;
        }
    }
    groups
}

/// A feature as SDKs get it.
fn of_payload(key: &str, item: &Value, environment: &str, options: &Options, groups: &Groups<'_>) -> Flag {
    let rules = rules::of_payload(key, item, groups);
    let ruling =
        rules.map_or_else(Ruling::Unsupported, |rules| Ruling::Rules(Rules { listed: rules, ..Rules::default() }));
    Flag {
        key: key.to_owned(),
        project: options.project.clone(),
        environments: vec![(environment.to_owned(), ruling)],
        ..Flag::default()
    }
}

fn feature(
    item: &Value,
    only: Option<&str>,
    options: &Options,
    groups: &Groups<'_>,
    features: &BTreeMap<&str, &Value>,
    found: &mut Found,
) {
    let project = text(item, "project").filter(|id| !id.is_empty()).unwrap_or(&options.project);
    found.project(project, project, None);
    let tags = list(item, "tags").unwrap_or_default().iter().filter_map(Value::as_str);
    let mut flag = Flag {
        key: text(item, "id").unwrap_or_default().to_owned(),
        project: project.to_owned(),
        description: text(item, "description").map(str::to_owned),
        tags: tags.map(|tag| Tag { kind: "simple".to_owned(), value: tag.to_owned() }).collect(),
        archived: truth(item, "archived"),
        created_at: text(item, "dateCreated").and_then(Timestamp::parse),
        ..Flag::default()
    };
    for (name, state) in item.get("environments").and_then(Value::as_object).into_iter().flatten() {
        if only.is_some_and(|only| only != name) {
            continue;
        }
        found.environment(name);
        let ruling = if truth(state, "enabled") {
            ruling(item, state, name, groups, features, &mut flag.notes).unwrap_or_else(Ruling::Unsupported)
        } else {
            Ruling::Off
        };
        flag.environments.push((name.clone(), ruling));
    }
    found.flags.push(flag);
}

fn ruling(
    item: &Value,
    state: &Value,
    environment: &str,
    groups: &Groups<'_>,
    features: &BTreeMap<&str, &Value>,
    notes: &mut Vec<String>,
) -> Result<Ruling, Unsupported> {
    let default = item.get("defaultValue").or_else(|| state.get("defaultValue")).ok_or("it has no default value")?;
    if state.get("defaultValue").is_some_and(|own| own != default) {
        return Err("its default value differs from that of the environment".to_owned());
    }
    if super::read::says(item, "holdout") {
        return Err("it belongs to a holdout".to_owned());
    }
    let reading = Reading {
        key: text(item, "id").unwrap_or_default(),
        kind: text(item, "valueType").unwrap_or("string"),
        groups,
    };
    let here = |rule: &&Value| {
        let named = |name: &Value| name.as_str() == Some(environment);
        truth(rule, "allEnvironments") || list(rule, "environments").is_ok_and(|names| names.iter().any(named))
    };
    // Version 1 has the rules of each environment; version 2 has one list, each rule with its environments.
    let of_environment = list(state, "rules")?.iter();
    let of_all = list(item, "rules")?.iter().filter(here);
    let rules = reading.rules(of_environment.chain(of_all), default, notes)?;
    let mut parents = Vec::new();
    for prerequisite in list(item, "prerequisites")? {
        parents.push(parent(prerequisite, features)?);
    }
    Ok(Ruling::Rules(Rules { listed: rules, parents, ..Rules::default() }))
}

/// A feature that must have one value.
fn parent(prerequisite: &Value, features: &BTreeMap<&str, &Value>) -> Result<Parent, Unsupported> {
    let key = text(prerequisite, "id").ok_or("it depends on a feature without an id")?;
    let parent = features.get(key).ok_or_else(|| format!("it depends on {key}, which is not in the files"))?;
    let unsaid = || format!("what it asks of {key} is more than one value");
    let condition = text(prerequisite, "condition").ok_or_else(unsaid)?;
    let condition: Value = serde_json::from_str(condition).map_err(|_| unsaid())?;
    let value = condition.get("value").filter(|_| condition.as_object().is_some_and(|map| map.len() == 1));
    let kind = text(parent, "valueType").unwrap_or("string");
    match rules::served(value.filter(|value| !value.is_object()).ok_or_else(unsaid)?, kind)? {
        Served::Off => Err(format!("it depends on {key} being false")),
        Served::On => Ok(Parent { key: key.to_owned(), variants: Vec::new() }),
        Served::Value { name, .. } => Ok(Parent { key: key.to_owned(), variants: vec![name] }),
    }
}
