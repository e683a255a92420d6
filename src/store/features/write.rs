//! Changing a feature that exists.

use std::collections::HashMap;

use flagstone_domain::{
    feature::Feature,
    feature_document::{ArchiveTransition, FeatureDocument},
    project::{ProjectScope, VisibleProject},
    tag::Tag,
    time::Timestamp,
};
use sea_orm::{
    ActiveModelTrait,
    ActiveValue::Set,
    ColumnTrait, ConnectionTrait, DatabaseBackend, EntityTrait, QueryFilter, QueryOrder, QuerySelect, QueryTrait,
    UpdateMany,
    sea_query::{Expr, LockType, Query},
};

use crate::{
    StoreError,
    db::{Tx, batches::ASKED_AT_ONCE},
    entity::feature,
    features::{
        archive::{on_archived, on_revived},
        configuration::{find, find_given},
        read::ASKED,
        search_text,
    },
};

/// A feature that the transaction has locked.
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

/// Columns of the properties that any change may set; being archived has effects of its own.
pub(crate) const PROPERTIES: [feature::Column; 4] =
    [feature::Column::Type, feature::Column::Description, feature::Column::Stale, feature::Column::ImpressionData];

/// A row with nothing but [`PROPERTIES`].
fn properties(document: &FeatureDocument) -> feature::ActiveModel {
    feature::ActiveModel {
        r#type: Set(document.kind.clone()),
        description: Set(document.description.clone()),
        stale: Set(document.stale),
        impression_data: Set(document.impression_data),
        ..Default::default()
    }
}

/// Row of a new feature with tags, in use and never seen.
pub(crate) fn new_row(document: &FeatureDocument, created_by: Option<i64>, tags: &[Tag]) -> feature::ActiveModel {
    feature::ActiveModel {
        name: Set(document.name.clone()),
        project: Set(document.project.clone()),
        potentially_stale: Set(false),
        created_at: Set(document.created_at),
        created_by_user_id: Set(created_by),
        search_text: Set(search_text(&document.name, tags)),
        ..properties(document)
    }
}

/// The feature of a project with this name, archived or not, held until the transaction ends.
pub async fn hold(tx: &Tx, project: &ProjectScope, name: &str) -> Result<Option<HeldFeature>, StoreError> {
    hold_visible(tx, project, name).await
}

/// Returns a feature as [`hold`] does, for changes that need no permission.
pub(super) async fn hold_visible(
    tx: &Tx,
    project: &VisibleProject,
    name: &str,
) -> Result<Option<HeldFeature>, StoreError> {
    let row = feature::Entity::find()
        .filter(feature::Column::Name.eq(name))
        .filter(feature::Column::Project.eq(project.id()))
        .lock(LockType::Update)
        .one(tx)
        .await?;
    Ok(row.map(|row| HeldFeature { id: row.id, document: row.into() }))
}

/// The feature of a project with this name, archived or not, as it is now.
pub async fn look_up(
    db: &impl ConnectionTrait,
    project: &VisibleProject,
    name: &str,
) -> Result<Option<HeldFeature>, StoreError> {
    let row = feature::Entity::find()
        .filter(feature::Column::Name.eq(name))
        .filter(feature::Column::Project.eq(project.id()))
        .one(db)
        .await?;
    Ok(row.map(|row| HeldFeature { id: row.id, document: row.into() }))
}

/// The features with these names, of whatever project, in the order of the names, each once. Those that exist are
/// held until the transaction ends.
pub async fn hold_all(tx: &Tx, names: &[String]) -> Result<Vec<HeldFeature>, StoreError> {
    let mut found = HashMap::new();
    for batch in names.chunks(ASKED_AT_ONCE) {
        let rows = feature::Entity::find()
            .filter(feature::Column::Name.is_in(batch.iter().map(std::string::String::as_str)))
            // Several are locked in one order, so that no transactions wait in a circle.
            .order_by_asc(feature::Column::Id)
            .lock(LockType::Update)
            .all(tx)
            .await?;
        found.extend(rows.into_iter().map(|row| (row.name.clone(), row)));
    }
    let held = names.iter().filter_map(|name| found.remove(name));
    Ok(held.map(|row| HeldFeature { id: row.id, document: row.into() }).collect())
}

/// Id of the project that owns the feature with this name.
pub async fn find_owner(db: &impl ConnectionTrait, name: &str) -> Result<Option<String>, StoreError> {
    let row = feature::Entity::find().filter(feature::Column::Name.eq(name)).one(db).await?;
    Ok(row.map(|row| row.project))
}

/// Updates a feature to `after`: its properties, and the effects of being archived or revived.
///
/// A caller that archives has made sure that nothing depends on the feature.
pub async fn save(tx: &Tx, held: &HeldFeature, after: &FeatureDocument, now: Timestamp) -> Result<(), StoreError> {
    update(held, after).exec(tx).await?;
    match held.document.archive_transition(after) {
        Some(ArchiveTransition::Archive) => on_archived(tx, &[held.id], now).await,
        Some(ArchiveTransition::Revive) => on_revived(tx, &[held.id], now).await,
        None => Ok(()),
    }
}

/// Does what [`save`] does, and reads the feature as [`find`] does.
pub async fn save_and_find(
    tx: &Tx,
    held: &HeldFeature,
    after: &FeatureDocument,
    reader: Option<i64>,
    now: Timestamp,
) -> Result<Option<Feature>, StoreError> {
    let is_alone = held.document.archive_transition(after).is_none();
    if is_alone && tx.get_database_backend() == DatabaseBackend::Postgres {
        // One trip to the database: the question is asked about what the statement within it has written.
        let update = update(held, after).into_query().returning(Query::returning().columns(ASKED)).take();
        return find_given(tx, held.id, reader, update).await;
    }
    save(tx, held, after, now).await?;
    find(tx, held.id, reader).await
}

fn update(held: &HeldFeature, after: &FeatureDocument) -> UpdateMany<feature::Entity> {
    let before = &held.document;
    let (old, mut row) = (properties(before), properties(after));
    for column in PROPERTIES {
        // A column that is set writes each index that it is in, even to the same value.
        if row.get(column) == old.get(column) {
            row.not_set(column);
        }
    }
    if before.archived_at != after.archived_at {
        row.archived_at = Set(after.archived_at);
    }
    let update = feature::Entity::update_many().set(row).filter(feature::Column::Id.eq(held.id));
    if (after.stale && !before.stale) || (after.is_archived() && !before.is_archived()) {
        // The job that looks for features past their lifetime passes over these.
        return update.col_expr(feature::Column::PotentiallyStale, Expr::value(false));
    }
    update
}
