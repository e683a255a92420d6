//! Features in the words of the engine.

use std::borrow::Cow;

use flagstone_domain::{
    constraint::{Constraint, Operator, normal_form},
    feature::Dependency,
    strategy::parameters,
    variant::{FeatureVariant, Payload, StrategyVariant, VariantOverride},
};
use unleash_types::client_features as wire;

use super::{Condition, Rule, guard};

/// Name of a context field as a rule can hold it: the engine has no way to write quotation marks and backslashes there.
pub(super) fn field_name(name: &str) -> Cow<'_, str> {
    if parameters::stays_in_quotes(name) {
        Cow::Borrowed(name)
    } else {
        Cow::Owned(name.replace('\\', "%5C").replace('"', "%22"))
    }
}

/// Returns the feature with its evaluable strategies, each in its place.
pub(super) fn feature(rule: Rule<'_>) -> wire::ClientFeature {
    let (strategies, parents) = if guard::admits(&rule) {
        (rule.strategies.iter().map(|condition| evaluated(&rule.name, condition)).collect(), rule.dependencies)
    } else {
        // One parent is enough to make it no parent itself.
        (vec![strategy(&Condition::never())], rule.dependencies.get(..1).unwrap_or_default())
    };
    wire::ClientFeature {
        name: rule.name,
        enabled: rule.enabled,
        strategies: Some(strategies),
        variants: Some(variants(rule.variants)),
        dependencies: Some(parents.iter().map(dependency).collect()),
        ..wire::ClientFeature::default()
    }
}

fn dependency(dependency: &Dependency) -> wire::FeatureDependency {
    wire::FeatureDependency {
        feature: dependency.feature.clone(),
        enabled: dependency.enabled,
        variants: dependency.variants.clone(),
    }
}

/// The strategy, or one that never holds if the engine cannot evaluate it.
fn evaluated(feature: &str, condition: &Condition<'_>) -> wire::Strategy {
    match condition.evaluable() {
        Ok(()) => strategy(condition),
        Err(fault) => {
            guard::tell_of_fault(feature, &fault);
            strategy(&Condition::never())
        }
    }
}

pub(super) fn strategy(condition: &Condition<'_>) -> wire::Strategy {
    let parameters = condition.parameters.iter();
    let parameters = parameters.map(|(name, value)| ((*name).to_owned(), parameter(condition.name, name, value)));
    wire::Strategy {
        name: condition.name.to_owned(),
        sort_order: None,
        segments: None,
        constraints: Some(condition.constraints.iter().copied().map(constraint).collect()),
        parameters: Some(parameters.collect()),
        variants: Some(strategy_variants(condition.variants)),
    }
}

/// A parameter as the engine reads it: whole percents, a stickiness that is never empty, and lists without what would
/// leave its quotation marks, which no address and no name of a machine has.
fn parameter(strategy: &str, name: &str, value: &str) -> String {
    match name {
        "stickiness" if value.is_empty() => "default".to_owned(),
        "stickiness" => field_name(value).into_owned(),
        "IPs" | "hostNames" if !parameters::stays_in_quotes(value) => {
            parameters::list(value).filter(|entry| parameters::stays_in_quotes(entry)).collect::<Vec<_>>().join(",")
        }
        _ if parameters::is_share(strategy, name) => {
            parameters::share(value).map_or_else(|| value.to_owned(), |share| share.to_string())
        }
        _ => value.to_owned(),
    }
}

fn constraint(constraint: &Constraint) -> wire::Constraint {
    let values = constraint.values.as_deref().unwrap_or_default();
    let is_inverted = constraint.inverted.unwrap_or_default();
    let context_name = field_name(&constraint.context_name).into_owned();
    if values.iter().any(|value| value.ends_with('\\'))
        && let Some(pattern) = pattern_of_values(constraint.operator, values)
    {
        return wire::Constraint {
            context_name,
            operator: wire::Operator::RegexMatch,
            case_insensitive: constraint.operator.needs_values() && constraint.case_insensitive.unwrap_or_default(),
            inverted: is_inverted != (constraint.operator == Operator::NotIn),
            values: None,
            value: Some(pattern),
        };
    }
    let values: Vec<String> = values.iter().filter(|value| !value.ends_with('\\')).cloned().collect();
    // The engine reads no other empty list: among no values is nobody, as nobody contains one of none.
    let operator =
        if values.is_empty() && constraint.operator.needs_values() { Operator::In } else { constraint.operator };
    let name = serde_json::to_value(operator).unwrap_or_default();
    let operator = serde_json::from_value(name).unwrap_or_else(|_| wire::Operator::Unknown(String::new()));
    wire::Constraint {
        context_name,
        operator,
        case_insensitive: constraint.case_insensitive.unwrap_or_default(),
        inverted: is_inverted,
        values: Some(values),
        value: constraint.value.as_deref().map(|value| single_value(constraint.operator, value).into_owned()),
    }
}

