//! The keys that a provider publishes (RFC 7517), of which those for RSA, P-256, P-384 and Ed25519 matter.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use flagstone_domain::token_algorithm::TokenAlgorithm;
use flagstone_outbound::{ANSWER_LIMIT, Outbound, Request};
use jsonwebtoken::DecodingKey;
use serde_json::{Map, Value};

use super::{
    cache::Fetched,
    fetch,
    refusal::{Reason, Refusal},
};

/// The most keys of a provider. Each may have to be tried.
const MOST: usize = 100;
/// The sizes of RSA keys by which signatures are believed, in bits.
const SMALLEST: usize = 2048;
const LARGEST: usize = 8192;
/// Names of the algorithm of a key for `EdDSA`: the old one, and the one that names the curve (RFC 9864).
const ED25519: [&str; 2] = ["EdDSA", "Ed25519"];
/// Length of an Ed25519 key in bytes.
const ED25519_LENGTH: usize = 32;
/// First byte of a point that is given with both coordinates (SEC 1, 2.3.3).
const UNCOMPRESSED: u8 = 4;

/// The keys of a provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeySet(Vec<Key>);

/// A key, as it was published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Key {
    id: Option<String>,
    kind: Option<String>,
    usage: Option<String>,
    /// Operations that it may be used for, if the provider lists them.
    operations: Option<Vec<String>>,
    algorithm: Option<String>,
    curve: Option<String>,
    modulus: Vec<u8>,
    exponent: Vec<u8>,
    /// The coordinates of the point, byte for byte. Keys on Edwards curves have one.
    x: Vec<u8>,
    y: Vec<u8>,
}

/// Type of key that an algorithm needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Rsa,
    /// A point on a curve of this name, with two coordinates of so many bytes.
    Ec(&'static str, usize),
    Ed25519,
}

impl Kind {
    const fn of(algorithm: TokenAlgorithm) -> Self {
        match algorithm {
            TokenAlgorithm::Rs256
            | TokenAlgorithm::Rs384
            | TokenAlgorithm::Rs512
            | TokenAlgorithm::Ps256
            | TokenAlgorithm::Ps384
            | TokenAlgorithm::Ps512 => Self::Rsa,
            TokenAlgorithm::Es256 => Self::Ec("P-256", 32),
            TokenAlgorithm::Es384 => Self::Ec("P-384", 48),
            TokenAlgorithm::EdDsa => Self::Ed25519,
        }
    }

    /// The members `kty` and `crv` of its keys.
    const fn names(self) -> (&'static str, Option<&'static str>) {
        match self {
            Self::Rsa => ("RSA", None),
            Self::Ec(curve, _) => ("EC", Some(curve)),
            Self::Ed25519 => ("OKP", Some("Ed25519")),
        }
    }
}

/// Gets the keys.
pub(super) async fn fetch(outbound: &Outbound, address: &str) -> Result<Fetched<KeySet>, Refusal> {
    let request = Request::get(address, ANSWER_LIMIT);
    let fetched = fetch::document(outbound, request, "the keys", Reason::KeysMalformed).await?;
    Ok(Fetched { value: KeySet::read(&fetched.value)?, cache_control: fetched.cache_control })
}

impl KeySet {
    /// Reads a key set. Keys of a kind that is not known stay in it, so that the refusal of a token that names one says
    /// so.
    pub fn read(document: &Map<String, Value>) -> Result<Self, Refusal> {
        let Some(keys) = document.get("keys").and_then(Value::as_array) else {
            return Err(Refusal::new(Reason::KeysMalformed).expected("keys"));
        };
        if keys.len() > MOST {
            let found = format_args!("{} keys", keys.len());
            return Err(Refusal::new(Reason::KeysMalformed).expected(format_args!("at most {MOST} keys")).found(found));
        }
        Ok(Self(keys.iter().filter_map(Value::as_object).map(Key::read).collect()))
    }

    /// Number of keys that can verify a token of this algorithm.
    pub fn usable(&self, algorithm: TokenAlgorithm) -> usize {
        self.0.iter().filter(|key| key.check(algorithm).is_ok()).count()
    }

