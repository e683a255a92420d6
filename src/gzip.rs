//! Bytes compressed with gzip, in memory.

use std::io::Write as _;

use flate2::write::GzEncoder;

pub use flate2::Compression as Effort;

/// The bytes, compressed with so much effort.
pub fn compressed(bytes: &[u8], effort: Effort) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(bytes.len() / 8), effort);
    encoder.write_all(bytes).expect("a vector takes everything");
    encoder.finish().expect("a vector takes everything")
}
