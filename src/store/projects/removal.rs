//! Deleting a project with everything that belongs to it.

use std::collections::HashMap;

use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect,
    QueryTrait, sea_query::Query,
};
use serde_json::{Value, json};

use crate::{
    domain::{
        project::{
            document::ProjectDocument,
            removal::{Removal, TokenDocument},
        },
        time::Timestamp,
    },
    store::{
        StoreError,
        db::Tx,
        entity::{
            api_token, api_token_project, feature, project, retired_project, role_permission, segment, strategy_segment,
        },
        import::tags_of,
        value::json_column,
    },
};

/// Ids that one statement asks for; bounds the number of its parameters.
const ASKED_AT_ONCE: usize = 500;

/// Everything that goes with a project.
pub async fn gather(tx: &Tx, project: &ProjectDocument) -> Result<Removal, StoreError> {
    let rows = feature::Entity::find()
        .filter(feature::Column::Project.eq(&project.id))
        .order_by_asc(feature::Column::Id)
        .all(tx)
        .await?;
    let mut features = Vec::with_capacity(rows.len());
    for batch in rows.chunks(ASKED_AT_ONCE) {
        let ids: Vec<i64> = batch.iter().map(|row| row.id).collect();
        let mut tags = tags_of(tx, &ids).await?;
        features.extend(batch.iter().map(|row| (row.clone().into(), tags.remove(&row.id).unwrap_or_default())));
    }
    let tokens = tokens(tx, &project.id).await?.into_iter().map(|(_, token)| token).collect();
    Ok(Removal { project: project.clone(), features, tokens, segments: segments(tx, &project.id).await? })
}

/// The tokens that reach a project, by id.
async fn tokens(db: &impl ConnectionTrait, project: &str) -> Result<Vec<(i64, TokenDocument)>, StoreError> {
    let reaching = || {
        api_token_project::Entity::find()
            .select_only()
            .column(api_token_project::Column::TokenId)
            .filter(api_token_project::Column::Project.eq(project))
            .into_query()
    };
    let links = api_token_project::Entity::find()
        .filter(api_token_project::Column::TokenId.in_subquery(reaching()))
        .order_by_asc(api_token_project::Column::Project)
        .all(db)
        .await?;
    let mut projects: HashMap<i64, Vec<String>> = HashMap::new();
    for link in links {
        projects.entry(link.token_id).or_default().push(link.project);
    }
    let rows = api_token::Entity::find()
        .filter(api_token::Column::Id.in_subquery(reaching()))
        .order_by_asc(api_token::Column::Id)
        .all(db)
        .await?;
    let token = |row: api_token::Model| {
        let projects = projects.remove(&row.id).unwrap_or_default();
        let document = TokenDocument {
            token_name: row.token_name,
            kind: row.r#type,
            project: projects.join(","),
            projects,
            environment: row.environment.unwrap_or_default(),
            expires_at: row.expires_at,
            created_at: row.created_at,
        };
        (row.id, document)
    };
    Ok(rows.into_iter().map(token).collect())
}

async fn segments(db: &impl ConnectionTrait, project: &str) -> Result<Vec<Value>, StoreError> {
    let rows = segment::Entity::find()
        .filter(segment::Column::Project.eq(project))
        .order_by_asc(segment::Column::Id)
        .all(db)
        .await?;
    let document = |row: segment::Model| {
        let constraints: Value = json_column("segment.constraints", &row.constraints)?;
        Ok(json!({
            "id": row.id,
            "name": row.name,
            "description": row.description,
            "project": row.project,
            "constraints": constraints,
            "createdBy": row.created_by,
            "createdAt": row.created_at,
        }))
    };
    let documents: Result<Vec<Value>, sea_orm::DbErr> = rows.into_iter().map(document).collect();
    Ok(documents?)
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
    let lent = strategy_segment::Entity::find()
        .filter(strategy_segment::Column::SegmentId.in_subquery(own_segments))
        .filter(strategy_segment::Column::FeatureId.not_in_subquery(own_features));
    Ok(lent.count(db).await? > 0)
}

/// Deletes a project, whose features are all archived, with everything that belongs to it. Of a private one the id is
/// kept, so that its events stay hidden.
pub async fn remove(tx: &Tx, removal: &Removal, now: Timestamp) -> Result<(), StoreError> {
    let id = &*removal.project.id;
    for (token_id, token) in tokens(tx, id).await? {
        if token.goes_with(id) {
            api_token::Entity::delete_by_id(token_id).exec(tx).await?;
        }
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
