//! Making and changing projects.

use std::collections::HashSet;

use flagstone_domain::{project::document::ProjectDocument, time::Timestamp, version::Version};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter, QuerySelect,
    sea_query::LockType,
};

use super::overview::{self, Settings, UsedEnvironment};
use crate::{
    StoreError,
    db::{Tx, value::to_list_column},
    entity::{environment, feature, project, retired_project},
};

/// A project that the transaction has locked.
#[derive(Debug, Clone)]
pub struct HeldProject {
    /// Its properties.
    pub document: ProjectDocument,
    /// The environments that it uses.
    pub environments: Vec<UsedEnvironment>,
    /// Its version before the change.
    pub version: Version,
}

impl HeldProject {
    /// The environment that the project uses by this name.
    pub fn environment(&self, name: &str) -> Option<&UsedEnvironment> {
        self.environments.iter().find(|used| used.name == name)
    }

    /// Names of the environments that it uses.
    pub fn environment_names(&self) -> Vec<String> {
        self.environments.iter().map(|used| used.name.clone()).collect()
    }
}

/// The project with this id, archived or not, held until the transaction ends.
pub async fn hold(tx: &Tx, id: &str) -> Result<Option<HeldProject>, StoreError> {
    let found = project::Entity::find_by_id(id).lock(LockType::Update).into_model::<Settings>().one(tx).await?;
    let Some(settings) = found else { return Ok(None) };
    let environments = overview::environments(tx, id).await?;
    let version = settings.version(&environments)?;
    Ok(Some(HeldProject { document: settings.document()?, environments, version }))
}

/// Updates a project to `after`.
pub async fn save(tx: &Tx, after: &ProjectDocument, now: Timestamp) -> Result<(), StoreError> {
    let after = after.clone();
    let row = project::ActiveModel {
        name: Set(after.name),
        description: Set(after.description),
        mode: Set(after.mode.as_str().to_owned()),
        default_stickiness: Set(after.default_stickiness),
        feature_limit: Set(after.feature_limit),
        naming_pattern: Set(after.feature_naming.pattern),
        naming_example: Set(after.feature_naming.example),
        naming_description: Set(after.feature_naming.description),
        updated_at: Set(now),
        archived_at: Set(after.archived_at),
        link_templates: Set(to_list_column(&after.link_templates)),
        ..Default::default()
    };
    project::Entity::update_many().set(row).filter(project::Column::Id.eq(after.id)).exec(tx).await?;
    Ok(())
}

/// Projects that are not archived.
pub async fn count(db: &impl ConnectionTrait) -> Result<u64, StoreError> {
    Ok(project::Entity::find().filter(project::Column::ArchivedAt.is_null()).count(db).await?)
}

/// Features in use of a project.
pub async fn count_features(db: &impl ConnectionTrait, project: &str) -> Result<i64, StoreError> {
    let count = feature::Entity::find()
        .filter(feature::Column::Project.eq(project))
        .filter(feature::Column::ArchivedAt.is_null())
        .count(db)
        .await?;
    Ok(i64::try_from(count).unwrap_or(i64::MAX))
}

/// Whether no project has or had this id in a way that keeps others from it. Hidden projects count too.
pub async fn is_free(db: &impl ConnectionTrait, id: &str) -> Result<bool, StoreError> {
    let used = project::Entity::find_by_id(id).count(db).await?;
    let retired = retired_project::Entity::find_by_id(id).count(db).await?;
    Ok(used + retired == 0)
}

/// The ids that start so and are not free.
pub async fn taken_ids(db: &impl ConnectionTrait, prefix: &str) -> Result<HashSet<String>, StoreError> {
    let used: Vec<String> = project::Entity::find()
        .select_only()
        .column(project::Column::Id)
        .filter(project::Column::Id.like(crate::db::text::starting_with(prefix)))
        .into_tuple()
        .all(db)
        .await?;
    let retired: Vec<String> = retired_project::Entity::find()
        .select_only()
        .column(retired_project::Column::Id)
        .filter(retired_project::Column::Id.like(crate::db::text::starting_with(prefix)))
        .into_tuple()
        .all(db)
        .await?;
    Ok(used.into_iter().chain(retired).collect())
}

/// Names of the environments that exist, and whether each is switched on.
pub async fn known_environments(db: &impl ConnectionTrait) -> Result<Vec<(String, bool)>, StoreError> {
    let rows = environment::Entity::find()
        .select_only()
        .column(environment::Column::Name)
        .column(environment::Column::Enabled)
        .into_tuple()
        .all(db)
        .await?;
    Ok(rows)
}
