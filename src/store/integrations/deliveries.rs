//! Deliveries: what is due, who has taken it on, and how it ended.

use std::collections::HashMap;

use flagstone_domain::{
    event::Event,
    integration::delivery::{DeliveryState, LONGEST_WAIT_MS, Step},
    time::{DAY_MS, Timestamp},
};
use flagstone_wire::RawJson;
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect,
    QueryTrait,
    sea_query::{Expr, ExprTrait},
};

use super::departing;
use crate::{
    StoreError,
    db::{Tx, advisory_lock::AdvisoryLock},
    entity::{delivery, integration},
    events::log,
};

/// Time for which ended deliveries are kept after they were queued, in milliseconds.
const KEPT_MS: i64 = 30 * DAY_MS;
/// Ended deliveries of one integration that are kept, at most.
const MOST: u64 = 1000;

/// A claimed delivery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claimed {
    /// Its id.
    pub id: i64,
    /// Id of the event to deliver.
    pub event_id: i64,
    /// Id of the message for the receiver.
    pub message_id: String,
    /// Attempts, this one included.
    pub attempts: i64,
}

/// A delivery as the log of an integration shows it.
#[derive(Debug, Clone)]
pub struct Record {
    /// Its id.
    pub id: i64,
    /// When the delivery was queued.
    pub created_at: Timestamp,
    /// State of the delivery.
    pub state: DeliveryState,
    /// The state in words.
    pub state_details: String,
    /// The sent message, without secrets.
    pub details: RawJson,
    /// Number of attempts.
    pub attempts: i64,
    /// The event; `None` once it is no longer in the log.
    pub event: Option<Event>,
}

/// Deliveries that wait for their attempt.
#[derive(Debug, Clone, Copy)]
pub struct Backlog {
    /// Deliveries.
    pub waiting: u64,
    /// When the oldest of them was noted.
    pub waiting_since: Option<Timestamp>,
    /// Integrations that are switched on and take nothing.
    pub failing_integrations: u64,
}

/// Returns the backlog at this moment.
pub async fn backlog(db: &impl ConnectionTrait) -> Result<Backlog, StoreError> {
    let waiting = delivery::Entity::find()
        .select_only()
        .column_as(delivery::Column::Id.count(), "waiting")
        .column_as(delivery::Column::CreatedAt.min(), "since")
        .filter(delivery::Column::State.eq(DeliveryState::Waiting.as_str()));
    let waiting: Option<(i64, Option<Timestamp>)> = waiting.into_tuple().one(db).await?;
    let (waiting, waiting_since) = waiting.unwrap_or_default();
    let failing = integration::Entity::find()
        .filter(integration::Column::Enabled.eq(true))
        .filter(integration::Column::FailingSince.is_not_null());
    Ok(Backlog {
        waiting: waiting.try_into().unwrap_or_default(),
        waiting_since,
        failing_integrations: failing.count(db).await?,
    })
}

/// Deliveries noted since a time that their receivers did not take, and that are attempted no more.
pub async fn given_up_since(db: &impl ConnectionTrait, since: Timestamp) -> Result<u64, StoreError> {
    let failed = delivery::Entity::find()
        .filter(delivery::Column::State.eq(DeliveryState::Failed.as_str()))
        .filter(delivery::Column::CreatedAt.gte(since));
    Ok(failed.count(db).await?)
}

/// The integrations that something is to be delivered to now, also those that only end what they began.
pub async fn due(db: &impl ConnectionTrait, now: Timestamp) -> Result<Vec<i64>, StoreError> {
    let waiting = delivery::Entity::find()
        .select_only()
        .column(delivery::Column::Id)
        .filter(
            Expr::col((delivery::Entity, delivery::Column::IntegrationId))
                .equals((integration::Entity, integration::Column::Id)),
        )
        .filter(is_due(now))
        .into_query();
    Ok(integration::Entity::find()
        .select_only()
        .column(integration::Column::Id)
        .filter(Expr::exists(waiting))
        .order_by_asc(integration::Column::Id)
        .into_tuple()
        .all(db)
        .await?)
}

/// Claims deliveries to an integration, so many at most: no other node attempts them until `until`. In order there is
/// one at a time, the oldest, and nothing while that one is not due.
pub async fn claim(
    tx: &Tx,
    integration_id: i64,
    in_order: bool,
    most: u64,
    now: Timestamp,
    until: Timestamp,
) -> Result<Vec<Claimed>, StoreError> {
    tx.lock_on_postgres(AdvisoryLock::Deliveries).await?;
    let waiting = delivery::Entity::find()
        .filter(delivery::Column::IntegrationId.eq(integration_id))
        .filter(delivery::Column::State.eq(DeliveryState::Waiting.as_str()));
    let rows = if in_order {
        let oldest = waiting.order_by_asc(delivery::Column::Id).one(tx).await?;
        let has_come = |time: Timestamp| time <= now || time > now.plus_millis(LONGEST_WAIT_MS);
        let is_free = |row: &delivery::Model| row.claimed_until.is_none_or(has_come);
        oldest.into_iter().filter(|row| has_come(row.due_at) && is_free(row)).collect()
    } else {
        let first = waiting.filter(is_due(now)).order_by_asc(delivery::Column::DueAt);
        first.order_by_asc(delivery::Column::Id).limit(most).all(tx).await?
    };
    let claimed: Vec<Claimed> = rows
        .into_iter()
        .map(|row| Claimed {
            id: row.id,
            event_id: row.event_id,
            message_id: row.message_id,
            attempts: row.attempts + 1,
        })
        .collect();
    delivery::Entity::update_many()
        .col_expr(delivery::Column::ClaimedUntil, Expr::value(until))
        .col_expr(delivery::Column::Attempts, Expr::col(delivery::Column::Attempts).add(1))
        .filter(delivery::Column::Id.is_in(claimed.iter().map(|one| one.id)))
        .exec(tx)
        .await?;
    Ok(claimed)
}

