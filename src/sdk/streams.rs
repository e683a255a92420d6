//! How many programs are told of changes as they happen: each costs memory, so there is a bound.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The streams of a node.
#[derive(Debug, Clone)]
pub struct Streams {
    free: Arc<Semaphore>,
    limit: usize,
}

/// The place of one stream; dropping it gives it to another.
#[derive(Debug)]
pub struct Place(#[expect(dead_code, reason = "held until it is dropped")] OwnedSemaphorePermit);

impl Streams {
    /// At most `limit` at once.
    pub fn new(limit: usize) -> Self {
        Self { free: Arc::new(Semaphore::new(limit)), limit }
    }

    /// A place, if one is free.
    pub fn open(&self) -> Option<Place> {
        Arc::clone(&self.free).try_acquire_owned().ok().map(Place)
    }

    /// Streams that are open.
    pub fn count(&self) -> usize {
        self.limit - self.free.available_permits()
    }

    /// Most at once.
    pub const fn limit(&self) -> usize {
        self.limit
    }
}
