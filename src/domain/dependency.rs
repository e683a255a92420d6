//! Rules of dependencies between features.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    fmt,
};

use poem_openapi::Enum;
use serde::Serialize;

use crate::{
    feature::Dependency,
    ids::{FeatureName, ProjectId},
};

/// Side of dependencies on which a feature stands. It is never on both: there are no chains.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize)]
#[oai(rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum DependencyType {
    /// Other features depend on it.
    Parent,
    /// It depends on other features.
    Child,
}

impl DependencyType {
    /// Reads the stored name.
    pub fn parse(name: &str) -> Option<Self> {
        [Self::Parent, Self::Child].into_iter().find(|kind| kind.as_str() == name)
    }

    /// The stored name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Parent => "parent",
            Self::Child => "child",
        }
    }
}

/// Properties of a feature that decide whether another may depend on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParentCandidate {
    /// Internal id.
    pub id: i64,
    /// Project that owns it.
    pub project: String,
    /// Whether it is archived.
    pub is_archived: bool,
    /// Whether it depends on another feature.
    pub is_child: bool,
}

/// Reason why one feature cannot depend on another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DependencyRefusal {
    /// It is the same feature.
    Itself,
    /// Other features depend on the one that is to depend.
    HasChildren,
    /// There is no such feature in use, or none that the caller may see.
    NoParent(String),
    /// The other feature is in another project.
    OtherProject,
    /// The other feature depends on a third.
    HasParents(String),
}

impl fmt::Display for DependencyRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Itself => f.write_str("A feature cannot depend on itself."),
            Self::HasChildren => f.write_str(
                "Dependencies have one level: this feature cannot depend on another while other features depend on it.",
            ),
            Self::NoParent(name) => write!(f, "There is no feature named \"{name}\" in use to depend on."),
            Self::OtherProject => f.write_str("A feature can only depend on a feature of its own project."),
            Self::HasParents(name) => write!(
                f,
                "Dependencies have one level: \"{name}\" cannot be depended on, since it depends on another feature."
            ),
        }
    }
}

/// Whether the feature `child` of `project` may depend on the feature named `parent`.
pub fn judge(
    child: FeatureName<'_>,
    has_children: bool,
    project: ProjectId<'_>,
    parent: FeatureName<'_>,
    candidate: Option<&ParentCandidate>,
) -> Result<i64, DependencyRefusal> {
    if child == parent {
        return Err(DependencyRefusal::Itself);
    }
    let found = candidate.filter(|candidate| !candidate.is_archived);
    let found = found.ok_or_else(|| DependencyRefusal::NoParent(parent.as_str().to_owned()))?;
    if found.project != project.as_str() {
        return Err(DependencyRefusal::OtherProject);
    }
    if has_children {
        return Err(DependencyRefusal::HasChildren);
    }
    if found.is_child {
        return Err(DependencyRefusal::HasParents(parent.as_str().to_owned()));
    }
    Ok(found.id)
}

/// Suspended dependency of an archived feature, which holds as soon as the feature is in use again.
#[derive(Debug, Clone, PartialEq)]
pub struct Suspended {
    /// Internal id of the archived feature.
    pub child_id: i64,
    /// The dependency.
    pub dependency: Dependency,
    /// The parent as it is now; none where it is gone.
    pub parent: Option<ParentCandidate>,
}

/// Outcome of suspended dependencies when their features are revived.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Resumption {
    /// Dependencies that hold again.
    pub resumed: Vec<Suspended>,
    /// Dependencies that cannot hold any more, as they could not be added either.
    pub lost: Vec<Suspended>,
}

