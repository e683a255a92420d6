//! Deleting a project with everything that belongs to it.

use flagstone_domain::{
    project::{document::ProjectDocument, removal::Removal},
    time::Timestamp,
};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder,
    sea_query::Query,
};

use crate::{
    StoreError, context_fields,
    db::{Tx, batches::ASKED_AT_ONCE},
    entity::{
        api_token, api_token_project, feature, project, retired_project, role_permission, segment, strategy_segment,
    },
    segments, tags,
    tokens::api::{self, Which},
};

/// Gathers everything that goes with a project.
pub async fn gather(tx: &Tx, project: &ProjectDocument) -> Result<Removal, StoreError> {
    let rows = feature::Entity::find()
        .filter(feature::Column::Project.eq(&project.id))
        .order_by_asc(feature::Column::Id)
        .all(tx)
        .await?;
    let mut features = Vec::with_capacity(rows.len());
    for batch in rows.chunks(ASKED_AT_ONCE) {
        let ids: Vec<i64> = batch.iter().map(|row| row.id).collect();
        let mut tags = tags::of_features(tx, &ids).await?;
        features.extend(batch.iter().map(|row| (row.clone().into(), tags.remove(&row.id).unwrap_or_default())));
    }
    let tokens = api::list(tx, Which::InProject(&project.id)).await?;
    Ok(Removal {
        project: project.clone(),
        features,
        tokens,
        segments: segments::of_project(tx, &project.id).await?,
        context_fields: context_fields::of_project(tx, &project.id).await?,
    })
}

/// Whether features of other projects use a segment that belongs to this one.
pub async fn lends_segments(db: &impl ConnectionTrait, project: &str) -> Result<bool, StoreError> {
    let own_segments = Query::select()
        .column(segment::Column::Id)
        .from(segment::Entity)
        .and_where(segment::Column::Project.eq(project))
        .to_owned();
    let own_features = Query::select()
        .column(feature::Column::Id)
        .from(feature::Entity)
        .and_where(feature::Column::Project.eq(project))
        .to_owned();
    let borrowed = strategy_segment::Entity::find()
        .filter(strategy_segment::Column::SegmentId.in_subquery(own_segments))
        .filter(strategy_segment::Column::FeatureId.not_in_subquery(own_features));
    Ok(borrowed.count(db).await? > 0)
}

/// Deletes a project, whose features are all archived, with everything that belongs to it. Of a private one the id is
/// kept, so that its events stay hidden. Segments and context fields go with the row of the project.
pub async fn remove(tx: &Tx, removal: &Removal, now: Timestamp) -> Result<(), StoreError> {
    let id = &*removal.project.id;
    for token in removal.tokens.iter().filter(|token| token.without_project(id).is_none()) {
        api_token::Entity::delete_by_id(token.id).exec(tx).await?;
    }
    api_token_project::Entity::delete_many().filter(api_token_project::Column::Project.eq(id)).exec(tx).await?;
    // Features first: their strategies keep the segments, and they themselves keep the project.
    feature::Entity::delete_many().filter(feature::Column::Project.eq(id)).exec(tx).await?;
    role_permission::Entity::delete_many().filter(role_permission::Column::Project.eq(id)).exec(tx).await?;
    project::Entity::delete_by_id(id).exec(tx).await?;
    if removal.project.is_private() {
        let row = retired_project::ActiveModel { id: Set(id.to_owned()), retired_at: Set(now) };
        retired_project::Entity::insert(row).on_conflict_do_nothing().exec_without_returning(tx).await?;
    }
    Ok(())
}
