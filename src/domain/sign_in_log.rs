//! Log of attempts to sign in and their outcomes, for administrators.

use poem_openapi::Enum;
use serde::Serialize;
use uuid::Uuid;

use crate::{sign_in::Provider, time::Timestamp};

/// Maximum number of characters of a text from outside.
const LONGEST: usize = 255;

macro_rules! names {
    ($(#[$doc:meta])* $name:ident = $schema:literal { $($(#[$one:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Enum, Serialize)]
        #[oai(rename = $schema)]
        pub enum $name {
            $($(#[$one])* #[oai(rename = $text)] #[serde(rename = $text)] $variant,)*
        }

        impl $name {
            /// The name on the wire and in the store.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }

            /// Reads a name.
            pub fn parse(text: &str) -> Option<Self> {
                match text { $($text => Some(Self::$variant),)* _ => None }
            }
        }
    };
}

names! {
    /// Way of signing in or out.
    Method = "SignInMethod" {
        /// Name and password.
        Simple = "simple",
        /// Through OpenID Connect.
        Oidc = "oidc",
        /// Through SAML 2.0.
        Saml = "saml",
        /// Link that the operator made.
        Link = "link",
        /// A passkey alone.
        Passkey = "passkey",
    }
}

names! {
    /// Outcome of an attempt.
    Outcome = "SignInOutcome" {
        /// A user signed in.
        SignedIn = "signed-in",
        /// It was refused.
        Refused = "refused",
        /// The login provider signed a user out.
        SignedOut = "signed-out",
        /// A login provider was to sign a user out, and its message does not count.
        SignOutRefused = "sign-out-refused",
        /// The operator made a link that signs a user in.
        LinkMade = "link-made",
        /// An identity was linked to an account that was there before.
        Linked = "linked",
        /// A user signed in, and their groups could not be synchronised.
        GroupsLeft = "groups-left",
    }
}

impl From<Provider> for Method {
    fn from(provider: Provider) -> Self {
        match provider {
            Provider::Oidc => Self::Oidc,
            Provider::Saml => Self::Saml,
        }
    }
}

/// Outcome of an attempt, or several of which only their number is kept. Holds no code, token, assertion or password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// When.
    pub at: Timestamp,
    /// Way of signing in.
    pub method: Method,
    /// Outcome.
    pub outcome: Outcome,
    /// Reason of the refusal: a code of a closed list.
    pub reason: Option<String>,
    /// User who signed in.
    pub user_id: Option<i64>,
    /// Identity that was claimed.
    pub subject: Option<String>,
    /// Address that it came from.
    pub address: Option<String>,
    /// Id of the error that was answered.
    pub error_id: Option<Uuid>,
    /// Expected value, where that is no secret.
    pub expected: Option<String>,
    /// Value that was found instead.
    pub found: Option<String>,
    /// Number of attempts that it stands for.
    pub attempts: i64,
    /// Id of the login provider, if it is none of those of the two settings.
    pub provider_id: Option<String>,
}

impl Entry {
    /// One attempt, of which nothing more is known.
    pub const fn new(at: Timestamp, method: Method, outcome: Outcome) -> Self {
        Self {
            at,
            method,
            outcome,
            reason: None,
            user_id: None,
            subject: None,
            address: None,
            error_id: None,
            expected: None,
            found: None,
            attempts: 1,
            provider_id: None,
        }
    }

    /// Returns the entry with texts from outside bounded and without control characters.
    #[must_use]
    pub fn bounded(self) -> Self {
        let bounded = |text: Option<String>| text.map(|text| bounded(&text));
        Self {
            subject: bounded(self.subject),
            reason: bounded(self.reason),
            address: bounded(self.address),
            expected: bounded(self.expected),
            found: bounded(self.found),
            ..self
        }
    }
}

/// The beginning of a text, without control characters.
fn bounded(text: &str) -> String {
    text.chars().take(LONGEST).map(|character| if character.is_control() { '\u{fffd}' } else { character }).collect()
}

/// An entry as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Its id: the newer, the higher.
    pub id: i64,
    /// The entry.
    pub entry: Entry,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_others_are_bounded_and_cannot_break_lines() {
        let entry = Entry {
            subject: Some(format!("a\r\nb\0{}", "x".repeat(1000))),
            ..Entry::new(Timestamp::from_millis(1), Method::Oidc, Outcome::Refused)
        };
        let subject = entry.bounded().subject.expect("a subject");
        assert!(subject.starts_with("a\u{fffd}\u{fffd}b\u{fffd}x"));
        assert_eq!(subject.chars().count(), LONGEST);
    }

    #[test]
    fn names_are_read_as_they_are_written() {
        for method in [Method::Simple, Method::Oidc, Method::Saml, Method::Link, Method::Passkey] {
            assert_eq!(Method::parse(method.as_str()), Some(method));
        }
        assert_eq!(Outcome::parse("else"), None);
    }
}
