//! Entries of the log of sign-ins that are not written yet: a flood of refusals is bounded, and what has no room is
//! counted.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use flagstone_domain::{
    network::ClientNetwork,
    sign_in_log::{Entry, Method, Outcome},
    time::Timestamp,
};

/// Refusals of a source in a minute that get an entry each; more are only counted.
const TOLD_PER_SOURCE: u32 = 30;
/// Refusals of all sources together in a minute that get an entry, beyond the first of each source.
const TOLD_PER_MINUTE: u32 = 120;
/// Most sources of a minute that are counted separately.
const MOST_SOURCES: usize = 500;
/// Most entries that wait to be written, while the database fails.
const MOST_WAITING: usize = 1000;
const MINUTE_MS: i64 = 60_000;

/// Entries that are not written yet.
#[derive(Debug, Default)]
pub struct SignInLog {
    queue: Mutex<Queue>,
    /// Held while writing, so that later readers find all entries.
    pub writing: tokio::sync::Mutex<()>,
}

#[derive(Debug, Default)]
struct Queue {
    waiting: Vec<Entry>,
    /// The minute that is counted, since 1970.
    minute: i64,
    /// Refusals of that minute by source, so that a flood from one does not hide the failures of others.
    sources: HashMap<ClientNetwork, Source>,
    /// Refusals of that minute with an entry of their own, beyond the first of each source.
    told: u32,
    /// Refusals of further sources than are counted separately: the last of them, with their number.
    others: Option<Entry>,
    /// Entries without room while the database failed, by kind: the last of each, with their number.
    lost: HashMap<(Method, Outcome), Entry>,
}

#[derive(Debug, Default)]
struct Source {
    refusals: u32,
    /// The last of those that are only counted, with their number.
    counted: Option<Entry>,
}

impl Queue {
    fn push(&mut self, entry: Entry) {
        let minute = minute_of(entry.at);
        if minute != self.minute {
            self.close_minute();
            self.minute = minute;
        }
        if !matches!(entry.outcome, Outcome::Refused | Outcome::SignOutRefused) {
            return self.keep(entry);
        }
        let network = ClientNetwork::of_text(entry.address.as_deref());
        if self.sources.len() >= MOST_SOURCES && !self.sources.contains_key(&network) {
            return count(&mut self.others, &Entry { address: None, ..entry });
        }
        let source = self.sources.entry(network).or_default();
        source.refusals = source.refusals.saturating_add(1);
        let is_first = source.refusals == 1;
        if !is_first && (source.refusals > TOLD_PER_SOURCE || self.told >= TOLD_PER_MINUTE) {
            return count(&mut source.counted, &entry);
        }
        self.told += u32::from(!is_first);
        self.keep(entry);
    }

    /// Puts an entry where it is written from; of what has no room there the number is kept.
    fn keep(&mut self, entry: Entry) {
        if self.waiting.len() < MOST_WAITING {
            self.waiting.push(entry);
            return;
        }
        let mut lost = self.lost.remove(&(entry.method, entry.outcome));
        count(&mut lost, &Entry { address: None, ..entry });
        self.lost.extend(lost.map(|lost| ((lost.method, lost.outcome), lost)));
    }

    /// Keeps the numbers of a minute that is over.
    fn close_minute(&mut self) {
        self.told = 0;
        let sources = std::mem::take(&mut self.sources).into_values().filter_map(|source| source.counted);
        let mut counted: Vec<Entry> = sources.chain(self.others.take()).collect();
        counted.sort_by(|one, other| (one.at, &one.address).cmp(&(other.at, &other.address)));
        for entry in counted {
            self.keep(entry);
        }
    }

    /// Takes what is to be written.
    fn take(&mut self) -> Vec<Entry> {
        let lost: Vec<Entry> = std::mem::take(&mut self.lost).into_values().collect();
        std::mem::take(&mut self.waiting).into_iter().chain(lost).collect()
    }

