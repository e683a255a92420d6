//! Events of one change request, with their places in the chain.

use std::collections::HashMap;

use flagstone_domain::{
    change_request::{moved_in::MOVED_IN, proof::EVENT_KINDS},
    event_chain::{Hash, Link},
    event_kind::EventKind,
    stored_event::StoredEvent,
    time::Timestamp,
};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select, Statement,
    sea_query::Expr,
};

use crate::{StoreError, entity::event, events::checkpoints};

/// Bounds of what is read of a change request.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// Most events.
    pub events: u64,
    /// Most bytes of their data.
    pub bytes: u64,
}

/// Events of a change request, within bounds.
#[derive(Debug, Default)]
pub struct Found {
    /// The events, oldest first.
    pub events: Vec<StoredEvent>,
    /// Whether there are more than the bounds allow: these are the oldest.
    pub is_cut: bool,
}

/// The events by which a change request of a project that was created at a time began, changed, was approved or ended,
/// oldest first. Those beyond the bounds are not read.
pub async fn list(
    db: &impl ConnectionTrait,
    id: i64,
    project: &str,
    created_at: Timestamp,
    bounds: Bounds,
) -> Result<Found, StoreError> {
    let Some(first) = first_since(db, created_at).await? else { return Ok(Found::default()) };
    let about = about(id, project, first);
    let sizes: Vec<(i64, i64)> = about
        .clone()
        .select_only()
        .column(event::Column::Id)
        .column_as(Expr::cust(SIZE), "size")
        .limit(bounds.events.saturating_add(1))
        .into_tuple()
        .all(db)
        .await?;
    let (last, is_cut) = within(&sizes, bounds);
    let Some(last) = last else { return Ok(Found { events: Vec::new(), is_cut }) };
    let rows = about.filter(event::Column::Id.lte(last)).all(db).await?;
    Ok(Found { events: rows.into_iter().map(stored).collect(), is_cut })
}

/// Number of bytes of what an event holds.
const SIZE: &str = "CAST(COALESCE(OCTET_LENGTH(data), 0) + COALESCE(OCTET_LENGTH(pre_data), 0) \
                    + OCTET_LENGTH(tags) AS bigint)";

/// Returns the id of the last event within bounds, and whether there are more. Events have their ids and sizes.
fn within(events: &[(i64, i64)], bounds: Bounds) -> (Option<i64>, bool) {
    let (mut last, mut count, mut bytes) = (None, 0, 0_u64);
    for (id, size) in events {
        count += 1;
        bytes = bytes.saturating_add(u64::try_from(*size).unwrap_or_default());
        if count > bounds.events || bytes > bounds.bytes {
            return (last, true);
        }
        last = Some(*id);
    }
    (last, false)
}

/// A query for the events of a change request, among those from one on.
fn about(id: i64, project: &str, first: i64) -> Select<event::Entity> {
    // Data of these events begin with the id.
    let begins = |end: char| format!("{{\"changeRequestId\":{id}{end}");
    let about = Condition::any()
        .add(event::Column::Data.starts_with(begins(',')))
        .add(event::Column::Data.starts_with(begins('}')))
        .add(event::Column::PreData.starts_with(begins('}')));
    event::Entity::find()
        .filter(event::Column::Project.eq(project))
        .filter(event::Column::Id.gte(first))
        .filter(event::Column::Type.is_in(EVENT_KINDS.map(EventKind::as_str).into_iter().chain([MOVED_IN])))
        .filter(about)
        .order_by_asc(event::Column::Id)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_read_up_to_the_first_that_is_too_many_or_too_large() {
        let events = [(3, 10), (5, 20), (8, 30)];
        for (most, bytes, expected) in [
            (3, 60, (Some(8), false)),
            (2, 60, (Some(5), true)),
            (3, 59, (Some(5), true)),
            (3, 29, (Some(3), true)),
            (3, 9, (None, true)),
            (0, 60, (None, true)),
        ] {
            assert_eq!(within(&events, Bounds { events: most, bytes }), expected, "{most} {bytes}");
        }
        assert_eq!(within(&[], Bounds { events: 0, bytes: 0 }), (None, false));
    }
}
