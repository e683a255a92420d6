//! Projects that a user may see: a part of every query, never a filter on its rows.

use crate::token::ALL;

/// Visibility of the operator.
pub static EVERYTHING: Visibility = Visibility::everything();

/// The projects whose contents may appear in an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Visibility {
    /// Private projects that must not appear.
    pub hidden_projects: Vec<String>,
    /// Whether things that belong to no project, such as events about users and segments, may appear.
    pub sees_instance: bool,
}

impl Visibility {
    /// Returns the visibility of all projects and of the instance.
    pub const fn everything() -> Self {
        Self { hidden_projects: Vec::new(), sees_instance: true }
    }

    /// Whether nothing is hidden, of what there is and of what will be.
    pub const fn is_everything(&self) -> bool {
        self.sees_instance && self.hidden_projects.is_empty()
    }

    /// Whether all of these projects may appear; [`ALL`] are those of the future as well.
    pub fn covers(&self, projects: &[String]) -> bool {
        let is_covered = |project: &String| if project == ALL { self.is_everything() } else { self.admits(project) };
        projects.iter().all(is_covered)
    }

    /// Whether a project may appear.
    pub fn admits(&self, project: &str) -> bool {
        !self.hidden_projects.iter().any(|hidden| hidden == project)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_projects_are_covered_for_those_who_see_whatever_comes() {
        let somebody = |hidden: &[&str]| Visibility {
            hidden_projects: hidden.iter().map(|id| (*id).to_owned()).collect(),
            sees_instance: false,
        };
        for (visibility, projects, expected) in [
            (Visibility::everything(), &["*"][..], true),
            (Visibility::everything(), &["shop", "secret"], true),
            (somebody(&[]), &["*"], false),
            (somebody(&[]), &["shop", "secret"], true),
            (somebody(&["secret"]), &["shop"], true),
            (somebody(&["secret"]), &["shop", "secret"], false),
            (somebody(&["secret"]), &["shop", "*"], false),
        ] {
            let projects: Vec<String> = projects.iter().map(|id| (*id).to_owned()).collect();
            assert_eq!(visibility.covers(&projects), expected, "{visibility:?} {projects:?}");
        }
    }
}
