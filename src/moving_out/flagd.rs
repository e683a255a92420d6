//! An environment as flagd reads it: each feature a boolean flag, and a second one for what its variants carry.

use std::collections::{BTreeMap, HashMap};

use flagstone_domain::{
    constraint::Constraint,
    feature::{Dependency, FeatureEnvironment},
    import::ImportData,
    strategy::FeatureStrategy,
    switching::is_disabled,
    variant::{FeatureVariant, Payload, PayloadKind},
};
use serde_json::{Map, Value, json};

use super::jsonlogic::{all, any, constraint, field, not};

/// Suffix of the name of the flag of variants.
const OF_VARIANTS: &str = ".variant";
/// The variant for a context for which the feature is off, or which gets none.
const NONE: &str = "none";
/// Parents of parents of … that are looked at, at most.
const GENERATIONS: usize = 8;

/// A condition, and whether it says all that was meant: otherwise it holds for fewer.
#[derive(Debug, Clone)]
struct Rule {
    logic: Value,
    is_exact: bool,
}

/// The exported features of an environment as a document for flagd, and what it cannot say. `segments` has the
/// constraints of those that strategies name.
pub fn flagd(data: &ImportData, environment: &str, segments: &BTreeMap<i64, Vec<Constraint>>) -> (Value, Vec<String>) {
    let writing = Writing::of(data, segments);
    let (mut flags, mut told) = (Map::new(), Vec::new());
    for feature in &data.features {
        let Some(configuration) = writing.configurations.get(feature.name.as_str()).copied() else { continue };
        let rule = writing.rule(&feature.name, 0);
        if configuration.enabled && !rule.is_exact {
            told.push(format!(
                "{}: for fewer than here, or for nobody: flagd has no word for some of its rules",
                feature.name
            ));
        }
        let metadata = json!({
            "project": feature.project,
            "description":
                feature.description.as_ref().and_then(|description| description.0.as_ref()).map_or("", |text| text),
        });
        let mut flag = json!({
            "state": "ENABLED",
            "variants": { "on": true, "off": false },
            "defaultVariant": if rule.logic == Value::Bool(true) { "on" } else { "off" },
            "metadata": metadata,
        });
        if !rule.logic.is_boolean() {
            flag["targeting"] = json!({ "if": [&rule.logic, "on", "off"] });
        }
        flags.insert(feature.name.clone(), flag);
        if let Some(flag) = writing.of_variants(&feature.name, configuration, &rule.logic, &metadata) {
            flags.insert(format!("{}{OF_VARIANTS}", feature.name), flag);
        }
    }
    let document = json!({
        "$schema": "https://flagd.dev/schema/v0/flags.json",
        "metadata": { "flagSetId": environment },
        "flags": flags,
    });
    (document, told)
}

struct Writing<'a> {
    configurations: HashMap<&'a str, &'a FeatureEnvironment>,
    strategies: HashMap<&'a str, Vec<&'a FeatureStrategy>>,
    parents: HashMap<&'a str, &'a [Dependency]>,
    segments: &'a BTreeMap<i64, Vec<Constraint>>,
}

impl<'a> Writing<'a> {
    fn of(data: &'a ImportData, segments: &'a BTreeMap<i64, Vec<Constraint>>) -> Self {
        let mut strategies: HashMap<&str, Vec<&FeatureStrategy>> = HashMap::new();
        for strategy in data.feature_strategies.iter().filter(|strategy| !is_disabled(strategy)) {
            strategies.entry(strategy.feature_name.as_deref().unwrap_or_default()).or_default().push(strategy);
        }
        let configurations = data.feature_environments.iter().flatten();
        Self {
            configurations: configurations
                .map(|configuration| {
                    (configuration.feature_name.as_deref().unwrap_or(&configuration.name), configuration)
                })
                .collect(),
            strategies,
            parents: data.links().iter().map(|link| (&*link.feature, &*link.dependencies)).collect(),
            segments,
        }
    }

