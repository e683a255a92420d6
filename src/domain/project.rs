//! Projects: their settings, and the scope through which their contents are reached.

pub mod document;
pub mod id;
pub mod removal;
pub mod transfer;

use std::ops::Deref;

use poem_openapi::Enum;
use serde::{Deserialize, Serialize};

use crate::ids::ProjectId;

/// Id of the project that every instance has and that all users work in.
pub const DEFAULT_PROJECT: &str = "default";
/// Id of the role whose holders own a project, the same in every database.
pub const OWNER_ROLE: i64 = 4;

/// Proof that the caller may see a project; what lives in projects is read through it alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VisibleProject {
    id: String,
}

impl VisibleProject {
    /// Makes the proof: for `access`, which decides.
    pub fn new(id: &str) -> Self {
        Self { id: id.to_owned() }
    }

    /// The project's id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The project's id, of its own type.
    pub fn as_id(&self) -> ProjectId<'_> {
        ProjectId::new(&self.id)
    }
}

/// Proof that the caller may see a project and has in it what an operation asks for; what lives in projects is changed
/// through it alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectScope(VisibleProject);

impl ProjectScope {
    /// Makes the proof: for `access`, which decides.
    pub const fn permitted(project: VisibleProject) -> Self {
        Self(project)
    }
}

impl Deref for ProjectScope {
    type Target = VisibleProject;

    fn deref(&self) -> &VisibleProject {
        &self.0
    }
}

/// Access mode of a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize, Deserialize)]
#[oai(rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub enum ProjectMode {
    /// Everybody may see the project and submit change requests.
    Open,
    /// Everybody may see the project, members may submit change requests.
    Protected,
    /// Only members and administrators see the project.
    Private,
}

impl ProjectMode {
    /// Reads the stored name; an unknown one is the default, `open`.
    pub fn parse(name: &str) -> Self {
        match name {
            "protected" => Self::Protected,
            "private" => Self::Private,
            _ => Self::Open,
        }
    }

    /// The stored name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Protected => "protected",
            Self::Private => "private",
        }
    }
}
