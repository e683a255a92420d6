//! Changing a feature that exists.

use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QuerySelect,
    sea_query::{Expr, LockType},
};

use crate::{
    domain::{
        feature_document::{FeatureDocument, Shelving},
        lifecycle::Stage,
        project::ProjectScope,
        time::Timestamp,
    },
    store::{
        StoreError,
        db::Tx,
        dependencies,
        entity::{feature, feature_environment, feature_lifecycle},
        features::enter_stage,
    },
};

/// A feature that the transaction holds, so that nobody else changes it meanwhile.
#[derive(Debug, Clone)]
pub struct HeldFeature {
    /// Internal id.
    pub id: i64,
    /// Its properties.
    pub document: FeatureDocument,
}

impl From<feature::Model> for FeatureDocument {
    fn from(row: feature::Model) -> Self {
        Self {
            name: row.name,
            description: row.description,
            kind: row.r#type,
            project: row.project,
            stale: row.stale,
            created_at: row.created_at,
            last_seen_at: row.last_seen_at,
            impression_data: row.impression_data,
            archived_at: row.archived_at,
        }
    }
}

/// The feature of a project with this name, archived or not, held until the transaction ends.
pub async fn hold(tx: &Tx, project: &ProjectScope, name: &str) -> Result<Option<HeldFeature>, StoreError> {
    if name.contains('\0') {
        return Ok(None);
    }
    let row = feature::Entity::find()
        .filter(feature::Column::Name.eq(name))
        .filter(feature::Column::Project.eq(project.id()))
        .lock(LockType::Update)
        .one(tx)
        .await?;
    Ok(row.map(|row| HeldFeature { id: row.id, document: row.into() }))
}

/// Id of the project that owns the feature with this name.
pub async fn find_owner(db: &impl ConnectionTrait, name: &str) -> Result<Option<String>, StoreError> {
    if name.contains('\0') {
        return Ok(None);
    }
    let row = feature::Entity::find().filter(feature::Column::Name.eq(name)).one(db).await?;
    Ok(row.map(|row| row.project))
}

/// Makes a feature what `after` says: its properties, and what being archived or revived brings with it.
///
/// Whoever archives has made sure that nothing depends on the feature.
pub async fn save(tx: &Tx, held: &HeldFeature, after: &FeatureDocument, now: Timestamp) -> Result<(), StoreError> {
    let row = feature::ActiveModel {
        r#type: Set(after.kind.clone()),
        description: Set(after.description.clone()),
        stale: Set(after.stale),
        impression_data: Set(after.impression_data),
        archived_at: Set(after.archived_at),
        ..Default::default()
    };
    let mut update = feature::Entity::update_many().set(row).filter(feature::Column::Id.eq(held.id));
    if after.stale || after.is_archived() {
        // The job that looks for features past their lifetime passes over these.
        update = update.col_expr(feature::Column::PotentiallyStale, Expr::value(false));
    }
    update.exec(tx).await?;
    match held.document.shelving(after) {
        Some(Shelving::Archive) => archive(tx, held.id, now).await,
        Some(Shelving::Revive) => revive(tx, held.id, now).await,
        None => Ok(()),
    }
}

/// What else archiving means: the feature stops depending on others and leaves the lists of those in use.
async fn archive(tx: &Tx, id: i64, now: Timestamp) -> Result<(), StoreError> {
    dependencies::remove_all(tx, id).await?;
    feature_environment::Entity::update_many()
        .col_expr(feature_environment::Column::Live, Expr::value(false))
        .filter(feature_environment::Column::FeatureId.eq(id))
        .exec(tx)
        .await?;
    enter_stage(tx, id, Stage::Archived, now).await
}

/// What else reviving means: the feature is off everywhere and its life starts over.
async fn revive(tx: &Tx, id: i64, now: Timestamp) -> Result<(), StoreError> {
    feature_environment::Entity::update_many()
        .col_expr(feature_environment::Column::Live, Expr::value(true))
        .col_expr(feature_environment::Column::Enabled, Expr::value(false))
        .filter(feature_environment::Column::FeatureId.eq(id))
        .exec(tx)
        .await?;
    feature_lifecycle::Entity::delete_many().filter(feature_lifecycle::Column::FeatureId.eq(id)).exec(tx).await?;
    enter_stage(tx, id, Stage::Initial, now).await
}
