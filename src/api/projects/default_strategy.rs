//! Default strategy of features in a body, before it is judged.

use std::collections::BTreeMap;

use poem_openapi::Object;

use crate::{
    changes::default_strategies::DefaultStrategyContent,
    domain::{constraint::Constraint, variant::StrategyVariant},
    wire::{AtMost, Nullable, Number},
};

/// A default strategy for features.
#[derive(Debug, Clone, PartialEq, Object)]
#[oai(rename = "DefaultStrategyChange", rename_all = "camelCase")]
pub struct DefaultStrategyInput {
    /// Name of the strategy type: `flexibleRollout`.
    #[oai(validator(min_length = 1, max_length = 100))]
    name: String,
    /// A descriptive title. Absent or `null`: none.
    #[oai(validator(max_length = 1000))]
    title: Option<Nullable<String>>,
    /// Whether the strategy is disabled initially. Absent or `null`: false.
    disabled: Option<Nullable<bool>>,
    /// Position among the strategies of the environment, lowest first. Absent: none.
    #[oai(validator(minimum(value = "0"), maximum(value = "1000000")))]
    sort_order: Option<Number>,
    /// Conditions that must all hold. Absent: none.
    constraints: Option<AtMost<1000, Constraint>>,
    /// Variants of the strategy; those with variable weight share what the fixed ones leave. Absent: none.
    variants: Option<AtMost<1000, StrategyVariant>>,
    /// Parameters of the strategy type, each as text. `rollout` is a share in percent, 0 to 100, stored without a fraction, and 100 when absent;
    /// `stickiness` is that of the project when absent; `groupId` is the feature's name when absent. At most 100, with
    /// names of at most 100 characters.
    #[oai(validator(max_length = 100_000))]
    parameters: Option<BTreeMap<String, String>>,
    /// Ids of the segments that apply, each of the whole instance or of this project. Absent: none.
    #[oai(validator(max_items = 1000, minimum(value = "1")))]
    segments: Option<Vec<i64>>,
}

impl From<DefaultStrategyInput> for DefaultStrategyContent {
    fn from(input: DefaultStrategyInput) -> Self {
        Self {
            name: input.name,
            title: input.title,
            disabled: input.disabled,
            sort_order: input.sort_order,
            constraints: input.constraints.map(|list| list.0).unwrap_or_default(),
            variants: input.variants.map(|list| list.0).unwrap_or_default(),
            parameters: input.parameters.unwrap_or_default(),
            segments: input.segments.unwrap_or_default(),
        }
    }
}
