//! Trials of integrations under way: apart from deliveries, so that neither holds up the other.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use flagstone_domain::share::may_take;
use flagstone_outbound::Outbound;

/// Trials at a time on a node, at most.
const TRIALS: usize = 8;
/// Share of one person, in multiples of the free places: half of all where no other person has any.
const TIMES_WHAT_IS_FREE: usize = 1;

/// Trials under way, by person.
#[derive(Debug)]
pub struct Trials {
    /// Way to the receivers.
    pub outbound: Outbound,
    by_person: Arc<ByPerson>,
}

#[derive(Debug, Default)]
struct ByPerson(Mutex<HashMap<i64, usize>>);

/// Refusal of a trial: there are too many at the moment, or too many of this person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooManyTrials;

impl Trials {
    pub(super) fn new(outbound: &Outbound) -> Self {
        Self { outbound: outbound.in_plain_http_too(TRIALS), by_person: Arc::default() }
    }

    /// Begins a trial for a person.
    pub fn begin(&self, person: i64) -> Result<Trial, TooManyTrials> {
        self.by_person.begin(person)
    }
}

impl ByPerson {
    fn lock(&self) -> MutexGuard<'_, HashMap<i64, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin(self: &Arc<Self>, person: i64) -> Result<Trial, TooManyTrials> {
        let mut by_person = self.lock();
        let free = TRIALS.saturating_sub(by_person.values().sum());
        let held = by_person.get(&person).copied().unwrap_or_default();
        if !may_take(held, free, TIMES_WHAT_IS_FREE) {
            return Err(TooManyTrials);
        }
        by_person.insert(person, held + 1);
        Ok(Trial { by_person: Arc::clone(self), person })
    }
}

/// A trial under way, which is no longer once this is dropped.
#[derive(Debug)]
pub struct Trial {
    by_person: Arc<ByPerson>,
    person: i64,
}

impl Drop for Trial {
    fn drop(&mut self) {
        let mut by_person = self.by_person.lock();
        if let Some(held) = by_person.get_mut(&self.person) {
            *held -= 1;
            if *held == 0 {
                by_person.remove(&self.person);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_person_leaves_trials_to_others() {
        let by_person: Arc<ByPerson> = Arc::default();
        let all_of = |person| -> Vec<Trial> { std::iter::from_fn(|| by_person.begin(person).ok()).collect() };
        let first = all_of(1);
        assert_eq!(first.len(), TRIALS / 2);
        let second = all_of(2);
        assert!(!second.is_empty() && by_person.begin(3).is_ok());
        drop((first, second));
        assert!(by_person.lock().is_empty());
    }
}
