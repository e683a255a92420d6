//! Roles.

use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter};

use crate::store::{StoreError, entity::role};

/// A role as answers show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Role {
    /// Id of the role.
    pub id: i64,
    /// Where the role counts, such as `root` or `project`.
    pub kind: String,
    /// Unique name.
    pub name: String,
    /// What the role is for.
    pub description: String,
}

/// The role with this id.
pub async fn find(db: &impl ConnectionTrait, id: i64) -> Result<Option<Role>, StoreError> {
    let row = role::Entity::find_by_id(id).one(db).await?;
    Ok(row.map(|row| Role { id: row.id, kind: row.r#type, name: row.name, description: row.description }))
}

/// Whether a role with this id exists that counts in the whole instance.
pub async fn is_root(db: &impl ConnectionTrait, id: i64) -> Result<bool, StoreError> {
    let kinds = ["root", "root-custom"];
    Ok(role::Entity::find_by_id(id).filter(role::Column::Type.is_in(kinds)).count(db).await? > 0)
}
