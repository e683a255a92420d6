//! Copying what projects have in one environment into another.

use std::collections::HashMap;

use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, EntityTrait, IntoActiveModel, QueryFilter, QueryOrder, QuerySelect,
};

use crate::{
    clock,
    domain::tag::Tag,
    store::{
        StoreError,
        db::{
            Tx,
            batches::{ASKED_AT_ONCE, WRITTEN_AT_ONCE},
        },
        entity::{
            feature, feature_environment, feature_strategy, project_environment, role_permission, strategy_segment,
        },
        tags,
    },
};

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

/// Lets projects that use `source` use `target` too, each of their features configured as there. Returns the features
/// in use that are now on in `target`, by name.
pub async fn copy_projects(
    tx: &Tx,
    source: &str,
    target: &str,
    projects: &[String],
) -> Result<Vec<SwitchedOn>, StoreError> {
    let mut switched_on = Vec::new();
    for project in projects {
        connect(tx, source, target, project).await?;
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
            let on = copy_switches(tx, source, target, &ids).await?;
            copy_strategies(tx, source, target, &ids).await?;
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

async fn connect(tx: &Tx, source: &str, target: &str, project: &str) -> Result<(), StoreError> {
    let default_strategy = project_environment::Entity::find_by_id((project.to_owned(), source.to_owned()))
        .one(tx)
        .await?
        .and_then(|row| row.default_strategy);
    let row = project_environment::ActiveModel {
        project: Set(project.to_owned()),
        environment: Set(target.to_owned()),
        default_strategy: Set(default_strategy),
    };
    project_environment::Entity::insert(row).exec_without_returning(tx).await?;
    Ok(())
}

/// Returns the ids of those in use that are on.
async fn copy_switches(tx: &Tx, source: &str, target: &str, ids: &[i64]) -> Result<Vec<i64>, StoreError> {
    let rows = feature_environment::Entity::find()
        .filter(feature_environment::Column::FeatureId.is_in(ids.iter().copied()))
        .filter(feature_environment::Column::Environment.eq(source))
        .all(tx)
        .await?;
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let on = rows.iter().filter(|row| row.enabled && row.live).map(|row| row.feature_id).collect();
    let copies = rows.into_iter().map(|row| feature_environment::ActiveModel {
        feature_id: Set(row.feature_id),
        environment: Set(target.to_owned()),
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

async fn copy_strategies(tx: &Tx, source: &str, target: &str, ids: &[i64]) -> Result<(), StoreError> {
    let rows = feature_strategy::Entity::find()
        .filter(feature_strategy::Column::FeatureId.is_in(ids.iter().copied()))
        .filter(feature_strategy::Column::Environment.eq(source))
        .order_by_asc(feature_strategy::Column::Id)
        .all(tx)
        .await?;
    for batch in rows.chunks(WRITTEN_AT_ONCE) {
        let copies: HashMap<&str, String> = batch.iter().map(|row| (&*row.id, clock::new_uuid().to_string())).collect();
        let strategies = batch.iter().map(|row| {
            let (id, environment) = (copies[&*row.id].clone(), target.to_owned());
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

/// Gives every grant that counts in `source` alone a twin that counts in `target`.
pub async fn copy_grants(tx: &Tx, source: &str, target: &str) -> Result<(), StoreError> {
    let rows = role_permission::Entity::find().filter(role_permission::Column::Environment.eq(source)).all(tx).await?;
    for batch in rows.chunks(WRITTEN_AT_ONCE) {
        let twins = batch.iter().map(|row| role_permission::ActiveModel {
            role_id: Set(row.role_id),
            permission: Set(row.permission.clone()),
            project: Set(row.project.clone()),
            environment: Set(Some(target.to_owned())),
            ..Default::default()
        });
        role_permission::Entity::insert_many(twins).exec_without_returning(tx).await?;
    }
    Ok(())
}
