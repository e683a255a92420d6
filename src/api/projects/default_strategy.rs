//! Default strategy of features in a body, before it is judged.

use std::collections::BTreeMap;

use poem_openapi::Object;

use crate::{
    api::strategies::admitted,
    domain::{
        constraint::Constraint,
        project::document::ProjectDocument,
        strategy::{DefaultStrategy, Parameters, StrategyDefinition, with_default_parameters},
        variant::StrategyVariant,
    },
    error::Error,
    state::State,
    store::db::Tx,
    wire::{AtMost, Nullable, Number},
};

/// The one type of strategy that features can start with.
const KIND: &str = "flexibleRollout";

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

impl DefaultStrategyInput {
    /// The strategy as it is stored in place of `before`. `place` is where in the body it stands.
    pub(super) async fn judged(
        self,
        state: &State,
        tx: &Tx,
        project: &ProjectDocument,
        before: Option<&DefaultStrategy>,
        place: &str,
    ) -> Result<DefaultStrategy, Error> {
        let at = |member: &str, reason: String| Error::property(format!("{place}/{member}"), reason);
        if self.name != KIND {
            return Err(at("name", format!("must be {KIND}, the one type that features can start with")));
        }
        let parameters = parameters(self.parameters.unwrap_or_default(), &project.default_stickiness);
        let definition = StrategyDefinition {
            name: self.name,
            parameters,
            constraints: self.constraints.map(|list| list.0).unwrap_or_default(),
            variants: self.variants.map(|list| list.0).unwrap_or_default(),
            segments: self.segments.unwrap_or_default(),
            ..StrategyDefinition::default()
        };
        let before = before.map(stored_definition);
        let admitted = admitted(tx, state, &project.id, None, place, before.as_ref(), definition).await?;
        Ok(DefaultStrategy {
            name: admitted.name,
            title: self.title,
            disabled: self.disabled,
            sort_order: self.sort_order,
            constraints: Some(admitted.constraints),
            variants: Some(admitted.variants),
            parameters: Some(admitted.parameters),
            segments: Some(admitted.segments.into_iter().map(Number::from).collect()),
        })
    }
}

/// The part of a stored strategy that is judged.
fn stored_definition(stored: &DefaultStrategy) -> StrategyDefinition {
    StrategyDefinition {
        name: stored.name.clone(),
        parameters: stored.parameters.clone().unwrap_or_default(),
        constraints: stored.constraints.clone().unwrap_or_default(),
        variants: stored.variants.clone().unwrap_or_default(),
        segments: stored.segments.iter().flatten().filter_map(|id| id.whole()).collect(),
        ..StrategyDefinition::default()
    }
}

/// The parameters with what a rollout needs.
fn parameters(given: Parameters, stickiness: &str) -> Parameters {
    let has_group = given.contains_key("groupId");
    let mut parameters = with_default_parameters(KIND, given, "", stickiness);
    if !has_group {
        // Each feature fills in its own name.
        parameters.remove("groupId");
    }
    parameters
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rollout_has_a_share_and_leaves_its_group_to_the_feature() {
        let given = |pairs: &[(&str, &str)]| {
            pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect::<Parameters>()
        };
        let filled = given(&[("rollout", "100"), ("stickiness", "userId")]);
        assert_eq!(parameters(Parameters::new(), "userId"), filled);
        let whole = given(&[("groupId", "g"), ("rollout", "12.5"), ("stickiness", "random")]);
        assert_eq!(parameters(whole.clone(), "userId"), whole);
    }
}
