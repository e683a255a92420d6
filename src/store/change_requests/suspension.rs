//! Suspending schedules whose targets are changed by something else, or whose schedulers are gone.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use flagstone_domain::{
    actor::Actor,
    change_request::{
        conflict::ScheduledChange,
        event::Subject,
        schedule::{Status, Trigger},
        touch::Touch,
    },
    event::NewEvent,
    time::Timestamp,
};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, EntityTrait, JoinType, QueryFilter, QueryOrder, QuerySelect, QueryTrait,
    sea_query::Expr,
};

use super::scheduled::strategies_of;
use crate::{
    StoreError,
    db::{Tx, listed},
    entity::{change_request, change_request_change, change_request_schedule},
};

/// A change request whose schedule was suspended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suspended {
    /// Unique id.
    pub id: i64,
    /// Id of its project.
    pub project: String,
    /// Name of its environment.
    pub environment: String,
    /// Reason why it was suspended.
    pub reason: String,
}

impl Suspended {
    /// Returns the event that it was suspended.
    pub fn event(&self, actor: &Actor) -> NewEvent {
        let subject = Subject { id: self.id, project: &self.project, environment: &self.environment, is_draft: false };
        subject.suspended(&self.reason, actor)
    }
}

/// Change request whose schedule is pending.
#[derive(Debug)]
struct Pending {
    project: String,
    environment: String,
}

