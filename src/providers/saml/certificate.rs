//! The certificates of a provider, as administrators paste them. They are trusted because they are configured: of each
//! only the key counts, and the day on which it expires for a warning.

use std::fmt;

use base64::{
    Engine as _, alphabet,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig, general_purpose::STANDARD},
};
use chrono::{DateTime, TimeDelta, Utc};
use flagstone_domain::x509::{element, expiry};
use ring::digest;
use rustls_pki_types::{CertificateDer, SubjectPublicKeyInfoDer, alg_id};
use webpki::{RawPublicKeyEntity, anchor_from_trusted_cert};

use super::{
    algorithm::Algorithm,
    refusal::{Reason, Refusal},
};

/// Certificates of one provider: two while its key changes, and some to spare.
const MAX_CERTIFICATES: usize = 10;
/// Characters of all of them, written down.
const MAX_TEXT: usize = 100_000;
/// Bits of an RSA key, as `ring` accepts them.
const RSA_BITS: std::ops::RangeInclusive<usize> = 2048..=8192;

/// Time before the end of a certificate from which it is warned of.
pub const SOON: TimeDelta = TimeDelta::days(30);

const BEGIN: &str = "-----BEGIN ";

/// Fault of a text that gives no certificates. Displays as a sentence that names the remedy and nothing of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CertificateFault {
    /// There is none in it.
    Missing,
    /// Over 10 of them.
    TooMany,
    /// One is neither PEM nor base64, or no certificate.
    Unreadable,
    /// The key of one is too short, too long or of a kind that is not accepted.
    WeakKey,
}

impl fmt::Display for CertificateFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Missing => "holds no certificate: give PEM, several PEM, or the base64 of metadata",
            Self::TooMany => "holds more than 10 certificates",
            Self::Unreadable => "holds something that is no X.509 certificate in PEM or base64",
            Self::WeakKey => {
                "holds a certificate whose key is not accepted: RSA of 2048 to 8192 bits, P-256 and P-384 are"
            }
        })
    }
}

impl std::error::Error for CertificateFault {}

impl From<CertificateFault> for Refusal {
    fn from(fault: CertificateFault) -> Self {
        match fault {
            CertificateFault::WeakKey => Reason::WeakKey.into(),
            _ => Refusal::found(Reason::CertificateUnreadable, fault.to_string()),
        }
    }
}

/// One to ten certificates, any of which may have signed: while a provider changes its key there are two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificates(Vec<Certificate>);

impl Certificates {
    /// Reads PEM, several PEM, or bare base64 as copied out of metadata, several of them with a comma or an empty line
    /// between. Other parts of PEM are passed over, and the same certificate twice is one.
    pub fn read(text: &str) -> Result<Self, CertificateFault> {
        if text.len() > MAX_TEXT {
            return Err(CertificateFault::TooMany);
        }
        let text = unescaped(text);
        let encoded: Vec<Vec<u8>> = if text.contains(BEGIN) {
            let parts = sections(&text).ok_or(CertificateFault::Unreadable)?;
            parts.into_iter().filter(|(label, _)| *label == "CERTIFICATE").map(|(_, der)| der).collect()
        } else {
            let text = text.replace("\r\n", "\n").replace("\n\n", ",");
            let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
            parts.map(decode).collect::<Option<_>>().ok_or(CertificateFault::Unreadable)?
        };
        Self::of(encoded)
    }

    /// Reads the certificates in this DER.
    pub(super) fn of(encoded: Vec<Vec<u8>>) -> Result<Self, CertificateFault> {
        let mut certificates: Vec<Certificate> = vec![];
        for der in encoded {
            if certificates.iter().any(|known| known.der == der) {
                continue;
            }
            if certificates.len() == MAX_CERTIFICATES {
                return Err(CertificateFault::TooMany);
            }
            certificates.push(Certificate::read(der)?);
        }
        if certificates.is_empty() { Err(CertificateFault::Missing) } else { Ok(Self(certificates)) }
    }

    /// Each of them.
    pub fn iter(&self) -> impl Iterator<Item = &Certificate> {
        self.0.iter()
    }

    /// Returns the certificates that expire before the moment. They verify nonetheless, as everywhere in the field; the
    /// operator should be warned.
    pub fn expiring(&self, before: DateTime<Utc>) -> impl Iterator<Item = &Certificate> {
        self.iter().filter(move |certificate| certificate.not_after < before)
    }

    /// All of them as PEM: what the setting `certificate` takes.
    pub fn to_pem(&self) -> String {
        self.iter().map(Certificate::to_pem).collect()
    }
}

/// An X.509 certificate, version 1 to 3, whose key may sign. Printing it shows its fingerprint.
#[derive(Clone, PartialEq, Eq)]
pub struct Certificate {
    der: Vec<u8>,
    /// The key with its algorithm: a `SubjectPublicKeyInfo`.
    key: Vec<u8>,
    not_after: DateTime<Utc>,
}

