//! What programs report, gathered in memory until a job writes it. Whatever they report, it does not grow beyond
//! bounds.

use std::{
    collections::{BTreeSet, HashMap},
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
};

use crate::{
    domain::{
        actor::Actor,
        event::NewEvent,
        event_kind::EventKind,
        time::Timestamp,
        usage::{Gathered, HeardApplication, HeardInstance, InstanceKey, Tally, TallyKey, is_name},
    },
    state::State,
    store::{self, StoreError},
};

/// Tallies that are gathered between two writes.
const TALLIES: usize = 100_000;
/// Counts of variants that are gathered between two writes.
const VARIANTS: usize = 200_000;
/// Applications that are noted between two writes.
const APPLICATIONS: usize = 2_000;
/// Running copies that are noted between two writes.
const INSTANCES: usize = 20_000;
/// How long a running copy counts that is not heard of again: programs report once a minute.
const LATELY_MS: i64 = 5 * 60_000;
/// Projects that are noted of an application between two writes.
const PROJECTS: usize = 1_000;
/// Strategy names that are kept of an application.
const STRATEGIES: usize = 200;
/// Bytes of them.
const STRATEGY_BYTES: usize = 8 << 10;

/// What a program says about itself.
#[derive(Debug, Clone, Default)]
pub struct Introduction {
    /// Name of the application.
    pub application: String,
    /// Name of the running copy, if it gave one.
    pub instance: Option<String>,
    /// Name of the environment.
    pub environment: String,
    /// Name and version of the SDK.
    pub sdk_version: Option<String>,
    /// Names of the strategies that it knows.
    pub strategies: Vec<String>,
    /// Name of the token that it came with.
    pub token: String,
    /// Ids of the projects that the token names; none where it reaches all.
    pub projects: Vec<String>,
}

#[derive(Debug, Default)]
struct Notes {
    tallies: HashMap<TallyKey, Tally>,
    variants: usize,
    evaluated: HashMap<(String, String), Timestamp>,
    applications: HashMap<String, HeardApplication>,
    instances: HashMap<InstanceKey, HeardInstance>,
    tokens: HashMap<i64, Timestamp>,
    dropped: u64,
}

/// How much is gathered, for the metrics.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Buffered {
    /// Counts of features that wait to be written.
    pub tallies: usize,
    /// Applications and running copies that wait to be written.
    pub programs: usize,
    /// Reports that were left out since the start for want of room.
    pub dropped: u64,
}

/// What programs reported and nobody has written yet. One for each node.
#[derive(Debug, Default)]
pub struct Usage {
    notes: Mutex<Notes>,
    /// When running copies were heard of lately, where somebody counts them.
    lately: Option<Mutex<HashMap<InstanceKey, Timestamp>>>,
    dropped_before: AtomicU64,
}

impl Usage {
    /// One that counts the running copies, too: for who has no database that tells of them.
    pub fn counting_programs() -> Self {
        Self { lately: Some(Mutex::default()), ..Self::default() }
    }

    /// Counts evaluations.
    pub fn count(&self, key: TallyKey, tally: Tally, now: Timestamp) {
        if tally.is_empty() {
            return;
        }
        let mut notes = self.lock();
        let evaluated = (key.feature.clone(), key.environment.clone());
        if notes.add(key, tally) {
            notes.evaluated.insert(evaluated, now);
        }
    }

    /// Notes that a program runs.
    pub fn heard(&self, introduction: Introduction, now: Timestamp) {
        if !is_name(&introduction.application) {
            return;
        }
        let mut notes = self.lock();
        let name = introduction.application;
        let known = notes.applications.contains_key(&name);
        if !known && notes.applications.len() >= APPLICATIONS {
            notes.dropped += 1;
            return;
        }
        let fresh = || HeardApplication {
            strategies: Vec::new(),
            token: introduction.token,
            projects: BTreeSet::new(),
            at: now,
        };
        let application = notes.applications.entry(name.clone()).or_insert_with(fresh);
        application.at = application.at.max(now);
        let room = PROJECTS.saturating_sub(application.projects.len());
        application.projects.extend(introduction.projects.into_iter().take(room));
        if !introduction.strategies.is_empty() {
            let names = introduction.strategies.into_iter().filter(|name| is_name(name)).take(STRATEGIES);
            let mut bytes = 0;
            let fits = |name: &String| {
                bytes += name.len();
                bytes <= STRATEGY_BYTES
            };
            application.strategies = names.take_while(fits).collect();
        }
        let is_placed = is_name(&introduction.environment);
        let instance = introduction.instance.filter(|instance| is_placed && is_name(instance));
        let Some(instance) = instance else { return };
        let key = InstanceKey { application: name, instance, environment: introduction.environment };
        self.note_lately(&key, now);
        if !notes.instances.contains_key(&key) && notes.instances.len() >= INSTANCES {
            notes.dropped += 1;
            return;
        }
        let sdk_version = introduction.sdk_version.filter(|version| is_name(version));
        let instance = notes.instances.entry(key).or_insert(HeardInstance { sdk_version: None, at: now });
        instance.at = instance.at.max(now);
        instance.sdk_version = sdk_version.or_else(|| instance.sdk_version.take());
    }

