//! LaunchDarkly: answers of its API, version 2: flags, segments, environments, a project.

mod clauses;

use std::collections::BTreeMap;

use flagstone_domain::{
    ids::{EnvironmentName, ProjectId},
    time::Timestamp,
};
use serde_json::Value;

use self::clauses::{Places, condition, key_of};
use super::{
    Document, Options,
    assemble::Found,
    comparison::{Otherwise, Test},
    condition::{Condition, Unsupported},
    flag::{Flag, Outcome, Parent, Rule, Rules, Ruling, Served, Split},
    read::{distinct, field, list, plain, text, truth},
};
use crate::{Finding, neutral::Tag};

/// Flags by their keys.
type Flags<'a> = BTreeMap<&'a str, &'a Value>;

pub(super) fn is(document: &Value) -> bool {
    items(document).first().is_some_and(|item| is_flag(item) || is_segment(item) || is_environment(item))
        || is_project(document)
        || document.get("items").and_then(Value::as_array).is_some_and(Vec::is_empty)
}

fn is_flag(item: &Value) -> bool {
    item.get("variations").is_some_and(Value::is_array) && item.get("environments").is_some_and(Value::is_object)
}

fn is_segment(item: &Value) -> bool {
    item.get("key").is_some() && item.get("included").is_some_and(Value::is_array)
}

fn is_environment(item: &Value) -> bool {
    item.get("key").is_some() && item.get("apiKey").is_some() && item.get("color").is_some()
}

fn is_project(document: &Value) -> bool {
    document.get("key").is_some() && document.get("includeInSnippetByDefault").is_some()
}

/// Returns the items of a list, or a single thing as a list.
fn items(document: &Value) -> &[Value] {
    match (document, document.get("items")) {
        (Value::Array(items), _) | (_, Some(Value::Array(items))) => items,
        _ => std::slice::from_ref(document),
    }
}

pub(super) fn read(documents: &[Document<'_>], options: &Options) -> Found {
    let project = &*options.project;
    let mut found = Found::default();
    let mut flags: Vec<(&Value, Option<&str>)> = Vec::new();
    let mut places = Places::default();
    let mut segments = Vec::new();
    for document in documents {
        let listed = document.value.pointer("/environments/items").or_else(|| document.value.get("environments"));
        if is_project(&document.value) {
            let name = text(&document.value, "name").unwrap_or(project);
            found.project(project, name, None);
            for item in listed.and_then(Value::as_array).into_iter().flatten() {
                environment(item, &mut found);
            }
            continue;
        }
        for item in items(&document.value) {
            if is_flag(item) {
                flags.push((item, document.environment));
            } else if is_segment(item) {
                segments.push((item, document.environment.or_else(|| environment_of_segment(item))));
            } else if is_environment(item) {
                environment(item, &mut found);
            } else {
                let name = text(item, "key").or_else(|| text(item, "name")).unwrap_or("an item");
                found.findings.push(Finding::left_out(
                    "item",
                    name,
                    format!("{} holds what is not known", document.name),
                ));
            }
        }
    }
    found.project(project, project, None);
    // First the places of all, since segments name each other.
    for (place, (segment, environment)) in segments.iter().enumerate() {
        if let (Some(key), Some(environment)) = (text(segment, "key"), environment) {
            places.segments.insert(((*environment).to_owned(), key.to_owned()), place);
        }
    }
    for (segment, environment) in segments {
        let key = text(segment, "key").unwrap_or_default();
        let environment = environment.unwrap_or_default();
        let when = segment_condition(segment, environment, &places).unwrap_or_else(Condition::Unsupported);
        let description = text(segment, "description").filter(|text| !text.is_empty()).map(str::to_owned);
        found.segments.add(format!("{key} ({environment})"), description, when);
    }
    let by_key: Flags<'_> = flags.iter().filter_map(|(flag, _)| Some((text(flag, "key")?, *flag))).collect();
    for (item, only) in &flags {
        flag(item, only.map(EnvironmentName::new), ProjectId::new(project), &by_key, &places, &mut found);
    }
    found
}

fn environment(item: &Value, found: &mut Found) {
    if let Some(key) = text(item, "key") {
        found.environment(key);
    }
}

/// `/api/v2/segments/PROJECT/ENVIRONMENT/KEY` names the environment.
fn environment_of_segment(segment: &Value) -> Option<&str> {
    segment.pointer("/_links/self/href")?.as_str()?.strip_prefix("/api/v2/segments/")?.split('/').nth(1)
}

/// Returns the condition of a segment: its included users; of the others those who are not excluded and to whom a rule
/// applies.
fn segment_condition(segment: &Value, environment: &str, places: &Places) -> Result<Condition, Unsupported> {
    if truth(segment, "unbounded") {
        return Err("it is a big segment, of which the API does not list who is in it".to_owned());
    }
    if truth(segment, "deleted") {
        return Ok(Condition::Never);
    }
    let listed = |users: &str, contexts: &str| -> Result<Condition, Unsupported> {
        let mut any = vec![keys("user", list(segment, users)?)?];
        for target in list(segment, contexts)? {
            any.push(keys(text(target, "contextKind").unwrap_or("user"), list(target, "values")?)?);
        }
        any.retain(|condition| *condition != Condition::Never);
        Ok(Condition::Any(any))
    };
    let included = listed("included", "includedContexts")?;
    let excluded = listed("excluded", "excludedContexts")?;
    let mut rules = Vec::new();
    for rule in list(segment, "rules")? {
        if rule.get("weight").is_some_and(|weight| !weight.is_null()) {
            return Err("one of its rules holds for a share of people".to_owned());
        }
        rules.push(condition(rule, environment, places)?);
    }
    Ok(Condition::Any(vec![included, Condition::All(vec![excluded.inverted(), Condition::Any(rules)])]))
}

/// Returns the condition that the key of a kind of context is among some.
fn keys(kind: &str, values: &[Value]) -> Result<Condition, Unsupported> {
    let keys: Option<Vec<String>> = values.iter().map(plain).collect();
    let keys = keys.ok_or("a key is neither text nor number")?;
    Ok(if keys.is_empty() { Condition::Never } else { field(&key_of(kind), Test::OneOf(keys), Otherwise::Fails) })
}

fn flag(
    item: &Value,
    only: Option<EnvironmentName<'_>>,
    project: ProjectId<'_>,
    flags: &Flags<'_>,
    places: &Places,
    found: &mut Found,
) {
    let tags = list(item, "tags").unwrap_or_default().iter().filter_map(Value::as_str);
    let description = text(item, "description").filter(|text| !text.is_empty()).or_else(|| text(item, "name"));
    let mut flag = Flag {
        key: text(item, "key").unwrap_or_default().to_owned(),
        project: project.as_str().to_owned(),
        description: description.map(str::to_owned),
        kind: truth(item, "temporary").then_some("release").or(Some("operational")),
        tags: tags.map(|tag| Tag { kind: "simple".to_owned(), value: tag.to_owned() }).collect(),
        stale: truth(item, "deprecated"),
        archived: truth(item, "archived"),
        created_at: item.get("creationDate").and_then(Value::as_i64).map(Timestamp::from_millis),
        ..Flag::default()
    };
    if super::read::says(item, "goalIds")
        || item.pointer("/experiments/items").is_some_and(|items| items != &serde_json::json!([]))
    {
        flag.notes.push("its experiments are not moved; the shares of their variations are".to_owned());
    }
    for (name, state) in item.get("environments").and_then(Value::as_object).into_iter().flatten() {
        if only.is_some_and(|only| only.as_str() != name) {
            continue;
        }
        found.environment(name);
        let ruling = ruling(item, state, name, flags, places).unwrap_or_else(Ruling::Unsupported);
        flag.environments.push((name.clone(), ruling));
    }
    found.flags.push(flag);
}

/// The variations of a flag as answers.
#[derive(Clone)]
struct Variations<'a> {
    names: Vec<String>,
    values: Vec<&'a Value>,
    /// Place of the variation that is given while the flag is off.
    off: Option<usize>,
    boolean: bool,
    /// Whether the one that is given while the flag is off is a value like others.
    off_is_value: bool,
}

