//! Distribution of users over the variants of one list.

use std::collections::HashSet;

use flagstone_wire::Number;

use super::{
    FeatureVariant, Payload, PayloadKind, StrategyVariant, VariantFault, VariantOverride, WeightType,
    size::{MOST_VARIANTS, excess},
};
use crate::naming;

/// Total of all weights of a list.
const TOTAL: f64 = 1000.0;
/// Stickiness of feature variants that say none.
const DEFAULT_STICKINESS: &str = "default";

trait Weighted {
    fn name(&self) -> &str;
    fn payload(&self) -> Option<&Payload>;
    fn stickiness(&self) -> Option<&str>;
    fn overrides(&self) -> &[VariantOverride];
    fn is_fixed(&self) -> bool;
    fn weight(&self) -> f64;
    fn set_weight(&mut self, weight: i64);
}

impl Weighted for StrategyVariant {
    fn name(&self) -> &str {
        &self.name
    }

    fn payload(&self) -> Option<&Payload> {
        self.payload.as_ref()
    }

    fn stickiness(&self) -> Option<&str> {
        Some(&self.stickiness)
    }

    fn overrides(&self) -> &[VariantOverride] {
        &[]
    }

    fn is_fixed(&self) -> bool {
        self.weight_type == WeightType::Fix
    }

    fn weight(&self) -> f64 {
        Number::from(self.weight).get()
    }

    fn set_weight(&mut self, weight: i64) {
        self.weight = weight;
    }
}

impl Weighted for FeatureVariant {
    fn name(&self) -> &str {
        &self.name
    }

    fn payload(&self) -> Option<&Payload> {
        self.payload.as_ref()
    }

    fn stickiness(&self) -> Option<&str> {
        self.stickiness.as_deref()
    }

    fn overrides(&self) -> &[VariantOverride] {
        self.overrides.as_deref().unwrap_or_default()
    }

    fn is_fixed(&self) -> bool {
        self.weight_type == Some(WeightType::Fix)
    }

    fn weight(&self) -> f64 {
        self.weight.get()
    }

    fn set_weight(&mut self, weight: i64) {
        self.weight = weight.into();
    }
}

/// The variants of a strategy as an import stores them: weights totalling 1000, sorted by name.
pub fn distribute_strategy(mut variants: Vec<StrategyVariant>) -> Result<Vec<StrategyVariant>, VariantFault> {
    distribute(&mut variants, total_is_whole)?;
    Ok(variants)
}

/// The variants of a feature as an import stores them: defaults filled in, weights totalling 1000, sorted by name.
pub fn distribute_feature(mut variants: Vec<FeatureVariant>) -> Result<Vec<FeatureVariant>, VariantFault> {
    variants.iter_mut().for_each(complete);
    distribute(&mut variants, total_is_whole)?;
    Ok(variants)
}

/// The variants of a strategy as a change stores them: variable ones share evenly, sorted by name.
pub fn balance_strategy(mut variants: Vec<StrategyVariant>) -> Result<Vec<StrategyVariant>, VariantFault> {
    distribute(&mut variants, are_balanced)?;
    Ok(variants)
}

/// The variants of a feature as a change stores them: defaults filled in, variable ones share evenly, sorted by name.
pub fn balance_feature(mut variants: Vec<FeatureVariant>) -> Result<Vec<FeatureVariant>, VariantFault> {
    variants.iter_mut().for_each(complete);
    distribute(&mut variants, are_balanced)?;
    Ok(variants)
}

fn complete(variant: &mut FeatureVariant) {
    variant.weight_type.get_or_insert(WeightType::Variable);
    variant.stickiness.get_or_insert_with(|| DEFAULT_STICKINESS.to_owned());
}

/// Checks and sorts; shares the weights out unless `may_stay`: to do so again in another order would move users.
fn distribute<V: Weighted>(variants: &mut [V], may_stay: fn(&[V]) -> bool) -> Result<(), VariantFault> {
    check(variants)?;
    if !may_stay(variants) {
        share_out(variants);
    }
    variants.sort_by(|one, other| one.name().cmp(other.name()));
    Ok(())
}

fn total_is_whole<V: Weighted>(variants: &[V]) -> bool {
    variants.iter().map(Weighted::weight).sum::<f64>() == TOTAL
}

/// Whether the variable variants have even shares already, in whichever order the odd points fell.
fn are_balanced<V: Weighted>(variants: &[V]) -> bool {
    let variable = || variants.iter().filter(|variant| !variant.is_fixed()).map(Weighted::weight);
    let least = variable().fold(f64::INFINITY, f64::min);
    total_is_whole(variants) && variable().all(|weight| weight.fract() == 0.0 && weight - least <= 1.0)
}

fn check<V: Weighted>(variants: &[V]) -> Result<(), VariantFault> {
    if variants.len() > MOST_VARIANTS {
        return Err(VariantFault::TooMany);
    }
    let mut names = HashSet::new();
    for variant in variants {
        let name = || variant.name().to_owned();
        if !naming::is_url_friendly(variant.name()) {
            return Err(VariantFault::Name(name()));
        }
        if !names.insert(variant.name()) {
            return Err(VariantFault::Duplicate(name()));
        }
        if let Some(fault) = excess(variant.name(), variant.payload(), variant.stickiness(), variant.overrides()) {
            return Err(fault);
        }
        if variant.payload().is_some_and(|payload| !is_sound(payload)) {
            return Err(VariantFault::Payload(name()));
        }
    }
    if !variants.is_empty() && variants.iter().all(Weighted::is_fixed) {
        return Err(VariantFault::NothingVariable);
    }
    if fixed(variants) > TOTAL { Err(VariantFault::TooMuchFixed) } else { Ok(()) }
}

