//! Bound on the streams of changes to programs: each costs memory, and one token cannot have all of it.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use flagstone_domain::share::may_take;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Share of one token in the streams, in multiples of the free places: nineteen of twenty places where it is alone, and
/// less the more tokens there are.
const TIMES_WHAT_IS_FREE: usize = 19;

/// The streams of a node.
#[derive(Debug, Clone)]
pub struct Streams {
    free: Arc<Semaphore>,
    by_token: Arc<ByToken>,
    limit: usize,
}

#[derive(Debug, Default)]
struct ByToken(Mutex<HashMap<i64, usize>>);

/// Reason why there is no place for a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Full {
    /// All places are taken.
    All,
    /// The token has so many that the rest is for others.
    Token,
}

/// The place of one stream; dropping it gives it to another.
#[derive(Debug)]
pub struct Place {
    by_token: Arc<ByToken>,
    token: i64,
    _permit: OwnedSemaphorePermit,
}

impl Streams {
    /// Places for at most `limit` streams at once.
    pub fn new(limit: usize) -> Self {
        Self { free: Arc::new(Semaphore::new(limit)), by_token: Arc::default(), limit }
    }

    /// A place for a program with this token, if one is free for it.
    pub fn open(&self, token: i64) -> Result<Place, Full> {
        let mut by_token = self.by_token.lock();
        let free = self.free.available_permits();
        let permit = Arc::clone(&self.free).try_acquire_owned().map_err(|_| Full::All)?;
        let open = by_token.get(&token).copied().unwrap_or_default();
        if !may_take(open, free, TIMES_WHAT_IS_FREE) {
            return Err(Full::Token);
        }
        by_token.insert(token, open + 1);
        drop(by_token);
        Ok(Place { by_token: Arc::clone(&self.by_token), token, _permit: permit })
    }

    /// Streams that are open.
    pub fn count(&self) -> usize {
        self.limit - self.free.available_permits()
    }

    /// Most at once.
    pub const fn limit(&self) -> usize {
        self.limit
    }
}

impl ByToken {
    fn lock(&self) -> MutexGuard<'_, HashMap<i64, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut by_token = self.by_token.lock();
        if let Some(open) = by_token.get_mut(&self.token) {
            *open -= 1;
            if *open == 0 {
                by_token.remove(&self.token);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_token_takes_the_last_places_of_all_others() {
        let streams = Streams::new(1000);
        let all_of = |token: i64| -> Vec<Place> { std::iter::from_fn(|| streams.open(token).ok()).collect() };
        let first = all_of(1);
        assert_eq!(first.len(), 950);
        assert_eq!(streams.open(1).err(), Some(Full::Token));
        let second = all_of(2);
        assert!(second.len() >= 40, "{}", second.len());
        let mut others = Vec::new();
        while streams.count() < streams.limit() {
            others.push(streams.open(2 + i64::try_from(others.len()).expect("few")).or_else(|_| streams.open(99)));
            assert!(others.last().is_some_and(Result::is_ok), "a token with no stream gets one while any is free");
            if others.len() > 60 {
                break;
            }
        }
        assert_eq!(streams.open(12345).err(), Some(Full::All));
        drop((first, second, others));
        assert_eq!(streams.count(), 0);
        assert!(streams.by_token.lock().is_empty());
        let few = Streams::new(2);
        let _both = [few.open(1).expect("the first"), few.open(1).expect("the second")];
        assert_eq!(few.open(2).err(), Some(Full::All));
    }
}
