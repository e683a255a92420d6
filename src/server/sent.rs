//! What is to be told once an answer was sent.

use std::{fmt, sync::Arc};

/// How much of an answer was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sent {
    /// Bytes of its body, as they were given to the connection.
    pub bytes: u64,
    /// Whether the body had no more. Where its length was told, nobody may have asked.
    pub is_whole: bool,
}

/// Called when the last of an answer was sent, or its connection has ended: put beside the answer by whoever wants to
/// know.
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

impl fmt::Debug for WhenSent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WhenSent")
    }
}
