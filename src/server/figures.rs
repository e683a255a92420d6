//! Counters of connections.

use std::sync::{
    Mutex, PoisonError,
    atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed},
};

/// Reason why a connection is not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// All places are taken, by requests under way.
    All,
    /// All places of one address are taken.
    Address,
}

/// Reason why the server ends a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CloseReason {
    /// The head of a request did not arrive in time.
    Head,
    /// No request came for too long.
    Idle,
    /// An answer was not read.
    Unread,
    /// It was idle, and others needed its place.
    Room,
}

impl Refusal {
    /// Every reason, with its name.
    pub const NAMED: [(Self, &str); 2] = [(Self::All, "all"), (Self::Address, "address")];
}

impl CloseReason {
    /// Every reason, with its name.
    pub const NAMED: [(Self, &str); 4] =
        [(Self::Head, "head"), (Self::Idle, "idle"), (Self::Unread, "unread"), (Self::Room, "room")];
}

/// Outcome of reloading a certificate whose files changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reload {
    /// New callers are shown it.
    Taken,
    /// The files hold no certificate, or one that does not fit its key.
    Refused,
}

impl Reload {
    /// Every outcome, with its name.
    pub const NAMED: [(Self, &str); 2] = [(Self::Taken, "taken"), (Self::Refused, "refused")];
}

/// Figures of a listener with TLS.
#[derive(Debug, Default, Clone, Copy)]
pub struct TlsFigures {
    /// When the certificate expires, in milliseconds since 1970, where it says so.
    pub expiry: Option<i64>,
    /// Number of times that its files changed, by what became of that.
    pub reloads: [u64; Reload::NAMED.len()],
    /// Callers with whom nothing could be agreed on.
    pub failed: u64,
}

/// Connections of this node: how many there are now, and what became of others since the start.
#[derive(Debug, Default)]
pub struct Figures {
    open: AtomicUsize,
    limit: AtomicUsize,
    refused: [AtomicU64; Refusal::NAMED.len()],
    ended: [AtomicU64; CloseReason::NAMED.len()],
    tls: Mutex<Option<TlsFigures>>,
}

impl Figures {
    /// Open connections.
    pub fn open(&self) -> usize {
        self.open.load(Relaxed)
    }

    /// Most of them at once; 0 where no connections are served.
    pub fn limit(&self) -> usize {
        self.limit.load(Relaxed)
    }

    /// Connections that were not let in.
    pub fn refused(&self, reason: Refusal) -> u64 {
        self.refused[reason as usize].load(Relaxed)
    }

    /// Connections that the server ended.
    pub fn ended(&self, reason: CloseReason) -> u64 {
        self.ended[reason as usize].load(Relaxed)
    }

    /// Figures of TLS; `None` where it is not spoken.
    pub fn tls(&self) -> Option<TlsFigures> {
        *self.tls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change_tls(&self, change: impl FnOnce(&mut TlsFigures)) {
        change(self.tls.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_default());
    }

    pub(super) fn set_certificate_expiry(&self, expiry: Option<i64>) {
        self.change_tls(|tls| tls.expiry = expiry);
    }

    pub(super) fn count_reload(&self, outcome: Reload) {
        self.change_tls(|tls| tls.reloads[outcome as usize] += 1);
    }

    pub(super) fn count_failed_handshake(&self) {
        self.change_tls(|tls| tls.failed += 1);
    }

    pub(super) fn set_limit(&self, limit: usize) {
        self.limit.store(limit, Relaxed);
    }

    pub(super) fn set_open(&self, open: usize) {
        self.open.store(open, Relaxed);
    }

    pub(super) fn count_refused(&self, reason: Refusal) {
        self.refused[reason as usize].fetch_add(1, Relaxed);
    }

    pub(super) fn count_ended(&self, reason: CloseReason) {
        self.ended[reason as usize].fetch_add(1, Relaxed);
    }
}
