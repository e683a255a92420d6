//! Recently used values, in bounded memory even if strangers choose the keys.

use std::{
    collections::HashMap,
    fmt,
    hash::Hash,
    mem,
    sync::{Mutex, MutexGuard, PoisonError},
};

use governor::{nanos::Nanos, state::StateStore};

/// Keys of a generation.
const GENERATION: usize = 20_000;

/// Values by key. Once there are 20,000 new ones, those are forgotten that were not read since the last time that there
/// were, so it never holds more than 40,000. A forgotten value counts as if it had never been: a flood of keys frees
/// others of their counts, and takes nothing from them.
pub struct Recent<K, V>(Mutex<Generations<K, V>>);

struct Generations<K, V> {
    young: HashMap<K, V>,
    old: HashMap<K, V>,
}

impl<K, V> Default for Recent<K, V> {
    fn default() -> Self {
        Self(Mutex::new(Generations { young: HashMap::new(), old: HashMap::new() }))
    }
}

impl<K, V> fmt::Debug for Recent<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Recent")
    }
}

impl<K: Eq + Hash + Copy, V: Copy> Recent<K, V> {
    /// The value of a key, if it is remembered; it is for longer then.
    pub fn get(&self, key: &K) -> Option<V> {
        self.lock().get(key)
    }

    /// Remembers a value.
    pub fn put(&self, key: K, value: V) {
        self.lock().put(key, value);
    }

    fn lock(&self) -> MutexGuard<'_, Generations<K, V>> {
        // A panic of another thread cannot leave the maps half-changed.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Eq + Hash + Copy, V: Copy> Generations<K, V> {
    fn get(&mut self, key: &K) -> Option<V> {
        let young = self.young.get(key).copied();
        young.or_else(|| self.old.remove(key).inspect(|value| self.put(*key, *value)))
    }

    fn put(&mut self, key: K, value: V) {
        if self.young.len() >= GENERATION && !self.young.contains_key(&key) {
            self.old = mem::take(&mut self.young);
        }
        self.young.insert(key, value);
    }
}

impl<K: Eq + Hash + Copy> StateStore for Recent<K, Nanos> {
    type Key = K;

    fn measure_and_replace<T, F, E>(&self, key: &K, measure: F) -> Result<T, E>
    where
        F: Fn(Option<Nanos>) -> Result<(T, Nanos), E>,
    {
        let mut generations = self.lock();
        let (outcome, count) = measure(generations.get(key))?;
        generations.put(*key, count);
        Ok(outcome)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_stays_and_what_is_not_goes_however_many_there_are() {
        let recent = Recent::default();
        recent.put(0, "kept");
        recent.put(1, "forgotten");
        for key in 2..200_000 {
            recent.put(key, "new");
            assert_eq!(recent.get(&0), Some("kept"));
        }
        assert_eq!((recent.get(&1), recent.get(&199_999)), (None, Some("new")));
        let generations = recent.lock();
        assert!(generations.young.len() <= GENERATION && generations.old.len() <= GENERATION);
    }
}
