//! Which projects somebody may see: a part of every query, never a filter on its rows.

/// The projects whose contents may appear in an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Visibility {
    /// Private projects that must not appear.
    pub hidden_projects: Vec<String>,
    /// Whether things that belong to no project, such as events about users and segments, may appear.
    pub sees_instance: bool,
}

impl Visibility {
    /// Everything.
    pub const fn everything() -> Self {
        Self { hidden_projects: Vec::new(), sees_instance: true }
    }

    /// Whether a project may appear.
    pub fn admits(&self, project: &str) -> bool {
        !self.hidden_projects.iter().any(|hidden| hidden == project)
    }
}
