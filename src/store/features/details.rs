//! Details of a feature as people see it when they open it: its configuration, its usage, and who worked on it.

use flagstone_domain::{
    event_kind::EventKind,
    feature::UserSummary,
    feature_details::{FeatureDetails, Usage},
    feature_link::FeatureLink,
    search::SearchLifecycle,
    time::{HOUR_MS, Timestamp},
};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseBackend, EntityTrait, FromQueryResult, JoinType, QueryFilter, QueryOrder,
    QuerySelect,
    sea_query::{Expr, Func},
};

use crate::{
    StoreError,
    entity::{app_user, client_metrics_hourly, event, feature, feature_lifecycle},
    features::{find, lifecycle, links},
    segments,
};

/// Most people that are named with a feature.
const COLLABORATORS: u64 = 100;

/// Finds a feature with all details. `reader` is the person whose favourites count; `now` ends the hour of its usage.
pub async fn find_details(
    db: &impl ConnectionTrait,
    feature_id: i64,
    reader: Option<i64>,
    now: Timestamp,
) -> Result<Option<FeatureDetails>, StoreError> {
    let Some(feature) = find(db, feature_id, reader).await? else { return Ok(None) };
    let (links, current) = links_and_stage(db, feature_id).await?;
    let usage = usage(db, &feature.name, now).await?;
    let collaborators = collaborators(db, &feature.name).await?;
    let strategies =
        feature.environments.iter().flatten().flat_map(|environment| environment.strategies.iter().flatten());
    let attached = strategies.flat_map(|strategy| strategy.segments.iter().flatten()).filter_map(|id| id.whole());
    let segments = segments::known(db, attached.collect()).await?;
    Ok(Some(FeatureDetails::new(feature, links, current, &usage, &segments, collaborators)))
}

#[derive(FromQueryResult)]
struct StageRow {
    links: Option<String>,
    stage: Option<String>,
    status: Option<String>,
    entered_stage_at: Option<Timestamp>,
}

/// Returns the links of a feature, and the last of the stages that it entered.
async fn links_and_stage(
    db: &impl ConnectionTrait,
    feature_id: i64,
) -> Result<(Vec<FeatureLink>, Option<SearchLifecycle>), StoreError> {
    let stages = feature::Entity::belongs_to(feature_lifecycle::Entity)
        .from(feature::Column::Id)
        .to(feature_lifecycle::Column::FeatureId)
        .into();
    let rows = feature::Entity::find_by_id(feature_id)
        .select_only()
        .column(feature::Column::Links)
        .column(feature_lifecycle::Column::Stage)
        .column(feature_lifecycle::Column::Status)
        .column(feature_lifecycle::Column::EnteredStageAt)
        .join(JoinType::LeftJoin, stages)
        .into_model::<StageRow>()
        .all(db)
        .await?;
    let links = links::read(rows.first().and_then(|row| row.links.as_deref()))?;
    let entered = rows.into_iter().filter_map(|row| lifecycle::entered(&row.stage?, row.status, row.entered_stage_at?));
    // Usage may be reported of a feature that is done with; it stays done with.
    Ok((links, entered.max_by_key(|entered| entered.stage)))
}

#[derive(FromQueryResult)]
struct UsageRow {
    environment: String,
    yes: f64,
    no: f64,
}

/// Sums over all applications of the hours that began within the hour before `now`.
#[expect(clippy::cast_possible_truncation, reason = "the cast saturates, and counts are whole")]
async fn usage(db: &impl ConnectionTrait, feature: &str, now: Timestamp) -> Result<Vec<Usage>, StoreError> {
    use client_metrics_hourly::{Column, Entity};
    // Neither overflows: SQLite's `sum` would.
    let sum = if db.get_database_backend() == DatabaseBackend::Postgres { "sum" } else { "total" };
    let sum = |column: Column| Func::cast_as(Func::cust(sum).arg(column.into_expr()), "double precision");
    let rows = Entity::find()
        .select_only()
        .column(Column::Environment)
        .column_as(Expr::from(sum(Column::Yes)), "yes")
        .column_as(Expr::from(sum(Column::No)), "no")
        .filter(Column::FeatureName.eq(feature))
        .filter(Column::Timestamp.gte(now.plus_millis(-HOUR_MS)))
        .group_by(Column::Environment)
        .into_model::<UsageRow>()
        .all(db)
        .await?;
    Ok(rows
        .into_iter()
        .map(|row| Usage { environment: row.environment, yes: row.yes as i64, no: row.no as i64 })
        .collect())
}

#[derive(FromQueryResult)]
struct PersonRow {
    id: i64,
    name: Option<String>,
    username: Option<String>,
    email: Option<String>,
}

/// The people behind the events of a feature, except those who only like it; the latest first.
async fn collaborators(db: &impl ConnectionTrait, feature: &str) -> Result<Vec<UserSummary>, StoreError> {
    let likes = [EventKind::FeatureFavorited, EventKind::FeatureUnfavorited].map(EventKind::as_str);
    let of_user = event::Entity::belongs_to(app_user::Entity)
        .from(event::Column::CreatedByUserId)
        .to(app_user::Column::Id)
        .into();
    let rows = event::Entity::find()
        .select_only()
        .column_as(app_user::Column::Id, "id")
        .column_as(app_user::Column::Name, "name")
        .column_as(app_user::Column::Username, "username")
        .column_as(app_user::Column::Email, "email")
        .join(JoinType::InnerJoin, of_user)
        .filter(event::Column::FeatureName.eq(feature))
        .filter(event::Column::Type.is_not_in(likes))
        .filter(app_user::Column::Id.gt(0))
        .group_by(app_user::Column::Id)
        .group_by(app_user::Column::Name)
        .group_by(app_user::Column::Username)
        .group_by(app_user::Column::Email)
        .order_by_desc(event::Column::Id.max())
        .limit(COLLABORATORS)
        .into_model::<PersonRow>()
        .all(db)
        .await?;
    let people = rows
        .into_iter()
        .map(|row| UserSummary::of(row.id, row.name.as_deref(), row.username.as_deref(), row.email.as_deref()));
    Ok(people.collect())
}
