//! Names: what every name must look like, and the pattern that a project may ask for on top.

use std::fmt;

use regex::{Regex, RegexBuilder};

use crate::text::is_longer;

/// Most characters of a name.
pub const MAX_NAME_LENGTH: usize = 100;
/// Most characters of a naming pattern.
const MAX_PATTERN_LENGTH: usize = 1000;
/// Most bytes that a compiled pattern may take; a pattern that multiplies itself out is refused.
const MAX_COMPILED_BYTES: usize = 1 << 20;

/// Whether a name consists of 1 to 100 characters that need no encoding in a URL.
pub fn is_url_friendly(name: &str) -> bool {
    (1..=MAX_NAME_LENGTH).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.!~*'()".contains(&byte))
}

/// Whether a name may stand for an environment: letters, digits and `~ _ . -`, 1 to 100 of them.
pub fn is_environment_name(name: &str) -> bool {
    (1..=MAX_NAME_LENGTH).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"~_.-".contains(&byte))
}

/// A project's naming pattern, ready to judge names in time linear in their length.
#[derive(Debug, Clone)]
pub struct NamingPattern(Regex);

/// Reason why a text is no naming pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PatternFault {
    /// It holds a blank, or asks for one.
    Blank,
    /// It is longer than patterns may be, or multiplies itself out.
    TooLarge,
    /// It asks for what only a backtracking matcher could do, such as looking ahead or repeating what was found.
    Unsupported(String),
    /// It is no regular expression.
    Malformed,
}

impl fmt::Display for PatternFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Blank => f.write_str("must not hold or match blanks, since no name does"),
            Self::TooLarge => {
                write!(f, "must be smaller: at most {MAX_PATTERN_LENGTH} characters, and moderate repetitions")
            }
            Self::Unsupported(part) => write!(f, "must do without `{part}`, which cannot be matched in linear time"),
            Self::Malformed => f.write_str("must be a regular expression"),
        }
    }
}

impl NamingPattern {
    /// Reads a JavaScript regular expression without delimiters and flags. It has to match names as a whole.
    pub fn compile(pattern: &str) -> Result<Self, PatternFault> {
        if is_longer(pattern, MAX_PATTERN_LENGTH) {
            return Err(PatternFault::TooLarge);
        }
        let translated = translate(pattern)?;
        let anchored = format!("^(?:{translated})$");
        // Compiled alone first, so that a stray bracket cannot close the group around it.
        let compile = |text: &str| RegexBuilder::new(text).size_limit(MAX_COMPILED_BYTES).nest_limit(100).build();
        compile(&translated).and_then(|_| compile(&anchored)).map(Self).map_err(|error| match error {
            regex::Error::CompiledTooBig(_) => PatternFault::TooLarge,
            _ => PatternFault::Malformed,
        })
    }

    /// Whether a name fits.
    pub fn admits(&self, name: &str) -> bool {
        self.0.is_match(name)
    }
}

/// Rewrites what JavaScript and our matcher read differently, and refuses what cannot be matched in linear time.
fn translate(pattern: &str) -> Result<String, PatternFault> {
    let mut translated = String::with_capacity(pattern.len() + 8);
    let mut in_class = false;
    let mut rest = pattern.chars();
    while let Some(character) = rest.next() {
        match character {
            _ if character.is_whitespace() => return Err(PatternFault::Blank),
            '\\' => {
                let escaped = rest.next().ok_or(PatternFault::Malformed)?;
                check_escape(escaped)?;
                translated.extend(['\\', escaped]);
            }
            // Inside a class these are ordinary in JavaScript, and operators of sets for our matcher.
            '[' | '&' | '~' if in_class => translated.extend(['\\', character]),
            '[' => {
                in_class = true;
                translated.push('[');
            }
            ']' => {
                in_class = false;
                translated.push(']');
            }
            '(' if !in_class => {
                check_group(rest.as_str())?;
                translated.push('(');
            }
            _ => translated.push(character),
        }
    }
    Ok(translated)
}

fn check_escape(escaped: char) -> Result<(), PatternFault> {
    match escaped {
        's' | 't' | 'n' | 'r' | 'f' | 'v' => Err(PatternFault::Blank),
        'd' | 'D' | 'w' | 'W' | 'S' | 'b' | 'B' | 'x' | 'u' => Ok(()),
        _ if escaped.is_alphanumeric() || matches!(escaped, '<' | '>') => {
            Err(PatternFault::Unsupported(format!("\\{escaped}")))
        }
        _ => Ok(()),
    }
}

/// Admits plain, non-capturing and named groups.
fn check_group(after: &str) -> Result<(), PatternFault> {
    let Some(kind) = after.strip_prefix('?') else { return Ok(()) };
    let is_named = kind.starts_with('<') && !kind.starts_with("<=") && !kind.starts_with("<!");
    if kind.starts_with(':') || is_named {
        Ok(())
    } else {
        let part: String = kind.chars().take(if kind.starts_with('<') { 2 } else { 1 }).collect();
        Err(PatternFault::Unsupported(format!("(?{part}")))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_are_short_and_need_no_encoding() {
        for good in ["a", ".", "search_fast-path~v2", "A!*'()9", &"x".repeat(100)] {
            assert!(is_url_friendly(good), "{good}");
        }
        for bad in ["", "bad name", "a/b", "zürich", "a:b", "100%", &"x".repeat(101)] {
            assert!(!is_url_friendly(bad), "{bad}");
        }
        assert!(is_environment_name("pre-prod_1.x~y") && !is_environment_name("a!") && !is_environment_name(""));
    }

    #[test]
    fn a_pattern_judges_whole_names() {
        let admits = |pattern: &str, name: &str| NamingPattern::compile(pattern).expect("a pattern").admits(name);
        assert!(admits("[a-z]+-[0-9]+", "shop-17"));
        assert!(!admits("[a-z]+-[0-9]+", "my shop-17x"));
        assert!(!admits("a|b", "ab"));
        assert!(admits("^shop\\..+$", "shop.cart"));
        assert!(admits("(?<team>\\w+)\\/?x", "shopx"));
        // A bracket inside a class is a bracket, as in JavaScript.
        assert!(admits("[[&~]+x", "~&x"));
        assert!(admits("[a&&b]", "&"));
    }

    #[test]
    fn what_cannot_run_in_linear_time_is_refused() {
        let fault = |pattern: &str| NamingPattern::compile(pattern).expect_err("a fault");
        for pattern in ["(?=a)a", "(?!a)b", "(?<=a)b", "(?<!a)b", "(a)\\1", "\\k<a>", "(?i)a", "\\p{L}", "\\Aa"] {
            assert!(matches!(fault(pattern), PatternFault::Unsupported(_)), "{pattern}");
        }
        for pattern in ["a b", "a\\s", "\\t", "a\n"] {
            assert_eq!(fault(pattern), PatternFault::Blank, "{pattern:?}");
        }
        for pattern in ["(", "a)|(b", "[", "*", "\\"] {
            assert_eq!(fault(pattern), PatternFault::Malformed, "{pattern}");
        }
        assert_eq!(fault("((a{1000}){1000}){1000}"), PatternFault::TooLarge);
        assert_eq!(fault(&"a".repeat(1001)), PatternFault::TooLarge);
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(pattern in ".{0,60}", name in ".{0,60}") {
            if let Ok(pattern) = NamingPattern::compile(&pattern) {
                pattern.admits(&name);
            }
        }
    }
}
