//! The hashes of events: beside the events, in their order, as far as they have been made.

use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, DatabaseBackend, DbErr, EntityTrait, QueryFilter, QueryOrder,
    QuerySelect, Statement,
};
use serde::Deserialize;

use crate::{
    domain::{
        event_chain::{Hash, Link, Page},
        stored_event::StoredEvent,
    },
    store::{
        StoreError,
        db::{Tx, advisory_lock::AdvisoryLock, packed},
        entity::event_hash,
        events::checkpoints,
    },
};

/// Casts keep a value of another type, which only somebody else can have stored, from ending the whole answer.
const EVENT_ON_SQLITE: &str = "json_group_array(json_array(CAST(id AS integer), CAST(created_at AS integer), \
     CAST(type AS text), CAST(created_by AS text), CAST(created_by_user_id AS integer), CAST(environment AS text), \
     CAST(project AS text), CAST(feature_name AS text), CAST(data AS text), CAST(pre_data AS text), CAST(tags AS text)))";
const EVENT_ON_POSTGRES: &str = "CAST(json_agg(json_build_array(id, created_at, type, created_by, created_by_user_id, \
     environment, project, feature_name, data, pre_data, tags)) AS text)";
const HASH_ON_SQLITE: &str = "json_group_array(json_array(event_id, hex(hash)))";
const HASH_ON_POSTGRES: &str = "CAST(json_agg(json_build_array(event_id, encode(hash, 'hex'))) AS text)";

/// The events after one, up to another, oldest first, with the hashes that they have; at one moment.
///
/// Where a hash has no event, it stands among those of the events around it; after the last event of the page come as
/// many as there are, but not more than `limit`.
pub async fn page(db: &impl ConnectionTrait, after: i64, up_to: i64, limit: u64) -> Result<Page, StoreError> {
    let backend = db.get_database_backend();
    let (event, hash) = match backend {
        DatabaseBackend::Postgres => (EVENT_ON_POSTGRES, HASH_ON_POSTGRES),
        _ => (EVENT_ON_SQLITE, HASH_ON_SQLITE),
    };
    // A full page ends at its last event, and one that is not full at the end that was asked for.
    let last = "SELECT id FROM event WHERE id > $1 AND id <= $2 ORDER BY id LIMIT 1 OFFSET $3";
    let sql = format!(
        "WITH page(up_to) AS MATERIALIZED (SELECT coalesce(({last}), $2)) \
         SELECT (SELECT {event} FROM event WHERE id > $1 AND id <= (SELECT up_to FROM page)), \
         (SELECT {hash} FROM (SELECT event_id, hash FROM event_hash \
         WHERE event_id > $1 AND event_id <= (SELECT up_to FROM page) ORDER BY event_id LIMIT $4) AS hashes)"
    );
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let values = [after.into(), up_to.into(), (limit - 1).into(), limit.saturating_add(1).into()];
    let row = db.query_one_raw(Statement::from_sql_and_values(backend, sql, values)).await?;
    let row = row.ok_or_else(|| DbErr::RecordNotFound("page".to_owned()))?;
    let mut events: Vec<StoredEvent> = packed::list(&row, 0)?;
    let hashes: Vec<HashRow> = packed::list(&row, 1)?;
    let mut links: Vec<Link> = hashes.into_iter().map(HashRow::link).collect();
    events.sort_unstable_by_key(|event| event.id);
    links.sort_unstable_by_key(|link| link.event_id);
    Ok(Page { events, links })
}

#[derive(Deserialize)]
struct HashRow(i64, String);

impl HashRow {
    /// What is no hash is none that any event has.
    fn link(self) -> Link {
        Link { event_id: self.0, hash: Hash::parse(&self.1).unwrap_or(Hash::BEGINNING) }
    }
}

/// Where the chain ends: at the last event that has a hash, or where retention made it begin.
pub async fn head(db: &impl ConnectionTrait) -> Result<Link, StoreError> {
    match event_hash::Entity::find().order_by_desc(event_hash::Column::EventId).one(db).await? {
        Some(row) => Ok(link(&row)),
        None => Ok(checkpoints::beginning(db).await?.map_or(Link::BEGINNING, |(link, _)| link)),
    }
}

/// The last place of the chain that is not behind an event, if there is one.
pub async fn place(db: &impl ConnectionTrait, event_id: i64) -> Result<Option<Link>, StoreError> {
    let before = event_hash::Entity::find().filter(event_hash::Column::EventId.lte(event_id));
    let row = before.order_by_desc(event_hash::Column::EventId).limit(1).one(db).await?;
    Ok(row.as_ref().map(link))
}

fn link(row: &event_hash::Model) -> Link {
    Link { event_id: row.event_id, hash: Hash::of_bytes(&row.hash).unwrap_or(Hash::BEGINNING) }
}

/// Adds to the chain, unless it does not end at `head` any more. Tells whether it was added to.
pub async fn append(tx: &Tx, from: Link, links: &[Link]) -> Result<bool, StoreError> {
    tx.lock_on_postgres(AdvisoryLock::EventChain).await?;
    if head(tx).await? != from {
        return Ok(false);
    }
    let rows = links
        .iter()
        .map(|link| event_hash::ActiveModel { event_id: Set(link.event_id), hash: Set(link.hash.bytes().to_vec()) });
    event_hash::Entity::insert_many(rows).exec_without_returning(tx).await?;
    Ok(true)
}

/// How far the log and its chain are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Reach {
    /// Id of the first event; 0 for an empty log.
    pub first: i64,
    /// Id of the newest event; 0 for an empty log.
    pub newest: i64,
    /// Id of the last event that has a hash; 0 without one.
    pub hashed: i64,
}

/// How far the log and its chain are, at one moment.
pub async fn reach(db: &impl ConnectionTrait) -> Result<Reach, StoreError> {
    let sql = "SELECT (SELECT min(id) FROM event), (SELECT max(id) FROM event), (SELECT max(event_id) FROM event_hash)";
    let row = db.query_one_raw(Statement::from_string(db.get_database_backend(), sql)).await?;
    let row = row.ok_or_else(|| DbErr::RecordNotFound("reach".to_owned()))?;
    let id = |column: usize| row.try_get_by_index::<Option<i64>>(column).map(Option::unwrap_or_default);
    Ok(Reach { first: id(0)?, newest: id(1)?, hashed: id(2)? })
}
