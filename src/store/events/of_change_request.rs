//! Events of one change request, with their places in the chain.

use std::collections::HashMap;

use sea_orm::{ColumnTrait, Condition, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Statement};

use crate::{
    domain::{
        change_request::{moved_in::MOVED_IN, proof::EVENT_KINDS},
        event_chain::{Hash, Link},
        stored_event::StoredEvent,
        time::Timestamp,
    },
    store::{StoreError, entity::event, events::checkpoints},
};

/// The events by which a change request of a project that was created at a time began, changed, was approved or ended,
/// oldest first; `limit` of them at most.
pub async fn list(
    db: &impl ConnectionTrait,
    id: i64,
    project: &str,
    created_at: Timestamp,
    limit: u64,
) -> Result<Vec<StoredEvent>, StoreError> {
    let Some(first) = first_since(db, created_at).await? else { return Ok(Vec::new()) };
    // Data of these events begin with the id.
    let begins = |end: char| format!("{{\"changeRequestId\":{id}{end}");
    let about = Condition::any()
        .add(event::Column::Data.starts_with(begins(',')))
        .add(event::Column::Data.starts_with(begins('}')))
        .add(event::Column::PreData.starts_with(begins('}')));
    let rows = event::Entity::find()
        .filter(event::Column::Project.eq(project))
        .filter(event::Column::Id.gte(first))
        .filter(event::Column::Type.is_in(EVENT_KINDS.map(|kind| kind.as_str()).into_iter().chain([MOVED_IN])))
        .filter(about)
        .order_by_asc(event::Column::Id)
        .limit(limit)
        .all(db)
        .await?;
    Ok(rows.into_iter().map(stored).collect())
}

/// Id of the first event that is not older than a time.
async fn first_since(db: &impl ConnectionTrait, time: Timestamp) -> Result<Option<i64>, StoreError> {
    let first = event::Entity::find()
        .select_only()
        .column(event::Column::Id)
        .filter(event::Column::CreatedAt.gte(time))
        .order_by_asc(event::Column::CreatedAt)
        .order_by_asc(event::Column::Id)
        .into_tuple()
        .one(db)
        .await?;
    Ok(first)
}

fn stored(row: event::Model) -> StoredEvent {
    StoredEvent {
        id: row.id,
        created_at: row.created_at,
        kind: row.r#type,
        created_by: row.created_by,
        created_by_user_id: row.created_by_user_id,
        environment: row.environment,
        project: row.project,
        feature_name: row.feature_name,
        data: row.data,
        pre_data: row.pre_data,
        tags: row.tags,
        reason: row.reason,
    }
}

/// Hash of the event before one, and its own.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    /// The hash that its own is made with.
    pub previous: Hash,
    /// Its hash.
    pub hash: Hash,
}

/// Places in the chain of events that have one.
pub async fn places(db: &impl ConnectionTrait, ids: &[i64]) -> Result<HashMap<i64, Place>, StoreError> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let list = ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let sql = format!(
        "SELECT event_id, hash, (SELECT earlier.hash FROM event_hash AS earlier \
         WHERE earlier.event_id < event_hash.event_id ORDER BY earlier.event_id DESC LIMIT 1) \
         FROM event_hash WHERE event_id IN ({list})"
    );
    let rows = db.query_all_raw(Statement::from_string(db.get_database_backend(), sql)).await?;
    let begins = checkpoints::beginning(db).await?.map_or(Link::BEGINNING, |(link, _)| link);
    let mut places = HashMap::with_capacity(rows.len());
    for row in rows {
        let (id, hash): (i64, Vec<u8>) = (row.try_get_by_index(0)?, row.try_get_by_index(1)?);
        let previous: Option<Vec<u8>> = row.try_get_by_index(2)?;
        // What is no hash fits no event.
        let hash = Hash::of_bytes(&hash).unwrap_or(Hash::BEGINNING);
        let previous = previous.map_or(begins.hash, |previous| Hash::of_bytes(&previous).unwrap_or(Hash::BEGINNING));
        places.insert(id, Place { previous, hash });
    }
    Ok(places)
}
