//! Segments.

use std::collections::BTreeSet;

use flagstone_domain::{
    constraint::Constraint, evaluation::KnownSegment, segment::Segment, time::Timestamp, visibility::Visibility,
};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, JoinType, PaginatorTrait,
    QueryFilter, QueryOrder, QuerySelect, QueryTrait, sea_query::LockType,
};

use crate::{
    StoreError,
    db::{
        Tx, listed,
        value::{json_column, to_json_column},
    },
    entity::{feature, segment, strategy_segment},
    strategies::uses,
    visibility::not_hidden,
};

/// A segment to be made.
#[derive(Debug, Clone, Default)]
pub struct NewSegment {
    /// Unique name.
    pub name: String,
    /// Purpose of the segment.
    pub description: Option<String>,
    /// The only project that may use it; `None` for all.
    pub project: Option<String>,
    /// Conditions that must all hold.
    pub constraints: Vec<Constraint>,
    /// Name of who makes it.
    pub created_by: Option<String>,
}

/// Makes a segment and returns its id.
pub async fn insert(tx: &Tx, new: &NewSegment, now: Timestamp) -> Result<i64, StoreError> {
    let row = segment::ActiveModel {
        name: Set(new.name.clone()),
        description: Set(new.description.clone()),
        project: Set(new.project.clone()),
        constraints: Set(to_json_column(&new.constraints)),
        created_by: Set(new.created_by.clone()),
        created_at: Set(now),
        ..Default::default()
    };
    Ok(segment::Entity::insert(row).exec_with_returning(tx).await?.id)
}

/// Constraints of the segments with these ids, as strategies refer to them. Asks nothing where there are no ids.
pub async fn known(db: &impl ConnectionTrait, ids: BTreeSet<i64>) -> Result<Vec<KnownSegment>, StoreError> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    known_of(segment::Entity::find().filter(segment::Column::Id.is_in(ids)).all(db).await?)
}

/// Segments as strategies refer to them, of their rows.
pub(super) fn known_of(rows: Vec<segment::Model>) -> Result<Vec<KnownSegment>, StoreError> {
    let known = rows.into_iter().map(|row| {
        let constraints = json_column("segment.constraints", &row.constraints)?;
        Ok(KnownSegment { id: row.id, name: row.name, constraints })
    });
    Ok(known.collect::<Result<_, DbErr>>()?)
}

/// The visible segments, by name, with the numbers of features and projects that use each.
pub async fn list(db: &impl ConnectionTrait, visibility: &Visibility) -> Result<Vec<Segment>, StoreError> {
    let rows = segment::Entity::find().filter(visible(visibility)).order_by_asc(segment::Column::Name).all(db).await?;
    let uses = uses::of_segments(db, visibility).await?;
    let segments = rows.into_iter().map(|row| {
        let count = uses.get(&row.id).copied().unwrap_or_default();
        let segment = segment(row)?;
        Ok(Segment { used_in_projects: Some(count.projects), used_in_features: Some(count.features), ..segment })
    });
    Ok(segments.collect::<Result<_, DbErr>>()?)
}

/// The segments that belong to a project, by id, without the numbers of their uses.
pub async fn of_project(db: &impl ConnectionTrait, project: &str) -> Result<Vec<Segment>, StoreError> {
    let rows = segment::Entity::find()
        .filter(segment::Column::Project.eq(project))
        .order_by_asc(segment::Column::Id)
        .all(db)
        .await?;
    Ok(rows.into_iter().map(segment).collect::<Result<_, DbErr>>()?)
}

/// The visible segments that a strategy applies, by id, without the numbers of their uses.
pub async fn of_strategy(
    db: &impl ConnectionTrait,
    strategy_id: &str,
    visibility: &Visibility,
) -> Result<Vec<Segment>, StoreError> {
    let applied = strategy_segment::Entity::find()
        .select_only()
        .column(strategy_segment::Column::SegmentId)
        .filter(strategy_segment::Column::StrategyId.eq(strategy_id))
        .into_query();
    let rows = segment::Entity::find()
        .filter(visible(visibility).add(segment::Column::Id.in_subquery(applied)))
        .order_by_asc(segment::Column::Id)
        .all(db)
        .await?;
    Ok(rows.into_iter().map(segment).collect::<Result<_, DbErr>>()?)
}

