//! Directories that change users and groups.

use crate::{
    domain::scim::directory::DirectoryRef,
    error::Error,
    store::{db::Tx, scim::directories},
};

/// Keeps the directory that makes a change from being deleted until the transaction ends. One that is gone is refused
/// like its token: 401.
pub async fn keep(tx: &Tx, directory: &DirectoryRef) -> Result<(), Error> {
    if directories::keep(tx, directory.id()).await? { Ok(()) } else { Err(Error::Unauthenticated) }
}
