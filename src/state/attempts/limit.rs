//! Limit on attempts, for each of many who try.

mod recent;

use std::{fmt, hash::Hash, num::NonZeroU32, sync::Arc, time::Duration};

use flagstone_clock::Clock;
use flagstone_error::Error;
use governor::{Quota, RateLimiter, middleware::NoOpMiddleware, nanos::Nanos, state::StateStore};

pub use self::recent::Recent;

/// Counts attempts by key. Cheap to clone; clones share their counts.
#[derive(Clone)]
pub struct AttemptLimit<K: Eq + Hash + Copy>(Arc<Counts<K>>);

struct Counts<K: Eq + Hash + Copy> {
    limiter: RateLimiter<K, Shared<K>, Steady, NoOpMiddleware<Duration>>,
    /// When all attempts that were counted are paid off, by key.
    ends: Shared<K>,
    /// Time after which one attempt is paid off.
    pause: Nanos,
    most: NonZeroU32,
}

/// State of the limiter for each key, shared so that it can also be read outside of it.
struct Shared<K>(Arc<Recent<K, Nanos>>);

impl<K: Eq + Hash + Copy> StateStore for Shared<K> {
    type Key = K;

    fn measure_and_replace<T, F, E>(&self, key: &K, measure: F) -> Result<T, E>
    where
        F: Fn(Option<Nanos>) -> Result<(T, Nanos), E>,
    {
        self.0.measure_and_replace(key, measure)
    }
}

impl<K: Eq + Hash + Copy> fmt::Debug for AttemptLimit<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AttemptLimit")
    }
}

/// The clock as the limiter reads it.
#[derive(Debug, Clone)]
struct Steady(Clock);

impl governor::clock::Clock for Steady {
    type Instant = Duration;

    fn now(&self) -> Duration {
        self.0.steady()
    }
}

impl<K: Eq + Hash + Copy> AttemptLimit<K> {
    /// Admits so many attempts at once, and as many again spread over each minute.
    pub fn per_minute(attempts: u32, clock: Clock) -> Self {
        let most = NonZeroU32::new(attempts).unwrap_or(NonZeroU32::MIN);
        Self::with(Quota::per_minute(most), most, clock)
    }

    /// Admits so many attempts at once, and one more after each pause, which must not be zero.
    pub fn with_pause(attempts: u32, pause: Duration, clock: Clock) -> Self {
        let most = NonZeroU32::new(attempts).unwrap_or(NonZeroU32::MIN);
        let quota = Quota::with_period(pause).unwrap_or(Quota::per_second(NonZeroU32::MIN));
        Self::with(quota.allow_burst(most), most, clock)
    }

    fn with(quota: Quota, most: NonZeroU32, clock: Clock) -> Self {
        let kept = Arc::new(Recent::default());
        let limiter = RateLimiter::new(quota, Shared(Arc::clone(&kept)), Steady(clock));
        Self(Arc::new(Counts { limiter, ends: Shared(kept), pause: quota.replenish_interval().into(), most }))
    }

    /// Takes an attempt back that was counted before it turned out to be a good one.
    pub fn give_back(&self, key: &K) {
        let Counts { ends, pause, .. } = &*self.0;
        let earlier = |end: Option<Nanos>| Ok(((), end.unwrap_or_default().saturating_sub(*pause)));
        let Ok(()) = ends.measure_and_replace::<_, _, std::convert::Infallible>(key, earlier);
    }

    /// Counts an attempt: 429 when there were too many.
    pub fn count(&self, key: &K) -> Result<(), Error> {
        self.count_several(key, 1)
    }

    /// Counts so many attempts at once, all or none: 429 when they are too many. More than there may ever be at once
    /// count as that many.
    pub fn count_several(&self, key: &K, attempts: usize) -> Result<(), Error> {
        let Some(attempts) = NonZeroU32::new(u32::try_from(attempts).unwrap_or(u32::MAX)) else { return Ok(()) };
        let Counts { limiter, most, .. } = &*self.0;
        let outcome = limiter.check_key_n(key, attempts.min(*most)).map_err(Error::internal)?;
        outcome.map_err(|refusal| {
            let wait = refusal.wait_time_from(governor::clock::Clock::now(limiter.clock()));
            Error::RateLimit { retry_after_seconds: wait.as_secs() + u64::from(wait.subsec_nanos() > 0) }
        })
    }
}

#[cfg(test)]
mod tests {
    use flagstone_domain::time::Timestamp;

    use super::*;

    fn clock() -> Clock {
        Clock::manual(Timestamp::from_millis(0))
    }

    #[test]
    fn each_key_has_its_own_count_and_rest_restores_it() {
        let clock = clock();
        let limit = AttemptLimit::per_minute(2, clock.clone());
        for _ in 0..2 {
            limit.count(&"one").expect("within the limit");
        }
        let refused = limit.count(&"one");
        assert!(matches!(refused, Err(Error::RateLimit { retry_after_seconds: 30 })), "{refused:?}");
        limit.count(&"other").expect("another key");
        clock.advance(29_999);
        assert!(limit.count(&"one").is_err());
        clock.advance(1);
        limit.count(&"one").expect("rested");
    }

    #[test]
    fn a_good_attempt_is_given_back_and_no_more_than_that() {
        let limit = AttemptLimit::per_minute(2, clock());
        for _ in 0..50 {
            limit.count(&"good").expect("within the limit");
            limit.give_back(&"good");
        }
        limit.count(&"good").expect("within the limit");
        limit.count(&"good").expect("within the limit");
        assert!(limit.count(&"good").is_err());
        limit.give_back(&"good");
        limit.count(&"good").expect("given back");
        assert!(limit.count(&"good").is_err());
        // An attempt that was not counted gives no key more.
        limit.give_back(&"other");
        for _ in 0..2 {
            limit.count(&"other").expect("within the limit");
        }
        assert!(limit.count(&"other").is_err());
    }

    #[test]
    fn several_count_together_and_none_of_them_when_they_are_too_many() {
        let clock = clock();
        let limit = AttemptLimit::with_pause(10, Duration::from_secs(2), clock.clone());
        limit.count_several(&1, 0).expect("nothing");
        limit.count_several(&1, 6).expect("within the limit");
        let refused = limit.count_several(&1, 6);
        assert!(matches!(refused, Err(Error::RateLimit { retry_after_seconds: 4 })), "{refused:?}");
        limit.count_several(&1, 4).expect("the rest");
        clock.advance(20_000);
        limit.count_several(&1, 1_000_000).expect("as many as there may be");
        assert!(limit.count(&1).is_err());
    }
}
