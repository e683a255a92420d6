//! Authors of changes to how people sign in that requests ask for.

use crate::{access::Caller, sign_in::author::Author};

/// The caller of a request as the author of such changes.
pub fn author(caller: &Caller) -> Author {
    Author { actor: caller.actor(), user_id: caller.user_id() }
}
