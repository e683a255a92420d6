//! Authors of changes that requests ask for.

use crate::{
    access::Caller,
    changes::{Author, guard::Passage},
    state::State,
};

/// The caller of a request as the author of changes.
pub fn author<'a>(caller: &'a Caller, state: &'a State) -> Author<'a> {
    Author { caller, db: &state.db, clock: &state.clock, limits: &state.config.limits, passage: Passage::Direct }
}
