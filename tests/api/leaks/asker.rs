//! Askers who may not see the hidden project.

/// Somebody who asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Asker {
    Viewer,
    Editor,
    /// Of the project that everybody sees.
    Member,
    /// Of the project that everybody sees.
    Owner,
    /// Has every permission of the instance but `ADMIN`.
    Clerk,
    /// Has every permission in every project but `ADMIN`.
    Steward,
    /// Holds a client token of the project that everybody sees.
    Program,
    /// Holds a frontend token of the project that everybody sees.
    Browser,
}
