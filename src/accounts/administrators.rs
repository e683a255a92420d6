//! Changes that would leave nobody to administer the instance, which are refused.

use flagstone_error::Error;
use flagstone_store::{
    access::administrators::{Administrators, are_gone},
    db::Tx,
};

/// Message for a change of a group or a role that would take the last administrator.
pub const NOBODY_ADMINISTERS: &str =
    "This would leave nobody to administer the instance; make somebody else Admin first.";
const NOBODY_SIGNS_IN: &str = "This would leave nobody who can sign in and administer the instance; make somebody Admin \
    who can still sign in, or give an administrator a personal token.";

/// Refuses a change of powers that took the last of the people who could administer the instance. Where there were none
/// before, admin tokens do it.
pub async fn keep_an_administrator(tx: &Tx, before: Administrators) -> Result<(), Error> {
    if are_gone(tx, before).await? { Err(Error::forbidden(NOBODY_ADMINISTERS)) } else { Ok(()) }
}

/// Refuses a change of ways in that took the last of those who could sign in and administer the instance.
pub async fn keep_a_way_in(tx: &Tx, before: Administrators) -> Result<(), Error> {
    if are_gone(tx, before).await? { Err(Error::forbidden(NOBODY_SIGNS_IN)) } else { Ok(()) }
}
