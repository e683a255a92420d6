//! Root role of users who are created without a chosen one: at their first sign-in, or by a directory.

use flagstone_domain::role::RootRole;
use flagstone_store::{self as store, StoreError, db::Tx};

/// Root role of new users, as settings name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NewcomerRole {
    /// Id of the role.
    pub id: Option<i64>,
    /// The role where no root role has the id; `None` for the one of least rights.
    pub otherwise: Option<RootRole>,
}

impl NewcomerRole {
    /// Returns the id of a role that exists.
    pub async fn find(self, tx: &Tx) -> Result<i64, StoreError> {
        if let Some(id) = self.id
            && store::roles::is_root(tx, id).await?
        {
            return Ok(id);
        }
        Ok(self.otherwise.unwrap_or(RootRole::Viewer).id())
    }
}
