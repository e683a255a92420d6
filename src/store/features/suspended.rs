//! Suspended dependencies of archived features: they bind nothing until the features are revived.

use std::collections::{BTreeSet, HashMap};

use flagstone_domain::{
    dependency::{ParentCandidate, Suspended},
    feature::Dependency,
};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
    sea_query::LockType,
};

use crate::{
    StoreError,
    db::{
        Tx,
        batches::{ASKED_AT_ONCE, WRITTEN_AT_ONCE},
        value::{json_column, to_json_column},
    },
    entity::{archived_dependency, feature},
    features::{dependencies, parents},
};

/// Suspends the dependencies of features that are being archived.
pub(super) async fn suspend(tx: &Tx, child_ids: &[i64]) -> Result<(), StoreError> {
    let links = parents::of_children(tx, child_ids).await?;
    let rows: Vec<_> = links.iter().map(|link| row(link.child_id, &link.dependency)).collect();
    for batch in rows.chunks(WRITTEN_AT_ONCE) {
        archived_dependency::Entity::insert_many(batch.to_vec()).exec_without_returning(tx).await?;
    }
    dependencies::remove_all_of(tx, child_ids).await
}

/// A suspended dependency as its row.
pub(crate) fn row(child_id: i64, dependency: &Dependency) -> archived_dependency::ActiveModel {
    archived_dependency::ActiveModel {
        child_id: Set(child_id),
        parent: Set(dependency.feature.clone()),
        enabled: Set(dependency.enabled.unwrap_or(true)),
        variants: Set(to_json_column(&dependency.variants.as_deref().unwrap_or_default())),
    }
}

/// The suspended dependencies of features, by child, then parent.
pub(crate) async fn list(db: &impl ConnectionTrait, child_ids: &[i64]) -> Result<Vec<(i64, Dependency)>, StoreError> {
    let mut found = Vec::new();
    for batch in child_ids.chunks(ASKED_AT_ONCE) {
        let rows = archived_dependency::Entity::find()
            .filter(archived_dependency::Column::ChildId.is_in(batch.iter().copied()))
            .order_by_asc(archived_dependency::Column::ChildId)
            .order_by_asc(archived_dependency::Column::Parent)
            .all(db)
            .await?;
        for row in rows {
            let variants = json_column("archived_dependency.variants", &row.variants)?;
            let dependency = Dependency { feature: row.parent, enabled: Some(row.enabled), variants: Some(variants) };
            found.push((row.child_id, dependency));
        }
    }
    Ok(found)
}

/// The suspended dependencies of features with their parents as they are now, which are held until the transaction
/// ends: none is archived meanwhile.
pub async fn hold(tx: &Tx, child_ids: &[i64]) -> Result<Vec<Suspended>, StoreError> {
    let suspended = list(tx, child_ids).await?;
    let names: BTreeSet<&str> = suspended.iter().map(|(_, dependency)| &*dependency.feature).collect();
    let names: Vec<&str> = names.into_iter().collect();
    let mut candidates: HashMap<String, ParentCandidate> = HashMap::new();
    for batch in names.chunks(ASKED_AT_ONCE) {
        let rows = feature::Entity::find()
            .filter(feature::Column::Name.is_in(batch.iter().copied()))
            .order_by_asc(feature::Column::Id)
            .lock(LockType::Update)
            .all(tx)
            .await?;
        candidates.extend(rows.into_iter().map(|row| (row.name.clone(), row.into())));
    }
    let with_parent = |(child_id, dependency): (i64, Dependency)| {
        let parent = candidates.get(&dependency.feature).cloned();
        Suspended { child_id, dependency, parent }
    };
    Ok(suspended.into_iter().map(with_parent).collect())
}

/// Forgets the suspended dependencies of features: those that hold again are added as new ones.
pub(super) async fn forget(tx: &Tx, child_ids: &[i64]) -> Result<(), StoreError> {
    for batch in child_ids.chunks(ASKED_AT_ONCE) {
        archived_dependency::Entity::delete_many()
            .filter(archived_dependency::Column::ChildId.is_in(batch.iter().copied()))
            .exec(tx)
            .await?;
    }
    Ok(())
}
