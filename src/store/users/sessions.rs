//! Sign-ins of people, stored by the digest of the cookie's value.

use std::sync::Arc;

use flagstone_domain::{
    filter::Page,
    session::{Client, Session, is_id},
    sign_in_log::Method,
    time::Timestamp,
};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, Condition, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect, Select,
    sea_query::{Expr, LockBehavior, LockType},
};

use crate::{
    StoreError,
    db::{Tx, batches::ASKED_AT_ONCE},
    entity::session,
};

/// A session to start.
#[derive(Debug, Clone)]
pub struct NewSession<'a> {
    /// Digest of the cookie's value.
    pub digest: &'a str,
    /// Id of the user who signs in.
    pub user_id: i64,
    /// Way of signing in.
    pub method: Method,
    /// Client that it begins in.
    pub client: Client,
    /// When it begins.
    pub now: Timestamp,
    /// When it ends.
    pub expires_at: Timestamp,
}

/// Starts a session, and forgets those that have ended.
pub async fn start(tx: &Tx, new: NewSession<'_>) -> Result<(), StoreError> {
    let NewSession { digest, user_id, method, client, now, expires_at } = new;
    remove_ended(tx, now).await?;
    let row = session::ActiveModel {
        id_hash: Set(digest.to_owned()),
        user_id: Set(user_id),
        created_at: Set(now),
        expires_at: Set(expires_at),
        method: Set(Some(method.as_str().to_owned())),
        address: Set(client.address),
        user_agent: Set(client.user_agent),
        seen_at: Set(Some(now)),
    };
    session::Entity::insert(row).exec_without_returning(tx).await?;
    Ok(())
}

/// The owner of the session with this digest; `None` once it has ended.
pub async fn owner(tx: &Tx, digest: &str, now: Timestamp) -> Result<Option<i64>, StoreError> {
    let row = session::Entity::find_by_id(digest).one(tx).await?;
    Ok(row.filter(|row| row.expires_at > now).map(|row| row.user_id))
}

/// A page of the sessions that go on, of one user or of all, newest first, and the number of all of them.
pub async fn list(
    db: &impl ConnectionTrait,
    user_id: Option<i64>,
    page: Page,
    now: Timestamp,
) -> Result<(Vec<Session>, u64), StoreError> {
    let going_on = going_on(user_id, now);
    let rows = going_on
        .clone()
        .order_by_desc(session::Column::CreatedAt)
        .order_by_asc(session::Column::IdHash)
        .offset(page.offset)
        .limit(page.limit)
        .all(db)
        .await?;
    let read = u64::try_from(rows.len()).unwrap_or(u64::MAX);
    let is_last = read > 0 && read < page.limit || page.offset == 0 && read == 0;
    let total = if is_last { page.offset.saturating_add(read) } else { going_on.count(db).await? };
    Ok((rows.into_iter().map(session_of).collect(), total))
}

fn going_on(user_id: Option<i64>, now: Timestamp) -> Select<session::Entity> {
    let sessions = session::Entity::find().filter(session::Column::ExpiresAt.gt(now));
    match user_id {
        Some(user_id) => sessions.filter(session::Column::UserId.eq(user_id)),
        None => sessions,
    }
}

fn session_of(row: session::Model) -> Session {
    Session {
        digest: row.id_hash,
        user_id: row.user_id,
        method: row.method.as_deref().and_then(Method::parse),
        client: Client { address: row.address, user_agent: row.user_agent },
        created_at: row.created_at,
        seen_at: row.seen_at.unwrap_or(row.created_at),
        expires_at: row.expires_at,
    }
}

/// Sessions to end.
#[derive(Debug, Clone, Copy, Default)]
pub struct Ending<'a> {
    /// Owner of the sessions; `None` for those of all users.
    pub user_id: Option<i64>,
    /// Id of the one session that is meant; `None` for all.
    pub id: Option<&'a str>,
    /// Digest of the session that goes on in any case.
    pub kept: Option<&'a str>,
}

/// Ends sessions that go on, and returns them, those of each user together. Of two who end the same one, the second
/// ends nothing.
pub async fn end_those(tx: &Tx, ending: Ending<'_>, now: Timestamp) -> Result<Vec<Session>, StoreError> {
    let mut meant = going_on(ending.user_id, now);
    if let Some(id) = ending.id {
        if !is_id(id) {
            return Ok(Vec::new());
        }
        // `g` follows the last digit: all digests that begin with the id, by the index.
        meant = meant.filter(session::Column::IdHash.gte(id)).filter(session::Column::IdHash.lt(format!("{id}g")));
    }
    if let Some(kept) = ending.kept {
        meant = meant.filter(session::Column::IdHash.ne(kept));
    }
    // In one order, so that no two who end several wait for each other in a circle.
    let rows = meant.order_by_asc(session::Column::IdHash).lock(LockType::Update).all(tx).await?;
    let mut ended: Vec<Session> = rows.into_iter().map(session_of).collect();
    for batch in ended.chunks(ASKED_AT_ONCE) {
        let digests = batch.iter().map(|session| session.digest.as_str());
        session::Entity::delete_many().filter(session::Column::IdHash.is_in(digests)).exec(tx).await?;
    }
    ended.sort_by_key(|session| session.user_id);
    Ok(ended)
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

/// Writes when sessions were last used, by digest. One that is just being ended is left alone.
pub async fn mark_seen(tx: &Tx, sightings: &[(Arc<str>, Timestamp)]) -> Result<(), StoreError> {
    for batch in sightings.chunks(ASKED_AT_ONCE) {
        let held: Vec<String> = session::Entity::find()
            .select_only()
            .column(session::Column::IdHash)
            .filter(session::Column::IdHash.is_in(batch.iter().map(|(digest, _)| &**digest)))
            .lock_with_behavior(LockType::NoKeyUpdate, LockBehavior::SkipLocked)
            .into_tuple()
            .all(tx)
            .await?;
        for (digest, seen_at) in batch.iter().filter(|(digest, _)| held.iter().any(|held| **held == **digest)) {
            // Another node may have seen it later.
            let is_later =
                Condition::any().add(session::Column::SeenAt.is_null()).add(session::Column::SeenAt.lt(*seen_at));
            session::Entity::update_many()
                .col_expr(session::Column::SeenAt, Expr::value(*seen_at))
                .filter(session::Column::IdHash.eq(&**digest))
                .filter(is_later)
                .exec(tx)
                .await?;
        }
    }
    Ok(())
}
