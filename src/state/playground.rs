//! Bounds on the requests to the playground that are evaluated at a time.

use std::{sync::Arc, time::Duration};

use flagstone_error::Error;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Requests that have what is to be evaluated in memory at a time, until their answer has been read.
const MOST_RUNS: usize = 2;
/// Requests that wait for that; further ones are refused at once.
const MOST_WAITING: usize = 32;
/// Longest time that a request waits until it may load what is to be evaluated.
const RUN_WAIT: Duration = Duration::from_secs(20);

/// Bounds what the playground takes of memory and of the processor.
#[derive(Debug)]
pub struct PlaygroundSlots {
    /// Evaluating thousands of features takes a processor: one request at a time does it.
    pub evaluating: Arc<Semaphore>,
    runs: Arc<Semaphore>,
    waiting: Semaphore,
}

impl Default for PlaygroundSlots {
    fn default() -> Self {
        let slots = |count| Arc::new(Semaphore::new(count));
        Self { evaluating: slots(1), runs: slots(MOST_RUNS), waiting: Semaphore::new(MOST_WAITING) }
    }
}

impl PlaygroundSlots {
    /// Waits until a request may load what is to be evaluated, which may stay in memory as long as this is held.
    pub async fn acquire_run(&self) -> Result<OwnedSemaphorePermit, Error> {
        let _waiting = self.waiting.try_acquire().map_err(|_full| Error::LargeRequestTimeout)?;
        let run = tokio::time::timeout(RUN_WAIT, Arc::clone(&self.runs).acquire_owned()).await;
        run.map_err(|_late| Error::LargeRequestTimeout)?.map_err(Error::internal)
    }
}