fn fixed<V: Weighted>(variants: &[V]) -> f64 {
    variants.iter().filter(|variant| variant.is_fixed()).map(Weighted::weight).sum()
}

fn is_sound(payload: &Payload) -> bool {
    payload.kind != PayloadKind::Json || serde_json::from_str::<serde::de::IgnoredAny>(&payload.value).is_ok()
}

/// Gives the variable variants equal shares of what the fixed ones leave, one more to the first where it does not
/// come out even.
#[expect(clippy::cast_possible_truncation, reason = "between 0 and 1000")]
fn share_out<V: Weighted>(variants: &mut [V]) {
    let left = (TOTAL - fixed(variants)).floor() as i64;
    let variable: Vec<&mut V> = variants.iter_mut().filter(|variant| !variant.is_fixed()).collect();
    let Ok(count) = i64::try_from(variable.len()) else { return };
    for (position, variant) in (0..).zip(variable) {
        variant.set_weight(left / count + i64::from(position < left % count));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn variant(name: &str, weight: i64, weight_type: WeightType) -> StrategyVariant {
        StrategyVariant { name: name.to_owned(), weight, weight_type, stickiness: "default".to_owned(), payload: None }
    }

    fn weights(variants: Vec<StrategyVariant>) -> Vec<(String, i64)> {
        let variants = distribute_strategy(variants).expect("sound");
        variants.into_iter().map(|variant| (variant.name, variant.weight)).collect()
    }

    #[test]
    fn variable_variants_share_what_fixed_ones_leave() {
        let given = vec![
            variant("v2", 0, WeightType::Variable),
            variant("v1", 0, WeightType::Variable),
            variant("v3", 301, WeightType::Fix),
        ];
        assert_eq!(weights(given), [("v1".to_owned(), 349), ("v2".to_owned(), 350), ("v3".to_owned(), 301)]);
    }

    #[test]
    fn weights_that_total_the_whole_stay() {
        let given = vec![variant("b", 334, WeightType::Variable), variant("a", 666, WeightType::Variable)];
        assert_eq!(weights(given), [("a".to_owned(), 666), ("b".to_owned(), 334)]);
    }

    #[test]
    fn a_change_ignores_the_weights_of_variable_variants_unless_they_are_even() {
        let balanced = |given: Vec<StrategyVariant>| -> Vec<i64> {
            balance_strategy(given).expect("sound").into_iter().map(|variant| variant.weight).collect()
        };
        let given = |weights: [i64; 3]| {
            let names = ["a", "b", "c"].into_iter().zip(weights);
            names.map(|(name, weight)| variant(name, weight, WeightType::Variable)).collect()
        };
        assert_eq!(balanced(given([900, 50, 50])), [334, 333, 333]);
        assert_eq!(balanced(given([333, 333, 334])), [333, 333, 334]);
        assert_eq!(balanced(given([0, 0, 0])), [334, 333, 333]);
        let fixed = vec![variant("a", 300, WeightType::Fix), variant("b", 1, WeightType::Variable)];
        assert_eq!(balanced(fixed), [300, 700]);
    }

    #[test]
    fn each_fault_is_told() {
        let json = Payload { kind: PayloadKind::Json, value: "{".to_owned() };
        let cases = [
            (vec![variant("a b", 0, WeightType::Variable)], VariantFault::Name("a b".to_owned())),
            (
                vec![variant("a", 0, WeightType::Variable), variant("a", 0, WeightType::Variable)],
                VariantFault::Duplicate("a".to_owned()),
            ),
            (
                vec![StrategyVariant { payload: Some(json), ..variant("a", 0, WeightType::Variable) }],
                VariantFault::Payload("a".to_owned()),
            ),
            (vec![variant("a", 1000, WeightType::Fix)], VariantFault::NothingVariable),
            (
                vec![
                    variant("a", 600, WeightType::Fix),
                    variant("b", 401, WeightType::Fix),
                    variant("c", 0, WeightType::Variable),
                ],
                VariantFault::TooMuchFixed,
            ),
        ];
        for (variants, fault) in cases {
            assert_eq!(distribute_strategy(variants), Err(fault));
        }
    }

    proptest! {
        #[test]
        fn weights_total_the_whole(fixed in proptest::collection::vec(0..250_i64, 0..5), variable in 1..9_usize) {
            let mut variants: Vec<_> = fixed
                .iter()
                .enumerate()
                .map(|(index, weight)| variant(&format!("f{index}"), *weight, WeightType::Fix))
                .collect();
            variants.extend((0..variable).map(|index| variant(&format!("v{index}"), 1, WeightType::Variable)));
            let total: i64 = weights(variants).into_iter().map(|(_, weight)| weight).sum();
            prop_assert_eq!(total, 1000);
        }
    }
}
