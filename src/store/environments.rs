//! Environments, and which projects use them.

mod cloning;
mod removal;
mod settings;

pub use self::{
    cloning::{Cloning, SwitchedOn, copy_grants, copy_projects},
    removal::{remove, sole_users, users},
    settings::{Counted, add, count, find, hold, hold_all, list, names, next_sort_order, save},
};

use flagstone_domain::{
    ids::{EnvironmentName, ProjectId},
    variant::FeatureVariant,
};
use sea_orm::{ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use serde::Serialize;

use crate::{
    StoreError,
    db::{Tx, value::to_json_column},
    entity::{environment, feature, feature_environment, project_environment},
};

/// Makes an environment that is on and can be removed.
pub async fn insert(tx: &Tx, name: &str, kind: &str, sort_order: i64) -> Result<(), StoreError> {
    let row = environment::ActiveModel {
        name: Set(name.to_owned()),
        r#type: Set(kind.to_owned()),
        enabled: Set(true),
        protected: Set(false),
        sort_order: Set(sort_order),
        ..Default::default()
    };
    environment::Entity::insert(row).exec_without_returning(tx).await?;
    Ok(())
}

/// Whether an environment exists, switched on or not.
pub async fn exists(db: &impl ConnectionTrait, name: &str) -> Result<bool, StoreError> {
    Ok(environment::Entity::find_by_id(name).one(db).await?.is_some())
}

/// Names of the environments that a project uses.
pub async fn of_project(db: &impl ConnectionTrait, project: &str) -> Result<Vec<String>, StoreError> {
    let names = project_environment::Entity::find()
        .select_only()
        .column(project_environment::Column::Environment)
        .filter(project_environment::Column::Project.eq(project))
        .order_by_asc(project_environment::Column::Environment)
        .into_tuple()
        .all(db)
        .await?;
    Ok(names)
}

/// Lets a project use an environment: each of its features gets a configuration there, switched off.
pub async fn connect(tx: &Tx, project: ProjectId<'_>, environment: EnvironmentName<'_>) -> Result<(), StoreError> {
    let row = project_environment::ActiveModel {
        project: Set(project.as_str().to_owned()),
        environment: Set(environment.as_str().to_owned()),
        default_strategy: Set(None),
    };
    project_environment::Entity::insert(row).exec_without_returning(tx).await?;
    let features = feature::Entity::find().filter(feature::Column::Project.eq(project.as_str())).all(tx).await?;
    for batch in features.chunks(100) {
        let rows = batch.iter().map(|feature| unconfigured(feature, environment.as_str()));
        feature_environment::Entity::insert_many(rows).exec_without_returning(tx).await?;
    }
    Ok(())
}

/// The row of a feature in an environment where nothing has been set yet.
pub(super) fn unconfigured(feature: &feature::Model, environment: &str) -> feature_environment::ActiveModel {
    feature_environment::ActiveModel {
        feature_id: Set(feature.id),
        environment: Set(environment.to_owned()),
        enabled: Set(false),
        last_seen_at: Set(None),
        feature_name: Set(feature.name.clone()),
        feature_created_at: Set(feature.created_at),
        live: Set(feature.archived_at.is_none()),
        ..configured::<FeatureVariant>(&[], [])
    }
}

/// Columns for variants, and those derived from strategies, given whether each of these is enabled.
pub(super) fn configured<V: Serialize>(
    variants: &[V],
    are_enabled: impl IntoIterator<Item = bool>,
) -> feature_environment::ActiveModel {
    let are_enabled: Vec<bool> = are_enabled.into_iter().collect();
    feature_environment::ActiveModel {
        variants: Set(to_json_column(&variants)),
        variant_count: Set(i64::try_from(variants.len()).unwrap_or(i64::MAX)),
        has_strategies: Set(!are_enabled.is_empty()),
        has_enabled_strategies: Set(are_enabled.contains(&true)),
        ..Default::default()
    }
}