/// Judges the suspended dependencies of features of a project that are revived together, given with their names by id.
/// Refuses with the names of the parents that have to be revived first, or with them: without its parent, a feature
/// would be on for more than before as soon as it is switched on.
pub fn resume<S: std::hash::BuildHasher>(
    project: &str,
    revived: &HashMap<i64, String, S>,
    suspended: Vec<Suspended>,
) -> Result<Resumption, BTreeSet<String>> {
    let is_archived =
        |parent: &ParentCandidate| parent.is_archived && parent.project == project && !revived.contains_key(&parent.id);
    let waiting = suspended.iter().filter(|one| one.parent.as_ref().is_some_and(is_archived));
    let waiting: BTreeSet<String> = waiting.map(|one| one.dependency.feature.clone()).collect();
    if !waiting.is_empty() {
        return Err(waiting);
    }
    let mut outcome = Resumption::default();
    let (mut children, mut parents) = (HashSet::new(), HashSet::new());
    for one in suspended {
        let candidate = one.parent.as_ref().map(|parent| ParentCandidate {
            is_archived: parent.is_archived && !revived.contains_key(&parent.id),
            is_child: parent.is_child || children.contains(&parent.id),
            ..parent.clone()
        });
        let child = FeatureName::new(revived.get(&one.child_id).map(String::as_str).unwrap_or_default());
        let has_children = parents.contains(&one.child_id);
        let parent = FeatureName::new(&one.dependency.feature);
        match judge(child, has_children, ProjectId::new(project), parent, candidate.as_ref()) {
            Ok(parent_id) => {
                children.insert(one.child_id);
                parents.insert(parent_id);
                outcome.resumed.push(one);
            }
            Err(_) => outcome.lost.push(one),
        }
    }
    Ok(outcome)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parent_is_another_feature_in_use_of_the_project_without_parents() {
        let good = ParentCandidate { id: 7, project: "shop".to_owned(), is_archived: false, is_child: false };
        let judge = |parent: &str, has_children: bool, candidate: Option<&ParentCandidate>| {
            let (child, parent) = (FeatureName::new("child"), FeatureName::new(parent));
            super::judge(child, has_children, ProjectId::new("shop"), parent, candidate)
        };
        assert_eq!(judge("parent", false, Some(&good)), Ok(7));
        assert_eq!(judge("child", false, Some(&good)), Err(DependencyRefusal::Itself));
        assert_eq!(judge("parent", true, Some(&good)), Err(DependencyRefusal::HasChildren));
        let missing = Err(DependencyRefusal::NoParent("parent".to_owned()));
        assert_eq!(judge("parent", false, None), missing);
        assert_eq!(judge("parent", true, Some(&ParentCandidate { is_archived: true, ..good.clone() })), missing);
        let elsewhere = ParentCandidate { project: "bank".to_owned(), ..good.clone() };
        assert_eq!(judge("parent", false, Some(&elsewhere)), Err(DependencyRefusal::OtherProject));
        let child = ParentCandidate { is_child: true, ..good };
        assert_eq!(judge("parent", false, Some(&child)), Err(DependencyRefusal::HasParents("parent".to_owned())));
    }

    fn suspended(child_id: i64, parent: &str, candidate: Option<ParentCandidate>) -> Suspended {
        let dependency = Dependency { feature: parent.to_owned(), enabled: Some(true), variants: None };
        Suspended { child_id, dependency, parent: candidate }
    }

    #[test]
    fn what_was_suspended_holds_again_waits_for_its_parent_or_is_lost() {
        let live = ParentCandidate { id: 7, project: "shop".to_owned(), is_archived: false, is_child: false };
        let archived = ParentCandidate { is_archived: true, ..live.clone() };
        let alone = HashMap::from([(1, "child".to_owned())]);
        let both = HashMap::from([(1, "child".to_owned()), (7, "parent".to_owned())]);
        let resume = |revived: &HashMap<i64, String>, candidate: Option<ParentCandidate>| {
            let outcome = super::resume("shop", revived, vec![suspended(1, "parent", candidate)]);
            outcome.map(|outcome| (outcome.resumed.len(), outcome.lost.len()))
        };
        assert_eq!(resume(&alone, Some(live.clone())), Ok((1, 0)));
        assert_eq!(resume(&both, Some(archived.clone())), Ok((1, 0)));
        assert_eq!(resume(&alone, Some(archived.clone())), Err(BTreeSet::from(["parent".to_owned()])));
        for lost in [
            None,
            Some(ParentCandidate { is_child: true, ..live.clone() }),
            Some(ParentCandidate { project: "bank".to_owned(), ..live }),
            Some(ParentCandidate { project: "bank".to_owned(), ..archived.clone() }),
        ] {
            assert_eq!(resume(&alone, lost), Ok((0, 1)));
        }
        // Two features that are revived together never become a chain.
        let third = ParentCandidate { id: 9, is_archived: false, ..archived.clone() };
        for (first, second) in [(0, 1), (1, 0)] {
            let links = [suspended(1, "parent", Some(archived.clone())), suspended(7, "third", Some(third.clone()))];
            let outcome = super::resume("shop", &both, vec![links[first].clone(), links[second].clone()]);
            let outcome = outcome.expect("nothing waits");
            assert_eq!((outcome.resumed, outcome.lost), (vec![links[first].clone()], vec![links[second].clone()]));
        }
    }
}
