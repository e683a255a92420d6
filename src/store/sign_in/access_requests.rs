//! Requests for access by identities that belong to no user. Each identity has one at most; a rejected one stays until it
//! ends.

use flagstone_domain::{access_request::AccessRequest, sign_in::ProviderKey, time::Timestamp};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, Condition, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder,
    sea_query::Expr,
};

use super::identities::Subject;
use crate::{
    StoreError,
    db::{Tx, advisory_lock::AdvisoryLock},
    entity::user_access_request,
};

/// The open requests, oldest first.
pub async fn list(db: &impl ConnectionTrait, now: Timestamp) -> Result<Vec<AccessRequest>, StoreError> {
    let rows = user_access_request::Entity::find()
        .filter(is_open(now))
        .order_by_asc(user_access_request::Column::Id)
        .all(db)
        .await?;
    Ok(rows.into_iter().filter_map(request).collect())
}

/// Number of the open requests.
pub async fn count(db: &impl ConnectionTrait, now: Timestamp) -> Result<u64, StoreError> {
    Ok(user_access_request::Entity::find().filter(is_open(now)).count(db).await?)
}

/// The open request with this id.
pub async fn find(db: &impl ConnectionTrait, id: i64, now: Timestamp) -> Result<Option<AccessRequest>, StoreError> {
    let row = user_access_request::Entity::find_by_id(id).filter(is_open(now)).one(db).await?;
    Ok(row.and_then(request))
}

/// Returns the open request with this id. First sign-ins and other decisions wait until the transaction ends.
pub async fn hold(tx: &Tx, id: i64, now: Timestamp) -> Result<Option<AccessRequest>, StoreError> {
    tx.lock_on_postgres(AdvisoryLock::Identities).await?;
    find(tx, id, now).await
}

/// The request of an identity that has not ended, open or rejected.
pub async fn find_of(tx: &Tx, subject: &Subject, now: Timestamp) -> Result<Option<AccessRequest>, StoreError> {
    let row = user_access_request::Entity::find()
        .filter(user_access_request::Column::IdentityHash.eq(subject.digest()))
        .filter(user_access_request::Column::EndsAt.gt(now))
        .one(tx)
        .await?;
    Ok(row.and_then(request))
}

/// Stores a request, whose id counts for nothing, in the place of the one that its identity has. Returns the id.
pub async fn insert(tx: &Tx, new: &AccessRequest) -> Result<i64, StoreError> {
    let subject = subject_of(new);
    remove_of(tx, &subject).await?;
    let row = user_access_request::ActiveModel {
        identity_hash: Set(subject.digest()),
        provider: Set(new.provider.to_string()),
        issuer: Set(new.issuer.clone()),
        subject: Set(new.subject.clone()),
        email: Set(new.email.clone()),
        name: Set(new.name.clone()),
        proves_owner: Set(new.proves_owner),
        requested_at: Set(new.requested_at),
        last_requested_at: Set(new.last_requested_at),
        ends_at: Set(new.ends_at),
        rejected_at: Set(new.rejected_at),
        ..Default::default()
    };
    Ok(user_access_request::Entity::insert(row).exec_with_returning(tx).await?.id)
}

/// Writes when a request was made again, rejected, and when it ends.
pub async fn save(tx: &Tx, request: &AccessRequest) -> Result<(), StoreError> {
    user_access_request::Entity::update_many()
        .col_expr(user_access_request::Column::ProvesOwner, Expr::value(request.proves_owner))
        .col_expr(user_access_request::Column::LastRequestedAt, Expr::value(request.last_requested_at))
        .col_expr(user_access_request::Column::EndsAt, Expr::value(request.ends_at))
        .col_expr(user_access_request::Column::RejectedAt, Expr::value(request.rejected_at))
        .filter(user_access_request::Column::Id.eq(request.id))
        .exec(tx)
        .await?;
    Ok(())
}

/// Removes the request of an identity.
pub async fn remove_of(tx: &Tx, subject: &Subject) -> Result<(), StoreError> {
    let of_identity = user_access_request::Column::IdentityHash.eq(subject.digest());
    user_access_request::Entity::delete_many().filter(of_identity).exec(tx).await?;
    Ok(())
}

/// Removes the requests of identities at a provider.
pub async fn remove_all_through(tx: &Tx, provider: &ProviderKey) -> Result<(), StoreError> {
    let of_provider = user_access_request::Column::Provider.eq(provider.to_string());
    user_access_request::Entity::delete_many().filter(of_provider).exec(tx).await?;
    Ok(())
}

/// Removes requests that have ended.
pub(super) async fn remove_ended(tx: &Tx, now: Timestamp) -> Result<(), StoreError> {
    user_access_request::Entity::delete_many().filter(user_access_request::Column::EndsAt.lte(now)).exec(tx).await?;
    Ok(())
}

/// The identity that makes a request.
pub fn subject_of(request: &AccessRequest) -> Subject {
    Subject { provider: request.provider.clone(), issuer: request.issuer.clone(), subject: request.subject.clone() }
}

fn is_open(now: Timestamp) -> Condition {
    Condition::all()
        .add(user_access_request::Column::RejectedAt.is_null())
        .add(user_access_request::Column::EndsAt.gt(now))
}

/// Request of a row. One at a provider of a protocol that this version does not know is none.
fn request(row: user_access_request::Model) -> Option<AccessRequest> {
    Some(AccessRequest {
        id: row.id,
        provider: ProviderKey::parse(&row.provider)?,
        issuer: row.issuer,
        subject: row.subject,
        email: row.email,
        name: row.name,
        proves_owner: row.proves_owner,
        requested_at: row.requested_at,
        last_requested_at: row.last_requested_at,
        ends_at: row.ends_at,
        rejected_at: row.rejected_at,
    })
}
