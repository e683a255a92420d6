//! Counters of the answers from memory, for the metrics.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Counts since the start of this node.
#[derive(Debug, Default)]
pub struct Figures {
    pub(super) compiled: AtomicU64,
    pub(super) listening: AtomicBool,
    whole: AtomicU64,
    unchanged: AtomicU64,
}

impl Figures {
    /// Counts an answer to a program that asked for its features: sent, or the reader had it.
    pub fn answered(&self, sent: bool) {
        let count = if sent { &self.whole } else { &self.unchanged };
        count.fetch_add(1, Ordering::Relaxed);
    }

    /// Answers that were sent.
    pub fn sent(&self) -> u64 {
        self.whole.load(Ordering::Relaxed)
    }

    /// Answers that the reader had already.
    pub fn unchanged(&self) -> u64 {
        self.unchanged.load(Ordering::Relaxed)
    }

    /// Number of times that an environment was read from the database.
    pub fn compiled(&self) -> u64 {
        self.compiled.load(Ordering::Relaxed)
    }

    /// Whether this node hears of changes on others at once.
    pub fn is_listening(&self) -> bool {
        self.listening.load(Ordering::Relaxed)
    }
}
