//! Hashing and checking passwords apart from the requests: few at a time, and never on the threads that answer.

use std::{sync::Arc, time::Duration};

use flagstone_domain::password::{self, Cost};
use flagstone_error::Error;
use tokio::{
    sync::{Semaphore, SemaphorePermit},
    task, time,
};

/// Most hashes at a time; each takes a core and 19 MiB.
const MAX_AT_A_TIME: usize = 4;
/// Longest time that a request waits for a turn before it is refused.
const PATIENCE: Duration = Duration::from_secs(5);

/// Hashes and checks passwords. Cheap to clone; clones share their turns.
#[derive(Debug, Clone)]
pub struct Passwords {
    turns: Arc<Semaphore>,
    patience: Duration,
    cost: Cost,
}

impl Passwords {
    /// Hashes at the given cost, on as many cores as there are, but few.
    pub fn new(cost: Cost) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Self { turns: Arc::new(Semaphore::new(cores.min(MAX_AT_A_TIME))), patience: PATIENCE, cost }
    }

    /// The hash of a password.
    pub async fn hash(&self, password: String) -> Result<String, Error> {
        let _turn = self.turn().await?;
        let cost = self.cost;
        task::spawn_blocking(move || password::hash(&password, cost)).await.map_err(Error::internal)
    }

    /// Whether a password belongs to a stored hash; without one, no, after the same time.
    pub async fn matches(&self, password: String, stored: Option<String>) -> Result<bool, Error> {
        let _turn = self.turn().await?;
        let cost = self.cost;
        let check = move || password::matches(&password, stored.as_deref(), cost);
        task::spawn_blocking(check).await.map_err(Error::internal)
    }

    async fn turn(&self) -> Result<SemaphorePermit<'_>, Error> {
        match time::timeout(self.patience, self.turns.acquire()).await {
            Ok(turn) => turn.map_err(Error::internal),
            Err(_) => Err(Error::RateLimit { retry_after_seconds: PATIENCE.as_secs() }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn whoever_gets_no_turn_is_told_to_come_back() {
        let turns = Arc::new(Semaphore::new(1));
        let passwords = Passwords { turns, patience: Duration::from_millis(1), cost: Cost::Least };
        let turn = passwords.turn().await.expect("the first turn");
        let refused = passwords.matches("x".to_owned(), None).await;
        assert!(matches!(refused, Err(Error::RateLimit { retry_after_seconds: 5 })), "{refused:?}");
        drop(turn);
        let hash = passwords.hash("x".to_owned()).await.expect("a hash");
        assert!(passwords.matches("x".to_owned(), Some(hash)).await.expect("a check"));
    }
}
