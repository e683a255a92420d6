//! The search for change requests over all projects, and how many there are.

use std::collections::{BTreeSet, HashMap};

use flagstone_domain::{
    change_request::{
        Person,
        review::Verdict,
        schedule::{Schedule, Status},
        state::{Counts, State},
    },
    filter::Page,
    permission::Places,
    time::Timestamp,
    visibility::Visibility,
};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DatabaseBackend, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder,
    QuerySelect, QueryTrait, Select,
    sea_query::{Expr, ExprTrait, Query},
};

use super::{people::People, read::seen_by, rows};
use crate::{
    StoreError,
    db::listed,
    entity::{
        change_request, change_request_approver, change_request_change, change_request_review, change_request_schedule,
        project, project_environment, segment,
    },
    visibility::not_hidden,
};

/// Change requests that are looked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChangeRequestFilter<'a> {
    /// Id of their author.
    pub created_by: Option<i64>,
    /// Id of a user who is asked for approval.
    pub requested_approver: Option<i64>,
    /// Whether they are open.
    pub is_open: Option<bool>,
    /// Powers of a user for whom they wait.
    pub actionable: Option<Powers<'a>>,
}

/// A change request of a list.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// Unique id.
    pub id: i64,
    /// Title that a user gave it.
    pub title: Option<String>,
    /// Id of its project.
    pub project: String,
    /// Name of its environment.
    pub environment: String,
    /// State that it is in.
    pub state: State,
    /// Author.
    pub created_by: Person,
    /// When it was created.
    pub created_at: Timestamp,
    /// Names of the features that it changes, each once, sorted.
    pub features: BTreeSet<String>,
    /// Names of the segments that it changes and that still exist, each once, sorted.
    pub segments: BTreeSet<String>,
    /// Schedule, while it is scheduled.
    pub schedule: Option<Schedule>,
}

/// A page of a search.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundPage {
    /// Change requests of the page, newest first.
    pub found: Vec<Found>,
    /// Number of all that were found.
    pub total: u64,
}

/// Searches the change requests of the projects in use that may be seen, without the drafts of others than the viewer.
pub async fn search(
    db: &impl ConnectionTrait,
    filter: &ChangeRequestFilter<'_>,
    visibility: &Visibility,
    viewer: Option<i64>,
    page: Page,
) -> Result<FoundPage, StoreError> {
    let matching = matching(db.get_database_backend(), filter, visibility, viewer);
    let total = matching.clone().count(db).await?;
    let rows = matching.order_by_desc(change_request::Column::Id).offset(page.offset).limit(page.limit).all(db).await?;
    if rows.is_empty() {
        return Ok(FoundPage { found: Vec::new(), total });
    }
    let ids: Vec<i64> = rows.iter().map(|row| row.id).collect();
    let (mut features, mut segments) = (names_of_features(db, &ids).await?, names_of_segments(db, &ids).await?);
    let schedules = change_request_schedule::Entity::find()
        .filter(
            change_request_schedule::Column::ChangeRequestId
                .in_subquery(listed::numbers(db.get_database_backend(), &ids)),
        )
        .all(db)
        .await?;
    let mut schedules: HashMap<i64, Schedule> =
        schedules.into_iter().map(|row| (row.change_request_id, rows::schedule(row))).collect();
    let people = People::read(db, rows.iter().map(|row| row.created_by_user_id).collect()).await?;
    let mut found = Vec::with_capacity(rows.len());
    for row in rows {
        found.push(Found {
            id: row.id,
            title: row.title,
            project: row.project,
            environment: row.environment,
            state: rows::state(&row.state)?,
            created_by: people.get(row.created_by_user_id),
            created_at: row.created_at,
            features: features.remove(&row.id).unwrap_or_default(),
            segments: segments.remove(&row.id).unwrap_or_default(),
            schedule: schedules.remove(&row.id),
        });
    }
    Ok(FoundPage { found, total })
}

fn matching(
    backend: DatabaseBackend,
    filter: &ChangeRequestFilter<'_>,
    visibility: &Visibility,
    viewer: Option<i64>,
) -> Select<change_request::Entity> {
    use change_request::Column;
    let in_use = project::Entity::find()
        .select_only()
        .column(project::Column::Id)
        .filter(project::Column::ArchivedAt.is_null())
        .into_query();
    let open = State::OPEN.map(State::as_str);
    let asked = filter.requested_approver.map(|user| {
        let asked = change_request_approver::Entity::find()
            .select_only()
            .column(change_request_approver::Column::ChangeRequestId)
            .filter(change_request_approver::Column::UserId.eq(user))
            .into_query();
        Column::Id.in_subquery(asked)
    });
    let state =
        filter.is_open.map(|is_open| if is_open { Column::State.is_in(open) } else { Column::State.is_not_in(open) });
    let condition = Condition::all()
        .add_option(filter.created_by.map(|user| Column::CreatedByUserId.eq(user)))
        .add_option(asked)
        .add_option(state)
        .add_option(filter.actionable.as_ref().map(|powers| actionable(backend, powers)))
        .add(seen_by(viewer))
        .add(Column::Project.in_subquery(in_use))
        .add(not_hidden(Column::Project.into_expr(), visibility));
    change_request::Entity::find().filter(condition)
}