impl fmt::Debug for Certificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Certificate({})", self.fingerprint())
    }
}

impl Certificate {
    /// Reads one in DER.
    pub fn read(der: Vec<u8>) -> Result<Self, CertificateFault> {
        let shared = CertificateDer::from(der.as_slice());
        let anchor = anchor_from_trusted_cert(&shared).map_err(|_| CertificateFault::Unreadable)?;
        let key = sequence(&anchor.subject_public_key_info);
        if !is_strong(&anchor.subject_public_key_info) {
            return Err(CertificateFault::WeakKey);
        }
        let not_after = expiry(&der).ok_or(CertificateFault::Unreadable)?;
        Ok(Self { der, key, not_after })
    }

    /// When it expires.
    pub const fn not_after(&self) -> DateTime<Utc> {
        self.not_after
    }

    /// SHA-256 of it in lower-case hexadecimal, as other tools print it without colons.
    pub fn fingerprint(&self) -> String {
        hex::encode(digest::digest(&digest::SHA256, &self.der))
    }

    /// Base64 in one line, as metadata has it.
    pub fn to_base64(&self) -> String {
        STANDARD.encode(&self.der)
    }

    /// PEM, with a line end after it.
    pub fn to_pem(&self) -> String {
        let mut pem = "-----BEGIN CERTIFICATE-----\n".to_owned();
        for (index, sign) in self.to_base64().chars().enumerate() {
            if index > 0 && index % 64 == 0 {
                pem.push('\n');
            }
            pem.push(sign);
        }
        pem + "\n-----END CERTIFICATE-----\n"
    }

    /// Whether the key of this certificate made the signature by this algorithm. The algorithm must be one of the key's
    /// kind, which `webpki` sees to.
    pub(super) fn has_signed(&self, algorithm: Algorithm, message: &[u8], signature: &[u8]) -> bool {
        let key = SubjectPublicKeyInfoDer::from(self.key.as_slice());
        RawPublicKeyEntity::try_from(&key)
            .is_ok_and(|entity| entity.verify_signature(algorithm.verification(), message, signature).is_ok())
    }
}

/// Variables of the environment often hold PEM in one line, with `\n` for its ends.
pub(super) fn unescaped(text: &str) -> String {
    text.replace("\\n", "\n")
}

/// The parts of a PEM file with their labels; `None` when it is none. Line ends may be missing, as forms lose them.
pub(super) fn sections(text: &str) -> Option<Vec<(&str, Vec<u8>)>> {
    let mut parts = vec![];
    for part in text.split(BEGIN).skip(1) {
        let (label, rest) = part.split_once("-----")?;
        let (body, _) = rest.split_once("-----END ")?;
        parts.push((label, decode(body)?));
    }
    Some(parts)
}

/// Base64 with white space anywhere, padded or not.
pub(super) fn decode(text: &str) -> Option<Vec<u8>> {
    const LENIENT: GeneralPurpose = GeneralPurpose::new(
        &alphabet::STANDARD,
        GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
    );
    // Most hold none, and looking at each sign takes longer than decoding them.
    LENIENT.decode(text).ok().or_else(|| {
        let bare: Vec<u8> = text.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
        LENIENT.decode(bare).ok()
    })
}

/// A DER sequence of this content: `webpki` gives the key without the head that it wants back.
fn sequence(content: &[u8]) -> Vec<u8> {
    let mut der = vec![0x30];
    let length = content.len().to_be_bytes();
    let significant = &length[length.iter().take_while(|byte| **byte == 0).count()..];
    if content.len() >= 0x80 {
        // At most eight bytes tell a length.
        der.push(0x80 | u8::try_from(significant.len()).unwrap_or(u8::MAX));
    }
    der.extend(significant);
    der.extend(content);
    der
}

/// Whether `ring` accepts the key: checked when it is configured rather than at a sign-in.
fn is_strong(key: &[u8]) -> bool {
    let Some((_, algorithm, rest)) = element(key) else { return false };
    if algorithm == alg_id::ECDSA_P256.as_ref() || algorithm == alg_id::ECDSA_P384.as_ref() {
        return true;
    }
    let modulus = element(rest).and_then(|(_, bits, _)| element(bits.get(1..)?)).and_then(|(_, key, _)| element(key));
    algorithm == alg_id::RSA_ENCRYPTION.as_ref()
        && modulus.is_some_and(|(_, modulus, _)| {
            let zeros: usize = modulus.iter().take_while(|byte| **byte == 0).count();
            let first = modulus.get(zeros).map_or(0, |byte| byte.leading_zeros() as usize);
            RSA_BITS.contains(&((modulus.len() - zeros) * 8).saturating_sub(first))
        })
}
