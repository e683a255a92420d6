//! When people and their tokens were last seen: noted in memory by every request, written now and then by a job.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use crate::domain::time::Timestamp;

/// Times that are not written yet; at most one for each user and each personal token.
#[derive(Debug, Default)]
pub struct Presence(Mutex<Noted>);

#[derive(Debug, Default)]
struct Noted {
    people: HashMap<i64, Timestamp>,
    tokens: HashMap<i64, Timestamp>,
}

/// Times when users and tokens were last seen: ids and times, by id.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct LastSeen {
    /// Times of users.
    pub people: Vec<(i64, Timestamp)>,
    /// Times of personal tokens.
    pub tokens: Vec<(i64, Timestamp)>,
}

impl Presence {
    /// Notes that a user made a request, with a personal token if there is an id of one.
    pub fn saw(&self, user_id: i64, token_id: Option<i64>, now: Timestamp) {
        let mut noted = self.lock();
        noted.people.insert(user_id, now);
        if let Some(token_id) = token_id {
            noted.tokens.insert(token_id, now);
        }
    }

    /// Takes what has been noted since the last time.
    pub fn take(&self) -> LastSeen {
        let Noted { people, tokens } = std::mem::take(&mut *self.lock());
        LastSeen { people: by_id(people), tokens: by_id(tokens) }
    }

    fn lock(&self) -> MutexGuard<'_, Noted> {
        // A panic of another thread cannot leave the maps half-changed.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn by_id(noted: HashMap<i64, Timestamp>) -> Vec<(i64, Timestamp)> {
    let mut sightings: Vec<_> = noted.into_iter().collect();
    sightings.sort_unstable();
    sightings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_sighting_of_each_user_and_token_is_taken_once() {
        let presence = Presence::default();
        let at = Timestamp::from_millis;
        presence.saw(1, Some(7), at(10));
        presence.saw(1, None, at(20));
        presence.saw(2, Some(3), at(5));
        let seen = LastSeen { people: vec![(1, at(20)), (2, at(5))], tokens: vec![(3, at(5)), (7, at(10))] };
        assert_eq!(presence.take(), seen);
        assert_eq!(presence.take(), LastSeen::default());
    }
}
