//! Copying what projects have in one environment into another.

use std::collections::HashMap;

use flagstone_clock as clock;
use flagstone_domain::{ids::EnvironmentName, tag::Tag};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, EntityTrait, IntoActiveModel, QueryFilter, QueryOrder, QuerySelect,
};

use crate::{
    StoreError,
    db::{
        Tx,
        batches::{ASKED_AT_ONCE, WRITTEN_AT_ONCE},
    },
    entity::{feature, feature_environment, feature_strategy, project_environment, role_permission, strategy_segment},
    tags,
};

/// An environment, and the one that gets what projects have in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cloning<'a> {
    /// The environment that is copied.
    pub source: EnvironmentName<'a>,
    /// The environment that gets the copy.
    pub target: EnvironmentName<'a>,
}

/// A feature that the copy switched on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SwitchedOn {
    /// Its project.
    pub project: String,
    /// Its name.
    pub name: String,
    /// Its tags.
    pub tags: Vec<Tag>,
}

/// Lets projects that use the source use the target too, each of their features configured as there. Returns the features
/// in use that are now on in the target, by name.
pub async fn copy_projects(tx: &Tx, cloning: Cloning<'_>, projects: &[String]) -> Result<Vec<SwitchedOn>, StoreError> {
    let mut switched_on = Vec::new();
    for project in projects {
        connect(tx, cloning, project).await?;
        let features: Vec<(i64, String)> = feature::Entity::find()
            .select_only()
            .columns([feature::Column::Id, feature::Column::Name])
            .filter(feature::Column::Project.eq(project))
            .order_by_asc(feature::Column::Name)
            .into_tuple()
            .all(tx)
            .await?;
        for batch in features.chunks(ASKED_AT_ONCE) {
            let ids: Vec<i64> = batch.iter().map(|(id, _)| *id).collect();
            let on = copy_switches(tx, cloning, &ids).await?;
            copy_strategies(tx, cloning, &ids).await?;
            let mut tags = tags::of_features(tx, &on).await?;
            let named = batch.iter().filter(|(id, _)| on.contains(id));
            switched_on.extend(named.map(|(id, name)| SwitchedOn {
                project: project.clone(),
                name: name.clone(),
                tags: tags.remove(id).unwrap_or_default(),
            }));
        }
    }
    Ok(switched_on)
}

async fn connect(tx: &Tx, Cloning { source, target }: Cloning<'_>, project: &str) -> Result<(), StoreError> {
    let key = (project.to_owned(), source.as_str().to_owned());
    let original = project_environment::Entity::find_by_id(key).one(tx).await?;
    let default_strategy = original.and_then(|row| row.default_strategy);
    let row = project_environment::ActiveModel {
        project: Set(project.to_owned()),
        environment: Set(target.as_str().to_owned()),
        default_strategy: Set(default_strategy),
    };
    project_environment::Entity::insert(row).exec_without_returning(tx).await?;
    Ok(())
}

/// Returns the ids of those in use that are on.
async fn copy_switches(tx: &Tx, Cloning { source, target }: Cloning<'_>, ids: &[i64]) -> Result<Vec<i64>, StoreError> {
    let rows = feature_environment::Entity::find()
        .filter(feature_environment::Column::FeatureId.is_in(ids.iter().copied()))
        .filter(feature_environment::Column::Environment.eq(source.as_str()))
        .all(tx)
        .await?;
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let on = rows.iter().filter(|row| row.enabled && row.live).map(|row| row.feature_id).collect();
    let copies = rows.into_iter().map(|row| feature_environment::ActiveModel {
        feature_id: Set(row.feature_id),
        environment: Set(target.as_str().to_owned()),
        enabled: Set(row.enabled),
        // No usage was reported from the new environment.
        last_seen_at: Set(None),
        variants: Set(row.variants),
        has_strategies: Set(row.has_strategies),
        has_enabled_strategies: Set(row.has_enabled_strategies),
        variant_count: Set(row.variant_count),
        feature_name: Set(row.feature_name),
        feature_created_at: Set(row.feature_created_at),
        live: Set(row.live),
    });
    feature_environment::Entity::insert_many(copies).exec_without_returning(tx).await?;
    Ok(on)
}

async fn copy_strategies(tx: &Tx, Cloning { source, target }: Cloning<'_>, ids: &[i64]) -> Result<(), StoreError> {
    let rows = feature_strategy::Entity::find()
        .filter(feature_strategy::Column::FeatureId.is_in(ids.iter().copied()))
        .filter(feature_strategy::Column::Environment.eq(source.as_str()))
        .order_by_asc(feature_strategy::Column::Id)
        .all(tx)
        .await?;
    for batch in rows.chunks(WRITTEN_AT_ONCE) {
        let copies: HashMap<&str, String> = batch.iter().map(|row| (&*row.id, clock::new_uuid().to_string())).collect();
        let strategies = batch.iter().map(|row| {
            let (id, environment) = (copies[&*row.id].clone(), target.as_str().to_owned());
            feature_strategy::Model { id, environment, ..row.clone() }.into_active_model().reset_all()
        });
        feature_strategy::Entity::insert_many(strategies).exec_without_returning(tx).await?;
        let links = strategy_segment::Entity::find()
            .filter(strategy_segment::Column::StrategyId.is_in(batch.iter().map(|row| &*row.id)))
            .all(tx)
            .await?;
        for links in links.chunks(WRITTEN_AT_ONCE) {
            let links = links.iter().map(|link| strategy_segment::ActiveModel {
                strategy_id: Set(copies[&*link.strategy_id].clone()),
                segment_id: Set(link.segment_id),
                feature_id: Set(link.feature_id),
            });
            strategy_segment::Entity::insert_many(links).exec_without_returning(tx).await?;
        }
    }
    Ok(())
}

/// Gives every grant that counts in the source alone a twin that counts in the target.
pub async fn copy_grants(tx: &Tx, Cloning { source, target }: Cloning<'_>) -> Result<(), StoreError> {
    let in_source = role_permission::Column::Environment.eq(source.as_str());
    let rows = role_permission::Entity::find().filter(in_source).all(tx).await?;
    for batch in rows.chunks(WRITTEN_AT_ONCE) {
        let twins = batch.iter().map(|row| role_permission::ActiveModel {
            role_id: Set(row.role_id),
            permission: Set(row.permission.clone()),
            project: Set(row.project.clone()),
            environment: Set(Some(target.as_str().to_owned())),
            ..Default::default()
        });
        role_permission::Entity::insert_many(twins).exec_without_returning(tx).await?;
    }
    Ok(())
}
