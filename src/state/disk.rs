//! Whether the disk of the database was full when something was last written.

use std::sync::atomic::{AtomicI64, Ordering};

use flagstone_domain::time::Timestamp;
use flagstone_error::Error;
use flagstone_store::{
    self as store, StoreError,
    db::{Db, NoEvent},
};

/// Mark that no write failed for lack of room.
const ROOM: i64 = i64::MIN;
/// Milliseconds after a failure for lack of room during which the disk counts as full, so that callers without
/// credentials cause few writes.
const RESPITE_MS: i64 = 5000;

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

    /// Fails while the disk is full: after a failure for lack of room, until something could be written.
    pub async fn check_room(&self, db: &Db, now: Timestamp) -> Result<(), Error> {
        let Some(full_for_ms) = self.full_for_ms(now) else { return Ok(()) };
        if (0..RESPITE_MS).contains(&full_for_ms) {
            let cause = StoreError::external("a change failed for lack of room a moment ago".to_owned());
            return Err(Error::DiskFull(Box::new(cause)));
        }
        let tx = db.begin().await?;
        store::preferences::take_room(&tx, now).await?;
        tx.commit_without_event(NoEvent::Upkeep).await?;
        let tx = db.begin().await?;
        store::preferences::give_room_back(&tx).await?;
        tx.commit_without_event(NoEvent::Upkeep).await?;
        self.note_room();
        Ok(())
    }
}
