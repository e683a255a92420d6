//! Refusals of a sign-in or a sign-out: a closed list of reasons, each with a sentence for administrators.

use std::fmt;

use flagstone_outbound::{Failure, FailureKind};

/// The longest text of what was expected or found that is kept, in characters.
const LONGEST: usize = 200;

/// Declares the reasons once: variant, code, sentence.
macro_rules! reasons {
    ($($reason:ident = $code:literal: $sentence:literal;)*) => {
        /// Reason of a refusal. Codes stay; the list only grows.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Reason {
            /// The provider was asked and did not answer.
            Outbound(FailureKind),
            $(
                #[doc = $sentence]
                $reason,
            )*
        }

        impl Reason {
            /// Each reason once, without those of outgoing requests ([`FailureKind::ALL`]).
            pub const ALL: &[Self] = &[$(Self::$reason),*];

            /// The name of the reason in logs and answers.
            pub const fn code(self) -> &'static str {
                match self {
                    Self::Outbound(kind) => kind.code(),
                    $(Self::$reason => $code,)*
                }
            }

            /// Returns a sentence for administrators about what happened.
            pub const fn sentence(self) -> &'static str {
                match self {
                    Self::Outbound(_) => "The provider was asked and did not answer.",
                    $(Self::$reason => $sentence,)*
                }
            }
        }
    };
}

reasons! {
    DiscoverUrlMissing = "discover-url-missing": "The settings do not say where the provider describes itself.";
    ProviderStatus = "provider-status": "The provider answers with an error.";
    DiscoveryMalformed = "discovery-malformed": "What the provider says of itself is not a discovery document.";
    DiscoveryIssuer = "discovery-of-another-issuer":
        "The discovery document is of an issuer whose own address is another one.";
    EndpointUnsafe = "endpoint-not-https": "The discovery document names an endpoint that is not reached over https.";
    ClientAuthentication = "client-authentication-unsupported":
        "The provider does not say that it takes what this server authenticates by.";
    ClientKeyMissing = "client-key-missing": "The policy names a key of this server that is not there.";
    KeysMalformed = "keys-malformed": "What the provider publishes as its keys is not a key set.";
    ProviderError = "provider-error": "The provider sent the person back with an error.";
    CallbackIssuerMissing = "callback-issuer-missing":
        "The provider promises to name itself in its answer, and this one does not (RFC 9207).";
    CallbackIssuer = "callback-of-another-issuer": "The answer names another issuer (RFC 9207).";
    CodeMissing = "code-missing": "The answer holds no code.";
    TokenRefused = "token-refused": "The provider does not exchange the code.";
    AccessWithdrawn = "access-withdrawn": "The provider says that the access that it gave has ended.";
    TokenAnswerMalformed = "token-answer-malformed": "The token endpoint's answer is not one.";
    IdTokenMissing = "id-token-missing": "The token endpoint's answer holds no ID token.";
    TokenMalformed = "token-malformed": "The token is not a signed JWT.";
    TokenType = "wrong-token-type": "The token is of a type that is used for something else.";
    Algorithm = "wrong-algorithm": "The token is not signed by the algorithm of the settings.";
    CriticalHeader = "critical-header": "The token demands to understand what is not understood here.";
    KeyUnknown = "unknown-key": "The token names a key that the provider does not publish.";
    KeyAbsent = "no-fitting-key": "The token names no key, and the provider publishes none that fits.";
    KeyType = "key-type": "The token's key is of a type that its algorithm does not use.";
    KeyUse = "key-use": "The token's key is published for something else than signatures.";
    KeyAlgorithm = "key-algorithm": "The token's key is published for another algorithm.";
    KeySize = "key-size": "The token's key is not of the size that its algorithm needs.";
    Signature = "bad-signature": "The token's signature does not belong to it.";
    ClaimMissing = "claim-missing": "The token lacks a claim that it must have.";
    ClaimMalformed = "claim-malformed": "A claim of the token is not what it must be.";
    Issuer = "wrong-issuer": "The token is of another issuer.";
    Audience = "wrong-audience": "The token is for somebody else.";
    AuthorizedParty = "wrong-authorized-party": "The token was given to somebody else.";
    Expired = "expired": "The token has expired.";
    NotYetValid = "not-yet-valid": "The token is not valid yet.";
    IssuedInFuture = "issued-in-future": "The token is of a time to come.";
    IssuedBeforeStart = "issued-before-start": "The token is older than the sign-in.";
    Subject = "wrong-subject": "The token is about another person than the one who signed in.";
    Nonce = "wrong-nonce": "The token is not the answer to this sign-in.";
    AccessTokenHash = "wrong-access-token-hash": "The token came with another access token than it says.";
    HostedDomain = "wrong-hosted-domain":
        "The person belongs to none of the Google organizations that the settings name.";
    Acr = "wrong-acr": "The person was not authenticated in a way that the settings ask for.";
    UserinfoMalformed = "userinfo-malformed": "The user info endpoint's answer is not one.";
    UserinfoSubject = "userinfo-of-another-subject": "The user info endpoint speaks of somebody else.";
    EmailMissing = "email-missing": "The provider does not tell the person's email.";
    EmailUnverified = "email-unverified": "The provider does not say that the person's email is verified.";
    LogoutEvent = "logout-event-missing": "The token does not say that somebody signed out.";
    LogoutNonce = "logout-token-with-nonce": "The token holds a nonce, so it is no logout token.";
    LogoutSubject = "logout-token-of-nobody": "The logout token names neither a person nor a session.";
    LogoutAge = "logout-token-too-old": "The logout token is more than two minutes old.";
}

