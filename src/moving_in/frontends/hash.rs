//! By what old frontends drew people.

use crate::domain::murmur::Murmur3;

/// Seed of rollouts.
pub(super) const OF_ROLLOUTS: u32 = 0;
/// Seed of variants, since version 5.0 of the Node SDK.
pub(super) const OF_VARIANTS: u32 = 86_028_157;

/// Returns the place of somebody among as many as `normalizer`, from 1.
pub(super) fn place(group: &str, id: &str, normalizer: u32, seed: u32, byte_for_letter: bool) -> u32 {
    let text = format!("{group}:{id}");
    let hash = if byte_for_letter {
        let bytes: Vec<u8> = text.encode_utf16().map(|unit| unit.to_le_bytes()[0]).collect();
        Murmur3::new(seed).with(&bytes)
    } else {
        Murmur3::new(seed).with(text.as_bytes())
    };
    hash.finish() % normalizer.max(1) + 1
}
