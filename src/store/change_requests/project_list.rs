//! Change requests of a project as a list shows them: without the payloads and snapshots of their changes, of which one
//! may have megabytes.

use std::collections::{BTreeMap, HashMap};

use flagstone_domain::{
    change_request::{Comment, Person, review::Review, schedule::Schedule, state::State},
    time::Timestamp,
};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, JoinType, QueryFilter, QueryOrder, QuerySelect};

use super::{belongings, read::seen_by, rows};
use crate::{
    StoreError,
    db::listed,
    entity::{change_request, change_request_change, segment},
};

/// A change request in the list of its project.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    /// Unique id.
    pub id: i64,
    /// Id of its project.
    pub project: String,
    /// Name of its environment.
    pub environment: String,
    /// State that it is in.
    pub state: State,
    /// Title that a user gave it.
    pub title: Option<String>,
    /// Approvals that it needs.
    pub min_approvals: i64,
    /// Author.
    pub created_by: Person,
    /// When it was created.
    pub created_at: Timestamp,
    /// Names of the features that it changes, in the order of each one's first change.
    pub features: Vec<String>,
    /// Changes of segments, in the order in which they are applied.
    pub segments: Vec<ListedSegmentChange>,
    /// Approvals, oldest first.
    pub approvals: Vec<Review>,
    /// Rejections, oldest first.
    pub rejections: Vec<Review>,
    /// Comments, oldest first.
    pub comments: Vec<Comment>,
    /// Schedule, while it is scheduled.
    pub schedule: Option<Schedule>,
    /// When each state was last entered.
    pub entered: BTreeMap<State, Timestamp>,
}

/// Change of a segment in the list of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedSegmentChange {
    /// Unique id.
    pub id: i64,
    /// Name of its action.
    pub action: String,
    /// Present name of the segment, if it still exists.
    pub name: Option<String>,
}

/// The change requests of a project, newest first, without the drafts of others than the viewer.
pub async fn of_project(
    db: &impl ConnectionTrait,
    project: &str,
    viewer: Option<i64>,
) -> Result<Vec<Listed>, StoreError> {
    let heads = change_request::Entity::find()
        .filter(change_request::Column::Project.eq(project))
        .filter(seen_by(viewer))
        .order_by_desc(change_request::Column::Id)
        .all(db)
        .await?;
    if heads.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<i64> = heads.iter().map(|head| head.id).collect();
    let (mut features, mut segments) = (features(db, &ids).await?, segments(db, &ids).await?);
    let (mut of, people) = belongings::read(db, &heads, []).await?;
    let mut list = Vec::with_capacity(heads.len());
    for head in heads {
        let belongings = of.remove(&head.id).unwrap_or_default();
        list.push(Listed {
            state: rows::state(&head.state)?,
            id: head.id,
            project: head.project,
            environment: head.environment,
            title: head.title,
            min_approvals: head.min_approvals,
            created_by: people.get(head.created_by_user_id),
            created_at: head.created_at,
            features: features.remove(&head.id).unwrap_or_default(),
            segments: segments.remove(&head.id).unwrap_or_default(),
            approvals: belongings.approvals,
            rejections: belongings.rejections,
            comments: belongings.comments,
            schedule: belongings.schedule,
            entered: belongings.entered,
        });
    }
    Ok(list)
}

/// Names of the features of change requests, in the order of each one's first change.
async fn features(db: &impl ConnectionTrait, ids: &[i64]) -> Result<HashMap<i64, Vec<String>>, StoreError> {
    use change_request_change::{Column, Entity};
    let mut rows: Vec<(i64, String, i64)> = Entity::find()
        .select_only()
        .columns([Column::ChangeRequestId, Column::Feature])
        .column_as(Column::Position.min(), "first")
        .filter(Column::ChangeRequestId.in_subquery(listed::numbers(db.get_database_backend(), ids)))
        .filter(Column::Feature.is_not_null())
        .group_by(Column::ChangeRequestId)
        .group_by(Column::Feature)
        .into_tuple()
        .all(db)
        .await?;
    rows.sort_unstable_by_key(|(_, _, first)| *first);
    let mut features: HashMap<i64, Vec<String>> = HashMap::new();
    for (id, name, _) in rows {
        features.entry(id).or_default().push(name);
    }
    Ok(features)
}

/// Changes of segments of change requests, in the order in which they are applied.
async fn segments(
    db: &impl ConnectionTrait,
    ids: &[i64],
) -> Result<HashMap<i64, Vec<ListedSegmentChange>>, StoreError> {
    use change_request_change::{Column, Entity};
    let of_segment = Entity::belongs_to(segment::Entity).from(Column::SegmentId).to(segment::Column::Id);
    let rows: Vec<(i64, i64, String, Option<String>)> = Entity::find()
        .select_only()
        .columns([Column::ChangeRequestId, Column::Id, Column::Action])
        .column(segment::Column::Name)
        .join(JoinType::LeftJoin, of_segment.into())
        .filter(Column::ChangeRequestId.in_subquery(listed::numbers(db.get_database_backend(), ids)))
        .filter(Column::Feature.is_null())
        .order_by_asc(Column::Position)
        .into_tuple()
        .all(db)
        .await?;
    let mut segments: HashMap<i64, Vec<ListedSegmentChange>> = HashMap::new();
    for (request, id, action, name) in rows {
        segments.entry(request).or_default().push(ListedSegmentChange { id, action, name });
    }
    Ok(segments)
}