    /// Running copies that were heard of in the last minutes, where they are counted.
    pub fn programs(&self, now: Timestamp) -> Option<usize> {
        let mut lately = self.lately.as_ref()?.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        lately.retain(|_, at| now.millis() - at.millis() <= LATELY_MS);
        Some(lately.len())
    }

    fn note_lately(&self, key: &InstanceKey, now: Timestamp) {
        let Some(lately) = &self.lately else { return };
        let mut lately = lately.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(at) = lately.get_mut(key) {
            *at = now;
        } else if lately.len() < INSTANCES {
            lately.insert(key.clone(), now);
        }
    }

    /// Notes that an API token was used.
    pub fn used_token(&self, token_id: i64, now: Timestamp) {
        self.lock().tokens.insert(token_id, now);
    }

    /// How much waits to be written, and how much there was no room for.
    pub fn buffered(&self) -> Buffered {
        let notes = self.lock();
        Buffered {
            tallies: notes.tallies.len(),
            programs: notes.applications.len() + notes.instances.len(),
            dropped: self.dropped_before.load(Ordering::Relaxed) + notes.dropped,
        }
    }

    /// Takes what has been gathered since the last time.
    pub fn take(&self) -> Gathered {
        let notes = std::mem::take(&mut *self.lock());
        if notes.dropped > 0 {
            self.dropped_before.fetch_add(notes.dropped, Ordering::Relaxed);
            tracing::warn!(dropped = notes.dropped, "usage reports were dropped: there are too many to keep");
        }
        Gathered {
            tallies: notes.tallies.into_iter().collect(),
            evaluated: notes.evaluated.into_iter().collect(),
            applications: notes.applications.into_iter().collect(),
            instances: notes.instances.into_iter().collect(),
            tokens: notes.tokens.into_iter().collect(),
        }
    }