/// Suspends the pending schedules that are about something that was touched, except that of the change request which is
/// being applied. Returns them by id. Costs no statement where nothing was touched, and one where no schedule is about
/// the same features or segments.
pub async fn suspend(tx: &Tx, touches: &[Touch<'_>], except: Option<i64>) -> Result<Vec<Suspended>, StoreError> {
    if touches.is_empty() {
        return Ok(Vec::new());
    }
    let mut of_feature: HashMap<&str, Vec<Touch<'_>>> = HashMap::new();
    let mut of_segment: HashMap<i64, Touch<'_>> = HashMap::new();
    for touch in touches {
        if let Some(feature) = touch.feature() {
            of_feature.entry(feature).or_default().push(*touch);
        }
        of_segment.extend(touch.segment().map(|id| (id, *touch)));
    }
    let (features, segments): (Vec<&str>, Vec<i64>) =
        (of_feature.keys().copied().collect(), of_segment.keys().copied().collect());
    let (pending, changes) = pending_about(tx, &features, &segments, except).await?;
    let mut hit: BTreeMap<i64, String> = BTreeMap::new();
    for change in changes {
        let Some(request) = pending.get(&change.request) else { continue };
        let named = change.feature.as_deref().and_then(|feature| of_feature.get(feature)).into_iter().flatten();
        let mut touches = named.chain(change.segment.and_then(|id| of_segment.get(&id)));
        if let Some(trigger) = touches.find_map(|touch| touch.suspends(&request.environment, &change)) {
            hit.entry(change.request).or_insert_with(|| trigger.to_string());
        }
    }
    suspend_each(tx, pending, hit).await
}

/// Suspends the pending schedules of users whose accounts were deleted. Returns them by id. Costs one statement where
/// there are none.
pub async fn suspend_of_schedulers(tx: &Tx, users: &[i64]) -> Result<Vec<Suspended>, StoreError> {
    let theirs = change_request_schedule::Entity::find()
        .select_only()
        .column(change_request_schedule::Column::ChangeRequestId)
        .filter(change_request_schedule::Column::Status.eq(Status::PENDING))
        .filter(
            change_request_schedule::Column::ScheduledByUserId
                .in_subquery(listed::numbers(tx.get_database_backend(), users)),
        )
        .into_query();
    let rows = change_request::Entity::find().filter(change_request::Column::Id.in_subquery(theirs)).all(tx).await?;
    let reason = Trigger::SchedulerDeleted.to_string();
    let hit = rows.iter().map(|row| (row.id, reason.clone())).collect();
    let pending = rows.into_iter().map(|row| (row.id, Pending { project: row.project, environment: row.environment }));
    suspend_each(tx, pending.collect(), hit).await
}

/// A change: its id, that of its change request, project and environment of this, feature, segment and action.
type ChangeRow = (i64, i64, String, String, Option<String>, Option<i64>, String);

/// The change requests with pending schedules that change any of these features or segments, and those changes in their
/// order.
async fn pending_about(
    tx: &Tx,
    features: &[&str],
    segments: &[i64],
    except: Option<i64>,
) -> Result<(HashMap<i64, Pending>, Vec<ScheduledChange>), StoreError> {
    use change_request_change::{Column, Entity};
    let backend = tx.get_database_backend();
    let of_request =
        Entity::belongs_to(change_request::Entity).from(Column::ChangeRequestId).to(change_request::Column::Id);
    let waiting = change_request_schedule::Entity::find()
        .select_only()
        .column(change_request_schedule::Column::ChangeRequestId)
        .filter(change_request_schedule::Column::Status.eq(Status::PENDING))
        .into_query();
    let about = Condition::any()
        .add(Column::Feature.in_subquery(listed::texts(backend, features.iter().copied())))
        .add(Column::SegmentId.in_subquery(listed::numbers(backend, segments)));
    let rows: Vec<ChangeRow> = Entity::find()
        .select_only()
        .columns([Column::Id, Column::ChangeRequestId])
        .columns([change_request::Column::Project, change_request::Column::Environment])
        .columns([Column::Feature, Column::SegmentId, Column::Action])
        .join(JoinType::InnerJoin, of_request.into())
        .filter(Column::ChangeRequestId.in_subquery(waiting))
        .filter(Condition::all().add_option(except.map(|except| Column::ChangeRequestId.ne(except))))
        .filter(about)
        .order_by_asc(Column::Id)
        .into_tuple()
        .all(tx)
        .await?;
    let ids: Vec<i64> = rows.iter().map(|(id, ..)| *id).collect();
    let mut strategies = strategies_of(tx, &ids).await?;
    let mut pending = HashMap::new();
    let changes = rows.into_iter().map(|(id, request, project, environment, feature, segment, action)| {
        pending.entry(request).or_insert(Pending { project, environment });
        let strategies = strategies.remove(&id).unwrap_or_default();
        ScheduledChange { request, title: None, feature, action, strategies, segment }
    });
    let changes = changes.collect();
    Ok((pending, changes))
}

/// Suspends the schedules of change requests for reasons, unless they are no longer pending.
async fn suspend_each(
    tx: &Tx,
    mut pending: HashMap<i64, Pending>,
    hit: BTreeMap<i64, String>,
) -> Result<Vec<Suspended>, StoreError> {
    use change_request_schedule::{Column, Entity};
    if hit.is_empty() {
        return Ok(Vec::new());
    }
    let mut by_reason: BTreeMap<&str, Vec<i64>> = BTreeMap::new();
    for (id, reason) in &hit {
        by_reason.entry(reason).or_default().push(*id);
    }
    let mut ids: BTreeSet<i64> = BTreeSet::new();
    // In the order of ids, so that two changes that suspend the same schedules do not wait for each other.
    let all: Vec<i64> = hit.keys().copied().collect();
    Entity::find()
        .select_only()
        .column(Column::ChangeRequestId)
        .filter(Column::ChangeRequestId.in_subquery(listed::numbers(tx.get_database_backend(), &all)))
        .order_by_asc(Column::ChangeRequestId)
        .lock_exclusive()
        .into_tuple::<i64>()
        .all(tx)
        .await?;
    for (reason, requests) in by_reason {
        let rows = Entity::update_many()
            .col_expr(Column::Status, Expr::value(Status::SUSPENDED))
            .col_expr(Column::Reason, Expr::value(reason))
            .col_expr(Column::ClaimedBy, Expr::value(Option::<String>::None))
            .col_expr(Column::ClaimedUntil, Expr::value(Option::<Timestamp>::None))
            .filter(Column::Status.eq(Status::PENDING))
            .filter(Column::ChangeRequestId.in_subquery(listed::numbers(tx.get_database_backend(), &requests)))
            .exec_with_returning(tx)
            .await?;
        ids.extend(rows.into_iter().map(|row| row.change_request_id));
    }
    let suspended = hit.into_iter().filter(|(id, _)| ids.contains(id)).filter_map(|(id, reason)| {
        let Pending { project, environment } = pending.remove(&id)?;
        Some(Suspended { id, project, environment, reason })
    });
    Ok(suspended.collect())
}
