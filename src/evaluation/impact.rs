//! Impact of changes: features are evaluated before and after them for the same contexts.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use flagstone_domain::{
    evaluation::{CURRENT_TIME, Subject},
    impact::Configuration,
    time::Timestamp,
};

use super::{Asker, Choice, FeatureSet, Parts, knows, playground};

/// Most values of constraints by which the impact on a feature is split.
const MOST_VALUES: usize = 50;
/// Fields whose values are as many as there are contexts.
const IDS: [&str; 4] = ["userId", "sessionId", "remoteAddress", CURRENT_TIME];

/// Numbers of contexts for which an evaluation changes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Changed {
    /// Contexts that were evaluated.
    pub contexts: usize,
    /// Contexts for which the feature was on before.
    pub on_before: usize,
    /// Contexts for which it is on afterwards.
    pub on_after: usize,
    /// Contexts for which it is on only afterwards.
    pub gained: usize,
    /// Contexts for which it was on only before.
    pub lost: usize,
    /// Contexts for which it is on before and after, with another variant.
    pub variant: usize,
}

/// Impact on the contexts that have one value of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueImpact {
    /// Name of the field.
    pub field: String,
    /// The value; `None` for contexts without one.
    pub value: Option<String>,
    /// Contexts that changed.
    pub changed: Changed,
}

/// Reason why an impact is as it is, or why it may be another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// The feature is off in the environment before the changes.
    OffBefore,
    /// The feature is off in the environment after the changes.
    OffAfter,
    /// The feature is not there after the changes.
    GoneAfter,
    /// A strategy is of a type that only programs know: here it never holds.
    UnknownStrategy,
    /// The feature draws anew at each evaluation: the shares are right, the ids stand for draws.
    DrawsByChance,
    /// Constraints name more values of a field than contexts were made for.
    ValuesLeftOut,
    /// A constraint compares a field whose sampled values are hashed.
    HashedValues,
}

/// Impact on one feature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeatureImpact {
    /// Name of the feature.
    pub feature: String,
    /// Contexts that changed.
    pub changed: Changed,
    /// Contexts that changed by the values of the fields that its constraints compare, most changed ones first.
    pub by_value: Vec<ValueImpact>,
    /// Reasons, each once.
    pub reasons: BTreeSet<Reason>,
}

impl Changed {
    /// Contexts for which anything changes.
    pub const fn count(&self) -> usize {
        self.gained + self.lost + self.variant
    }

    fn add(&mut self, before: &(bool, Option<Choice>), after: &(bool, Option<Choice>)) {
        self.contexts += 1;
        self.on_before += usize::from(before.0);
        self.on_after += usize::from(after.0);
        match (before.0, after.0) {
            (false, true) => self.gained += 1,
            (true, false) => self.lost += 1,
            (true, true) if before.1 != after.1 => self.variant += 1,
            _ => {}
        }
    }

    /// Evaluations that would change of so many that were on and off.
    pub fn evaluations(&self, yes: i64, no: i64) -> i64 {
        let of = |evaluations: i64, changing: usize, contexts: usize| {
            let product = i128::from(evaluations.max(0)) * changing as i128;
            let rounded = if contexts == 0 { 0 } else { (product + contexts as i128 / 2) / contexts as i128 };
            i64::try_from(rounded).unwrap_or(i64::MAX)
        };
        let off_before = self.contexts - self.on_before;
        of(yes, self.lost + self.variant, self.on_before).saturating_add(of(no, self.gained, off_before))
    }
}

/// Evaluates features in both states, each for every context. Draws by chance must have been settled.
pub fn compare(
    environment: &str,
    (before, after): (&Configuration, &Configuration),
    names: &[String],
    contexts: &[Subject],
    now: Timestamp,
) -> Vec<FeatureImpact> {
    let mut parts = Parts::default();
    let was = FeatureSet::new(playground::rules(&before.features, &before.segments), &mut parts, now);
    let is = FeatureSet::new(playground::rules(&after.features, &after.segments), &mut parts, now);
    let places = |state: &Configuration| -> HashMap<String, usize> {
        state.features.iter().enumerate().map(|(place, feature)| (feature.name.clone(), place)).collect()
    };
    let (places_before, places_after) = (places(before), places(after));
    let mut tallies: Vec<Tally<'_>> = names
        .iter()
        .map(|name| Tally {
            name,
            before: places_before.get(name).copied(),
            after: places_after.get(name).copied(),
            changed: Changed::default(),
            fields: fields(name, [before, after]).into_iter().map(|field| (field, BTreeMap::new())).collect(),
        })
        .collect();
    for context in contexts {
        let asker = Asker::new(context, environment, now);
        let mut results = parts.evaluate_for(&asker);
        for tally in &mut tallies {
            let earlier = tally.before.map_or((false, None), |place| was.judge(place, tally.name, &mut results));
            let later = tally.after.map_or((false, None), |place| is.judge(place, tally.name, &mut results));
            tally.changed.add(&earlier, &later);
            for (field, values) in &mut tally.fields {
                let value = context.0.get(field).map(String::as_str);
                values.entry(value).or_default().add(&earlier, &later);
            }
        }
    }
    tallies.into_iter().map(|tally| tally.impact(before, after)).collect()
}

/// Count of one feature.
struct Tally<'a> {
    name: &'a str,
    before: Option<usize>,
    after: Option<usize>,
    changed: Changed,
    fields: Vec<(String, BTreeMap<Option<&'a str>, Changed>)>,
}

impl Tally<'_> {
    fn impact(self, before: &Configuration, after: &Configuration) -> FeatureImpact {
        let by_value = self.fields.into_iter().flat_map(|(field, values)| {
            values.into_iter().map(move |(value, changed)| ValueImpact {
                field: field.clone(),
                value: value.map(str::to_owned),
                changed,
            })
        });
        let mut by_value: Vec<ValueImpact> = by_value.collect();
        by_value.sort_by_key(|impact| std::cmp::Reverse(impact.changed.count()));
        by_value.truncate(MOST_VALUES);
        let (earlier, later) = (before.feature(self.name), after.feature(self.name));
        let mut reasons = BTreeSet::new();
        if earlier.is_some_and(|feature| !feature.enabled) {
            reasons.insert(Reason::OffBefore);
        }
        match later {
            None => drop(reasons.insert(Reason::GoneAfter)),
            Some(feature) if !feature.enabled => drop(reasons.insert(Reason::OffAfter)),
            Some(_) => {}
        }
        let mut strategies = earlier.into_iter().chain(later).flat_map(|feature| &feature.strategies);
        if strategies.any(|strategy| !knows(&strategy.name)) {
            reasons.insert(Reason::UnknownStrategy);
        }
        FeatureImpact { feature: self.name.to_owned(), changed: self.changed, by_value, reasons }
    }
}

/// Fields with few values that constraints of a feature compare.
fn fields(name: &str, states: [&Configuration; 2]) -> BTreeSet<String> {
    let compared = states
        .into_iter()
        .flat_map(|state| state.feature(name).into_iter().flat_map(move |feature| state.constraints(feature)));
    let named = compared.map(|constraint| constraint.context_name.clone());
    named.filter(|field| !IDS.contains(&field.as_str())).collect()
}

#[cfg(test)]
mod tests;
