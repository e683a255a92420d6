//! Whether a change could be made directly, by the rules for direct calls.

use std::collections::HashSet;

use super::{
    Target,
    action::{Action, SegmentUpdate, StrategyPosition},
};
use crate::{
    address::{self, Named},
    constraint,
    dependency::{self, ParentCandidate},
    ids::{FeatureName, ProjectId},
    segment::value_count,
    strategy::{FeatureStrategy, StrategyBounds, StrategyDefinition, StrategyRefusal, Surroundings},
    variant::{FeatureVariant, VariantFault, balance_feature},
};

/// Reason why a change cannot be recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ActionRefusal {
    /// A part of it is wrong.
    Invalid {
        /// JSON pointer from the change to that part.
        pointer: String,
        /// The end of a sentence that starts with that part.
        reason: String,
    },
    /// It holds more than it may: a sentence.
    TooMany(String),
}

impl ActionRefusal {
    /// Returns the refusal of a part.
    pub(super) fn invalid(pointer: &str, reason: impl Into<String>) -> Self {
        Self::Invalid { pointer: pointer.to_owned(), reason: reason.into() }
    }
}

impl From<StrategyRefusal> for ActionRefusal {
    fn from(refusal: StrategyRefusal) -> Self {
        match refusal {
            StrategyRefusal::Invalid { pointer, reason } => {
                Self::Invalid { pointer: format!("/payload{pointer}"), reason }
            }
            StrategyRefusal::TooMany(message) => Self::TooMany(message),
        }
    }
}

/// Stored state that a change is judged by.
#[derive(Debug, Clone, Copy)]
pub struct Circumstances<'a> {
    /// Id of the project.
    pub project: &'a str,
    /// Bounds of strategies.
    pub bounds: &'a StrategyBounds,
    /// Most values that the constraints of a segment list.
    pub segment_values: u64,
    /// Strategy type, context fields and segments that the change names, as far as they exist.
    pub surroundings: &'a Surroundings,
    /// The strategy that the change replaces.
    pub strategy: Option<&'a StrategyDefinition>,
    /// Number of strategies that the feature has in the environment.
    pub strategies: u64,
    /// The feature that the change makes another depend on, if it exists.
    pub parent: Option<&'a ParentCandidate>,
    /// Whether other features depend on the feature of the change.
    pub has_children: bool,
}

/// Whether an action fits its target: those of segments have no feature, and all others have one.
pub fn target(feature: Option<(&str, Option<i64>)>, action: &Action) -> Result<Target, ActionRefusal> {
    match (feature, action.segment()) {
        (None, Some(id)) => Ok(Target::Segment(id)),
        (Some((name, id)), None) => Ok(Target::Feature { name: name.to_owned(), id }),
        (None, None) => Err(ActionRefusal::invalid("/feature", format!("is missing; {} needs one", action.name()))),
        (Some(_), Some(_)) => Err(ActionRefusal::invalid(
            "/feature",
            format!("must be absent, since {} changes a segment", action.name()),
        )),
    }
}

/// Whether an action could be taken directly. What needs the database, such as whether a name is free, is found when it
/// is applied.
pub fn judge(target: &Target, action: &Action, around: &Circumstances<'_>) -> Result<(), ActionRefusal> {
    match action {
        Action::AddStrategy(strategy) => {
            if around.strategies >= around.bounds.strategies {
                return Err(ActionRefusal::TooMany(format!(
                    "A feature may have at most {} strategies in an environment.",
                    around.bounds.strategies
                )));
            }
            judge_strategy(strategy, None, target, around)
        }
        Action::UpdateStrategy(update) => judge_strategy(&update.strategy, around.strategy, target, around),
        Action::ReorderStrategy(positions) => judge_positions(positions),
        Action::PatchVariant(list) => judge_variants(&list.variants),
        Action::AddDependency(dependency) => {
            let child = target.feature().unwrap_or_default();
            if dependency.enabled == Some(false) && dependency.variants.as_ref().is_some_and(|list| !list.is_empty()) {
                return Err(ActionRefusal::invalid("/payload/variants", "must be absent when `enabled` is false"));
            }
            let (child, parent) = (FeatureName::new(child), FeatureName::new(&dependency.feature));
            dependency::judge(child, around.has_children, ProjectId::new(around.project), parent, around.parent)
                .map(|_| ())
                .map_err(|refusal| ActionRefusal::invalid("/payload/feature", refusal.to_string()))
        }
        Action::UpdateSegment(update) => judge_segment(update, around),
        Action::UpdateEnabled(_)
        | Action::DeleteStrategy(_)
        | Action::ArchiveFeature
        | Action::DeleteDependency
        | Action::DeleteSegment(_) => Ok(()),
        Action::Unreadable(_) => Err(ActionRefusal::invalid("/action", "cannot be read")),
    }
}