    /// When a feature is on. What leads in a circle is off.
    fn rule(&self, feature: &str, generation: usize) -> Rule {
        let never = |is_exact| Rule { logic: Value::Bool(false), is_exact };
        if !self.configurations.get(feature).is_some_and(|configuration| configuration.enabled) {
            return never(true);
        }
        if generation > GENERATIONS {
            return never(false);
        }
        let mut is_exact = true;
        let mut conditions = Vec::new();
        for parent in self.parents.get(feature).copied().unwrap_or_default() {
            let of_parent = self.rule(&parent.feature, generation + 1);
            is_exact &= of_parent.is_exact;
            match (parent.enabled.unwrap_or(true), parent.variants.as_deref().unwrap_or_default()) {
                (true, []) => conditions.push(of_parent.logic),
                // The opposite of what holds for fewer holds for more.
                (false, _) if of_parent.is_exact => conditions.push(not(&of_parent.logic)),
                _ => return never(false),
            }
        }
        let strategies = self.strategies.get(feature).map(Vec::as_slice).unwrap_or_default();
        if !strategies.is_empty() {
            let written = strategies.iter().map(|strategy| self.strategy(feature, strategy));
            let known: Vec<Value> = written.flatten().collect();
            is_exact &= known.len() == strategies.len();
            conditions.push(any(known));
        }
        let conditions: Vec<Value> =
            conditions.into_iter().filter(|condition| *condition != Value::Bool(true)).collect();
        let logic = if conditions.contains(&Value::Bool(false)) { Value::Bool(false) } else { all(conditions) };
        Rule { logic, is_exact }
    }

    /// When a strategy holds; nothing where that cannot be said.
    fn strategy(&self, feature: &str, strategy: &FeatureStrategy) -> Option<Value> {
        let mut conditions = Vec::new();
        for given in strategy.constraints.iter().flatten() {
            conditions.push(constraint(given)?);
        }
        for id in strategy.segments.iter().flatten() {
            for given in self.segments.get(&id.whole()?)? {
                conditions.push(constraint(given)?);
            }
        }
        let parameter = |name: &str| strategy.parameters.as_ref().and_then(|parameters| parameters.get(name));
        let listed = |name: &str| -> Vec<&str> {
            parameter(name)
                .into_iter()
                .flat_map(|list| list.split(','))
                .map(str::trim)
                .filter(|entry| !entry.is_empty())
                .collect()
        };
        match strategy.name.as_str() {
            "default" => {}
            "userWithId" => conditions.push(json!({ "in": [field("userId"), listed("userIds")] })),
            "remoteAddress" => {
                let addresses = listed("IPs");
                if addresses.iter().any(|address| address.contains('/')) {
                    return None;
                }
                conditions.push(json!({ "in": [field("remoteAddress"), addresses] }));
            }
            "flexibleRollout" => {
                let share: i64 = parameter("rollout").map_or(Some(100), |share| share.trim().parse().ok())?;
                let group = parameter("groupId").map_or(feature, String::as_str);
                let stickiness = parameter("stickiness").map_or("default", String::as_str);
                match share {
                    100.. => {}
                    ..=0 => conditions.push(Value::Bool(false)),
                    _ => {
                        let drawn = drawn(group, stickiness, [("on", share), ("off", 100 - share)])?;
                        conditions.push(json!({ "==": [drawn, "on"] }));
                    }
                }
            }
            _ => return None,
        }
        Some(all(conditions))
    }

