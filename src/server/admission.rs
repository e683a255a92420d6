//! Who is let in: so many connections in all, so many of one address; who rests gives way to who comes.

use std::{
    collections::{BTreeMap, HashMap},
    net::IpAddr,
    pin::pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::sync::Notify;

use super::figures::{Figures, Refusal};
use crate::{config::TrustedProxies, domain::network::client_network};

/// How long somebody who rests may take to leave.
const LEAVING: Duration = Duration::from_secs(1);

/// How many are let in.
#[derive(Debug, Clone)]
pub(super) struct Bounds {
    /// Connections at once.
    pub(super) all: usize,
    /// Of one network.
    pub(super) of_one: usize,
    /// Whether those of this machine itself count as one network like any other.
    pub(super) counts_loopback: bool,
    /// Those before the server, each of whom speaks for many.
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
    /// Somebody has left, or is busy again and stays.
    moved: Notify,
    figures: Arc<Figures>,
}

#[derive(Debug, Default)]
struct Places {
    taken: usize,
    /// Of those that have a bound of their own.
    by_network: HashMap<IpAddr, usize>,
    /// Who rests, longest first.
    resting: BTreeMap<u64, Rest>,
    rests: u64,
}

#[derive(Debug)]
struct Rest {
    network: Option<IpAddr>,
    leave: Arc<Notify>,
}

/// The place of one connection, which is free again when this is dropped.
#[derive(Debug)]
pub(super) struct Permit {
    admission: Arc<Admission>,
    network: Option<IpAddr>,
    leave: Arc<Notify>,
    /// Which of its rests this is, and its place among those who rest.
    rest: Option<(u64, u64)>,
}

impl Admission {
    pub(super) fn new(bounds: Bounds, figures: Arc<Figures>) -> Arc<Self> {
        figures.set_limit(bounds.all);
        Arc::new(Self { bounds, places: Mutex::default(), moved: Notify::new(), figures })
    }

    /// A place for a connection from this address: a free one, or that of who has rested longest.
    pub(super) async fn admit(self: &Arc<Self>, address: IpAddr) -> Result<Permit, Refusal> {
        let mut leaving = pin!(tokio::time::sleep(LEAVING));
        loop {
            let moved = self.moved.notified();
            let refusal = match self.try_admit(address) {
                Ok(permit) => return Ok(permit),
                Err(refusal) => refusal,
            };
            let network = (refusal == Refusal::Address).then(|| client_network(address));
            let patient = self.make_room(network)
                && tokio::select! {
                    () = moved => true,
                    () = &mut leaving => false,
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
        Ok(Permit { admission: Arc::clone(self), network, leave: Arc::default(), rest: None })
    }

    /// Has whoever has rested longest leave, of one network or of all. False when nobody rests.
    fn make_room(&self, network: Option<IpAddr>) -> bool {
        let mut places = self.places();
        let mut resting = places.resting.iter();
        let found = resting.find(|(_, rest)| network.is_none() || rest.network == network);
        let Some(place) = found.map(|(place, _)| *place) else { return false };
        if let Some(rest) = places.resting.remove(&place) {
            rest.leave.notify_one();
        }
        true
    }

    /// Waits a moment, in which somebody who rests leaves: no longer than until they have.
    pub(super) async fn relieve(&self, moment: Duration) {
        let moved = self.moved.notified();
        if self.make_room(None) {
            // Whoever stays after all has been of use.
            let _left = tokio::time::timeout(moment, moved).await;
        } else {
            tokio::time::sleep(moment).await;
        }
    }

    fn places(&self) -> MutexGuard<'_, Places> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Permit {
    /// Says that the connection rests, and which of its rests this is, or that it does not.
    pub(super) fn rests(&mut self, rest: Option<u64>) {
        if rest == self.rest.map(|(rest, _)| rest) {
            return;
        }
        let mut places = self.admission.places();
        if let Some((_, place)) = self.rest.take() {
            places.resting.remove(&place);
        }
        if let Some(rest) = rest {
            places.rests += 1;
            let place = places.rests;
            places.resting.insert(place, Rest { network: self.network, leave: Arc::clone(&self.leave) });
            self.rest = Some((rest, place));
        }
    }

    /// Notified when the place is needed by somebody else.
    pub(super) fn leave(&self) -> Arc<Notify> {
        Arc::clone(&self.leave)
    }

    /// Says that the connection is busy again and stays.
    pub(super) fn stays(&self) {
        self.admission.moved.notify_waiters();
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.rests(None);
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
        self.admission.moved.notify_waiters();
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
    async fn who_has_rested_longest_gives_way_and_of_an_address_its_own() {
        let admission = admission(3, 2);
        let mut permits = Vec::new();
        for from in ["192.0.2.1", "192.0.2.2", "192.0.2.2"] {
            let mut permit = admission.admit(address(from)).await.expect("room");
            permit.rests(Some(0));
            permits.push(permit);
        }
        // The first one was of use since.
        permits[0].rests(None);
        permits[0].rests(Some(1));
        permits[1].rests(Some(0));
        let leaving = async |place: usize, permits: &mut Vec<Permit>| {
            permits[place].leave().notified().await;
            permits.remove(place);
        };
        let (permit, ()) = tokio::join!(admission.admit(address("192.0.2.3")), leaving(1, &mut permits));
        permits.push(permit.expect("the longest rest ended"));
        permits[2].rests(Some(0));
        let (permit, ()) = tokio::join!(admission.admit(address("192.0.2.1")), leaving(1, &mut permits));
        permits.push(permit.expect("so did the next"));
        let (permit, ()) = tokio::join!(admission.admit(address("192.0.2.1")), leaving(0, &mut permits));
        permits.push(permit.expect("an address makes room for itself"));
        assert_eq!(admission.figures.open(), 3);
    }

    #[tokio::test]
    async fn who_is_busy_stays() {
        let admission = admission(2, 1);
        let _busy = admission.admit(address("192.0.2.1")).await.expect("room");
        assert_eq!(admission.admit(address("192.0.2.1")).await.err(), Some(Refusal::Address));
        let mut late = admission.admit(address("192.0.2.2")).await.expect("room");
        late.rests(Some(0));
        // Asked to leave, it has just been of use.
        let (refused, ()) = tokio::join!(admission.admit(address("192.0.2.3")), async {
            late.leave().notified().await;
            late.rests(None);
            late.stays();
        });
        assert_eq!(refused.err(), Some(Refusal::All));
        assert_eq!(admission.figures.refused(Refusal::All), 1);
        assert_eq!(admission.figures.refused(Refusal::Address), 1);
    }
}
