//! Changes since a revision, from the event log.

use flagstone_domain::{
    event_kind::{Concerns, EventKind},
    time::Timestamp,
};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use crate::{StoreError, entity::event, programs::features::newest_event};

/// Events that one look reads; where there are more, something of every kind counts as changed.
const LOOK: u64 = 1000;

/// Changes after an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct News {
    /// Id of the newest event.
    pub revision: i64,
    /// Concerns of the events: everything when they are too many to look through.
    pub concerns: Concerns,
}

/// Id of the newest event; 0 when there is none.
pub async fn newest(db: &impl ConnectionTrait) -> Result<i64, StoreError> {
    newest_event(db).await
}

/// When the newest event happened.
pub async fn newest_time(db: &impl ConnectionTrait) -> Result<Option<Timestamp>, StoreError> {
    let newest = event::Entity::find().select_only().column(event::Column::CreatedAt);
    Ok(newest.order_by_desc(event::Column::Id).limit(1).into_tuple().one(db).await?)
}

/// Returns the changes after the event with the id `seen`.
pub async fn since(db: &impl ConnectionTrait, seen: i64) -> Result<News, StoreError> {
    let rows: Vec<(i64, String)> = event::Entity::find()
        .select_only()
        .column(event::Column::Id)
        .column(event::Column::Type)
        .filter(event::Column::Id.gt(seen))
        .order_by_asc(event::Column::Id)
        .limit(LOOK)
        .into_tuple()
        .all(db)
        .await?;
    if u64::try_from(rows.len()).unwrap_or(LOOK) >= LOOK {
        return Ok(News { revision: newest_event(db).await?, concerns: Concerns::ALL });
    }
    let revision = rows.last().map_or(seen, |(id, _)| *id);
    let mut concerns = Concerns::default();
    for (_, kind) in rows {
        match EventKind::of_own(&kind) {
            Some(kind) => concerns.add(kind.concern()),
            // An event of a type that this version does not know may mean anything.
            None => concerns = Concerns::ALL,
        }
    }
    Ok(News { revision, concerns })
}
