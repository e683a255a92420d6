//! Advancing integrations in the log of events, which is the queue: each integration has a position in it, and each
//! event that it is to receive becomes a delivery in the transaction that advances it.
//!
//! Who has many deliveries waiting is moved on once some have ended: nothing is lost by that, and a receiver that takes
//! nothing fills no table.

use std::collections::{BTreeMap, HashMap};

use flagstone_clock as clock;
use flagstone_domain::{
    event_kind::EventKind,
    ids::EnvironmentName,
    integration::{Settings, delivery::DeliveryState, integration_of, is_end},
    time::Timestamp,
};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect, QueryTrait,
    sea_query::{Expr, ExprTrait, Order, Query},
};

use super::settings_of;
use crate::{
    StoreError,
    db::{Tx, advisory_lock::AdvisoryLock, listed, text::CONCAT},
    entity::{delivery, event, integration},
    events::log::{self, Head},
};

/// Events that one look takes on, at most.
const LOOK: u64 = 500;
/// Deliveries that one look makes, at most, but for those of a single event: others wait for its transaction.
const MADE: u64 = 5000;
/// Deliveries to one integration that wait at a time.
pub const WAITING: usize = 100;

/// Whether an integration is moved on: one that is switched on, and one that is still to hear of its change or end.
fn is_followed() -> Condition {
    let is_there = integration::Column::DepartedFrom.is_null().and(integration::Column::Enabled.eq(true));
    Condition::any().add(is_there).add(integration::Column::HearsOfChange.eq(true))
}

/// Whether there are events that some integration has not been moved past, which has room for them.
pub async fn is_news(db: &impl ConnectionTrait) -> Result<bool, StoreError> {
    let newest = Query::select().expr(event::Column::Id.max()).from(event::Entity).to_owned();
    let last_that_fits = delivery::Entity::find()
        .select_only()
        .expr(Expr::val(1))
        .filter(
            Expr::col((delivery::Entity, delivery::Column::IntegrationId))
                .equals((integration::Entity, integration::Column::Id)),
        )
        .filter(delivery::Column::State.eq(DeliveryState::Waiting.as_str()))
        .limit(1)
        .offset(WAITING as u64 - 1)
        .into_query();
    let behind = integration::Entity::find()
        .select_only()
        .column(integration::Column::Id)
        .filter(is_followed())
        .filter(Expr::col(integration::Column::LastEventId).lt(Expr::SubQuery(None, Box::new(newest.into()))))
        .filter(Expr::exists(last_that_fits).not())
        .limit(1);
    Ok(behind.into_tuple::<i64>().one(db).await?.is_some())
}

/// An integration on its way through the log.
struct Follower {
    id: i64,
    seen: i64,
    settings: Settings,
    /// Id of the integration whose change or removal it still has to deliver: its own, or the one that it had.
    hears_of: Option<i64>,
    /// Former id of a departing integration.
    departed_from: Option<i64>,
    /// Deliveries that may still wait.
    room: usize,
}

/// Position of an integration after a look, and the events to deliver.
struct Step {
    events: Vec<i64>,
    seen: i64,
    /// Whether it has come to its own change or removal.
    is_told: bool,
}

impl Follower {
    /// Chooses the events to deliver, as far as there is room; `about` has the integration that an event is about.
    fn step(&self, heads: &[Head], newest: i64, about: &HashMap<i64, i64>) -> Step {
        let mut step = Step { events: Vec::new(), seen: newest, is_told: false };
        for head in heads.iter().filter(|head| self.seen < head.id) {
            let is_own = self.hears_of.is_some() && about.get(&head.id) == self.hears_of.as_ref();
            let (projects, environment) = (head.project.as_deref(), head.environment.as_deref());
            let environment = environment.map(EnvironmentName::new);
            let asks = |kind| self.settings.enabled && self.settings.admit(kind, projects, environment);
            if !is_own && !head.kind.is_some_and(asks) {
                continue;
            }
            if step.events.len() >= self.room {
                // It stays before the first that there is no room for.
                step.seen = head.id - 1;
                return step;
            }
            step.events.push(head.id);
            if is_own {
                step.is_told = self.departed_from.is_none() || self.ends_with(head);
                if self.ends_with(head) {
                    return step;
                }
            }
        }
        step
    }

    /// Whether its own change or removal is its last event: of one that was removed, the removal alone.
    fn ends_with(&self, head: &Head) -> bool {
        let is_removal = head.kind == Some(EventKind::AddonConfigDeleted);
        self.departed_from.is_some_and(|former| former != self.id || is_removal)
    }
}

