//! Permits to write. Callers wait for one: first come, first served, for a bounded time, in a queue of bounded length.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use sea_orm::{ConnAcquireErr, DbErr};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::StoreError;

/// Changes that wait for a permit at the same time. Further ones are refused at once: a waiting one holds memory, and
/// would in all likelihood wait in vain.
const WAITING: usize = 500;

/// The right to write, until it is dropped.
pub(crate) type WritePermit = OwnedSemaphorePermit;

/// Callers who wait for a permit.
#[derive(Debug)]
pub(crate) struct Queue {
    permits: Arc<Semaphore>,
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
    /// A queue with so many permits at the same time; others wait for one, at most as long as said.
    pub(crate) fn new(most: u32, wait: Duration) -> Self {
        Self { permits: Arc::new(Semaphore::new(most as usize)), most, waiting: AtomicUsize::new(0), wait }
    }

    /// A permit, after those who came before.
    pub(crate) async fn acquire(&self) -> Result<WritePermit, StoreError> {
        if let Ok(permit) = Arc::clone(&self.permits).try_acquire_owned() {
            return Ok(permit);
        }
        let before = self.waiting.fetch_add(1, Ordering::SeqCst);
        let _waiting = Waiting(&self.waiting);
        if before >= WAITING {
            return Err(StoreError::queue_full(before));
        }
        match tokio::time::timeout(self.wait, self.acquire_patiently()).await {
            Ok(permit) => Ok(permit?),
            Err(_) => Err(StoreError::queue_timeout(self.wait)),
        }
    }

    /// A permit for what must be done however long it takes. Waiting for it does not count towards the bound.
    pub(crate) async fn acquire_patiently(&self) -> Result<WritePermit, DbErr> {
        let permit = Arc::clone(&self.permits).acquire_owned().await;
        permit.map_err(|_| DbErr::ConnectionAcquire(ConnAcquireErr::ConnectionClosed))
    }

    /// Whether any caller waits.
    pub(crate) fn is_waited_for(&self) -> bool {
        self.waiting.load(Ordering::SeqCst) > 0
    }

    /// Waits for the holders of permits, as long as a caller waits for one; no permit is given afterwards.
    pub(crate) async fn close(&self) {
        let _all = tokio::time::timeout(self.wait, self.permits.acquire_many(self.most)).await;
        self.permits.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn whoever_waits_in_vain_is_told_and_no_longer_counts() {
        let queue = Queue::new(1, Duration::from_millis(5));
        let permit = queue.acquire().await.expect("the first");
        assert!(!queue.is_waited_for());
        let error = queue.acquire().await.expect_err("somebody else has the permit");
        assert!(matches!(flagstone_error::Error::from(error), flagstone_error::Error::Busy(_)));
        assert!(!queue.is_waited_for());
        drop(permit);
        drop(queue.acquire().await.expect("a permit"));
    }
}
