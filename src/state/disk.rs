//! Whether the disk of the database was full when something was last written.

use std::sync::atomic::{AtomicI64, Ordering};

use crate::domain::time::Timestamp;

/// Mark that no write failed for lack of room.
const ROOM: i64 = i64::MIN;

/// State of the disk of the database, as far as this node knows it.
#[derive(Debug)]
pub struct Disk(AtomicI64);

impl Default for Disk {
    fn default() -> Self {
        Self(AtomicI64::new(ROOM))
    }
}

impl Disk {
    /// Notes that a change failed because the disk is full.
    pub fn note_full(&self, now: Timestamp) {
        self.0.store(now.millis(), Ordering::Relaxed);
    }

    /// Notes that something could be written.
    pub fn note_room(&self) {
        self.0.store(ROOM, Ordering::Relaxed);
    }

    /// Returns the milliseconds since a change last failed because the disk is full; `None` if one succeeded since.
    pub fn full_for_ms(&self, now: Timestamp) -> Option<i64> {
        let full = self.0.load(Ordering::Relaxed);
        (full != ROOM).then(|| now.millis().saturating_sub(full))
    }
}
