//! Names and images of users, as they are shown to others.

use sha2::{Digest, Sha256};

use crate::text::is_longer;

/// Kind of account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AccountKind {
    /// A person's, who signs in.
    #[default]
    User,
    /// A program's, which has tokens and never signs in.
    ServiceAccount,
}

impl AccountKind {
    /// The name on the wire. A text there, as generators of clients stumble over the blank in a closed list.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::User => "User",
            Self::ServiceAccount => "Service Account",
        }
    }
}

/// Name to show for a user who is not known.
const UNKNOWN: &str = "unknown";
/// Longest name from a login provider, in characters.
const LONGEST_NAME: usize = 255;

/// The name to show: name, else user name, else email.
pub fn display_name<'a>(name: Option<&'a str>, username: Option<&'a str>, email: Option<&'a str>) -> &'a str {
    [name, username, email].into_iter().flatten().find(|text| !text.is_empty()).unwrap_or(UNKNOWN)
}

/// Returns the name that a login provider gives a user, without blanks around it; `None` for one that cannot be shown.
pub fn fit_name(text: &str) -> Option<String> {
    let text = text.trim();
    let is_fit = !text.is_empty() && !is_longer(text, LONGEST_NAME) && !text.contains(char::is_control);
    is_fit.then(|| text.to_owned())
}

/// Address of a profile image, by the email, else the user name, else the id. It holds their digest only.
pub fn image_url(email: Option<&str>, username: Option<&str>, id: i64) -> String {
    // The image service knows addresses in lower case.
    let email = email.map(|email| email.trim().to_lowercase());
    let subject = [email.as_deref(), username].into_iter().flatten().find(|text| !text.is_empty());
    let subject = subject.map_or_else(|| id.to_string(), str::to_owned);
    let digest = hex::encode(Sha256::digest(subject.as_bytes()));
    format!("https://gravatar.com/avatar/{digest}?s=42&d=retro&r=g")
}

/// Whether any of the names contains a text; upper and lower case count as equal.
pub fn matches(names: &[Option<&str>], text: &str) -> bool {
    let text = text.to_lowercase();
    names.iter().flatten().any(|name| name.to_lowercase().contains(&text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_part_of_any_name_is_found_in_any_case() {
        let names = [Some("Zoë Müller"), None, Some("zoe@example.com")];
        for text in ["MÜLLER", "zoë", "E@EX"] {
            assert!(matches(&names, text), "{text}");
        }
        assert!(!matches(&names, "zoe m"));
        assert!(!matches(&names, "%"));
    }

    #[test]
    fn the_best_known_name_is_shown() {
        assert_eq!(display_name(Some("Ada"), Some("ada"), Some("ada@example.com")), "Ada");
        assert_eq!(display_name(None, Some("ada"), Some("ada@example.com")), "ada");
        assert_eq!(display_name(Some(""), None, Some("ada@example.com")), "ada@example.com");
        assert_eq!(display_name(None, None, None), "unknown");
    }

    #[test]
    fn a_name_from_a_login_provider_is_a_line_that_can_be_shown() {
        let longest = "é".repeat(LONGEST_NAME);
        let longer = format!("{longest}é");
        for (given, name) in [
            ("Ada", Some("Ada")),
            (" \u{a0}Ada Lovelace\n", Some("Ada Lovelace")),
            (longest.as_str(), Some(longest.as_str())),
            (longer.as_str(), None),
            ("", None),
            (" \t ", None),
            ("Ada\nLovelace", None),
            ("Ada\u{7f}", None),
        ] {
            assert_eq!(fit_name(given).as_deref(), name, "{given:?}");
        }
    }

    #[test]
    fn images_are_told_apart_by_email_then_user_name_then_id() {
        let by_email = image_url(Some("ada@example.com"), Some("ada"), 1);
        assert_eq!(by_email, image_url(Some(" Ada@Example.com"), None, 2));
        // printf %s ada@example.com | sha256sum
        let digest = "b5fc85e55755f9e0d030a10ab4429b6b2944855f9a0d60077fe832becbc41d72";
        assert_eq!(by_email, format!("https://gravatar.com/avatar/{digest}?s=42&d=retro&r=g"));
        assert_eq!(image_url(None, Some("ada"), 1), image_url(Some(""), Some("ada"), 2));
        assert_ne!(image_url(None, None, 1), image_url(None, None, 2));
    }
}
