//! Further contents of a project than its features, and its events by day.

use chrono::NaiveDate;
use flagstone_domain::time::{DAY_MS, Timestamp};
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter,
    sea_query::{Expr, ExprTrait, Order, Query},
};

use crate::{
    StoreError,
    entity::{api_token_project, event, segment},
};

/// Number of API tokens for a project by name.
pub async fn count_tokens(db: &impl ConnectionTrait, project: &str) -> Result<u64, StoreError> {
    Ok(api_token_project::Entity::find().filter(api_token_project::Column::Project.eq(project)).count(db).await?)
}

/// Number of segments of a project.
pub async fn count_segments(db: &impl ConnectionTrait, project: &str) -> Result<u64, StoreError> {
    Ok(segment::Entity::find().filter(segment::Column::Project.eq(project)).count(db).await?)
}

/// Numbers of the events of a project by day in UTC, since a time. Days without events are left out.
pub async fn activity_by_day(
    db: &impl ConnectionTrait,
    project: &str,
    since: Timestamp,
) -> Result<Vec<(NaiveDate, i64)>, StoreError> {
    let day = || Expr::col((event::Entity, event::Column::CreatedAt)).div(Expr::cust(DAY_MS.to_string()));
    let query = Query::select()
        .expr(day())
        .expr(Expr::cust("count(*)"))
        .from(event::Entity)
        .and_where(event::Column::Project.eq(project))
        .and_where(event::Column::CreatedAt.gte(since))
        .add_group_by([day()])
        .order_by_expr(day(), Order::Asc)
        .to_owned();
    let row = |row: &sea_orm::QueryResult| -> Result<(NaiveDate, i64), sea_orm::DbErr> {
        let (day, count): (i64, i64) = (row.try_get_by_index(0)?, row.try_get_by_index(1)?);
        Ok((Timestamp::from_millis(day.saturating_mul(DAY_MS)).day(), count))
    };
    Ok(db.query_all(&query).await?.iter().map(row).collect::<Result<_, _>>()?)
}
