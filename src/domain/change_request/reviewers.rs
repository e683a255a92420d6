//! Required reviewers: groups of which some member must approve, for all changes or for those of some features.

use std::collections::BTreeSet;

use poem_openapi::Enum;
use serde::Serialize;

use crate::{naming::NamingPattern, tag::Tag};

/// Most rules of a project in an environment.
pub const MOST_RULES: u64 = 50;
/// Most groups of a rule.
pub const MOST_GROUPS: usize = 20;

/// Number of groups of a rule that must approve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize)]
#[oai(rename = "ReviewerNeed", rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum Need {
    /// One of them.
    Any,
    /// All of them.
    Each,
}

impl Need {
    /// The stored name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Any => "any",
            Self::Each => "each",
        }
    }

    /// Reads the stored name. One that this version does not know asks for more rather than less.
    pub fn parse(name: &str) -> Self {
        if name == Self::Any.as_str() { Self::Any } else { Self::Each }
    }
}

/// Changes that a rule is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// All.
    Everything,
    /// Changes of features with a tag, whose owners it names.
    Tag(Tag),
    /// Changes of features whose whole name matches a pattern.
    Name(String),
}

impl Scope {
    /// Whether it is about any of these features. A stored pattern that this version cannot run is about all.
    fn covers(&self, features: &[TouchedFeature<'_>]) -> bool {
        match self {
            Self::Everything => true,
            Self::Tag(tag) => features.iter().any(|feature| feature.tags.contains(tag)),
            Self::Name(pattern) => {
                let pattern = NamingPattern::compile(pattern).ok();
                features.iter().any(|feature| pattern.as_ref().is_none_or(|pattern| pattern.admits(feature.name)))
            }
        }
    }
}

/// Rule about who must approve changes in an environment of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewerRule {
    /// Unique id.
    pub id: i64,
    /// Changes that it is about.
    pub scope: Scope,
    /// Number of its groups that must approve.
    pub need: Need,
    /// Ids of the groups, lowest first.
    pub groups: Vec<i64>,
}

/// Feature that a change request changes.
#[derive(Debug, Clone, Copy)]
pub struct TouchedFeature<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its tags.
    pub tags: &'a [Tag],
}

/// Returns the rules that still ask for an approval, given the changed features and the groups of each person who has
/// approved: each with the groups that have not approved, or with none where its groups are gone, so that it has to be
/// changed before anything is approved.
pub fn missing(
    rules: Vec<ReviewerRule>,
    features: &[TouchedFeature<'_>],
    approvers: &[BTreeSet<i64>],
) -> Vec<ReviewerRule> {
    let rules = rules.into_iter().filter(|rule| rule.scope.covers(features));
    let missing = rules.filter_map(|rule| {
        let has_approved = |group: &&i64| approvers.iter().any(|groups| groups.contains(group));
        let (given, absent): (Vec<i64>, Vec<i64>) = rule.groups.iter().partition(|group| has_approved(group));
        let is_met = match rule.need {
            Need::Any => !given.is_empty(),
            Need::Each => absent.is_empty() && !given.is_empty(),
        };
        (!is_met).then_some(ReviewerRule { groups: absent, ..rule })
    });
    missing.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(scope: Scope, need: Need, groups: &[i64]) -> ReviewerRule {
        ReviewerRule { id: 1, scope, need, groups: groups.to_vec() }
    }

    fn tag(value: &str) -> Tag {
        Tag { kind: "team".to_owned(), value: value.to_owned() }
    }

    #[test]
    fn one_group_or_each_must_approve_and_a_person_can_stand_for_several() {
        let asked = |need: Need, groups: &[i64], approvers: &[&[i64]]| {
            let approvers: Vec<BTreeSet<i64>> = approvers.iter().map(|one| one.iter().copied().collect()).collect();
            let missing = missing(vec![rule(Scope::Everything, need, groups)], &[], &approvers);
            missing.into_iter().next().map(|missing| missing.groups)
        };
        for (need, groups, approvers, expected) in [
            (Need::Any, &[1, 2][..], &[][..], Some(vec![1, 2])),
            (Need::Any, &[1, 2], &[&[2][..]], None),
            (Need::Any, &[1, 2], &[&[3]], Some(vec![1, 2])),
            (Need::Each, &[1, 2], &[&[2]], Some(vec![1])),
            (Need::Each, &[1, 2], &[&[2], &[1]], None),
            (Need::Each, &[1, 2], &[&[1, 2]], None),
            // Groups that are gone are not a rule less.
            (Need::Any, &[], &[&[1]], Some(vec![])),
            (Need::Each, &[], &[&[1]], Some(vec![])),
        ] {
            assert_eq!(asked(need, groups, approvers), expected, "{need:?} {groups:?} {approvers:?}");
        }
        assert!(missing(Vec::new(), &[], &[]).is_empty());
    }

    #[test]
    fn code_owners_are_asked_about_their_features_alone() {
        let tags = [tag("payments"), tag("web")];
        let cart = TouchedFeature { name: "shop-cart", tags: &tags };
        let other = TouchedFeature { name: "bank-shop-cart", tags: &[] };
        let is_asked = |scope: Scope, features: &[TouchedFeature<'_>]| {
            !missing(vec![rule(scope, Need::Any, &[1])], features, &[]).is_empty()
        };
        let named = |pattern: &str| Scope::Name(pattern.to_owned());
        for (scope, features, expected) in [
            (Scope::Tag(tag("web")), &[other, cart][..], true),
            (Scope::Tag(tag("web")), &[other], false),
            (Scope::Tag(tag("mobile")), &[other, cart], false),
            (named("shop-.*"), &[other, cart], true),
            (named("shop-.*"), &[other], false),
            // A pattern that cannot run asks rather than letting through.
            (named("(?=x)x"), &[other], true),
            (named("shop-.*"), &[], false),
            (Scope::Everything, &[], true),
        ] {
            assert_eq!(is_asked(scope.clone(), features), expected, "{scope:?} {features:?}");
        }
    }

    #[test]
    fn an_unknown_need_is_the_greater_one() {
        assert_eq!([Need::Any, Need::Each].map(|need| Need::parse(need.as_str())), [Need::Any, Need::Each]);
        assert_eq!(Need::parse("two"), Need::Each);
    }
}
