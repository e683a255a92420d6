//! One-time passwords by the time (TOTP, RFC 6238) as every authenticator app knows them: HMAC-SHA-1 of 160 bits over
//! steps of 30 seconds, six digits.

use data_encoding::BASE32_NOPAD;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use ring::hmac;
use subtle::ConstantTimeEq as _;

use crate::time::Timestamp;

/// Bytes of a secret: as long as the hash, as RFC 4226 recommends.
const SECRET_BYTES: usize = 20;
/// Milliseconds of a time step.
const STEP_MS: i64 = 30_000;
/// Digits of a code.
pub const DIGITS: usize = 6;
/// Steps before and after the present one whose codes are accepted: clocks differ, and typing takes time.
const TOLERANCE: i64 = 1;

/// A secret that an authenticator app and this server share. Printing it shows nothing.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret([u8; SECRET_BYTES]);

opaque_debug!(Secret);

impl Secret {
    /// A fresh secret.
    pub fn generate() -> Self {
        let mut bytes = [0; SECRET_BYTES];
        getrandom::fill(&mut bytes).expect("the operating system gives random bytes");
        Self(bytes)
    }

    /// Reads the bytes of a secret, or `None` if their number is wrong.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    /// Its bytes.
    pub const fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Base32 without padding (RFC 4648), in which people type it into an app.
    pub fn text(&self) -> String {
        BASE32_NOPAD.encode(&self.0)
    }

    /// Address in the form of authenticator apps, which name the entry by issuer and account.
    pub fn uri(&self, issuer: &str, account: &str) -> String {
        let encoded = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
        let (issuer, account, secret) = (encoded(issuer), encoded(account), self.text());
        let period = STEP_MS / 1000;
        format!(
            "otpauth://totp/{issuer}:{account}?secret={secret}&issuer={issuer}&algorithm=SHA1\
             &digits={DIGITS}&period={period}"
        )
    }

    /// Code of a time step.
    pub fn code(&self, step: i64) -> String {
        let key = hmac::Key::new(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, &self.0);
        let tag = hmac::sign(&key, &step.to_be_bytes());
        let tag = tag.as_ref();
        // The last four bits say where in the hash the number is (RFC 4226, 5.3).
        let offset = usize::from(tag[tag.len() - 1] & 0xf);
        let number = tag[offset..offset + 4].iter().fold(0, |number: u32, byte| (number << 8) | u32::from(*byte));
        format!("{:06}", (number & 0x7fff_ffff) % 1_000_000)
    }

    /// Returns the time step of a code that is valid now, or `None` for any other. How long it takes does not depend on
    /// the digits.
    pub fn step_of(&self, code: &str, now: Timestamp) -> Option<i64> {
        let present = step_at(now);
        let mut found = None;
        for step in present - TOLERANCE..=present + TOLERANCE {
            if bool::from(self.code(step).as_bytes().ct_eq(code.as_bytes())) {
                found = Some(step);
            }
        }
        found
    }
}

/// Time step of a moment.
pub const fn step_at(now: Timestamp) -> i64 {
    now.millis().div_euclid(STEP_MS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secret() -> Secret {
        Secret::read(b"12345678901234567890").expect("twenty bytes")
    }

    /// Appendix B of RFC 6238, of whose eight digits ours are the last six.
    #[test]
    fn codes_are_those_of_the_standard() {
        for (seconds, code) in [
            (59, "287082"),
            (1_111_111_109, "081804"),
            (1_111_111_111, "050471"),
            (1_234_567_890, "005924"),
            (2_000_000_000, "279037"),
            (20_000_000_000, "353130"),
        ] {
            assert_eq!(secret().code(step_at(Timestamp::from_millis(seconds * 1000))), code, "{seconds}");
        }
    }

    #[test]
    fn a_code_is_valid_in_its_step_and_those_beside_it() {
        let code = secret().code(100);
        for (step, found) in [(98, None), (99, Some(100)), (100, Some(100)), (101, Some(100)), (102, None)] {
            for millis in [step * STEP_MS, step * STEP_MS + STEP_MS - 1] {
                assert_eq!(secret().step_of(&code, Timestamp::from_millis(millis)), found, "{millis}");
            }
        }
        for other in ["", "0", &code[1..], &format!("{code}0"), "abcdef", "\u{661}\u{662}\u{663}"] {
            assert_eq!(secret().step_of(other, Timestamp::from_millis(100 * STEP_MS)), None, "{other}");
        }
    }

    #[test]
    fn secrets_differ_and_travel_as_apps_read_them() {
        let made = Secret::generate();
        assert_ne!(made, Secret::generate());
        assert_eq!(Secret::read(made.bytes()), Some(made));
        assert_eq!(Secret::read(b"short"), None);
        assert_eq!(secret().text(), "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
        assert_eq!(
            secret().uri("Flagstone flags.example.com", "ada+1@example.com"),
            "otpauth://totp/Flagstone%20flags%2Eexample%2Ecom:ada%2B1%40example%2Ecom\
             ?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Flagstone%20flags%2Eexample%2Ecom\
             &algorithm=SHA1&digits=6&period=30"
        );
        assert_eq!(format!("{:?}", secret()), "Secret");
    }
}
