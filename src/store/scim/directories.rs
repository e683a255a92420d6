//! Directories with a name and a token of their own, and what belongs to each.

use std::collections::BTreeMap;

use flagstone_domain::{
    scim::directory::{DirectoryDocument, DirectoryRef},
    time::Timestamp,
};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect,
    sea_query::{Expr, LockType, Query, SelectStatement},
};

use crate::{
    StoreError,
    access::people::is_person,
    db::Tx,
    entity::{app_user, nested_group, scim_directory, user_group, user_group_member},
};

/// A directory with what is known of its use.
#[derive(Debug, Clone)]
pub struct StoredDirectory {
    /// The directory.
    pub document: DirectoryDocument,
    /// When its token was last used; `None` for never.
    pub last_used_at: Option<Timestamp>,
    /// Number of users who are its own.
    pub users: i64,
    /// Number of groups that are its own.
    pub groups: i64,
}

/// Ids of what was a directory's own, sorted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Released {
    /// Ids of the users.
    pub users: Vec<i64>,
    /// Ids of the groups.
    pub groups: Vec<i64>,
}

/// Condition that a column has the id of a directory, or none for the default one.
pub(crate) fn is_of<C: ColumnTrait>(column: C, directory: Option<i64>) -> Expr {
    match directory {
        Some(id) => column.eq(id),
        None => column.is_null(),
    }
}

fn document(row: &scim_directory::Model) -> DirectoryDocument {
    DirectoryDocument {
        id: row.id,
        name: row.name.clone(),
        created_at: row.created_at,
        created_by: row.created_by.clone().into(),
        token_created_at: row.token_created_at,
    }
}

/// Every directory with a name, by id.
pub async fn list(db: &impl ConnectionTrait) -> Result<Vec<StoredDirectory>, StoreError> {
    let users: Vec<(i64, i64)> = app_user::Entity::find()
        .select_only()
        .column(app_user::Column::ScimDirectoryId)
        .column_as(app_user::Column::Id.count(), "users")
        .filter(is_person())
        .filter(app_user::Column::ScimDirectoryId.is_not_null())
        .group_by(app_user::Column::ScimDirectoryId)
        .into_tuple()
        .all(db)
        .await?;
    let groups: Vec<(i64, i64)> = user_group::Entity::find()
        .select_only()
        .column(user_group::Column::ScimDirectoryId)
        .column_as(user_group::Column::Id.count(), "groups")
        .filter(user_group::Column::ScimDirectoryId.is_not_null())
        .group_by(user_group::Column::ScimDirectoryId)
        .into_tuple()
        .all(db)
        .await?;
    let (users, groups): (BTreeMap<i64, i64>, BTreeMap<i64, i64>) =
        (users.into_iter().collect(), groups.into_iter().collect());
    let rows = scim_directory::Entity::find().order_by_asc(scim_directory::Column::Id).all(db).await?;
    let stored = |row: scim_directory::Model| StoredDirectory {
        document: document(&row),
        last_used_at: row.last_used_at,
        users: users.get(&row.id).copied().unwrap_or_default(),
        groups: groups.get(&row.id).copied().unwrap_or_default(),
    };
    Ok(rows.into_iter().map(stored).collect())
}

/// The directory with this digest of a token.
pub async fn find_by_token(db: &impl ConnectionTrait, digest: &str) -> Result<Option<DirectoryRef>, StoreError> {
    let row = scim_directory::Entity::find().filter(scim_directory::Column::TokenHash.eq(digest)).one(db).await?;
    Ok(row.map(|row| DirectoryRef { named: Some((row.id, row.name)) }))
}

/// Number of directories with a name.
pub async fn count(db: &impl ConnectionTrait) -> Result<u64, StoreError> {
    Ok(scim_directory::Entity::find().count(db).await?)
}

/// Stores a directory, and returns it.
pub async fn insert(
    tx: &Tx,
    name: &str,
    token_hash: String,
    created_by: &str,
    now: Timestamp,
) -> Result<DirectoryDocument, StoreError> {
    let row = scim_directory::ActiveModel {
        name: Set(name.to_owned()),
        token_hash: Set(token_hash),
        created_at: Set(now),
        created_by: Set(Some(created_by.to_owned())),
        token_created_at: Set(now),
        ..Default::default()
    };
    Ok(document(&scim_directory::Entity::insert(row).exec_with_returning(tx).await?))
}

/// Returns a directory, locked until the transaction ends.
pub async fn hold(tx: &Tx, id: i64) -> Result<Option<DirectoryDocument>, StoreError> {
    let row = scim_directory::Entity::find_by_id(id).lock(LockType::Update).one(tx).await?;
    Ok(row.as_ref().map(document))
}

