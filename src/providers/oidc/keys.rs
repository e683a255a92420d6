//! The keys that a provider publishes (RFC 7517), of which those for RSA matter.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::{Map, Value};

use super::{
    cache::Fetched,
    fetch,
    refusal::{Reason, Refusal},
};
use crate::{
    domain::settings::SigningAlgorithm,
    outbound::{ANSWER_LIMIT, Outbound, Request},
};

/// The most keys of a provider. Each may have to be tried.
const MOST: usize = 100;
/// The sizes of keys by which signatures are believed, in bits.
const SMALLEST: usize = 2048;
const LARGEST: usize = 8192;

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
    pub modulus: Vec<u8>,
    pub exponent: Vec<u8>,
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
    pub fn usable(&self, algorithm: SigningAlgorithm) -> usize {
        self.0.iter().filter(|key| key.check(algorithm).is_ok()).count()
    }

    /// The keys that may have signed a token: those of the name that it gives, or of any if it gives none.
    pub(super) fn candidates(&self, id: Option<&str>, algorithm: SigningAlgorithm) -> Result<Vec<&Key>, Refusal> {
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
        let number = |name: &str| {
            let encoded = key.get(name).and_then(Value::as_str).unwrap_or_default().trim_end_matches('=');
            let bytes = URL_SAFE_NO_PAD.decode(encoded).unwrap_or_default();
            // Some publish numbers with a sign in front, as ASN.1 has them.
            bytes.into_iter().skip_while(|byte| *byte == 0).collect()
        };
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
            modulus: number("n"),
            exponent: number("e"),
        }
    }

    fn check(&self, algorithm: SigningAlgorithm) -> Result<(), Refusal> {
        let refused = |reason, expected: &str, found: &str| Err(Refusal::new(reason).expected(expected).found(found));
        if self.kind.as_deref() != Some("RSA") {
            return refused(Reason::KeyType, "RSA", self.kind.as_deref().unwrap_or("none"));
        }
        if let Some(usage) = self.usage.as_deref().filter(|usage| *usage != "sig") {
            return refused(Reason::KeyUse, "sig", usage);
        }
        if let Some(operations) = self.operations.as_ref().filter(|listed| listed.iter().all(|one| one != "verify")) {
            return refused(Reason::KeyUse, "verify", &operations.join(", "));
        }
        if let Some(other) = self.algorithm.as_deref().filter(|said| *said != name(algorithm)) {
            return refused(Reason::KeyAlgorithm, name(algorithm), other);
        }
        let bits = self.modulus.len() * 8 - self.modulus.first().map_or(0, |first| first.leading_zeros() as usize);
        if !(SMALLEST..=LARGEST).contains(&bits) {
            return refused(Reason::KeySize, &format!("{SMALLEST} to {LARGEST} bits"), &bits.to_string());
        }
        Ok(())
    }
}

/// The name of an algorithm in tokens and keys.
pub(super) const fn name(algorithm: SigningAlgorithm) -> &'static str {
    match algorithm {
        SigningAlgorithm::Rs256 => "RS256",
        SigningAlgorithm::Rs384 => "RS384",
        SigningAlgorithm::Rs512 => "RS512",
    }
}