/// Number of segments.
pub async fn count(db: &impl ConnectionTrait) -> Result<u64, StoreError> {
    Ok(segment::Entity::find().count(db).await?)
}

/// The segment with this id, without the numbers of its uses.
pub async fn find(db: &impl ConnectionTrait, id: i64) -> Result<Option<Segment>, StoreError> {
    Ok(segment::Entity::find_by_id(id).one(db).await?.map(segment).transpose()?)
}

/// Returns the segment with this id, locked until the transaction ends.
pub async fn hold(tx: &Tx, id: i64) -> Result<Option<Segment>, StoreError> {
    Ok(segment::Entity::find_by_id(id).lock(LockType::Update).one(tx).await?.map(segment).transpose()?)
}

/// Holds segments until the transaction ends: those to be changed, and those that strategies apply, which only must not
/// change. They are locked in one order, so that no transactions wait in a circle; ids of none are ignored.
pub async fn hold_all(tx: &Tx, changed: &BTreeSet<i64>, applied: &BTreeSet<i64>) -> Result<(), StoreError> {
    let ids: Vec<i64> = changed.union(applied).copied().collect();
    if ids.is_empty() {
        return Ok(());
    }
    // One statement locks all of them in one way.
    let lock = if changed.is_empty() { LockType::Share } else { LockType::Update };
    segment::Entity::find()
        .select_only()
        .column(segment::Column::Id)
        .filter(segment::Column::Id.in_subquery(listed::numbers(tx.get_database_backend(), &ids)))
        .order_by_asc(segment::Column::Id)
        .lock(lock)
        .into_tuple::<i64>()
        .all(tx)
        .await?;
    Ok(())
}

/// Whether a segment has this name.
pub async fn exists(db: &impl ConnectionTrait, name: &str) -> Result<bool, StoreError> {
    Ok(segment::Entity::find().filter(segment::Column::Name.eq(name)).count(db).await? > 0)
}

/// Whether any strategy of a feature outside a project applies a segment.
pub async fn is_used_outside(db: &impl ConnectionTrait, id: i64, project: &str) -> Result<bool, StoreError> {
    let of_strategy = strategy_segment::Entity::belongs_to(feature::Entity).from(strategy_segment::Column::FeatureId);
    let outside = strategy_segment::Entity::find()
        .join(JoinType::InnerJoin, of_strategy.to(feature::Column::Id).into())
        .filter(strategy_segment::Column::SegmentId.eq(id))
        .filter(feature::Column::Project.ne(project))
        .count(db)
        .await?;
    Ok(outside > 0)
}

/// Updates a segment to `after`.
pub async fn save(tx: &Tx, after: &Segment) -> Result<(), StoreError> {
    let row = segment::ActiveModel {
        name: Set(after.name.clone()),
        description: Set(after.description.clone().into_inner()),
        project: Set(after.project.clone().into_inner()),
        constraints: Set(to_json_column(&after.constraints)),
        ..Default::default()
    };
    segment::Entity::update_many().set(row).filter(segment::Column::Id.eq(after.id)).exec(tx).await?;
    Ok(())
}

/// Removes a segment that no strategy applies.
pub async fn delete(tx: &Tx, id: i64) -> Result<(), StoreError> {
    segment::Entity::delete_by_id(id).exec(tx).await?;
    Ok(())
}

fn visible(visibility: &Visibility) -> Condition {
    Condition::all().add(
        Condition::any()
            .add(segment::Column::Project.is_null())
            .add(not_hidden(segment::Column::Project.into_expr(), visibility)),
    )
}

/// Reads a row, without the numbers of its uses.
pub(crate) fn segment(row: segment::Model) -> Result<Segment, DbErr> {
    Ok(Segment {
        constraints: json_column("segment.constraints", &row.constraints)?,
        id: row.id,
        name: row.name,
        description: row.description.into(),
        project: row.project.into(),
        created_by: row.created_by.into(),
        created_at: row.created_at,
        used_in_projects: None,
        used_in_features: None,
    })
}
