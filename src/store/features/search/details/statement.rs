//! The statement that asks for everything about the features of one page.

use flagstone_domain::time::{HOUR_MS, Timestamp};
use sea_orm::{
    ColumnTrait, DatabaseBackend, Statement,
    sea_query::{CommonTableExpression, Expr, ExprTrait, Func, Query, SelectStatement},
};

use super::{ConfigurationRow, FeatureRow, Found, SegmentRow, StageRow, UseRow};
use crate::{
    db::{
        listed, packed,
        sql_text::{Placeholder, SqlText},
    },
    entity::{
        app_user, client_metrics_hourly, environment, favorite_feature, feature, feature_environment,
        feature_lifecycle, feature_tag, segment, strategy_segment, tag,
    },
    features::read::CreatorRow,
    tags::TagRow,
};

/// The ids of the features, as the statement calls them.
const PAGE: &str = "page";

/// Placeholder of the ids, as a JSON list.
const IDS: Placeholder = Placeholder::new(1);
/// Placeholder of the id of the reader.
const READER: Placeholder = Placeholder::new(2);
/// Placeholder of the start of the hour whose usage counts.
const SINCE: Placeholder = Placeholder::new(3);

/// The statement. `now` bounds the usage counts.
pub(in crate::features::search) fn statement(
    ids: &[i64],
    reader: Option<i64>,
    now: Timestamp,
    backend: DatabaseBackend,
) -> Statement {
    static TEXT: SqlText = SqlText::new();
    let values = [IDS.is(listed::json(ids)), READER.is(reader), SINCE.is(now.plus_millis(-HOUR_MS))];
    TEXT.statement(backend, || query(backend), values)
}

fn query(backend: DatabaseBackend) -> SelectStatement {
    let page = CommonTableExpression::new()
        .table_name(PAGE)
        .column("id")
        .materialized(true)
        .query(listed::numbers_of(backend, IDS.expr()))
        .to_owned();
    Query::select().with_cte(page).exprs(Found::queries(backend).into_iter().map(Expr::from)).take()
}

fn is_on_page(id: impl ColumnTrait) -> Expr {
    id.into_expr().in_subquery(Query::select().column("id").from(PAGE).take())
}

pub(super) fn features(backend: DatabaseBackend) -> SelectStatement {
    Query::select()
        .expr(packed::rows::<FeatureRow>(backend))
        .from(feature::Entity)
        .and_where(is_on_page(feature::Column::Id))
        .take()
}

pub(super) fn configurations(backend: DatabaseBackend) -> SelectStatement {
    Query::select()
        .expr(packed::rows::<ConfigurationRow>(backend))
        .from(feature_environment::Entity)
        .and_where(is_on_page(feature_environment::Column::FeatureId))
        .take()
}

pub(super) fn tags(backend: DatabaseBackend) -> SelectStatement {
    Query::select()
        .expr(packed::rows::<TagRow>(backend))
        .from(feature_tag::Entity)
        .inner_join(tag::Entity, tag::Column::Id.into_expr().eq(feature_tag::Column::TagId.into_expr()))
        .and_where(is_on_page(feature_tag::Column::FeatureId))
        .take()
}

pub(super) fn segments(backend: DatabaseBackend) -> SelectStatement {
    let on = segment::Column::Id.into_expr().eq(strategy_segment::Column::SegmentId.into_expr());
    Query::select()
        .expr(packed::rows::<SegmentRow>(backend))
        .from(strategy_segment::Entity)
        .inner_join(segment::Entity, on)
        .and_where(is_on_page(strategy_segment::Column::FeatureId))
        .take()
}

pub(super) fn stages(backend: DatabaseBackend) -> SelectStatement {
    Query::select()
        .expr(packed::rows::<StageRow>(backend))
        .from(feature_lifecycle::Entity)
        .and_where(is_on_page(feature_lifecycle::Column::FeatureId))
        .take()
}

pub(super) fn creators(backend: DatabaseBackend) -> SelectStatement {
    let creators = Query::select()
        .column(feature::Column::CreatedByUserId)
        .from(feature::Entity)
        .and_where(is_on_page(feature::Column::Id))
        .take();
    Query::select()
        .expr(packed::rows::<CreatorRow>(backend))
        .from(app_user::Entity)
        .and_where(app_user::Column::Id.in_subquery(creators))
        .take()
}

pub(super) fn favorites(backend: DatabaseBackend) -> SelectStatement {
    use favorite_feature::Column;
    Query::select()
        .expr(packed::values(backend, Column::FeatureId.into_expr()))
        .from(favorite_feature::Entity)
        .and_where(Column::UserId.into_expr().eq(READER.expr()))
        .and_where(is_on_page(Column::FeatureId))
        .take()
}

/// Sums over all applications, of the hours that began within the hour before now.
pub(super) fn uses(backend: DatabaseBackend) -> SelectStatement {
    use client_metrics_hourly::Column;
    // Neither overflows: SQLite's `sum` would.
    let sum = if backend == DatabaseBackend::Postgres { "sum" } else { "total" };
    let sum = |column: Column| Func::cust(sum).arg(column.into_expr());
    let sums = Query::select()
        .expr_as(feature::Column::Id.into_expr(), "id")
        .expr_as(environment::Column::Name.into_expr(), "environment")
        .expr_as(sum(Column::Yes), "yes")
        .expr_as(sum(Column::No), "no")
        // SQLite keeps the order of a cross join: the few features and environments lead.
        .from(feature::Entity)
        .cross_join(environment::Entity)
        .cross_join(client_metrics_hourly::Entity)
        .and_where(is_on_page(feature::Column::Id))
        .and_where(Column::FeatureName.into_expr().eq(feature::Column::Name.into_expr()))
        .and_where(Column::Environment.into_expr().eq(environment::Column::Name.into_expr()))
        .and_where(Column::Timestamp.into_expr().gte(SINCE.expr()))
        .add_group_by([feature::Column::Id.into_expr(), environment::Column::Name.into_expr()])
        .take();
    Query::select().expr(packed::rows::<UseRow>(backend)).from_subquery(sums, "sums").take()
}
