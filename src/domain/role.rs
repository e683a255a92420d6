//! The roles that every instance has.

use clap::ValueEnum;
use poem_openapi::Enum;
use serde::{Deserialize, Serialize};

/// A root role that every instance has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize, Deserialize, ValueEnum)]
pub enum RootRole {
    /// Reads everything that is not private.
    Viewer,
    /// Works in every project that lets its members do so.
    Editor,
    /// Everything.
    Admin,
}

impl RootRole {
    /// Id of the role, the same in every database.
    pub const fn id(self) -> i64 {
        match self {
            Self::Admin => 1,
            Self::Editor => 2,
            Self::Viewer => 3,
        }
    }
}
