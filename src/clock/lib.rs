//! The only place that asks for the time or for a fresh identifier; everything else is handed a [`Clock`].

use std::{
    sync::{
        Arc, LazyLock,
        atomic::{AtomicI64, Ordering},
    },
    time::{Duration, Instant},
};

use flagstone_domain::time::Timestamp;
use uuid::Uuid;

/// Clock: the system's, or in tests one that moves only on demand.
#[derive(Debug, Clone)]
pub struct Clock(Source);

#[derive(Debug, Clone)]
enum Source {
    System,
    Manual(Arc<AtomicI64>),
}

impl Clock {
    /// The clock of the machine.
    pub const fn system() -> Self {
        Self(Source::System)
    }

    /// A clock that stands still at `start`; clones show the same time.
    pub fn manual(start: Timestamp) -> Self {
        Self(Source::Manual(Arc::new(AtomicI64::new(start.millis()))))
    }

    /// The current instant, cut to milliseconds.
    pub fn now(&self) -> Timestamp {
        match &self.0 {
            Source::System => system_now(),
            Source::Manual(millis) => Timestamp::from_millis(millis.load(Ordering::SeqCst)),
        }
    }

    /// Time since some fixed moment: never runs backwards, whatever happens to the date of the machine.
    pub fn steady(&self) -> Duration {
        static START: LazyLock<Instant> = LazyLock::new(Instant::now);
        match &self.0 {
            Source::System => START.elapsed(),
            Source::Manual(millis) => Duration::from_millis(millis.load(Ordering::SeqCst).unsigned_abs()),
        }
    }

    /// Moves a manual clock by `millis` milliseconds; the machine's clock is left alone.
    pub fn advance(&self, millis: i64) {
        if let Source::Manual(now) = &self.0 {
            now.fetch_add(millis, Ordering::SeqCst);
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "this is the one caller that the rule speaks of")]
fn system_now() -> Timestamp {
    Timestamp::from_millis(chrono::Utc::now().timestamp_millis())
}

/// A fresh random identifier.
#[expect(clippy::disallowed_methods, reason = "this is the one caller that the rule speaks of")]
pub fn new_uuid() -> Uuid {
    Uuid::new_v4()
}
