//! A project without its contents, as events carry it.

use std::fmt;

use serde::Serialize;

use super::ProjectMode;
use crate::domain::{
    actor::Actor,
    event::NewEvent,
    event_kind::EventKind,
    naming::{NamingPattern, PatternFault},
    time::Timestamp,
};

/// The properties of a project itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ProjectDocument {
    /// Unique id.
    pub id: String,
    /// Name that people read.
    pub name: String,
    /// What the project is for.
    pub description: Option<String>,
    /// Who may see it.
    pub mode: ProjectMode,
    /// Stickiness of new strategies and variants.
    pub default_stickiness: String,
    /// Most features in use; `None` for no limit.
    pub feature_limit: Option<i64>,
    /// How its features must be named.
    pub feature_naming: FeatureNaming,
    /// When it was archived; `None` while in use.
    pub archived_at: Option<Timestamp>,
}

/// How the features of a project must be named.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct FeatureNaming {
    /// JavaScript regular expression for the whole name; `None` for no rule.
    pub pattern: Option<String>,
    /// A name that matches the pattern.
    pub example: Option<String>,
    /// Words about the pattern for people.
    pub description: Option<String>,
}

/// Why a naming rule cannot be set, and which of its members is to blame.
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

    /// Whether a feature may be named so. A stored pattern that this version cannot run admits nothing.
    pub fn admits(&self, name: &str) -> bool {
        self.pattern.as_ref().is_none_or(|text| NamingPattern::compile(text).is_ok_and(|pattern| pattern.admits(name)))
    }
}

impl ProjectDocument {
    /// Whether the project is archived.
    pub const fn is_archived(&self) -> bool {
        self.archived_at.is_some()
    }

    /// Whether only members and administrators see it.
    pub fn is_private(&self) -> bool {
        self.mode == ProjectMode::Private
    }

    /// Whether another feature may come to the `active` ones that are in use.
    pub fn has_room(&self, active: i64) -> bool {
        self.feature_limit.is_none_or(|limit| active < limit)
    }

    fn event(&self, kind: EventKind, actor: &Actor) -> NewEvent {
        NewEvent::new(kind, actor).in_project(&self.id)
    }

    /// That the project was made, with these environments.
    pub fn created(&self, environments: &[String], actor: &Actor) -> NewEvent {
        #[derive(Serialize)]
        struct Created<'a> {
            #[serde(flatten)]
            document: &'a ProjectDocument,
            environments: &'a [String],
        }
        self.event(EventKind::ProjectCreated, actor).with_data(&Created { document: self, environments })
    }

    /// That this became `after`; `None` when nothing changed.
    pub fn updated(&self, after: &Self, actor: &Actor) -> Option<NewEvent> {
        let event = || after.event(EventKind::ProjectUpdated, actor).with_data(after).with_pre_data(self);
        (self != after).then(event)
    }

    /// That the project is gone.
    pub fn deleted(&self, actor: &Actor) -> NewEvent {
        self.event(EventKind::ProjectDeleted, actor).with_pre_data(self)
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
}
