//! When people, their sessions, their tokens and directories were last seen: noted in memory by every request, written
//! now and then by a job.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use flagstone_domain::time::Timestamp;

/// Milliseconds between two writes of when a session was last used.
const SESSION_EVERY_MS: i64 = 300_000;

/// Times that are not written yet; at most one for each user, each personal token, each session and each directory.
#[derive(Debug, Default)]
pub struct Presence(Mutex<Noted>);

#[derive(Debug, Default)]
struct Noted {
    people: HashMap<i64, Timestamp>,
    tokens: HashMap<i64, Timestamp>,
    sessions: HashMap<Arc<str>, Use>,
    directories: HashMap<i64, Timestamp>,
}

/// Use of a session, as far as this node knows of it.
#[derive(Debug, Clone, Copy)]
struct Use {
    seen_at: Timestamp,
    /// The use that was written last.
    written: Option<Timestamp>,
}

/// Times when users, tokens, sessions and directories were last seen: ids and times, by id.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct LastSeen {
    /// Times of users.
    pub people: Vec<(i64, Timestamp)>,
    /// Times of personal tokens.
    pub tokens: Vec<(i64, Timestamp)>,
    /// Times of sessions, by their digests.
    pub sessions: Vec<(Arc<str>, Timestamp)>,
    /// Times of directories.
    pub directories: Vec<(i64, Timestamp)>,
}

impl Presence {
    /// Notes that a user made a request, with a personal token if there is an id of one, or in a session if there is
    /// its digest.
    pub fn saw(&self, user_id: i64, token_id: Option<i64>, session: Option<&Arc<str>>, now: Timestamp) {
        let mut noted = self.lock();
        noted.people.insert(user_id, now);
        if let Some(token_id) = token_id {
            noted.tokens.insert(token_id, now);
        }
        let Some(digest) = session else { return };
        match noted.sessions.get_mut(digest) {
            Some(known) => known.seen_at = now,
            None => {
                noted.sessions.insert(Arc::clone(digest), Use { seen_at: now, written: None });
            }
        }
    }

    /// Notes that a directory made a request with its token.
    pub fn saw_directory(&self, id: i64, now: Timestamp) {
        self.lock().directories.insert(id, now);
    }

    /// Takes what has been noted since the last time; of each session only every five minutes.
    pub fn take(&self, now: Timestamp) -> LastSeen {
        let mut noted = self.lock();
        let (people, tokens) = (std::mem::take(&mut noted.people), std::mem::take(&mut noted.tokens));
        let directories = std::mem::take(&mut noted.directories);
        let mut sessions = Vec::new();
        let is_due = |written: Timestamp| written.plus_millis(SESSION_EVERY_MS) <= now;
        noted.sessions.retain(|digest, used| {
            if !used.written.is_none_or(is_due) {
                return true;
            }
            let is_new = used.written.is_none_or(|written| used.seen_at > written);
            if is_new {
                sessions.push((Arc::clone(digest), used.seen_at));
                used.written = Some(used.seen_at);
            }
            is_new
        });
        drop(noted);
        sessions.sort_unstable();
        LastSeen { people: by_id(people), tokens: by_id(tokens), sessions, directories: by_id(directories) }
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
        let (presence, session) = (Presence::default(), Arc::from("digest"));
        let at = Timestamp::from_millis;
        presence.saw(1, Some(7), None, at(10));
        presence.saw(1, None, Some(&session), at(20));
        presence.saw(2, Some(3), None, at(5));
        presence.saw_directory(4, at(15));
        presence.saw_directory(4, at(25));
        let seen = LastSeen {
            people: vec![(1, at(20)), (2, at(5))],
            tokens: vec![(3, at(5)), (7, at(10))],
            sessions: vec![(session, at(20))],
            directories: vec![(4, at(25))],
        };
        assert_eq!(presence.take(at(30)), seen);
        assert_eq!(presence.take(at(30)), LastSeen::default());
    }

    #[test]
    fn a_session_is_written_every_five_minutes_and_forgotten_when_it_rests() {
        let (presence, session) = (Presence::default(), Arc::from("digest"));
        let at = Timestamp::from_millis;
        let taken = |now| presence.take(at(now)).sessions.into_iter().map(|(_, at)| at.millis()).collect::<Vec<_>>();
        let minute = 60_000;
        let mut written = Vec::new();
        for now in 0..=11 {
            presence.saw(1, None, Some(&session), at(now * minute));
            written.extend(taken(now * minute));
        }
        assert_eq!(written, [0, 5 * minute, 10 * minute]);
        // The use in the eleventh minute is written when its time has come.
        assert_eq!(taken(14 * minute), Vec::<i64>::new());
        assert_eq!(taken(15 * minute), [11 * minute]);
        assert_eq!(taken(16 * minute), Vec::<i64>::new());
        assert_eq!(taken(21 * minute), Vec::<i64>::new());
        assert!(presence.lock().sessions.is_empty());
    }
}
