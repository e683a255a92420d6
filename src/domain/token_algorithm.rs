//! Algorithms that sign ID tokens and logout tokens.

use poem_openapi::Enum;
use serde::{Deserialize, Serialize};

use crate::settings::SigningAlgorithm;

/// Algorithm that signs the tokens of an OpenID Connect provider, by its name in tokens and keys (RFC 7518, RFC 8037).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize, Deserialize)]
#[oai(rename = "TokenAlgorithm")]
pub enum TokenAlgorithm {
    /// RSA with PKCS #1 padding and SHA-256.
    #[oai(rename = "RS256")]
    #[serde(rename = "RS256")]
    Rs256,
    /// RSA with PKCS #1 padding and SHA-384.
    #[oai(rename = "RS384")]
    #[serde(rename = "RS384")]
    Rs384,
    /// RSA with PKCS #1 padding and SHA-512.
    #[oai(rename = "RS512")]
    #[serde(rename = "RS512")]
    Rs512,
    /// RSA with PSS padding and SHA-256.
    #[oai(rename = "PS256")]
    #[serde(rename = "PS256")]
    Ps256,
    /// RSA with PSS padding and SHA-384.
    #[oai(rename = "PS384")]
    #[serde(rename = "PS384")]
    Ps384,
    /// RSA with PSS padding and SHA-512.
    #[oai(rename = "PS512")]
    #[serde(rename = "PS512")]
    Ps512,
    /// ECDSA on P-256 with SHA-256.
    #[oai(rename = "ES256")]
    #[serde(rename = "ES256")]
    Es256,
    /// ECDSA on P-384 with SHA-384.
    #[oai(rename = "ES384")]
    #[serde(rename = "ES384")]
    Es384,
    /// Ed25519.
    #[oai(rename = "EdDSA")]
    #[serde(rename = "EdDSA")]
    EdDsa,
}

impl TokenAlgorithm {
    /// Every algorithm.
    pub const ALL: [Self; 9] = [
        Self::Rs256,
        Self::Rs384,
        Self::Rs512,
        Self::Ps256,
        Self::Ps384,
        Self::Ps512,
        Self::Es256,
        Self::Es384,
        Self::EdDsa,
    ];

    /// The name in tokens and keys.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rs256 => "RS256",
            Self::Rs384 => "RS384",
            Self::Rs512 => "RS512",
            Self::Ps256 => "PS256",
            Self::Ps384 => "PS384",
            Self::Ps512 => "PS512",
            Self::Es256 => "ES256",
            Self::Es384 => "ES384",
            Self::EdDsa => "EdDSA",
        }
    }
}

impl From<SigningAlgorithm> for TokenAlgorithm {
    fn from(algorithm: SigningAlgorithm) -> Self {
        match algorithm {
            SigningAlgorithm::Rs256 => Self::Rs256,
            SigningAlgorithm::Rs384 => Self::Rs384,
            SigningAlgorithm::Rs512 => Self::Rs512,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_stored_form() {
        for algorithm in TokenAlgorithm::ALL {
            assert_eq!(serde_json::to_value(algorithm).expect("writes"), algorithm.name());
        }
    }
}