    /// Returns the flag that decides the variant of a context for which the feature is `on`, with its payload; nothing
    /// where there are no variants.
    fn of_variants(
        &self,
        feature: &str,
        configuration: &FeatureEnvironment,
        on: &Value,
        metadata: &Value,
    ) -> Option<Value> {
        let strategies = self.strategies.get(feature).cloned().unwrap_or_default();
        let of_feature = configuration.variants.as_deref().unwrap_or_default();
        let has_variants =
            |strategy: &&FeatureStrategy| strategy.variants.as_ref().is_some_and(|variants| !variants.is_empty());
        if of_feature.is_empty() && !strategies.iter().any(has_variants) {
            return None;
        }
        let of_strategies = strategies.iter().flat_map(|strategy| strategy.variants.iter().flatten());
        let payloads = of_strategies.map(|variant| (&*variant.name, variant.payload.as_ref()));
        let payloads = payloads.chain(of_feature.iter().map(|variant| (&*variant.name, variant.payload.as_ref())));
        let variants = served(&payloads.collect());
        let mut branches = Vec::new();
        for strategy in &strategies {
            // Who falls to a strategy that cannot be said might get one of the later variants, which is not theirs.
            let Some(condition) = self.strategy(feature, strategy) else {
                branches.push(json!(NONE));
                break;
            };
            let own = strategy.variants.as_deref().unwrap_or_default();
            let chosen = if own.is_empty() {
                by_weight(feature, of_feature)
            } else {
                let group = strategy
                    .parameters
                    .as_ref()
                    .and_then(|parameters| parameters.get("groupId"))
                    .map_or(feature, String::as_str);
                let stickiness = own.first().map_or("default", |variant| &variant.stickiness);
                drawn(group, stickiness, own.iter().map(|variant| (&*variant.name, variant.weight)))
            };
            branches.extend([condition, chosen.unwrap_or_else(|| json!(NONE))]);
        }
        if strategies.is_empty() {
            branches.push(by_weight(feature, of_feature).unwrap_or_else(|| json!(NONE)));
        } else if branches.len().is_multiple_of(2) {
            branches.push(json!(NONE));
        }
        Some(json!({
            "state": "ENABLED",
            "variants": variants,
            "defaultVariant": NONE,
            "targeting": { "if": [on, if branches.len() == 1 { branches.remove(0) } else { json!({ "if": branches }) }, NONE] },
            "metadata": metadata,
        }))
    }
}

/// Draws one of the names by its weight, the same for the same person. Nothing where all are drawn by chance each time.
fn drawn<'a>(group: &str, stickiness: &str, weights: impl IntoIterator<Item = (&'a str, i64)>) -> Option<Value> {
    if stickiness == "random" {
        return None;
    }
    let by = field(if stickiness == "default" { "userId" } else { stickiness });
    let mut drawing = vec![json!({ "cat": [group, by] })];
    drawing.extend(weights.into_iter().filter(|(_, weight)| *weight > 0).map(|(name, weight)| json!([name, weight])));
    Some(json!({ "fractional": drawing }))
}

/// The variant of a feature: that of an override for those it names, by weight for the others.
fn by_weight(feature: &str, variants: &[FeatureVariant]) -> Option<Value> {
    let stickiness = variants.first()?.stickiness.as_deref().unwrap_or("default");
    let weights = variants.iter().map(|variant| (&*variant.name, variant.weight.whole().unwrap_or_default()));
    let drawn = drawn(feature, stickiness, weights)?;
    let mut branches = Vec::new();
    for variant in variants {
        for named in variant.overrides.iter().flatten() {
            branches.push(json!({ "in": [field(&named.context_name), named.values] }));
            branches.push(json!(variant.name));
        }
    }
    if branches.is_empty() {
        return Some(drawn);
    }
    branches.push(drawn);
    Some(json!({ "if": branches }))
}

/// The values of variants, all of one type as flagd wants them: what they carry when that is of one type, else as
/// texts, and the names where none carries anything.
fn served(payloads: &BTreeMap<&str, Option<&Payload>>) -> Value {
    let carried = || payloads.values().flatten();
    let all_of =
        |kind: PayloadKind| carried().count() == payloads.len() && carried().all(|payload| payload.kind == kind);
    let parsed = |payload: &Payload| serde_json::from_str::<Value>(&payload.value).ok();
    let objects =
        all_of(PayloadKind::Json) && carried().all(|payload| parsed(payload).is_some_and(|value| value.is_object()));
    let numbers =
        all_of(PayloadKind::Number) && carried().all(|payload| parsed(payload).is_some_and(|value| value.is_number()));
    let value = |name: &str, payload: Option<&Payload>| match payload {
        Some(payload) if objects || numbers => parsed(payload).unwrap_or_default(),
        Some(payload) => json!(payload.value),
        None if carried().next().is_none() => json!(name),
        None => json!(""),
    };
    let none = if objects {
        json!({})
    } else if numbers {
        json!(0)
    } else {
        json!("")
    };
    let mut variants: Map<String, Value> =
        payloads.iter().map(|(name, payload)| ((*name).to_owned(), value(name, *payload))).collect();
    variants.insert(NONE.to_owned(), none);
    Value::Object(variants)
}

#[cfg(test)]
mod tests;
