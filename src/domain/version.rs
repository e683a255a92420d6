//! Version of a resource as it was read, so that a later write can say which state it was meant for, and a later read
//! that it has it already.

use serde::Serialize;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

/// Stands for one state of one resource; another state has another version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Version(u64);

impl Version {
    /// Returns the version of a resource that is all in one document.
    pub fn of<T: Serialize>(document: &T) -> Self {
        let bytes = serde_json::to_vec(document).expect("documents have string keys and finite numbers");
        Self(xxh3_64(&bytes))
    }

    /// Returns the version of a resource whose every change leaves an event: the id of the latest.
    pub const fn of_event(id: i64) -> Self {
        Self(id.cast_unsigned())
    }

    /// The weak entity tag of a resource whose representation has its version, however much of it an answer shows.
    pub fn entity_tag(self) -> String {
        format!("W/\"{self}.0\"")
    }
}

impl std::fmt::Display for Version {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// The weak entity tag of what is answered, by its bytes, in however many pieces. That of a resource with a version
/// starts with the version, which is what `If-Match` is compared with.
pub fn entity_tag<'a>(version: Option<Version>, pieces: impl IntoIterator<Item = &'a [u8]>) -> String {
    let version = version.map(|version| format!("{version}.")).unwrap_or_default();
    let (mut length, mut hash) = (0, Xxh3::new());
    for piece in pieces {
        length += piece.len();
        hash.update(piece);
    }
    format!("W/\"{version}{length:x}-{:032x}\"", hash.digest128())
}
