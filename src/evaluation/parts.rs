//! Parts of rules, each compiled by the engine alone: constraints, and strategies without theirs.
//!
//! A part that many features have is compiled and kept once, and put to the engine once for each asker.

use std::{collections::HashMap, slice, sync::Arc};

use unleash_types::client_features as wire;
use unleash_yggdrasil::{
    state::EnrichedContext,
    strategy_parsing::{RuleFragment, compile_rule},
    strategy_upgrade::upgrade,
};

use super::{Asker, Condition, translation::strategy};

/// The different parts of some rules. A copy shares them until it gets more.
#[derive(Clone, Default)]
pub struct Parts(Arc<Table>);

#[derive(Clone, Default)]
struct Table {
    /// Places by the text that the engine reads.
    places: HashMap<Arc<str>, usize>,
    parts: Vec<Option<Arc<RuleFragment>>>,
    /// Places without a part.
    free: Vec<usize>,
}

impl std::fmt::Debug for Parts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.0.places.keys()).finish()
    }
}

impl Parts {
    /// The place of a constraint, unless the engine cannot read it.
    pub(super) fn constraint(&mut self, constraint: &wire::Constraint) -> Option<usize> {
        let constraints = Some(vec![constraint.clone()]);
        self.place(&wire::Strategy { constraints, ..strategy(&Condition::only([])) })
    }

    /// The place of a strategy, unless the engine cannot read it.
    pub(super) fn place(&mut self, strategy: &wire::Strategy) -> Option<usize> {
        let text = text(strategy)?;
        if let Some(place) = self.0.places.get(&*text) {
            return Some(*place);
        }
        let part = Some(Arc::new(compiled(&text)?));
        let Table { places, parts, free } = Arc::make_mut(&mut self.0);
        let place = if let Some(place) = free.pop() {
            parts[place] = part;
            place
        } else {
            parts.push(part);
            parts.len() - 1
        };
        places.insert(text.into(), place);
        Some(place)
    }

    /// Forgets all parts but those at these places.
    pub fn keep(&mut self, used: impl IntoIterator<Item = usize>) {
        let mut is_used = vec![false; self.0.parts.len()];
        for place in used {
            is_used[place] = true;
        }
        if self.0.places.values().all(|place| is_used[*place]) {
            return;
        }
        let Table { places, parts, free } = Arc::make_mut(&mut self.0);
        places.retain(|_, place| {
            if !is_used[*place] {
                parts[*place] = None;
                free.push(*place);
            }
            is_used[*place]
        });
    }

    /// Whether both share the same parts.
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Begins an evaluation for a context.
    pub fn evaluate_for<'a>(&'a self, asker: &'a Asker) -> PartResults<'a> {
        let context = EnrichedContext::from(&asker.0, "", None);
        PartResults { parts: &self.0.parts, asker, context, results: vec![None; self.0.parts.len()] }
    }
}

/// Results of the parts of rules for a context, as far as they were needed.
pub struct PartResults<'a> {
    parts: &'a [Option<Arc<RuleFragment>>],
    pub(super) asker: &'a Asker,
    context: EnrichedContext<'a>,
    results: Vec<Option<bool>>,
}

impl std::fmt::Debug for PartResults<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PartResults").field("asker", self.asker).field("results", &self.results).finish_non_exhaustive()
    }
}

impl PartResults<'_> {
    pub(super) fn holds(&mut self, place: usize) -> bool {
        let judge = || self.parts[place].as_ref().is_some_and(|part| part(&self.context));
        *self.results[place].get_or_insert_with(judge)
    }

    /// Evaluates a part that chance decides, without keeping the result.
    pub(super) fn draws(&self, part: &RuleFragment) -> bool {
        part(&self.context)
    }
}

/// A strategy as the engine judges it, unless it cannot be read.
pub(super) fn compile(strategy: &wire::Strategy) -> Option<RuleFragment> {
    text(strategy).and_then(|text| compiled(&text))
}

fn text(strategy: &wire::Strategy) -> Option<String> {
    upgrade(slice::from_ref(strategy), &HashMap::new()).ok()
}

fn compiled(text: &str) -> Option<RuleFragment> {
    compile_rule(text).ok()
}

#[cfg(test)]
mod tests {
    use flagstone_domain::{evaluation::Subject, time::Timestamp};
    use serde_json::json;

    use super::*;

    fn tier(parts: &mut Parts, tier: &str) -> Option<usize> {
        let constraint = json!({ "contextName": "tier", "operator": "IN", "values": [tier] });
        parts.constraint(&serde_json::from_value(constraint).expect("a constraint"))
    }

    #[test]
    fn a_place_that_nobody_uses_is_for_the_next_and_copies_keep_theirs() {
        let subject = Subject([("tier".to_owned(), "gold".to_owned())].into());
        let asker = Asker::new(&subject, "production", Timestamp::from_millis(0));
        let mut parts = Parts::default();
        let [tin, gold, again] = ["tin", "gold", "tin"].map(|name| tier(&mut parts, name).expect("readable"));
        assert_eq!([tin, gold, again], [0, 1, 0]);
        let before = parts.clone();
        parts.keep([gold, gold]);
        assert!(!parts.is(&before));
        let kept = parts.clone();
        parts.keep([gold]);
        assert!(parts.is(&kept), "nothing was to be forgotten");
        assert_eq!(tier(&mut parts, "lead"), Some(tin));
        assert_eq!(tier(&mut parts, "tin"), Some(2));
        assert_eq!([0, 1, 2].map(|place| parts.evaluate_for(&asker).holds(place)), [false, true, false]);
        assert_eq!([0, 1].map(|place| before.evaluate_for(&asker).holds(place)), [false, true]);
    }
}
