//! Figures computed from what is stored: people, usage, and changes by environment.

use flagstone_domain::{
    insights::activity::{UserCounts, active_since},
    time::{DAY_MS, Timestamp},
};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, FromQueryResult,
    sea_query::{Expr, ExprTrait, Func, Query, SelectStatement, UnionType},
};

use crate::{
    StoreError,
    access::people::is_person,
    entity::{app_user, client_metrics_daily, client_metrics_hourly, environment, event, feature},
    health::count_if,
    projects::statistics::whole_sum,
};

/// The people who have an account at `now`. Accounts of the server itself and of programs are no people.
pub async fn users(db: &impl ConnectionTrait, now: Timestamp) -> Result<UserCounts, StoreError> {
    let query = Query::select()
        .expr_as(app_user::Column::Id.count(), "total")
        .expr_as(count_if(Condition::all().add(app_user::Column::SeenAt.gte(active_since(now)))), "active")
        .from(app_user::Entity)
        .cond_where(is_person())
        .to_owned();
    let row = db.query_one(&query).await?.ok_or_else(|| sea_orm::DbErr::RecordNotFound("counts".to_owned()))?;
    Ok(UserCounts { total: row.try_get("", "total")?, active: row.try_get("", "active")? })
}

/// Usage of a project's features in some time.
#[derive(Debug, Clone, PartialEq, Eq, FromQueryResult)]
pub struct Usage {
    /// Id of the project.
    pub project: String,
    /// Evaluations that were on.
    pub yes: i64,
    /// Evaluations that were off.
    pub no: i64,
    /// Different applications.
    pub apps: i64,
    /// Different features.
    pub features: i64,
    /// Different environments.
    pub environments: i64,
}

/// Usage between two instants (the second excluded), by the project that owns the feature now. Usage of names that
/// are no features belongs to no project.
///
/// Whole days that have been added up already count from there, others hour by hour.
pub async fn usage(db: &impl ConnectionTrait, from: Timestamp, to: Timestamp) -> Result<Vec<Usage>, StoreError> {
    use client_metrics_hourly::Column;
    let reported = daily_usage(from, to).union(UnionType::All, hourly_usage(from, to)).to_owned();
    let distinct = |column: Column| Expr::expr(Func::count_distinct(Expr::col(("reported", column))));
    let query = Query::select()
        .column((feature::Entity, feature::Column::Project))
        .expr_as(whole_sum("yes"), "yes")
        .expr_as(whole_sum("no"), "no")
        .expr_as(distinct(Column::AppName), "apps")
        .expr_as(distinct(Column::FeatureName), "features")
        .expr_as(distinct(Column::Environment), "environments")
        .from_subquery(reported, "reported")
        .inner_join(
            feature::Entity,
            Expr::col((feature::Entity, feature::Column::Name)).equals(("reported", Column::FeatureName)),
        )
        .add_group_by([Expr::col((feature::Entity, feature::Column::Project))])
        .to_owned();
    let rows = db.query_all(&query).await?;
    let rows: Result<Vec<_>, _> = rows.iter().map(|row| Usage::from_query_result(row, "")).collect();
    Ok(rows?)
}

fn daily_usage(from: Timestamp, to: Timestamp) -> SelectStatement {
    use client_metrics_daily::{Column, Entity};
    Query::select()
        .columns([Column::FeatureName, Column::AppName, Column::Environment, Column::Yes, Column::No])
        .from(Entity)
        .and_where(Column::Date.gte(from))
        .and_where(Column::Date.lt(to))
        .to_owned()
}

fn hourly_usage(from: Timestamp, to: Timestamp) -> SelectStatement {
    use client_metrics_hourly::{Column, Entity};
    let hour = || Expr::col((Entity, Column::Timestamp));
    let added_up = Query::select()
        .expr(Expr::value(1))
        .from(client_metrics_daily::Entity)
        .and_where(
            Expr::col((client_metrics_daily::Entity, client_metrics_daily::Column::Date))
                .eq(hour().sub(hour().modulo(DAY_MS))),
        )
        .to_owned();
    Query::select()
        .columns([Column::FeatureName, Column::AppName, Column::Environment, Column::Yes, Column::No])
        .from(Entity)
        .and_where(Column::Timestamp.gte(from))
        .and_where(Column::Timestamp.lt(to))
        .and_where(Expr::exists(added_up).not())
        .to_owned()
}

/// When usage was first reported, as far as it is kept.
pub async fn first_usage(db: &impl ConnectionTrait) -> Result<Option<Timestamp>, StoreError> {
    let hourly = Query::select()
        .expr_as(client_metrics_hourly::Column::Timestamp.min(), "first")
        .from(client_metrics_hourly::Entity)
        .to_owned();
    let daily = Query::select()
        .expr_as(client_metrics_daily::Column::Date.min(), "first")
        .from(client_metrics_daily::Entity)
        .to_owned();
    let (hourly, daily) = (first(db, &hourly).await?, first(db, &daily).await?);
    Ok(hourly.into_iter().chain(daily).min())
}

pub(super) async fn first(db: &impl ConnectionTrait, query: &SelectStatement) -> Result<Option<Timestamp>, StoreError> {
    let row = db.query_one(query).await?;
    Ok(row.map(|row| row.try_get::<Option<Timestamp>>("", "first")).transpose()?.flatten())
}

/// Changes to the features of a project in environments of one type on one day.
#[derive(Debug, Clone, PartialEq, Eq, FromQueryResult)]
pub struct Updates {
    /// Type of the environments.
    pub environment_type: String,
    /// Id of the project, empty where the log names none.
    pub project: String,
    /// The day, as the number of days since 1970.
    day: i64,
    /// Events about features in such environments.
    pub total: i64,
}

impl Updates {
    /// The first instant of the day.
    pub const fn day(&self) -> Timestamp {
        Timestamp::from_millis(self.day * DAY_MS)
    }
}

/// Changes between two instants (the second excluded), by day, by what type the environment has now, and by project.
pub async fn updates(db: &impl ConnectionTrait, from: Timestamp, to: Timestamp) -> Result<Vec<Updates>, StoreError> {
    let created_at = (event::Entity, event::Column::CreatedAt);
    let query = Query::select()
        .expr_as(Expr::col((environment::Entity, environment::Column::Type)), "environment_type")
        .expr_as(Expr::col(created_at).div(DAY_MS), "day")
        .expr_as(Func::coalesce([Expr::col((event::Entity, event::Column::Project)), Expr::val("")]), "project")
        .expr_as(Expr::col((event::Entity, event::Column::Id)).count(), "total")
        .from(event::Entity)
        .inner_join(
            environment::Entity,
            Expr::col((environment::Entity, environment::Column::Name))
                .equals((event::Entity, event::Column::Environment)),
        )
        .and_where(Expr::col((event::Entity, event::Column::FeatureName)).is_not_null())
        .and_where(Expr::col(created_at).gte(from))
        .and_where(Expr::col(created_at).lt(to))
        // By position: PostgreSQL does not see that two expressions with a parameter are the same.
        .add_group_by([Expr::cust("1"), Expr::cust("2"), Expr::cust("3")])
        .to_owned();
    let rows = db.query_all(&query).await?;
    let rows: Result<Vec<_>, _> = rows.iter().map(|row| Updates::from_query_result(row, "")).collect();
    Ok(rows?)
}
