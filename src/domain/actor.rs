//! Author of a change and the reason for it, as events record them.

use crate::change_reason::ChangeReason;

/// Id of the user that stands for the server's own work.
pub const SYSTEM_USER_ID: i64 = -1337;
/// Id of the user that stands for every admin API token.
pub const ADMIN_TOKEN_USER_ID: i64 = -42;
/// Name under which the server's own work is recorded.
pub const SYSTEM_USER_NAME: &str = "unleash_system_user";

/// Author of a change, and the reason for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Actor {
    /// Id of the user, or one of the two stand-ins.
    pub user_id: i64,
    /// Email, else user name, else the name of the token.
    pub name: String,
    /// Reason that they give.
    pub reason: Option<ChangeReason>,
}

impl Actor {
    /// Returns an actor without a reason.
    pub fn new(user_id: i64, name: impl Into<String>) -> Self {
        Self { user_id, name: name.into(), reason: None }
    }

    /// The server itself.
    pub fn system() -> Self {
        Self::new(SYSTEM_USER_ID, SYSTEM_USER_NAME)
    }

    /// Returns the actor with a reason.
    #[must_use]
    pub fn because(self, reason: Option<ChangeReason>) -> Self {
        Self { reason, ..self }
    }
}