/// The texts that a field is compared with as one pattern, which says what a list cannot: a backslash before its closing
/// quotation mark. `None` for what are no texts.
fn pattern_of_values(operator: Operator, values: &[String]) -> Option<String> {
    let all = values.iter().map(|value| regex::escape(value)).collect::<Vec<_>>().join("|");
    match operator {
        Operator::In | Operator::NotIn => Some(format!("^(?:{all})$")),
        Operator::StrStartsWith => Some(format!("^(?:{all})")),
        Operator::StrEndsWith => Some(format!("(?:{all})$")),
        Operator::StrContains => Some(format!("(?:{all})")),
        _ => None,
    }
}

/// The single value in the form that the engine's grammar has for it.
fn single_value(operator: Operator, value: &str) -> Cow<'_, str> {
    let normal = match operator {
        Operator::NumEq | Operator::NumGt | Operator::NumGte | Operator::NumLt | Operator::NumLte => {
            normal_form::number(value)
        }
        Operator::DateAfter | Operator::DateBefore => normal_form::date(value),
        Operator::SemverEq | Operator::SemverGt | Operator::SemverLt | Operator::SemverGte | Operator::SemverLte => {
            normal_form::version(value)
        }
        // What follows is not escaped then: an even number of backslashes stands for themselves, an odd one for no
        // pattern, and so does a bracket that was never opened.
        Operator::Regex if value.ends_with('\\') => Some(Cow::Owned(format!("{value}(?:)"))),
        _ => None,
    };
    normal.unwrap_or(Cow::Borrowed(value))
}

/// The engine cannot choose among variants that weigh nothing together.
pub(super) fn weigh_anything(mut weights: impl Iterator<Item = i32>) -> bool {
    weights.any(|weight| weight > 0)
}

fn strategy_variants(variants: &[StrategyVariant]) -> Vec<wire::StrategyVariant> {
    let variants: Vec<_> = variants
        .iter()
        .map(|variant| wire::StrategyVariant {
            name: variant.name.clone(),
            weight: weight(Some(variant.weight)),
            payload: variant.payload.as_ref().map(payload),
            stickiness: Some(variant.stickiness.clone()),
        })
        .collect();
    if weigh_anything(variants.iter().map(|variant| variant.weight)) { variants } else { Vec::new() }
}

fn variants(variants: &[FeatureVariant]) -> Vec<wire::Variant> {
    let variants: Vec<_> = variants
        .iter()
        .map(|variant| wire::Variant {
            name: variant.name.clone(),
            weight: weight(variant.weight.whole()),
            weight_type: None,
            stickiness: variant.stickiness.clone(),
            payload: variant.payload.as_ref().map(payload),
            overrides: variant.overrides.as_ref().map(|overrides| {
                let of = |one: &VariantOverride| wire::Override {
                    context_name: one.context_name.clone(),
                    values: one.values.clone(),
                };
                overrides.iter().map(of).collect()
            }),
        })
        .collect();
    if weigh_anything(variants.iter().map(|variant| variant.weight)) { variants } else { Vec::new() }
}

pub(super) fn weight(weight: Option<i64>) -> i32 {
    weight.and_then(|weight| i32::try_from(weight.clamp(0, 1000)).ok()).unwrap_or_default()
}

fn payload(payload: &Payload) -> wire::Payload {
    let kind = serde_json::to_value(payload.kind).unwrap_or_default();
    wire::Payload { payload_type: kind.as_str().unwrap_or_default().to_owned(), value: payload.value.clone() }
}
