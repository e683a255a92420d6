//! Change requests with everything that belongs to them, in a number of statements that does not depend on how many there
//! are.

use std::collections::HashMap;

use flagstone_domain::{
    change_request::{Change, ChangeRequest, state::State},
    ids::{FeatureName, ProjectId},
};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect, QueryTrait,
};

use super::{
    belongings::{self, Belongings},
    people::People,
    rows,
};
use crate::{
    StoreError,
    db::listed,
    entity::{change_request, change_request_change},
};

/// The change request with this id.
pub async fn find(db: &impl ConnectionTrait, id: i64) -> Result<Option<ChangeRequest>, StoreError> {
    let row = change_request::Entity::find_by_id(id).one(db).await?;
    Ok(load(db, row.into_iter().collect()).await?.pop())
}

/// Id of the project of a change request.
pub async fn find_project(db: &impl ConnectionTrait, id: i64) -> Result<Option<String>, StoreError> {
    let project = change_request::Entity::find_by_id(id)
        .select_only()
        .column(change_request::Column::Project)
        .into_tuple()
        .one(db)
        .await?;
    Ok(project)
}

/// The pending change requests of a user in a project: one in each environment at most.
pub async fn pending_of(
    db: &impl ConnectionTrait,
    project: &str,
    user_id: i64,
) -> Result<Vec<ChangeRequest>, StoreError> {
    let rows = change_request::Entity::find()
        .filter(change_request::Column::Project.eq(project))
        .filter(change_request::Column::CreatedByUserId.eq(user_id))
        .filter(change_request::Column::State.is_in(State::PENDING.map(State::as_str)))
        .order_by_asc(change_request::Column::Id)
        .all(db)
        .await?;
    load(db, rows).await
}

/// The open change requests of a project that change a feature, without the drafts of others than the viewer.
pub async fn of_feature(
    db: &impl ConnectionTrait,
    project: ProjectId<'_>,
    feature: FeatureName<'_>,
    viewer: Option<i64>,
) -> Result<Vec<ChangeRequest>, StoreError> {
    let touching = change_request_change::Entity::find()
        .select_only()
        .column(change_request_change::Column::ChangeRequestId)
        .filter(change_request_change::Column::Feature.eq(feature.as_str()))
        .into_query();
    let rows = change_request::Entity::find()
        .filter(change_request::Column::Project.eq(project.as_str()))
        .filter(change_request::Column::State.is_in(State::OPEN.map(State::as_str)))
        .filter(change_request::Column::Id.in_subquery(touching))
        .filter(seen_by(viewer))
        .order_by_asc(change_request::Column::Id)
        .all(db)
        .await?;
    load(db, rows).await
}

/// All open change requests, also drafts, by id.
pub async fn all_open(db: &impl ConnectionTrait) -> Result<Vec<ChangeRequest>, StoreError> {
    let rows = change_request::Entity::find()
        .filter(change_request::Column::State.is_in(State::OPEN.map(State::as_str)))
        .order_by_asc(change_request::Column::Id)
        .all(db)
        .await?;
    load(db, rows).await
}

/// Condition that a viewer sees a change request: a draft is its author's alone.
pub(super) fn seen_by(viewer: Option<i64>) -> Condition {
    Condition::any()
        .add(change_request::Column::State.ne(State::Draft.as_str()))
        .add_option(viewer.map(|viewer| change_request::Column::CreatedByUserId.eq(viewer)))
}

/// Reads everything that belongs to change requests.
async fn load(db: &impl ConnectionTrait, heads: Vec<change_request::Model>) -> Result<Vec<ChangeRequest>, StoreError> {
    if heads.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<i64> = heads.iter().map(|head| head.id).collect();
    let changes = change_request_change::Entity::find()
        .filter(
            change_request_change::Column::ChangeRequestId
                .in_subquery(listed::numbers(db.get_database_backend(), &ids)),
        )
        .order_by_asc(change_request_change::Column::Position)
        .all(db)
        .await?;
    let authors: Vec<i64> = changes.iter().map(|change| change.created_by_user_id).collect();
    let (mut of, people) = belongings::read(db, &heads, authors).await?;
    let mut changes_of: HashMap<i64, Vec<Change>> = HashMap::new();
    for row in changes {
        changes_of.entry(row.change_request_id).or_default().push(rows::change(row, &people));
    }
    let whole = heads.into_iter().map(|head| {
        let changes = changes_of.remove(&head.id).unwrap_or_default();
        let belongings = of.remove(&head.id).unwrap_or_default();
        whole(head, changes, belongings, &people)
    });
    Ok(whole.collect::<Result<_, DbErr>>()?)
}

fn whole(
    head: change_request::Model,
    changes: Vec<Change>,
    of: Belongings,
    people: &People,
) -> Result<ChangeRequest, DbErr> {
    Ok(ChangeRequest {
        state: rows::state(&head.state)?,
        id: head.id,
        project: head.project,
        environment: head.environment,
        title: head.title,
        min_approvals: head.min_approvals,
        revision: head.revision,
        created_by: people.get(head.created_by_user_id),
        created_at: head.created_at,
        changes,
        approvals: of.approvals,
        rejections: of.rejections,
        comments: of.comments,
        schedule: of.schedule,
        entered: of.entered,
        applied_digest: head.applied_digest,
    })
}
