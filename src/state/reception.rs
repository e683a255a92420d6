//! Capacity of a node for request bodies on their way: room for the ordinary ones, and permits for the large.

mod budget;

use std::{sync::Arc, time::Duration};

use flagstone_config::BodyLimits;
use flagstone_domain::permission::{Grants, Permission};
use flagstone_error::Error;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

pub use self::budget::{ByteBudget, Reservation};

/// Bytes of all ordinary bodies that are received at once, however small the bound of one is.
const ROOM_BYTES: usize = 32 << 20;
/// Ordinary bodies of the greatest length that there is room for at least.
const ROOM_BODIES: usize = 4;
/// Longest time that a large body waits for the one before it.
const PERMIT_WAIT: Duration = Duration::from_mins(1);

/// Queue of large bodies. Callers who may change nothing never keep those waiting who may.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Queue {
    /// Callers who may import into some project.
    Importing,
    /// All others.
    Looking,
}

impl Queue {
    /// The queue of a caller with these grants.
    pub fn of(grants: &Grants) -> Self {
        if grants.allow_somewhere(Permission::UpdateFeature) { Self::Importing } else { Self::Looking }
    }
}

/// The right to send a large body, and to make the server work on it, until it is dropped.
pub type LargeBodyPermit = OwnedSemaphorePermit;

/// Capacity for request bodies.
#[derive(Debug)]
pub struct Reception {
    budget: Arc<ByteBudget>,
    importing: Arc<Semaphore>,
    looking: Arc<Semaphore>,
}

impl Reception {
    /// Room for bodies that are bounded so.
    pub fn new(limits: &BodyLimits) -> Self {
        let budget = ByteBudget::of(limits.standard_bytes.saturating_mul(ROOM_BODIES).max(ROOM_BYTES));
        let one = || Arc::new(Semaphore::new(1));
        Self { budget: Arc::new(budget), importing: one(), looking: one() }
    }

    /// The room of ordinary bodies.
    pub const fn budget(&self) -> &Arc<ByteBudget> {
        &self.budget
    }

    /// The next permit of a queue; [`Error::LargeRequestTimeout`] when it does not come in time.
    pub async fn acquire(&self, queue: Queue) -> Result<LargeBodyPermit, Error> {
        let permits = match queue {
            Queue::Importing => &self.importing,
            Queue::Looking => &self.looking,
        };
        let permit = tokio::time::timeout(PERMIT_WAIT, Arc::clone(permits).acquire_owned()).await;
        permit.map_err(|_late| Error::LargeRequestTimeout)?.map_err(Error::internal)
    }
}