fn judge_strategy(
    strategy: &FeatureStrategy,
    before: Option<&StrategyDefinition>,
    target: &Target,
    around: &Circumstances<'_>,
) -> Result<(), ActionRefusal> {
    let definition = StrategyDefinition::from(strategy.clone());
    definition.check_size(before, around.bounds)?;
    definition.judge(before, around.surroundings, around.project)?;
    let names = names_of(&definition.variants, |variant| &variant.name);
    let feature = target.feature().map(FeatureName::new);
    definition.settled(before, feature).map(|_| ()).map_err(|fault| unusable_variants(&names, &fault))
}

fn judge_positions(positions: &[StrategyPosition]) -> Result<(), ActionRefusal> {
    let mut seen = HashSet::new();
    for (index, position) in positions.iter().enumerate() {
        if !seen.insert(position.id) {
            return Err(ActionRefusal::invalid(&format!("/payload/{index}/id"), "names a strategy twice"));
        }
        if position.sort_order.whole().is_none() {
            return Err(ActionRefusal::invalid(&format!("/payload/{index}/sortOrder"), "must be a whole number"));
        }
    }
    if positions.is_empty() { Err(ActionRefusal::invalid("/payload", "must name strategies")) } else { Ok(()) }
}

fn judge_variants(variants: &[FeatureVariant]) -> Result<(), ActionRefusal> {
    let names = names_of(variants, |variant| &variant.name);
    balance_feature(variants.to_vec()).map(|_| ()).map_err(|fault| unusable_variants(&names, &fault))
}

fn names_of<V>(variants: &[V], name: impl Fn(&V) -> &String) -> Vec<String> {
    variants.iter().map(|variant| name(variant).clone()).collect()
}

fn unusable_variants(names: &[String], fault: &VariantFault) -> ActionRefusal {
    ActionRefusal::invalid(&format!("/payload/variants{}", fault.pointer(names)), format!("cannot be used: {fault}"))
}

