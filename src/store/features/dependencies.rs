//! Dependencies between features: a child asks for its parent.

use std::collections::{BTreeSet, HashSet};

use flagstone_domain::dependency::DependencyType;
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter,
    sea_query::{CaseStatement, Expr, ExprTrait, OnConflict, Query},
};

use crate::{
    StoreError,
    db::{
        Tx,
        batches::{ASKED_AT_ONCE, WRITTEN_AT_ONCE},
        value::to_json_column,
    },
    entity::{feature, feature_dependency},
    features::parents::ParentLink,
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

/// Adds dependencies of many features, in as many statements however many there are to a batch.
pub async fn add_all(tx: &Tx, links: &[ParentLink]) -> Result<(), StoreError> {
    for batch in links.chunks(WRITTEN_AT_ONCE) {
        let rows = batch.iter().map(|link| feature_dependency::ActiveModel {
            child_id: Set(link.child_id),
            parent_id: Set(link.parent_id),
            enabled: Set(link.dependency.enabled.unwrap_or(true)),
            variants: Set(to_json_column(&link.dependency.variants.as_deref().unwrap_or_default())),
        });
        feature_dependency::Entity::insert_many(rows).exec_without_returning(tx).await?;
    }
    let concerned: BTreeSet<i64> = links.iter().flat_map(|link| [link.child_id, link.parent_id]).collect();
    let concerned: Vec<i64> = concerned.into_iter().collect();
    for batch in concerned.chunks(ASKED_AT_ONCE) {
        refresh_kinds(tx, batch).await?;
    }
    Ok(())
}

/// Ends the dependency of `child` on one parent.
pub async fn remove(tx: &Tx, child_id: i64, parent_id: i64) -> Result<(), StoreError> {
    feature_dependency::Entity::delete_by_id((child_id, parent_id)).exec(tx).await?;
    refresh_kind(tx, child_id).await?;
    refresh_kind(tx, parent_id).await
}

/// Ends every dependency of `child` and returns whether there was any.
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

/// Ends every dependency of the children.
pub async fn remove_all_of(tx: &Tx, child_ids: &[i64]) -> Result<(), StoreError> {
    for batch in child_ids.chunks(ASKED_AT_ONCE) {
        let of_children = feature_dependency::Column::ChildId.is_in(batch.iter().copied());
        let rows = feature_dependency::Entity::find().filter(of_children.clone()).all(tx).await?;
        if rows.is_empty() {
            continue;
        }
        feature_dependency::Entity::delete_many().filter(of_children).exec(tx).await?;
        let concerned: BTreeSet<i64> = rows.iter().flat_map(|row| [row.child_id, row.parent_id]).collect();
        let concerned: Vec<i64> = concerned.into_iter().collect();
        for batch in concerned.chunks(ASKED_AT_ONCE) {
            refresh_kinds(tx, batch).await?;
        }
    }
    Ok(())
}

/// Whether any of the features depends on another.
pub async fn any_parent_of(db: &impl ConnectionTrait, child_ids: &[i64]) -> Result<bool, StoreError> {
    for batch in child_ids.chunks(ASKED_AT_ONCE) {
        let of_children = feature_dependency::Column::ChildId.is_in(batch.iter().copied());
        if feature_dependency::Entity::find().filter(of_children).count(db).await? > 0 {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns those of the features that have children outside of them.
pub async fn parents_of_others(db: &impl ConnectionTrait, ids: &[i64]) -> Result<BTreeSet<i64>, StoreError> {
    let own: HashSet<i64> = ids.iter().copied().collect();
    let mut parents = BTreeSet::new();
    for batch in ids.chunks(ASKED_AT_ONCE) {
        let of_parents = feature_dependency::Column::ParentId.is_in(batch.iter().copied());
        let rows = feature_dependency::Entity::find().filter(of_parents).all(db).await?;
        parents.extend(rows.into_iter().filter(|row| !own.contains(&row.child_id)).map(|row| row.parent_id));
    }
    Ok(parents)
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
        Some(DependencyType::Parent.as_str())
    } else if feature_dependency::Entity::find().filter(of_child).count(tx).await? > 0 {
        Some(DependencyType::Child.as_str())
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

/// Refreshes the kind of many features in one statement.
async fn refresh_kinds(tx: &Tx, ids: &[i64]) -> Result<(), StoreError> {
    let linked = |column: feature_dependency::Column| {
        let links = Query::select()
            .expr(Expr::val(1))
            .from(feature_dependency::Entity)
            .and_where(column.into_expr().equals((feature::Entity, feature::Column::Id)))
            .to_owned();
        Expr::exists(links)
    };
    let kind = CaseStatement::new()
        .case(linked(feature_dependency::Column::ParentId), DependencyType::Parent.as_str())
        .case(linked(feature_dependency::Column::ChildId), DependencyType::Child.as_str())
        .finally(Option::<String>::None);
    feature::Entity::update_many()
        .col_expr(feature::Column::DependencyKind, kind.into())
        .filter(feature::Column::Id.is_in(ids.iter().copied()))
        .exec(tx)
        .await?;
    Ok(())
}
