//! A feature with all of its configuration: also the parts that lists leave out.

use std::collections::HashMap;

use flagstone_domain::{
    feature::{Feature, FeatureEnvironment},
    ids::{EnvironmentName, FeatureName},
    strategy::FeatureStrategy,
    time::Timestamp,
    variant::FeatureVariant,
};
use flagstone_wire::Nullable;
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DatabaseBackend, DbErr, EntityTrait,
    sea_query::{Expr, ExprTrait, Query, SelectStatement, SubQueryStatement},
};

use crate::{
    StoreError,
    db::{packed, sql_text::SqlText, value::json_column},
    entity::{environment, feature, feature_environment, feature_strategy, strategy_segment},
    features::{
        HeldFeature,
        read::{ASKED, WANTED, assemble, queries, question_about},
    },
    strategies::{Attached, in_order},
};

/// A feature with the strategies and variants of each environment. `reader` is the person whose favourites count.
pub async fn find(
    db: &impl ConnectionTrait,
    feature_id: i64,
    reader: Option<i64>,
) -> Result<Option<Feature>, StoreError> {
    let row = Query::select().columns(ASKED).from(feature::Entity).and_where(feature::Column::Id.eq(feature_id)).take();
    find_given(db, feature_id, reader, row).await
}

/// A feature with the strategies and variants of each environment, whose row a statement gives, with the columns
/// [`ASKED`].
pub(super) async fn find_given(
    db: &impl ConnectionTrait,
    feature_id: i64,
    reader: Option<i64>,
    row: impl Into<SubQueryStatement>,
) -> Result<Option<Feature>, StoreError> {
    static COLUMNS: SqlText = SqlText::new();
    let backend = db.get_database_backend();
    let columns = COLUMNS.columns(backend, || {
        let is_wanted = |id: Expr| id.in_subquery(Query::select().column(feature::Column::Id).from(WANTED).take());
        let mut queries = queries(backend);
        queries.extend(strategy_queries(backend, is_wanted, None));
        queries.push(variant_query(backend, is_wanted));
        queries
    });
    let mut found = packed::texts(db, &question_about(backend, row, reader, columns)).await?;
    let feature = assemble(&mut found, reader, |features| features.last().map(Feature::from))?;
    let Some(mut feature) = feature else { return Ok(None) };
    let mut strategies = read_strategies(&mut found, Some(&feature.name))?;
    let mut variants = read_variants(&mut found)?;
    for environment in feature.environments.iter_mut().flatten() {
        let place = (feature_id, environment.name.clone());
        environment.strategies = Some(strategies.remove(&place).unwrap_or_default());
        environment.variants = Some(variants.remove(&environment.name).unwrap_or_default());
    }
    Ok(Some(feature))
}

