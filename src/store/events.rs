//! The event log: append only.

pub mod chain;
pub mod checkpoints;
pub mod creators;
pub mod log;
pub mod of_change_request;
pub mod retention;
pub mod revisions;
pub mod search;
mod totals;
pub(crate) mod visibility;

pub(super) use self::totals::Totals;

use flagstone_domain::{
    change_reason::ChangeReason, event::NewEvent, event_filter::fold_case, event_kind::EventKind, time::Timestamp,
    version::Version,
};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseBackend, DbErr, EntityTrait, Order, QueryFilter, QueryOrder, QuerySelect,
    Statement,
    sea_query::{CommonTableExpression, Expr, Func, InsertStatement, Query, SelectStatement, UnionType},
};

use crate::{
    StoreError,
    db::{Tx, advisory_lock::AdvisoryLock, value::to_json_column},
    entity::event,
};

/// Events that one statement stores; bounds the number of its parameters. Not fewer, since with each statement `SQLite`
/// writes out what its text index has gathered.
const BATCH: usize = 1000;
/// Events of which each looks for itself when the newest was; of more this is asked once.
const FEW: usize = 10;
/// Alias of the locked log in a statement, and of the time of the next event there.
const HELD_LOG: &str = "held_log";
const NEXT_TIME: &str = "next_time";

/// Stores events in order, but for the last statement, which is for the commit to run, and returns the ids of a few
/// events. Called by [`Tx::commit`] only. The transaction that gives the first of them an id has the log locked until
/// it ends, so that ids rise in commit order.
///
/// Takes them batch by batch: those of a large import need not be in memory together.
pub(super) async fn append(
    tx: &Tx,
    now: Timestamp,
    new_events: impl Iterator<Item = NewEvent> + Send,
) -> Result<Option<Statement>, StoreError> {
    let backend = tx.get_database_backend();
    let mut new_events = new_events.peekable();
    let mut batch: Vec<_> = new_events.by_ref().take(BATCH).collect();
    if batch.len() <= FEW {
        return Ok(Some(backend.build(&insert_few(&batch, held_log(tx, now))?)));
    }
    let held = tx.query_one(&held_log(tx, now)).await?;
    let created_at: Timestamp = held.map(|row| row.try_get_by_index(0)).transpose()?.unwrap_or(now);
    while !batch.is_empty() {
        let mut insert = Query::insert();
        insert.into_table(event::Entity).columns(COLUMNS);
        for event in &batch {
            insert.values_panic(row(event, &Expr::value(created_at)));
        }
        let insert = backend.build(&insert);
        if new_events.peek().is_none() {
            return Ok(Some(insert));
        }
        tx.execute_raw(insert).await?;
        batch = new_events.by_ref().take(BATCH).collect();
    }
    Ok(None)
}

/// Stores a few events. `held` is what holds the log, before the first of them is given its id.
fn insert_few(events: &[NewEvent], held: SelectStatement) -> Result<InsertStatement, DbErr> {
    let held = CommonTableExpression::new().table_name(HELD_LOG).query(held).materialized(true).to_owned();
    let created_at = Expr::col((HELD_LOG, NEXT_TIME));
    let rows = events.iter().map(|event| Query::select().exprs(row(event, &created_at)).from(HELD_LOG).take());
    let rows = rows.reduce(|mut all, next| all.union(UnionType::All, next).take()).unwrap_or_default();
    let mut insert = Query::insert();
    insert.into_table(event::Entity).columns(COLUMNS).with_cte(held);
    insert.select_from(rows).map_err(|error| DbErr::Custom(error.to_string()))?;
    insert.returning_col(event::Column::Id);
    Ok(insert)
}

/// The version of a feature: every change of it leaves an event. Who likes it does not count as one.
pub async fn version_of_feature(db: &impl ConnectionTrait, name: &str) -> Result<Version, StoreError> {
    let likes = [EventKind::FeatureFavorited, EventKind::FeatureUnfavorited].map(EventKind::as_str);
    let latest: Option<i64> = event::Entity::find()
        .select_only()
        .column(event::Column::Id)
        .filter(event::Column::FeatureName.eq(name))
        .filter(event::Column::Type.is_not_in(likes))
        .order_by_desc(event::Column::Id)
        .limit(1)
        .into_tuple()
        .one(db)
        .await?;
    Ok(Version::of_event(latest.unwrap_or_default()))
}

/// Query for the time of the next event, as [`NEXT_TIME`]: `now`, or that of the newest one where the machine's clock
/// has been set back. On PostgreSQL it also keeps others from adding to the log until the transaction ends, of which
/// other nodes are then notified.
fn held_log(tx: &Tx, now: Timestamp) -> SelectStatement {
    let time = if tx.get_database_backend() == DatabaseBackend::Postgres {
        Func::cust("hold_event_log").arg(AdvisoryLock::Events.key()).arg(Expr::value(now))
    } else {
        let newest = Query::select()
            .column(event::Column::CreatedAt)
            .from(event::Entity)
            .order_by(event::Column::Id, Order::Desc)
            .limit(1)
            .take();
        let newest = Func::coalesce([Expr::SubQuery(None, Box::new(newest.into())), Expr::value(now)]);
        Func::cust("max").arg(Expr::value(now)).arg(newest)
    };
    Query::select().expr_as(time, NEXT_TIME).exprs(tx.announcement()).take()
}

/// Columns that an event is inserted with.
const COLUMNS: [event::Column; 13] = [
    event::Column::CreatedAt,
    event::Column::Type,
    event::Column::CreatedBy,
    event::Column::CreatedByUserId,
    event::Column::Environment,
    event::Column::Project,
    event::Column::FeatureName,
    event::Column::SearchPayload,
    event::Column::SearchOrigin,
    event::Column::Data,
    event::Column::PreData,
    event::Column::Tags,
    event::Column::Reason,
];

/// The values of [`COLUMNS`].
fn row(event: &NewEvent, created_at: &Expr) -> [Expr; 13] {
    let data = event.data.as_ref().map(to_json_column);
    let pre_data = event.pre_data.as_ref().map(to_json_column);
    let tags = to_json_column(&event.tags);
    let reason = event.actor.reason.as_ref().map(ChangeReason::as_str);
    [
        created_at.clone(),
        event.stored_type().into(),
        event.actor.name.clone().into(),
        event.actor.user_id.into(),
        event.environment.clone().into(),
        event.project.clone().into(),
        event.feature.clone().into(),
        search_payload(data.as_deref(), pre_data.as_deref(), &tags, reason).into(),
        search_origin(event.stored_type(), &event.actor.name).into(),
        data.into(),
        pre_data.into(),
        tags.into(),
        reason.map(str::to_owned).into(),
    ]
}

/// The text that searches look into: the data, tags and reason of an event, with their case folded.
pub(super) fn search_payload(data: Option<&str>, pre_data: Option<&str>, tags: &str, reason: Option<&str>) -> String {
    let payload: Vec<String> = [data, pre_data, Some(tags), reason].into_iter().flatten().map(fold_case).collect();
    payload.join("\n")
}

/// The text that searches for the type and the creator look into, with its case folded.
pub(super) fn search_origin(kind: &str, creator: &str) -> String {
    fold_case(&format!("{kind}\n{creator}"))
}
