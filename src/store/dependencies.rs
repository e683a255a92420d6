//! Dependencies between features: a child asks for its parent.

use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter,
    sea_query::{Expr, OnConflict},
};

use crate::store::{
    StoreError,
    db::Tx,
    entity::{feature, feature_dependency},
    value::to_json_column,
};

/// Makes `child` depend on `parent`, or changes how it does.
pub async fn add(tx: &Tx, child_id: i64, parent_id: i64, enabled: bool, variants: &[String]) -> Result<(), StoreError> {
    let row = feature_dependency::ActiveModel {
        child_id: Set(child_id),
        parent_id: Set(parent_id),
        enabled: Set(enabled),
        variants: Set(to_json_column(&variants)),
    };
    let key = [feature_dependency::Column::ChildId, feature_dependency::Column::ParentId];
    let changed = [feature_dependency::Column::Enabled, feature_dependency::Column::Variants];
    feature_dependency::Entity::insert(row)
        .on_conflict(OnConflict::columns(key).update_columns(changed).to_owned())
        .exec_without_returning(tx)
        .await?;
    refresh_kind(tx, child_id).await?;
    refresh_kind(tx, parent_id).await
}

/// Ends every dependency of `child` and tells whether there was any.
pub async fn remove_all(tx: &Tx, child_id: i64) -> Result<bool, StoreError> {
    let of_child = feature_dependency::Column::ChildId.eq(child_id);
    let rows = feature_dependency::Entity::find().filter(of_child.clone()).all(tx).await?;
    feature_dependency::Entity::delete_many().filter(of_child).exec(tx).await?;
    refresh_kind(tx, child_id).await?;
    for row in &rows {
        refresh_kind(tx, row.parent_id).await?;
    }
    Ok(!rows.is_empty())
}

/// Whether any feature depends on this one.
pub async fn has_children(db: &impl ConnectionTrait, parent_id: i64) -> Result<bool, StoreError> {
    let of_parent = feature_dependency::Column::ParentId.eq(parent_id);
    Ok(feature_dependency::Entity::find().filter(of_parent).count(db).await? > 0)
}

/// Derives whether a feature is a parent or a child once more. It is never both: there are no chains.
async fn refresh_kind(tx: &Tx, feature_id: i64) -> Result<(), StoreError> {
    let of_child = feature_dependency::Column::ChildId.eq(feature_id);
    let kind = if has_children(tx, feature_id).await? {
        Some("parent")
    } else if feature_dependency::Entity::find().filter(of_child).count(tx).await? > 0 {
        Some("child")
    } else {
        None
    };
    feature::Entity::update_many()
        .col_expr(feature::Column::DependencyKind, Expr::value(kind))
        .filter(feature::Column::Id.eq(feature_id))
        .exec(tx)
        .await?;
    Ok(())
}