/// Keeps a directory from being deleted until the transaction ends. Returns whether it exists; the default one, without
/// an id, always does.
pub async fn keep(tx: &Tx, id: Option<i64>) -> Result<bool, StoreError> {
    let Some(id) = id else { return Ok(true) };
    Ok(scim_directory::Entity::find_by_id(id).lock(LockType::KeyShare).one(tx).await?.is_some())
}

/// Replaces the token of a directory.
pub async fn set_token(tx: &Tx, id: i64, token_hash: String, now: Timestamp) -> Result<(), StoreError> {
    let row = scim_directory::ActiveModel {
        id: Set(id),
        token_hash: Set(token_hash),
        token_created_at: Set(now),
        ..Default::default()
    };
    scim_directory::Entity::update(row).exec(tx).await?;
    Ok(())
}

/// Notes when the tokens of directories were last used: ids and times.
pub async fn mark_seen(tx: &Tx, used: &[(i64, Timestamp)]) -> Result<(), StoreError> {
    for (id, at) in used {
        scim_directory::Entity::update_many()
            .col_expr(scim_directory::Column::LastUsedAt, Expr::value(*at))
            .filter(scim_directory::Column::Id.eq(*id))
            .exec(tx)
            .await?;
    }
    Ok(())
}

/// Deletes a directory. Its users and groups stay, as if made by hand: what it knew of them is gone, groups keep all of
/// their people as direct members, and none is nested any more. Deleted users are nobody's, so that no other directory
/// brings them back. Returns the users and groups that stay.
pub async fn delete(tx: &Tx, id: i64, now: Timestamp) -> Result<Released, StoreError> {
    let users: Vec<i64> = app_user::Entity::find()
        .select_only()
        .column(app_user::Column::Id)
        .filter(is_person())
        .filter(app_user::Column::ScimDirectoryId.eq(id))
        .order_by_asc(app_user::Column::Id)
        .into_tuple()
        .all(tx)
        .await?;
    let groups: Vec<i64> = user_group::Entity::find()
        .select_only()
        .column(user_group::Column::Id)
        .filter(user_group::Column::ScimDirectoryId.eq(id))
        .order_by_asc(user_group::Column::Id)
        .into_tuple()
        .all(tx)
        .await?;
    user_group_member::Entity::update_many()
        .col_expr(user_group_member::Column::IsDirect, Expr::value(true))
        .filter(user_group_member::Column::IsDirect.eq(false))
        .filter(user_group_member::Column::GroupId.in_subquery(groups_of(id)))
        .exec(tx)
        .await?;
    nested_group::Entity::delete_many()
        .filter(nested_group::Column::OuterId.in_subquery(groups_of(id)))
        .exec(tx)
        .await?;
    app_user::Entity::update_many()
        .col_expr(app_user::Column::ScimKey, Expr::value(None::<String>))
        .col_expr(app_user::Column::ScimExternalId, Expr::value(None::<String>))
        .col_expr(app_user::Column::ScimNames, Expr::value(None::<String>))
        .col_expr(app_user::Column::ScimOrigin, Expr::value(None::<String>))
        .col_expr(app_user::Column::ScimDirectoryId, Expr::value(None::<i64>))
        .col_expr(app_user::Column::EndedByDirectory, Expr::value(false))
        .col_expr(app_user::Column::ChangedAt, Expr::value(now))
        .filter(app_user::Column::ScimDirectoryId.eq(id))
        .exec(tx)
        .await?;
    user_group::Entity::update_many()
        .col_expr(user_group::Column::IsScim, Expr::value(false))
        .col_expr(user_group::Column::ScimExternalId, Expr::value(None::<String>))
        .col_expr(user_group::Column::ScimOrigin, Expr::value(None::<String>))
        .col_expr(user_group::Column::ScimDirectoryId, Expr::value(None::<i64>))
        .col_expr(user_group::Column::ChangedAt, Expr::value(now))
        .filter(user_group::Column::ScimDirectoryId.eq(id))
        .exec(tx)
        .await?;
    scim_directory::Entity::delete_by_id(id).exec(tx).await?;
    Ok(Released { users, groups })
}

/// Ids of the groups of a directory.
fn groups_of(id: i64) -> SelectStatement {
    Query::select()
        .column(user_group::Column::Id)
        .from(user_group::Entity)
        .and_where(user_group::Column::ScimDirectoryId.eq(id))
        .to_owned()
}
