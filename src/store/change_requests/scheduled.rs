//! Scheduled change requests, by what they are about.

use std::collections::HashMap;

use flagstone_domain::{
    change_request::{action::Action, conflict::ScheduledChange, state::State},
    ids::{EnvironmentName, ProjectId},
};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, EntityTrait, JoinType, QueryFilter, QueryOrder, QuerySelect, QueryTrait,
};
use uuid::Uuid;

use super::rows::STRATEGY;
use crate::{
    StoreError,
    db::listed,
    entity::{change_request, change_request_change, change_request_change_target},
};

/// Targets of the change requests that are looked for; the answer is their union. Without any, all are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScheduledFilter {
    /// Names of features.
    pub features: Vec<String>,
    /// Ids of strategies.
    pub strategies: Vec<Uuid>,
    /// Names of features whose variants are changed.
    pub variants_of: Vec<String>,
}

impl ScheduledFilter {
    const fn is_empty(&self) -> bool {
        self.features.is_empty() && self.strategies.is_empty() && self.variants_of.is_empty()
    }
}

/// Ids of a change and of its change request, title, feature, segment and action.
type ChangeRow = (i64, i64, Option<String>, Option<String>, Option<i64>, String);

/// A scheduled change request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScheduledRequest {
    /// Unique id.
    pub id: i64,
    /// Name of its environment.
    pub environment: String,
    /// Title that a user gave it.
    pub title: Option<String>,
}

/// The scheduled change requests of a project that are about any of these, by id.
pub async fn list(
    db: &impl ConnectionTrait,
    project: &str,
    filter: &ScheduledFilter,
) -> Result<Vec<ScheduledRequest>, StoreError> {
    use change_request_change::{Column, Entity};
    let texts = |texts: &[String]| listed::texts(db.get_database_backend(), texts.iter().map(String::as_str));
    let strategies: Vec<String> = filter.strategies.iter().map(Uuid::to_string).collect();
    let of_strategies = change_request_change_target::Entity::find()
        .select_only()
        .column(change_request_change_target::Column::ChangeId)
        .filter(change_request_change_target::Column::Kind.eq(STRATEGY))
        .filter(change_request_change_target::Column::Target.in_subquery(texts(&strategies)))
        .into_query();
    let variants = Condition::all()
        .add(Column::Action.eq(Action::PATCH_VARIANT))
        .add(Column::Feature.in_subquery(texts(&filter.variants_of)));
    let about = Condition::any()
        .add(Column::Feature.in_subquery(texts(&filter.features)))
        .add(Column::Id.in_subquery(of_strategies))
        .add(variants);
    let requests = Entity::find().select_only().column(Column::ChangeRequestId).filter(about).into_query();
    let mut scheduled = change_request::Entity::find()
        .filter(change_request::Column::Project.eq(project))
        .filter(change_request::Column::State.eq(State::Scheduled.as_str()));
    if !filter.is_empty() {
        scheduled = scheduled.filter(change_request::Column::Id.in_subquery(requests));
    }
    let rows = scheduled.order_by_asc(change_request::Column::Id).all(db).await?;
    let request =
        |row: change_request::Model| ScheduledRequest { id: row.id, environment: row.environment, title: row.title };
    Ok(rows.into_iter().map(request).collect())
}

/// Changes of the scheduled change requests of a project in an environment, other than `except`, in the order of their ids.
pub async fn changes(
    db: &impl ConnectionTrait,
    project: ProjectId<'_>,
    environment: EnvironmentName<'_>,
    except: i64,
) -> Result<Vec<ScheduledChange>, StoreError> {
    use change_request_change::{Column, Entity};
    let of_request =
        Entity::belongs_to(change_request::Entity).from(Column::ChangeRequestId).to(change_request::Column::Id);
    let elsewhere = Condition::all()
        .add(change_request::Column::Project.eq(project.as_str()))
        .add(change_request::Column::Environment.eq(environment.as_str()))
        .add(change_request::Column::State.eq(State::Scheduled.as_str()))
        .add(change_request::Column::Id.ne(except));
    let rows: Vec<ChangeRow> = Entity::find()
        .select_only()
        .columns([Column::Id, Column::ChangeRequestId])
        .column(change_request::Column::Title)
        .columns([Column::Feature, Column::SegmentId, Column::Action])
        .join(JoinType::InnerJoin, of_request.into())
        .filter(elsewhere)
        .order_by_asc(Column::Id)
        .into_tuple()
        .all(db)
        .await?;
    let ids: Vec<i64> = rows.iter().map(|(id, ..)| *id).collect();
    let mut strategies = strategies_of(db, &ids).await?;
    let scheduled = rows.into_iter().map(|(id, request, title, feature, segment, action)| ScheduledChange {
        request,
        title,
        feature,
        action,
        strategies: strategies.remove(&id).unwrap_or_default(),
        segment,
    });
    Ok(scheduled.collect())
}

/// Strategies that changes are about, by the ids of the changes.
pub(super) async fn strategies_of(
    db: &impl ConnectionTrait,
    changes: &[i64],
) -> Result<HashMap<i64, Vec<Uuid>>, StoreError> {
    use change_request_change_target::{Column, Entity};
    let mut strategies: HashMap<i64, Vec<Uuid>> = HashMap::new();
    if changes.is_empty() {
        return Ok(strategies);
    }
    let rows = Entity::find()
        .filter(Column::Kind.eq(STRATEGY))
        .filter(Column::ChangeId.in_subquery(listed::numbers(db.get_database_backend(), changes)))
        .all(db)
        .await?;
    for row in rows {
        strategies.entry(row.change_id).or_default().extend(Uuid::parse_str(&row.target));
    }
    Ok(strategies)
}
