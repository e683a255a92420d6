//! Flagsmith: the environment document that server-side SDKs get, and the bulk export of features.

mod segment;

use std::collections::BTreeMap;

use flagstone_domain::naming::is_environment_name;
use serde_json::Value;

use self::segment::Segment;
use super::{
    Document, Options,
    assemble::Found,
    comparison::{Otherwise, Test},
    condition::{Condition, Unsupported},
    flag::{Flag, Outcome, Rule, Rules, Ruling, Served, Split},
    read::{distinct, field, list, plain, text, truth},
};

pub(super) fn is(document: &Value) -> bool {
    match document {
        Value::Array(items) => items
            .first()
            .is_some_and(|item| item.get("default_enabled").is_some() && item.get("multivariate").is_some()),
        other => other.get("feature_states").is_some_and(Value::is_array) && other.get("project").is_some(),
    }
}

pub(super) fn read(documents: &[Document<'_>], options: &Options) -> Found {
    let mut found = Found::default();
    for document in documents {
        let value = &document.value;
        let told = text(value, "name").map(|name| name.to_lowercase().replace(' ', "-"));
        let told = told.filter(|name| is_environment_name(name)).unwrap_or_else(|| options.environment.clone());
        let environment = document.environment.map_or(told, str::to_owned);
        found.environment(&environment);
        let project = value.pointer("/project/name").and_then(Value::as_str).unwrap_or(&options.project);
        found.project(&options.project, project, None);
        match value {
            Value::Array(items) => {
                for item in items {
                    let mut flag = made(text(item, "name").unwrap_or_default(), options);
                    if truth(item, "is_server_key_only") {
                        flag.notes.push(
                            "was told to servers only; here frontend tokens of its project are told of it too"
                                .to_owned(),
                        );
                    }
                    let rules = exported(item).map(|then| vec![Rule::for_all(then)]);
                    flag.environments.push((environment.clone(), ruled(rules)));
                    found.flags.push(flag);
                }
            }
            document => of_document(document, &environment, options, &mut found),
        }
    }
    found
}

fn made(key: &str, options: &Options) -> Flag {
    Flag { key: key.to_owned(), project: options.project.clone(), ..Flag::default() }
}

fn ruled(rules: Result<Vec<Rule>, Unsupported>) -> Ruling {
    rules.map_or_else(Ruling::Unsupported, |rules| Ruling::Rules(Rules { listed: rules, ..Rules::default() }))
}

/// Outcomes by feature, each with the identities that get it.
type ByIdentity = BTreeMap<String, Vec<(Outcome, Vec<String>)>>;

fn of_document(document: &Value, environment: &str, options: &Options, found: &mut Found) {
    let mut by_segment = by_segment(document, found);
    let (mut by_identity, odd) = by_identity(document);
    for state in list(document, "feature_states").unwrap_or_default() {
        let Some(name) = state.pointer("/feature/name").and_then(Value::as_str) else { continue };
        let mut flag = made(name, options);
        let mut rules = || {
            if let Some(reason) = odd.get(name) {
                return Err(reason.clone());
            }
            let mut rules = Vec::new();
            for (then, identifiers) in by_identity.remove(name).unwrap_or_default() {
                let when = field("userId", Test::OneOf(identifiers), Otherwise::Fails);
                rules.push(Rule { title: Some("Identities".to_owned()), when, then });
            }
            let mut of_segments = by_segment.remove(name).unwrap_or_default();
            of_segments.sort_by(|(one, _), (other, _)| one.total_cmp(other));
            rules.extend(of_segments.into_iter().map(|(_, rule)| rule));
            rules.push(Rule::for_all(outcome(state)?));
            Ok(rules)
        };
        flag.environments.push((environment.to_owned(), ruled(rules())));
        found.flags.push(flag);
    }
}

/// For each feature its overrides by segments, with their priorities.
fn by_segment(document: &Value, found: &mut Found) -> BTreeMap<String, Vec<(f64, Rule)>> {
    let mut by_segment: BTreeMap<String, Vec<(f64, Rule)>> = BTreeMap::new();
    for segment in document.pointer("/project/segments").and_then(Value::as_array).into_iter().flatten() {
        let whom = segment::read(segment);
        let name = text(segment, "name").unwrap_or_default();
        let (when, share, seed) = match whom {
            Ok(Segment { when, share: None, .. }) => {
                (Condition::Segment(found.segments.add(name.to_owned(), None, when)), None, None)
            }
            Ok(Segment { when, share, seed }) => (when, share, Some(seed)),
            Err(reason) => (Condition::Unsupported(reason), None, None),
        };
        for state in list(segment, "feature_states").unwrap_or_default() {
            let Some(feature) = state.pointer("/feature/name").and_then(Value::as_str) else { continue };
            let priority = state.pointer("/feature_segment/priority").and_then(Value::as_f64).unwrap_or(f64::MAX);
            let then = outcome(state).map(|then| shared(then, share, seed.as_deref()));
            let (when, then) = match then {
                Ok(then) => (when.clone(), then),
                Err(reason) => (Condition::Unsupported(reason), Outcome::Serve(Served::On)),
            };
            let rule = Rule { title: Some(name.to_owned()), when, then };
            by_segment.entry(feature.to_owned()).or_default().push((priority, rule));
        }
    }
    by_segment
}

/// For each feature what it gives to identities, and why it cannot be said what.
fn by_identity(document: &Value) -> (ByIdentity, BTreeMap<String, Unsupported>) {
    let mut by_identity = ByIdentity::new();
    let mut odd: BTreeMap<String, Unsupported> = BTreeMap::new();
    for identity in list(document, "identity_overrides").unwrap_or_default() {
        let Some(identifier) = text(identity, "identifier") else { continue };
        for state in list(identity, "identity_features").unwrap_or_default() {
            let Some(feature) = state.pointer("/feature/name").and_then(Value::as_str) else { continue };
            match outcome(state) {
                Ok(then) => {
                    let held = by_identity.entry(feature.to_owned()).or_default();
                    match held.iter_mut().find(|(other, _)| *other == then) {
                        Some((_, identifiers)) => identifiers.push(identifier.to_owned()),
                        None => held.push((then, vec![identifier.to_owned()])),
                    }
                }
                Err(reason) => {
                    odd.insert(feature.to_owned(), reason);
                }
            }
        }
    }
    (by_identity, odd)
}

/// An outcome for a share only; for the others the next override decides.
fn shared(then: Outcome, share: Option<f64>, seed: Option<&str>) -> Outcome {
    let Some(share) = share else { return then };
    let (parts, by) = match then {
        Outcome::Serve(served) => (vec![(served, 1.0)], "userId".to_owned()),
        Outcome::Split(split) => (split.parts, split.by),
    };
    Outcome::Split(Split { by, seed: seed.map(str::to_owned), parts, share })
}

/// Returns the outcome of a state of a feature: nothing, a value, or one of several by their shares.
fn outcome(state: &Value) -> Result<Outcome, Unsupported> {
    let values = list(state, "multivariate_feature_state_values")?;
    let mut options = Vec::new();
    for value in values {
        let share = value.get("percentage_allocation").and_then(Value::as_f64).ok_or("a value has no share")?;
        let option = value.get("multivariate_feature_option").unwrap_or(&Value::Null);
        let given = option.get("value").cloned().unwrap_or_default();
        let name = text(option, "key").map(str::to_owned).or_else(|| plain(&given)).unwrap_or_default();
        options.push((name, given, share));
    }
    given(truth(state, "enabled"), state.get("feature_state_value").unwrap_or(&Value::Null), &options)
}

fn exported(item: &Value) -> Result<Outcome, Unsupported> {
    let mut options = Vec::new();
    for value in list(item, "multivariate")? {
        let share = value.get("percentage_allocation").and_then(Value::as_f64).ok_or("a value has no share")?;
        let given = value.get("value").cloned().unwrap_or_default();
        options.push((plain(&given).unwrap_or_default(), given, share));
    }
    given(truth(item, "enabled"), item.get("value").unwrap_or(&Value::Null), &options)
}

fn given(enabled: bool, control: &Value, options: &[(String, Value, f64)]) -> Result<Outcome, Unsupported> {
    if !enabled {
        return Ok(Outcome::Serve(Served::Off));
    }
    let rest = 100.0 - options.iter().map(|(_, _, share)| share).sum::<f64>();
    if rest < -0.01 {
        return Err("shares of its values are more than the whole".to_owned());
    }
    let served = |name: &str, value: &Value| if value.is_null() { Served::On } else { Served::value(name, value) };
    let names =
        std::iter::once("control".to_owned()).chain(options.iter().map(|(name, ..)| name.chars().take(80).collect()));
    let names = distinct(names.collect());
    let mut parts = vec![(served(&names[0], control), rest.max(0.0))];
    for ((_, value, share), name) in options.iter().zip(&names[1..]) {
        parts.push((served(name, value), *share));
    }
    parts.retain(|(_, share)| *share > 0.0);
    Ok(match parts.as_slice() {
        [(only, _)] => Outcome::Serve(only.clone()),
        _ => Outcome::Split(Split { by: "userId".to_owned(), seed: None, parts, share: 1.0 }),
    })
}
