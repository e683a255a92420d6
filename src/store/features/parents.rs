//! Parents of features, for rules and forms.

use std::collections::{BTreeSet, HashMap};

use flagstone_domain::{
    dependency::{DependencyType, ParentCandidate},
    feature::Dependency,
    project::VisibleProject,
    variant::{FeatureVariant, StrategyVariant},
};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect,
    sea_query::{ExprTrait, LockType},
};

use crate::{
    StoreError,
    db::{Tx, batches::ASKED_AT_ONCE, packed, value::json_column},
    entity::{feature, feature_dependency, feature_environment, feature_strategy},
    features::dependencies,
};

/// Holds two features until the transaction ends, always in the same order: two writers cannot wait for each other.
pub async fn hold_both(tx: &Tx, one: &str, other: &str) -> Result<(), StoreError> {
    feature::Entity::find()
        .select_only()
        .column(feature::Column::Id)
        .filter(feature::Column::Name.is_in([one, other]))
        .order_by_asc(feature::Column::Id)
        .lock(LockType::Update)
        .into_tuple::<i64>()
        .all(tx)
        .await?;
    Ok(())
}

/// A dependency of a feature.
#[derive(Debug, Clone, PartialEq)]
pub struct ParentLink {
    /// Internal id of the feature that depends.
    pub child_id: i64,
    /// Internal id of the one that it depends on.
    pub parent_id: i64,
    /// The dependency in full.
    pub dependency: Dependency,
}

packed::row! {
    /// A dependency of a feature, from a query that joins the parent.
    #[derive(PartialEq, Eq, PartialOrd, Ord)]
    pub(crate) struct ParentRow {
        pub(crate) child_id: i64 = feature_dependency::Column::ChildId,
        pub(crate) parent: String = feature::Column::Name,
        pub(crate) enabled: bool = feature_dependency::Column::Enabled,
        variants: String = feature_dependency::Column::Variants,
    }
}

impl ParentRow {
    /// The variants of which the parent must give one; none for any.
    pub(crate) fn variants(&self) -> Result<Vec<String>, DbErr> {
        json_column("feature_dependency.variants", &self.variants)
    }
}

/// Dependencies of features, by child, then the name of the parent.
pub async fn of_children(db: &impl ConnectionTrait, child_ids: &[i64]) -> Result<Vec<ParentLink>, StoreError> {
    let mut links = Vec::new();
    for batch in child_ids.chunks(ASKED_AT_ONCE) {
        let of_children = feature_dependency::Column::ChildId.is_in(batch.iter().copied());
        let rows = feature_dependency::Entity::find().filter(of_children).all(db).await?;
        let parents: BTreeSet<i64> = rows.iter().map(|row| row.parent_id).collect();
        let parents: Vec<i64> = parents.into_iter().collect();
        let mut names: HashMap<i64, String> = HashMap::new();
        for batch in parents.chunks(ASKED_AT_ONCE) {
            let found: Vec<(i64, String)> = feature::Entity::find()
                .select_only()
                .columns([feature::Column::Id, feature::Column::Name])
                .filter(feature::Column::Id.is_in(batch.iter().copied()))
                .into_tuple()
                .all(db)
                .await?;
            names.extend(found);
        }
        for row in rows {
            let Some(parent) = names.get(&row.parent_id) else { continue };
            let variants = json_column("feature_dependency.variants", &row.variants)?;
            let dependency =
                Dependency { feature: parent.clone(), enabled: Some(row.enabled), variants: Some(variants) };
            links.push(ParentLink { child_id: row.child_id, parent_id: row.parent_id, dependency });
        }
    }
    links.sort_by(|one, other| {
        (one.child_id, &one.dependency.feature).cmp(&(other.child_id, &other.dependency.feature))
    });
    Ok(links)
}

impl From<feature::Model> for ParentCandidate {
    fn from(row: feature::Model) -> Self {
        Self {
            id: row.id,
            project: row.project,
            is_archived: row.archived_at.is_some(),
            is_child: row.dependency_kind.as_deref() == Some(DependencyType::Child.as_str()),
        }
    }
}

/// Properties of a feature that another is to depend on.
pub async fn candidate(db: &impl ConnectionTrait, name: &str) -> Result<Option<ParentCandidate>, StoreError> {
    let row = feature::Entity::find().filter(feature::Column::Name.eq(name)).one(db).await?;
    Ok(row.map(ParentCandidate::from))
}

/// Returns the dependency of `child` on `parent`: whether the parent must be on, and the variants of which it must give
/// one.
pub async fn find(
    db: &impl ConnectionTrait,
    child_id: i64,
    parent_id: i64,
) -> Result<Option<(bool, Vec<String>)>, StoreError> {
    let row = feature_dependency::Entity::find_by_id((child_id, parent_id)).one(db).await?;
    let Some(row) = row else { return Ok(None) };
    Ok(Some((row.enabled, json_column("feature_dependency.variants", &row.variants)?)))
}

/// Names of the features in use of a project that this one may depend on, sorted.
pub async fn possible_parents(
    db: &impl ConnectionTrait,
    project: &VisibleProject,
    feature_id: i64,
) -> Result<Vec<String>, StoreError> {
    if dependencies::has_children(db, feature_id).await? {
        return Ok(Vec::new());
    }
    let is_no_child = feature::Column::DependencyKind
        .is_null()
        .or(feature::Column::DependencyKind.ne(DependencyType::Child.as_str()));
    let names = feature::Entity::find()
        .select_only()
        .column(feature::Column::Name)
        .filter(feature::Column::Project.eq(project.id()))
        .filter(feature::Column::ArchivedAt.is_null())
        .filter(feature::Column::Id.ne(feature_id))
        .filter(is_no_child)
        .order_by_asc(feature::Column::Name)
        .into_tuple()
        .all(db)
        .await?;
    Ok(names)
}

/// Names of all variants that a feature can give, in any environment, sorted.
pub async fn variant_names(db: &impl ConnectionTrait, feature_id: i64) -> Result<Vec<String>, StoreError> {
    let mut names = BTreeSet::new();
    let of_feature: Vec<String> = feature_environment::Entity::find()
        .select_only()
        .column(feature_environment::Column::Variants)
        .filter(feature_environment::Column::FeatureId.eq(feature_id))
        .into_tuple()
        .all(db)
        .await?;
    for text in of_feature {
        let variants: Vec<FeatureVariant> = json_column("feature_environment.variants", &text)?;
        names.extend(variants.into_iter().map(|variant| variant.name));
    }
    let of_strategies: Vec<String> = feature_strategy::Entity::find()
        .select_only()
        .column(feature_strategy::Column::Variants)
        .filter(feature_strategy::Column::FeatureId.eq(feature_id))
        .into_tuple()
        .all(db)
        .await?;
    for text in of_strategies {
        let variants: Vec<StrategyVariant> = json_column("feature_strategy.variants", &text)?;
        names.extend(variants.into_iter().map(|variant| variant.name));
    }
    Ok(names.into_iter().collect())
}

/// Whether any feature in use of a project depends on another.
pub async fn is_any_in(db: &impl ConnectionTrait, project: &VisibleProject) -> Result<bool, StoreError> {
    let children = feature::Entity::find()
        .filter(feature::Column::Project.eq(project.id()))
        .filter(feature::Column::ArchivedAt.is_null())
        .filter(feature::Column::DependencyKind.eq(DependencyType::Child.as_str()))
        .limit(1)
        .count(db)
        .await?;
    Ok(children > 0)
}
