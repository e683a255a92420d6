//! The instance in numbers.

use flagstone_domain::{event_kind::EventKind, time::Timestamp};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, EntityTrait, FromQueryResult, PaginatorTrait, QueryFilter,
    sea_query::{Alias, Expr, ExprTrait, Func, Query, SelectStatement},
};

use crate::{
    StoreError,
    access::people::{is_account, is_person},
    entity::{
        api_token, app_user, client_application, client_metrics_hourly, client_metrics_variant_hourly, context_field,
        environment, event, feature, feature_strategy, project, role, segment, strategy_type, user_group,
    },
    health::count_if,
};

/// Numbers of things of each kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromQueryResult)]
pub struct Totals {
    /// People who have an account.
    pub users: i64,
    /// Programs that have one.
    pub service_accounts: i64,
    /// Features that are not archived.
    pub features: i64,
    /// Projects that are not archived.
    pub projects: i64,
    /// Context fields.
    pub context_fields: i64,
    /// Roles.
    pub roles: i64,
    /// Groups.
    pub groups: i64,
    /// Environments.
    pub environments: i64,
    /// Segments.
    pub segments: i64,
    /// Strategy types.
    pub strategies: i64,
}

/// Counts, in one statement.
pub async fn totals(db: &impl ConnectionTrait) -> Result<Totals, StoreError> {
    let programs = is_account().add(app_user::Column::IsService.eq(true));
    let in_use = Condition::all().add(feature::Column::ArchivedAt.is_null());
    let active = Condition::all().add(project::Column::ArchivedAt.is_null());
    let all = Condition::all;
    let query = Query::select()
        .expr_as(count(app_user::Entity, is_person()), "users")
        .expr_as(count(app_user::Entity, programs), "service_accounts")
        .expr_as(count(feature::Entity, in_use), "features")
        .expr_as(count(project::Entity, active), "projects")
        .expr_as(count(context_field::Entity, all()), "context_fields")
        .expr_as(count(role::Entity, all()), "roles")
        .expr_as(count(user_group::Entity, all()), "groups")
        .expr_as(count(environment::Entity, all()), "environments")
        .expr_as(count(segment::Entity, all()), "segments")
        .expr_as(count(strategy_type::Entity, all()), "strategies")
        .to_owned();
    Ok(Totals::from_query_result(&one(db, &query).await?, "")?)
}

fn count(table: impl sea_orm::sea_query::IntoTableRef, condition: Condition) -> Expr {
    let query = Query::select().expr(Expr::cust("count(*)")).from(table).cond_where(condition).to_owned();
    Expr::SubQuery(None, Box::new(query.into()))
}

async fn one(db: &impl ConnectionTrait, query: &SelectStatement) -> Result<sea_orm::QueryResult, StoreError> {
    Ok(db.query_one(query).await?.ok_or_else(|| sea_orm::DbErr::RecordNotFound("counts".to_owned()))?)
}

/// Rows by how long ago something in them happened.
async fn since<const N: usize>(
    db: &impl ConnectionTrait,
    mut query: SelectStatement,
    instant: impl ColumnTrait,
    moments: [Timestamp; N],
) -> Result<[i64; N], StoreError> {
    for (index, moment) in moments.into_iter().enumerate() {
        let recent = Condition::all().add(instant.gte(moment));
        query.expr_as(count_if(recent), Alias::new(format!("n{index}")));
    }
    let row = one(db, &query).await?;
    let mut counts = [0; N];
    for (index, count) in counts.iter_mut().enumerate() {
        *count = row.try_get("", &format!("n{index}"))?;
    }
    Ok(counts)
}

/// The people who have been active since each of some moments.
pub async fn active_people<const N: usize>(
    db: &impl ConnectionTrait,
    moments: [Timestamp; N],
) -> Result<[i64; N], StoreError> {
    let query = Query::select().from(app_user::Entity).cond_where(is_person()).to_owned();
    since(db, query, app_user::Column::SeenAt, moments).await
}

/// The applications that have been heard of since each of some moments.
pub async fn applications<const N: usize>(
    db: &impl ConnectionTrait,
    moments: [Timestamp; N],
) -> Result<[i64; N], StoreError> {
    let query = Query::select().from(client_application::Entity).to_owned();
    since(db, query, client_application::Column::SeenAt, moments).await
}

/// Changes in environments of type `production` since each of some moments.
pub async fn production_changes<const N: usize>(
    db: &impl ConnectionTrait,
    moments: [Timestamp; N],
) -> Result<[i64; N], StoreError> {
    let production = Query::select()
        .column(environment::Column::Name)
        .from(environment::Entity)
        .and_where(environment::Column::Type.eq("production"))
        .to_owned();
    let mut query =
        Query::select().from(event::Entity).and_where(event::Column::Environment.in_subquery(production)).to_owned();
    if let Some(earliest) = moments.into_iter().min() {
        query.and_where(event::Column::CreatedAt.gte(earliest));
    }
    since(db, query, event::Column::CreatedAt, moments).await
}

/// Events of a type.
pub async fn events_of(db: &impl ConnectionTrait, kind: EventKind) -> Result<u64, StoreError> {
    Ok(event::Entity::find().filter(event::Column::Type.eq(kind.as_str())).count(db).await?)
}

/// API tokens of a kind, such as `client`.
pub async fn tokens_of(db: &impl ConnectionTrait, kind: &str) -> Result<u64, StoreError> {
    Ok(api_token::Entity::find().filter(api_token::Column::Type.eq(kind)).count(db).await?)
}

/// Reports of evaluations, and of variants, between two moments, the second excluded.
pub async fn reports(db: &impl ConnectionTrait, from: Timestamp, to: Timestamp) -> Result<(u64, u64), StoreError> {
    let evaluations = client_metrics_hourly::Entity::find()
        .filter(client_metrics_hourly::Column::Timestamp.gte(from))
        .filter(client_metrics_hourly::Column::Timestamp.lt(to))
        .count(db)
        .await?;
    let variants = client_metrics_variant_hourly::Entity::find()
        .filter(client_metrics_variant_hourly::Column::Timestamp.gte(from))
        .filter(client_metrics_variant_hourly::Column::Timestamp.lt(to))
        .count(db)
        .await?;
    Ok((evaluations, variants))
}

/// Most strategies that any feature has in one environment.
pub async fn most_strategies(db: &impl ConnectionTrait) -> Result<i64, StoreError> {
    let counts = Query::select()
        .expr_as(feature_strategy::Column::Id.count(), "strategies")
        .from(feature_strategy::Entity)
        .add_group_by([
            Expr::col(feature_strategy::Column::FeatureId),
            Expr::col(feature_strategy::Column::Environment),
        ])
        .to_owned();
    let most = Func::coalesce([Expr::col("strategies").max(), Expr::value(0)]);
    let query = Query::select().expr_as(Expr::expr(most), "most").from_subquery(counts, "counts").to_owned();
    Ok(one(db, &query).await?.try_get("", "most")?)
}
