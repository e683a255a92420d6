//! API tokens and personal tokens: the rules for making one, and what their events say.

mod personal;

use serde::Serialize;

pub use self::personal::PersonalToken;
use crate::{
    actor::Actor,
    event::NewEvent,
    event_kind::EventKind,
    ids::ProjectId,
    permission::{Grants, Permission},
    secret::{self, TokenKind},
    time::Timestamp,
    visibility::{EVERYTHING, Visibility},
};

/// Stands for all projects or all environments.
pub const ALL: &str = "*";

/// Name of the tokens that a first start makes, and of its user.
pub const FIRST_NAME: &str = "admin";

/// Scope of a token: kind, environment and projects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reach {
    /// Kind of token.
    pub kind: TokenKind,
    /// Ids of projects; [`ALL`] is all of them.
    pub projects: Vec<String>,
    /// Name of an environment; [`ALL`] is all of them.
    pub environment: String,
}

/// Reason why a token cannot have a scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unreachable {
    /// Admin tokens reach everything.
    PartialAdmin,
    /// Client and frontend tokens evaluate flags, which takes one environment.
    NoEnvironment,
    /// A token reaches at least one project.
    NoProject,
    /// A token reaches no further than its maker sees.
    Unseen,
    /// Its maker lacks this permission in one of the projects.
    NoRight(Permission),
}

impl std::fmt::Display for Unreachable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let words = match self {
            Self::NoRight(need) => return write!(f, "This needs the \"{}\" permission.", need.as_str()),
            Self::PartialAdmin => "An admin token reaches all projects and environments; it cannot be bound to some.",
            Self::NoEnvironment => "A client or frontend token needs one environment; it cannot reach all of them.",
            Self::NoProject => "A token needs at least one project, or * for all of them.",
            Self::Unseen => {
                "Only somebody who sees all projects can make a token that reaches all of them: name the projects."
            }
        };
        f.write_str(words)
    }
}

impl std::error::Error for Unreachable {}

/// Whether a list of projects stands for all of them.
pub fn names_all(projects: &[String]) -> bool {
    projects.iter().any(|project| project == ALL)
}

impl Reach {
    /// Whether it is all projects, those that are made later too.
    pub fn reaches_all_projects(&self) -> bool {
        names_all(&self.projects)
    }

    /// Ids of the projects; `None` is all of them.
    pub fn projects(&self) -> Option<&[String]> {
        (!self.reaches_all_projects()).then_some(self.projects.as_slice())
    }

    /// Whether everything that another reaches is within it, whatever they serve for.
    pub fn covers(&self, other: &Self) -> bool {
        self.environment == other.environment
            && match (self.projects(), other.projects()) {
                (None, _) => true,
                (Some(_), None) => false,
                (Some(own), Some(others)) => others.iter().all(|project| own.contains(project)),
            }
    }

    /// Checks the combination of kind, projects and environment.
    pub fn judge(&self) -> Result<(), Unreachable> {
        let all_environments = self.environment == ALL;
        match self.kind {
            TokenKind::Admin if !self.reaches_all_projects() || !all_environments => Err(Unreachable::PartialAdmin),
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
            _ if self.reaches_all_projects() => ALL,
            _ => "[]",
        };
        format!("{project}:{}", self.environment)
    }
}

/// An API token and what it reaches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientToken {
    /// Id of the token.
    pub id: i64,
    /// Its name.
    pub name: String,
    /// Its scope.
    pub reach: Reach,
    /// When it ends; `None` for never.
    pub expires_at: Option<Timestamp>,
}

impl ClientToken {
    /// Whether it serves at `now`.
    pub fn serves(&self, now: Timestamp) -> bool {
        self.expires_at.is_none_or(|end| end > now)
    }

    /// Ids of the projects that it reaches; `None` is all of them.
    pub fn projects(&self) -> Option<&[String]> {
        self.reach.projects()
    }
}

/// Maker of a token. It reaches no further than they see, and nothing where they lack the right.
#[derive(Debug, Clone, Copy)]
pub struct Maker<'a> {
    /// The maker as events record them.
    pub actor: &'a Actor,
    /// Projects that the maker sees.
    pub sees: &'a Visibility,
    /// Grants of the maker, and the permission that a token like this takes; `None` for the operator, who may do
    /// everything.
    pub right: Option<(&'a Grants, Permission)>,
}

