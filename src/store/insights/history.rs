//! Stored history: the source of figures for days on which none were taken.

use std::collections::HashMap;

use flagstone_domain::{
    event_kind::EventKind,
    insights::{
        activity::Stay,
        history::{Change, Past, Present},
    },
    time::{DAY_MS, Timestamp},
};
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, FromQueryResult, QueryFilter, QuerySelect,
    sea_query::{Expr, ExprTrait, Query},
};
use serde::Deserialize;

use crate::{
    StoreError,
    db::value::json_column,
    entity::{app_user, event, feature, insight_flag_day, project},
    insights::figures::first,
};

/// When the oldest thing was made that figures count: a person's account, or a feature, also one that is gone.
pub async fn beginning(db: &impl ConnectionTrait) -> Result<Option<Timestamp>, StoreError> {
    let users = Query::select()
        .expr_as(app_user::Column::CreatedAt.min(), "first")
        .from(app_user::Entity)
        .and_where(app_user::Column::IsSystem.eq(false))
        .and_where(app_user::Column::IsService.eq(false))
        .to_owned();
    let features = Query::select().expr_as(feature::Column::CreatedAt.min(), "first").from(feature::Entity).to_owned();
    let events = Query::select().expr_as(event::Column::CreatedAt.min(), "first").from(event::Entity).to_owned();
    let mut oldest = first(db, &users).await?;
    for query in [features, events] {
        oldest = oldest.into_iter().chain(first(db, &query).await?).min();
    }
    Ok(oldest)
}

/// The end of the newest day before `day` for which features were counted.
pub async fn newest_day_before(db: &impl ConnectionTrait, day: Timestamp) -> Result<Option<Timestamp>, StoreError> {
    let query = Query::select()
        .expr_as(insight_flag_day::Column::Day.max(), "first")
        .from(insight_flag_day::Entity)
        .and_where(insight_flag_day::Column::Day.lt(day))
        .to_owned();
    first(db, &query).await
}

#[derive(Debug, FromQueryResult)]
struct PresentRow {
    name: String,
    project: String,
    r#type: String,
    created_at: Timestamp,
    archived_at: Option<Timestamp>,
    stale: bool,
}

/// Every feature that exists, archived ones included.
pub async fn present(db: &impl ConnectionTrait) -> Result<Vec<Present>, StoreError> {
    let rows: Vec<PresentRow> = feature::Entity::find()
        .select_only()
        .columns([
            feature::Column::Name,
            feature::Column::Project,
            feature::Column::Type,
            feature::Column::CreatedAt,
            feature::Column::ArchivedAt,
            feature::Column::Stale,
        ])
        .into_model()
        .all(db)
        .await?;
    let present = |row: PresentRow| Present {
        name: row.name,
        project: row.project,
        kind: row.r#type,
        created_at: row.created_at,
        archived_at: row.archived_at,
        stale: row.stale,
    };
    Ok(rows.into_iter().map(present).collect())
}

/// The events that bear on how many features there were.
const KINDS: [EventKind; 7] = [
    EventKind::FeatureCreated,
    EventKind::FeatureArchived,
    EventKind::FeatureRevived,
    EventKind::FeatureDeleted,
    EventKind::FeatureStaleOn,
    EventKind::FeatureStaleOff,
    EventKind::FeatureProjectChange,
];

#[derive(Debug, FromQueryResult)]
struct PastRow {
    feature_name: String,
    project: Option<String>,
    created_at: Timestamp,
    r#type: String,
    detail: Option<String>,
}

/// Details of a deleted feature in the log.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct DeletedDetail {
    r#type: Option<String>,
    stale: bool,
}

/// Details of a move in the log.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct MovedDetail {
    old_project: Option<String>,
}

/// Events of features, newest first. The creation of features that still exist is left out: they know it.
pub async fn past(db: &impl ConnectionTrait) -> Result<Vec<Past>, StoreError> {
    let kind = || Expr::col((event::Entity, event::Column::Type));
    let known = Query::select()
        .expr(Expr::value(1))
        .from(feature::Entity)
        .and_where(
            Expr::col((feature::Entity, feature::Column::Name)).equals((event::Entity, event::Column::FeatureName)),
        )
        .and_where(
            Expr::col((feature::Entity, feature::Column::CreatedAt))
                .lte(Expr::col((event::Entity, event::Column::CreatedAt))),
        )
        .to_owned();
    let detail = Expr::case(kind().eq(EventKind::FeatureDeleted.as_str()), Expr::col(event::Column::PreData))
        .case(kind().eq(EventKind::FeatureProjectChange.as_str()), Expr::col(event::Column::Data));
    let query = Query::select()
        .columns([event::Column::FeatureName, event::Column::Project, event::Column::CreatedAt, event::Column::Type])
        .expr_as(Expr::expr(detail), "detail")
        .from(event::Entity)
        .and_where(kind().is_in(KINDS.map(EventKind::as_str)))
        .and_where(event::Column::FeatureName.is_not_null())
        .and_where(kind().ne(EventKind::FeatureCreated.as_str()).or(Expr::exists(known).not()))
        .order_by((event::Entity, event::Column::Id), sea_orm::Order::Desc)
        .to_owned();
    let rows = db.query_all(&query).await?;
    let rows: Result<Vec<_>, _> = rows.iter().map(|row| PastRow::from_query_result(row, "")).collect();
    Ok(rows?.into_iter().filter_map(understood).collect())
}

