//! Deliveries of events to integrations that are under way on this node, and how they ended.

mod figures;
mod places;
mod trials;

use std::sync::Arc;

use flagstone_outbound::Outbound;
use tokio::sync::Notify;

use self::figures::AttemptCounts;
pub use self::{
    figures::Ending,
    places::{Places, UnderWay},
    trials::{TooManyTrials, Trial, Trials},
};

/// Deliveries of this node that are under way.
#[derive(Debug)]
pub struct Deliveries {
    /// Way to the receivers.
    pub outbound: Outbound,
    /// Places of the deliveries under way.
    pub places: Arc<Places>,
    /// Trials under way.
    pub trials: Trials,
    attempts: AttemptCounts,
    /// Notified when a delivery ends: the next need not wait for the tick.
    pub ended: Notify,
}

impl Deliveries {
    /// Deliveries at the start, none under way; receivers are reached in the same ways as everything else.
    pub fn new(outbound: &Outbound) -> Self {
        Self {
            outbound: outbound.in_plain_http_too(places::REQUESTS),
            places: Arc::default(),
            trials: Trials::new(outbound),
            attempts: AttemptCounts::default(),
            ended: Notify::new(),
        }
    }

    /// Counts an attempt that ended.
    pub fn count(&self, ending: Ending) {
        self.attempts.count(ending);
    }

    /// Attempts since the start that ended so.
    pub fn attempts(&self, ending: Ending) -> u64 {
        self.attempts.of(ending)
    }

    /// Attempts that have not ended.
    pub fn under_way(&self) -> usize {
        self.places.taken()
    }
}
