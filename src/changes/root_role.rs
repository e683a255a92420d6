//! Choice of a root role, by id or by name.

use flagstone_error::Error;
use flagstone_store::{self as store, db::Tx};

/// Root role as it was chosen: by id, or else by name.
#[derive(Debug, Clone, Copy, Default)]
pub struct RootRole<'a> {
    /// Id of the role.
    pub id: Option<i64>,
    /// Name of the role.
    pub name: Option<&'a str>,
}

impl RootRole<'_> {
    /// Returns the id of the role, or [`RootRole::unknown`] when there is no such root role.
    pub async fn find(self, tx: &Tx) -> Result<i64, Error> {
        let role = store::users::find_root_role(tx, self.id, self.name).await?;
        Ok(role.ok_or_else(Self::unknown)?.id)
    }

    /// Error about `/body/rootRole` that names no root role.
    pub fn unknown() -> Error {
        Error::property("/body/rootRole", "must be the id or the name of a root role that exists")
    }
}
