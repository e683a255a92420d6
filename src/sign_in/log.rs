//! The log of sign-ins: noted in memory by every attempt, written a moment later, so that nobody waits for it.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::{
    domain::sign_in_log::{Entry, Outcome},
    state::State,
    store::{self, StoreError},
};

/// Refusals of a minute that are told one by one; of more only their number is.
const TOLD_PER_MINUTE: u32 = 60;
/// Most entries that wait to be written, while the database fails.
const MOST_WAITING: usize = 1000;
const MINUTE_MS: i64 = 60_000;

/// Entries that are not written yet.
#[derive(Debug, Default)]
pub struct SignInLog {
    queue: Mutex<Queue>,
    /// Held while writing, so that whoever reads after it finds everything.
    writing: tokio::sync::Mutex<()>,
}

#[derive(Debug, Default)]
struct Queue {
    waiting: Vec<Entry>,
    /// The minute that is counted, since 1970.
    minute: i64,
    /// Refusals of that minute.
    refusals: u32,
    /// The last of those that are only counted, with their number.
    counted: Option<Entry>,
}

impl Queue {
    fn push(&mut self, entry: Entry) {
        let minute = entry.at.millis().div_euclid(MINUTE_MS);
        if minute != self.minute {
            self.minute = minute;
            self.refusals = 0;
            let counted = self.counted.take();
            self.waiting.extend(counted);
        }
        if matches!(entry.outcome, Outcome::Refused | Outcome::SignOutRefused) {
            self.refusals = self.refusals.saturating_add(1);
            if self.refusals > TOLD_PER_MINUTE {
                let attempts = self.counted.as_ref().map_or(0, |counted| counted.attempts) + 1;
                self.counted = Some(Entry { attempts, ..Entry::new(entry.at, entry.method, entry.outcome) });
                return;
            }
        }
        if self.waiting.len() < MOST_WAITING {
            self.waiting.push(entry);
        }
    }
}

impl SignInLog {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Notes how an attempt ended. It is written soon.
pub fn note(state: &State, entry: Entry) {
    state.sign_in_log.lock().push(entry.bounded());
    let state = state.clone();
    tokio::spawn(async move {
        if let Err(error) = write(&state).await {
            tracing::warn!(%error, "the log of sign-ins cannot be written");
        }
    });
}

/// Writes what has been noted, and how many more there were in minutes that are over.
pub async fn write(state: &State) -> Result<(), StoreError> {
    let _turn = state.sign_in_log.writing.lock().await;
    let minute = state.clock.now().millis().div_euclid(MINUTE_MS);
    let entries = {
        let mut queue = state.sign_in_log.lock();
        if queue.minute != minute {
            let counted = queue.counted.take();
            queue.waiting.extend(counted);
        }
        std::mem::take(&mut queue.waiting)
    };
    if entries.is_empty() {
        return Ok(());
    }
    let written = store_entries(state, entries.clone()).await;
    if written.is_err() {
        let mut queue = state.sign_in_log.lock();
        let later = std::mem::replace(&mut queue.waiting, entries);
        queue.waiting.extend(later);
        queue.waiting.truncate(MOST_WAITING);
    }
    written
}

async fn store_entries(state: &State, entries: Vec<Entry>) -> Result<(), StoreError> {
    let tx = state.db.begin().await?;
    store::sign_in::log::append(&tx, entries).await?;
    tx.commit_without_event(store::db::NoEvent::SignIn).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{sign_in_log::Method, time::Timestamp};

    #[test]
    fn refusals_beyond_sixty_a_minute_are_counted_and_good_sign_ins_are_not() {
        let mut queue = Queue::default();
        let at = |millis| Timestamp::from_millis(millis);
        for number in 0..100 {
            queue.push(Entry::new(at(number), Method::Oidc, Outcome::Refused));
        }
        queue.push(Entry::new(at(200), Method::Oidc, Outcome::SignedIn));
        assert_eq!(queue.waiting.len(), 61);
        queue.push(Entry::new(at(MINUTE_MS), Method::Saml, Outcome::Refused));
        assert_eq!(queue.waiting.len(), 63);
        let counted = &queue.waiting[61];
        assert_eq!((counted.attempts, counted.at), (40, at(99)));
        assert_eq!(queue.counted, None);
    }

    #[test]
    fn what_waits_is_bounded() {
        let mut queue = Queue::default();
        for number in 0..2000 {
            queue.push(Entry::new(Timestamp::from_millis(number), Method::Oidc, Outcome::SignedIn));
        }
        assert_eq!(queue.waiting.len(), MOST_WAITING);
    }
}
