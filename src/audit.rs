//! A log of events that proves itself: its hashes, its signed checkpoints, and its retention.
//!
//! Hashes are made after the events, by whichever node comes first, so that a change pays nothing for them and a log of
//! before is taken in by itself. A checkpoint leaves the database as an event, which integrations carry to other
//! places.

mod archive;
mod chain;
mod checkpoint;
mod request_proof;
mod retention;
mod verification;

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicU64},
};

use tokio::sync::Semaphore;

pub use self::{
    archive::Archive,
    chain::extend,
    checkpoint::{CHECKPOINT_JOB, make_checkpoint, make_checkpoint_now},
    request_proof::{MOST_EVENTS, request_proof},
    retention::keep_retention,
    verification::{Scope, Trust, Verdict, verify},
};

/// Knowledge of a node about the chain.
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
    /// Whether events are kept that should have been removed, because the log does not hold.
    pub fn is_held_back(&self) -> bool {
        self.held_back.load(std::sync::atomic::Ordering::Relaxed)
    }
}