impl<'a> Variations<'a> {
    fn of(item: &'a Value, state: &Value) -> Result<Self, Unsupported> {
        let variations = list(item, "variations")?;
        let values: Vec<&Value> =
            variations.iter().map(|variation| variation.get("value").unwrap_or(&Value::Null)).collect();
        let name = |(place, variation): (usize, &Value)| match (
            text(variation, "name"),
            variation.get("value").and_then(plain),
        ) {
            (Some(name), _) if !name.is_empty() => name.to_owned(),
            (_, Some(value)) if (1..=60).contains(&value.chars().count()) => value,
            _ => format!("variation-{place}"),
        };
        let summary = state.pointer("/_summary/variations").and_then(Value::as_object).into_iter().flatten();
        let from_summary =
            || summary.filter(|(_, entry)| truth(entry, "isOff")).find_map(|(place, _)| place.parse().ok());
        Ok(Self {
            names: distinct(variations.iter().enumerate().map(name).collect()),
            boolean: values.iter().all(|value| value.is_boolean()),
            values,
            off: state.get("offVariation").and_then(place).or_else(from_summary),
            off_is_value: false,
        })
    }

    fn served(&self, place: usize) -> Result<Served, Unsupported> {
        let value =
            self.values.get(place).ok_or_else(|| format!("it gives variation {place}, which it does not have"))?;
        Ok(if self.boolean {
            Served::truth(**value == Value::Bool(true))
        } else if self.off == Some(place) && !self.off_is_value {
            Served::Off
        } else {
            Served::value(&self.names[place], value)
        })
    }
}

fn place(value: &Value) -> Option<usize> {
    value.as_u64().and_then(|place| usize::try_from(place).ok())
}

