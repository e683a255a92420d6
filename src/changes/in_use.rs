//! Refusing to delete what is in use.

use flagstone_domain::{
    in_use::{Subject, Users},
    visibility::Visibility,
};
use flagstone_error::Error;
use flagstone_store::{self as store, db::Tx};

/// 409 while anything uses a subject that the transaction holds. Users that the caller may not see count and are not
/// named.
pub async fn require_unused(tx: &Tx, subject: &Subject<'_>, visibility: &Visibility) -> Result<(), Error> {
    let users = store::in_use::users(tx, subject, visibility).await?;
    if users.is_used { Err(in_use(subject, &users)) } else { Ok(()) }
}

/// Error about a subject that stays for these users.
pub fn in_use(subject: &Subject<'_>, users: &Users) -> Error {
    Error::InUse { name: subject.error_name(), message: subject.refusal(users) }
}
