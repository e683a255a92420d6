//! Signatures of tokens. `jsonwebtoken` takes tokens apart and *ring* calculates; what they let through is refused
//! here.

use jsonwebtoken::{
    Algorithm, DecodingKey, DecodingKeyKind, Validation,
    crypto::{CryptoProvider, JwtVerifier, KeyUtils},
    decode, decode_header,
    errors::{Error, ErrorKind},
    signature::{Error as SignatureError, Verifier},
};
use ring::{
    digest,
    signature::{
        RSA_PKCS1_2048_8192_SHA256, RSA_PKCS1_2048_8192_SHA384, RSA_PKCS1_2048_8192_SHA512, RsaParameters,
        RsaPublicKeyComponents,
    },
};
use serde_json::{Map, Value};

use super::{
    keys::{KeySet, name},
    refusal::{Reason, Refusal},
};
use crate::domain::settings::SigningAlgorithm;

/// RSA with PKCS #1 padding, to verify. All else is an error: nothing here signs or reads private keys.
static RSA_ONLY: CryptoProvider = CryptoProvider {
    signer_factory: |_, _| Err(unsupported()),
    verifier_factory: |algorithm, key| match (parameters(*algorithm), key.kind()) {
        (Some(_), DecodingKeyKind::RsaModulusExponent { .. }) => {
            Ok(Box::new(RsaVerifier { algorithm: *algorithm, key: key.clone() }))
        }
        _ => Err(unsupported()),
    },
    key_utils: KeyUtils {
        rsa_pub_components_from_private_key: |_| Err(unsupported()),
        rsa_pub_components_from_public_key: |_| Err(unsupported()),
        ec_pub_components_from_private_key: |_, _| Err(unsupported()),
        ed_pub_components_from_private_key: |_, _| Err(unsupported()),
        compute_digest: |_, _| Err(unsupported()),
    },
};

struct RsaVerifier {
    algorithm: Algorithm,
    key: DecodingKey,
}

impl Verifier<Vec<u8>> for RsaVerifier {
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> Result<(), SignatureError> {
        let (Some(parameters), DecodingKeyKind::RsaModulusExponent { n, e }) =
            (parameters(self.algorithm), self.key.kind())
        else {
            return Err(SignatureError::new());
        };
        RsaPublicKeyComponents { n, e }.verify(parameters, message, signature).map_err(|_| SignatureError::new())
    }
}

impl JwtVerifier for RsaVerifier {
    fn algorithm(&self) -> Algorithm {
        self.algorithm
    }
}

fn unsupported() -> Error {
    ErrorKind::InvalidAlgorithm.into()
}

const fn parameters(algorithm: Algorithm) -> Option<&'static RsaParameters> {
    match algorithm {
        Algorithm::RS256 => Some(&RSA_PKCS1_2048_8192_SHA256),
        Algorithm::RS384 => Some(&RSA_PKCS1_2048_8192_SHA384),
        Algorithm::RS512 => Some(&RSA_PKCS1_2048_8192_SHA512),
        _ => None,
    }
}

const fn of_settings(algorithm: SigningAlgorithm) -> Algorithm {
    match algorithm {
        SigningAlgorithm::Rs256 => Algorithm::RS256,
        SigningAlgorithm::Rs384 => Algorithm::RS384,
        SigningAlgorithm::Rs512 => Algorithm::RS512,
    }
}

/// The hash function of an algorithm, by which tokens name what came with them.
pub(super) const fn hash(algorithm: SigningAlgorithm) -> &'static digest::Algorithm {
    match algorithm {
        SigningAlgorithm::Rs256 => &digest::SHA256,
        SigningAlgorithm::Rs384 => &digest::SHA384,
        SigningAlgorithm::Rs512 => &digest::SHA512,
    }
}

/// The claims of a token that a key of the provider signed, by exactly this algorithm. Its type, if it says one, is one
/// of these; none of its claims is checked.
pub(super) fn open(
    token: &str,
    keys: &KeySet,
    algorithm: SigningAlgorithm,
    types: &[&str],
) -> Result<Map<String, Value>, Refusal> {
    // It fails when it is installed already: by this line, for there is no other.
    let _ = RSA_ONLY.install_default();
    let expected = of_settings(algorithm);
    let header = decode_header(token).map_err(|_| unreadable(token, algorithm))?;
    if header.alg != expected {
        let found = format!("{:?}", header.alg);
        return Err(Refusal::new(Reason::Algorithm).expected(name(algorithm)).found(found));
    }
    if let Some(kind) = header.typ.filter(|kind| types.iter().all(|one| !one.eq_ignore_ascii_case(kind))) {
        return Err(Refusal::new(Reason::TokenType).expected(types.join(" or ")).found(kind));
    }
    if let Some(critical) = header.crit {
        return Err(Refusal::new(Reason::CriticalHeader).found(critical.join(", ")));
    }
    let mut validation = Validation::new(expected);
    // Claims are read by whoever knows the time, which this library would take from the system.
    validation.required_spec_claims.clear();
    (validation.validate_exp, validation.validate_nbf, validation.validate_aud) = (false, false, false);
    for key in keys.candidates(header.kid.as_deref(), algorithm)? {
        let key = DecodingKey::from_rsa_raw_components(&key.modulus, &key.exponent);
        match decode(token, &key, &validation) {
            Ok(opened) => return Ok(opened.claims),
            Err(error) if *error.kind() == ErrorKind::InvalidSignature => {}
            Err(_) => return Err(Refusal::new(Reason::TokenMalformed)),
        }
    }
    let signature = Refusal::new(Reason::Signature);
    Err(match header.kid {
        Some(kid) => signature.expected(format_args!("one by the key {kid}")),
        None => signature,
    })
}

/// Returns why the head of a token cannot be read: most often its algorithm is one that the library does not know, such
/// as `none`.
fn unreadable(token: &str, algorithm: SigningAlgorithm) -> Refusal {
    use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};

    let head = token.split('.').next().and_then(|head| URL_SAFE_NO_PAD.decode(head).ok());
    let head: Option<Map<String, Value>> = head.and_then(|head| serde_json::from_slice(&head).ok());
    match head.as_ref().and_then(|head| head.get("alg")?.as_str()) {
        Some(other) if other != name(algorithm) => {
            Refusal::new(Reason::Algorithm).expected(name(algorithm)).found(other)
        }
        _ => Refusal::new(Reason::TokenMalformed),
    }
}
