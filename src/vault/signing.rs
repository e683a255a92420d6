//! Signing with the key that is kept outside the database: with one that is made from it, so that there is no second
//! key to look after.

use std::fmt;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use ring::{
    hmac,
    signature::{ED25519, Ed25519KeyPair, KeyPair as _, UnparsedPublicKey},
};

/// Purpose of the derived key; another purpose would have another key.
const PURPOSE: &[u8] = b"flagstone event checkpoints, 1";

/// Signs by Ed25519. Printing it shows the public key alone.
pub struct Signer(Ed25519KeyPair);

impl fmt::Debug for Signer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Signer").field(&self.public_key()).finish()
    }
}

impl Signer {
    pub(super) fn made_from(key: &[u8]) -> Self {
        let seed = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), PURPOSE);
        Self(Ed25519KeyPair::from_seed_unchecked(seed.as_ref()).expect("32 bytes are a seed"))
    }

    /// Public key to check signatures with, in base64.
    pub fn public_key(&self) -> String {
        STANDARD.encode(self.0.public_key())
    }

    /// The signature of a text, in base64.
    pub fn sign(&self, text: &[u8]) -> String {
        STANDARD.encode(self.0.sign(text))
    }
}

/// Whether a text is signed by the holder of the private half of a public key. What is no key or no signature is none.
pub fn is_signed(public_key: &str, text: &[u8], signature: &str) -> bool {
    let (Ok(key), Ok(signature)) = (STANDARD.decode(public_key), STANDARD.decode(signature)) else { return false };
    UnparsedPublicKey::new(&ED25519, key).verify(text, &signature).is_ok()
}

/// Whether this is the form of a public key: 32 bytes in base64.
pub fn is_public_key(text: &str) -> bool {
    STANDARD.decode(text).is_ok_and(|key| key.len() == 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_is_that_of_one_key_over_one_text() {
        let (one, other) = (Signer::made_from(&[7; 32]), Signer::made_from(&[8; 32]));
        let signature = one.sign(b"text");
        assert!(is_signed(&one.public_key(), b"text", &signature));
        assert!(!is_signed(&one.public_key(), b"texts", &signature));
        assert!(!is_signed(&other.public_key(), b"text", &signature));
        assert_eq!(one.public_key(), Signer::made_from(&[7; 32]).public_key(), "each node makes the same");
        for (key, signature) in [("", ""), ("*", "*"), (&*one.public_key(), "AAAA"), ("AAAA", &*signature)] {
            assert!(!is_signed(key, b"text", signature), "{key} {signature}");
        }
        assert!(is_public_key(&one.public_key()) && !is_public_key("AAAA") && !is_public_key("*"));
        assert!(!format!("{one:?}").contains(&STANDARD.encode([7; 32])));
    }
}
