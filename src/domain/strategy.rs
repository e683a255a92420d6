//! Strategies: the rules by which a feature is on for some.

mod definition;
mod evaluable;
mod judge;
pub mod parameters;

use std::collections::BTreeMap;

use flagstone_wire::{Nullable, Number};
use poem_openapi::Object;
use serde::{Deserialize, Serialize};

pub use self::{
    definition::StrategyDefinition,
    evaluable::{StrategyFault, evaluable},
    judge::{StrategyBounds, StrategyParts, StrategyRefusal, Surroundings},
};
use crate::{constraint::Constraint, ids::FeatureName, strategy_id::StrategyId, variant::StrategyVariant};

/// A strategy of a feature in one environment.
#[derive(Debug, Clone, PartialEq, Object, Serialize, Deserialize)]
#[oai(rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct FeatureStrategy {
    /// Id of this strategy. An import also accepts a ULID, and converts it to the UUID with the same bits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<StrategyId>,
    /// Name of the strategy type, such as `flexibleRollout`, at most 100 characters.
    pub name: String,
    /// A descriptive title of at most 10,000 characters; `null` for none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<Nullable<String>>,
    /// Whether the strategy is left out of evaluation and not sent to SDKs. Absent or `null` means false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disabled: Option<Nullable<bool>>,
    /// Feature that the strategy belongs to, at most 100 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feature_name: Option<String>,
    /// Position among the strategies of the environment, lowest first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sort_order: Option<Number>,
    /// Ids of the segments that apply; all must match. Absent means none. How many there may be at most is a setting of
    /// the instance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub segments: Option<Vec<Number>>,
    /// Conditions that must all hold. Absent means none. How many there may be at most is a setting of the instance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub constraints: Option<Vec<Constraint>>,
    /// Variants of this strategy, at most 1000. Absent means none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variants: Option<Vec<StrategyVariant>>,
    /// Parameters of the strategy type, such as `rollout`, each as text of at most 100,000 characters: at most 100,
    /// with names of at most 100 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parameters: Option<Parameters>,
}

impl FeatureStrategy {
    /// Returns the value of a parameter, or `None` if it has none.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        self.parameters.as_ref()?.get(name).map(String::as_str)
    }
}

/// Parameter names and their values as text.
pub type Parameters = BTreeMap<String, String>;

/// The strategy that is added when a feature without one is enabled in an environment.
#[derive(Debug, Clone, PartialEq, Object, Serialize, Deserialize)]
#[oai(rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct DefaultStrategy {
    /// Name of the strategy type, at most 100 characters.
    pub name: String,
    /// A descriptive title of at most 10,000 characters; `null` for none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<Nullable<String>>,
    /// Whether the strategy is disabled initially. Absent or `null` means false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disabled: Option<Nullable<bool>>,
    /// Position among the strategies of the environment, lowest first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sort_order: Option<Number>,
    /// Conditions that must all hold. Absent means none. How many there may be at most is a setting of the instance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub constraints: Option<Vec<Constraint>>,
    /// Variants of the strategy, at most 1000. Absent means none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variants: Option<Vec<StrategyVariant>>,
    /// Parameters of the strategy type, each as text of at most 100,000 characters: at most 100, with names of at
    /// most 100 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parameters: Option<Parameters>,
    /// Ids of the segments that apply. Absent means none. How many there may be at most is a setting of the instance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub segments: Option<Vec<Number>>,
}

/// The strategy type whose parameters have defaults.
const ROLLOUT: &str = "flexibleRollout";

/// Fills in the parameters that a gradual rollout of a feature needs; other strategies keep what they have.
#[must_use]
pub fn with_default_parameters(
    name: &str,
    mut parameters: Parameters,
    feature: FeatureName<'_>,
    default_stickiness: &str,
) -> Parameters {
    if name == ROLLOUT {
        let defaults = [("rollout", "100"), ("stickiness", default_stickiness), ("groupId", feature.as_str())];
        for (parameter, value) in defaults {
            parameters.entry(parameter.to_owned()).or_insert_with(|| value.to_owned());
        }
    }
    if let Some(stickiness) = parameters.get_mut("stickiness").filter(|stickiness| stickiness.is_empty()) {
        "default".clone_into(stickiness);
    }
    parameters
}

