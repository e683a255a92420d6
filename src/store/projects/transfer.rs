//! Features that change their project.

use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, QueryTrait, sea_query::Expr,
};

use crate::store::{
    StoreError,
    db::Tx,
    entity::{feature, segment, strategy_segment},
};

/// Whether a feature depends on another, or another on it.
pub async fn has_dependencies(db: &impl ConnectionTrait, feature_id: i64) -> Result<bool, StoreError> {
    let row = feature::Entity::find_by_id(feature_id).one(db).await?;
    Ok(row.is_some_and(|row| row.dependency_kind.is_some()))
}

/// Names of the segments that strategies of a feature use and that belong to a project.
pub async fn bound_segments(db: &impl ConnectionTrait, feature_id: i64) -> Result<Vec<String>, StoreError> {
    let used = strategy_segment::Entity::find()
        .select_only()
        .column(strategy_segment::Column::SegmentId)
        .filter(strategy_segment::Column::FeatureId.eq(feature_id))
        .into_query();
    let names = segment::Entity::find()
        .select_only()
        .column(segment::Column::Name)
        .filter(segment::Column::Project.is_not_null())
        .filter(segment::Column::Id.in_subquery(used))
        .order_by_asc(segment::Column::Name)
        .into_tuple()
        .all(db)
        .await?;
    Ok(names)
}

/// Gives a feature to another project, which uses the same environments.
pub async fn reassign(tx: &Tx, feature_id: i64, project: &str) -> Result<(), StoreError> {
    feature::Entity::update_many()
        .col_expr(feature::Column::Project, Expr::value(project))
        .filter(feature::Column::Id.eq(feature_id))
        .exec(tx)
        .await?;
    Ok(())
}