type Names = HashMap<i64, BTreeSet<String>>;

fn gathered(rows: Vec<(i64, Option<String>)>) -> Names {
    let mut names = Names::new();
    for (id, name) in rows {
        names.entry(id).or_default().extend(name);
    }
    names
}

async fn names_of_features(db: &impl ConnectionTrait, ids: &[i64]) -> Result<Names, StoreError> {
    use change_request_change::{Column, Entity};
    let rows = Entity::find()
        .select_only()
        .columns([Column::ChangeRequestId, Column::Feature])
        .distinct()
        .filter(Column::ChangeRequestId.in_subquery(listed::numbers(db.get_database_backend(), ids)))
        .into_tuple()
        .all(db)
        .await?;
    Ok(gathered(rows))
}

async fn names_of_segments(db: &impl ConnectionTrait, ids: &[i64]) -> Result<Names, StoreError> {
    use change_request_change::{Column, Entity};
    let of_segment = Entity::belongs_to(segment::Entity).from(Column::SegmentId).to(segment::Column::Id);
    let rows = Entity::find()
        .select_only()
        .column(Column::ChangeRequestId)
        .column(segment::Column::Name)
        .join(sea_orm::JoinType::InnerJoin, of_segment.into())
        .filter(Column::ChangeRequestId.in_subquery(listed::numbers(db.get_database_backend(), ids)))
        .into_tuple()
        .all(db)
        .await?;
    Ok(gathered(rows))
}

/// Counts the change requests of a project by their states.
pub async fn counts(db: &impl ConnectionTrait, project: &str) -> Result<Counts, StoreError> {
    let rows: Vec<(String, i64)> = change_request::Entity::find()
        .select_only()
        .column(change_request::Column::State)
        .column_as(change_request::Column::Id.count(), "count")
        .filter(change_request::Column::Project.eq(project))
        .group_by(change_request::Column::State)
        .into_tuple()
        .all(db)
        .await?;
    let mut states = Vec::with_capacity(rows.len());
    for (name, count) in rows {
        states.push((rows::state(&name)?, u64::try_from(count).unwrap_or_default()));
    }
    Ok(Counts::of(states))
}

/// Powers of a user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Powers<'a> {
    /// Id of the user.
    pub user_id: i64,
    /// Whether the user may approve their own change requests, as administrators may.
    pub approves_own: bool,
    /// Places where the user may approve.
    pub approves: Places<'a>,
    /// Places where the user may apply.
    pub applies: Places<'a>,
}

/// Number of change requests of a project that wait for a user.
pub async fn count_actionable(
    db: &impl ConnectionTrait,
    project: &str,
    powers: &Powers<'_>,
) -> Result<u64, StoreError> {
    let waiting = change_request::Entity::find()
        .filter(change_request::Column::Project.eq(project))
        .filter(actionable(db.get_database_backend(), powers));
    Ok(waiting.count(db).await?)
}

/// The change requests that wait for an approval that a user may give, for being applied, or for another schedule where one
/// cannot be kept, where the user may apply, in environments that their projects use.
fn actionable(backend: DatabaseBackend, powers: &Powers<'_>) -> Condition {
    use change_request::Column;
    let approved = change_request_review::Entity::find()
        .select_only()
        .column(change_request_review::Column::ChangeRequestId)
        .filter(change_request_review::Column::UserId.eq(powers.user_id))
        .filter(change_request_review::Column::Verdict.eq(Verdict::Approval.as_str()))
        .into_query();
    let stuck = change_request_schedule::Entity::find()
        .select_only()
        .column(change_request_schedule::Column::ChangeRequestId)
        .filter(change_request_schedule::Column::Status.ne(Status::PENDING))
        .into_query();
    let of_others = (!powers.approves_own).then(|| Column::CreatedByUserId.ne(powers.user_id));
    let to_approve = Condition::all()
        .add(Column::State.eq(State::InReview.as_str()))
        .add(within(backend, &powers.approves))
        .add_option(of_others)
        .add(Expr::col(Column::Id).not_in_subquery(approved));
    let to_apply = Condition::all().add(within(backend, &powers.applies)).add(
        Condition::any()
            .add(Column::State.eq(State::Approved.as_str()))
            .add(Condition::all().add(Column::State.eq(State::Scheduled.as_str())).add(Column::Id.in_subquery(stuck))),
    );
    let in_use = Query::select()
        .expr(Expr::val(1))
        .from(project_environment::Entity)
        .and_where(project_environment::Column::Project.into_expr().equals((change_request::Entity, Column::Project)))
        .and_where(
            project_environment::Column::Environment.into_expr().equals((change_request::Entity, Column::Environment)),
        )
        .take();
    Condition::all().add(Expr::exists(in_use)).add(Condition::any().add(to_approve).add(to_apply))
}

fn within(backend: DatabaseBackend, places: &Places<'_>) -> Condition {
    use change_request::Column;
    places.iter().fold(Condition::any(), |any, (environment, projects)| {
        let listed = projects.as_ref().map(|projects| listed::texts(backend, projects.iter().copied()));
        let place = Condition::all()
            .add_option(environment.map(|name| Column::Environment.eq(name)))
            .add_option(listed.map(|projects| Column::Project.in_subquery(projects)));
        any.add(place)
    })
}
