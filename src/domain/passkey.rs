//! Passkeys (Web Authentication): the server as their relying party, their names, and reasons why one is refused.

use url::{Host, Url};

use crate::{text::is_longer, time::Timestamp};

/// Milliseconds in which a challenge can be answered.
pub const CHALLENGE_MS: i64 = 5 * 60_000;
/// Passkeys that a user can have.
pub const MOST: usize = 20;
/// Characters of a passkey's name.
pub const LONGEST_NAME: usize = 100;

/// Relying party of passkeys: the server as browsers and authenticators know it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelyingParty {
    /// Host of the public address, for which passkeys are made.
    pub id: String,
    /// Origin of the pages that may ask for a passkey.
    pub origin: Url,
}

impl RelyingParty {
    /// Returns the relying party of a public address, or `None` where browsers offer no passkeys: they do on domains
    /// that are reached over https, and on `localhost`.
    pub fn of(base_url: &str) -> Option<Self> {
        let url = Url::parse(base_url).ok()?;
        let Some(Host::Domain(domain)) = url.host() else { return None };
        let is_secure = url.scheme() == "https" || (url.scheme() == "http" && domain == "localhost");
        let origin = Url::parse(&url.origin().ascii_serialization()).ok()?;
        is_secure.then(|| Self { id: domain.to_owned(), origin })
    }
}

/// A passkey of a user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passkey {
    /// Its id.
    pub id: i64,
    /// Name that its user gave it.
    pub name: String,
    /// When it was registered.
    pub created_at: Timestamp,
    /// When it last proved its user; `None` for never.
    pub used_at: Option<Timestamp>,
}

/// Reads the name of a passkey, without blanks around it. Returns the rule that another text breaks.
pub fn read_name(text: &str) -> Result<String, &'static str> {
    let name = text.trim();
    if name.is_empty() {
        Err("must not be blank")
    } else if is_longer(name, LONGEST_NAME) {
        Err("must have at most 100 characters")
    } else if name.contains(char::is_control) {
        Err("must not contain control characters")
    } else {
        Ok(name.to_owned())
    }
}

/// Reason why a passkey is refused. The log of sign-ins has it, and the answer has not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// The challenge is unknown, was answered before, or is too old.
    Challenge,
    /// The passkey is another user's, or not registered.
    Unknown,
    /// The answer does not prove the passkey.
    Answer,
    /// The counter did not grow.
    Counter,
}

impl Refusal {
    /// Each of them.
    pub const ALL: [Self; 4] = [Self::Challenge, Self::Unknown, Self::Answer, Self::Counter];

    /// The reason in the log of sign-ins.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Challenge => "passkey-challenge",
            Self::Unknown => "passkey-unknown",
            Self::Answer => "passkey-answer",
            Self::Counter => "passkey-counter",
        }
    }

    /// The reason in a sentence for administrators.
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::Challenge => {
                "The challenge that the passkey answered was not given out by this server, was answered before, or is older \
                 than five minutes."
            }
            Self::Unknown => "The passkey was removed, was never registered here, or is another user's.",
            Self::Answer => {
                "The answer does not prove the passkey: it is for another page or server, the device did not verify the \
                 user by PIN or biometrics, or the signature is wrong. If the public URL of the server has another host \
                 than when the passkey was registered, its user registers another one."
            }
            Self::Counter => {
                "The counter of the passkey did not grow since its last use: there may be a copy of it. Remove it and \
                 register another one, unless its user knows better."
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passkeys_are_offered_on_domains_with_https_and_on_localhost() {
        for (base_url, expected) in [
            ("https://flags.example.com", Some(("flags.example.com", "https://flags.example.com/"))),
            ("https://Flags.example.com:8443/team", Some(("flags.example.com", "https://flags.example.com:8443/"))),
            ("http://localhost:4242", Some(("localhost", "http://localhost:4242/"))),
            ("https://localhost", Some(("localhost", "https://localhost/"))),
            ("http://flags.example.com", None),
            ("http://localhost.example.com", None),
            ("http://127.0.0.1:4242", None),
            ("https://192.0.2.1", None),
            ("https://[::1]", None),
            ("ftp://localhost", None),
            ("", None),
        ] {
            let party = RelyingParty::of(base_url);
            let party = party.as_ref().map(|party| (party.id.as_str(), party.origin.as_str()));
            assert_eq!(party, expected, "{base_url}");
        }
    }

    #[test]
    fn names_are_texts_that_can_be_read() {
        let longest = "\u{1f511}".repeat(100);
        for (text, name) in [(" Ada's key ", "Ada's key"), (longest.as_str(), longest.as_str())] {
            assert_eq!(read_name(text).as_deref(), Ok(name));
        }
        for text in ["", " \t", "two\nlines", "\u{7}bell", &format!("{longest}x")] {
            assert!(read_name(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn each_reason_has_a_code_of_its_own() {
        let codes: std::collections::BTreeSet<_> = Refusal::ALL.into_iter().map(Refusal::code).collect();
        assert_eq!(codes.len(), Refusal::ALL.len());
    }
}
