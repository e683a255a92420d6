//! Directories that change users and groups.

use flagstone_domain::scim::directory::DirectoryRef;
use flagstone_error::Error;
use flagstone_store::{db::Tx, scim::directories};

/// Keeps the directory that makes a change from being deleted until the transaction ends. One that is gone is refused
/// like its token: 401.
pub async fn keep(tx: &Tx, directory: &DirectoryRef) -> Result<(), Error> {
    if directories::keep(tx, directory.id()).await? { Ok(()) } else { Err(Error::Unauthenticated) }
}
