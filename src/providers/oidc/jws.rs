//! Signatures of tokens. `jsonwebtoken` takes tokens apart and *ring* calculates; what they let through is refused
//! here.

use flagstone_domain::token_algorithm::TokenAlgorithm;
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
        ECDSA_P256_SHA256_FIXED, ECDSA_P384_SHA384_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256,
        RSA_PKCS1_2048_8192_SHA384, RSA_PKCS1_2048_8192_SHA512, RSA_PSS_2048_8192_SHA256, RSA_PSS_2048_8192_SHA384,
        RSA_PSS_2048_8192_SHA512, RsaParameters, RsaPublicKeyComponents, UnparsedPublicKey, VerificationAlgorithm,
    },
};
use serde_json::{Map, Value};

use super::{
    keys::KeySet,
    refusal::{Reason, Refusal},
};

/// Verification by public keys. All else is an error: nothing here signs, reads private keys, or knows a shared secret.
static PUBLIC_KEYS: CryptoProvider = CryptoProvider {
    signer_factory: |_, _| Err(unsupported()),
    verifier_factory: |algorithm, key| match calculation(*algorithm) {
        // The key is of the algorithm's own type, and not another one in the same bytes.
        Some(calculation) if key.family() == algorithm.family() => {
            Ok(Box::new(PublicKeyVerifier { algorithm: *algorithm, calculation, key: key.clone() }))
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

/// Calculation by which *ring* verifies: of an RSA key it takes both numbers, of others the bytes of a point.
#[derive(Clone, Copy)]
enum Calculation {
    Rsa(&'static RsaParameters),
    Point(&'static dyn VerificationAlgorithm),
}

struct PublicKeyVerifier {
    algorithm: Algorithm,
    calculation: Calculation,
    key: DecodingKey,
}

impl Verifier<Vec<u8>> for PublicKeyVerifier {
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> Result<(), SignatureError> {
        let verified = match (self.calculation, self.key.kind()) {
            (Calculation::Rsa(parameters), DecodingKeyKind::RsaModulusExponent { n, e }) => {
                RsaPublicKeyComponents { n, e }.verify(parameters, message, signature)
            }
            (Calculation::Point(algorithm), DecodingKeyKind::SecretOrDer(point)) => {
                UnparsedPublicKey::new(algorithm, point).verify(message, signature)
            }
            _ => return Err(SignatureError::new()),
        };
        verified.map_err(|_| SignatureError::new())
    }
}

impl JwtVerifier for PublicKeyVerifier {
    fn algorithm(&self) -> Algorithm {
        self.algorithm
    }
}

fn unsupported() -> Error {
    ErrorKind::InvalidAlgorithm.into()
}

fn calculation(algorithm: Algorithm) -> Option<Calculation> {
    Some(match algorithm {
        Algorithm::RS256 => Calculation::Rsa(&RSA_PKCS1_2048_8192_SHA256),
        Algorithm::RS384 => Calculation::Rsa(&RSA_PKCS1_2048_8192_SHA384),
        Algorithm::RS512 => Calculation::Rsa(&RSA_PKCS1_2048_8192_SHA512),
        Algorithm::PS256 => Calculation::Rsa(&RSA_PSS_2048_8192_SHA256),
        Algorithm::PS384 => Calculation::Rsa(&RSA_PSS_2048_8192_SHA384),
        Algorithm::PS512 => Calculation::Rsa(&RSA_PSS_2048_8192_SHA512),
        Algorithm::ES256 => Calculation::Point(&ECDSA_P256_SHA256_FIXED),
        Algorithm::ES384 => Calculation::Point(&ECDSA_P384_SHA384_FIXED),
        Algorithm::EdDSA => Calculation::Point(&ED25519),
        _ => return None,
    })
}

const fn of_settings(algorithm: TokenAlgorithm) -> Algorithm {
    match algorithm {
        TokenAlgorithm::Rs256 => Algorithm::RS256,
        TokenAlgorithm::Rs384 => Algorithm::RS384,
        TokenAlgorithm::Rs512 => Algorithm::RS512,
        TokenAlgorithm::Ps256 => Algorithm::PS256,
        TokenAlgorithm::Ps384 => Algorithm::PS384,
        TokenAlgorithm::Ps512 => Algorithm::PS512,
        TokenAlgorithm::Es256 => Algorithm::ES256,
        TokenAlgorithm::Es384 => Algorithm::ES384,
        TokenAlgorithm::EdDsa => Algorithm::EdDSA,
    }
}

/// The hash function of an algorithm, by which tokens name what came with them. Ed25519 hashes by SHA-512.
pub(super) const fn hash(algorithm: TokenAlgorithm) -> &'static digest::Algorithm {
    match algorithm {
        TokenAlgorithm::Rs256 | TokenAlgorithm::Ps256 | TokenAlgorithm::Es256 => &digest::SHA256,
        TokenAlgorithm::Rs384 | TokenAlgorithm::Ps384 | TokenAlgorithm::Es384 => &digest::SHA384,
        TokenAlgorithm::Rs512 | TokenAlgorithm::Ps512 | TokenAlgorithm::EdDsa => &digest::SHA512,
    }
}

/// The claims of a token that a key of the provider signed, by exactly this algorithm. Its type, if it says one, is one
/// of these; none of its claims is checked.
pub(super) fn open(
    token: &str,
    keys: &KeySet,
    algorithm: TokenAlgorithm,
    types: &[&str],
) -> Result<Map<String, Value>, Refusal> {
    // It fails when it is installed already: by this line, for there is no other.
    let _ = PUBLIC_KEYS.install_default();
    let expected = of_settings(algorithm);
    let header = decode_header(token).map_err(|_| unreadable(token, algorithm))?;
    if header.alg != expected {
        let found = format!("{:?}", header.alg);
        return Err(Refusal::new(Reason::Algorithm).expected(algorithm.name()).found(found));
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
        match decode(token, &key.decoding(algorithm), &validation) {
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
fn unreadable(token: &str, algorithm: TokenAlgorithm) -> Refusal {
    use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};

    let head = token.split('.').next().and_then(|head| URL_SAFE_NO_PAD.decode(head).ok());
    let head: Option<Map<String, Value>> = head.and_then(|head| serde_json::from_slice(&head).ok());
    match head.as_ref().and_then(|head| head.get("alg")?.as_str()) {
        Some(other) if other != algorithm.name() => {
            Refusal::new(Reason::Algorithm).expected(algorithm.name()).found(other)
        }
        _ => Refusal::new(Reason::TokenMalformed),
    }
}
