//! Limits on attempts at passwords: from one address, and at one account.
//!
//! The first keeps one stranger from trying many accounts, the second many strangers from trying one. A limit on
//! accounts is also a way to lock a user out, by trying their name on and on. So it does not concern attempts from an
//! address where that account was signed in, or set its password with a link of an administrator, within 30 days: there
//! the limit on the address is enough. A user who is shut out at another address waits for a turn, twenty seconds
//! apart, among those who try, goes to an address where they are known, or asks an administrator for a link.
//!
//! Names that no user has are limited as those of users, so that the limit does not reveal which exist. A name counts
//! as it is looked up: an email in any case. A user with a user name and an email can be tried by both.
//!
//! Each node counts for itself, and begins again when it starts.

use std::{sync::Arc, time::Duration};

use flagstone_clock::Clock;
use flagstone_domain::network::{ClientAddress, ClientNetwork};
use flagstone_error::Error;
use flagstone_store::access::people::Account;
use sha2::{Digest as _, Sha256};

use super::limit::{AttemptLimit, Recent};

/// Attempts at one account at once.
const AT_ACCOUNT: u32 = 30;
/// Time after which one more is admitted.
const PAUSE: Duration = Duration::from_secs(20);
/// Time for which an account is known at an address.
const FAMILIAR: Duration = Duration::from_hours(30 * 24);

/// Name given to sign in, whether or not a user has it; by its digest, so that all take the same room.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct AccountName([u8; 32]);

impl AccountName {
    /// The name as it is looked up: a user name, or an email in upper or lower case.
    pub fn of(login: &str) -> Self {
        Self(Sha256::digest(login.to_ascii_lowercase()).into())
    }
}

/// An attempt that was counted: where it came from and, unless the account is known there, at which account it was.
#[derive(Debug, Clone, Copy)]
pub struct Counted {
    network: ClientNetwork,
    account: Option<AccountName>,
}

/// Counts attempts to sign in. Cheap to clone; clones share their counts.
#[derive(Debug, Clone)]
pub struct SignInAttempts {
    by_address: AttemptLimit<ClientNetwork>,
    by_account: AttemptLimit<AccountName>,
    /// End of the time in which accounts are known at addresses.
    familiar: Arc<Recent<(AccountName, ClientNetwork), Duration>>,
    clock: Clock,
}

impl SignInAttempts {
    /// Admits so many attempts from one address at once, and as many again spread over each minute.
    pub fn new(per_minute: u32, clock: &Clock) -> Self {
        Self {
            by_address: AttemptLimit::per_minute(per_minute, clock.clone()),
            by_account: AttemptLimit::with_pause(AT_ACCOUNT, PAUSE, clock.clone()),
            familiar: Arc::default(),
            clock: clock.clone(),
        }
    }

    /// Counts an attempt to sign in with this name: 429 when there were too many.
    pub fn count(&self, login: &str, address: ClientAddress) -> Result<Counted, Error> {
        let (account, network) = (AccountName::of(login), address.network());
        self.by_address.count(&network)?;
        let known_until = self.familiar.get(&(account, network));
        if known_until.is_some_and(|end| self.clock.steady() < end) {
            return Ok(Counted { network, account: None });
        }
        self.by_account.count(&account)?;
        Ok(Counted { network, account: Some(account) })
    }

    /// Takes back an attempt that was counted, because it was a good one: only bad ones wear anything out.
    pub fn give_back(&self, counted: Counted) {
        self.by_address.give_back(&counted.network);
        if let Some(account) = counted.account {
            self.by_account.give_back(&account);
        }
    }

    /// Notes that an account proved itself at an address: it is known there from now on, by each of its names.
    pub fn recognised(&self, account: &Account, address: ClientAddress) {
        let end = self.clock.steady() + FAMILIAR;
        for name in [&account.username, &account.email].into_iter().flatten() {
            self.familiar.put((AccountName::of(name), address.network()), end);
        }
    }
}
