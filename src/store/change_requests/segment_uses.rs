//! Segments that strategies would apply which open change requests add or change.

use std::collections::BTreeSet;

use flagstone_domain::{
    change_request::{action::Action, state::State},
    ids::{EnvironmentName, ProjectId},
    visibility::Visibility,
};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, EntityTrait, JoinType, QueryFilter, QueryOrder, QuerySelect, Select,
    sea_query::{Expr, ExprTrait, Query, SelectStatement},
};
use uuid::Uuid;

use super::{configuration, read::seen_by, rows::APPLIED_SEGMENT};
use crate::{
    StoreError,
    entity::{
        change_request, change_request_change, change_request_change_target, change_request_configuration, feature,
        feature_strategy, strategy_segment,
    },
    visibility::not_hidden,
};

/// Strategy of an open change request that would apply a segment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SegmentUse {
    /// Id of the change request.
    pub change_request_id: i64,
    /// Title that a user gave the change request.
    pub title: Option<String>,
    /// Id of its project.
    pub project: String,
    /// Name of the feature.
    pub feature: String,
    /// Name of the environment.
    pub environment: String,
    /// Name of the strategy type.
    pub strategy: String,
    /// Id of the strategy, if it exists already.
    pub strategy_id: Option<Uuid>,
}

/// The uses of a segment by open change requests that may be seen, in the order of the changes, without the drafts of others
/// than the viewer.
pub async fn list(
    db: &impl ConnectionTrait,
    segment_id: i64,
    visibility: &Visibility,
    viewer: Option<i64>,
) -> Result<Vec<SegmentUse>, StoreError> {
    let seen =
        Condition::all().add(seen_by(viewer)).add(not_hidden(change_request::Column::Project.into_expr(), visibility));
    let found = uses(segment_id)
        .select_also(change_request::Entity)
        .filter(seen)
        .order_by_asc(change_request_change::Column::Id)
        .all(db)
        .await?;
    let uses = found.into_iter().filter_map(|(change, request)| {
        let request = request?;
        let feature = change.feature.clone()?;
        Some(of(change, feature, request))
    });
    Ok(uses.collect())
}

/// Whether any open change request would apply a segment, seen or not.
pub async fn is_used(db: &impl ConnectionTrait, segment_id: i64) -> Result<bool, StoreError> {
    Ok(uses(segment_id).one(db).await?.is_some())
}

/// Projects and environments in which changes need approval and the segment decides for whom features in use are on, or
/// would by a change request that others than its author see.
pub async fn guarded_places(
    db: &impl ConnectionTrait,
    segment_id: i64,
) -> Result<BTreeSet<(String, String)>, StoreError> {
    let mut places = BTreeSet::new();
    for row in db.query_all(&guarded_strategies(segment_id)).await? {
        places.insert((row.try_get_by_index(0)?, row.try_get_by_index(1)?));
    }
    let requested: Vec<(String, String)> = uses(segment_id)
        .filter(change_request::Column::State.ne(State::Draft.as_str()))
        .select_only()
        .columns([change_request::Column::Project, change_request::Column::Environment])
        .distinct()
        .into_tuple()
        .all(db)
        .await?;
    for (project, environment) in requested {
        let required = configuration::find(db, ProjectId::new(&project), EnvironmentName::new(&environment)).await?;
        if required.is_some() {
            places.insert((project, environment));
        }
    }
    Ok(places)
}

/// A query for the projects and environments of strategies that apply a segment, where changes need approval.
fn guarded_strategies(segment_id: i64) -> SelectStatement {
    use change_request_configuration as configuration;
    let column = |column: feature_strategy::Column| Expr::col((feature_strategy::Entity, column));
    let applied = column(feature_strategy::Column::Id)
        .equals((strategy_segment::Entity, strategy_segment::Column::StrategyId))
        .and(Expr::col((strategy_segment::Entity, strategy_segment::Column::SegmentId)).eq(segment_id));
    let in_use = column(feature_strategy::Column::FeatureId)
        .equals((feature::Entity, feature::Column::Id))
        .and(Expr::col((feature::Entity, feature::Column::ArchivedAt)).is_null());
    let guarded = Expr::col((configuration::Entity, configuration::Column::Environment))
        .equals((feature_strategy::Entity, feature_strategy::Column::Environment))
        .and(
            Expr::col((configuration::Entity, configuration::Column::Project))
                .equals((feature::Entity, feature::Column::Project)),
        );
    Query::select()
        .distinct()
        .column((configuration::Entity, configuration::Column::Project))
        .column((configuration::Entity, configuration::Column::Environment))
        .from(feature_strategy::Entity)
        .join(JoinType::InnerJoin, strategy_segment::Entity, applied)
        .join(JoinType::InnerJoin, feature::Entity, in_use)
        .join(JoinType::InnerJoin, configuration::Entity, guarded)
        .take()
}

fn uses(segment_id: i64) -> Select<change_request_change::Entity> {
    use change_request_change::{Column, Entity};
    let of_request =
        Entity::belongs_to(change_request::Entity).from(Column::ChangeRequestId).to(change_request::Column::Id);
    let target = change_request_change_target::Entity::belongs_to(Entity)
        .from(change_request_change_target::Column::ChangeId)
        .to(Column::Id);
    let target: sea_orm::RelationDef = target.into();
    Entity::find()
        .join(JoinType::InnerJoin, of_request.into())
        .join(JoinType::InnerJoin, target.rev())
        .filter(change_request_change_target::Column::Kind.eq(APPLIED_SEGMENT))
        .filter(change_request_change_target::Column::Target.eq(segment_id.to_string()))
        .filter(change_request::Column::State.is_in(State::OPEN.map(State::as_str)))
}

fn of(change: change_request_change::Model, feature: String, request: change_request::Model) -> SegmentUse {
    let action = Action::of_stored(change.action, change.payload.as_deref(), true);
    let strategy_id = match &action {
        Action::UpdateStrategy(update) => Some(update.id),
        _ => None,
    };
    SegmentUse {
        change_request_id: request.id,
        title: request.title,
        project: request.project,
        feature,
        environment: request.environment,
        strategy: action.proposed_strategy().map(|strategy| strategy.name.clone()).unwrap_or_default(),
        strategy_id,
    }
}
