//! Features with their environments, strategies and tags.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;

use super::{Part, items};
use crate::{
    domain::{
        constraint::Constraint,
        time::Timestamp,
        variant::{FeatureVariant, StrategyVariant},
    },
    moving_in::{
        Finding,
        files::{
            Document, FileError, Options,
            read::{plain, text, truth},
        },
        neutral::{Feature, FeatureEnvironment, Set, Strategy, Tag},
    },
};

pub(super) fn read(
    document: &Document<'_>,
    options: &Options,
    set: &mut Set,
    findings: &mut Vec<Finding>,
) -> Result<(), FileError> {
    // Variants of a feature in all environments, as files of version 3 have them.
    let mut everywhere: HashMap<String, Vec<FeatureVariant>> = HashMap::new();
    let mut places: HashMap<String, usize> =
        set.features.iter().enumerate().map(|(place, feature)| (feature.name.clone(), place)).collect();
    for (part, place, value) in items(document, "features") {
        let feature = feature(&part, place, value, options)?;
        everywhere.insert(feature.name.clone(), part.read(place, &or_empty(value, "variants"))?);
        places.entry(feature.name.clone()).or_insert_with(|| {
            set.features.push(feature);
            set.features.len() - 1
        });
    }
    for (part, place, value) in items(document, "featureEnvironments") {
        let name = part.name_of(place, value, "featureName")?;
        let environment = part.name_of(place, value, "environment")?;
        let Some(feature) = places.get(name).map(|place| &mut set.features[*place]) else { continue };
        if document.environment.is_some_and(|only| only != environment) {
            continue;
        }
        let own: Vec<FeatureVariant> = part.read(place, &or_empty(value, "variants"))?;
        let variants = if own.is_empty() { everywhere.get(name).cloned().unwrap_or_default() } else { own };
        if feature.environments.iter().any(|state| state.environment == environment) {
            let what = format!("tells of {name} in {environment}, which another file tells too: move in one of them");
            return Err(part.fault(place, what));
        }
        feature.environments.push(FeatureEnvironment {
            environment: environment.to_owned(),
            enabled: truth(value, "enabled"),
            last_seen_at: text(value, "lastSeenAt").and_then(Timestamp::parse),
            variants,
            strategies: Vec::new(),
        });
    }
    let several = strategies(document, set, &places)?;
    if several {
        let reason = "a file of exports does not tell the order of a feature's strategies: that of the file is kept";
        findings.push(Finding::changed("strategies", document.name, reason));
    }
    for (part, place, value) in items(document, "featureTags") {
        let Some(feature) = places.get(part.name_of(place, value, "featureName")?) else { continue };
        let kind = text(value, "tagType").or_else(|| text(value, "type"));
        let tag = text(value, "tagValue").or_else(|| text(value, "value"));
        let (Some(kind), Some(tag)) = (kind, tag) else {
            return Err(part.fault(place, "lacks the type or the value of a tag"));
        };
        let tags = &mut set.features[*feature].tags;
        let tag = Tag { kind: kind.to_owned(), value: tag.to_owned() };
        if !tags.contains(&tag) {
            tags.push(tag);
        }
    }
    let links = items(document, "links").count();
    if links > 0 {
        let reason = format!("links of {links} features have no place here");
        findings.push(Finding::left_out("links", document.name, reason));
    }
    Ok(())
}

fn or_empty(value: &Value, name: &str) -> Value {
    value.get(name).filter(|value| !value.is_null()).cloned().unwrap_or_else(|| Value::Array(Vec::new()))
}

fn feature(part: &Part<'_>, place: usize, value: &Value, options: &Options) -> Result<Feature, FileError> {
    let time = |name: &str| text(value, name).and_then(Timestamp::parse);
    let archived = truth(value, "archived").then_some(options.now);
    Ok(Feature {
        name: part.name_of(place, value, "name")?.to_owned(),
        project: text(value, "project").unwrap_or("default").to_owned(),
        kind: text(value, "type").unwrap_or("release").to_owned(),
        description: text(value, "description").map(str::to_owned),
        stale: truth(value, "stale"),
        impression_data: truth(value, "impressionData"),
        created_at: time("createdAt"),
        created_by_user_id: value.pointer("/createdBy/id").and_then(Value::as_i64),
        last_seen_at: time("lastSeenAt"),
        archived_at: time("archivedAt").or(archived),
        ..Feature::default()
    })
}

/// Puts strategies to their features, and answers whether one has several.
fn strategies(document: &Document<'_>, set: &mut Set, places: &HashMap<String, usize>) -> Result<bool, FileError> {
    let mut segments: HashMap<&str, Vec<i64>> = HashMap::new();
    for (part, place, value) in items(document, "featureStrategySegments") {
        let id = value.get("segmentId").and_then(Value::as_i64).ok_or_else(|| part.fault(place, "lacks segmentId"))?;
        segments.entry(part.name_of(place, value, "featureStrategyId")?).or_default().push(id);
    }
    // A file of one environment does not say so at its strategies.
    let sole = items(document, "featureEnvironments").find_map(|(_, _, value)| text(value, "environment"));
    let mut several = false;
    for (part, place, value) in items(document, "featureStrategies") {
        let name = part.name_of(place, value, "featureName")?;
        let environment = text(value, "environment").or(sole).unwrap_or_default();
        let Some(feature) = places.get(name).map(|place| &mut set.features[*place]) else { continue };
        let Some(here) = feature.environments.iter_mut().find(|state| state.environment == environment) else {
            continue;
        };
        let mut strategy = strategy(&part, place, value)?;
        strategy.segments.extend(segments.get(&*strategy.id).into_iter().flatten());
        if value.get("sortOrder").is_none() {
            strategy.sort_order = i64::try_from(here.strategies.len()).unwrap_or(i64::MAX);
            several |= !here.strategies.is_empty();
        }
        here.strategies.push(strategy);
    }
    Ok(several)
}

fn strategy(part: &Part<'_>, place: usize, value: &Value) -> Result<Strategy, FileError> {
    let name = text(value, "name").or_else(|| text(value, "strategyName"));
    let constraints: Vec<Constraint> = part.read(place, &or_empty(value, "constraints"))?;
    let variants: Vec<StrategyVariant> = part.read(place, &or_empty(value, "variants"))?;
    let mut parameters = BTreeMap::new();
    for (name, value) in value.get("parameters").and_then(Value::as_object).into_iter().flatten() {
        // Old ones hold numbers.
        if let Some(value) = plain(value) {
            parameters.insert(name.clone(), value);
        }
    }
    Ok(Strategy {
        id: text(value, "id").unwrap_or_default().to_owned(),
        name: name.ok_or_else(|| part.fault(place, "lacks the name of its strategy"))?.to_owned(),
        title: text(value, "title").filter(|title| !title.is_empty()).map(str::to_owned),
        disabled: truth(value, "disabled"),
        sort_order: value.get("sortOrder").and_then(Value::as_i64).unwrap_or_default(),
        parameters,
        constraints,
        segments: part.read(place, &or_empty(value, "segments"))?,
        variants,
        created_at: text(value, "createdAt").and_then(Timestamp::parse),
    })
}