impl<'a> Maker<'a> {
    /// The operator of the server, who sees everything.
    pub fn operator(actor: &'a Actor) -> Self {
        Self { actor, sees: &EVERYTHING, right: None }
    }

    /// Refuses a token for projects where the right is missing, whether or not they exist, and one for all projects if
    /// the maker may not see all of them, be it one day.
    pub fn judge(&self, reach: &Reach) -> Result<(), Unreachable> {
        if let Some((grants, need)) = self.right {
            let allowed = |project: &String| {
                let project = (project != ALL).then(|| ProjectId::new(project));
                grants.allow(need, project, None)
            };
            if !reach.projects.iter().all(allowed) {
                return Err(Unreachable::NoRight(need));
            }
        }
        if reach.reaches_all_projects() && !self.sees.is_everything() { Err(Unreachable::Unseen) } else { Ok(()) }
    }
}

/// Beginning of a handle, which is no secret and cannot be mistaken for one.
const HIDDEN: &str = "hidden:";
/// Stands between the readable part of a secret and the id of the token where the secret itself is not shown.
const HANDLE: &str = ".id-";

/// An API token without its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiToken {
    /// Id of the token.
    pub id: i64,
    /// Name of the holder.
    pub name: String,
    /// Its scope.
    pub reach: Reach,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it ends; `None` for never.
    pub expires_at: Option<Timestamp>,
    /// When it was last used.
    pub seen_at: Option<Timestamp>,
    /// Its secret, sealed, where the operator wants that.
    pub sealed_secret: Option<String>,
}

impl ApiToken {
    /// Returns the handle that lists show in the place of the secret: `hidden:project:environment.id-7`. It names the
    /// token to those who may administer it, and is no credential.
    pub fn handle(&self) -> String {
        format!("{HIDDEN}{}{HANDLE}{}", self.reach.prefix(), self.id)
    }

    /// Whether a text is the handle, or what it was before version 0.2, without its beginning.
    pub fn is_named(&self, text: &str) -> bool {
        let handle = self.handle();
        text == handle || handle.strip_prefix(HIDDEN) == Some(text)
    }

    /// Whether a user could make such a token: they see all that it reaches, and have any one of `needs` there.
    pub fn could_be_made_by(&self, grants: &Grants, needs: &[Permission], sees: &Visibility, actor: &Actor) -> bool {
        let is_allowed =
            |need: &Permission| Maker { actor, sees, right: Some((grants, *need)) }.judge(&self.reach).is_ok();
        sees.covers(&self.reach.projects) && needs.iter().any(is_allowed)
    }

    /// Returns the token as a user may see it: without the projects that are hidden from them, or not at all.
    pub fn shown_to(&self, visibility: &Visibility) -> Option<Self> {
        let mut shown = self.clone();
        shown.reach.projects.retain(|project| visibility.admits(project));
        (!shown.reach.projects.is_empty()).then_some(shown)
    }

    /// Whether it would live longer if this were its end.
    pub fn is_prolonged_to(&self, expires_at: Option<Timestamp>) -> bool {
        self.expires_at.is_some_and(|end| expires_at.is_none_or(|later| later > end))
    }

    /// Returns the event that the token was created.
    pub fn created(&self, actor: &Actor) -> NewEvent {
        created(&self.reach, &self.name, self.expires_at, self.created_at, actor)
    }

    /// Returns the event that the token ends at another time than `old`, or reaches less.
    pub fn updated(&self, old: &Self, actor: &Actor) -> NewEvent {
        let event = event(EventKind::ApiTokenUpdated, &old.reach, actor);
        event.with_data(&self.data()).with_pre_data(&old.data())
    }

    /// Returns the event that the token was deleted.
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

/// Returns the event that a token was created. The event holds everything but the secret.
pub fn created(reach: &Reach, name: &str, expires_at: Option<Timestamp>, now: Timestamp, actor: &Actor) -> NewEvent {
    event(EventKind::ApiTokenCreated, reach, actor).with_data(&TokenData::of(reach, name, expires_at, now))
}

/// An event about a token names all projects that the token reaches: who may not see one of them does not see the
/// event.
fn event(kind: EventKind, reach: &Reach, actor: &Actor) -> NewEvent {
    NewEvent::new(kind, actor).in_project(&reach.joined_projects()).in_environment(&reach.environment)
}

#[cfg(test)]
mod tests;
