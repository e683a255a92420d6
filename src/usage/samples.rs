//! Samples of the contexts that this node evaluates, from which the impact of changes is estimated. Off unless the operator
//! asks for them; in memory alone, bounded, and gone after a day.

use std::{
    collections::{HashMap, VecDeque},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use flagstone_chance as chance;
use flagstone_domain::{
    evaluation::{CURRENT_TIME, Subject},
    impact::{MADE_CONTEXTS, is_identity},
    time::{HOUR_MS, Timestamp},
};
use ring::hmac;

/// Hours that are kept.
const HOURS: i64 = 24;
/// Contexts of one hour and environment.
const EACH_HOUR: usize = MADE_CONTEXTS / 24 + 1;
/// Environments of which contexts are kept.
const ENVIRONMENTS: usize = 16;
/// Largest sum of the lengths of a context's names and values.
const LARGEST: usize = 2048;
/// Bytes of a hash in the place of a value.
const HASH_BYTES: usize = 12;

/// Sampled contexts by environment.
#[derive(Debug)]
pub struct ContextSamples {
    /// Each so many-th evaluation is sampled; none for 0.
    every: u64,
    evaluations: AtomicU64,
    /// Key of the hashes, never stored: hashes of other nodes, and of before a restart, differ.
    key: hmac::Key,
    environments: Mutex<HashMap<String, VecDeque<Hour>>>,
}

/// Contexts of one hour, each evaluation having the same chance to be among them.
#[derive(Debug)]
struct Hour {
    /// Number of the hour.
    number: i64,
    /// Contexts that were offered.
    offered: u64,
    contexts: Vec<Subject>,
}

impl ContextSamples {
    /// Samples each so many-th evaluation; none for 0.
    pub fn every(every: u64) -> Self {
        let secret: [u8; 32] = std::array::from_fn(|_| u8::try_from(chance::below(256)).unwrap_or_default());
        Self {
            every,
            evaluations: AtomicU64::new(0),
            key: hmac::Key::new(hmac::HMAC_SHA256, &secret),
            environments: Mutex::default(),
        }
    }

    /// Takes note of an evaluation. Costs a look at a number where samples are off, and counting where they are on.
    pub fn offer(&self, environment: &str, subject: &Subject, now: Timestamp) {
        if self.every == 0 || !self.evaluations.fetch_add(1, Ordering::Relaxed).is_multiple_of(self.every) {
            return;
        }
        let size: usize = subject.0.iter().map(|(name, value)| name.len() + value.len()).sum();
        if size > LARGEST {
            return;
        }
        let sample = self.hashed(subject);
        let number = now.millis().div_euclid(HOUR_MS);
        let mut environments = self.environments.lock().unwrap_or_else(PoisonError::into_inner);
        if !environments.contains_key(environment) && environments.len() >= ENVIRONMENTS {
            return;
        }
        let hours = environments.entry(environment.to_owned()).or_default();
        while hours.front().is_some_and(|hour| hour.number <= number - HOURS) {
            hours.pop_front();
        }
        if hours.back().is_none_or(|hour| hour.number < number) {
            hours.push_back(Hour { number, offered: 0, contexts: Vec::new() });
        }
        if let Some(hour) = hours.back_mut() {
            hour.add(sample);
        }
    }

    /// Contexts of the last day in an environment, so many at most, hours with more evaluations having more of them.
    pub fn of(&self, environment: &str, most: usize, now: Timestamp) -> Vec<Subject> {
        let oldest = now.millis().div_euclid(HOUR_MS) - HOURS;
        let environments = self.environments.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = environments.get(environment).into_iter().flatten().filter(|hour| hour.number > oldest);
        let kept: Vec<&Hour> = kept.collect();
        let offered: u64 = kept.iter().map(|hour| hour.offered).sum();
        // As many as the hour that was cut most allows without counting for less than the others.
        let rates = kept.iter().map(|hour| (hour.contexts.len() as u128, u128::from(hour.offered.max(1))));
        let most = (most as u128, u128::from(offered.max(1)));
        let (kept_of, all) = rates.fold(most, |one, other| if other.0 * one.1 < one.0 * other.1 { other } else { one });
        let share = |hour: &Hour| {
            let rounded = (u128::from(hour.offered) * kept_of + all / 2) / all;
            usize::try_from(rounded).unwrap_or(usize::MAX)
        };
        kept.into_iter().flat_map(|hour| hour.contexts.iter().take(share(hour)).cloned()).collect()
    }

    fn hashed(&self, subject: &Subject) -> Subject {
        let kept = subject.0.iter().filter(|(name, _)| *name != CURRENT_TIME);
        let values = kept.map(|(name, value)| {
            let value = if is_identity(name, value) { self.hash(value) } else { value.clone() };
            (name.clone(), value)
        });
        Subject(values.collect())
    }

    /// Hash of a value, the same in every field.
    fn hash(&self, value: &str) -> String {
        let tag = hmac::sign(&self.key, value.as_bytes());
        hex::encode(&tag.as_ref()[..HASH_BYTES])
    }
}

impl Hour {
    fn add(&mut self, sample: Subject) {
        self.offered += 1;
        if self.contexts.len() < EACH_HOUR {
            self.contexts.push(sample);
            return;
        }
        let bound = u32::try_from(self.offered).unwrap_or(u32::MAX);
        if let Some(place) = self.contexts.get_mut(chance::below(bound) as usize) {
            *place = sample;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOON: Timestamp = Timestamp::from_millis(12 * HOUR_MS);

    fn subject(user: &str, region: &str) -> Subject {
        Subject([("userId", user), ("region", region)].map(|(name, value)| (name.to_owned(), value.to_owned())).into())
    }

    #[test]
    fn nothing_is_kept_unless_it_is_asked_for_and_then_each_so_many_th() {
        for (every, kept) in [(0, 0), (1, 100), (10, 10)] {
            let samples = ContextSamples::every(every);
            (0..100).for_each(|user| samples.offer("production", &subject(&user.to_string(), "north"), NOON));
            assert_eq!(samples.of("production", 1000, NOON).len(), kept, "{every}");
            assert!(samples.of("development", 1000, NOON).is_empty());
        }
    }

    #[test]
    fn ids_are_hashed_the_same_each_time_and_other_values_stay() {
        let samples = ContextSamples::every(1);
        for user in ["zoe", "zoe", "ben"] {
            let mut subject = subject(user, "north");
            subject.0.insert(CURRENT_TIME.to_owned(), "2026-01-15T12:00:00Z".to_owned());
            subject.0.insert("contact".to_owned(), format!("{user}@example.com"));
            samples.offer("production", &subject, NOON);
        }
        let kept = samples.of("production", 10, NOON);
        assert_eq!((kept.len(), &kept[0]), (3, &kept[1]));
        assert_ne!(kept[0].0["userId"], kept[2].0["userId"]);
        for context in &kept {
            assert_eq!(context.0.keys().map(String::as_str).collect::<Vec<_>>(), ["contact", "region", "userId"]);
            assert_eq!((context.0["region"].as_str(), context.0["userId"].len()), ("north", 2 * HASH_BYTES));
            let text = format!("{context:?}");
            assert!(!text.contains("zoe") && !text.contains("ben"), "{text}");
        }
        let other = ContextSamples::every(1);
        other.offer("production", &subject("zoe", "north"), NOON);
        assert_ne!(other.of("production", 1, NOON)[0].0["userId"], kept[0].0["userId"]);
    }

    #[test]
    fn memory_is_bounded_and_a_day_is_enough() {
        let samples = ContextSamples::every(1);
        for user in 0..3 * EACH_HOUR {
            samples.offer("production", &subject(&user.to_string(), "north"), NOON);
        }
        assert_eq!(samples.of("production", MADE_CONTEXTS, NOON).len(), EACH_HOUR);
        let long = subject("ada", &"x".repeat(LARGEST));
        samples.offer("staging", &long, NOON);
        assert!(samples.of("staging", 1, NOON).is_empty());
        for environment in 0..2 * ENVIRONMENTS {
            samples.offer(&environment.to_string(), &subject("ada", "north"), NOON);
        }
        assert_eq!(samples.environments.lock().expect("unpoisoned").len(), ENVIRONMENTS);
        let later = |hours: i64| NOON.plus_millis(hours * HOUR_MS);
        assert_eq!(samples.of("production", MADE_CONTEXTS, later(23)).len(), EACH_HOUR);
        assert!(samples.of("production", MADE_CONTEXTS, later(24)).is_empty());
        samples.offer("production", &subject("ada", "south"), later(24));
        assert_eq!(samples.environments.lock().expect("unpoisoned")["production"].len(), 1);
    }

    #[test]
    fn an_hour_with_more_evaluations_has_more_of_the_contexts() {
        let samples = ContextSamples::every(1);
        for user in 0..4 * EACH_HOUR {
            samples.offer("production", &subject(&user.to_string(), "busy"), NOON);
        }
        for user in 0..EACH_HOUR {
            samples.offer("production", &subject(&user.to_string(), "calm"), NOON.plus_millis(HOUR_MS));
        }
        let kept = samples.of("production", MADE_CONTEXTS, NOON.plus_millis(HOUR_MS));
        let of = |region: &str| kept.iter().filter(|context| context.0["region"] == region).count();
        assert_eq!((of("busy"), of("calm")), (EACH_HOUR, EACH_HOUR / 4));
    }
}
