//! Refusals of messages: a closed list of reasons, since administrators filter their log by it. Texts of a message come
//! along cut and without control characters, and never what is secret.

use std::fmt;

/// Characters of a message's text that a refusal keeps.
const SHOWN: usize = 200;

/// A refusal for the administrators' log. The user who tried to sign in sees nothing of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Its reason.
    pub reason: Reason,
    /// Expected value, where there is one such thing.
    pub expected: Option<String>,
    /// Actual value in the message, at most 200 characters of it.
    pub found: Option<String>,
}

impl Refusal {
    /// Found this instead of something else.
    pub(super) fn found(reason: Reason, found: impl AsRef<str>) -> Self {
        Self { reason, expected: None, found: Some(shown(found.as_ref())) }
    }

    /// Found this, or nothing, instead of that.
    pub(super) fn instead(reason: Reason, expected: impl AsRef<str>, found: Option<&str>) -> Self {
        Self { reason, expected: Some(shown(expected.as_ref())), found: found.map(shown) }
    }
}

fn shown(text: &str) -> String {
    text.chars().map(|sign| if sign.is_control() { ' ' } else { sign }).take(SHOWN).collect()
}

impl From<Reason> for Refusal {
    fn from(reason: Reason) -> Self {
        Self { reason, expected: None, found: None }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.reason.explanation())?;
        if let Some(expected) = &self.expected {
            write!(f, "; expected: {expected}")?;
        }
        if let Some(found) = &self.found {
            write!(f, "; found: {found}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Refusal {}

/// Declares the closed list: each reason with its code, which never changes, and its sentence for administrators.
macro_rules! reasons {
    ($($reason:ident $code:literal $explanation:literal,)+) => {
        /// The closed list of reasons.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Reason {
            $(#[doc = $explanation] $reason,)+
        }

        impl Reason {
            /// All of them, in the order in which they are checked.
            pub const ALL: &[Self] = &[$(Self::$reason,)+];

            /// The word that logs are filtered by.
            pub const fn code(self) -> &'static str {
                match self { $(Self::$reason => $code,)+ }
            }

            /// A sentence for administrators, without a full stop.
            pub const fn explanation(self) -> &'static str {
                match self { $(Self::$reason => $explanation,)+ }
            }
        }
    };
}

reasons! {
    // The form and the bytes.
    MessageMissing "message-missing" "The request carries no SAML message, or the same parameter twice",
    NotBase64 "not-base64" "The message is not base64",
    NotDeflated "not-deflated" "The message of a redirect is not compressed as the binding asks",
    TooLarge "too-large" "The message is larger than its bound",
    NotUtf8 "not-utf8" "The message is not UTF-8",
    XmlVersion "xml-version" "The message declares another version of XML than 1.0",
    XmlEncoding "xml-encoding" "The message declares another encoding than UTF-8",
    DocumentType "document-type" "The message holds a document type or entity declaration",
    Comment "comment" "The message holds an XML comment",
    Cdata "cdata" "The message holds a CDATA section",
    ProcessingInstruction "processing-instruction" "The message holds a processing instruction",
    CarriageReturn "carriage-return" "The message holds a carriage return that ends no line",
    TooManyAttributes "too-many-attributes" "A tag of the message has over 100 attributes",
    BadNamespace "bad-namespace" "The message declares a namespace that is no absolute URI of at most 256 characters",
    TooManyNamespaces "too-many-namespaces" "The message has more namespaces or attributes than any provider sends",
    TooDeep "too-deep" "The elements of the message lie over 40 deep",
    NotWellFormed "not-well-formed" "The message is not well-formed XML of at most 20,000 parts",
    // The whole tree.
    WrongRoot "wrong-root" "The message is of another kind",
    IdInNamespace "id-in-namespace" "An identifying attribute belongs to a namespace",
    IdRepeated "id-repeated" "Two elements carry the same identifier",
    ForeignNamespace "foreign-namespace" "An element of SAML or of a signature belongs to another namespace",
    MisplacedElement "misplaced-element" "An element of SAML or of a signature stands where none may",
    Encrypted "encrypted" "The message is encrypted, which nothing of ours asks for: switch encryption off at the provider",
    SamlVersion "saml-version" "The message is of another version of SAML than 2.0",
    ProviderStatus "provider-status" "The provider answers that it did not sign the user in",
    AssertionMissing "assertion-missing" "The response holds no assertion",
    AssertionRepeated "assertion-repeated" "The response holds several assertions",
    // Signatures.
    Unsigned "unsigned" "Neither the response nor the assertion is signed",
    SignatureRepeated "signature-repeated" "An element carries several signatures",
    SignatureMisplaced "signature-misplaced" "A signature does not stand right after the issuer",
    SignatureShape "signature-shape" "A signature has other parts than those of a SAML signature",
    Reference "reference" "A signature is not about the element that it stands in",
    Transforms "transforms" "A signature transforms what it signs otherwise than SAML asks: enveloped, then exclusive C14N",
    Canonicalization "canonicalization" "A signature is canonicalised otherwise than by exclusive C14N",
    SignatureAlgorithm "signature-algorithm" "A signature is made by an algorithm that is not accepted: RSA or ECDSA with SHA-256 or better are",
    DigestAlgorithm "digest-algorithm" "A digest is made by an algorithm that is not accepted: SHA-256, SHA-384 and SHA-512 are",
    SignatureMismatch "signature-mismatch" "A signature was made by none of the configured certificates, or what it signs was changed",
    DigestMismatch "digest-mismatch" "What is signed was changed after it was signed",
    CertificateUnreadable "certificate-unreadable" "A configured certificate cannot be read",
    WeakKey "weak-key" "A configured certificate holds a key that is not accepted: RSA of 2048 to 8192 bits, P-256 and P-384 are",
    // What is said.
    IncompleteMessage "incomplete-message" "The message lacks a part that SAML requires, or has it twice",
    BadTime "bad-time" "A time in the message is none",
    WrongIssuer "wrong-issuer" "The message is of another provider",
    WrongDestination "wrong-destination" "The message is meant for another address",
    WrongRecipient "wrong-recipient" "The assertion is meant for another address",
    ConfirmationMissing "confirmation-missing" "The assertion has no bearer confirmation",
    UnknownCondition "unknown-condition" "The assertion holds under a condition that is not known here",
    AudienceMissing "audience-missing" "The assertion does not say for whom it is meant",
    WrongAudience "wrong-audience" "The assertion is meant for another service",
    NotYetValid "not-yet-valid" "The message is not valid yet: compare the clocks",
    Expired "expired" "The message is no longer valid: compare the clocks",
    SessionEnded "session-ended" "The session at the provider has ended already",
    WrongRequest "wrong-request" "The response answers another request",
    Unsolicited "unsolicited" "The response answers no request, and sign-ins that start at the provider are not allowed",
    // Who it is.
    NameIdMissing "name-id-missing" "The message names nobody, or somebody by over 1,000 or unprintable characters",
    TransientNameId "transient-name-id" "The provider names the user by a word that changes with every sign-in: have it send the email",
    EmailMissing "email-missing" "The assertion tells no email: neither as the name of the user nor as an attribute",
    // Sign-out.
    UnsignedRequest "unsigned-request" "A request to sign out is not signed",
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn codes_are_kebab_case_and_unlike_each_other() {
        let codes: HashSet<_> = Reason::ALL.iter().map(|reason| reason.code()).collect();
        assert_eq!(codes.len(), Reason::ALL.len());
        for code in codes {
            assert!(
                code.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-'),
                "{code}"
            );
        }
    }

    #[test]
    fn texts_of_others_are_cut_and_hold_no_control_characters() {
        let refusal = Refusal::found(Reason::WrongIssuer, format!("a\n\u{0}{}", "é".repeat(500)));
        let found = refusal.found.as_deref().unwrap();
        assert!(found.starts_with("a  é") && found.chars().count() == SHOWN);
        assert_eq!(
            Refusal::instead(Reason::WrongRoot, "a", Some("b")).to_string(),
            "The message is of another kind; expected: a; found: b"
        );
    }
}
