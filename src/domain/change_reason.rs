//! The reason for a change, in the words of its author.

use std::fmt;

use percent_encoding::percent_decode;

use crate::text::is_longer;

/// The reason for a change: one line of text, which the events of the change keep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeReason(String);

/// Fault of a text that cannot be a reason, as the end of a sentence about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unusable {
    /// It has more than [`ChangeReason::LONGEST`] characters.
    TooLong,
    /// It is no line of text.
    Control,
    /// It is not percent-encoded UTF-8.
    Encoding,
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong => write!(f, "must have at most {} characters", ChangeReason::LONGEST),
            Self::Control => f.write_str("must be one line without control characters"),
            Self::Encoding => f.write_str("must be percent-encoded UTF-8, in which a percent sign is `%25`"),
        }
    }
}

impl std::error::Error for Unusable {}

impl ChangeReason {
    /// Most characters.
    pub const LONGEST: usize = 500;
    /// Most characters of its percent-encoded form: three for each of the four bytes that a character can have.
    pub const LONGEST_ENCODED: usize = Self::LONGEST * 12;

    /// Reads a text; `None` where it is blank. Blanks at its ends are left out.
    pub fn parse(text: &str) -> Result<Option<Self>, Unusable> {
        if text.contains(|sign: char| sign.is_control() || matches!(sign, '\u{2028}' | '\u{2029}')) {
            return Err(Unusable::Control);
        }
        let text = text.trim();
        if is_longer(text, Self::LONGEST) {
            return Err(Unusable::TooLong);
        }
        Ok((!text.is_empty()).then(|| Self(text.to_owned())))
    }

    /// Reads the percent-encoded form.
    pub fn decode(encoded: &[u8]) -> Result<Option<Self>, Unusable> {
        if encoded.len() > Self::LONGEST_ENCODED {
            return Err(Unusable::TooLong);
        }
        let stands_for_a_byte =
            |at: usize| encoded.get(at + 1..at + 3).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit));
        if encoded.iter().enumerate().any(|(at, byte)| *byte == b'%' && !stands_for_a_byte(at)) {
            return Err(Unusable::Encoding);
        }
        let text = percent_decode(encoded).decode_utf8().map_err(|_| Unusable::Encoding)?;
        Self::parse(&text)
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn decoded(encoded: &str) -> Result<Option<String>, Unusable> {
        Ok(ChangeReason::decode(encoded.as_bytes())?.map(|reason| reason.0))
    }

    #[test]
    fn a_reason_is_one_line_of_percent_encoded_text() {
        for (encoded, text) in [
            ("Ticket 4711", "Ticket 4711"),
            ("Gr%C3%B6%c3%9fer%20%e2%86%92 100%25", "Größer → 100%"),
            ("%20 why %20", "why"),
            // What some programs send as it is.
            ("für später", "für später"),
        ] {
            assert_eq!(decoded(encoded), Ok(Some(text.to_owned())), "{encoded}");
        }
        for blank in ["", " ", "%20%20", "%C2%A0"] {
            assert_eq!(decoded(blank), Ok(None), "{blank:?}");
        }
        for broken in ["100%", "100% now", "%2", "%zz", "%+1", "%FF", "%C3", "caf%E9"] {
            assert_eq!(decoded(broken), Err(Unusable::Encoding), "{broken}");
        }
        for control in
            ["a%0Ab", "a%0D%0Ab", "a%00b", "a%7Fb", "a%09b", "a%C2%85b", "a%E2%80%A8b", "a%1B[31m", "a%0A", "%0A"]
        {
            assert_eq!(decoded(control), Err(Unusable::Control), "{control}");
        }
        assert_eq!(ChangeReason::decode(b"caf\xe9"), Err(Unusable::Encoding));
    }

    #[test]
    fn characters_count_and_not_bytes() {
        let longest = "%F0%9F%9A%A9".repeat(ChangeReason::LONGEST);
        assert_eq!(longest.len(), ChangeReason::LONGEST_ENCODED);
        assert_eq!(decoded(&longest), Ok(Some("🚩".repeat(ChangeReason::LONGEST))));
        for longer in ["x".repeat(ChangeReason::LONGEST + 1), format!("{longest}x"), "%20".repeat(10_000)] {
            assert_eq!(decoded(&longer), Err(Unusable::TooLong));
        }
    }

    proptest! {
        #[test]
        fn nothing_but_a_line_of_text_becomes_a_reason(encoded in proptest::collection::vec(any::<u8>(), 0..60)) {
            if let Ok(Some(reason)) = ChangeReason::decode(&encoded) {
                prop_assert_eq!(ChangeReason::parse(reason.as_str()), Ok(Some(reason.clone())));
                prop_assert!(!reason.as_str().is_empty() && !reason.as_str().contains(char::is_control));
            }
        }

        #[test]
        fn what_is_encoded_comes_back(text in "\\PC{1,60}") {
            let encoded = percent_encoding::utf8_percent_encode(&text, percent_encoding::NON_ALPHANUMERIC).to_string();
            prop_assert_eq!(ChangeReason::decode(encoded.as_bytes()), ChangeReason::parse(&text));
        }
    }
}
