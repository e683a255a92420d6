//! Contexts that are made of the values which constraints name.

use std::collections::{BTreeMap, BTreeSet};

use super::{Configuration, RANDOM};
use crate::{
    constraint::Constraint,
    evaluation::{CURRENT_TIME, Subject},
    time::Timestamp,
};

/// Most values of a field; further ones that constraints name are left out.
const MOST_VALUES: usize = 100;
const USER: &str = "userId";
const SESSION: &str = "sessionId";
/// Set by the environment that is evaluated.
const ENVIRONMENT: &str = "environment";

/// Values that decide about features, by the field.
#[derive(Debug, Default)]
struct Fields {
    values: BTreeMap<String, BTreeSet<String>>,
    /// Fields by which people are drawn.
    sticky: BTreeSet<String>,
}

/// Makes contexts over the values that decide about the features of these states: each has ids of its own, and for each
/// field one of its values or none, in all combinations as far as they go. The first ones have the ids that are named.
///
/// Returns whether values were left out as well.
pub fn made_contexts(states: &[&Configuration], count: usize) -> (Vec<Subject>, bool) {
    let mut fields = Fields::default();
    for state in states {
        for feature in &state.features {
            state.constraints(feature).for_each(|constraint| fields.know(constraint));
            fields.know_parameters(feature);
        }
    }
    let is_cut = fields.values.values().any(|values| values.len() > MOST_VALUES);
    let ids = fields.values.remove(USER).unwrap_or_default();
    let ids: Vec<String> = ids.into_iter().take(MOST_VALUES).collect();
    let listed: Vec<(String, Vec<String>)> = fields
        .values
        .into_iter()
        .map(|(name, values)| (name, values.into_iter().take(MOST_VALUES).collect()))
        .collect();
    let context = |number: usize| {
        let user = ids.get(number).cloned().unwrap_or_else(|| format!("user-{number}"));
        let mut context = Subject([(USER.to_owned(), user), (SESSION.to_owned(), format!("session-{number}"))].into());
        let mut stride = 1;
        for (place, (name, values)) in listed.iter().enumerate() {
            let choices = values.len() + 1;
            // Where the combinations are more than the contexts, the later fields are mixed.
            let turn = if stride <= count { number / stride } else { mixed(number, place) };
            stride = stride.saturating_mul(choices);
            if let Some(value) = values.get(turn % choices) {
                context.0.insert(name.clone(), value.clone());
            }
        }
        for name in &fields.sticky {
            context.0.entry(name.clone()).or_insert_with(|| format!("{name}-{number}"));
        }
        context
    };
    ((0..count).map(context).collect(), is_cut)
}

/// A number that looks drawn, the same each time.
fn mixed(number: usize, place: usize) -> usize {
    let mut mixed = (number as u64).wrapping_mul(31).wrapping_add(place as u64).wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    usize::try_from(mixed >> 33).unwrap_or_default()
}

impl Fields {
    fn know(&mut self, constraint: &Constraint) {
        if constraint.context_name == ENVIRONMENT {
            return;
        }
        let values = self.values.entry(constraint.context_name.clone()).or_default();
        values.extend(constraint.values.iter().flatten().cloned());
        if let Some(value) = &constraint.value {
            values.extend(around(&constraint.context_name, value));
        }
    }

    fn know_parameters(&mut self, feature: &crate::evaluation::ConfiguredFeature) {
        for strategy in &feature.strategies {
            let mut list = |field: &str, parameter: &str| {
                let named = strategy.parameter(parameter).into_iter().flat_map(|list| list.split(','));
                let named = named.map(|value| value.trim().to_owned()).filter(|value| !value.is_empty());
                let named: Vec<String> = named.collect();
                if !named.is_empty() {
                    self.values.entry(field.to_owned()).or_default().extend(named);
                }
            };
            match strategy.name.as_str() {
                "userWithId" => list(USER, "userIds"),
                "remoteAddress" => list("remoteAddress", "IPs"),
                _ => {}
            }
            let of_variants = strategy.variants.iter().flatten().map(|variant| variant.stickiness.as_str());
            for name in strategy.parameter("stickiness").into_iter().chain(of_variants) {
                self.draw_by(name);
            }
        }
        for variant in &feature.variants {
            if let Some(name) = &variant.stickiness {
                self.draw_by(name);
            }
            for choice in variant.overrides.iter().flatten() {
                let values = self.values.entry(choice.context_name.clone()).or_default();
                values.extend(choice.values.iter().cloned());
            }
        }
    }

