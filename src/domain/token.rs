//! API tokens and personal tokens: the rules for making one, and what their events say.

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

/// Name of the tokens that a first start makes, and of its user.
pub const FIRST_NAME: &str = "admin";

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
        format!("{}.{}", self.prefix(), secret::random_part())
    }

    fn joined_projects(&self) -> String {
        self.projects.join(",")
    }

    fn prefix(&self) -> String {
        let project = match self.projects.as_slice() {
            [one] => one,
            _ if self.projects.iter().any(|project| project == ALL) => ALL,
            _ => "[]",
        };
        format!("{project}:{}", self.environment)
    }
}

/// Stands between the readable part of a secret and the id of the token where the secret itself is not shown.
const HANDLE: &str = ".id-";

/// An API token without its secret, which is not stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiToken {
    /// Id of the token.
    pub id: i64,
    /// Name of the holder.
    pub name: String,
    /// What it reaches.
    pub reach: Reach,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it ends; `None` for never.
    pub expires_at: Option<Timestamp>,
    /// When it was last used.
    pub seen_at: Option<Timestamp>,
}

impl ApiToken {
    /// What lists show in the place of the secret: `project:environment.id-7`. It names the token to those who may
    /// administer it, and lets nobody in.
    pub fn handle(&self) -> String {
        format!("{}{HANDLE}{}", self.reach.prefix(), self.id)
    }

    /// The event that tells that it was made.
    pub fn created(&self, actor: &Actor) -> NewEvent {
        created(&self.reach, &self.name, self.expires_at, self.created_at, actor)
    }

    /// The event that tells that it ends at another time than `old`, or reaches less.
    pub fn updated(&self, old: &Self, actor: &Actor) -> NewEvent {
        let event = event(EventKind::ApiTokenUpdated, &old.reach, actor);
        event.with_data(&self.data()).with_pre_data(&old.data())
    }

    /// The event that tells that it is gone.
    pub fn deleted(&self, actor: &Actor) -> NewEvent {
        event(EventKind::ApiTokenDeleted, &self.reach, actor).with_pre_data(&self.data())
    }

    /// The token when it no longer reaches a project; `None` when it would reach nothing.
    pub fn without_project(&self, project: &str) -> Option<Self> {
        let mut left = self.clone();
        left.reach.projects.retain(|id| id != project);
        (!left.reach.projects.is_empty()).then_some(left)
    }

    fn data(&self) -> TokenData<'_> {
        TokenData::of(&self.reach, &self.name, self.expires_at, self.created_at)
    }
}

/// The id in what may be a [`ApiToken::handle`].
pub fn id_in_handle(text: &str) -> Option<i64> {
    let (_, id) = text.rsplit_once(HANDLE)?;
    id.parse().ok()
}

/// A personal token without its secret, which is not stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PersonalToken {
    /// Id of the token.
    pub id: i64,
    /// The person whom it lets in.
    pub user_id: i64,
    /// What the person keeps it for.
    pub description: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it ends.
    pub expires_at: Timestamp,
    /// When it was last used.
    pub seen_at: Option<Timestamp>,
}

impl PersonalToken {
    /// The event that tells that it was made, or with [`EventKind::PatDeleted`] that it is gone.
    pub fn event(&self, kind: EventKind, actor: &Actor) -> NewEvent {
        NewEvent::new(kind, actor).with_data(&PersonalTokenData {
            id: self.id,
            description: &self.description,
            user_id: self.user_id,
            created_at: self.created_at,
            expires_at: self.expires_at,
            secret: "***",
        })
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PersonalTokenData<'a> {
    id: i64,
    description: &'a str,
    user_id: i64,
    created_at: Timestamp,
    expires_at: Timestamp,
    secret: &'a str,
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

impl<'a> TokenData<'a> {
    fn of(reach: &'a Reach, token_name: &'a str, expires_at: Option<Timestamp>, created_at: Timestamp) -> Self {
        Self {
            token_name,
            kind: reach.kind.as_str(),
            project: reach.joined_projects(),
            projects: &reach.projects,
            environment: &reach.environment,
            expires_at,
            created_at,
        }
    }
}

/// That a token was made. The event holds everything but the secret.
pub fn created(reach: &Reach, name: &str, expires_at: Option<Timestamp>, now: Timestamp, actor: &Actor) -> NewEvent {
    event(EventKind::ApiTokenCreated, reach, actor).with_data(&TokenData::of(reach, name, expires_at, now))
}

/// An event about a token names all projects that the token reaches: who may not see one of them does not see the event.
fn event(kind: EventKind, reach: &Reach, actor: &Actor) -> NewEvent {
    NewEvent::new(kind, actor).in_project(&reach.joined_projects()).in_environment(&reach.environment)
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

    #[test]
    fn a_handle_names_the_token_and_is_no_secret() {
        let token = ApiToken {
            id: 7,
            name: "t".to_owned(),
            reach: reach(TokenKind::Client, &["a", "b"], "dev"),
            created_at: Timestamp::default(),
            expires_at: None,
            seen_at: None,
        };
        assert_eq!(token.handle(), "[]:dev.id-7");
        assert_eq!(id_in_handle(&token.handle()), Some(7));
        for text in ["", "7", "id-7", "[]:dev.id-", "[]:dev.id-x", "[]:dev.7"] {
            assert_eq!(id_in_handle(text), None, "{text}");
        }
        let event = token.deleted(&Actor::system());
        assert_eq!((event.project.as_deref(), event.environment.as_deref()), (Some("a,b"), Some("dev")));
    }

    #[test]
    fn a_token_goes_with_the_last_of_its_projects() {
        let reach = reach(TokenKind::Client, &["a", "b"], "dev");
        let (name, created_at) = ("t".to_owned(), Timestamp::default());
        let token = ApiToken { id: 7, name, reach, created_at, expires_at: None, seen_at: None };
        let left = token.without_project("a").expect("one project is left");
        assert_eq!(left.reach.projects, ["b"]);
        let event = left.updated(&token, &Actor::system());
        assert_eq!(event.project.as_deref(), Some("a,b"), "whoever may not see project a does not see its end");
        assert_eq!(left.without_project("b"), None);
    }
}
