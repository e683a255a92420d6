//! Whoever wants to write waits for a turn: first come, first served, not for ever, and not without bound.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use sea_orm::{ConnAcquireErr, DbErr};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::store::StoreError;

/// Changes that wait for their turn at the same time. Whoever comes then is sent away at once: who waits holds memory,
/// and would in all likelihood wait in vain.
const WAITING: usize = 500;

/// The right to write, until it is dropped.
pub(in crate::store) type Turn = OwnedSemaphorePermit;

/// Those who wait for their turn.
#[derive(Debug)]
pub(in crate::store) struct Queue {
    turns: Arc<Semaphore>,
    most: u32,
    waiting: AtomicUsize,
    wait: Duration,
}

/// Counts one who waits.
struct Waiting<'q>(&'q AtomicUsize);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Queue {
    /// So many have a turn at the same time; others wait for it, at most as long as said.
    pub(in crate::store) fn new(most: u32, wait: Duration) -> Self {
        Self { turns: Arc::new(Semaphore::new(most as usize)), most, waiting: AtomicUsize::new(0), wait }
    }

    /// A turn, after those who came before.
    pub(in crate::store) async fn turn(&self) -> Result<Turn, StoreError> {
        if let Ok(turn) = Arc::clone(&self.turns).try_acquire_owned() {
            return Ok(turn);
        }
        let before = self.waiting.fetch_add(1, Ordering::SeqCst);
        let _waiting = Waiting(&self.waiting);
        if before >= WAITING {
            return Err(StoreError::crowded(before));
        }
        match tokio::time::timeout(self.wait, self.patient_turn()).await {
            Ok(turn) => Ok(turn?),
            Err(_) => Err(StoreError::late(self.wait)),
        }
    }

    /// A turn for what must come to pass, however long it takes. It counts as nobody who waits.
    pub(in crate::store) async fn patient_turn(&self) -> Result<Turn, DbErr> {
        let turn = Arc::clone(&self.turns).acquire_owned().await;
        turn.map_err(|_| DbErr::ConnectionAcquire(ConnAcquireErr::ConnectionClosed))
    }

    /// Whether anybody waits.
    pub(in crate::store) fn is_waited_for(&self) -> bool {
        self.waiting.load(Ordering::SeqCst) > 0
    }

    /// Waits for those who have a turn, as long as anybody waits for one; nobody gets one afterwards.
    pub(in crate::store) async fn close(&self) {
        let _all = tokio::time::timeout(self.wait, self.turns.acquire_many(self.most)).await;
        self.turns.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn whoever_waits_in_vain_is_told_and_no_longer_counts() {
        let queue = Queue::new(1, Duration::from_millis(5));
        let turn = queue.turn().await.expect("the first");
        assert!(!queue.is_waited_for());
        let error = queue.turn().await.expect_err("somebody else has the turn");
        assert!(matches!(crate::error::Error::from(error), crate::error::Error::Busy(_)));
        assert!(!queue.is_waited_for());
        drop(turn);
        drop(queue.turn().await.expect("a turn"));
    }
}
