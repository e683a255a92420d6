//! Notifications: read from the log, with what people have read of them.

use std::collections::HashMap;

use sea_orm::{
    ActiveValue::Set, ColumnTrait, Condition, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
    sea_query::Query,
};

use crate::{
    domain::{
        event_kind::EventKind,
        notification::{DAYS, KINDS, MOST, Notification},
        time::Timestamp,
    },
    store::{
        StoreError, access,
        db::Tx,
        entity::{event, notification_read, project},
    },
};

/// Recent events by others in the projects in use where the user holds a role, newest first. Each kind is looked for by
/// itself, from the newest event back: its index answers without the events of other kinds.
pub async fn list(db: &impl ConnectionTrait, user_id: i64, now: Timestamp) -> Result<Vec<Notification>, StoreError> {
    let in_use = project::Column::ArchivedAt.is_null();
    let theirs = Query::select()
        .column(project::Column::Id)
        .from(project::Entity)
        .cond_where(Condition::all().add(access::is_member(user_id)).add(in_use))
        .take();
    let first = event::Entity::find()
        .select_only()
        .column(event::Column::Id)
        .filter(event::Column::CreatedAt.gte(now.plus_days(-DAYS)))
        .order_by_asc(event::Column::CreatedAt)
        .order_by_asc(event::Column::Id)
        .limit(1)
        .into_tuple::<i64>()
        .one(db)
        .await?;
    let Some(first) = first else { return Ok(Vec::new()) };
    let by_others =
        Condition::any().add(event::Column::CreatedByUserId.is_null()).add(event::Column::CreatedByUserId.ne(user_id));
    let mut found = Vec::new();
    for kind in KINDS {
        let rows = event::Entity::find()
            .filter(event::Column::Type.eq(kind.as_str()))
            .filter(event::Column::Id.gte(first))
            .filter(event::Column::Project.in_subquery(theirs.clone()))
            .filter(by_others.clone())
            .order_by_desc(event::Column::Id)
            .limit(MOST)
            .all(db)
            .await?;
        found.extend(rows.into_iter().filter_map(|row| notification(kind, row)));
    }
    found.sort_by_key(|notification| std::cmp::Reverse(notification.event_id));
    found.truncate(usize::try_from(MOST).unwrap_or(usize::MAX));
    let read: HashMap<i64, Timestamp> = notification_read::Entity::find()
        .filter(notification_read::Column::UserId.eq(user_id))
        .all(db)
        .await?
        .into_iter()
        .map(|row| (row.event_id, row.read_at))
        .collect();
    for notification in &mut found {
        notification.read_at = read.get(&notification.event_id).copied();
    }
    Ok(found)
}

/// Marks notifications of a user as read, and forgets those that are not listed any more.
pub async fn mark_read(tx: &Tx, user_id: i64, ids: &[i64], now: Timestamp) -> Result<(), StoreError> {
    let told = list(tx, user_id, now).await?;
    let of_user = notification_read::Column::UserId.eq(user_id);
    notification_read::Entity::delete_many()
        .filter(of_user)
        .filter(notification_read::Column::EventId.is_not_in(told.iter().map(|notification| notification.event_id)))
        .exec(tx)
        .await?;
    let rows: Vec<_> = told
        .iter()
        .filter(|notification| notification.read_at.is_none() && ids.contains(&notification.event_id))
        .map(|notification| notification_read::ActiveModel {
            user_id: Set(user_id),
            event_id: Set(notification.event_id),
            read_at: Set(now),
        })
        .collect();
    if !rows.is_empty() {
        notification_read::Entity::insert_many(rows).on_conflict_do_nothing().exec_without_returning(tx).await?;
    }
    Ok(())
}

fn notification(kind: EventKind, row: event::Model) -> Option<Notification> {
    Some(Notification {
        event_id: row.id,
        kind,
        project: row.project?,
        feature: row.feature_name?,
        environment: row.environment,
        created_by: row.created_by,
        created_by_user_id: row.created_by_user_id,
        created_at: row.created_at,
        read_at: None,
    })
}
