//! Definition of a strategy, apart from where it stands.

use std::collections::BTreeSet;

use flagstone_wire::{Nullable, Number};
use uuid::Uuid;

use super::{FeatureStrategy, Parameters, normalize, with_default_parameters};
use crate::{
    constraint::Constraint,
    ids::FeatureName,
    strategy_id::StrategyId,
    variant::{StrategyVariant, VariantFault, balance_strategy},
};

/// A strategy without its id and its feature: nothing is absent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StrategyDefinition {
    /// Name of the strategy type.
    pub name: String,
    /// A descriptive title.
    pub title: Option<String>,
    /// Whether it is left out of evaluation.
    pub disabled: bool,
    /// Position within the environment, lowest first.
    pub sort_order: i64,
    /// Parameters of the strategy type.
    pub parameters: Parameters,
    /// Conditions that must all hold.
    pub constraints: Vec<Constraint>,
    /// Variants that it gives.
    pub variants: Vec<StrategyVariant>,
    /// Ids of segments that must all match, lowest first.
    pub segments: Vec<i64>,
}

impl From<FeatureStrategy> for StrategyDefinition {
    fn from(strategy: FeatureStrategy) -> Self {
        Self {
            name: strategy.name,
            title: strategy.title.and_then(Nullable::into_inner),
            disabled: strategy.disabled.and_then(Nullable::into_inner).unwrap_or_default(),
            sort_order: strategy.sort_order.and_then(Number::whole).unwrap_or_default(),
            parameters: strategy.parameters.unwrap_or_default(),
            constraints: strategy.constraints.unwrap_or_default(),
            variants: strategy.variants.unwrap_or_default(),
            segments: strategy.segments.unwrap_or_default().into_iter().filter_map(Number::whole).collect(),
        }
    }
}

impl StrategyDefinition {
    /// Returns the strategy as it is shown under an id. Events leave the feature's name out, which they have in another
    /// property.
    pub fn shown(&self, id: Uuid, feature: Option<&str>) -> FeatureStrategy {
        FeatureStrategy {
            id: Some(StrategyId(id)),
            name: self.name.clone(),
            title: Some(Nullable(self.title.clone())),
            disabled: Some(Nullable(Some(self.disabled))),
            feature_name: feature.map(str::to_owned),
            sort_order: Some(self.sort_order.into()),
            segments: Some(self.segments.iter().copied().map(Number::from).collect()),
            constraints: Some(self.constraints.clone()),
            variants: Some(self.variants.clone()),
            parameters: Some(self.parameters.clone()),
        }
    }

    /// Names of the context fields that it uses, if they exist.
    pub fn context_fields(&self) -> impl Iterator<Item = &str> {
        let constrained = self.constraints.iter().map(|constraint| &*constraint.context_name);
        let sticky = self.parameters.get("stickiness").into_iter();
        constrained.chain(sticky.chain(self.variants.iter().map(|variant| &variant.stickiness)).map(String::as_str))
    }

    /// Returns the strategy with the parameters that a new one of this type cannot do without.
    #[must_use]
    pub fn with_default_parameters(mut self, feature: FeatureName<'_>, default_stickiness: &str) -> Self {
        let given = std::mem::take(&mut self.parameters);
        self.parameters = with_default_parameters(&self.name, given, feature, default_stickiness);
        self
    }

    /// Returns the strategy in the form that is stored, which all SDKs read alike: variants balanced, values of
    /// constraints and parameters in their normal forms, each segment once. A strategy of no feature yet leaves the
    /// group to it.
    ///
    /// Parts that equal those of `before` are kept as they are: a change of something else is not meant to move users.
    pub fn settled(mut self, before: Option<&Self>, feature: Option<FeatureName<'_>>) -> Result<Self, VariantFault> {
        if before.is_none_or(|before| before.variants != self.variants) {
            self.variants = balance_strategy(self.variants)?;
        }
        let draws_as = |before: &Self| {
            before.name == self.name && before.parameters == self.parameters && before.variants == self.variants
        };
        if !before.is_some_and(draws_as) {
            normalize(&self.name, feature, &mut self.parameters, &mut self.variants);
        }
        let had = |stored: &Constraint| before.is_some_and(|before| before.constraints.contains(stored));
        let normal = |constraint: Constraint| {
            let stored = constraint.stored();
            if had(&stored) { stored } else { stored.normalized() }
        };
        self.constraints = self.constraints.into_iter().map(normal).collect();
        let segments: BTreeSet<i64> = self.segments.into_iter().collect();
        self.segments = segments.into_iter().collect();
        Ok(self)
    }
}
