//! Passkeys of users, among their second factors.

use flagstone_domain::{opaque_debug, passkey::Passkey, second_factor::Kind, time::Timestamp};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select,
};

use crate::{StoreError, db::Tx, entity::second_factor};

/// A passkey as it is stored, for checking it. Printing it does not show its content.
#[derive(Clone)]
pub struct StoredPasskey {
    /// Id of the passkey.
    pub id: i64,
    /// Id of its user.
    pub user_id: i64,
    /// Its content, sealed for [`super::second_factors::place`].
    pub sealed: String,
}

opaque_debug!(StoredPasskey { id, .. });

/// A passkey to store.
#[derive(Clone)]
pub struct NewPasskey<'a> {
    /// Id of its user.
    pub user_id: i64,
    /// Its name.
    pub name: &'a str,
    /// Digest of the id by which it calls itself.
    pub credential_digest: &'a str,
    /// Its content, sealed for [`super::second_factors::place`].
    pub sealed: &'a str,
}

opaque_debug!(NewPasskey<'_> { name, .. });

fn of_user(user_id: i64) -> Select<second_factor::Entity> {
    second_factor::Entity::find()
        .filter(second_factor::Column::UserId.eq(user_id))
        .filter(second_factor::Column::Kind.eq(Kind::Passkey.as_str()))
}

fn passkey_of(row: second_factor::Model) -> Passkey {
    let second_factor::Model { id, name, created_at, used_at, .. } = row;
    Passkey { id, name: name.unwrap_or_default(), created_at, used_at }
}

fn stored(row: second_factor::Model) -> StoredPasskey {
    StoredPasskey { id: row.id, user_id: row.user_id, sealed: row.sealed }
}

/// The passkeys of a user, the oldest first.
pub async fn list(db: &impl ConnectionTrait, user_id: i64) -> Result<Vec<Passkey>, StoreError> {
    let rows = of_user(user_id).order_by_asc(second_factor::Column::Id).all(db).await?;
    Ok(rows.into_iter().map(passkey_of).collect())
}

/// The passkeys of a user as they are stored, the oldest first.
pub async fn list_stored(db: &impl ConnectionTrait, user_id: i64) -> Result<Vec<StoredPasskey>, StoreError> {
    let rows = of_user(user_id).order_by_asc(second_factor::Column::Id).all(db).await?;
    Ok(rows.into_iter().map(stored).collect())
}

/// A passkey of a user by its id.
pub async fn find(db: &impl ConnectionTrait, user_id: i64, id: i64) -> Result<Option<Passkey>, StoreError> {
    let row = of_user(user_id).filter(second_factor::Column::Id.eq(id)).one(db).await?;
    Ok(row.map(passkey_of))
}

fn with_digest(credential_digest: &str) -> Select<second_factor::Entity> {
    second_factor::Entity::find().filter(second_factor::Column::CredentialHash.eq(credential_digest))
}

/// Id of the user whose passkey calls itself by the id with a digest.
pub async fn owner(db: &impl ConnectionTrait, credential_digest: &str) -> Result<Option<i64>, StoreError> {
    Ok(with_digest(credential_digest).one(db).await?.map(|row| row.user_id))
}

/// The passkey that calls itself by the id with a digest, locked until the transaction ends, so that its counter grows
/// with each use.
pub async fn hold(tx: &Tx, credential_digest: &str) -> Result<Option<StoredPasskey>, StoreError> {
    Ok(with_digest(credential_digest).lock_exclusive().one(tx).await?.map(stored))
}

/// Stores a passkey, which is in use from now on. Returns its id. One that is registered already, for
/// whomever, is a duplicate.
pub async fn insert(tx: &Tx, new: NewPasskey<'_>, now: Timestamp) -> Result<i64, StoreError> {
    let row = second_factor::ActiveModel {
        user_id: Set(new.user_id),
        kind: Set(Kind::Passkey.as_str().to_owned()),
        sealed: Set(new.sealed.to_owned()),
        created_at: Set(now),
        confirmed_at: Set(Some(now)),
        name: Set(Some(new.name.to_owned())),
        credential_hash: Set(Some(new.credential_digest.to_owned())),
        ..Default::default()
    };
    Ok(second_factor::Entity::insert(row).exec_with_returning(tx).await?.id)
}

/// Notes that a passkey proved its user, with its new content if that changed.
pub async fn note_use(tx: &Tx, id: i64, sealed: Option<String>, now: Timestamp) -> Result<(), StoreError> {
    let mut row = second_factor::ActiveModel { id: Set(id), used_at: Set(Some(now)), ..Default::default() };
    if let Some(sealed) = sealed {
        row.sealed = Set(sealed);
    }
    second_factor::Entity::update(row).exec(tx).await?;
    Ok(())
}

/// Gives a passkey another name.
pub async fn rename(tx: &Tx, id: i64, name: &str) -> Result<(), StoreError> {
    let row = second_factor::ActiveModel { id: Set(id), name: Set(Some(name.to_owned())), ..Default::default() };
    second_factor::Entity::update(row).exec(tx).await?;
    Ok(())
}

/// Removes a passkey.
pub async fn remove(tx: &Tx, id: i64) -> Result<(), StoreError> {
    second_factor::Entity::delete_by_id(id).exec(tx).await?;
    Ok(())
}
