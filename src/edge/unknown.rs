//! Bound on unknown tokens that are shown to an edge in a minute: upstreams stop answering edges that ask about more,
//! so what they answer is shared by the addresses that show them.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use flagstone_domain::{network::ClientNetwork, share::may_take};
use tokio::time::{Duration, Instant};

/// Unknown tokens that a minute may bring: upstreams stop answering edges that show them more.
const UNKNOWN_A_MINUTE: usize = 90;
/// Share of one address in the unknown tokens that are left of a minute, in multiples of those: half of them where no
/// other shows any.
const TIMES_WHAT_IS_LEFT: usize = 1;
const MINUTE: Duration = Duration::from_mins(1);

/// Unknown tokens of the present minute.
#[derive(Debug, Default)]
pub(super) struct UnknownTokens(Mutex<Option<Minute>>);

#[derive(Debug)]
struct Minute {
    began: Instant,
    /// No more addresses than tokens that a minute may bring.
    by_address: HashMap<ClientNetwork, usize>,
}

/// Unknown tokens that a question in preparation may still contain.
pub(super) struct Allowance {
    by_address: HashMap<ClientNetwork, usize>,
    left: usize,
}

impl UnknownTokens {
    /// Returns the allowance for a question now, if all of its tokens were unknown.
    pub(super) fn allowance(&self) -> Allowance {
        let minute = self.lock();
        let by_address = minute.as_ref().map(|minute| minute.by_address.clone()).unwrap_or_default();
        let shown: usize = by_address.values().sum();
        Allowance { left: UNKNOWN_A_MINUTE.saturating_sub(shown), by_address }
    }

    /// Counts tokens that turned out to be unknown.
    pub(super) fn count(&self, shown_by: impl Iterator<Item = ClientNetwork>) {
        let mut minute = self.lock();
        for address in shown_by {
            let minute = minute.get_or_insert_with(|| Minute { began: Instant::now(), by_address: HashMap::new() });
            *minute.by_address.entry(address).or_default() += 1;
        }
    }

    /// Time until an address may show others again.
    pub(super) fn wait(&self) -> Duration {
        self.lock().as_ref().map_or(MINUTE, |minute| MINUTE.saturating_sub(minute.began.elapsed()))
    }

    fn lock(&self) -> MutexGuard<'_, Option<Minute>> {
        let mut minute = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if minute.as_ref().is_some_and(|minute| minute.began.elapsed() >= MINUTE) {
            *minute = None;
        }
        minute
    }
}

impl Allowance {
    /// Whether an address may have tokens asked about at all.
    pub(super) fn admits(&self, address: ClientNetwork) -> bool {
        let shown = self.by_address.get(&address).copied().unwrap_or_default();
        may_take(shown, self.left, TIMES_WHAT_IS_LEFT)
    }

    /// Takes one token of an address, if that may have another asked about.
    pub(super) fn take(&mut self, address: ClientNetwork) -> bool {
        let is_admitted = self.admits(address);
        if is_admitted {
            *self.by_address.entry(address).or_default() += 1;
            self.left -= 1;
        }
        is_admitted
    }
}

#[cfg(test)]
mod tests {
    use flagstone_domain::network::ClientAddress;

    use super::*;

    fn address(number: u8) -> ClientNetwork {
        ClientAddress::from(Some([10, 0, 0, number].into())).network()
    }

    #[tokio::test(start_paused = true)]
    async fn an_address_that_shows_made_up_tokens_leaves_questions_to_the_others() {
        let unknown = UnknownTokens::default();
        let show = |number: u8| {
            let mut allowance = unknown.allowance();
            let mut taken = 0;
            while allowance.take(address(number)) {
                taken += 1;
            }
            unknown.count(std::iter::repeat_n(address(number), taken));
            taken
        };
        assert_eq!(show(1), UNKNOWN_A_MINUTE / 2);
        assert_eq!(show(1), 0);
        assert!(!unknown.allowance().admits(address(1)));
        for number in 2..6 {
            assert!(unknown.allowance().admits(address(number)), "{number}");
            assert!(show(number) > 0);
        }
        tokio::time::advance(MINUTE / 2).await;
        assert_eq!(unknown.wait(), MINUTE / 2);
        assert!(!unknown.allowance().admits(address(1)));
        tokio::time::advance(MINUTE / 2).await;
        assert!(unknown.allowance().admits(address(1)));
        // Those that the upstream knows are no reason to refuse others.
        let mut allowance = unknown.allowance();
        assert!(allowance.take(address(1)));
        assert_eq!(unknown.allowance().left, UNKNOWN_A_MINUTE);
    }
}
