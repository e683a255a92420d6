//! Our own key, which signs what the browser carries to the provider.

use std::fmt;

use flagstone_domain::opaque_debug;
use ring::{
    rand::SystemRandom,
    signature::{
        ECDSA_P256_SHA256_FIXED_SIGNING, ECDSA_P384_SHA384_FIXED_SIGNING, EcdsaKeyPair, RSA_PKCS1_SHA256, RsaKeyPair,
    },
};

use super::{
    algorithm::Algorithm,
    certificate::{Certificate, sections, unescaped},
};

/// Bits of the shortest RSA key; `ring` bounds how long one may be.
const MIN_RSA_BITS: usize = 2048;
/// Most certificates that are published; others are passed over.
const MAX_CERTIFICATES: usize = 4;
/// Characters of the key and what comes with it.
const MAX_TEXT: usize = 100_000;

/// Fault of a key that cannot sign. Displays as a sentence that discloses nothing of the key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyFault {
    /// The text holds no private key in PEM.
    Missing,
    /// The key is encrypted, of another form, or damaged.
    Unreadable,
    /// The key is of a kind or length that is not accepted.
    Unsupported,
    /// The certificate after the key cannot be read.
    Certificate,
}

impl fmt::Display for KeyFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Missing => "holds no private key: give PEM with PRIVATE KEY or RSA PRIVATE KEY",
            Self::Unreadable => "holds a private key that cannot be read: give it unencrypted, as PKCS #8 or PKCS #1",
            Self::Unsupported => "holds a private key that is not accepted: RSA from 2048 bits on, P-256 and P-384 are",
            Self::Certificate => "holds something after the private key that is no certificate",
        })
    }
}

impl std::error::Error for KeyFault {}

enum Pair {
    Rsa(Box<RsaKeyPair>),
    Ecdsa(Box<EcdsaKeyPair>, Algorithm),
}

/// A private key of ours, and the certificates that came with it. Printing it shows none of them.
pub struct SigningKey {
    pair: Pair,
    certificates: Vec<Certificate>,
}

opaque_debug!(SigningKey);

impl SigningKey {
    /// Reads the first private key of a PEM text (PKCS #8: RSA, P-256, P-384; PKCS #1: RSA) and the certificates after or
    /// before it: that of the key, and those of keys that will take its place, so that a provider knows them before.
    pub fn read(pem: &str) -> Result<Self, KeyFault> {
        let text = unescaped(pem);
        let parts = if text.len() > MAX_TEXT { None } else { sections(&text) }.ok_or(KeyFault::Unreadable)?;
        let is_key = |label: &str| label.ends_with("PRIVATE KEY");
        let (label, der) = parts.iter().find(|(label, _)| is_key(label)).ok_or(KeyFault::Missing)?;
        let pair = match *label {
            "PRIVATE KEY" => Self::pkcs8(der),
            "RSA PRIVATE KEY" => RsaKeyPair::from_der(der).ok().map(|pair| Pair::Rsa(Box::new(pair))),
            _ => return Err(KeyFault::Unreadable),
        };
        let pair = pair.ok_or(KeyFault::Unsupported)?;
        if let Pair::Rsa(pair) = &pair
            && pair.public().modulus_len() * 8 < MIN_RSA_BITS
        {
            return Err(KeyFault::Unsupported);
        }
        let certificates = parts.into_iter().filter(|(label, _)| *label == "CERTIFICATE");
        let certificates: Result<Vec<_>, _> =
            certificates.take(MAX_CERTIFICATES).map(|(_, der)| Certificate::read(der)).collect();
        Ok(Self { pair, certificates: certificates.map_err(|_| KeyFault::Certificate)? })
    }

    fn pkcs8(der: &[u8]) -> Option<Pair> {
        let ecdsa = |curve, algorithm| {
            let pair = EcdsaKeyPair::from_pkcs8(curve, der, &SystemRandom::new()).ok()?;
            Some(Pair::Ecdsa(Box::new(pair), algorithm))
        };
        RsaKeyPair::from_pkcs8(der)
            .ok()
            .map(|pair| Pair::Rsa(Box::new(pair)))
            .or_else(|| ecdsa(&ECDSA_P256_SHA256_FIXED_SIGNING, Algorithm::EcdsaSha256))
            .or_else(|| ecdsa(&ECDSA_P384_SHA384_FIXED_SIGNING, Algorithm::EcdsaSha384))
    }

    /// The certificates that came with the key, for our metadata.
    pub fn certificates(&self) -> &[Certificate] {
        &self.certificates
    }

    /// Returns the algorithm that it signs by: RSA or ECDSA, the latter with the digest of its curve.
    pub const fn algorithm(&self) -> Algorithm {
        match &self.pair {
            Pair::Rsa(_) => Algorithm::RsaSha256,
            Pair::Ecdsa(_, algorithm) => *algorithm,
        }
    }

    /// The signature of a message. `ring` wants chance here, against eavesdroppers on its arithmetic.
    pub fn sign(&self, message: &[u8]) -> Result<Vec<u8>, KeyFault> {
        let random = SystemRandom::new();
        match &self.pair {
            Pair::Rsa(pair) => {
                let mut signature = vec![0; pair.public().modulus_len()];
                let signed = pair.sign(&RSA_PKCS1_SHA256, &random, message, &mut signature);
                signed.map(|()| signature).map_err(|_| KeyFault::Unsupported)
            }
            Pair::Ecdsa(pair, _) => {
                let signed = pair.sign(&random, message);
                signed.map(|signature| signature.as_ref().to_vec()).map_err(|_| KeyFault::Unsupported)
            }
        }
    }
}
