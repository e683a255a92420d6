//! Sessions of people who signed in.

use crate::{network::ClientAddress, sign_in_log::Method, time::Timestamp};

/// Maximum number of characters of a browser's name that are kept.
const LONGEST_USER_AGENT: usize = 255;
/// Number of characters of a session's id.
const ID_LENGTH: usize = 32;

/// Client that a session began in.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Client {
    /// Address of the client, if it is known.
    pub address: Option<String>,
    /// Name by which the client calls itself: at most 255 characters without control characters.
    pub user_agent: Option<String>,
}

impl Client {
    /// Client with an address and the bytes of its `User-Agent`, which may be anything.
    pub fn new(address: ClientAddress, user_agent: Option<&[u8]>) -> Self {
        Self {
            address: address.ip().map(|address| address.to_string()),
            user_agent: user_agent.map(readable).filter(|text| !text.is_empty()),
        }
    }
}

/// The beginning of a text from outside, without control characters.
fn readable(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let visible = |char: char| if char.is_control() { char::REPLACEMENT_CHARACTER } else { char };
    text.trim().chars().take(LONGEST_USER_AGENT).map(visible).collect()
}

/// Returns the id of a session by its digest: half of it. The secret in the cookie cannot be found from either.
pub fn id_of(digest: &str) -> &str {
    digest.get(..ID_LENGTH).unwrap_or(digest)
}

/// Whether a text has the form of a session's id: 32 hexadecimal digits in lower case.
pub fn is_id(text: &str) -> bool {
    text.len() == ID_LENGTH && text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

/// A session as people see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// Digest of the cookie's value, which is not shown.
    pub digest: String,
    /// Id of the user who signed in.
    pub user_id: i64,
    /// Way of signing in; `None` for a session of a version that did not note it.
    pub method: Option<Method>,
    /// Client that it began in.
    pub client: Client,
    /// When it began.
    pub created_at: Timestamp,
    /// When it was last used, a few minutes late.
    pub seen_at: Timestamp,
    /// When it ends.
    pub expires_at: Timestamp,
}

impl Session {
    /// Its id, which serves to end it and not to use it.
    pub fn id(&self) -> &str {
        id_of(&self.digest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_browser_calls_itself_is_bounded_and_cannot_break_lines() {
        let named = |bytes: &[u8]| Client::new(None.into(), Some(bytes)).user_agent;
        assert_eq!(named(b" Mozilla/5.0 (X11) "), Some("Mozilla/5.0 (X11)".to_owned()));
        assert_eq!(named(b"a\tb\x1b[31m"), Some("a\u{fffd}b\u{fffd}[31m".to_owned()));
        assert_eq!(named(b"\xff\xfe"), Some("\u{fffd}\u{fffd}".to_owned()));
        assert_eq!(named(b"  "), None);
        assert_eq!(named(&[b'x'; 4000]).map(|name| name.chars().count()), Some(LONGEST_USER_AGENT));
    }

    #[test]
    fn an_id_is_half_a_digest_and_neither_the_secret_nor_the_digest() {
        let digest = crate::secret::digest("the value of a cookie");
        assert!(is_id(id_of(&digest)) && digest.starts_with(id_of(&digest)));
        assert!(!is_id(&digest));
        for odd in ["", "%", "0123", "0123456789ABCDEF0123456789ABCDEF", "g123456789abcdef0123456789abcdef"] {
            assert!(!is_id(odd), "{odd}");
        }
    }
}
