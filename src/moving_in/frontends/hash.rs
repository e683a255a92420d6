//! Places by which old frontends drew people for rollouts and variants.

use flagstone_domain::murmur::Murmur3;

/// Seed of rollouts.
pub(super) const OF_ROLLOUTS: u32 = 0;
/// Seed of variants, since version 5.0 of the Node SDK.
pub(super) const OF_VARIANTS: u32 = 86_028_157;

/// Returns the bucket of an id among as many as `normalizer`, from 1.
pub(super) fn place(group: &str, id: &str, normalizer: u32, seed: u32, byte_for_letter: bool) -> u32 {
    let text = format!("{group}:{id}");
    let bytes = if byte_for_letter {
        text.encode_utf16().map(|unit| unit.to_le_bytes()[0]).collect()
    } else {
        text.into_bytes()
    };
    Murmur3::new(seed).with(&bytes).drawn(normalizer.max(1))
}
