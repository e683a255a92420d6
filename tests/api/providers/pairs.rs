//! Keys of a provider, and what they sign: also what no provider should.

use std::sync::LazyLock;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use flagstone::domain::token_algorithm::TokenAlgorithm;
use ring::{
    hmac,
    rand::SystemRandom,
    rsa::KeyPair,
    signature::{self, EcdsaKeyPair, EcdsaSigningAlgorithm, Ed25519KeyPair, KeyPair as _, RsaEncoding},
};
use rustls::pki_types::{PrivatePkcs8KeyDer, pem::PemObject as _};
use serde_json::{Value, json};

/// The provider's keys: two of RSA, and one of each other type.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Pair {
    First,
    Second,
    P256,
    P384,
    Ed25519,
}

static P256: LazyLock<Vec<u8>> = LazyLock::new(|| generated(&signature::ECDSA_P256_SHA256_FIXED_SIGNING));
static P384: LazyLock<Vec<u8>> = LazyLock::new(|| generated(&signature::ECDSA_P384_SHA384_FIXED_SIGNING));
static ED25519: LazyLock<Ed25519KeyPair> = LazyLock::new(|| {
    let pkcs8 = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).expect("a key");
    Ed25519KeyPair::from_pkcs8(pkcs8.as_ref()).expect("a pair")
});

fn generated(algorithm: &'static EcdsaSigningAlgorithm) -> Vec<u8> {
    EcdsaKeyPair::generate_pkcs8(algorithm, &SystemRandom::new()).expect("a key").as_ref().to_vec()
}

fn ecdsa(algorithm: &'static EcdsaSigningAlgorithm, pkcs8: &[u8]) -> EcdsaKeyPair {
    EcdsaKeyPair::from_pkcs8(algorithm, pkcs8, &SystemRandom::new()).expect("a pair")
}

fn p256() -> EcdsaKeyPair {
    ecdsa(&signature::ECDSA_P256_SHA256_FIXED_SIGNING, &P256)
}

fn p384() -> EcdsaKeyPair {
    ecdsa(&signature::ECDSA_P384_SHA384_FIXED_SIGNING, &P384)
}

impl Pair {
    fn rsa(self) -> KeyPair {
        let pem: &[u8] = match self {
            Self::First => include_bytes!("keys/first.pem"),
            Self::Second => include_bytes!("keys/second.pem"),
            _ => panic!("another type"),
        };
        let key = PrivatePkcs8KeyDer::from_pem_slice(pem).expect("a key");
        KeyPair::from_pkcs8(key.secret_pkcs8_der()).expect("a pair")
    }

    /// Public key, in the form of its type.
    pub fn public(self) -> Vec<u8> {
        match self {
            Self::First | Self::Second => self.rsa().public().as_ref().to_vec(),
            Self::P256 => p256().public_key().as_ref().to_vec(),
            Self::P384 => p384().public_key().as_ref().to_vec(),
            Self::Ed25519 => ED25519.public_key().as_ref().to_vec(),
        }
    }

    /// The public key, as it is published by this name.
    pub fn jwk(self, kid: &str) -> Value {
        let point = |curve: &str, algorithm: &str| {
            let public = self.public();
            let (x, y) = public[1..].split_at(public.len() / 2);
            let [x, y] = [x, y].map(|part| URL_SAFE_NO_PAD.encode(part));
            json!({ "kty": "EC", "crv": curve, "use": "sig", "alg": algorithm, "kid": kid, "x": x, "y": y })
        };
        match self {
            Self::First | Self::Second => {
                let public: signature::RsaPublicKeyComponents<Vec<u8>> = self.rsa().public().into();
                let [n, e] = [public.n, public.e].map(|number| URL_SAFE_NO_PAD.encode(number));
                json!({ "kty": "RSA", "use": "sig", "alg": "RS256", "kid": kid, "n": n, "e": e })
            }
            Self::P256 => point("P-256", "ES256"),
            Self::P384 => point("P-384", "ES384"),
            Self::Ed25519 => {
                let x = URL_SAFE_NO_PAD.encode(self.public());
                json!({ "kty": "OKP", "crv": "Ed25519", "use": "sig", "alg": "EdDSA", "kid": kid, "x": x })
            }
        }
    }

    /// JSON Web Key of the pair, for this algorithm.
    pub fn jwk_for(self, kid: &str, algorithm: &str) -> Value {
        let mut jwk = self.jwk(kid);
        jwk["alg"] = algorithm.into();
        jwk
    }

    /// A key of the type that an algorithm needs.
    pub fn of(algorithm: TokenAlgorithm) -> Self {
        match algorithm.name() {
            "ES256" => Self::P256,
            "ES384" => Self::P384,
            "EdDSA" => Self::Ed25519,
            _ => Self::First,
        }
    }

    /// A signature by this algorithm, as far as the key is of its type; another one is a signature all the same.
    pub fn sign(self, algorithm: &str, message: &[u8]) -> Vec<u8> {
        match algorithm {
            // By what everybody knows: the mistake of libraries that take the public key for a shared secret.
            "HS256" => {
                return hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, &self.public()), message).as_ref().to_vec();
            }
            "none" => return Vec::new(),
            // The number zero twice, by which some libraries took everything for signed.
            "zero" => return vec![0; if self == Self::P384 { 96 } else { 64 }],
            // The other form of signatures by a curve.
            "DER" => {
                let asn1 = &signature::ECDSA_P256_SHA256_ASN1_SIGNING;
                let pair = ecdsa(asn1, &P256);
                return pair.sign(&SystemRandom::new(), message).expect("a signature").as_ref().to_vec();
            }
            _ => {}
        }
        match self {
            Self::P256 => p256().sign(&SystemRandom::new(), message).expect("a signature").as_ref().to_vec(),
            Self::P384 => p384().sign(&SystemRandom::new(), message).expect("a signature").as_ref().to_vec(),
            Self::Ed25519 => ED25519.sign(message).as_ref().to_vec(),
            Self::First | Self::Second => {
                let padding: &dyn RsaEncoding = match algorithm {
                    "RS256" => &signature::RSA_PKCS1_SHA256,
                    "RS384" => &signature::RSA_PKCS1_SHA384,
                    "RS512" => &signature::RSA_PKCS1_SHA512,
                    "PS256" => &signature::RSA_PSS_SHA256,
                    "PS384" => &signature::RSA_PSS_SHA384,
                    "PS512" => &signature::RSA_PSS_SHA512,
                    _ => return vec![7; 64],
                };
                let pair = self.rsa();
                let mut signature = vec![0; pair.public().modulus_len()];
                pair.sign(padding, &SystemRandom::new(), message, &mut signature).expect("a signature");
                signature
            }
        }
    }
}
