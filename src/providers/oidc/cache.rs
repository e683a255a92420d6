//! Cache of documents fetched from providers: one request under way at a time, and the old one while there is nothing
//! newer.

use std::{
    future::Future,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use chrono::{DateTime, TimeDelta, Utc};

use super::refusal::Refusal;

/// Time for which a document is fresh of which the provider says nothing, and the bounds of what it may say.
const FRESH: TimeDelta = TimeDelta::hours(1);
const FRESH_AT_LEAST: TimeDelta = TimeDelta::minutes(5);
const FRESH_AT_MOST: TimeDelta = TimeDelta::hours(24);
/// Time for which it is used at all, while the provider does not answer.
const USABLE: TimeDelta = TimeDelta::hours(24);
/// Pause between requests: after a failure while there is something old, and after a renewal that a token caused.
const PAUSE: TimeDelta = TimeDelta::seconds(60);

/// Fetched value.
#[derive(Debug)]
pub(super) struct Fetched<T> {
    pub value: T,
    /// Header `Cache-Control` of the provider: how long it may be kept.
    pub cache_control: Option<String>,
}

/// The newest of what was fetched from one address.
#[derive(Debug)]
pub(super) struct Cached<T> {
    state: Mutex<State<T>>,
    /// Lock that is held while the provider is asked.
    asking: tokio::sync::Mutex<()>,
}

#[derive(Debug)]
struct State<T> {
    kept: Option<Kept<T>>,
    failure: Option<Refusal>,
    /// Time until which the provider is not asked for something newer than what is kept.
    pause_until: Option<DateTime<Utc>>,
    renewed_at: Option<DateTime<Utc>>,
    /// Number of requests that have ended.
    ended: u64,
}

#[derive(Debug)]
struct Kept<T> {
    value: Arc<T>,
    fresh_until: DateTime<Utc>,
    usable_until: DateTime<Utc>,
}

impl<T> Default for Cached<T> {
    fn default() -> Self {
        let state = State { kept: None, failure: None, pause_until: None, renewed_at: None, ended: 0 };
        Self { state: Mutex::new(state), asking: tokio::sync::Mutex::default() }
    }
}

impl<T> Cached<T> {
    /// Returns the kept value, or fetches it. A call while the provider is being asked waits for that outcome, or gets
    /// the kept value at once if that is usable.
    pub async fn get<F, R>(&self, now: DateTime<Utc>, fetch: F) -> Result<Arc<T>, Refusal>
    where
        F: FnOnce() -> R,
        R: Future<Output = Result<Fetched<T>, Refusal>>,
    {
        let (seen, old) = {
            let state = self.state();
            if let Some(kept) = state.kept.as_ref().filter(|kept| now < kept.fresh_until || state.pauses(now, kept)) {
                return Ok(Arc::clone(&kept.value));
            }
            (state.ended, state.usable(now))
        };
        let _asking = match (self.asking.try_lock(), old) {
            (Ok(asking), _) => asking,
            (Err(_), Some(old)) => return Ok(old),
            (Err(_), None) => self.asking.lock().await,
        };
        if self.state().ended == seen {
            self.ask(now, fetch).await;
        }
        self.state().outcome(now)
    }

    /// Returns a newer value than one that did not do, if there is or may be any: `None` while the last renewal is less
    /// than a minute ago, or when the provider does not answer.
    pub async fn renew<F, R>(&self, unfit: &Arc<T>, now: DateTime<Utc>, fetch: F) -> Option<Arc<T>>
    where
        F: FnOnce() -> R,
        R: Future<Output = Result<Fetched<T>, Refusal>>,
    {
        let _asking = self.asking.lock().await;
        {
            let mut state = self.state();
            if let Some(newer) = state.usable(now).filter(|kept| !Arc::ptr_eq(kept, unfit)) {
                return Some(newer);
            }
            if state.renewed_at.is_some_and(|renewed| now < renewed + PAUSE) {
                return None;
            }
            state.renewed_at = Some(now);
        }
        self.ask(now, fetch).await;
        self.state().usable(now).filter(|kept| !Arc::ptr_eq(kept, unfit))
    }

    async fn ask<F, R>(&self, now: DateTime<Utc>, fetch: F)
    where
        F: FnOnce() -> R,
        R: Future<Output = Result<Fetched<T>, Refusal>>,
    {
        let fetched = fetch().await;
        let mut state = self.state();
        state.ended += 1;
        match fetched {
            Ok(Fetched { value, cache_control }) => {
                let fresh_until = now + fresh_for(cache_control.as_deref());
                state.kept = Some(Kept { value: Arc::new(value), fresh_until, usable_until: now + USABLE });
                (state.failure, state.pause_until) = (None, None);
            }
            Err(refusal) => {
                state.failure = Some(refusal);
                state.pause_until = Some(now + PAUSE);
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State<T>> {
        // Nothing panics while it holds the lock, and a state is whole between any two lines.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> State<T> {
    fn usable(&self, now: DateTime<Utc>) -> Option<Arc<T>> {
        self.kept.as_ref().filter(|kept| now < kept.usable_until).map(|kept| Arc::clone(&kept.value))
    }

    fn pauses(&self, now: DateTime<Utc>, kept: &Kept<T>) -> bool {
        now < kept.usable_until && self.pause_until.is_some_and(|until| now < until)
    }

    fn outcome(&self, now: DateTime<Utc>) -> Result<Arc<T>, Refusal> {
        let failure = || self.failure.clone().expect("a request ended, with something to keep or a failure");
        self.usable(now).ok_or_else(failure)
    }
}

/// Returns how long a value is fresh by what its provider says.
fn fresh_for(cache_control: Option<&str>) -> TimeDelta {
    let Some(said) = cache_control else { return FRESH };
    let directives = || said.split(',').map(|directive| directive.trim().to_ascii_lowercase());
    if directives().any(|directive| matches!(directive.as_str(), "no-store" | "no-cache")) {
        return FRESH_AT_LEAST;
    }
    let age = directives().find_map(|directive| {
        let digits = directive.strip_prefix("max-age=")?.trim_matches('"');
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        // More digits than the number has room for are longer than the longest anyway.
        is_number.then(|| digits.parse::<u32>().map_or(FRESH_AT_MOST, |seconds| TimeDelta::seconds(seconds.into())))
    });
    age.unwrap_or(FRESH).clamp(FRESH_AT_LEAST, FRESH_AT_MOST)
}

#[cfg(test)]
mod tests;
