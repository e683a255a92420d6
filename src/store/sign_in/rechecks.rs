//! Sessions whose access is checked again at the login provider that they came through.

use flagstone_domain::{sign_in::ProviderKey, time::Timestamp};
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
    sea_query::{Expr, Query},
};

use crate::{
    StoreError,
    db::Tx,
    entity::{session, session_provider},
};

/// Session whose access is due to be checked again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueSession {
    /// Digest of the session.
    pub digest: String,
    /// Id of its owner.
    pub user_id: i64,
    /// Key of the provider that it came through.
    pub provider: ProviderKey,
    /// Data that the provider is shown, encrypted.
    pub sealed: String,
    check_at: Timestamp,
}

/// The sessions that go on and are due, those that wait the longest first.
pub async fn due(db: &impl ConnectionTrait, now: Timestamp, limit: u64) -> Result<Vec<DueSession>, StoreError> {
    let going_on = Query::select()
        .column(session::Column::IdHash)
        .from(session::Entity)
        .and_where(session::Column::ExpiresAt.gt(now))
        .to_owned();
    let rows = session_provider::Entity::find()
        .filter(session_provider::Column::CheckAt.lte(now))
        .filter(session_provider::Column::SessionHash.in_subquery(going_on))
        .order_by_asc(session_provider::Column::CheckAt)
        .order_by_asc(session_provider::Column::SessionHash)
        .limit(limit)
        .all(db)
        .await?;
    let digests = rows.iter().map(|row| row.session_hash.as_str());
    let owners = session::Entity::find().filter(session::Column::IdHash.is_in(digests)).all(db).await?;
    let owner = |digest: &str| owners.iter().find(|row| row.id_hash == digest).map(|row| row.user_id);
    Ok(rows
        .into_iter()
        .filter_map(|row| {
            let (user_id, check_at) = (owner(&row.session_hash)?, row.check_at?);
            let provider = ProviderKey::parse(&row.provider)?;
            Some(DueSession { digest: row.session_hash, user_id, provider, sealed: row.sealed, check_at })
        })
        .collect())
}

/// Puts off the next check of sessions, and returns those that no other node has put off meanwhile.
pub async fn claim(tx: &Tx, mut due: Vec<DueSession>, next: Timestamp) -> Result<Vec<DueSession>, StoreError> {
    due.sort_by(|one, other| one.digest.cmp(&other.digest));
    let mut claimed = Vec::with_capacity(due.len());
    for session in due {
        let put_off = session_provider::Entity::update_many()
            .col_expr(session_provider::Column::CheckAt, Expr::value(next))
            .filter(session_provider::Column::SessionHash.eq(&session.digest))
            .filter(session_provider::Column::CheckAt.eq(session.check_at))
            .exec(tx)
            .await?;
        if put_off.rows_affected > 0 {
            claimed.push(session);
        }
    }
    Ok(claimed)
}

/// Replaces the data that the provider is shown.
pub async fn replace_sealed(tx: &Tx, digest: &str, sealed: &str) -> Result<(), StoreError> {
    session_provider::Entity::update_many()
        .col_expr(session_provider::Column::Sealed, Expr::value(sealed))
        .filter(session_provider::Column::SessionHash.eq(digest))
        .exec(tx)
        .await?;
    Ok(())
}
