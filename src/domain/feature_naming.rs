//! Naming rule for the features of a project.

use std::{collections::BTreeSet, fmt};

use serde::Serialize;

use crate::naming::{NamingPattern, PatternFault};

/// Naming rule for the features of a project.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct FeatureNaming {
    /// JavaScript regular expression for the whole name; `None` for no rule.
    pub pattern: Option<String>,
    /// A name that matches the pattern.
    pub example: Option<String>,
    /// Words about the pattern for people.
    pub description: Option<String>,
}

/// Reason why a naming rule cannot be set, and which of its members is to blame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NamingFault {
    /// The pattern cannot be used.
    Pattern(PatternFault),
    /// The member says something about a pattern, and there is none.
    NoPattern(&'static str),
    /// The example does not match the pattern.
    Example,
}

impl NamingFault {
    /// The member of the rule that is to blame.
    pub const fn member(&self) -> &'static str {
        match self {
            Self::Pattern(_) => "pattern",
            Self::NoPattern(member) => member,
            Self::Example => "example",
        }
    }
}

impl fmt::Display for NamingFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pattern(fault) => fault.fmt(f),
            Self::NoPattern(_) => f.write_str("must be absent without a pattern, which it is about"),
            Self::Example => f.write_str("must match the pattern"),
        }
    }
}

impl FeatureNaming {
    /// The rule with empty texts taken for absent ones.
    #[must_use]
    pub fn tidied(self) -> Self {
        let filled = |text: Option<String>| text.filter(|text| !text.is_empty());
        Self { pattern: filled(self.pattern), example: filled(self.example), description: filled(self.description) }
    }

    /// Whether the rule can be set.
    pub fn judge(&self) -> Result<(), NamingFault> {
        let Some(pattern) = &self.pattern else {
            let members = [("example", &self.example), ("description", &self.description)];
            let orphan = members.into_iter().find(|(_, text)| text.is_some());
            return orphan.map_or(Ok(()), |(member, _)| Err(NamingFault::NoPattern(member)));
        };
        let pattern = NamingPattern::compile(pattern).map_err(NamingFault::Pattern)?;
        match &self.example {
            Some(example) if !pattern.admits(example) => Err(NamingFault::Example),
            _ => Ok(()),
        }
    }

    /// Returns the names that a feature may not have. A stored pattern that this version cannot run admits nothing
    /// rather than everything.
    pub fn unfit<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> BTreeSet<&'a str> {
        let Some(text) = &self.pattern else { return BTreeSet::new() };
        let pattern = NamingPattern::compile(text).ok();
        names.into_iter().filter(|name| pattern.as_ref().is_none_or(|pattern| !pattern.admits(name))).collect()
    }

    /// Whether a feature may be named so.
    pub fn admits(&self, name: &str) -> bool {
        self.unfit([name]).is_empty()
    }

    /// The pattern, its example and what it means, up to the end of the sentence; `None` without a pattern.
    pub fn in_words(&self) -> Option<String> {
        let pattern = self.pattern.as_ref()?;
        let example = self.example.as_ref().map(|text| format!(", such as \"{text}\"")).unwrap_or_default();
        let meaning = self.description.as_ref().map(|text| format!(" It means: \"{text}\".")).unwrap_or_default();
        Some(format!("\"{pattern}\"{example}.{meaning}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn naming(pattern: Option<&str>, example: Option<&str>, description: Option<&str>) -> FeatureNaming {
        let [pattern, example, description] = [pattern, example, description].map(|text| text.map(str::to_owned));
        FeatureNaming { pattern, example, description }.tidied()
    }

    #[test]
    fn a_rule_needs_a_pattern_that_its_example_matches() {
        assert_eq!(naming(None, None, None).judge(), Ok(()));
        assert_eq!(naming(Some(""), Some(""), Some("")).judge(), Ok(()));
        assert_eq!(naming(Some("a+"), Some("aa"), Some("letters")).judge(), Ok(()));
        assert_eq!(naming(Some("a+"), Some("b"), None).judge(), Err(NamingFault::Example));
        assert_eq!(naming(None, Some("b"), None).judge(), Err(NamingFault::NoPattern("example")));
        assert_eq!(naming(Some(""), None, Some("b")).judge(), Err(NamingFault::NoPattern("description")));
        let fault = naming(Some("(a)\\1"), None, None).judge().expect_err("a fault");
        assert_eq!(fault.member(), "pattern");
    }

    #[test]
    fn a_rule_that_cannot_run_admits_nothing_and_none_admits_everything() {
        assert!(naming(None, None, None).admits("x"));
        assert!(naming(Some("a|b"), None, None).admits("b"));
        assert!(!naming(Some("a|b"), None, None).admits("ab"));
        assert!(!naming(Some("(?=x)x"), None, None).admits("x"));
    }

    #[test]
    fn a_rule_is_told_with_its_example_and_meaning() {
        let words = |example, description| naming(Some("s-.+"), example, description).in_words();
        assert_eq!(words(None, None).as_deref(), Some("\"s-.+\"."));
        let whole = "\"s-.+\", such as \"s-a\". It means: \"area first\".";
        assert_eq!(words(Some("s-a"), Some("area first")).as_deref(), Some(whole));
        assert_eq!(naming(None, None, None).in_words(), None);
    }
}
