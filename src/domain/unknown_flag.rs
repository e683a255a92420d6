//! Features that programs ask for and that their tokens do not reach.

use serde::{Deserialize, Serialize};

use crate::{token::ALL, visibility::Visibility};

/// Most characters of the ids of projects that are kept; a token with more counts as one for all.
const LONGEST_REACH: usize = 1000;

/// Ids of the projects that a token reaches: some, sorted, or [`ALL`].
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Asked(Vec<String>);

impl Asked {
    /// Returns the projects that a token names; none means that it reaches all.
    pub fn of_token(mut projects: Vec<String>) -> Self {
        projects.sort();
        projects.dedup();
        let characters: usize = projects.iter().map(|id| id.chars().count()).sum();
        let is_all = projects.is_empty() || characters > LONGEST_REACH || projects.iter().any(|id| id == ALL);
        Self(if is_all { vec![ALL.to_owned()] } else { projects })
    }

    /// Reads them from the store, where anything else counts as all.
    pub fn parse(stored: &str) -> Self {
        Self::of_token(serde_json::from_str(stored).unwrap_or_default())
    }

    /// Returns the ids as they are stored.
    pub fn stored(&self) -> String {
        serde_json::to_string(&self.0).expect("texts")
    }

    /// The ids; `None` for all.
    pub fn projects(&self) -> Option<&[String]> {
        (!self.0.iter().any(|id| id == ALL)).then_some(&*self.0)
    }

    /// Whether a feature of this project is among those that were asked for.
    pub fn reaches(&self, project: &str) -> bool {
        self.0.iter().any(|id| id == ALL || id == project)
    }

    /// Whether a user may see the request: one who may see all that the token reaches.
    pub fn is_seen_by(&self, visibility: &Visibility) -> bool {
        visibility.covers(&self.0)
    }
}

/// Name of a feature that an application asked for, and that its token does not reach.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct UnknownFlag {
    /// Name of the feature.
    pub feature: String,
    /// Name of the application.
    pub application: String,
    /// Name of the environment.
    pub environment: String,
    /// Projects in which it was looked for.
    pub asked: Asked,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    #[test]
    fn what_a_token_reaches_is_kept_sorted_or_as_all() {
        let many: Vec<String> = (0..200).map(|number| format!("project-{number}")).collect();
        for (projects, stored) in [
            (texts(&["shop", "bank", "shop"]), r#"["bank","shop"]"#),
            (texts(&[]), r#"["*"]"#),
            (texts(&["*", "shop"]), r#"["*"]"#),
            (many, r#"["*"]"#),
        ] {
            let asked = Asked::of_token(projects);
            assert_eq!(asked.stored(), stored);
            assert_eq!(Asked::parse(stored), asked);
        }
        assert_eq!(Asked::parse("x"), Asked::of_token(Vec::new()));
    }

    #[test]
    fn it_is_seen_by_those_who_see_all_that_was_asked() {
        let somebody = Visibility { hidden_projects: texts(&["secret"]), sees_instance: false };
        for (projects, is_seen) in [
            (texts(&["shop"]), true),
            (texts(&["secret"]), false),
            (texts(&["secret", "shop"]), false),
            (texts(&[]), false),
        ] {
            let asked = Asked::of_token(projects);
            assert_eq!(asked.is_seen_by(&somebody), is_seen, "{asked:?}");
            assert!(asked.is_seen_by(&Visibility::everything()));
        }
        let asked = Asked::of_token(texts(&["shop"]));
        assert!(asked.reaches("shop") && !asked.reaches("bank"));
        assert_eq!((asked.projects(), Asked::of_token(Vec::new()).projects()), (Some(&texts(&["shop"])[..]), None));
        assert!(Asked::of_token(Vec::new()).reaches("bank"));
    }
}
