//! Rules about required reviewers, as requests, answers and events have them.

use poem_openapi::Object;
use serde::Serialize;
use serde_json::json;

use super::reviewers::{MOST_GROUPS, Need, ReviewerRule, Scope};
use crate::{
    actor::Actor,
    event::NewEvent,
    event_kind::EventKind,
    ids::{EnvironmentName, ProjectId},
    naming::NamingPattern,
    tag::Tag,
    text::has_nul,
};

/// Rule about who must approve change requests: for all changes, or for those of features with a tag or a name.
#[serde_with_macros::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
#[oai(rename = "ReviewerRule", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct ReviewerRuleDocument {
    /// Tag of the features that it is about. Absent: it is not about a tag.
    pub tag: Option<Tag>,
    /// Regular expression that the whole names of the features match that it is about; at most 1000 characters. Absent:
    /// it is not about names. A rule with neither tag nor pattern is about all changes.
    #[oai(validator(max_length = 1000))]
    pub name_pattern: Option<String>,
    /// Whether a member of `any` of the groups must approve, or of `each`.
    pub need: Need,
    /// Ids of the groups, 1 to 20. Empty in answers when its groups have been deleted: then the rule must be changed
    /// before anything that it is about is approved.
    #[oai(validator(max_items = 20))]
    pub groups: Vec<i64>,
}

impl ReviewerRuleDocument {
    /// Returns the document of a rule.
    pub fn new(rule: &ReviewerRule) -> Self {
        let (tag, name_pattern) = match &rule.scope {
            Scope::Everything => (None, None),
            Scope::Tag(tag) => (Some(tag.clone()), None),
            Scope::Name(pattern) => (None, Some(pattern.clone())),
        };
        Self { tag, name_pattern, need: rule.need, groups: rule.groups.clone() }
    }

    /// Returns the changes that it is about. The error names the property, and is the end of a sentence about it.
    pub fn scope(&self) -> Result<Scope, (&'static str, String)> {
        if self.groups.is_empty() || self.groups.len() > MOST_GROUPS {
            return Err(("groups", format!("must name 1 to {MOST_GROUPS} groups")));
        }
        match (&self.tag, &self.name_pattern) {
            (Some(_), Some(_)) => Err(("namePattern", "must be absent where `tag` is there".to_owned())),
            (Some(tag), None) if has_nul(&tag.kind) || has_nul(&tag.value) => {
                Err(("tag", "must hold no NUL character".to_owned()))
            }
            (Some(tag), None) => Ok(Scope::Tag(tag.clone())),
            (None, Some(pattern)) => match NamingPattern::compile(pattern) {
                Ok(_) => Ok(Scope::Name(pattern.clone())),
                Err(fault) => Err(("namePattern", fault.to_string())),
            },
            (None, None) => Ok(Scope::Everything),
        }
    }
}

/// Returns the event that a project has other rules about required reviewers in an environment.
pub fn reviewers_configured(
    project: ProjectId<'_>,
    environment: EnvironmentName<'_>,
    before: &[ReviewerRuleDocument],
    after: &[ReviewerRuleDocument],
    actor: &Actor,
) -> NewEvent {
    let (project, environment) = (project.as_str(), environment.as_str());
    let told = |rules: &[ReviewerRuleDocument]| json!({ "environment": environment, "requiredReviewers": rules });
    NewEvent::new(EventKind::ChangeRequestConfigurationUpdated, actor)
        .in_project(project)
        .in_environment(environment)
        .with_data(&told(after))
        .with_pre_data(&told(before))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(tag: Option<&str>, pattern: Option<&str>, groups: &[i64]) -> ReviewerRuleDocument {
        ReviewerRuleDocument {
            tag: tag.map(|value| Tag { kind: "simple".to_owned(), value: value.to_owned() }),
            name_pattern: pattern.map(str::to_owned),
            need: Need::Any,
            groups: groups.to_vec(),
        }
    }

    #[test]
    fn a_rule_is_about_all_changes_a_tag_or_a_name() {
        for document in [rule(None, None, &[1]), rule(Some("web"), None, &[2, 1]), rule(None, Some("shop-.*"), &[3])] {
            let scope = document.scope().expect("a scope");
            let stored = ReviewerRule { id: 7, scope, need: document.need, groups: document.groups.clone() };
            assert_eq!(ReviewerRuleDocument::new(&stored), document);
        }
        let many: Vec<i64> = (0..21).collect();
        for (document, expected) in [
            (rule(Some("web"), Some("shop-.*"), &[1]), "namePattern"),
            (rule(None, Some("("), &[1]), "namePattern"),
            (rule(None, Some("(a)\\1"), &[1]), "namePattern"),
            (rule(Some("we\0b"), None, &[1]), "tag"),
            (rule(None, None, &[]), "groups"),
            (rule(None, None, &many), "groups"),
        ] {
            assert_eq!(document.scope().map_err(|(property, _)| property), Err(expected), "{document:?}");
        }
    }

    #[test]
    fn the_event_has_the_rules_before_and_after() {
        let (shop, production) = (ProjectId::new("shop"), EnvironmentName::new("production"));
        let event = reviewers_configured(shop, production, &[], &[rule(None, None, &[1])], &Actor::new(1, "ada"));
        let rule = json!({ "need": "any", "groups": [1] });
        assert_eq!(event.data, Some(json!({ "environment": "production", "requiredReviewers": [rule] })));
        assert_eq!(event.pre_data, Some(json!({ "environment": "production", "requiredReviewers": [] })));
        assert_eq!((event.project.as_deref(), event.environment.as_deref()), (Some("shop"), Some("production")));
        assert_eq!(event.stored_type(), "change-request-configuration-updated");
    }
}
