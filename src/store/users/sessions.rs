//! Sign-ins of people, stored by the digest of the cookie's value.

use sea_orm::{ActiveValue::Set, ColumnTrait, EntityTrait, QueryFilter};

use crate::{
    domain::time::Timestamp,
    store::{StoreError, db::Tx, entity::session},
};

/// Starts a session, and forgets those that have ended.
pub async fn start(
    tx: &Tx,
    digest: &str,
    user_id: i64,
    now: Timestamp,
    expires_at: Timestamp,
) -> Result<(), StoreError> {
    remove_ended(tx, now).await?;
    let row = session::ActiveModel {
        id_hash: Set(digest.to_owned()),
        user_id: Set(user_id),
        created_at: Set(now),
        expires_at: Set(expires_at),
    };
    session::Entity::insert(row).exec_without_returning(tx).await?;
    Ok(())
}

/// The owner of the session with this digest; `None` once it has ended.
pub async fn owner(tx: &Tx, digest: &str, now: Timestamp) -> Result<Option<i64>, StoreError> {
    let row = session::Entity::find_by_id(digest).one(tx).await?;
    Ok(row.filter(|row| row.expires_at > now).map(|row| row.user_id))
}

/// Ends a session, if there is one with this digest.
pub async fn end(tx: &Tx, digest: &str) -> Result<(), StoreError> {
    session::Entity::delete_by_id(digest).exec(tx).await?;
    Ok(())
}

/// Ends every session of a user but the one whose digest is `kept`, and returns their number.
pub async fn end_all(tx: &Tx, user_id: i64, kept: Option<&str>) -> Result<u64, StoreError> {
    let mut ended = session::Entity::delete_many().filter(session::Column::UserId.eq(user_id));
    if let Some(digest) = kept {
        ended = ended.filter(session::Column::IdHash.ne(digest));
    }
    Ok(ended.exec(tx).await?.rows_affected)
}

/// Forgets the sessions that have ended.
pub async fn remove_ended(tx: &Tx, now: Timestamp) -> Result<(), StoreError> {
    session::Entity::delete_many().filter(session::Column::ExpiresAt.lte(now)).exec(tx).await?;
    Ok(())
}
