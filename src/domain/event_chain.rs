//! The chain of hashes over the log of events: what it says, and where it does not hold.
//!
//! The hash of an event is made of its own content and of the hash of the event before, so that a change of one takes
//! new hashes for all those after it. Checkpoints keep an attacker who can write to the database from doing just that.

pub mod checkpoint;
mod verifier;

use std::fmt;

use poem_openapi::Enum;
use serde::{Deserialize, Serialize, Serializer};

pub use self::verifier::{Known, Page, Verifier};
use crate::time::Timestamp;

/// A SHA-256 hash. Written as 64 digits of base 16.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Hash([u8; 32]);

impl Hash {
    /// Hash before the first event of all.
    pub const BEGINNING: Self = Self([0; 32]);

    /// A hash of so many bytes as it has.
    pub fn of_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    /// Reads the digits, in letters of either case.
    pub fn parse(digits: &str) -> Option<Self> {
        Self::of_bytes(&hex::decode(digits).ok()?)
    }

    /// The bytes.
    pub const fn bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut digits = [0; 64];
        hex::encode_to_slice(self.0, &mut digits).map_err(|_| fmt::Error)?;
        f.write_str(std::str::from_utf8(&digits).map_err(|_| fmt::Error)?)
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for Hash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A place in the chain: an event, and its hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Link {
    /// Id of the event; 0 before the first.
    pub event_id: i64,
    /// Its hash.
    pub hash: Hash,
}

impl Link {
    /// The place before the first event of all.
    pub const BEGINNING: Self = Self { event_id: 0, hash: Hash::BEGINNING };
}

/// Kind of fault in an event log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize, Deserialize)]
#[oai(rename = "EventLogFaultKind", rename_all = "kebab-case")]
#[serde(rename_all = "kebab-case")]
pub enum FaultKind {
    /// The event is not the one that was hashed: it, its hash or what goes before it was changed.
    Changed,
    /// An event that was hashed is gone.
    Removed,
    /// There is an event that never was hashed, before others that were.
    Inserted,
    /// A checkpoint knows the event by another hash, or does not find it: the chain was rewritten behind a change.
    Rewritten,
    /// A checkpoint knows of an event after the last one that there is.
    Cut,
    /// No event has a hash, although there are some that had time to get one: the hashes were removed.
    Unhashed,
    /// A checkpoint does not bear the signature that it claims, or, where a known key is required, no signature by a
    /// known key.
    Forged,
}

/// The first place at which a log does not hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    /// Id of the event.
    pub event_id: i64,
    /// Kind of fault.
    pub kind: FaultKind,
    /// The checkpoint that says so was made then.
    pub checkpoint: Option<Timestamp>,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let id = self.event_id;
        match self.kind {
            FaultKind::Changed => {
                write!(f, "event {id} is not the one that was hashed: it or what goes before it was changed")
            }
            FaultKind::Removed => write!(f, "event {id} was removed"),
            FaultKind::Inserted => write!(f, "event {id} was inserted after the events behind it"),
            FaultKind::Rewritten => write!(f, "event {id} or one before it was changed, and the hashes were made anew"),
            FaultKind::Cut => write!(f, "the log was cut: it ends before event {id}"),
            FaultKind::Unhashed => {
                write!(
                    f,
                    "no event has a hash, from event {id} on: the hashes were removed, or no server has run since"
                )
            }
            FaultKind::Forged => write!(f, "the checkpoint at event {id} is not signed by a key that counts"),
        }?;
        self.checkpoint.map_or(Ok(()), |made| write!(f, ", as the checkpoint of {made} shows"))
    }
}
