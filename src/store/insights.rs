//! Insights: figures of this moment, and rows of past days and weeks.

pub mod figures;
pub mod history;
pub mod record;

use flagstone_domain::{
    insights::{
        EnvironmentTypeTrend, FlagTotals, FlagTrend, Insights, MetricsSummaryTrend, ProjectFlagTrend, UserTotals,
        UserTrend,
    },
    time::Timestamp,
    visibility::Visibility,
};
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect, Select,
    sea_query::{Query, SelectStatement},
};

use crate::{
    StoreError,
    entity::{
        feature, insight_environment_type_week, insight_flag_day, insight_metrics_week, insight_project_week,
        insight_user_day, project,
    },
    projects::statistics::whole_sum,
    visibility::not_hidden,
};

/// Range of rows by date, both instants included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    /// Oldest date of daily rows.
    pub days_from: Timestamp,
    /// Oldest date of weekly rows.
    pub weeks_from: Timestamp,
    /// Newest date.
    pub to: Timestamp,
}

impl Range {
    /// The weekly rows among these: by date, and by the week as well, with which the key of those tables begins.
    fn weeks<E: EntityTrait>(self, week: E::Column, date: E::Column) -> Select<E> {
        E::find()
            .filter(week.between(self.weeks_from.week(), self.to.week()))
            .filter(date.between(self.weeks_from, self.to))
            .order_by_asc(week)
    }
}

/// All insights for a caller at `now`. Rows of projects that are hidden or deleted are left out.
pub async fn read(
    db: &impl ConnectionTrait,
    range: Range,
    visibility: &Visibility,
    now: Timestamp,
) -> Result<Insights, StoreError> {
    let users = figures::users(db, now).await?;
    let flags = feature::Entity::find()
        .filter(feature::Column::ArchivedAt.is_null())
        .filter(feature::Column::Project.in_subquery(visible_projects(visibility)))
        .count(db)
        .await?;
    Ok(Insights {
        users: UserTotals {
            total: users.total.into(),
            active: users.active.into(),
            inactive: (users.total - users.active).into(),
        },
        flags: FlagTotals { total: i64::try_from(flags).unwrap_or(i64::MAX).into() },
        user_trends: user_trends(db, range).await?,
        flag_trends: flag_trends(db, range, visibility).await?,
        project_flag_trends: project_flag_trends(db, range, visibility).await?,
        metrics_summary_trends: metrics_summary_trends(db, range, visibility).await?,
        environment_type_trends: environment_type_trends(db, range, visibility).await?,
    })
}

async fn user_trends(db: &impl ConnectionTrait, range: Range) -> Result<Vec<UserTrend>, StoreError> {
    let rows = insight_user_day::Entity::find()
        .filter(insight_user_day::Column::Day.between(range.days_from, range.to))
        .order_by_asc(insight_user_day::Column::Day)
        .all(db)
        .await?;
    let trend = |row: insight_user_day::Model| UserTrend {
        date: row.day,
        total: row.total.into(),
        active: row.active.into(),
        inactive: row.inactive.into(),
    };
    Ok(rows.into_iter().map(trend).collect())
}

async fn flag_trends(
    db: &impl ConnectionTrait,
    range: Range,
    visibility: &Visibility,
) -> Result<Vec<FlagTrend>, StoreError> {
    use insight_flag_day::{Column, Entity};
    let rows: Vec<(Timestamp, i64, i64, i64, i64)> = Entity::find()
        .select_only()
        .column(Column::Day)
        .column_as(whole_sum("total"), "total")
        .column_as(whole_sum("active"), "active")
        .column_as(whole_sum("stale"), "stale")
        .column_as(whole_sum("potentially_stale"), "potentially_stale")
        .filter(Column::Day.between(range.days_from, range.to))
        .filter(not_hidden(Column::Project.into_expr(), visibility))
        .group_by(Column::Day)
        .order_by_asc(Column::Day)
        .into_tuple()
        .all(db)
        .await?;
    let trend = |(date, total, active, stale, potentially_stale): (Timestamp, i64, i64, i64, i64)| FlagTrend {
        date,
        total: total.into(),
        active: active.into(),
        stale: stale.into(),
        potentially_stale: potentially_stale.into(),
    };
    Ok(rows.into_iter().map(trend).collect())
}

