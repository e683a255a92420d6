//! Admission of connections: so many in all, so many of one address; an idle one makes room for a new one.

use std::{
    collections::{BTreeMap, HashMap},
    net::IpAddr,
    pin::pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use flagstone_config::TrustedProxies;
use flagstone_domain::network::client_network;
use tokio::sync::Notify;

use super::figures::{Figures, Refusal};

/// Time limit for closing an idle connection.
const CLOSING: Duration = Duration::from_secs(1);

/// Bounds on the connections that are let in.
#[derive(Debug, Clone)]
pub(super) struct Bounds {
    /// Connections at once.
    pub(super) all: usize,
    /// Connections of one network at once.
    pub(super) of_one: usize,
    /// Whether those of this machine itself count as one network like any other.
    pub(super) counts_loopback: bool,
    /// Trusted proxies before the server, each of which forwards the requests of many callers.
    pub(super) proxies: TrustedProxies,
}

impl Bounds {
    /// Whether many may share this address, so that it has no bound of its own.
    fn is_shared(&self, address: IpAddr) -> bool {
        (!self.counts_loopback && address.to_canonical().is_loopback()) || self.proxies.include(address)
    }
}

/// The places for connections.
#[derive(Debug)]
pub(super) struct Admission {
    bounds: Bounds,
    places: Mutex<Places>,
    /// A connection has closed, or is busy again and stays open.
    changed: Notify,
    figures: Arc<Figures>,
}

#[derive(Debug, Default)]
struct Places {
    taken: usize,
    /// Numbers of connections by network, of those that have a bound of their own.
    by_network: HashMap<IpAddr, usize>,
    /// Idle connections, those that have been idle longest first.
    idle: BTreeMap<u64, IdleConnection>,
    idle_count: u64,
}

#[derive(Debug)]
struct IdleConnection {
    network: Option<IpAddr>,
    close: Arc<Notify>,
}

/// The place of one connection, which is free again when this is dropped.
#[derive(Debug)]
pub(super) struct Permit {
    admission: Arc<Admission>,
    network: Option<IpAddr>,
    close: Arc<Notify>,
    /// Number of its current idle time, and its key among idle connections.
    idle: Option<(u64, u64)>,
}

impl Admission {
    pub(super) fn new(bounds: Bounds, figures: Arc<Figures>) -> Arc<Self> {
        figures.set_limit(bounds.all);
        Arc::new(Self { bounds, places: Mutex::default(), changed: Notify::new(), figures })
    }

    /// A place for a connection from this address: a free one, or that of the connection that has been idle longest.
    pub(super) async fn admit(self: &Arc<Self>, address: IpAddr) -> Result<Permit, Refusal> {
        let mut closing = pin!(tokio::time::sleep(CLOSING));
        loop {
            let changed = self.changed.notified();
            let refusal = match self.try_admit(address) {
                Ok(permit) => return Ok(permit),
                Err(refusal) => refusal,
            };
            let network = (refusal == Refusal::Address).then(|| client_network(address));
            let patient = self.request_close(network)
                && tokio::select! {
                    () = changed => true,
                    () = &mut closing => false,
                };
            if !patient {
                self.figures.count_refused(refusal);
                return Err(refusal);
            }
        }
    }

    fn try_admit(self: &Arc<Self>, address: IpAddr) -> Result<Permit, Refusal> {
        let network = (!self.bounds.is_shared(address)).then(|| client_network(address));
        let mut places = self.places();
        let of_network = network.and_then(|network| places.by_network.get(&network));
        if of_network.is_some_and(|taken| *taken >= self.bounds.of_one) {
            return Err(Refusal::Address);
        }
        if places.taken >= self.bounds.all {
            return Err(Refusal::All);
        }
        places.taken += 1;
        self.figures.set_open(places.taken);
        if let Some(network) = network {
            *places.by_network.entry(network).or_default() += 1;
        }
        Ok(Permit { admission: Arc::clone(self), network, close: Arc::default(), idle: None })
    }

    /// Asks the connection to close that has been idle longest, of one network or of all. False when none is idle.
    fn request_close(&self, network: Option<IpAddr>) -> bool {
        let mut places = self.places();
        let mut idle = places.idle.iter();
        let found = idle.find(|(_, connection)| network.is_none() || connection.network == network);
        let Some(place) = found.map(|(place, _)| *place) else { return false };
        if let Some(connection) = places.idle.remove(&place) {
            connection.close.notify_one();
        }
        true
    }

    /// Has one idle connection closed, and waits until it is, but no longer than this. Where none is idle, it waits so
    /// long.
    pub(super) async fn evict_one(&self, moment: Duration) {
        let changed = self.changed.notified();
        if self.request_close(None) {
            // One that stays open after all is busy again.
            let _changed = tokio::time::timeout(moment, changed).await;
        } else {
            tokio::time::sleep(moment).await;
        }
    }

    fn places(&self) -> MutexGuard<'_, Places> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Permit {
    /// Sets whether the connection is idle, and which of its idle times this is.
    pub(super) fn set_idle(&mut self, idle: Option<u64>) {
        if idle == self.idle.map(|(idle, _)| idle) {
            return;
        }
        let mut places = self.admission.places();
        if let Some((_, place)) = self.idle.take() {
            places.idle.remove(&place);
        }
        if let Some(idle) = idle {
            places.idle_count += 1;
            let place = places.idle_count;
            places.idle.insert(place, IdleConnection { network: self.network, close: Arc::clone(&self.close) });
            self.idle = Some((idle, place));
        }
    }

    /// Notified when the connection is to close, as its place is needed.
    pub(super) fn close_requested(&self) -> Arc<Notify> {
        Arc::clone(&self.close)
    }

    /// Notes that the connection is busy again and stays open.
    pub(super) fn keep_open(&self) {
        self.admission.changed.notify_waiters();
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.set_idle(None);
        let mut places = self.admission.places();
        places.taken -= 1;
        self.admission.figures.set_open(places.taken);
        if let Some(network) = self.network
            && let Some(taken) = places.by_network.get_mut(&network)
        {
            *taken -= 1;
            if *taken == 0 {
                places.by_network.remove(&network);
            }
        }
        drop(places);
        self.admission.changed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admission(all: usize, of_one: usize) -> Arc<Admission> {
        Admission::new(
            Bounds { all, of_one, counts_loopback: false, proxies: TrustedProxies::default() },
            Arc::default(),
        )
    }

    fn address(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    #[test]
    fn places_are_bounded_in_all_and_for_a_household() {
        let admission = admission(4, 2);
        let come = |from| admission.try_admit(address(from)).map_err(|refusal| (from, refusal));
        let first = come("2001:db8::1").expect("room");
        let _second = come("2001:db8::2").expect("room");
        assert_eq!(come("2001:db8::3").err(), Some(("2001:db8::3", Refusal::Address)));
        let _third = come("2001:db8:0:1::1").expect("room for the neighbour");
        assert_eq!(admission.figures.open(), 3);
        drop(first);
        let _again = come("2001:db8::3").expect("room");
        let _last = come("192.0.2.1").expect("room");
        assert_eq!(come("192.0.2.2").err(), Some(("192.0.2.2", Refusal::All)));
        assert_eq!(admission.places().by_network.len(), 3);
    }

    #[test]
    fn this_machine_is_bounded_only_where_the_operator_says_so_and_a_proxy_never() {
        for (counts_loopback, proxies, expected) in [(false, "", 3), (true, "", 1), (true, "127.0.0.0/8", 3)] {
            let proxies = proxies.parse().expect("networks");
            let bounds = Bounds { all: 3, of_one: 1, counts_loopback, proxies };
            let admission = Admission::new(bounds, Arc::default());
            let permits: Vec<_> =
                ["127.0.0.1", "::ffff:127.0.0.1", "127.0.0.1"].map(|from| admission.try_admit(address(from))).into();
            assert_eq!(permits.iter().filter(|permit| permit.is_ok()).count(), expected);
        }
    }

    #[tokio::test]
    async fn the_connection_idle_longest_makes_room_and_for_an_address_one_of_its_own() {
        let admission = admission(3, 2);
        let mut permits = Vec::new();
        for from in ["192.0.2.1", "192.0.2.2", "192.0.2.2"] {
            let mut permit = admission.admit(address(from)).await.expect("room");
            permit.set_idle(Some(0));
            permits.push(permit);
        }
        // The first one was busy since.
        permits[0].set_idle(None);
        permits[0].set_idle(Some(1));
        permits[1].set_idle(Some(0));
        let closing = async |place: usize, permits: &mut Vec<Permit>| {
            permits[place].close_requested().notified().await;
            permits.remove(place);
        };
        let (permit, ()) = tokio::join!(admission.admit(address("192.0.2.3")), closing(1, &mut permits));
        permits.push(permit.expect("the longest idle one closed"));
        permits[2].set_idle(Some(0));
        let (permit, ()) = tokio::join!(admission.admit(address("192.0.2.1")), closing(1, &mut permits));
        permits.push(permit.expect("so did the next"));
        let (permit, ()) = tokio::join!(admission.admit(address("192.0.2.1")), closing(0, &mut permits));
        permits.push(permit.expect("an address makes room for itself"));
        assert_eq!(admission.figures.open(), 3);
    }

    #[tokio::test]
    async fn a_busy_connection_stays_open() {
        let admission = admission(2, 1);
        let _busy = admission.admit(address("192.0.2.1")).await.expect("room");
        assert_eq!(admission.admit(address("192.0.2.1")).await.err(), Some(Refusal::Address));
        let mut late = admission.admit(address("192.0.2.2")).await.expect("room");
        late.set_idle(Some(0));
        // Asked to close, it is busy again.
        let (refused, ()) = tokio::join!(admission.admit(address("192.0.2.3")), async {
            late.close_requested().notified().await;
            late.set_idle(None);
            late.keep_open();
        });
        assert_eq!(refused.err(), Some(Refusal::All));
        assert_eq!(admission.figures.refused(Refusal::All), 1);
        assert_eq!(admission.figures.refused(Refusal::Address), 1);
    }
}
