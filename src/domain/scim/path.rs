//! Paths to attributes: `userName`, `name.formatted`, `members[value eq "7"]`, `emails[type eq "work"].value`.

use super::{Fault, FaultKind};
use crate::text::is_longer;

/// Most characters of a path.
const LONGEST: usize = 1000;
/// Prefixes of the attributes of users and groups.
const CORE: [&str; 2] = ["urn:ietf:params:scim:schemas:core:2.0:user:", "urn:ietf:params:scim:schemas:core:2.0:group:"];
/// Prefix of attributes of extensions.
const URN: &str = "urn:";

/// Path of an attribute. Names are in lower case: they count the same in any case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Path {
    /// Name of the attribute; empty for one of an extension, of which none is known here.
    pub attribute: String,
    /// Filter of the attribute's values.
    pub only: Option<Box<Comparison>>,
    /// The part of the attribute that is meant.
    pub part: Option<String>,
}

/// Equality of an attribute with a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison {
    /// The attribute.
    pub path: Path,
    /// The value, as a text.
    pub value: String,
    /// A further equality that has to hold.
    pub and: Option<Box<Self>>,
}

impl Path {
    /// Reads a path.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        let refused = || Fault::new(FaultKind::Path, "The path leads to no attribute that is known here.");
        if is_longer(text, LONGEST) {
            return Err(refused());
        }
        Self::read(text.trim(), true).ok_or_else(refused)
    }

    fn read(text: &str, may_choose: bool) -> Option<Self> {
        let Some(text) = after_schema(text) else {
            return Some(Self { attribute: String::new(), only: None, part: None });
        };
        if let Some((attribute, rest)) = text.split_once('[') {
            let (inside, after) = rest.rsplit_once(']').filter(|_| may_choose)?;
            let only = Comparison::read(inside)?;
            let part = match after {
                "" => None,
                after => Some(name(after.strip_prefix('.')?)?),
            };
            return Some(Self { attribute: name(attribute)?, only: Some(Box::new(only)), part });
        }
        match text.split_once('.') {
            Some((attribute, part)) => Some(Self { attribute: name(attribute)?, only: None, part: Some(name(part)?) }),
            None => Some(Self { attribute: name(text)?, only: None, part: None }),
        }
    }

    /// Whether this is an attribute as a whole.
    pub const fn is_whole(&self) -> bool {
        self.only.is_none() && self.part.is_none()
    }
}

/// A name without that of the core schema before it; `None` for one of an extension.
pub(super) fn after_schema(text: &str) -> Option<&str> {
    let after = |prefix: &str| {
        let (before, after) = text.split_at_checked(prefix.len())?;
        before.eq_ignore_ascii_case(prefix).then_some(after)
    };
    match CORE.into_iter().find_map(after) {
        Some(name) => Some(name),
        None if after(URN).is_some() => None,
        None => Some(text),
    }
}

fn name(text: &str) -> Option<String> {
    let is_sign = |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '-' | '_' | '$');
    let is_name = text.starts_with(|sign: char| sign.is_ascii_alphabetic() || sign == '$') && text.chars().all(is_sign);
    is_name.then(|| text.to_ascii_lowercase())
}

impl Comparison {
    /// Reads `attribute eq "value"`, or several of these joined by `and`.
    fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        let (path, rest) = text.split_at_checked(text.find(char::is_whitespace)?)?;
        let path = Path::read(path, false)?;
        let rest = rest.trim_start();
        let (operator, value) = rest.split_at_checked(rest.find(char::is_whitespace)?)?;
        if !operator.eq_ignore_ascii_case("eq") {
            return None;
        }
        let (value, rest) = literal(value.trim_start())?;
        let and = match rest.trim() {
            "" => None,
            rest => Some(Box::new(Self::read(after_and(rest)?)?)),
        };
        Some(Self { path, value, and })
    }
}

/// A text in quotes or a truth value at the beginning, and what follows it.
fn literal(text: &str) -> Option<(String, &str)> {
    if text.starts_with('"') {
        let mut values = serde_json::Deserializer::from_str(text).into_iter::<String>();
        let value = values.next()?.ok()?;
        return Some((value, &text[values.byte_offset()..]));
    }
    let (word, rest) = text.split_at(text.find(char::is_whitespace).unwrap_or(text.len()));
    let word = word.to_ascii_lowercase();
    matches!(word.as_str(), "true" | "false").then_some((word, rest))
}

/// Text behind the word `and` at the beginning.
fn after_and(text: &str) -> Option<&str> {
    let (word, rest) = text.split_at_checked(text.find(char::is_whitespace)?)?;
    word.eq_ignore_ascii_case("and").then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(path: &Path) -> String {
        let only = path.only.as_ref().map(|only| format!("[{}]", compared(only)));
        let part = path.part.as_ref().map(|part| format!(".{part}"));
        format!("{}{}{}", path.attribute, only.unwrap_or_default(), part.unwrap_or_default())
    }

    fn compared(only: &Comparison) -> String {
        let and = only.and.as_ref().map(|and| format!(" & {}", compared(and)));
        format!("{}={}{}", shown(&only.path), only.value, and.unwrap_or_default())
    }

    #[test]
    fn paths_are_read_in_any_case_and_after_the_names_of_their_schemas() {
        for (text, expected) in [
            ("userName", "username"),
            (" Name.Formatted ", "name.formatted"),
            ("urn:ietf:params:scim:schemas:core:2.0:User:userName", "username"),
            ("URN:ietf:params:scim:schemas:core:2.0:Group:members", "members"),
            ("urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department", ""),
            (r#"members[value eq "7"]"#, "members[value=7]"),
            (r#"emails[Type EQ "work"].Value"#, "emails[type=work].value"),
            (r#"emails[type eq "a]b \" c"].value"#, r#"emails[type=a]b " c].value"#),
            ("emails[primary eq true]", "emails[primary=true]"),
            (r#"members[value eq "7" AND type eq "a and b"]"#, "members[value=7 & type=a and b]"),
        ] {
            assert_eq!(Path::parse(text).as_ref().map(shown).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_path_is_refused() {
        let long = "a".repeat(LONGEST + 1);
        let deep = format!("{}value eq \"1\"{}", "members[".repeat(100), "]".repeat(100));
        for text in [
            "",
            " ",
            ".",
            "a.",
            ".a",
            "a.b.c",
            "a b",
            "a[",
            "a[]",
            "a]",
            "a[b]",
            "a[b eq]",
            "a[b eq 7]",
            "a[b ne \"7\"]",
            "a[b eq \"7\"]c",
            "a[b eq \"7\"].",
            "a[b eq \"7\" and]",
            "a[b eq \"7\" and c]",
            "a[b eq \"7\" or c eq \"8\"]",
            "a[b eq truer]",
            "7a",
            "ä",
            "a[b[c eq \"1\"] eq \"2\"]",
            &long,
            &deep,
        ] {
            assert!(Path::parse(text).is_err(), "{text}");
        }
    }
}
