//! Author of a change, as events record it.

/// Id of the user that stands for the server's own work.
pub const SYSTEM_USER_ID: i64 = -1337;
/// Id of the user that stands for every admin API token.
pub const ADMIN_TOKEN_USER_ID: i64 = -42;
/// Name under which the server's own work is recorded.
pub const SYSTEM_USER_NAME: &str = "unleash_system_user";

/// Author of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Actor {
    /// Id of the user, or one of the two stand-ins.
    pub user_id: i64,
    /// Email, else user name, else the name of the token.
    pub name: String,
}

impl Actor {
    /// The server itself.
    pub fn system() -> Self {
        Self { user_id: SYSTEM_USER_ID, name: SYSTEM_USER_NAME.to_owned() }
    }
}