fn judge_segment(update: &SegmentUpdate, around: &Circumstances<'_>) -> Result<(), ActionRefusal> {
    address::judge(Named::Segment, &update.name)
        .map_err(|fault| ActionRefusal::invalid("/payload/name", fault.to_string()))?;
    // Through another project, the segment would leave those who approve changes of it.
    if let Some(project) = &update.project
        && project.0.as_deref() != Some(around.project)
    {
        return Err(ActionRefusal::invalid("/payload/project", "must be the project of the change request"));
    }
    let (values, limit) = (value_count(&update.constraints), around.segment_values);
    if values > limit {
        return Err(ActionRefusal::TooMany(format!(
            "The constraints of a segment list at most {limit} values; these list {values}."
        )));
    }
    match constraint::judge(&update.constraints, &around.surroundings.legal_values).into_iter().next() {
        Some(misfit) => {
            let pointer = format!("/payload/constraints/{}{}", misfit.index, misfit.reason.pointer());
            Err(ActionRefusal::invalid(&pointer, misfit.reason.to_string()))
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use serde_json::{Value, json};

    use super::*;
    use crate::change_request::action::tests::{sample, samples};

    const BOUNDS: StrategyBounds = StrategyBounds { strategies: 2, constraints: 1, constraint_values: 3, segments: 1 };

    fn surroundings() -> Surroundings {
        Surroundings {
            has_type: true,
            legal_values: HashMap::from([("userId".to_owned(), HashSet::new())]),
            segments: HashMap::from([(7, Some("shop".to_owned()))]),
        }
    }

    fn parent() -> ParentCandidate {
        ParentCandidate { id: 9, project: "shop".to_owned(), is_archived: false, is_child: false }
    }

    /// Judges an action on the feature `cart`, or on the segment that it names.
    fn judged(action: &Action, adjust: impl FnOnce(&mut Circumstances<'_>)) -> Result<(), ActionRefusal> {
        judged_after(None, action, adjust)
    }

    /// Judges an action as [`judged`] does, on a strategy as it was before.
    fn judged_after(
        before: Option<&StrategyDefinition>,
        action: &Action,
        adjust: impl FnOnce(&mut Circumstances<'_>),
    ) -> Result<(), ActionRefusal> {
        let (surroundings, parent) = (surroundings(), parent());
        let mut around = Circumstances {
            project: "shop",
            bounds: &BOUNDS,
            segment_values: 3,
            surroundings: &surroundings,
            strategy: before,
            strategies: 1,
            parent: Some(&parent),
            has_children: false,
        };
        adjust(&mut around);
        let feature = action.segment().is_none().then_some(("cart", Some(1)));
        judge(&target(feature, action).expect("a target"), action, &around)
    }

    /// The sample of an action with one part of its payload replaced.
    fn with(name: &str, pointer: &str, part: Value) -> Action {
        let (_, payload) = samples().into_iter().find(|(sample, _)| *sample == name).expect("a sample");
        let mut payload = payload.expect("a payload");
        *payload.pointer_mut(pointer).expect("a part") = part;
        Action::read(name, Some(payload)).expect("an action")
    }

    fn pointer(judged: Result<(), ActionRefusal>) -> String {
        match judged {
            Err(ActionRefusal::Invalid { pointer, .. }) => pointer,
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn what_could_be_done_directly_can_be_recorded() {
        for name in Action::NAMES {
            assert_eq!(judged(&sample(name), |_| {}), Ok(()), "{name}");
        }
    }

    #[test]
    fn segments_have_no_feature_and_everything_else_has_one() {
        for name in Action::NAMES {
            let action = sample(name);
            let is_of_segment = action.segment().is_some();
            assert_eq!(target(None, &action).is_ok(), is_of_segment, "{name}");
            assert_eq!(target(Some(("cart", None)), &action).is_ok(), !is_of_segment, "{name}");
        }
    }

    #[test]
    fn the_judges_of_direct_calls_refuse_with_the_place_in_the_payload() {
        for (action, expected) in [
            (with("addStrategy", "/segments", json!([8])), "/payload/segments"),
            (with("addStrategy", "/constraints/0/contextName", json!("plan")), "/payload/constraints/0/contextName"),
            (with("updateStrategy", "/parameters/rollout", json!("101")), "/payload/parameters/rollout"),
            (with("updateStrategy", "/variants/0/name", json!("")), "/payload/variants/0/name"),
            (with("patchVariant", "/variants/0/weightType", json!("fix")), "/payload/variants"),
            (with("reorderStrategy", "/0/sortOrder", json!(1.5)), "/payload/0/sortOrder"),
            (with("addDependency", "/feature", json!("cart")), "/payload/feature"),
            (with("addDependency", "/enabled", json!(false)), "/payload/variants"),
            (with("updateSegment", "/name", json!("..")), "/payload/name"),
            (with("updateSegment", "/project", json!("bank")), "/payload/project"),
            (with("updateSegment", "/constraints/0/contextName", json!("plan")), "/payload/constraints/0/contextName"),
            (Action::ReorderStrategy(Vec::new()), "/payload"),
        ] {
            assert_eq!(pointer(judged(&action, |_| {})), expected, "{action:?}");
        }
        let twice = json!([{ "id": super::super::action::tests::STRATEGY, "sortOrder": 1 }]);
        let twice = [twice[0].clone(), twice[0].clone()];
        let twice = Action::read("reorderStrategy", Some(twice.to_vec().into())).expect("an action");
        assert_eq!(pointer(judged(&twice, |_| {})), "/payload/1/id");
    }

    #[test]
    fn what_is_stored_decides_too() {
        let (add, depend) = (sample("addStrategy"), sample("addDependency"));
        assert!(matches!(judged(&add, |around| around.strategies = 2), Err(ActionRefusal::TooMany(_))));
        assert_eq!(pointer(judged(&add, |around| around.project = "bank")), "/payload/segments");
        assert_eq!(pointer(judged(&depend, |around| around.parent = None)), "/payload/feature");
        assert_eq!(pointer(judged(&depend, |around| around.has_children = true)), "/payload/feature");
        let many = with("updateSegment", "/constraints/0/values", json!(["1", "2", "3", "4"]));
        assert!(matches!(judged(&many, |_| {}), Err(ActionRefusal::TooMany(_))));
        let many = with("updateStrategy", "/constraints/0/values", json!(["1", "2", "3", "4"]));
        assert!(matches!(judged(&many, |_| {}), Err(ActionRefusal::TooMany(_))));
        // What a strategy has beyond a limit it may keep.
        let Action::UpdateStrategy(update) = &many else { panic!("another action") };
        let before = StrategyDefinition::from(update.strategy.clone());
        assert_eq!(judged_after(Some(&before), &many, |_| {}), Ok(()));
    }
}
