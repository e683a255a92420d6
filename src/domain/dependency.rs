//! Which features may depend on which.

use std::fmt;

use poem_openapi::Enum;
use serde::Serialize;

/// On which side of dependencies a feature stands. It is never on both: there are no chains.
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

/// What is asked about the feature that another is to depend on.
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

/// Why one feature cannot depend on another.
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
    child: &str,
    has_children: bool,
    project: &str,
    parent: &str,
    candidate: Option<&ParentCandidate>,
) -> Result<i64, DependencyRefusal> {
    if child == parent {
        return Err(DependencyRefusal::Itself);
    }
    let found = candidate.filter(|candidate| !candidate.is_archived);
    let found = found.ok_or_else(|| DependencyRefusal::NoParent(parent.to_owned()))?;
    if found.project != project {
        return Err(DependencyRefusal::OtherProject);
    }
    if has_children {
        return Err(DependencyRefusal::HasChildren);
    }
    if found.is_child {
        return Err(DependencyRefusal::HasParents(parent.to_owned()));
    }
    Ok(found.id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parent_is_another_feature_in_use_of_the_project_without_parents() {
        let good = ParentCandidate { id: 7, project: "shop".to_owned(), is_archived: false, is_child: false };
        let judge = |parent: &str, has_children: bool, candidate: Option<&ParentCandidate>| {
            super::judge("child", has_children, "shop", parent, candidate)
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
}
