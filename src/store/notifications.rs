//! Notifications: read from the log, with what people have read of them.

use std::collections::{HashMap, HashSet};

use flagstone_domain::{
    change_request::{event::APPROVERS_UPDATED, state::State},
    event_kind::EventKind,
    notification::{DAYS, KINDS, MOST, Notification, REQUEST_KINDS, Subject},
    time::Timestamp,
    visibility::Visibility,
};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, Condition, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
    sea_query::Query,
};
use serde_json::Value;

use crate::{
    StoreError, access,
    db::Tx,
    entity::{change_request, change_request_approver, change_request_schedule, event, notification_read, project},
    visibility::not_hidden,
};

/// Change requests of a user that notifications look at: the newest.
const MOST_REQUESTS: u64 = 1000;
/// Events about change requests of anybody that are looked through, of each type, for those that concern the user.
const MOST_EVENTS: u64 = 500;

/// Recent events by others in the projects in use where the user holds a role, and about change requests that the user may
/// see and made, scheduled or is asked to approve, newest first. Each kind is looked for by itself, from the newest event back: its index
/// answers without the events of other kinds.
pub async fn list(
    db: &impl ConnectionTrait,
    user_id: i64,
    visibility: &Visibility,
    now: Timestamp,
) -> Result<Vec<Notification>, StoreError> {
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
    found.extend(fates(db, user_id, visibility, first).await?);
    found.extend(requested_approvals(db, user_id, visibility, first).await?);
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

/// Events from `first` on about what became of change requests that the user made or scheduled.
async fn fates(
    db: &impl ConnectionTrait,
    user_id: i64,
    visibility: &Visibility,
    first: i64,
) -> Result<Vec<Notification>, StoreError> {
    let scheduled = Query::select()
        .column(change_request_schedule::Column::ChangeRequestId)
        .from(change_request_schedule::Entity)
        .and_where(change_request_schedule::Column::ScheduledByUserId.eq(user_id))
        .take();
    let theirs = Condition::any()
        .add(change_request::Column::CreatedByUserId.eq(user_id))
        .add(change_request::Column::Id.in_subquery(scheduled));
    let requests = visible_requests(db, theirs, visibility).await?;
    let mut found = Vec::new();
    if requests.is_empty() {
        return Ok(found);
    }
    for kind in REQUEST_KINDS {
        let is_decision = matches!(kind, EventKind::ChangeRequestApproved | EventKind::ChangeRequestRejected);
        for (row, data) in events_of(db, kind.as_str(), &requests, first).await? {
            if is_decision && row.created_by_user_id == Some(user_id) {
                continue;
            }
            found.extend(about_request(kind, row, &data));
        }
    }
    Ok(found)
}

/// Events from `first` on by which others asked the user for an approval that is still waited for.
async fn requested_approvals(
    db: &impl ConnectionTrait,
    user_id: i64,
    visibility: &Visibility,
    first: i64,
) -> Result<Vec<Notification>, StoreError> {
    let asked = Query::select()
        .column(change_request_approver::Column::ChangeRequestId)
        .from(change_request_approver::Entity)
        .and_where(change_request_approver::Column::UserId.eq(user_id))
        .take();
    let waiting = Condition::all()
        .add(change_request::Column::State.eq(State::InReview.as_str()))
        .add(change_request::Column::Id.in_subquery(asked));
    let requests = visible_requests(db, waiting, visibility).await?;
    if requests.is_empty() {
        return Ok(Vec::new());
    }
    let names_user = |data: &Value| data["reviewers"].as_array().is_some_and(|ids| ids.contains(&user_id.into()));
    let found = events_of(db, APPROVERS_UPDATED, &requests, first).await?.into_iter().filter_map(|(row, data)| {
        let before = row.pre_data.as_deref().and_then(|before| serde_json::from_str(before).ok()).unwrap_or_default();
        let is_new = names_user(&data) && !names_user(&before) && row.created_by_user_id != Some(user_id);
        is_new.then(|| about_request(EventKind::ChangeEdited, row, &data)).flatten()
    });
    Ok(found.collect())
}

/// Ids of the newest change requests that meet a condition and may be seen.
async fn visible_requests(
    db: &impl ConnectionTrait,
    condition: Condition,
    visibility: &Visibility,
) -> Result<HashSet<i64>, StoreError> {
    let ids: Vec<i64> = change_request::Entity::find()
        .select_only()
        .column(change_request::Column::Id)
        .filter(condition)
        .filter(not_hidden(change_request::Column::Project.into_expr(), visibility))
        .order_by_desc(change_request::Column::Id)
        .limit(MOST_REQUESTS)
        .into_tuple()
        .all(db)
        .await?;
    Ok(ids.into_iter().collect())
}

/// The newest events of a type, or with it as their label, about some of these change requests, with their data.
async fn events_of(
    db: &impl ConnectionTrait,
    kind: &str,
    requests: &HashSet<i64>,
    first: i64,
) -> Result<Vec<(event::Model, Value)>, StoreError> {
    let rows = event::Entity::find()
        .filter(event::Column::Type.eq(kind))
        .filter(event::Column::Id.gte(first))
        .order_by_desc(event::Column::Id)
        .limit(MOST_EVENTS)
        .all(db)
        .await?;
    let found = rows.into_iter().filter_map(|row| {
        let data: Value = serde_json::from_str(row.data.as_deref()?).ok()?;
        data["changeRequestId"].as_i64().filter(|id| requests.contains(id))?;
        Some((row, data))
    });
    Ok(found.collect())
}

fn about_request(kind: EventKind, row: event::Model, data: &Value) -> Option<Notification> {
    let reason = data["reason"].as_str().unwrap_or_default().to_owned();
    about(kind, row, Subject::ChangeRequest { id: data["changeRequestId"].as_i64()?, reason })
}

/// Marks notifications of a user as read, and forgets those that are not listed any more.
pub async fn mark_read(
    tx: &Tx,
    user_id: i64,
    visibility: &Visibility,
    ids: &[i64],
    now: Timestamp,
) -> Result<(), StoreError> {
    let told = list(tx, user_id, visibility, now).await?;
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
    let feature = row.feature_name.clone()?;
    about(kind, row, Subject::Feature(feature))
}

fn about(kind: EventKind, row: event::Model, subject: Subject) -> Option<Notification> {
    Some(Notification {
        event_id: row.id,
        kind,
        project: row.project?,
        subject,
        environment: row.environment,
        created_by: row.created_by,
        created_by_user_id: row.created_by_user_id,
        created_at: row.created_at,
        read_at: None,
    })
}