impl Reason {
    /// Whether the provider says by it that the user may not come in any more. Anything else may be its own trouble.
    pub(super) const fn ends_access(self) -> bool {
        matches!(self, Self::AccessWithdrawn | Self::Subject | Self::EmailUnverified | Self::Acr)
    }

    /// Whether a token that is refused for this may be fine by keys that the provider published since.
    pub(super) const fn may_be_of_other_keys(self) -> bool {
        matches!(self, Self::KeyUnknown | Self::KeyAbsent | Self::Signature)
    }
}

/// Refusal with its reason, and with what was expected and found where that is no secret. `Display` is for
/// administrators.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The reason.
    pub reason: Reason,
    /// Expected value: at most 200 characters, none of them a control character.
    pub expected: Option<String>,
    /// Actual value, bounded likewise.
    pub found: Option<String>,
}

impl Refusal {
    pub(super) fn new(reason: Reason) -> Self {
        Self { reason, expected: None, found: None }
    }

    pub(super) fn expected(self, expected: impl fmt::Display) -> Self {
        Self { expected: Some(shown(&expected.to_string())), ..self }
    }

    pub(super) fn found(self, found: impl fmt::Display) -> Self {
        Self { found: Some(shown(&found.to_string())), ..self }
    }

    /// Whether it is the provider that is out of order: it does not answer, or with an error of its own.
    pub fn is_providers_fault(&self) -> bool {
        matches!(self.reason, Reason::Outbound(_) | Reason::ProviderStatus)
    }
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        Self::new(Reason::Outbound(failure.kind)).found(failure)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.reason.sentence())?;
        if let Some(expected) = &self.expected {
            write!(f, " Expected: {expected}.")?;
        }
        self.found.as_ref().map_or(Ok(()), |found| write!(f, " Found: {found}."))
    }
}

impl std::error::Error for Refusal {}

fn shown(text: &str) -> String {
    let mut chars = text.chars().map(|char| if char.is_control() { '\u{fffd}' } else { char });
    let mut shown: String = chars.by_ref().take(LONGEST - 1).collect();
    match (chars.next(), chars.next()) {
        (Some(last), None) => shown.push(last),
        (Some(_), Some(_)) => shown.push('…'),
        (None, _) => {}
    }
    shown
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn codes_are_unique_and_of_one_form() {
        let codes = Reason::ALL.iter().map(|reason| reason.code()).chain(FailureKind::ALL.map(FailureKind::code));
        let mut seen = HashSet::new();
        for code in codes {
            assert!(code.chars().all(|char| char.is_ascii_lowercase() || char == '-'), "{code}");
            assert!(seen.insert(code), "{code} twice");
        }
        assert!(Reason::ALL.iter().all(|reason| reason.sentence().ends_with('.')));
    }

    #[test]
    fn what_is_shown_is_bounded_and_harmless() {
        let of = |text: &str| Refusal::new(Reason::Issuer).found(text).found.expect("given");
        assert_eq!(of("a\r\nb\u{1b}[31m"), "a\u{fffd}\u{fffd}b\u{fffd}[31m");
        assert_eq!(of(&"ü".repeat(200)), "ü".repeat(200));
        assert_eq!(of(&"ü".repeat(201)), "ü".repeat(199) + "…");
        let refusal = Refusal::new(Reason::Audience).expected("a").found("b");
        assert_eq!(refusal.to_string(), "The token is for somebody else. Expected: a. Found: b.");
    }
}