async fn project_flag_trends(
    db: &impl ConnectionTrait,
    range: Range,
    visibility: &Visibility,
) -> Result<Vec<ProjectFlagTrend>, StoreError> {
    use insight_project_week::{Column, Entity, Model};
    let rows = range
        .weeks::<Entity>(Column::Week, Column::Date)
        .filter(Column::Project.in_subquery(visible_projects(visibility)))
        .order_by_asc(Column::Project)
        .all(db)
        .await?;
    let trend = |row: Model| ProjectFlagTrend {
        week: row.week,
        project: row.project,
        health: row.health.into(),
        time_to_production: row.time_to_production.map(Into::into),
        date: row.date,
        total: row.total.into(),
        active: row.active.into(),
        stale: row.stale.into(),
        potentially_stale: row.potentially_stale.into(),
        users: row.users.map(Into::into),
    };
    Ok(rows.into_iter().map(trend).collect())
}

async fn metrics_summary_trends(
    db: &impl ConnectionTrait,
    range: Range,
    visibility: &Visibility,
) -> Result<Vec<MetricsSummaryTrend>, StoreError> {
    use insight_metrics_week::{Column, Entity, Model};
    let rows = range
        .weeks::<Entity>(Column::Week, Column::Date)
        .filter(Column::Project.in_subquery(visible_projects(visibility)))
        .order_by_asc(Column::Project)
        .all(db)
        .await?;
    let trend = |row: Model| MetricsSummaryTrend {
        week: row.week,
        date: row.date,
        project: row.project,
        total_requests: row.total_requests.into(),
        total_yes: row.total_yes.into(),
        total_no: row.total_no.into(),
        total_apps: row.total_apps.into(),
        total_flags: row.total_flags.into(),
        total_environments: row.total_environments.into(),
    };
    Ok(rows.into_iter().map(trend).collect())
}

async fn environment_type_trends(
    db: &impl ConnectionTrait,
    range: Range,
    visibility: &Visibility,
) -> Result<Vec<EnvironmentTypeTrend>, StoreError> {
    use insight_environment_type_week::{Column, Entity};
    let rows: Vec<(String, String, Timestamp, i64)> = range
        .weeks::<Entity>(Column::Week, Column::Date)
        .select_only()
        .column(Column::Week)
        .column(Column::EnvironmentType)
        .column_as(Column::Date.max(), "last_date")
        .column_as(whole_sum("total_updates"), "updates")
        .filter(not_hidden(Column::Project.into_expr(), visibility))
        .group_by(Column::Week)
        .group_by(Column::EnvironmentType)
        .order_by_asc(Column::EnvironmentType)
        .into_tuple()
        .all(db)
        .await?;
    let trend = |(week, environment_type, date, total): (String, String, Timestamp, i64)| EnvironmentTypeTrend {
        date,
        week,
        environment_type,
        total_updates: total.into(),
    };
    Ok(rows.into_iter().map(trend).collect())
}

/// Projects that still exist and may appear: a private project that was deleted is no longer known as private.
fn visible_projects(visibility: &Visibility) -> SelectStatement {
    Query::select()
        .column(project::Column::Id)
        .from(project::Entity)
        .cond_where(not_hidden(project::Column::Id.into_expr(), visibility))
        .to_owned()
}

#[cfg(test)]
mod tests {
    use sea_orm::QueryTrait as _;

    use super::*;
    use crate::{db::Db, migrate::migrate};

    #[tokio::test]
    async fn weekly_rows_are_found_by_their_week() {
        use insight_project_week::{Column, Entity};
        let files = tempfile::tempdir().expect("a temporary directory");
        let db = Db::open(&format!("sqlite://{}", files.path().join("plan.db").display())).await.expect("opens");
        migrate(&db).await.expect("migrates");
        let to = Timestamp::from_millis(0).end_of_day();
        let range = Range { days_from: to, weeks_from: to.plus_days(-364), to };
        let backend = db.get_database_backend();
        let mut explain = range.weeks::<Entity>(Column::Week, Column::Date).build(backend);
        explain.sql = format!("EXPLAIN QUERY PLAN {}", explain.sql);
        let plan = db.query_all_raw(explain).await.expect("explains");
        let plan: Vec<String> = plan.iter().map(|row| row.try_get("", "detail").expect("a step")).collect();
        assert!(matches!(&*plan, [step] if step.starts_with("SEARCH") && step.contains("week>")), "{plan:#?}");
    }
}