/// An event whose detail does not say enough is passed over.
fn understood(row: PastRow) -> Option<Past> {
    let kind = KINDS.into_iter().find(|kind| kind.as_str() == row.r#type)?;
    let change = match kind {
        EventKind::FeatureCreated => Change::Created,
        EventKind::FeatureArchived => Change::Archived,
        EventKind::FeatureRevived => Change::Revived,
        EventKind::FeatureStaleOn => Change::StaleOn,
        EventKind::FeatureStaleOff => Change::StaleOff,
        EventKind::FeatureDeleted => {
            let detail: DeletedDetail = read_detail(row.detail.as_deref());
            Change::Deleted { project: row.project?, kind: detail.r#type, stale: detail.stale }
        }
        EventKind::FeatureProjectChange => {
            let detail: MovedDetail = read_detail(row.detail.as_deref());
            Change::Moved { from: detail.old_project? }
        }
        _ => return None,
    };
    Some(Past { feature: row.feature_name, at: row.created_at, change })
}

fn read_detail<T: Default + for<'de> Deserialize<'de>>(detail: Option<&str>) -> T {
    detail.and_then(|json| json_column("data", json).ok()).unwrap_or_default()
}

/// A project while it is in use.
#[derive(Debug, Clone, PartialEq, Eq, FromQueryResult)]
pub struct ProjectLife {
    /// Id of the project.
    pub id: String,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was archived; `None` while it is not.
    pub archived_at: Option<Timestamp>,
}

impl ProjectLife {
    /// Whether the project was in use at a moment.
    pub fn holds(&self, moment: Timestamp) -> bool {
        self.created_at <= moment && self.archived_at.is_none_or(|archived_at| moment < archived_at)
    }
}

/// Every project, archived ones included, by id.
pub async fn projects(db: &impl ConnectionTrait) -> Result<Vec<ProjectLife>, StoreError> {
    let rows = project::Entity::find()
        .select_only()
        .columns([project::Column::Id, project::Column::CreatedAt, project::Column::ArchivedAt])
        .into_model()
        .all(db)
        .await?;
    Ok(rows)
}

#[derive(Debug, FromQueryResult)]
struct UserRow {
    id: i64,
    created_at: Timestamp,
    deleted_at: Option<Timestamp>,
    seen_at: Option<Timestamp>,
}

#[derive(Debug, FromQueryResult)]
struct ActiveDay {
    user_id: i64,
    day: i64,
}

/// All users who ever had an account, with the moments at which they are known to have been active: the last one, and
/// the days on which they left events, from `oldest` on.
pub async fn stays(db: &impl ConnectionTrait, oldest: Timestamp) -> Result<Vec<Stay>, StoreError> {
    let users: Vec<UserRow> = app_user::Entity::find()
        .select_only()
        .columns([
            app_user::Column::Id,
            app_user::Column::CreatedAt,
            app_user::Column::DeletedAt,
            app_user::Column::SeenAt,
        ])
        .filter(app_user::Column::IsSystem.eq(false))
        .filter(app_user::Column::IsService.eq(false))
        .into_model()
        .all(db)
        .await?;
    let mut seen: HashMap<i64, Vec<Timestamp>> = HashMap::new();
    for ActiveDay { user_id, day } in active_days(db, oldest).await? {
        seen.entry(user_id).or_default().push(Timestamp::from_millis(day.saturating_mul(DAY_MS)));
    }
    let stay = |user: UserRow| {
        let mut seen = seen.remove(&user.id).unwrap_or_default();
        seen.extend(user.seen_at);
        Stay { created_at: user.created_at, deleted_at: user.deleted_at, seen }
    };
    Ok(users.into_iter().map(stay).collect())
}

async fn active_days(db: &impl ConnectionTrait, oldest: Timestamp) -> Result<Vec<ActiveDay>, StoreError> {
    let query = Query::select()
        .expr_as(Expr::col(event::Column::CreatedByUserId), "user_id")
        .expr_as(Expr::col(event::Column::CreatedAt).div(DAY_MS), "day")
        .from(event::Entity)
        .and_where(event::Column::CreatedAt.gte(oldest))
        .and_where(event::Column::CreatedByUserId.is_not_null())
        // By position: PostgreSQL does not see that two expressions with a parameter are the same.
        .add_group_by([Expr::cust("1"), Expr::cust("2")])
        .to_owned();
    let rows = db.query_all(&query).await?;
    let rows: Result<Vec<_>, _> = rows.iter().map(|row| ActiveDay::from_query_result(row, "")).collect();
    Ok(rows?)
}
