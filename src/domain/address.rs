//! Names in addresses: which ones no address can hold, and which ones an address already means.
//!
//! Clients resolve `.` and `..` before they send an address, also where these are percent-encoded: a feature named `..`
//! would be its project to `PUT` and `DELETE`. A word that stands next to names in the paths of the document would lead
//! to another operation.

use std::fmt::{self, Write as _};

/// A kind of thing that people and programs name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Named {
    /// A feature.
    Feature,
    /// A project, by its id.
    Project,
    /// An environment.
    Environment,
    /// A context field.
    ContextField,
    /// A legal value of a context field.
    LegalValue,
    /// A tag type.
    TagType,
    /// A tag, by its value.
    Tag,
    /// A strategy type.
    StrategyType,
    /// A feature type, by its id.
    FeatureType,
    /// An API token.
    ApiToken,
    /// An application that uses an SDK.
    Application,
    /// A segment.
    Segment,
    /// A group.
    Group,
    /// A role.
    Role,
    /// A login provider, by its id.
    SignInProvider,
}

impl Named {
    /// Every kind.
    pub const ALL: [Self; 15] = [
        Self::Feature,
        Self::Project,
        Self::Environment,
        Self::ContextField,
        Self::LegalValue,
        Self::TagType,
        Self::Tag,
        Self::StrategyType,
        Self::FeatureType,
        Self::ApiToken,
        Self::Application,
        Self::Segment,
        Self::Group,
        Self::Role,
        Self::SignInProvider,
    ];

    /// The words that stand where a name of this kind would in paths of the document. A test derives them from there.
    pub const fn taken(self) -> &'static [&'static str] {
        match self {
            Self::Feature => &["features", "search"],
            Self::Project => &["archive", "revive", "roles", "validate"],
            Self::Environment => &["project", "sort-order", "update", "validate"],
            Self::ContextField | Self::TagType => &["validate"],
            Self::SignInProvider => &["sort-order"],
            Self::LegalValue
            | Self::Tag
            | Self::StrategyType
            | Self::FeatureType
            | Self::ApiToken
            | Self::Application
            | Self::Segment
            | Self::Group
            | Self::Role => &[],
        }
    }

    /// The kind in words, such as `context field`.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Feature => "feature",
            Self::Project => "project",
            Self::Environment => "environment",
            Self::ContextField => "context field",
            Self::LegalValue => "legal value",
            Self::TagType => "tag type",
            Self::Tag => "tag",
            Self::StrategyType => "strategy type",
            Self::FeatureType => "feature type",
            Self::ApiToken => "API token",
            Self::Application => "application",
            Self::Segment => "segment",
            Self::Group => "group",
            Self::Role => "role",
            Self::SignInProvider => "login provider",
        }
    }
}

/// Reason why a name cannot be part of an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// It is `.` or `..`, perhaps percent-encoded.
    Dots,
    /// It holds a control character.
    Control,
    /// Addresses use it for something else.
    Taken,
}

/// Fault of a name that nothing new may have, with a proposal of one that may be had.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameFault {
    /// Reason of the refusal.
    pub reason: Reason,
    /// A name to take instead, which may be taken, too.
    pub proposal: String,
}

impl fmt::Display for NameFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.reason {
            Reason::Dots => f.write_str("must not be \".\" or \"..\", which clients remove from addresses")?,
            Reason::Control => f.write_str("must not hold control characters")?,
            Reason::Taken => f.write_str("must be another, since addresses use this word for something else")?,
        }
        write!(f, "; \"{}\" would do", self.proposal)
    }
}

/// Whether something new of a kind may have a name. Length and alphabet are matters of each kind; what is stored
/// already keeps its name.
pub fn judge(kind: Named, name: &str) -> Result<(), NameFault> {
    let Some(reason) = reason(kind, name) else { return Ok(()) };
    let proposal = match reason {
        Reason::Dots if name == "." || name.len() == ENCODED_DOT.len() => "dot".to_owned(),
        Reason::Dots => "dot-dot".to_owned(),
        Reason::Control => name.replace(char::is_control, "-"),
        Reason::Taken => format!("{name}-1"),
    };
    Err(NameFault { reason, proposal })
}

fn reason(kind: Named, name: &str) -> Option<Reason> {
    if is_dots(name) {
        Some(Reason::Dots)
    } else if name.contains(char::is_control) {
        Some(Reason::Control)
    } else {
        kind.taken().contains(&name).then_some(Reason::Taken)
    }
}