    /// Takes back what could not be written, before what came meanwhile.
    fn take_back(&mut self, entries: Vec<Entry>) {
        let later = std::mem::take(&mut self.waiting);
        entries.into_iter().chain(later).for_each(|entry| self.keep(entry));
    }
}

/// Returns the minute of a time, since 1970.
fn minute_of(time: Timestamp) -> i64 {
    time.millis().div_euclid(MINUTE_MS)
}

/// Adds an entry to those of which only the last and their number are kept.
fn count(counted: &mut Option<Entry>, entry: &Entry) {
    let attempts = counted.as_ref().map_or(0, |counted| counted.attempts).saturating_add(entry.attempts);
    let last = Entry::new(entry.at, entry.method, entry.outcome);
    *counted = Some(Entry { attempts, address: entry.address.clone(), ..last });
}

impl SignInLog {
    /// Adds an entry.
    pub fn push(&self, entry: Entry) {
        self.lock().push(entry);
    }

    /// Takes the entries to write, with the numbers of minutes that are over.
    pub fn take(&self, now: Timestamp) -> Vec<Entry> {
        let mut queue = self.lock();
        if queue.minute != minute_of(now) {
            queue.close_minute();
        }
        queue.take()
    }

    /// Takes back entries that could not be written.
    pub fn take_back(&self, entries: Vec<Entry>) {
        self.lock().take_back(entries);
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(millis: i64, address: &str) -> Entry {
        let at = Timestamp::from_millis(millis);
        Entry { address: Some(address.to_owned()), ..Entry::new(at, Method::Oidc, Outcome::Refused) }
    }

    #[test]
    fn refusals_of_a_source_beyond_thirty_a_minute_are_counted_and_hide_nobody_else_s() {
        let mut queue = Queue::default();
        for number in 0..120 {
            queue.push(refused(number, &format!("192.0.2.{}", number % 3)));
        }
        queue.push(refused(150, "192.0.2.9"));
        queue.push(Entry::new(Timestamp::from_millis(200), Method::Oidc, Outcome::SignedIn));
        assert_eq!(queue.waiting.len(), 92);
        queue.push(refused(MINUTE_MS, "192.0.2.1"));
        let counted: Vec<_> = queue.waiting[92..95].iter().map(|entry| (entry.attempts, entry.at.millis())).collect();
        assert_eq!(counted, [(10, 117), (10, 118), (10, 119)]);
        assert_eq!(queue.waiting[92].address.as_deref(), Some("192.0.2.0"));
        assert_eq!(queue.waiting.len(), 96);
    }

    #[test]
    fn however_many_sources_there_are_each_is_told_once_and_all_others_are_counted() {
        let mut queue = Queue::default();
        for _ in 0..3 {
            for number in 0..600 {
                queue.push(refused(0, &format!("10.0.{}.{}", number / 256, number % 256)));
            }
        }
        assert_eq!(queue.waiting.len(), 500 + 120);
        queue.close_minute();
        let attempts: i64 = queue.waiting.iter().chain(queue.lost.values()).map(|entry| entry.attempts).sum();
        assert_eq!(attempts, 1800, "none is forgotten");
        assert!(queue.sources.is_empty() && queue.others.is_none() && queue.told == 0);
    }

    #[test]
    fn what_waits_is_bounded_and_what_has_no_room_is_counted() {
        let mut queue = Queue::default();
        let signed_in = |number| Entry::new(Timestamp::from_millis(number), Method::Oidc, Outcome::SignedIn);
        for number in 0..2000 {
            queue.push(signed_in(number));
        }
        assert_eq!(queue.waiting.len(), MOST_WAITING);
        let taken = queue.take();
        assert_eq!(taken.len(), MOST_WAITING + 1);
        assert_eq!(taken.iter().map(|entry| entry.attempts).sum::<i64>(), 2000);
        // The database failed.
        queue.push(signed_in(2000));
        queue.take_back(taken);
        let attempts: i64 = queue.take().iter().map(|entry| entry.attempts).sum();
        assert_eq!(attempts, 2001);
    }
}
