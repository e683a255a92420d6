//! A software authenticator with its browser: ECDSA on P-256, attestation `none`. It does as it is told, also what no
//! honest device does.

use data_encoding::BASE64URL_NOPAD;
use ring::{
    rand::{SecureRandom as _, SystemRandom},
    signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair as _},
};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

/// Flags of what an authenticator says of itself and its user.
const USER_PRESENT: u8 = 0x01;
const USER_VERIFIED: u8 = 0x04;
const HAS_PUBLIC_KEY: u8 = 0x40;

/// A passkey on its device.
pub struct Authenticator {
    key: EcdsaKeyPair,
    /// Id by which the passkey calls itself.
    pub id: Vec<u8>,
    /// Handle of the user, as the server gave it.
    pub handle: String,
    /// Counter, which each use raises; for a synchronised passkey it stays 0.
    pub counter: u32,
    pub counts: bool,
    pub verifies_user: bool,
    pub rp_id: String,
    pub origin: String,
}

impl Authenticator {
    /// A device of a page that has no passkey of anybody yet.
    pub fn new(rp_id: &str, origin: &str) -> Self {
        let random = SystemRandom::new();
        let pair = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, &random).expect("a key");
        let key = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, pair.as_ref(), &random).expect("a key");
        let mut id = vec![0; 16];
        random.fill(&mut id).expect("random bytes");
        let (rp_id, origin) = (rp_id.to_owned(), origin.to_owned());
        Self { key, id, handle: String::new(), counter: 0, counts: true, verifies_user: true, rp_id, origin }
    }

    /// Answer of the browser to the challenge of a registration.
    pub fn make(&mut self, begun: &Value, name: &str) -> Value {
        self.handle = text(&begun["options"]["user"]["id"]);
        let client_data = self.client_data("webauthn.create", &begun["options"]["challenge"]);
        json!({
            "challengeId": begun["challengeId"],
            "name": name,
            "credential": {
                "id": encoded(&self.id),
                "rawId": encoded(&self.id),
                "type": "public-key",
                "clientExtensionResults": {},
                "response": {
                    "clientDataJSON": encoded(client_data.as_bytes()),
                    "attestationObject": encoded(&self.attestation_object()),
                    "transports": ["internal"],
                },
            },
        })
    }

    /// Answer of the browser to the challenge of a proof.
    pub fn answer(&mut self, begun: &Value) -> Value {
        if self.counts {
            self.counter += 1;
        }
        let client_data = self.client_data("webauthn.get", &begun["options"]["challenge"]);
        let authenticator_data = self.authenticator_data(0);
        let signed = [authenticator_data.as_slice(), &Sha256::digest(&client_data)].concat();
        let signature = self.key.sign(&SystemRandom::new(), &signed).expect("a signature");
        json!({
            "challengeId": begun["challengeId"],
            "credential": {
                "id": encoded(&self.id),
                "rawId": encoded(&self.id),
                "type": "public-key",
                "clientExtensionResults": {},
                "response": {
                    "clientDataJSON": encoded(client_data.as_bytes()),
                    "authenticatorData": encoded(&authenticator_data),
                    "signature": encoded(signature.as_ref()),
                    "userHandle": self.handle,
                },
            },
        })
    }

    fn client_data(&self, kind: &str, challenge: &Value) -> String {
        json!({ "type": kind, "challenge": challenge, "origin": self.origin, "crossOrigin": false }).to_string()
    }

    fn authenticator_data(&self, flags: u8) -> Vec<u8> {
        let verified = if self.verifies_user { USER_VERIFIED } else { 0 };
        let mut data = Sha256::digest(&self.rp_id).to_vec();
        data.push(USER_PRESENT | verified | flags);
        data.extend(self.counter.to_be_bytes());
        data
    }

    /// The CBOR of `{ "fmt": "none", "attStmt": {}, "authData": … }`.
    fn attestation_object(&self) -> Vec<u8> {
        let mut data = self.authenticator_data(HAS_PUBLIC_KEY);
        data.extend([0; 16]);
        data.extend(u16::try_from(self.id.len()).expect("a short id").to_be_bytes());
        data.extend(&self.id);
        data.extend(self.cose_key());
        let mut object = vec![0xa3];
        object.extend(cbor_text("fmt"));
        object.extend(cbor_text("none"));
        object.extend(cbor_text("attStmt"));
        object.push(0xa0);
        object.extend(cbor_text("authData"));
        object.extend([0x58, u8::try_from(data.len()).expect("at most 255 bytes")]);
        object.extend(data);
        object
    }

    /// The CBOR of the public key as COSE has it: type EC2, algorithm ES256, curve P-256, x, y.
    fn cose_key(&self) -> Vec<u8> {
        let point = self.key.public_key().as_ref();
        let mut key = vec![0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20];
        key.extend(&point[1..33]);
        key.extend([0x22, 0x58, 0x20]);
        key.extend(&point[33..65]);
        key
    }
}

fn cbor_text(text: &str) -> Vec<u8> {
    let mut encoded = vec![0x60 | u8::try_from(text.len()).expect("less than 24 bytes")];
    encoded.extend(text.as_bytes());
    encoded
}

pub fn encoded(bytes: &[u8]) -> String {
    BASE64URL_NOPAD.encode(bytes)
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}
