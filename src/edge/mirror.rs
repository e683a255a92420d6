//! The environments of an edge, made of what its feeds bring.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use arc_swap::ArcSwap;
use flagstone_chance as chance;
use flagstone_clock::Clock;
use flagstone_domain::client_feature::{ClientSegment, Loaded, Numbering};
use flagstone_sdk::Environment;
use tokio::sync::watch;

use super::{
    document::{Changes, Everything},
    feed::Feed,
};

/// The environments. Reading never waits.
#[derive(Debug)]
pub(super) struct Mirror {
    environments: ArcSwap<HashMap<String, Arc<Environment>>>,
    /// Held while one is made.
    making: Mutex<()>,
    changes: watch::Sender<u64>,
    /// Names of environments that are not on disk as they are.
    unsaved: Mutex<BTreeSet<String>>,
    made: AtomicU64,
    clock: Clock,
}

/// Place of a feed in the environment that it adds to.
pub(super) struct Place<'a> {
    /// The feed.
    pub(super) feed: &'a Feed,
    /// Whether no other feed adds to the environment, so that the numbers of the upstream are its numbers.
    pub(super) is_alone: bool,
}

impl Mirror {
    pub(super) fn new(clock: Clock) -> Self {
        Self {
            environments: ArcSwap::default(),
            making: Mutex::default(),
            changes: watch::Sender::new(0),
            unsaved: Mutex::default(),
            made: AtomicU64::new(0),
            clock,
        }
    }

    pub(super) fn get(&self, name: &str) -> Option<Arc<Environment>> {
        self.environments.load().get(name).cloned()
    }

    pub(super) fn all(&self) -> Arc<HashMap<String, Arc<Environment>>> {
        self.environments.load_full()
    }

    pub(super) fn watch(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Something that is not an environment has changed.
    pub(super) fn note_change(&self) {
        self.changes.send_modify(|change| *change += 1);
    }

    /// Number of times that an environment was made.
    pub(super) fn made(&self) -> u64 {
        self.made.load(Ordering::Relaxed)
    }

    /// Takes the names of environments that are not on disk as they are.
    pub(super) fn take_unsaved(&self) -> BTreeSet<String> {
        std::mem::take(&mut *self.unsaved.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn put_back_unsaved(&self, name: String) {
        self.unsaved.lock().unwrap_or_else(PoisonError::into_inner).insert(name);
    }

    /// Forgets an environment that no feed brings any more.
    pub(super) fn forget(&self, name: &str) {
        let _making = self.making.lock().unwrap_or_else(PoisonError::into_inner);
        self.environments.rcu(|known| {
            let mut known = HashMap::clone(known);
            known.remove(name);
            known
        });
        self.put_back_unsaved(name.to_owned());
        self.note_change();
    }

    /// Puts an environment in its place as it was found on disk.
    pub(super) fn recall(&self, name: &str, loaded: Loaded) {
        self.put(name, Environment::follow(None, loaded, 0));
    }

    /// Takes in all that a feed brings; `revision` is the upstream's number of it, where it gives one.
    pub(super) fn replace(&self, place: &Place<'_>, everything: Everything, revision: Option<i64>) {
        let _making = self.making.lock().unwrap_or_else(PoisonError::into_inner);
        let name = &place.feed.environment;
        let before = self.get(name);
        let mut loaded = Loaded { features: everything.features, segments: everything.segments, ..Loaded::default() };
        if let Some(before) = before.as_deref().filter(|_| !place.is_alone) {
            // Others bring the features of other projects.
            let own = before.flags().iter().filter(|flag| sees(place.feed, &flag.project));
            let mut names: BTreeSet<String> = own.map(|flag| flag.name.to_string()).collect();
            names.extend(loaded.features.iter().map(|flag| flag.name.to_string()));
            loaded.only = Some(names);
            for (id, segment) in segments(before) {
                loaded.segments.entry(id).or_insert(segment);
            }
        }
        self.follow(place, before.as_deref(), loaded, revision);
    }

    /// Takes in what changed. False when that needs a state which is not there, so that everything has to be asked for.
    pub(super) fn change(&self, place: &Place<'_>, changes: Changes) -> bool {
        let revision = changes.revision;
        if let Some(mut everything) = changes.everything {
            amend(&mut everything, changes.updated, &changes.removed, &changes.segments_removed);
            self.replace(place, everything, Some(revision));
            return true;
        }
        let _making = self.making.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(before) = self.get(&place.feed.environment) else { return false };
        if place.is_alone && revision < before.changed_at() {
            return false;
        }
        let mut only: BTreeSet<String> = changes.updated.features.iter().map(|one| one.name.to_string()).collect();
        // One that left this feed's reach may have come into another's.
        let gone = changes
            .removed
            .into_iter()
            .filter(|name| before.flags().iter().any(|flag| *flag.name == **name && sees(place.feed, &flag.project)));
        only.extend(gone);
        let mut segments = segments(&before);
        segments.extend(changes.updated.segments);
        if place.is_alone {
            segments.retain(|id, _| !changes.segments_removed.contains(id));
        }
        let loaded = Loaded { features: changes.updated.features, only: Some(only), segments, ..Loaded::default() };
        self.follow(place, Some(&before), loaded, Some(revision));
        true
    }

    fn follow(&self, place: &Place<'_>, before: Option<&Environment>, mut loaded: Loaded, revision: Option<i64>) {
        if let Some(revision) = revision.filter(|_| place.is_alone) {
            loaded.revision = revision;
            loaded.numbering = Numbering::Log;
        } else {
            loaded.revision = self.own_number(before.map_or(0, Environment::changed_at));
            loaded.numbering = Numbering::Own;
        }
        self.made.fetch_add(1, Ordering::Relaxed);
        self.put(&place.feed.environment, Environment::follow(before, loaded, 0));
    }

    /// A number of a moment that no other edge gives, and that is greater than the ones before.
    fn own_number(&self, before: i64) -> i64 {
        // Programs read it as a number of 53 bits.
        let spread = chance::below(1024);
        (self.clock.now().millis() * 1024 + i64::from(spread)).max(before + 1)
    }

    fn put(&self, name: &str, environment: Environment) {
        let environment = Arc::new(environment);
        self.environments.rcu(|known| {
            let mut known = HashMap::clone(known);
            known.insert(name.to_owned(), Arc::clone(&environment));
            known
        });
        self.put_back_unsaved(name.to_owned());
        self.note_change();
    }
}

fn sees(feed: &Feed, project: &str) -> bool {
    feed.projects.as_ref().is_none_or(|projects| projects.iter().any(|own| own == project))
}

fn segments(environment: &Environment) -> BTreeMap<i64, ClientSegment> {
    environment.segments().map(|segment| (segment.id, segment.clone())).collect()
}

/// Applies the changes that follow all features in the same answer.
fn amend(everything: &mut Everything, updated: Everything, removed: &BTreeSet<String>, segments: &BTreeSet<i64>) {
    let changed: BTreeSet<&str> = updated.features.iter().map(|flag| &*flag.name).collect();
    everything.features.retain(|one| !removed.contains(&*one.name) && !changed.contains(&*one.name));
    everything.segments.retain(|id, _| !segments.contains(id));
    everything.features.extend(updated.features);
    everything.segments.extend(updated.segments);
}
