//! Switching a feature on: it must not be on for all users just because it has no strategy that says for whom.

use flagstone_wire::{Nullable, Number};

use crate::{
    ids::FeatureName,
    strategy::{DefaultStrategy, FeatureStrategy, Parameters, with_default_parameters},
};

/// The strategy that a feature gets where its project has named none.
const FALLBACK: &str = "flexibleRollout";
/// The parameter of a rollout that ties features together.
const GROUP: &str = "groupId";

/// Change of a feature's strategies before it is switched on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preparation {
    /// Nothing.
    None,
    /// Its disabled strategies take effect.
    Activate,
    /// It gets the default strategy.
    Add,
}

/// Whether a strategy is left out of evaluation.
pub fn is_disabled(strategy: &FeatureStrategy) -> bool {
    strategy.disabled.and_then(Nullable::into_inner).unwrap_or(false)
}

/// Returns the change that is needed before a feature with these strategies is switched on. `activate` says that
/// disabled ones shall take effect.
pub fn preparation(is_enabled: bool, strategies: &[FeatureStrategy], activate: bool) -> Preparation {
    if activate && strategies.iter().any(is_disabled) {
        Preparation::Activate
    } else if is_enabled || !strategies.iter().all(is_disabled) {
        Preparation::None
    } else {
        Preparation::Add
    }
}

/// The strategy that a feature gets when it is switched on without an enabled one: that of its project, or a rollout to
/// all users. It is enabled even if the project's is not, since it is there to decide.
pub fn first_strategy(
    default: Option<&DefaultStrategy>,
    feature: FeatureName<'_>,
    default_stickiness: &str,
    position: i64,
) -> FeatureStrategy {
    let name = default.map_or(FALLBACK, |default| &default.name);
    let mut parameters = default.and_then(|default| default.parameters.clone()).unwrap_or_default();
    // The project's cannot know the feature's name.
    if parameters.get(GROUP).is_some_and(String::is_empty) {
        parameters.remove(GROUP);
    }
    FeatureStrategy {
        id: None,
        name: name.to_owned(),
        title: Some(default.and_then(|default| default.title.clone()).unwrap_or_default()),
        disabled: Some(Nullable(Some(false))),
        feature_name: None,
        sort_order: Some(Number::from(position)),
        segments: Some(default.and_then(|default| default.segments.clone()).unwrap_or_default()),
        constraints: Some(default.and_then(|default| default.constraints.clone()).unwrap_or_default()),
        variants: Some(default.and_then(|default| default.variants.clone()).unwrap_or_default()),
        parameters: Some(with_default_parameters(name, parameters, feature, default_stickiness)),
    }
}

/// The strategy of another feature as one of its own: under no id, and grouped by the new name if it is grouped.
#[must_use]
pub fn regrouped(mut strategy: FeatureStrategy, name: &str) -> FeatureStrategy {
    if let Some(parameter) = strategy.parameters.as_mut().and_then(group_of) {
        name.clone_into(parameter);
    }
    FeatureStrategy { id: None, feature_name: None, ..strategy }
}

/// The strategy of another feature, the original, under no id, for the same people. A rollout that names no group is
/// grouped by the name of its feature, and would be by that of the copy.
#[must_use]
pub fn grouped_as_in(mut strategy: FeatureStrategy, original: &str) -> FeatureStrategy {
    if strategy.name == FALLBACK {
        let parameters = strategy.parameters.get_or_insert_default();
        parameters.entry(GROUP.to_owned()).or_insert_with(|| original.to_owned());
    }
    FeatureStrategy { id: None, feature_name: None, ..strategy }
}

fn group_of(parameters: &mut Parameters) -> Option<&mut String> {
    parameters.get_mut(GROUP)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strategy(disabled: bool) -> FeatureStrategy {
        FeatureStrategy {
            disabled: Some(Nullable(Some(disabled))),
            ..first_strategy(None, FeatureName::new("f"), "default", 0)
        }
    }

    #[test]
    fn a_feature_is_never_switched_on_without_an_enabled_strategy() {
        let (on, off) = (strategy(false), strategy(true));
        assert_eq!(preparation(false, &[], false), Preparation::Add);
        assert_eq!(preparation(false, &[], true), Preparation::Add);
        assert_eq!(preparation(false, std::slice::from_ref(&off), false), Preparation::Add);
        assert_eq!(preparation(false, std::slice::from_ref(&off), true), Preparation::Activate);
        assert_eq!(preparation(false, &[off.clone(), on.clone()], false), Preparation::None);
        assert_eq!(preparation(false, &[off.clone(), on.clone()], true), Preparation::Activate);
        assert_eq!(preparation(true, &[on], true), Preparation::None);
        assert_eq!(preparation(true, &[off], false), Preparation::None);
    }

    #[test]
    fn the_default_strategy_is_the_project_s_completed_for_the_feature() {
        let fallback = first_strategy(None, FeatureName::new("cart"), "userId", 2);
        assert_eq!(fallback.name, "flexibleRollout");
        let expected = [("groupId", "cart"), ("rollout", "100"), ("stickiness", "userId")];
        let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(fallback.parameters, Some(Parameters::from(expected)));
        let default: DefaultStrategy = serde_json::from_str(
            r#"{"name":"flexibleRollout","title":"Half","disabled":true,"parameters":{"rollout":"50","groupId":""}}"#,
        )
        .expect("a default strategy");
        let first = first_strategy(Some(&default), FeatureName::new("cart"), "default", 0);
        let parameters = first.parameters.clone().expect("parameters");
        assert_eq!((&*parameters["rollout"], &*parameters["groupId"]), ("50", "cart"));
        assert!(!is_disabled(&first));
        assert_eq!(first.title, Some(Nullable(Some("Half".to_owned()))));
    }

    #[test]
    fn a_copy_is_grouped_by_its_new_name_if_it_is_grouped() {
        let copy = regrouped(first_strategy(None, FeatureName::new("old"), "default", 0), "new");
        assert_eq!(copy.parameters.expect("parameters")["groupId"], "new");
        let plain = FeatureStrategy { parameters: Some(Parameters::new()), ..strategy(false) };
        assert_eq!(regrouped(plain, "new").parameters, Some(Parameters::new()));
    }

    #[test]
    fn a_copy_for_the_same_people_names_the_group_of_the_original() {
        let copy = grouped_as_in(first_strategy(None, FeatureName::new("group"), "default", 0), "old");
        assert_eq!(copy.parameters.expect("parameters")["groupId"], "group");
        for parameters in [None, Some(Parameters::new())] {
            let unsaid = FeatureStrategy { parameters, ..first_strategy(None, FeatureName::new("f"), "default", 0) };
            assert_eq!(grouped_as_in(unsaid, "old").parameters.expect("parameters")["groupId"], "old");
        }
        let other = FeatureStrategy { name: "userWithId".to_owned(), parameters: None, ..strategy(false) };
        assert_eq!(grouped_as_in(other, "old").parameters, None);
    }
}