    /// The keys that may have signed a token: those of the name that it gives, or of any if it gives none.
    pub(super) fn candidates(&self, id: Option<&str>, algorithm: TokenAlgorithm) -> Result<Vec<&Key>, Refusal> {
        let Some(id) = id else {
            let fitting: Vec<_> = self.0.iter().filter(|key| key.check(algorithm).is_ok()).collect();
            return if fitting.is_empty() { Err(Refusal::new(Reason::KeyAbsent)) } else { Ok(fitting) };
        };
        let named: Vec<_> = self.0.iter().filter(|key| key.id.as_deref() == Some(id)).collect();
        let Some(first) = named.first() else {
            let known: Vec<_> = self.0.iter().filter_map(|key| key.id.as_deref()).collect();
            return Err(Refusal::new(Reason::KeyUnknown).expected(known.join(", ")).found(id));
        };
        let fitting: Vec<_> = named.iter().copied().filter(|key| key.check(algorithm).is_ok()).collect();
        if fitting.is_empty() { first.check(algorithm).map(|()| fitting) } else { Ok(fitting) }
    }
}

impl Key {
    fn read(key: &Map<String, Value>) -> Self {
        let text = |name: &str| key.get(name).map(|value| value.as_str().unwrap_or_default().to_owned());
        let bytes = |name: &str| {
            let encoded = key.get(name).and_then(Value::as_str).unwrap_or_default().trim_end_matches('=');
            URL_SAFE_NO_PAD.decode(encoded).unwrap_or_default()
        };
        // Some publish numbers with a sign in front, as ASN.1 has them. Coordinates have a fixed length.
        let number = |name: &str| bytes(name).into_iter().skip_while(|byte| *byte == 0).collect();
        let operations = key.get("key_ops").map(|value| {
            let listed = value.as_array().map(Vec::as_slice).unwrap_or_default();
            listed.iter().filter_map(Value::as_str).map(str::to_owned).collect()
        });
        Self {
            id: text("kid"),
            kind: text("kty"),
            usage: text("use"),
            operations,
            algorithm: text("alg"),
            curve: text("crv"),
            modulus: number("n"),
            exponent: number("e"),
            x: bytes("x"),
            y: bytes("y"),
        }
    }

    /// The key for the library that takes tokens apart. It fits the algorithm.
    pub(super) fn decoding(&self, algorithm: TokenAlgorithm) -> DecodingKey {
        match Kind::of(algorithm) {
            Kind::Rsa => DecodingKey::from_rsa_raw_components(&self.modulus, &self.exponent),
            Kind::Ec(..) => DecodingKey::from_ec_der(&[&[UNCOMPRESSED], self.x.as_slice(), &self.y].concat()),
            Kind::Ed25519 => DecodingKey::from_ed_der(&self.x),
        }
    }

    fn check(&self, algorithm: TokenAlgorithm) -> Result<(), Refusal> {
        let refused = |reason, expected: &str, found: &str| Err(Refusal::new(reason).expected(expected).found(found));
        let kind = Kind::of(algorithm);
        let (name, curve) = kind.names();
        if self.kind.as_deref() != Some(name) {
            return refused(Reason::KeyType, name, self.kind.as_deref().unwrap_or("none"));
        }
        if let Some(curve) = curve.filter(|curve| self.curve.as_deref() != Some(*curve)) {
            return refused(Reason::KeyType, curve, self.curve.as_deref().unwrap_or("no curve"));
        }
        if let Some(usage) = self.usage.as_deref().filter(|usage| *usage != "sig") {
            return refused(Reason::KeyUse, "sig", usage);
        }
        if let Some(operations) = self.operations.as_ref().filter(|listed| listed.iter().all(|one| one != "verify")) {
            return refused(Reason::KeyUse, "verify", &operations.join(", "));
        }
        let is_of = |said: &str| said == algorithm.name() || (kind == Kind::Ed25519 && ED25519.contains(&said));
        if let Some(other) = self.algorithm.as_deref().filter(|said| !is_of(said)) {
            return refused(Reason::KeyAlgorithm, algorithm.name(), other);
        }
        match kind {
            Kind::Rsa => {
                let first = self.modulus.first().map_or(0, |first| first.leading_zeros() as usize);
                let bits = self.modulus.len() * 8 - first;
                if !(SMALLEST..=LARGEST).contains(&bits) {
                    return refused(Reason::KeySize, &format!("{SMALLEST} to {LARGEST} bits"), &bits.to_string());
                }
            }
            Kind::Ec(_, length) => {
                if self.x.len() != length || self.y.len() != length {
                    let found = format!("{} and {}", self.x.len(), self.y.len());
                    return refused(Reason::KeySize, &format!("coordinates of {length} bytes"), &found);
                }
            }
            Kind::Ed25519 => {
                if self.x.len() != ED25519_LENGTH {
                    let expected = format!("{ED25519_LENGTH} bytes");
                    return refused(Reason::KeySize, &expected, &self.x.len().to_string());
                }
            }
        }
        Ok(())
    }
}