/// Releases all claims: for a server that is alone with its database, as no other can have them.
pub async fn release(tx: &Tx) -> Result<(), StoreError> {
    delivery::Entity::update_many()
        .col_expr(delivery::Column::ClaimedUntil, Expr::value(None::<Timestamp>))
        .filter(delivery::Column::State.eq(DeliveryState::Waiting.as_str()))
        .filter(delivery::Column::ClaimedUntil.is_not_null())
        .exec(tx)
        .await?;
    Ok(())
}

/// Writes how an attempt ended, unless another node has claimed the delivery since.
pub async fn finish(tx: &Tx, claimed: &Claimed, step: &Step, details: &str) -> Result<(), StoreError> {
    let row = delivery::ActiveModel {
        state: Set(step.state.as_str().to_owned()),
        state_details: Set(step.state_details.clone()),
        due_at: Set(step.due_at),
        claimed_until: Set(None),
        details: Set(details.to_owned()),
        ..Default::default()
    };
    delivery::Entity::update_many()
        .set(row)
        .filter(delivery::Column::Id.eq(claimed.id))
        .filter(delivery::Column::Attempts.eq(claimed.attempts))
        .exec(tx)
        .await?;
    Ok(())
}

/// A page of the deliveries to an integration, newest first.
pub async fn list(
    db: &impl ConnectionTrait,
    integration_id: i64,
    limit: u64,
    offset: u64,
) -> Result<Vec<Record>, StoreError> {
    let rows = delivery::Entity::find()
        .filter(delivery::Column::IntegrationId.eq(integration_id))
        .order_by_desc(delivery::Column::Id)
        .limit(limit)
        .offset(offset)
        .all(db)
        .await?;
    let ids: Vec<i64> = rows.iter().map(|row| row.event_id).collect();
    let events = log::with_ids(db, &ids).await?;
    let events: HashMap<i64, Event> = events.into_iter().map(|event| (event.id, event)).collect();
    Ok(rows.into_iter().filter_map(|row| record(row, &events).transpose()).collect::<Result<_, _>>()?)
}

/// Has deliveries that failed attempted again, those with these ids or all. Returns their number.
pub async fn redeliver(tx: &Tx, integration_id: i64, ids: Option<&[i64]>, now: Timestamp) -> Result<u64, StoreError> {
    let row = delivery::ActiveModel {
        state: Set(DeliveryState::Waiting.as_str().to_owned()),
        state_details: Set("To be attempted again, as somebody asked for.".to_owned()),
        due_at: Set(now),
        attempts: Set(0),
        ..Default::default()
    };
    let named = ids.map(|ids| delivery::Column::Id.is_in(ids.iter().copied()));
    let failed = Condition::all()
        .add(delivery::Column::IntegrationId.eq(integration_id))
        .add(delivery::Column::State.eq(DeliveryState::Failed.as_str()))
        .add_option(named);
    Ok(delivery::Entity::update_many().set(row).filter(failed).exec(tx).await?.rows_affected)
}

/// Forgets deliveries that ended and are too old or too many.
pub async fn tidy(tx: &Tx, now: Timestamp) -> Result<(), StoreError> {
    departing::forget_ended(tx).await?;
    let ended = delivery::Column::State.ne(DeliveryState::Waiting.as_str());
    let too_old = delivery::Column::CreatedAt.lt(now.plus_millis(-KEPT_MS));
    delivery::Entity::delete_many().filter(ended.clone()).filter(too_old).exec(tx).await?;
    let ids: Vec<i64> =
        integration::Entity::find().select_only().column(integration::Column::Id).into_tuple().all(tx).await?;
    for id in ids {
        let of_it = delivery::Column::IntegrationId.eq(id);
        let last_too_many: Option<i64> = delivery::Entity::find()
            .select_only()
            .column(delivery::Column::Id)
            .filter(of_it.clone())
            .filter(ended.clone())
            .order_by_desc(delivery::Column::Id)
            .offset(MOST)
            .limit(1)
            .into_tuple()
            .one(tx)
            .await?;
        if let Some(last) = last_too_many {
            let too_many = delivery::Column::Id.lte(last);
            delivery::Entity::delete_many().filter(of_it).filter(ended.clone()).filter(too_many).exec(tx).await?;
        }
    }
    Ok(())
}

/// A time that is further away than any wait was noted by a clock that has been set back since.
fn is_due(now: Timestamp) -> Condition {
    let beyond = now.plus_millis(LONGEST_WAIT_MS);
    let is_free = Condition::any()
        .add(delivery::Column::ClaimedUntil.is_null())
        .add(delivery::Column::ClaimedUntil.lte(now))
        .add(delivery::Column::ClaimedUntil.gt(beyond));
    Condition::all()
        .add(delivery::Column::State.eq(DeliveryState::Waiting.as_str()))
        .add(Condition::any().add(delivery::Column::DueAt.lte(now)).add(delivery::Column::DueAt.gt(beyond)))
        .add(is_free)
}

/// Record of a row. A delivery in a state that this version does not know is none.
fn record(row: delivery::Model, events: &HashMap<i64, Event>) -> Result<Option<Record>, DbErr> {
    let Some(state) = DeliveryState::parse(&row.state) else { return Ok(None) };
    let unreadable = |error| DbErr::Json(format!("delivery {}: {error}", row.id));
    Ok(Some(Record {
        id: row.id,
        created_at: row.created_at,
        state,
        state_details: row.state_details,
        details: RawJson::from_text(row.details).map_err(unreadable)?,
        attempts: row.attempts,
        event: events.get(&row.event_id).cloned(),
    }))
}