/// Advances the integrations by some events, with a delivery for each that they are to receive. Returns whether there
/// may be more.
pub async fn spread(tx: &Tx, now: Timestamp) -> Result<bool, StoreError> {
    tx.lock_on_postgres(AdvisoryLock::Deliveries).await?;
    let followers = followers(tx).await?;
    let Some(seen) = followers.iter().map(|one| one.seen).min() else { return Ok(false) };
    let look = (MADE / followers.len() as u64).clamp(1, LOOK);
    let heads = log::heads_after(tx, seen, look).await?;
    let Some(newest) = heads.last().map(|head| head.id) else { return Ok(false) };
    let about = ends(tx, &followers, &heads).await?;
    let mut alike: BTreeMap<Vec<i64>, Vec<i64>> = BTreeMap::new();
    let mut places: BTreeMap<(i64, bool), Vec<i64>> = BTreeMap::new();
    for one in followers.iter().filter(|one| one.seen < newest) {
        let step = one.step(&heads, newest, &about);
        places.entry((step.seen, step.is_told)).or_default().push(one.id);
        alike.entry(step.events).or_default().push(one.id);
    }
    for (events, integrations) in alike {
        note(tx, &integrations, &events, now).await?;
    }
    for ((seen, is_told), integrations) in places {
        let mut update = integration::Entity::update_many()
            .col_expr(integration::Column::LastEventId, Expr::value(seen))
            .filter(integration::Column::Id.is_in(integrations));
        if is_told {
            update = update.col_expr(integration::Column::HearsOfChange, Expr::value(false));
        }
        update.exec(tx).await?;
    }
    Ok(heads.len() as u64 == look)
}

/// The integrations that are moved on, as far as they have room.
async fn followers(tx: &Tx) -> Result<Vec<Follower>, StoreError> {
    let rows = integration::Entity::find().filter(is_followed()).order_by_asc(integration::Column::Id).all(tx).await?;
    let waiting: Vec<(i64, i64)> = delivery::Entity::find()
        .select_only()
        .column(delivery::Column::IntegrationId)
        .column_as(delivery::Column::Id.count(), "waiting")
        .filter(delivery::Column::State.eq(DeliveryState::Waiting.as_str()))
        .group_by(delivery::Column::IntegrationId)
        .into_tuple()
        .all(tx)
        .await?;
    let waiting: HashMap<i64, i64> = waiting.into_iter().collect();
    let mut followers = Vec::new();
    for row in rows {
        let waiting = waiting.get(&row.id).copied().unwrap_or_default();
        let room = WAITING.saturating_sub(usize::try_from(waiting).unwrap_or(usize::MAX));
        if room > 0 {
            followers.push(Follower {
                id: row.id,
                seen: row.last_event_id,
                hears_of: row.hears_of_change.then(|| row.departed_from.unwrap_or(row.id)),
                departed_from: row.departed_from,
                settings: settings_of(row)?,
                room,
            });
        }
    }
    Ok(followers)
}

/// Finds the integration that each of these events is about, where one still has to deliver its own end.
async fn ends(tx: &Tx, followers: &[Follower], heads: &[Head]) -> Result<HashMap<i64, i64>, StoreError> {
    let ids: Vec<i64> = heads.iter().filter(|head| head.kind.is_some_and(is_end)).map(|head| head.id).collect();
    if ids.is_empty() || followers.iter().all(|one| one.hears_of.is_none()) {
        return Ok(HashMap::new());
    }
    let events = log::with_ids(tx, &ids).await?;
    Ok(events.into_iter().filter_map(|event| Some((event.id, integration_of(&event)?))).collect())
}

/// Adds a delivery of each of some events to each of some integrations. One statement, whatever their number: this is
/// what an event costs for the integrations that it concerns.
async fn note(tx: &Tx, integrations: &[i64], events: &[i64], now: Timestamp) -> Result<(), StoreError> {
    if events.is_empty() {
        return Ok(());
    }
    let backend = tx.get_database_backend();
    let integration = || Expr::col(("integrations", listed::VALUE));
    let event = || Expr::col(("events", listed::VALUE));
    let look = format!("msg_{}_", clock::new_uuid().simple());
    let message = Expr::val(look).binary(CONCAT, integration()).binary(CONCAT, Expr::val("_")).binary(CONCAT, event());
    let rows = Query::select()
        .exprs([integration(), event(), message, DeliveryState::Waiting.as_str().into()])
        .exprs([Expr::value(now), Expr::value(now), Expr::value(0_i64)])
        .exprs([Expr::val("Not attempted yet."), Expr::val("{}")])
        .from_subquery(listed::numbers(backend, integrations), "integrations")
        .from_subquery(listed::numbers(backend, events), "events")
        // The ids of those to one integration are in the order of the log.
        .order_by(("integrations", listed::VALUE), Order::Asc)
        .order_by(("events", listed::VALUE), Order::Asc)
        .take();
    let mut insert = Query::insert();
    insert.into_table(delivery::Entity).columns([
        delivery::Column::IntegrationId,
        delivery::Column::EventId,
        delivery::Column::MessageId,
        delivery::Column::State,
        delivery::Column::CreatedAt,
        delivery::Column::DueAt,
        delivery::Column::Attempts,
        delivery::Column::StateDetails,
        delivery::Column::Details,
    ]);
    insert.select_from(rows).map_err(|error| DbErr::Custom(error.to_string()))?;
    tx.execute(&insert).await?;
    Ok(())
}
