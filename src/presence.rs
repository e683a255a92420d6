//! When people were last seen: noted in memory by every request, written now and then by a job.

use std::{collections::HashMap, sync::Mutex};

use crate::domain::time::Timestamp;

/// Sightings that are not written yet; at most one for each user.
#[derive(Debug, Default)]
pub struct Presence(Mutex<HashMap<i64, Timestamp>>);

impl Presence {
    /// Notes that a user made a request.
    pub fn saw(&self, user_id: i64, now: Timestamp) {
        self.lock().insert(user_id, now);
    }

    /// Takes what has been noted since the last time.
    pub fn take(&self) -> Vec<(i64, Timestamp)> {
        self.lock().drain().collect()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<i64, Timestamp>> {
        // A panic elsewhere cannot leave the map half-changed.
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_sighting_of_each_user_is_taken_once() {
        let presence = Presence::default();
        presence.saw(1, Timestamp::from_millis(10));
        presence.saw(1, Timestamp::from_millis(20));
        presence.saw(2, Timestamp::from_millis(5));
        let mut taken = presence.take();
        taken.sort_unstable();
        assert_eq!(taken, [(1, Timestamp::from_millis(20)), (2, Timestamp::from_millis(5))]);
        assert_eq!(presence.take(), []);
    }
}