/// Writes what decides who gets which variant as all SDKs read it alike: parameters in their normal form, the name of the
/// feature as the group of people that it is drawn from where there is none, and one stickiness for the strategy and its
/// variants. Some SDKs look at that of the strategy, others at that of its variants.
pub fn normalize(
    name: &str,
    feature: Option<FeatureName<'_>>,
    parameters: &mut Parameters,
    variants: &mut [StrategyVariant],
) {
    parameters::normalize(name, parameters);
    if let Some(feature) = feature.filter(|_| parameters::has_group(name) || !variants.is_empty()) {
        parameters.entry("groupId".to_owned()).or_insert_with(|| feature.as_str().to_owned());
    }
    let Some(first) = variants.first() else { return };
    let stickiness = match first.stickiness.as_str() {
        of_variant if name != ROLLOUT && !of_variant.is_empty() => of_variant,
        _ => "default",
    };
    let stickiness = parameters.entry("stickiness".to_owned()).or_insert_with(|| stickiness.to_owned()).clone();
    for variant in variants.iter_mut().filter(|variant| variant.stickiness != stickiness) {
        variant.stickiness.clone_from(&stickiness);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_strategy_and_its_variants_draw_by_one_field_and_group() {
        let drawn = |name: &str, given: &[(&str, &str)], stickiness: &[&str]| {
            let mut parameters: Parameters =
                given.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
            let mut variants: Vec<StrategyVariant> = stickiness
                .iter()
                .map(|stickiness| StrategyVariant {
                    name: "a".to_owned(),
                    weight: 500,
                    weight_type: crate::variant::WeightType::Variable,
                    stickiness: (*stickiness).to_owned(),
                    payload: None,
                })
                .collect();
            normalize(name, Some(FeatureName::new("cart")), &mut parameters, &mut variants);
            let kept = |name: &str| parameters.get(name).cloned().unwrap_or_else(|| "-".to_owned());
            let drawn: Vec<String> = variants.into_iter().map(|variant| variant.stickiness).collect();
            format!("{} by {} in {}", drawn.join("+"), kept("stickiness"), kept("groupId"))
        };
        let by_user = [("stickiness", "userId"), ("groupId", "g"), ("rollout", "50")];
        assert_eq!(drawn("flexibleRollout", &by_user, &["sessionId", "userId"]), "userId+userId by userId in g");
        assert_eq!(drawn("flexibleRollout", &[("rollout", "50")], &["userId"]), "default by default in cart");
        assert_eq!(drawn("flexibleRollout", &by_user[..1], &[]), " by userId in cart");
        assert_eq!(drawn("default", &[], &["tier", "userId"]), "tier+tier by tier in cart");
        assert_eq!(drawn("userWithId", &by_user[..2], &["tier"]), "userId by userId in g");
        assert_eq!(drawn("default", &[], &[""]), "default by default in cart");
        assert_eq!(drawn("default", &[], &[]), " by - in -");
        assert_eq!(drawn("gradualRolloutUserId", &[("percentage", "5")], &[]), " by - in cart");
    }

    #[test]
    fn a_rollout_gets_what_it_lacks_and_keeps_what_it_has() {
        let given =
            Parameters::from([("rollout".to_owned(), "5".to_owned()), ("stickiness".to_owned(), String::new())]);
        let cart = FeatureName::new("cart");
        let filled = with_default_parameters("flexibleRollout", given, cart, "userId");
        assert_eq!(filled["rollout"], "5");
        assert_eq!(filled["stickiness"], "default");
        assert_eq!(filled["groupId"], "cart");
        let empty = with_default_parameters("flexibleRollout", Parameters::new(), cart, "userId");
        assert_eq!(empty["stickiness"], "userId");
        assert!(with_default_parameters("default", Parameters::new(), cart, "userId").is_empty());
    }
}