    /// Takes back what could not be written, as far as there is room.
    pub fn put_back(&self, gathered: Gathered) {
        let mut notes = self.lock();
        for (key, tally) in gathered.tallies {
            notes.add(key, tally);
        }
        for (key, at) in gathered.evaluated {
            notes.evaluated.entry(key).or_insert(at);
        }
        for (name, heard) in gathered.applications {
            if let Some(known) = notes.applications.get_mut(&name) {
                known.projects.extend(heard.projects);
            } else if notes.applications.len() < APPLICATIONS {
                notes.applications.insert(name, heard);
            } else {
                notes.dropped += 1;
            }
        }
        for (key, heard) in gathered.instances {
            if notes.instances.len() < INSTANCES {
                notes.instances.entry(key).or_insert(heard);
            } else {
                notes.dropped += 1;
            }
        }
        for (id, at) in gathered.tokens {
            notes.tokens.entry(id).or_insert(at);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Notes> {
        // A panic elsewhere cannot leave the maps half-changed in a way that matters.
        self.notes.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl Notes {
    /// Counts, and tells whether there was room.
    fn add(&mut self, key: TallyKey, mut tally: Tally) -> bool {
        let known = self.tallies.contains_key(&key);
        if !known && self.tallies.len() >= TALLIES {
            self.dropped += 1;
            return false;
        }
        if self.variants >= VARIANTS {
            tally.variants.clear();
        }
        let total = self.tallies.entry(key).or_default();
        let before = total.variants.len();
        total.add(tally);
        self.variants += total.variants.len() - before;
        true
    }
}

/// Writes what was gathered on this node, with an event for each application that nobody knew. What cannot be written
/// is gathered again.
pub async fn write(state: &State) -> Result<(), StoreError> {
    let gathered = state.usage.take();
    if gathered.is_empty() {
        return Ok(());
    }
    let outcome = write_gathered(state, &gathered).await;
    if outcome.is_err() {
        state.usage.put_back(gathered);
    }
    outcome
}

async fn write_gathered(state: &State, gathered: &Gathered) -> Result<(), StoreError> {
    let now = state.clock.now();
    let tx = state.db.begin().await?;
    let new_applications = store::programs::usage::write(&tx, gathered, now).await?;
    let actor = Actor::system();
    let events: Vec<NewEvent> = new_applications
        .iter()
        .map(|name| {
            let heard = gathered.applications.get(name);
            let data = serde_json::json!({
                "appName": name,
                "createdAt": now,
                "strategies": heard.map(|heard| heard.strategies.as_slice()).unwrap_or_default(),
            });
            NewEvent::new(EventKind::ApplicationCreated, &actor).with_data(&data)
        })
        .collect();
    tx.commit(now, events).await
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(feature: &str) -> TallyKey {
        TallyKey {
            feature: feature.to_owned(),
            application: "app".to_owned(),
            environment: "e".to_owned(),
            hour: Timestamp::from_millis(0),
        }
    }

    #[test]
    fn reports_of_an_hour_are_counted_together_and_taken_once() {
        let usage = Usage::default();
        let now = Timestamp::from_millis(5);
        usage.count(key("f"), Tally::of_report(1, 2, [("a".to_owned(), 1)]), now);
        usage.count(key("f"), Tally::of_report(3, 0, [("a".to_owned(), 2)]), now);
        usage.count(key("g"), Tally::default(), now);
        let gathered = usage.take();
        assert_eq!(gathered.tallies.len(), 1);
        assert_eq!(gathered.tallies[&key("f")], Tally::of_report(4, 2, [("a".to_owned(), 3)]));
        assert_eq!(gathered.evaluated[&("f".to_owned(), "e".to_owned())], now);
        assert!(usage.take().is_empty());
        usage.put_back(gathered.clone());
        usage.put_back(gathered);
        assert_eq!(usage.take().tallies[&key("f")].yes, 8);
    }

    #[test]
    fn nobody_makes_it_grow_without_end() {
        let usage = Usage::default();
        let now = Timestamp::from_millis(5);
        for number in 0..TALLIES + 10 {
            usage.count(key(&number.to_string()), Tally::of_report(1, 0, []), now);
        }
        for (name, strategies) in
            [("app-0", vec!["x".to_owned(); 10_000]), ("app-1", vec!["\u{10ffff}".repeat(255); 200])]
        {
            usage.heard(Introduction { application: name.to_owned(), strategies, ..Introduction::default() }, now);
        }
        for number in 0..INSTANCES + 10 {
            let introduction = Introduction {
                application: format!("app-{}", number % 10),
                instance: Some(number.to_string()),
                environment: "e".to_owned(),
                ..Introduction::default()
            };
            usage.heard(introduction, now);
            let application = format!("other-{number}");
            usage.heard(Introduction { application, ..Introduction::default() }, now);
        }
        usage.heard(Introduction { application: "x".repeat(1000), ..Introduction::default() }, now);
        let full = usage.buffered();
        assert_eq!((full.tallies, full.programs), (TALLIES, APPLICATIONS + INSTANCES));
        let gathered = usage.take();
        assert_eq!(usage.buffered(), Buffered { dropped: full.dropped, ..Buffered::default() });
        let too_many = 10 + 10 + INSTANCES + 10 - (APPLICATIONS - 10);
        assert_eq!(full.dropped, too_many as u64);
        assert_eq!(gathered.tallies.len(), TALLIES);
        assert_eq!(gathered.instances.len(), INSTANCES);
        assert_eq!(gathered.applications.len(), APPLICATIONS);
        let bytes = |heard: &HeardApplication| heard.strategies.iter().map(String::len).sum::<usize>();
        assert!(gathered.applications.values().all(|heard| heard.strategies.len() <= STRATEGIES));
        assert!(gathered.applications.values().all(|heard| bytes(heard) <= STRATEGY_BYTES));
        assert!(bytes(&gathered.applications["app-1"]) > STRATEGY_BYTES / 2);
    }
}
