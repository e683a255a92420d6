//! Links with which people become users by themselves, stored by the digest of their secret.

use flagstone_domain::{email, signup_link::SignupLink, time::Timestamp};
use sea_orm::{ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use crate::{
    StoreError,
    access::people::Account,
    db::Tx,
    entity::{signup_link, signup_link_user},
    users,
};

/// Stores a link under a new id.
pub async fn insert(
    tx: &Tx,
    digest: &str,
    name: &str,
    email: Option<&str>,
    created_by: &str,
    now: Timestamp,
    expires_at: Timestamp,
) -> Result<SignupLink, StoreError> {
    let row = signup_link::ActiveModel {
        secret_hash: Set(digest.to_owned()),
        name: Set(name.to_owned()),
        enabled: Set(true),
        expires_at: Set(expires_at),
        created_at: Set(now),
        created_by: Set(Some(created_by.to_owned())),
        email: Set(email.map(email::folded)),
        ..Default::default()
    };
    Ok(link_of(signup_link::Entity::insert(row).exec_with_returning(tx).await?))
}

/// Every link with the people who came through it, newest first.
pub async fn list(db: &impl ConnectionTrait) -> Result<Vec<(SignupLink, Vec<Account>)>, StoreError> {
    let rows = signup_link::Entity::find().order_by_desc(signup_link::Column::Id).all(db).await?;
    with_users(db, rows).await
}

/// The link with this id, and the people who came through it.
pub async fn find(db: &impl ConnectionTrait, id: i64) -> Result<Option<(SignupLink, Vec<Account>)>, StoreError> {
    let row = signup_link::Entity::find_by_id(id).one(db).await?;
    Ok(with_users(db, row.into_iter().collect()).await?.pop())
}

/// The id of the link whose secret has this digest.
pub async fn find_id(db: &impl ConnectionTrait, digest: &str) -> Result<Option<i64>, StoreError> {
    let id = signup_link::Entity::find()
        .select_only()
        .column(signup_link::Column::Id)
        .filter(signup_link::Column::SecretHash.eq(digest))
        .into_tuple()
        .one(db)
        .await?;
    Ok(id)
}

/// Returns the link with this id, locked until the transaction ends.
pub async fn hold(tx: &Tx, id: i64) -> Result<Option<SignupLink>, StoreError> {
    Ok(signup_link::Entity::find_by_id(id).lock_exclusive().one(tx).await?.map(link_of))
}

/// Writes whether a link lets people in, and until when.
pub async fn save(tx: &Tx, link: &SignupLink) -> Result<(), StoreError> {
    let row = signup_link::ActiveModel {
        id: Set(link.id),
        enabled: Set(link.enabled),
        expires_at: Set(link.expires_at),
        ..Default::default()
    };
    signup_link::Entity::update(row).exec(tx).await?;
    Ok(())
}

/// Notes that a user signed up through a link.
pub async fn add_user(tx: &Tx, link_id: i64, user_id: i64) -> Result<(), StoreError> {
    let row = signup_link_user::ActiveModel { link_id: Set(link_id), user_id: Set(user_id) };
    signup_link_user::Entity::insert(row).exec_without_returning(tx).await?;
    Ok(())
}

async fn with_users(
    db: &impl ConnectionTrait,
    rows: Vec<signup_link::Model>,
) -> Result<Vec<(SignupLink, Vec<Account>)>, StoreError> {
    let joined = signup_link_user::Entity::find()
        .filter(signup_link_user::Column::LinkId.is_in(rows.iter().map(|row| row.id)))
        .all(db)
        .await?;
    let ids: Vec<i64> = joined.iter().map(|row| row.user_id).collect();
    let accounts = users::list(db, &ids).await?;
    let came_through =
        |link: i64, account: &Account| joined.iter().any(|row| row.link_id == link && row.user_id == account.id);
    let of_row = |row: signup_link::Model| {
        let users = accounts.iter().filter(|account| came_through(row.id, account)).cloned().collect();
        (link_of(row), users)
    };
    Ok(rows.into_iter().map(of_row).collect())
}

fn link_of(row: signup_link::Model) -> SignupLink {
    SignupLink {
        id: row.id,
        name: row.name,
        enabled: row.enabled,
        expires_at: row.expires_at,
        created_at: row.created_at,
        created_by: row.created_by,
        email: row.email,
    }
}