    fn draw_by(&mut self, name: &str) {
        if !["", "default", RANDOM, USER, SESSION].contains(&name) {
            self.sticky.insert(name.to_owned());
        }
    }
}

/// The value of a comparison, with one on each side of it.
fn around(field: &str, value: &str) -> Vec<String> {
    if let Ok(number) = value.parse::<f64>() {
        return vec![(number - 1.0).to_string(), value.to_owned(), (number + 1.0).to_string()];
    }
    if let Some(time) = Timestamp::parse(value) {
        let sides = [time.plus_millis(-1000), time, time.plus_millis(1000)];
        return sides.map(|time| time.to_string()).into();
    }
    if field == CURRENT_TIME {
        return Vec::new();
    }
    vec!["0.0.0".to_owned(), value.to_owned(), "999999.0.0".to_owned()]
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::evaluation::ConfiguredFeature;

    fn state(strategy: serde_json::Value) -> Configuration {
        let strategies = vec![serde_json::from_value(strategy).expect("a strategy")];
        let feature = ConfiguredFeature { name: "cart".to_owned(), strategies, ..ConfiguredFeature::default() };
        Configuration { features: vec![feature], segments: Vec::new() }
    }

    fn count(contexts: &[Subject], field: &str, value: Option<&str>) -> usize {
        contexts.iter().filter(|context| context.0.get(field).map(String::as_str) == value).count()
    }

    #[test]
    fn every_value_of_every_field_meets_every_other() {
        let state = state(json!({
            "name": "flexibleRollout",
            "parameters": { "rollout": "50", "stickiness": "tenant", "groupId": "cart" },
            "constraints": [
                { "contextName": "region", "operator": "IN", "values": ["north", "south"] },
                { "contextName": "age", "operator": "NUM_GT", "value": "17" },
                { "contextName": "userId", "operator": "IN", "values": ["7"] },
                { "contextName": "environment", "operator": "IN", "values": ["x"] },
            ],
        }));
        let (contexts, is_cut) = made_contexts(&[&state], 1200);
        assert!(!is_cut);
        for value in [Some("north"), Some("south"), None] {
            assert_eq!(count(&contexts, "region", value), 400, "{value:?}");
        }
        for value in [Some("16"), Some("17"), Some("18"), None] {
            assert_eq!(count(&contexts, "age", value), 300, "{value:?}");
        }
        let both = contexts.iter().filter(|context| {
            context.0.get("region").is_some_and(|region| region == "south") && !context.0.contains_key("age")
        });
        assert_eq!(both.count(), 100);
        let ids: BTreeSet<&String> = contexts.iter().map(|context| &context.0["userId"]).collect();
        assert_eq!((ids.len(), count(&contexts, "userId", Some("7"))), (1200, 1));
        assert_eq!(contexts[5].0["tenant"], "tenant-5");
        assert!(!contexts[0].0.contains_key("environment"));
    }

    #[test]
    fn values_beyond_the_bound_are_left_out_and_said_to_be() {
        let values: Vec<String> = (0..150).map(|value| value.to_string()).collect();
        let constraint = json!({ "contextName": "shop", "operator": "IN", "values": values });
        let (contexts, is_cut) =
            made_contexts(&[&state(json!({ "name": "default", "constraints": [constraint] }))], 202);
        let shops: BTreeSet<_> = contexts.iter().filter_map(|context| context.0.get("shop")).collect();
        assert_eq!((shops.len(), count(&contexts, "shop", None), is_cut), (MOST_VALUES, 2, true));
    }
}
