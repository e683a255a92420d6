//! Stored values that decide whether one more feature may be made or taken into use.

use flagstone_domain::{
    feature_link::LinkTemplate, feature_naming::FeatureNaming, feature_rules::FeatureRules, project::VisibleProject,
};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter};

use crate::{
    StoreError,
    db::{Db, Tx},
    entity::{feature, feature_type, project},
    import, projects,
};

/// The rules of a project for new features, and how many the instance has.
#[derive(Debug, Clone)]
pub struct Admission {
    /// The rules of the project.
    pub rules: FeatureRules,
    /// Stickiness of the project's rollouts that name none.
    pub default_stickiness: String,
    /// Features in use in the whole instance.
    pub in_instance: u64,
    /// The links that new features get.
    pub link_templates: Vec<LinkTemplate>,
}

/// Starts a transaction that makes features or revives them. It waits for others like it, imports included, since
/// names are unique and room is limited.
pub async fn begin_making(db: &Db) -> Result<Tx, StoreError> {
    let tx = db.begin().await?;
    import::wait_for_others(&tx).await?;
    Ok(tx)
}

/// Rules of an existing project for new features.
pub async fn admission(db: &impl ConnectionTrait, project: &VisibleProject) -> Result<Admission, StoreError> {
    let row = project::Entity::find_by_id(project.id()).one(db).await?;
    let in_use = || feature::Entity::find().filter(feature::Column::ArchivedAt.is_null());
    let active = in_use().filter(feature::Column::Project.eq(project.id())).count(db).await?;
    let rules = row.as_ref().map(|row| rules(row, active)).unwrap_or_default();
    let link_templates = projects::read_link_templates(row.as_ref().and_then(|row| row.link_templates.as_deref()))?;
    let default_stickiness = row.map_or_else(|| "default".to_owned(), |row| row.default_stickiness);
    Ok(Admission { rules, default_stickiness, in_instance: in_use().count(db).await?, link_templates })
}

/// The rules of a project that has so many features in use.
pub(crate) fn rules(row: &project::Model, active: u64) -> FeatureRules {
    let [pattern, example, description] =
        [&row.naming_pattern, &row.naming_example, &row.naming_description].map(Clone::clone);
    FeatureRules {
        naming: FeatureNaming { pattern, example, description }.tidied(),
        feature_limit: row.feature_limit,
        active_features: i64::try_from(active).unwrap_or(i64::MAX),
    }
}

/// Whether the feature of this name is archived; `None` when there is no such feature in any project.
pub async fn find_archived(db: &impl ConnectionTrait, name: &str) -> Result<Option<bool>, StoreError> {
    let row = feature::Entity::find().filter(feature::Column::Name.eq(name)).one(db).await?;
    Ok(row.map(|row| row.archived_at.is_some()))
}

/// Whether a feature type exists.
pub async fn is_known_type(db: &impl ConnectionTrait, kind: &str) -> Result<bool, StoreError> {
    Ok(feature_type::Entity::find_by_id(kind).count(db).await? > 0)
}
