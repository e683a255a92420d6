//! Reading the log from its beginning: what came after an event, and events by their ids.

use flagstone_domain::{event::Event, event_kind::EventKind};
use flagstone_wire::{Nullable, RawJson, RawJsonOf};
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use crate::{StoreError, entity::event};

/// Head of an event: the properties that decide whom it concerns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// Id of the event.
    pub id: i64,
    /// Its type; `None` where another server gave it one that is not in the list.
    pub kind: Option<EventKind>,
    /// The projects that it belongs to, with commas between them.
    pub project: Option<String>,
    /// The environment that it happened in.
    pub environment: Option<String>,
}

/// The heads of the first events after the one with the id `seen`, oldest first.
pub async fn heads_after(db: &impl ConnectionTrait, seen: i64, limit: u64) -> Result<Vec<Head>, StoreError> {
    let rows: Vec<(i64, String, Option<String>, Option<String>)> = event::Entity::find()
        .select_only()
        .columns([event::Column::Id, event::Column::Type, event::Column::Project, event::Column::Environment])
        .filter(event::Column::Id.gt(seen))
        .order_by_asc(event::Column::Id)
        .limit(limit)
        .into_tuple()
        .all(db)
        .await?;
    let head = |(id, kind, project, environment): (i64, String, _, _)| Head {
        id,
        kind: EventKind::of_own(&kind),
        project,
        environment,
    };
    Ok(rows.into_iter().map(head).collect())
}

/// The events with these ids, oldest first; ids without one are left out.
pub async fn with_ids(db: &impl ConnectionTrait, ids: &[i64]) -> Result<Vec<Event>, StoreError> {
    let rows = event::Entity::find()
        .filter(event::Column::Id.is_in(ids.iter().copied()))
        .order_by_asc(event::Column::Id)
        .all(db)
        .await?;
    Ok(rows.into_iter().map(event).collect::<Result<_, _>>()?)
}

fn event(row: event::Model) -> Result<Event, DbErr> {
    let (kind, label) = EventKind::of_stored(row.r#type, row.feature_name.is_some(), row.project.is_some());
    let unreadable = |error| DbErr::Json(format!("event {}: {error}", row.id));
    let json = |text: Option<String>| text.map(RawJson::from_text).transpose().map_err(unreadable);
    Ok(Event {
        id: row.id,
        created_at: row.created_at,
        kind,
        label,
        created_by: row.created_by,
        created_by_user_id: Some(Nullable(row.created_by_user_id.map(Into::into))),
        reason: row.reason,
        environment: Some(Nullable(row.environment)),
        project: Some(Nullable(row.project)),
        feature_name: Some(Nullable(row.feature_name)),
        data: Some(Nullable(json(row.data)?)),
        pre_data: Some(Nullable(json(row.pre_data)?)),
        tags: Some(Nullable(Some(RawJsonOf::from_text(row.tags).map_err(unreadable)?))),
    })
}
