//! The algorithms of signatures that are accepted, under the names that XML gives them. All else is refused by name:
//! SHA-1, whose collisions are bought by the hour, HMAC, whose key would be the public one, and whatever comes next.

use ring::{digest, signature as ring_signature};
use rustls_pki_types::{AlgorithmIdentifier, InvalidSignature, SignatureVerificationAlgorithm, alg_id};

/// A signature of RSA (PKCS #1 v1.5, 2048 to 8192 bits) or ECDSA on P-256 or P-384, with the digest that `ring` pairs
/// with the curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// RSA with SHA-256.
    RsaSha256,
    /// RSA with SHA-384.
    RsaSha384,
    /// RSA with SHA-512.
    RsaSha512,
    /// ECDSA on P-256 with SHA-256.
    EcdsaSha256,
    /// ECDSA on P-384 with SHA-384.
    EcdsaSha384,
}

impl Algorithm {
    const ALL: [Self; 5] = [Self::RsaSha256, Self::RsaSha384, Self::RsaSha512, Self::EcdsaSha256, Self::EcdsaSha384];

    /// Its name in `SignatureMethod` and `SigAlg`.
    pub const fn uri(self) -> &'static str {
        match self {
            Self::RsaSha256 => "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256",
            Self::RsaSha384 => "http://www.w3.org/2001/04/xmldsig-more#rsa-sha384",
            Self::RsaSha512 => "http://www.w3.org/2001/04/xmldsig-more#rsa-sha512",
            Self::EcdsaSha256 => "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256",
            Self::EcdsaSha384 => "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha384",
        }
    }

    /// The algorithm of this name, if it is accepted.
    pub fn of(uri: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|algorithm| algorithm.uri() == uri)
    }

    /// Returns the algorithm that verifies it.
    pub(super) fn verification(self) -> &'static dyn SignatureVerificationAlgorithm {
        match self {
            Self::RsaSha256 => webpki::ring::RSA_PKCS1_2048_8192_SHA256,
            Self::RsaSha384 => webpki::ring::RSA_PKCS1_2048_8192_SHA384,
            Self::RsaSha512 => webpki::ring::RSA_PKCS1_2048_8192_SHA512,
            Self::EcdsaSha256 => &FixedEcdsa::P256,
            Self::EcdsaSha384 => &FixedEcdsa::P384,
        }
    }
}

/// The digest of this name, if it is accepted.
pub(super) fn digest_of(uri: &str) -> Option<&'static digest::Algorithm> {
    match uri {
        "http://www.w3.org/2001/04/xmlenc#sha256" => Some(&digest::SHA256),
        "http://www.w3.org/2001/04/xmldsig-more#sha384" => Some(&digest::SHA384),
        "http://www.w3.org/2001/04/xmlenc#sha512" => Some(&digest::SHA512),
        _ => None,
    }
}

/// ECDSA as XML writes it, r after s; certificates and TLS write ASN.1 instead.
#[derive(Debug)]
enum FixedEcdsa {
    P256,
    P384,
}

impl SignatureVerificationAlgorithm for FixedEcdsa {
    fn verify_signature(&self, public_key: &[u8], message: &[u8], signature: &[u8]) -> Result<(), InvalidSignature> {
        let algorithm = match self {
            Self::P256 => &ring_signature::ECDSA_P256_SHA256_FIXED,
            Self::P384 => &ring_signature::ECDSA_P384_SHA384_FIXED,
        };
        let key = ring_signature::UnparsedPublicKey::new(algorithm, public_key);
        key.verify(message, signature).map_err(|_| InvalidSignature)
    }

    fn public_key_alg_id(&self) -> AlgorithmIdentifier {
        match self {
            Self::P256 => alg_id::ECDSA_P256,
            Self::P384 => alg_id::ECDSA_P384,
        }
    }

    fn signature_alg_id(&self) -> AlgorithmIdentifier {
        match self {
            Self::P256 => alg_id::ECDSA_SHA256,
            Self::P384 => alg_id::ECDSA_SHA384,
        }
    }
}
