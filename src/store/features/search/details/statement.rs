//! The statement that asks for everything about the features of one page.

use sea_orm::{
    ColumnTrait, DatabaseBackend, Statement,
    sea_query::{Alias, CommonTableExpression, Expr, ExprTrait, Func, Query},
};

use crate::{
    domain::time::{HOUR_MS, Timestamp},
    store::{
        db::{
            listed,
            packed::{self, SqlText},
        },
        entity::{
            app_user, client_metrics_hourly, environment, favorite_feature, feature, feature_environment,
            feature_lifecycle, feature_tag, segment, strategy_segment, tag,
        },
    },
};

/// The ids of the features, as the statement calls them.
const PAGE: &str = "page";

/// The statement. `now` bounds the usage counts.
pub(in crate::store::features::search) fn statement(
    ids: &[i64],
    reader: Option<i64>,
    now: Timestamp,
    backend: DatabaseBackend,
) -> Statement {
    static TEXT: SqlText = SqlText::new();
    let values = [listed::json(ids).into(), reader.into(), now.plus_millis(-HOUR_MS).into()];
    Statement::from_sql_and_values(backend, TEXT.text(backend, || text(backend)), values)
}

/// The statement with places for its values: the ids as a JSON list, the reader, the start of the hour.
fn text(backend: DatabaseBackend) -> String {
    let statement = Query::select()
        .with_cte(
            CommonTableExpression::new()
                .table_name(PAGE)
                .column("id")
                .materialized(true)
                // The ids take the place of these.
                .query(listed::numbers(backend, &[]))
                .to_owned(),
        )
        .expr(features(backend))
        .expr(configurations(backend))
        .expr(environments(backend))
        .expr(tags(backend))
        .expr(segments(backend))
        .expr(stages(backend))
        .expr(creators(backend))
        .expr(favorites(backend))
        .expr(uses(backend))
        .take();
    backend.build(&statement).sql
}

fn is_on_page(id: impl ColumnTrait) -> Expr {
    id.into_expr().in_subquery(Query::select().column("id").from(PAGE).take())
}

fn features(backend: DatabaseBackend) -> Expr {
    use feature::Column;
    let fields = [
        Column::Id.into_expr(),
        Column::Name.into_expr(),
        Column::Type.into_expr(),
        Column::Description.into_expr(),
        Column::Project.into_expr(),
        packed::number(Column::Stale.into_expr()),
        packed::number(Column::ImpressionData.into_expr()),
        Column::CreatedAt.into_expr(),
        Column::LastSeenAt.into_expr(),
        Column::DependencyKind.into_expr(),
        Column::CreatedByUserId.into_expr(),
        Column::ArchivedAt.into_expr(),
    ];
    Query::select()
        .expr(packed::rows(backend, fields))
        .from(feature::Entity)
        .and_where(is_on_page(Column::Id))
        .take()
        .into()
}

fn configurations(backend: DatabaseBackend) -> Expr {
    use feature_environment::Column;
    let fields = [
        Column::FeatureId.into_expr(),
        Column::Environment.into_expr(),
        packed::number(Column::Enabled.into_expr()),
        Column::VariantCount.into_expr(),
        Column::LastSeenAt.into_expr(),
        packed::number(Column::HasStrategies.into_expr()),
        packed::number(Column::HasEnabledStrategies.into_expr()),
    ];
    Query::select()
        .expr(packed::rows(backend, fields))
        .from(feature_environment::Entity)
        .and_where(is_on_page(Column::FeatureId))
        .take()
        .into()
}

fn environments(backend: DatabaseBackend) -> Expr {
    use environment::Column;
    let fields = [Column::Name, Column::Type, Column::SortOrder].map(ColumnTrait::into_expr);
    Query::select().expr(packed::rows(backend, fields)).from(environment::Entity).take().into()
}

fn tags(backend: DatabaseBackend) -> Expr {
    let owner = feature_tag::Column::FeatureId;
    let fields = [owner.into_expr(), tag::Column::Type.into_expr(), tag::Column::Value.into_expr()];
    Query::select()
        .expr(packed::rows(backend, fields))
        .from(feature_tag::Entity)
        .inner_join(tag::Entity, tag::Column::Id.into_expr().eq(feature_tag::Column::TagId.into_expr()))
        .and_where(is_on_page(owner))
        .take()
        .into()
}

fn segments(backend: DatabaseBackend) -> Expr {
    let owner = strategy_segment::Column::FeatureId;
    let on = segment::Column::Id.into_expr().eq(strategy_segment::Column::SegmentId.into_expr());
    Query::select()
        .expr(packed::rows(backend, [owner.into_expr(), segment::Column::Name.into_expr()]))
        .from(strategy_segment::Entity)
        .inner_join(segment::Entity, on)
        .and_where(is_on_page(owner))
        .take()
        .into()
}

fn stages(backend: DatabaseBackend) -> Expr {
    use feature_lifecycle::Column;
    let fields = [Column::FeatureId, Column::Stage, Column::Status, Column::EnteredStageAt].map(ColumnTrait::into_expr);
    Query::select()
        .expr(packed::rows(backend, fields))
        .from(feature_lifecycle::Entity)
        .and_where(is_on_page(Column::FeatureId))
        .take()
        .into()
}

fn creators(backend: DatabaseBackend) -> Expr {
    use app_user::Column;
    let fields = [Column::Id, Column::Name, Column::Username, Column::Email].map(ColumnTrait::into_expr);
    let creators = Query::select()
        .column(feature::Column::CreatedByUserId)
        .from(feature::Entity)
        .and_where(is_on_page(feature::Column::Id))
        .take();
    Query::select()
        .expr(packed::rows(backend, fields))
        .from(app_user::Entity)
        .and_where(Column::Id.in_subquery(creators))
        .take()
        .into()
}

fn favorites(backend: DatabaseBackend) -> Expr {
    use favorite_feature::Column;
    Query::select()
        .expr(packed::values(backend, Column::FeatureId.into_expr()))
        .from(favorite_feature::Entity)
        .and_where(Column::UserId.eq(0))
        .and_where(is_on_page(Column::FeatureId))
        .take()
        .into()
}

/// Sums over all applications, of the hours that began within the hour before now.
fn uses(backend: DatabaseBackend) -> Expr {
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
        .and_where(Column::Timestamp.gte(Timestamp::from_millis(0)))
        .add_group_by([feature::Column::Id.into_expr(), environment::Column::Name.into_expr()])
        .take();
    let fields = ["id", "environment", "yes", "no"].map(|name| Expr::col(Alias::new(name)));
    Query::select().expr(packed::rows(backend, fields)).from_subquery(sums, "sums").take().into()
}
