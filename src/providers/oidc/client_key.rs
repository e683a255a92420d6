//! Keys by which this server authenticates as a client (`private_key_jwt`: OpenID Connect Core 1.0, 9, and RFC 7523).

use std::fmt;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::{DateTime, Utc};
use flagstone_domain::secret;
use ring::{
    digest::{SHA256, digest},
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _},
};
use serde_json::json;

/// The algorithm by which the keys sign.
pub const ALGORITHM: &str = "ES256";
/// Seconds for which a statement is valid. Each is used once, at once.
const LASTS_SECONDS: i64 = 60;

/// A key of this server, on P-256. Printing it shows its id alone.
pub struct ClientKey {
    pair: EcdsaKeyPair,
    public: PublicKey,
}

/// Public half of a key, as it is published (RFC 7517).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicKey {
    /// Id: the thumbprint of the key (RFC 7638).
    pub kid: String,
    /// First coordinate of the point, in base64url.
    pub x: String,
    /// Second coordinate, likewise.
    pub y: String,
}

/// Error of a key that cannot be made or read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClientKeyError;

impl fmt::Display for ClientKeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key for authenticating at login providers cannot be made or read")
    }
}

impl std::error::Error for ClientKeyError {}

impl fmt::Debug for ClientKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientKey").field("kid", &self.public.kid).finish_non_exhaustive()
    }
}

impl ClientKey {
    /// Makes a key: the bytes of PKCS #8, which [`Self::read`] reads.
    pub fn generate() -> Result<Vec<u8>, ClientKeyError> {
        let made = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &SystemRandom::new());
        made.map(|pkcs8| pkcs8.as_ref().to_vec()).map_err(|_| ClientKeyError)
    }

    /// Reads a key.
    pub fn read(pkcs8: &[u8]) -> Result<Self, ClientKeyError> {
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, pkcs8, &SystemRandom::new());
        let pair = pair.map_err(|_| ClientKeyError)?;
        let public = PublicKey::of(pair.public_key().as_ref()).ok_or(ClientKeyError)?;
        Ok(Self { pair, public })
    }

    /// The public half.
    pub const fn public(&self) -> &PublicKey {
        &self.public
    }

    /// Statement that this server is the client. It counts at this audience alone, once, for a minute.
    pub(super) fn assertion(
        &self,
        client_id: &str,
        audience: &str,
        now: DateTime<Utc>,
    ) -> Result<String, ClientKeyError> {
        let head = json!({ "alg": ALGORITHM, "kid": self.public.kid, "typ": "JWT" });
        let issued_at = now.timestamp();
        let claims = json!({
            "iss": client_id,
            "sub": client_id,
            "aud": audience,
            "jti": secret::random_part(),
            "iat": issued_at,
            "exp": issued_at + LASTS_SECONDS,
        });
        let [head, claims] = [head, claims].map(|part| URL_SAFE_NO_PAD.encode(part.to_string()));
        let message = format!("{head}.{claims}");
        let signature = self.pair.sign(&SystemRandom::new(), message.as_bytes()).map_err(|_| ClientKeyError)?;
        Ok(format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature)))
    }
}

impl PublicKey {
    /// Reads an uncompressed point.
    fn of(point: &[u8]) -> Option<Self> {
        let (x, y) = point.strip_prefix(&[4]).filter(|rest| rest.len() == 64)?.split_at(32);
        let [x, y] = [x, y].map(|coordinate| URL_SAFE_NO_PAD.encode(coordinate));
        // The members that are required, in the order of their names and without blanks, as the thumbprint wants them.
        let members = format!(r#"{{"crv":"P-256","kty":"EC","x":"{x}","y":"{y}"}}"#);
        Some(Self { kid: URL_SAFE_NO_PAD.encode(digest(&SHA256, members.as_bytes())), x, y })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_reads_back_by_its_thumbprint() {
        let pkcs8 = ClientKey::generate().expect("a key");
        let key = ClientKey::read(&pkcs8).expect("reads");
        assert_eq!(key.public(), ClientKey::read(&pkcs8).expect("reads").public());
        assert_eq!(key.public().kid.len(), 43);
        let other = ClientKey::read(&ClientKey::generate().expect("a key")).expect("reads");
        assert_ne!(key.public().kid, other.public().kid);
        assert!(ClientKey::read(&pkcs8[1..]).is_err());
        assert_eq!(format!("{key:?}"), format!("ClientKey {{ kid: {:?}, .. }}", key.public().kid));
    }

    #[test]
    fn the_thumbprint_is_that_of_its_definition() {
        // The key of RFC 7515, A.3, and its thumbprint as other implementations give it.
        let [x, y] = ["f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU", "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"];
        let point = [vec![4], URL_SAFE_NO_PAD.decode(x).expect("x"), URL_SAFE_NO_PAD.decode(y).expect("y")].concat();
        let key = PublicKey::of(&point).expect("a point");
        assert_eq!((&*key.x, &*key.y), (x, y));
        assert_eq!(key.kid, "oKIywvGUpTVTyxMQ3bwIIeQUudfr_CkLMjCE19ECD-U");
    }
}
