//! Changes that come about by themselves when others are applied.

use uuid::Uuid;

use super::action::{Action, Switch};
use crate::{
    strategy::FeatureStrategy,
    strategy_id::StrategyId,
    switching::{Preparation, is_disabled, preparation},
};

/// A change that comes about by itself.
#[derive(Debug, Clone, PartialEq)]
pub enum Consequence {
    /// The feature is switched on without a strategy, so that it gets this one.
    StrategyAdded(Box<FeatureStrategy>),
    /// The feature is switched off, since no strategy is left to decide for whom it is on.
    SwitchedOff,
}

impl Consequence {
    /// The switch of [`Consequence::SwitchedOff`].
    pub const SWITCH: Switch = Switch { enabled: false, should_activate_disabled_strategies: None };
}

/// Returns the change that comes about by itself when these changes of a feature with these strategies are applied in
/// their order, the last one where there are several. `first` is the strategy that a feature without one gets.
pub fn of<'a>(
    actions: impl IntoIterator<Item = &'a Action>,
    mut is_enabled: bool,
    mut strategies: Vec<FeatureStrategy>,
    first: impl Fn() -> FeatureStrategy,
) -> Option<Consequence> {
    let mut consequence = None;
    for action in actions {
        match action {
            Action::UpdateEnabled(switch) => {
                let activate = switch.should_activate_disabled_strategies.unwrap_or_default();
                let needed = preparation(is_enabled, &strategies, activate);
                is_enabled = switch.enabled;
                match needed {
                    Preparation::Add if switch.enabled => {
                        strategies.push(first());
                        consequence = Some(Consequence::StrategyAdded(Box::new(first())));
                    }
                    Preparation::Activate if switch.enabled => {
                        for strategy in &mut strategies {
                            strategy.disabled = None;
                        }
                    }
                    _ => {}
                }
                continue;
            }
            Action::AddStrategy(strategy) => {
                strategies.push(strategy.clone());
                continue;
            }
            Action::UpdateStrategy(update) => {
                for strategy in strategies.iter_mut().filter(|strategy| has_id(strategy, update.id)) {
                    *strategy = FeatureStrategy { id: strategy.id, ..update.strategy.clone() };
                }
            }
            Action::DeleteStrategy(deleted) => strategies.retain(|strategy| !has_id(strategy, deleted.id)),
            _ => continue,
        }
        if is_enabled && strategies.iter().all(is_disabled) {
            is_enabled = false;
            consequence = Some(Consequence::SwitchedOff);
        }
    }
    consequence
}

fn has_id(strategy: &FeatureStrategy, id: Uuid) -> bool {
    strategy.id == Some(StrategyId(id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::change_request::action::tests::{STRATEGY, sample};

    fn switch(enabled: bool, activate: bool) -> Action {
        Action::UpdateEnabled(Switch { enabled, should_activate_disabled_strategies: Some(activate) })
    }

    #[test]
    fn switching_on_needs_a_strategy_and_losing_the_last_one_switches_off() {
        let first = sample("addStrategy").proposed_strategy().cloned().expect("a strategy");
        let added = Some(Consequence::StrategyAdded(Box::new(first.clone())));
        let off = Some(Consequence::SwitchedOff);
        let (add, delete) = (sample("addStrategy"), sample("deleteStrategy"));
        let mut disable = sample("updateStrategy");
        let Action::UpdateStrategy(update) = &mut disable else { panic!("another action") };
        update.strategy.disabled = Some(Some(true).into());
        let ids = [Uuid::parse_str(STRATEGY).expect("an id"), Uuid::nil()];
        for (actions, is_enabled, disabled, expected) in [
            (vec![switch(true, false)], false, vec![], added.clone()),
            (vec![switch(true, true)], false, vec![], added.clone()),
            (vec![switch(true, false)], false, vec![true], added.clone()),
            (vec![switch(true, true)], false, vec![true], None),
            (vec![switch(true, false)], false, vec![true, false], None),
            (vec![switch(false, false)], true, vec![false], None),
            (vec![switch(false, false)], false, vec![], None),
            (vec![add.clone(), switch(true, false)], false, vec![], None),
            (vec![switch(true, false), add.clone()], false, vec![], added),
            (vec![delete.clone()], true, vec![false], off.clone()),
            (vec![delete.clone()], true, vec![false, false], None),
            (vec![delete.clone()], true, vec![false, true], off.clone()),
            (vec![delete.clone()], false, vec![false], None),
            (vec![add, delete.clone()], true, vec![false], None),
            (vec![disable.clone()], true, vec![false], off),
            (vec![disable], true, vec![false, false], None),
            (vec![switch(false, false), delete], true, vec![false], None),
        ] {
            let strategy = |(id, disabled): (Uuid, bool)| FeatureStrategy {
                id: Some(StrategyId(id)),
                disabled: Some(Some(disabled).into()),
                ..first.clone()
            };
            let strategies: Vec<_> = ids.into_iter().zip(disabled.iter().copied()).map(strategy).collect();
            let found = of(&actions, is_enabled, strategies, || first.clone());
            assert_eq!(found, expected, "{actions:?} {is_enabled} {disabled:?}");
        }
    }
}
