//! `MurmurHash3` of 32 bits, the hash by which engines draw a share of people.

/// Bytes of a block, which are mixed at once.
const BLOCK: usize = 4;

/// Hash of a text that comes in parts. A copy goes on from where it was made.
#[derive(Debug, Clone, Copy)]
pub struct Murmur3 {
    hash: u32,
    /// Bytes that fill no block yet, of which `held` are of the text.
    rest: [u8; BLOCK],
    held: u8,
    length: u32,
}

impl Murmur3 {
    /// Returns the hash of the empty text.
    pub const fn new(seed: u32) -> Self {
        Self { hash: seed, rest: [0; BLOCK], held: 0, length: 0 }
    }

    /// Returns the hash of the text followed by `text`. The length is counted modulo 2^32.
    #[must_use]
    pub fn with(mut self, mut text: &[u8]) -> Self {
        while self.held > 0
            && let Some((first, others)) = text.split_first()
        {
            self.hold(*first);
            text = others;
        }
        let (blocks, rest) = text.as_chunks::<BLOCK>();
        for block in blocks {
            self.mix(*block);
        }
        for byte in rest {
            self.hold(*byte);
        }
        self
    }

    /// Returns the hash of the text.
    pub fn finish(self) -> u32 {
        let mut hash = self.hash ^ mixed(self.rest) ^ self.length.wrapping_add(u32::from(self.held));
        hash = (hash ^ (hash >> 16)).wrapping_mul(0x85eb_ca6b);
        hash = (hash ^ (hash >> 13)).wrapping_mul(0xc2b2_ae35);
        hash ^ (hash >> 16)
    }

    /// Returns the place, from 1, that the hash draws among `count`, which is not 0.
    pub fn drawn(self, count: u32) -> u32 {
        self.finish() % count + 1
    }

    fn hold(&mut self, byte: u8) {
        self.rest[usize::from(self.held)] = byte;
        self.held += 1;
        if usize::from(self.held) == BLOCK {
            let block = std::mem::take(&mut self.rest);
            self.held = 0;
            self.mix(block);
        }
    }

    const fn mix(&mut self, block: [u8; BLOCK]) {
        self.hash = (self.hash ^ mixed(block)).rotate_left(13).wrapping_mul(5).wrapping_add(0xe654_6b64);
        self.length = self.length.wrapping_add(4);
    }
}

const fn mixed(block: [u8; BLOCK]) -> u32 {
    u32::from_le_bytes(block).wrapping_mul(0xcc9e_2d51).rotate_left(15).wrapping_mul(0x1b87_3593)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_every_length_are_hashed_as_published_however_they_come() {
        for (text, seed, expected) in [
            ("", 0, 0),
            ("", 1, 0x514e_28b7),
            ("test", 0, 0xba6b_d213),
            ("test", 0x9747_b28c, 0x704b_81dc),
            ("Hello, world!", 0, 0xc036_3e43),
            ("Hello, world!", 0x9747_b28c, 0x2488_4cba),
            ("The quick brown fox jumps over the lazy dog", 0, 0x2e4f_f723),
        ] {
            for first in 0..=text.len() {
                for second in first..=text.len() {
                    let parts = [&text[..first], &text[first..second], &text[second..]];
                    let hash = parts.iter().fold(Murmur3::new(seed), |hash, part| hash.with(part.as_bytes()));
                    assert_eq!(hash.finish(), expected, "{parts:?}");
                }
            }
        }
    }
}