/// One feature in one environment with its strategies and variants, or `None` when the feature is not used there.
pub async fn find_in_environment(
    db: &impl ConnectionTrait,
    held: &HeldFeature,
    environment: &str,
) -> Result<Option<FeatureEnvironment>, StoreError> {
    let key = (held.id, environment.to_owned());
    let Some(row) = feature_environment::Entity::find_by_id(key).one(db).await? else { return Ok(None) };
    let kind = environment::Entity::find_by_id(environment).one(db).await?;
    let (place, name) = (EnvironmentName::new(environment), FeatureName::new(&held.document.name));
    let mut strategies = strategies(db, &[held.id], Some(place), Some(name)).await?;
    let strategies = strategies.remove(&(held.id, environment.to_owned())).unwrap_or_default();
    Ok(Some(FeatureEnvironment {
        name: row.feature_name.clone(),
        feature_name: Some(row.feature_name),
        environment: Some(row.environment),
        kind: kind.as_ref().map(|kind| kind.r#type.clone()),
        enabled: row.enabled,
        sort_order: kind.map(|kind| kind.sort_order.into()),
        variant_count: Some(row.variant_count.into()),
        strategies: Some(strategies),
        variants: Some(json_column("feature_environment.variants", &row.variants)?),
        last_seen_at: Some(Nullable(row.last_seen_at)),
        has_strategies: Some(row.has_strategies),
        has_enabled_strategies: Some(row.has_enabled_strategies),
    }))
}

type ByEnvironment<T> = HashMap<String, Vec<T>>;

/// Strategies by feature and environment, in their order.
pub(crate) type Strategies = HashMap<(i64, String), Vec<FeatureStrategy>>;

/// The strategies of features, in one environment or in all. `feature` is what they say of their feature, if anything.
pub(crate) async fn strategies(
    db: &impl ConnectionTrait,
    feature_ids: &[i64],
    environment: Option<EnvironmentName<'_>>,
    feature: Option<FeatureName<'_>>,
) -> Result<Strategies, StoreError> {
    let is_one = |id: Expr| id.is_in(feature_ids.iter().copied());
    let queries = strategy_queries(db.get_database_backend(), is_one, environment.map(EnvironmentName::as_str));
    read_strategies(&mut packed::all(db, queries).await?, feature.map(FeatureName::as_str))
}

packed::row! {
    impl for feature_strategy::Model {
        created_at: Timestamp = feature_strategy::Column::CreatedAt,
        sort_order: i64 = feature_strategy::Column::SortOrder,
        id: String = feature_strategy::Column::Id,
        feature_id: i64 = feature_strategy::Column::FeatureId,
        environment: String = feature_strategy::Column::Environment,
        name: String = feature_strategy::Column::Name,
        title: Option<String> = feature_strategy::Column::Title,
        disabled: bool = feature_strategy::Column::Disabled,
        parameters: String = feature_strategy::Column::Parameters,
        constraints: String = feature_strategy::Column::Constraints,
        variants: String = feature_strategy::Column::Variants,
    }
}

/// Queries for the strategies of the wanted features, and for the segments that they use.
pub(crate) fn strategy_queries(
    backend: DatabaseBackend,
    is_wanted: impl Fn(Expr) -> Expr,
    environment: Option<&str>,
) -> [SelectStatement; 2] {
    use feature_strategy::Column;
    let here = Condition::all().add_option(environment.map(|environment| Column::Environment.eq(environment)));
    let strategies = Query::select()
        .from(feature_strategy::Entity)
        .and_where(is_wanted(Column::FeatureId.into_expr()))
        .cond_where(here)
        .expr(packed::rows::<feature_strategy::Model>(backend))
        .to_owned();
    let segments = Query::select()
        .from(strategy_segment::Entity)
        .and_where(is_wanted(strategy_segment::Column::FeatureId.into_expr()))
        .expr(packed::rows::<Attached>(backend))
        .to_owned();
    [strategies, segments]
}

/// The strategies, each with its segments by their ids. `name` is what they say of their feature, if anything.
pub(crate) fn read_strategies(found: &mut packed::Texts, name: Option<&str>) -> Result<Strategies, StoreError> {
    let rows: Vec<feature_strategy::Model> = found.next()?;
    let attached: Vec<Attached> = found.next()?;
    let mut strategies = Strategies::new();
    for (place, strategy) in in_order(rows, attached, name)? {
        strategies.entry(place).or_default().push(strategy);
    }
    Ok(strategies)
}

packed::row! {
    struct VariantsRow {
        environment: String = feature_environment::Column::Environment,
        variants: String = feature_environment::Column::Variants,
    }
}

/// The variants of each environment where a feature has any.
pub(super) async fn variants(
    db: &impl ConnectionTrait,
    feature_id: i64,
) -> Result<ByEnvironment<FeatureVariant>, StoreError> {
    let query = variant_query(db.get_database_backend(), |id| id.eq(feature_id));
    read_variants(&mut packed::texts(db, &query).await?)
}

/// Query for the variants of the wanted feature in the environments where it has any.
fn variant_query(backend: DatabaseBackend, is_wanted: impl Fn(Expr) -> Expr) -> SelectStatement {
    use feature_environment::Column;
    Query::select()
        .from(feature_environment::Entity)
        .and_where(is_wanted(Column::FeatureId.into_expr()))
        .and_where(Column::VariantCount.gt(0))
        .expr(packed::rows::<VariantsRow>(backend))
        .to_owned()
}

fn read_variants(found: &mut packed::Texts) -> Result<ByEnvironment<FeatureVariant>, StoreError> {
    let rows: Vec<VariantsRow> = found.next()?;
    let variants = rows.into_iter().map(|VariantsRow { environment, variants }| {
        let variants = json_column("feature_environment.variants", &variants)?;
        Ok((environment, variants))
    });
    Ok(variants.collect::<Result<_, DbErr>>()?)
}
