//! The hash by which people are drawn: `MurmurHash3`, of 32 bits.

/// Seed of rollouts.
pub(super) const OF_ROLLOUTS: u32 = 0;
/// Seed of variants, since version 5.0 of the Node SDK.
pub(super) const OF_VARIANTS: u32 = 86_028_157;

/// Returns the place of somebody among as many as `normalizer`, from 1.
pub(super) fn place(group: &str, id: &str, normalizer: u32, seed: u32, byte_for_letter: bool) -> u32 {
    let text = format!("{group}:{id}");
    let hash = if byte_for_letter {
        let bytes: Vec<u8> = text.encode_utf16().map(|unit| unit.to_le_bytes()[0]).collect();
        murmur3(&bytes, seed)
    } else {
        murmur3(text.as_bytes(), seed)
    };
    hash % normalizer.max(1) + 1
}

fn murmur3(bytes: &[u8], seed: u32) -> u32 {
    let mixed = |block: u32| block.wrapping_mul(0xcc9e_2d51).rotate_left(15).wrapping_mul(0x1b87_3593);
    let (blocks, rest) = bytes.as_chunks::<4>();
    let mut hash = seed;
    for block in blocks {
        hash = (hash ^ mixed(u32::from_le_bytes(*block))).rotate_left(13).wrapping_mul(5).wrapping_add(0xe654_6b64);
    }
    let last = rest.iter().rev().fold(0, |last, byte| (last << 8) | u32::from(*byte));
    hash ^= mixed(last);
    hash ^= u32::try_from(bytes.len()).unwrap_or(u32::MAX);
    hash = (hash ^ (hash >> 16)).wrapping_mul(0x85eb_ca6b);
    hash = (hash ^ (hash >> 13)).wrapping_mul(0xc2b2_ae35);
    hash ^ (hash >> 16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_every_length_are_hashed_as_published() {
        for (text, seed, expected) in [
            ("", 0, 0),
            ("", 1, 0x514e_28b7),
            ("test", 0, 0xba6b_d213),
            ("test", 0x9747_b28c, 0x704b_81dc),
            ("Hello, world!", 0, 0xc036_3e43),
            ("Hello, world!", 0x9747_b28c, 0x2488_4cba),
            ("The quick brown fox jumps over the lazy dog", 0, 0x2e4f_f723),
        ] {
            assert_eq!(murmur3(text.as_bytes(), seed), expected, "{text}");
        }
    }
}
