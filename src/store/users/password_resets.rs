//! Links with which people set a password, stored by the digest of their secret.

use flagstone_domain::time::Timestamp;
use sea_orm::{ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, sea_query::ExprTrait};

use crate::{StoreError, access::people::Account, db::Tx, entity::password_reset, users};

/// A link that still works.
#[derive(Debug, Clone)]
pub struct PasswordReset {
    /// The user whose password it sets.
    pub account: Account,
    /// Name of who made it.
    pub created_by: Option<String>,
}

/// Stores a link in the place of earlier ones of the same person, and forgets those that have ended.
pub async fn replace(
    tx: &Tx,
    digest: &str,
    user_id: i64,
    created_by: &str,
    now: Timestamp,
    expires_at: Timestamp,
) -> Result<(), StoreError> {
    password_reset::Entity::delete_many()
        .filter(password_reset::Column::UserId.eq(user_id).or(password_reset::Column::ExpiresAt.lte(now)))
        .exec(tx)
        .await?;
    let row = password_reset::ActiveModel {
        token_hash: Set(digest.to_owned()),
        user_id: Set(user_id),
        created_by: Set(Some(created_by.to_owned())),
        created_at: Set(now),
        expires_at: Set(expires_at),
    };
    password_reset::Entity::insert(row).exec_without_returning(tx).await?;
    Ok(())
}

/// The link with this digest, unless it has ended or its person is gone.
pub async fn find(
    db: &impl ConnectionTrait,
    digest: &str,
    now: Timestamp,
) -> Result<Option<PasswordReset>, StoreError> {
    let row =
        password_reset::Entity::find_by_id(digest).filter(password_reset::Column::ExpiresAt.gt(now)).one(db).await?;
    let Some(row) = row else { return Ok(None) };
    let account = users::find(db, row.user_id).await?;
    Ok(account.map(|account| PasswordReset { account, created_by: row.created_by }))
}

/// Uses a link up; returns whether it was still there, so that of two uses one is refused.
pub async fn take(tx: &Tx, digest: &str, now: Timestamp) -> Result<bool, StoreError> {
    let deleted =
        password_reset::Entity::delete_by_id(digest).filter(password_reset::Column::ExpiresAt.gt(now)).exec(tx).await?;
    Ok(deleted.rows_affected > 0)
}

/// Forgets every link of a person.
pub async fn remove_all(tx: &Tx, user_id: i64) -> Result<(), StoreError> {
    password_reset::Entity::delete_many().filter(password_reset::Column::UserId.eq(user_id)).exec(tx).await?;
    Ok(())
}
