//! Callbacks for the end of sending an answer.

use std::sync::Arc;

use flagstone_domain::opaque_debug;

/// Part of an answer that was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sent {
    /// Bytes of its body, as they were given to the connection.
    pub bytes: u64,
    /// Whether the body had no more. Where its length was announced, its end may not have been read.
    pub is_whole: bool,
}

/// Callback for the moment when the last of an answer was sent, or its connection has ended. It is put into the
/// extensions of the answer.
#[derive(Clone)]
pub struct WhenSent(Arc<dyn Fn(Sent) + Send + Sync>);

impl WhenSent {
    /// Calls this.
    pub fn new(call: impl Fn(Sent) + Send + Sync + 'static) -> Self {
        Self(Arc::new(call))
    }

    pub(super) fn tell(&self, sent: Sent) {
        (self.0)(sent);
    }
}

opaque_debug!(WhenSent);