fn ruling(
    item: &Value,
    state: &Value,
    environment: &str,
    flags: &Flags<'_>,
    places: &Places,
) -> Result<Ruling, Unsupported> {
    let mut variations = Variations::of(item, state)?;
    if !truth(state, "on") {
        // Off gives a variation too: of a flag that is true while it is off, that is everybody.
        return match variations.off {
            Some(off) if variations.boolean && variations.served(off)? == Served::On => {
                Ok(Ruling::Rules(Rules { listed: vec![Rule::for_all(Outcome::Serve(Served::On))], ..Rules::default() }))
            }
            _ => Ok(Ruling::Off),
        };
    }
    if state.get("fallthrough").is_none() {
        return Err("the file holds a summary of it: ask the API with summary=0".to_owned());
    }
    let mut rules = rules(state, environment, places, &variations)?;
    rules.parents = parents(state, environment, flags)?;
    if !rules.parents.is_empty() && variations.boolean && off_is_on(&variations)? {
        return Err("it is on where what it depends on is not met".to_owned());
    }
    if !variations.boolean && variations.off.is_some() {
        variations.off_is_value = true;
        let mut instead = self::rules(state, environment, places, &variations)?;
        instead.parents.clone_from(&rules.parents);
        rules.instead = Some(Box::new(instead));
    }
    Ok(Ruling::Rules(rules))
}

fn off_is_on(variations: &Variations<'_>) -> Result<bool, Unsupported> {
    variations.off.map_or(Ok(false), |off| Ok(variations.served(off)? == Served::On))
}

fn rules(state: &Value, environment: &str, places: &Places, variations: &Variations<'_>) -> Result<Rules, Unsupported> {
    let mut rules = Vec::new();
    let (targets, ordered) = (list(state, "targets")?, list(state, "contextTargets")?);
    for target in if ordered.is_empty() { targets } else { ordered } {
        let kind = text(target, "contextKind").unwrap_or("user");
        let variation = target.get("variation").and_then(place).ok_or("a target gives no variation")?;
        let mut values = list(target, "values")?;
        // An empty target of users stands for the order only: who they are is told elsewhere.
        if values.is_empty() && kind == "user" {
            let same = targets.iter().find(|other| other.get("variation").and_then(place) == Some(variation));
            values = same.map_or(Ok(values), |same| list(same, "values"))?;
        }
        let when = keys(kind, values)?;
        if when != Condition::Never {
            let title = Some(format!("Targets of {}", variations.names.get(variation).map_or("", String::as_str)));
            rules.push(Rule { title, when, then: Outcome::Serve(variations.served(variation)?) });
        }
    }
    for rule in list(state, "rules")? {
        rules.push(Rule {
            title: text(rule, "description").map(str::to_owned),
            when: condition(rule, environment, places).unwrap_or_else(Condition::Unsupported),
            then: outcome(rule, variations)?,
        });
    }
    let fallthrough = state.get("fallthrough").ok_or("it does not say what it gives when no rule applies")?;
    rules.push(Rule::for_all(outcome(fallthrough, variations)?));
    Ok(Rules { listed: rules, ..Rules::default() })
}

fn outcome(rule: &Value, variations: &Variations<'_>) -> Result<Outcome, Unsupported> {
    if let Some(variation) = rule.get("variation").and_then(place) {
        return Ok(Outcome::Serve(variations.served(variation)?));
    }
    let rollout =
        rule.get("rollout").filter(|value| value.is_object()).ok_or("a rule gives neither variation nor rollout")?;
    let mut parts = Vec::new();
    let mut as_value = variations.clone();
    // A share of the value that is given while the flag is off stays a share.
    as_value.off_is_value = true;
    for part in list(rollout, "variations")? {
        let variation = part.get("variation").and_then(place).ok_or("a share gives no variation")?;
        parts.push((as_value.served(variation)?, part.get("weight").and_then(Value::as_f64).unwrap_or(0.0)));
    }
    let by = text(rollout, "bucketBy").filter(|name| !name.is_empty()).unwrap_or("key");
    let kind = text(rollout, "contextKind").unwrap_or("user");
    let seed = rollout.get("seed").and_then(Value::as_i64).map(|seed| seed.to_string());
    Ok(Outcome::Split(Split { by: clauses::field_of(kind, by), seed, parts, share: 1.0 }))
}

fn parents(state: &Value, environment: &str, flags: &Flags<'_>) -> Result<Vec<Parent>, Unsupported> {
    let mut parents = Vec::new();
    for prerequisite in list(state, "prerequisites")? {
        let key = text(prerequisite, "key").ok_or("it depends on a flag without a key")?;
        let parent = flags.get(key).ok_or_else(|| format!("it depends on {key}, which is not in the files"))?;
        let wanted = prerequisite.get("variation").and_then(place).ok_or("it depends on no variation")?;
        let state = parent.pointer(&format!("/environments/{}", environment.replace('~', "~0").replace('/', "~1")));
        let state = state.ok_or_else(|| format!("it depends on {key}, which is not told here"))?;
        if !truth(state, "on") {
            return Err(format!("it depends on {key}, which is off"));
        }
        let variations = Variations::of(parent, state)?;
        let variants = match variations.served(wanted)? {
            Served::Off => return Err(format!("it depends on {key} giving what here is off")),
            Served::On => Vec::new(),
            Served::Value { name, .. } => vec![name],
        };
        parents.push(Parent { key: key.to_owned(), variants });
    }
    Ok(parents)
}
