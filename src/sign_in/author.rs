//! Authors of changes to how people sign in.

use flagstone_domain::actor::Actor;
use flagstone_store::access::people::Account;

/// Author of a change.
#[derive(Debug, Clone)]
pub struct Author {
    /// The author, as the event has them.
    pub actor: Actor,
    /// Id of the user; `None` for a program.
    pub user_id: Option<i64>,
}

/// Returns a user as the actor of a change that they make themself.
pub(super) fn themself(account: &Account) -> Actor {
    let name = account.email.as_ref().or(account.username.as_ref());
    Actor::new(account.id, name.cloned().unwrap_or_else(|| account.id.to_string()))
}
