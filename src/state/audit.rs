//! Knowledge of a node about the hash chain of the events.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicU64, Ordering},
};

use tokio::sync::Semaphore;

/// Knowledge of a node about the hash chain.
#[derive(Debug)]
pub struct Audit {
    /// The generation of the database at which every event had its hash.
    complete_at: AtomicU64,
    /// Permit to verify for a request that waits for it: one at a time.
    pub turns: Arc<Semaphore>,
    /// Whether events are kept that should have been removed, because the log does not hold.
    held_back: AtomicBool,
}

impl Default for Audit {
    fn default() -> Self {
        Self {
            complete_at: AtomicU64::new(u64::MAX),
            turns: Arc::new(Semaphore::new(1)),
            held_back: AtomicBool::default(),
        }
    }
}

impl Audit {
    /// Whether every event had its hash at a generation of the database.
    pub fn is_complete_at(&self, generation: u64) -> bool {
        self.complete_at.load(Ordering::Relaxed) == generation
    }

    /// Notes that every event had its hash at a generation of the database.
    pub fn note_complete_at(&self, generation: u64) {
        self.complete_at.store(generation, Ordering::Relaxed);
    }

    /// Whether events are kept that should have been removed, because the log does not hold.
    pub fn is_held_back(&self) -> bool {
        self.held_back.load(Ordering::Relaxed)
    }

    /// Notes whether events are kept that should have been removed.
    pub fn note_held_back(&self, held_back: bool) {
        self.held_back.store(held_back, Ordering::Relaxed);
    }
}
