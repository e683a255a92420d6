//! How often one address may try something, such as to sign in.

use std::{
    net::{IpAddr, Ipv6Addr},
    num::NonZeroU32,
    sync::Arc,
    time::Duration,
};

use governor::{
    Quota, RateLimiter, clock::Clock as _, middleware::NoOpMiddleware, state::keyed::DefaultKeyedStateStore,
};
use poem::{Addr, web::RemoteAddr};

use crate::{clock::Clock, domain::network::household, error::Error};

/// Addresses that are remembered before the rested ones are forgotten.
const MAX_REMEMBERED: usize = 10_000;

/// Counts attempts by address. Cheap to clone; clones share their counts.
#[derive(Clone)]
pub struct AttemptLimit(Arc<Limiter>);

type Limiter = RateLimiter<IpAddr, DefaultKeyedStateStore<IpAddr>, Steady, NoOpMiddleware<Duration>>;

impl std::fmt::Debug for AttemptLimit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
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

impl AttemptLimit {
    /// Admits so many attempts at once, and as many again spread over each minute.
    pub fn per_minute(attempts: u32, clock: Clock) -> Self {
        let quota = Quota::per_minute(NonZeroU32::new(attempts).unwrap_or(NonZeroU32::MIN));
        Self(Arc::new(RateLimiter::new(quota, DefaultKeyedStateStore::default(), Steady(clock))))
    }

    /// Counts an attempt of a peer: 429 when there were too many.
    pub fn count(&self, peer: &RemoteAddr) -> Result<(), Error> {
        let limiter = &self.0;
        if limiter.len() > MAX_REMEMBERED {
            limiter.retain_recent();
        }
        limiter.check_key(&origin(peer)).map_err(|refusal| {
            let wait = refusal.wait_time_from(limiter.clock().now());
            Error::RateLimit { retry_after_seconds: wait.as_secs() + u64::from(wait.subsec_nanos() > 0) }
        })
    }
}

/// What the peer is counted by.
fn origin(peer: &RemoteAddr) -> IpAddr {
    match &peer.0 {
        Addr::SocketAddr(address) => household(address.ip()),
        // Callers on sockets of this machine share one count.
        _ => Ipv6Addr::LOCALHOST.into(),
    }
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use super::*;
    use crate::domain::time::Timestamp;

    fn from(address: &str) -> RemoteAddr {
        let address: SocketAddr = address.parse().expect("an address");
        RemoteAddr(Addr::SocketAddr(address))
    }

    #[test]
    fn each_address_has_its_own_count_and_rest_restores_it() {
        let clock = Clock::manual(Timestamp::from_millis(0));
        let limit = AttemptLimit::per_minute(2, clock.clone());
        for _ in 0..2 {
            limit.count(&from("192.0.2.1:1000")).expect("within the limit");
        }
        let refused = limit.count(&from("192.0.2.1:2000"));
        assert!(matches!(refused, Err(Error::RateLimit { retry_after_seconds: 30 })), "{refused:?}");
        limit.count(&from("192.0.2.2:1000")).expect("another address");
        clock.advance(29_999);
        assert!(limit.count(&from("192.0.2.1:1000")).is_err());
        clock.advance(1);
        limit.count(&from("192.0.2.1:1000")).expect("rested");
    }

    #[test]
    fn a_network_of_ipv6_and_a_mapped_address_count_as_one() {
        let limit = AttemptLimit::per_minute(1, Clock::manual(Timestamp::from_millis(0)));
        limit.count(&from("[2001:db8:1:2::1]:1")).expect("the first");
        assert!(limit.count(&from("[2001:db8:1:2:ffff::9]:1")).is_err());
        limit.count(&from("[2001:db8:1:3::1]:1")).expect("the network next door");
        limit.count(&from("192.0.2.1:1")).expect("the first");
        assert!(limit.count(&from("[::ffff:192.0.2.1]:1")).is_err());
    }
}