/// A dot as addresses encode it.
const ENCODED_DOT: &str = "%2e";

/// Whether a segment of a path is `.` or `..`, with any of its dots percent-encoded.
pub fn is_dots(segment: &str) -> bool {
    let mut rest = segment;
    let mut dots = 0;
    while !rest.is_empty() {
        let encoded = rest.get(..ENCODED_DOT.len()).filter(|start| start.eq_ignore_ascii_case(ENCODED_DOT));
        let length = if rest.starts_with('.') { 1 } else { encoded.map_or(0, str::len) };
        if length == 0 || dots == 2 {
            return false;
        }
        dots += 1;
        rest = &rest[length..];
    }
    dots > 0
}

/// A name as a segment of a path that leads to it even where nothing new may be named so: dots are encoded twice, which
/// [`undotted`] undoes, and the first letter of a word that is taken is encoded, too.
pub fn segment(kind: Named, name: &str) -> String {
    let has_dots = is_dots(name);
    let is_taken = kind.taken().contains(&name);
    let mut segment = String::with_capacity(name.len());
    for (place, byte) in name.bytes().enumerate() {
        let is_plain = byte.is_ascii_alphanumeric() || b"-_.~!*'()".contains(&byte);
        if is_plain && !(is_taken && place == 0) && !(has_dots && byte == b'.') {
            segment.push(char::from(byte));
        } else {
            let _ = write!(segment, "%{byte:02X}");
        }
    }
    if has_dots { segment.replace('%', "%25") } else { segment }
}

/// A segment of a path as clients sent it, with one encoding taken off if it is `.` or `..` with dots that are encoded
/// more than once: clients and proxies take a single one off by themselves, and resolve what is left.
pub fn undotted(segment: &str) -> Option<String> {
    const PERCENT: &str = "%25";
    let mut inner = segment.to_owned();
    while inner.contains(PERCENT) {
        inner = inner.replace(PERCENT, "%");
    }
    (inner != segment && is_dots(&inner)).then(|| segment.replace(PERCENT, "%"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_are_refused_however_they_are_spelled() {
        for dots in [".", "..", "%2e", "%2E", "%2e%2E", ".%2e", "%2e."] {
            for kind in Named::ALL {
                let fault = judge(kind, dots).expect_err(dots);
                assert_eq!(fault.reason, Reason::Dots, "{dots}");
                assert_eq!(judge(kind, &fault.proposal), Ok(()));
            }
        }
        for other in ["...", ".a", "a.", "%2", "%2e%2e%2e", "%252e", "", "ä.", "./", "%2f"] {
            assert!(!is_dots(other), "{other}");
        }
    }

    #[test]
    fn control_characters_and_words_of_addresses_are_refused_with_a_proposal() {
        for kind in Named::ALL {
            for control in ["a\0b", "a\nb", "\u{7f}", "a\u{85}"] {
                let fault = judge(kind, control).expect_err("a fault");
                assert_eq!(fault.reason, Reason::Control);
                assert_eq!(judge(kind, &fault.proposal), Ok(()));
            }
            for word in kind.taken() {
                let fault = judge(kind, word).expect_err(word);
                assert_eq!(fault.reason, Reason::Taken);
                assert_eq!(judge(kind, &fault.proposal), Ok(()));
                assert!(fault.to_string().ends_with(&format!("\"{word}-1\" would do")), "{fault}");
            }
            assert_eq!(judge(kind, "Validate / ü"), Ok(()));
        }
        assert_eq!(judge(Named::Role, "validate"), Ok(()));
    }

    #[test]
    fn every_name_has_an_address() {
        assert_eq!(segment(Named::Feature, ".."), "%252E%252E");
        assert_eq!(segment(Named::Tag, ".%2e"), "%252E%25252e");
        assert_eq!(segment(Named::Feature, "search"), "%73earch");
        assert_eq!(segment(Named::Project, "search"), "search");
        assert_eq!(segment(Named::LegalValue, "50% / ä"), "50%25%20%2F%20%C3%A4");
    }

    #[test]
    fn one_encoding_comes_off_dots_that_have_several() {
        for (sent, read) in
            [("%252E%252e", "%2E%2e"), (".%252e", ".%2e"), ("%25252e", "%252e"), ("%252E%25252e", "%2E%252e")]
        {
            assert_eq!(undotted(sent).as_deref(), Some(read));
        }
        for plain in ["..", "%2e%2e", "a%252e", "50%25", "%25", ""] {
            assert_eq!(undotted(plain), None, "{plain}");
        }
    }
}
