//! API tokens: the rules for making one, and what its events say.

use serde::Serialize;

use crate::domain::{
    actor::Actor,
    event::NewEvent,
    event_kind::EventKind,
    secret::{self, TokenKind},
    time::Timestamp,
};

/// Stands for all projects or all environments.
pub const ALL: &str = "*";

/// What a token reaches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reach {
    /// What it serves for.
    pub kind: TokenKind,
    /// Ids of projects; [`ALL`] is all of them.
    pub projects: Vec<String>,
    /// Name of an environment; [`ALL`] is all of them.
    pub environment: String,
}

/// Why a token cannot reach what is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unreachable {
    /// Admin tokens reach everything.
    PartialAdmin,
    /// Client and frontend tokens evaluate flags, which takes one environment.
    NoEnvironment,
    /// A token reaches at least one project.
    NoProject,
}

impl std::fmt::Display for Unreachable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::PartialAdmin => "An admin token reaches all projects and environments; it cannot be bound to some.",
            Self::NoEnvironment => "A client or frontend token needs one environment; it cannot reach all of them.",
            Self::NoProject => "A token needs at least one project, or * for all of them.",
        })
    }
}

impl std::error::Error for Unreachable {}

impl Reach {
    /// Checks the combination of kind, projects and environment.
    pub fn judge(&self) -> Result<(), Unreachable> {
        let all_projects = self.projects.iter().any(|project| project == ALL);
        let all_environments = self.environment == ALL;
        match self.kind {
            TokenKind::Admin if !all_projects || !all_environments => Err(Unreachable::PartialAdmin),
            TokenKind::Client | TokenKind::Frontend if all_environments => Err(Unreachable::NoEnvironment),
            _ if self.projects.is_empty() => Err(Unreachable::NoProject),
            _ => Ok(()),
        }
    }

    /// A fresh secret that says what it reaches.
    pub fn generate_secret(&self) -> String {
        let project = match self.projects.as_slice() {
            [one] => one,
            _ if self.projects.iter().any(|project| project == ALL) => ALL,
            _ => "[]",
        };
        format!("{project}:{}.{}", self.environment, secret::random_part())
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TokenData<'a> {
    token_name: &'a str,
    #[serde(rename = "type")]
    kind: &'a str,
    project: String,
    projects: &'a [String],
    environment: &'a str,
    expires_at: Option<Timestamp>,
    created_at: Timestamp,
}

/// That a token was made. The event holds everything but the secret.
pub fn created(reach: &Reach, name: &str, expires_at: Option<Timestamp>, now: Timestamp, actor: &Actor) -> NewEvent {
    let project = reach.projects.join(",");
    let data = TokenData {
        token_name: name,
        kind: reach.kind.as_str(),
        project: project.clone(),
        projects: &reach.projects,
        environment: &reach.environment,
        expires_at,
        created_at: now,
    };
    NewEvent::new(EventKind::ApiTokenCreated, actor)
        .in_project(&project)
        .in_environment(&reach.environment)
        .with_data(&data)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reach(kind: TokenKind, projects: &[&str], environment: &str) -> Reach {
        let projects = projects.iter().map(|project| (*project).to_owned()).collect();
        Reach { kind, projects, environment: environment.to_owned() }
    }

    #[test]
    fn admin_tokens_reach_everything_and_others_one_environment() {
        use TokenKind::{Admin, Client, Frontend};
        for (kind, projects, environment, expected) in [
            (Admin, &["*"][..], "*", Ok(())),
            (Admin, &["shop"], "*", Err(Unreachable::PartialAdmin)),
            (Admin, &["*"], "production", Err(Unreachable::PartialAdmin)),
            (Client, &["*"], "*", Err(Unreachable::NoEnvironment)),
            (Client, &["shop", "other"], "production", Ok(())),
            (Frontend, &[], "production", Err(Unreachable::NoProject)),
            (Frontend, &["*"], "production", Ok(())),
        ] {
            assert_eq!(reach(kind, projects, environment).judge(), expected, "{kind:?} {projects:?} {environment}");
        }
    }

    #[test]
    fn secrets_tell_their_reach() {
        for (projects, prefix) in [(&["shop"][..], "shop:dev."), (&["*"], "*:dev."), (&["a", "b"], "[]:dev.")] {
            let secret = reach(TokenKind::Client, projects, "dev").generate_secret();
            assert!(secret.starts_with(prefix), "{prefix}");
            assert_eq!(secret.len(), prefix.len() + 56);
        }
    }
}
