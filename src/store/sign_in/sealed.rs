//! Values that are kept for a short while, encrypted, by the digest of a secret that names them: tickets and trials.

use flagstone_domain::{secret, time::Timestamp};
use sea_orm::{ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QuerySelect};

use crate::{
    StoreError,
    db::Tx,
    entity::{sign_in_ticket, sign_in_trial},
};

/// Stores the value of a ticket.
pub async fn insert_ticket(tx: &Tx, ticket: &str, sealed: &str, expires_at: Timestamp) -> Result<(), StoreError> {
    let row = sign_in_ticket::ActiveModel {
        ticket_hash: Set(secret::digest(ticket)),
        sealed: Set(sealed.to_owned()),
        expires_at: Set(expires_at),
    };
    sign_in_ticket::Entity::insert(row).exec_without_returning(tx).await?;
    Ok(())
}

/// Takes the value of a ticket, which is void from then on. Of several requests with it one gets the value.
pub async fn take_ticket(tx: &Tx, ticket: &str, now: Timestamp) -> Result<Option<String>, StoreError> {
    let digest = secret::digest(ticket);
    let row = sign_in_ticket::Entity::find_by_id(&digest).lock_exclusive().one(tx).await?;
    let taken = sign_in_ticket::Entity::delete_by_id(&digest).exec(tx).await?.rows_affected > 0;
    Ok(row.filter(|row| taken && row.expires_at > now).map(|row| row.sealed))
}

/// Keeps a trial.
pub async fn insert_trial(tx: &Tx, id: &str, sealed: &str, expires_at: Timestamp) -> Result<(), StoreError> {
    let row = sign_in_trial::ActiveModel {
        trial_hash: Set(secret::digest(id)),
        sealed: Set(sealed.to_owned()),
        expires_at: Set(expires_at),
    };
    sign_in_trial::Entity::insert(row).exec_without_returning(tx).await?;
    Ok(())
}

/// A trial that is not over.
pub async fn find_trial(db: &impl ConnectionTrait, id: &str, now: Timestamp) -> Result<Option<String>, StoreError> {
    let row = sign_in_trial::Entity::find_by_id(secret::digest(id)).one(db).await?;
    Ok(row.filter(|row| row.expires_at > now).map(|row| row.sealed))
}

/// Puts what came of a trial in its place.
pub async fn save_trial(tx: &Tx, id: &str, sealed: &str) -> Result<(), StoreError> {
    let row = sign_in_trial::ActiveModel {
        trial_hash: Set(secret::digest(id)),
        sealed: Set(sealed.to_owned()),
        ..Default::default()
    };
    sign_in_trial::Entity::update_many()
        .set(row)
        .filter(sign_in_trial::Column::TrialHash.eq(secret::digest(id)))
        .exec(tx)
        .await?;
    Ok(())
}

/// All trials that are not over, encrypted.
pub async fn trials(db: &impl ConnectionTrait, now: Timestamp) -> Result<Vec<String>, StoreError> {
    let rows = sign_in_trial::Entity::find().filter(sign_in_trial::Column::ExpiresAt.gt(now)).all(db).await?;
    Ok(rows.into_iter().map(|row| row.sealed).collect())
}

/// Forgets everything, for when the key is lost.
pub async fn remove_all(tx: &Tx) -> Result<(), StoreError> {
    sign_in_ticket::Entity::delete_many().exec(tx).await?;
    sign_in_trial::Entity::delete_many().exec(tx).await?;
    Ok(())
}

pub(super) async fn remove_ended(tx: &Tx, now: Timestamp) -> Result<(), StoreError> {
    sign_in_ticket::Entity::delete_many().filter(sign_in_ticket::Column::ExpiresAt.lte(now)).exec(tx).await?;
    sign_in_trial::Entity::delete_many().filter(sign_in_trial::Column::ExpiresAt.lte(now)).exec(tx).await?;
    Ok(())
}
