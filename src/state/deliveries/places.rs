//! The places of deliveries under way, shared by receivers and by owners.

use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicI64, Ordering},
};

use flagstone_domain::{integration::Integration, share::may_take};

/// Requests to receivers at a time on a node, at most.
pub(super) const REQUESTS: usize = 32;
/// Most requests to one integration.
const OF_ONE: usize = 4;
/// Most requests to one receiver, however many integrations lead to it.
const TO_ONE: usize = 8;
/// Share of the integrations of one owner, in multiples of the free places: half of all where no other owner has any.
const TIMES_WHAT_IS_FREE: usize = 1;

/// Deliveries under way.
#[derive(Debug, Default)]
pub struct Places {
    taken: Mutex<Vec<Place>>,
    /// The integration that was looked at last.
    last: AtomicI64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Place {
    integration: i64,
    receiver: String,
    owner: Option<i64>,
}

impl Place {
    fn of(integration: &Integration) -> Self {
        Self {
            integration: integration.departed_from.unwrap_or(integration.id),
            receiver: integration.receiver(),
            owner: integration.owner.as_ref().map(|owner| owner.user_id),
        }
    }
}

impl Places {
    /// Number of places that are taken.
    pub fn taken(&self) -> usize {
        self.lock().len()
    }

    /// Whether none is free.
    pub fn are_taken(&self) -> bool {
        self.taken() >= REQUESTS
    }

    /// Number of deliveries to an integration that may begin.
    pub fn room_for(&self, integration: &Integration) -> usize {
        let (wanted, mut taken) = (Place::of(integration), self.lock().clone());
        let before = taken.len();
        loop {
            let held = |is_such: &dyn Fn(&Place) -> bool| taken.iter().filter(|place| is_such(place)).count();
            let free = REQUESTS.saturating_sub(taken.len());
            let fits = held(&|place| place.integration == wanted.integration) < OF_ONE
                && held(&|place| place.receiver == wanted.receiver) < TO_ONE
                && may_take(held(&|place| place.owner == wanted.owner), free, TIMES_WHAT_IS_FREE);
            if !fits {
                return taken.len() - before;
            }
            taken.push(wanted.clone());
        }
    }

    /// Integrations in the order in which they are served: those behind the last one first, so that none waits for
    /// others that always have something.
    pub fn in_turn(&self, mut ids: Vec<i64>) -> Vec<i64> {
        let last = self.last.load(Ordering::Relaxed);
        ids.sort_by_key(|id| (*id <= last, *id));
        ids
    }

    /// Has the next turn begin behind an integration.
    pub fn look_at(&self, id: i64) {
        self.last.store(id, Ordering::Relaxed);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Place>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A delivery that is under way, which is no longer once this is dropped.
#[derive(Debug)]
pub struct UnderWay {
    places: Arc<Places>,
    place: Place,
}

impl UnderWay {
    /// Takes a place for a delivery to an integration.
    pub fn begin(places: &Arc<Places>, integration: &Integration) -> Self {
        let place = Place::of(integration);
        places.lock().push(place.clone());
        Self { places: Arc::clone(places), place }
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        let mut taken = self.places.lock();
        if let Some(found) = taken.iter().position(|place| *place == self.place) {
            taken.swap_remove(found);
        }
    }
}

#[cfg(test)]
mod tests {
    use flagstone_domain::{
        integration::{Owner, Parameters, Provider, Settings},
        time::Timestamp,
    };

    use super::*;

    fn integration(id: i64, owner: i64, url: &str) -> Integration {
        let given = [("url".to_owned(), url.into())].into();
        Integration {
            id,
            provider: Provider::Webhook,
            settings: Settings {
                enabled: true,
                description: None,
                events: Vec::new(),
                projects: Vec::new(),
                environments: Vec::new(),
                instance_events: false,
            },
            parameters: Parameters::admit(Provider::Webhook, &given, None).expect("taken"),
            failing_since: None,
            created_at: Timestamp::from_millis(0),
            version: 0,
            owner: Some(Owner { user_id: owner, name: String::new() }),
            departed_from: None,
        }
    }

    /// Takes all places that these integrations get.
    fn fill(places: &Arc<Places>, integrations: &[Integration]) -> Vec<UnderWay> {
        let mut begun = Vec::new();
        for one in integrations {
            for _ in 0..places.room_for(one) {
                begun.push(UnderWay::begin(places, one));
            }
        }
        begun
    }

    #[test]
    fn neither_a_receiver_nor_an_owner_has_all_places() {
        let slow = |id: i64, host: i64| integration(id, 1, &format!("https://slow-{host}.example.com/{id}"));
        let admins = integration(1000, 2, "https://example.com/");
        for (what, crowd, expected) in [
            ("one integration", vec![slow(1, 1)], OF_ONE),
            ("many to one receiver", (1..50).map(|id| slow(id, 1)).collect::<Vec<_>>(), TO_ONE),
            ("many to many receivers", (1..50).map(|id| slow(id, id)).collect(), REQUESTS / 2),
        ] {
            let places = Arc::default();
            let begun = fill(&places, &crowd);
            assert_eq!(begun.len(), expected, "{what}");
            assert_eq!(places.room_for(&admins), OF_ONE, "{what}: another owner");
            drop(begun);
            assert_eq!(places.taken(), 0, "{what}");
        }
        // Several who ask for all leave something to the next.
        let places = Arc::default();
        let crowds: Vec<_> = (1..5)
            .map(|owner| {
                fill(
                    &places,
                    &(0..50)
                        .map(|id| integration(owner * 100 + id, owner, &format!("https://{owner}-{id}.example.com")))
                        .collect::<Vec<_>>(),
                )
            })
            .collect();
        assert!(places.room_for(&integration(1000, 99, "https://example.com/")) > 0);
        drop(crowds);
    }

    #[test]
    fn the_next_in_turn_is_behind_the_last() {
        let places: Arc<Places> = Arc::default();
        assert_eq!(places.in_turn(vec![1, 2, 3]), [1, 2, 3]);
        places.look_at(2);
        assert_eq!(places.in_turn(vec![1, 2, 3]), [3, 1, 2]);
    }
}
