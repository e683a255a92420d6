//! All that the programs of one environment are told, read in one moment.

use std::collections::{BTreeMap, HashMap};

use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, QueryOrder, QuerySelect,
    sea_query::{Condition, Expr, ExprTrait, Func, Query, SelectStatement},
};
use serde::Deserialize;

use crate::{
    domain::{
        client_feature::{ClientFeature, ClientSegment, ClientStrategy, spelt_out},
        constraint::Constraint,
        feature::Dependency,
        tag::Tag,
    },
    store::{
        StoreError,
        db::Db,
        entity::{
            event, feature, feature_dependency, feature_environment, feature_strategy, feature_tag, segment,
            strategy_segment, tag,
        },
        packed, tags,
        value::json_column,
    },
    wire::Nullable,
};

/// The features in use as they are in one environment, at one moment.
#[derive(Debug, Clone, Default)]
pub struct Loaded {
    /// Id of the newest event of that moment.
    pub revision: i64,
    /// The features by name, each with its tags. One whose project does not use the environment is off in it.
    pub features: Vec<(ClientFeature, Vec<Tag>)>,
    /// Every segment by its id.
    pub segments: BTreeMap<i64, ClientSegment>,
}

/// Reads the features of an environment; of one that does not exist they are all off.
pub async fn load(db: &Db, environment: &str) -> Result<Loaded, StoreError> {
    let moment = db.moment().await?;
    let revision = newest_event(&moment).await?;
    let rows = rows(&moment, environment).await?;
    let mut strategies = strategies(&moment, environment).await?;
    let mut dependencies = dependencies(&moment).await?;
    let mut tags = tags(&moment).await?;
    let segments = segments(&moment).await?;
    let mut features = Vec::with_capacity(rows.len());
    for row in rows {
        let feature = ClientFeature {
            name: row.name,
            kind: row.kind,
            enabled: row.enabled,
            project: row.project,
            stale: row.stale,
            strategies: strategies.remove(&row.id).unwrap_or_default(),
            variants: json_column("feature_environment.variants", &row.variants)?,
            description: Nullable(row.description),
            impression_data: row.impression_data,
            dependencies: dependencies.remove(&row.id),
        };
        features.push((feature, tags.remove(&row.id).unwrap_or_default()));
    }
    features.sort_by(|(one, _), (other, _)| one.name.cmp(&other.name));
    Ok(Loaded { revision, features, segments })
}

/// Id of the newest event; 0 when there is none.
pub(super) async fn newest_event(db: &impl ConnectionTrait) -> Result<i64, StoreError> {
    let newest: Option<i64> = event::Entity::find()
        .select_only()
        .column(event::Column::Id)
        .order_by_desc(event::Column::Id)
        .limit(1)
        .into_tuple()
        .one(db)
        .await?;
    Ok(newest.unwrap_or_default())
}

#[derive(Deserialize)]
struct Row {
    id: i64,
    name: String,
    kind: String,
    project: String,
    #[serde(deserialize_with = "packed::flag")]
    stale: bool,
    description: Option<String>,
    #[serde(deserialize_with = "packed::flag")]
    impression_data: bool,
    #[serde(deserialize_with = "packed::flag")]
    enabled: bool,
    variants: String,
}

async fn rows(db: &impl ConnectionTrait, environment: &str) -> Result<Vec<Row>, StoreError> {
    let here = Condition::all()
        .add(feature_environment::Column::FeatureId.into_expr().equals((feature::Entity, feature::Column::Id)))
        .add(feature_environment::Column::Environment.eq(environment));
    let query = Query::select()
        .from(feature::Entity)
        .left_join(feature_environment::Entity, here)
        .and_where(feature::Column::ArchivedAt.is_null())
        .to_owned();
    let enabled = packed::number(feature_environment::Column::Enabled.into_expr());
    let columns = [
        feature::Column::Id.into_expr(),
        feature::Column::Name.into_expr(),
        feature::Column::Type.into_expr(),
        feature::Column::Project.into_expr(),
        packed::number(feature::Column::Stale.into_expr()),
        feature::Column::Description.into_expr(),
        packed::number(feature::Column::ImpressionData.into_expr()),
        Func::coalesce([enabled, Expr::val(0)]).into(),
        Func::coalesce([feature_environment::Column::Variants.into_expr(), Expr::val("[]")]).into(),
    ];
    packed::fetch(db, query, columns).await
}

/// Rows that belong to features in use.
fn beside_features(table: impl sea_orm::sea_query::IntoTableRef, feature_id: Expr) -> SelectStatement {
    Query::select()
        .from(table)
        .inner_join(feature::Entity, feature_id.equals((feature::Entity, feature::Column::Id)))
        .and_where(feature::Column::ArchivedAt.is_null())
        .to_owned()
}

#[derive(Deserialize)]
struct StrategyRow {
    feature_id: i64,
    sort_order: i64,
    created_at: i64,
    id: String,
    name: String,
    parameters: String,
    constraints: String,
    variants: String,
}

/// The strategies that are not disabled, in their order, by the id of their feature.
async fn strategies(
    db: &impl ConnectionTrait,
    environment: &str,
) -> Result<HashMap<i64, Vec<ClientStrategy>>, StoreError> {
    use feature_strategy::Column;
    let mut segments = attached_segments(db, environment).await?;
    let mut query = beside_features(feature_strategy::Entity, Column::FeatureId.into_expr());
    query.and_where(Column::Environment.eq(environment)).and_where(Column::Disabled.eq(false));
    let columns = [
        Column::FeatureId.into_expr(),
        Column::SortOrder.into_expr(),
        Column::CreatedAt.into_expr(),
        Column::Id.into_expr(),
        Column::Name.into_expr(),
        Column::Parameters.into_expr(),
        Column::Constraints.into_expr(),
        Column::Variants.into_expr(),
    ];
    let mut rows: Vec<StrategyRow> = packed::fetch(db, query, columns).await?;
    rows.sort_by(|a, b| (a.sort_order, a.created_at, &a.id).cmp(&(b.sort_order, b.created_at, &b.id)));
    let mut by_feature: HashMap<i64, Vec<ClientStrategy>> = HashMap::new();
    for row in rows {
        let constraints: Vec<Constraint> = json_column("feature_strategy.constraints", &row.constraints)?;
        let strategy = ClientStrategy {
            name: row.name,
            constraints: constraints.into_iter().map(spelt_out).collect(),
            parameters: json_column("feature_strategy.parameters", &row.parameters)?,
            variants: json_column("feature_strategy.variants", &row.variants)?,
            segments: segments.remove(&row.id),
        };
        by_feature.entry(row.feature_id).or_default().push(strategy);
    }
    Ok(by_feature)
}

/// Ids of segments, rising, by the id of the strategy that uses them.
async fn attached_segments(
    db: &impl ConnectionTrait,
    environment: &str,
) -> Result<HashMap<String, Vec<i64>>, StoreError> {
    let query = Query::select()
        .from(strategy_segment::Entity)
        .inner_join(
            feature_strategy::Entity,
            strategy_segment::Column::StrategyId
                .into_expr()
                .equals((feature_strategy::Entity, feature_strategy::Column::Id)),
        )
        .and_where(feature_strategy::Column::Environment.eq(environment))
        .to_owned();
    let columns = [strategy_segment::Column::StrategyId.into_expr(), strategy_segment::Column::SegmentId.into_expr()];
    let mut rows: Vec<(String, i64)> = packed::fetch(db, query, columns).await?;
    rows.sort();
    let mut by_strategy: HashMap<String, Vec<i64>> = HashMap::new();
    for (strategy, segment) in rows {
        by_strategy.entry(strategy).or_default().push(segment);
    }
    Ok(by_strategy)
}

/// Dependencies by the id of the child, ordered by the name of the parent.
async fn dependencies(db: &impl ConnectionTrait) -> Result<HashMap<i64, Vec<Dependency>>, StoreError> {
    use feature_dependency::Column;
    let query = beside_features(feature_dependency::Entity, Column::ParentId.into_expr());
    let columns = [
        Column::ChildId.into_expr(),
        feature::Column::Name.into_expr(),
        packed::number(Column::Enabled.into_expr()),
        Column::Variants.into_expr(),
    ];
    let mut rows: Vec<(i64, String, i64, String)> = packed::fetch(db, query, columns).await?;
    rows.sort();
    let mut by_child: HashMap<i64, Vec<Dependency>> = HashMap::new();
    for (child, parent, enabled, variants) in rows {
        let variants: Vec<String> = json_column("feature_dependency.variants", &variants)?;
        let variants = Some(variants).filter(|variants| !variants.is_empty());
        by_child.entry(child).or_default().push(Dependency { feature: parent, enabled: Some(enabled != 0), variants });
    }
    Ok(by_child)
}

async fn tags(db: &impl ConnectionTrait) -> Result<HashMap<i64, Vec<Tag>>, StoreError> {
    let mut query = beside_features(feature_tag::Entity, feature_tag::Column::FeatureId.into_expr());
    query
        .inner_join(tag::Entity, tag::Column::Id.into_expr().equals((feature_tag::Entity, feature_tag::Column::TagId)));
    let columns =
        [feature_tag::Column::FeatureId.into_expr(), tag::Column::Type.into_expr(), tag::Column::Value.into_expr()];
    Ok(tags::by_feature(packed::fetch(db, query, columns).await?))
}

async fn segments(db: &impl ConnectionTrait) -> Result<BTreeMap<i64, ClientSegment>, StoreError> {
    let query = Query::select().from(segment::Entity).to_owned();
    let columns = [segment::Column::Id.into_expr(), segment::Column::Constraints.into_expr()];
    let rows: Vec<(i64, String)> = packed::fetch(db, query, columns).await?;
    let segments = rows.into_iter().map(|(id, constraints)| {
        let constraints: Vec<Constraint> = json_column("segment.constraints", &constraints)?;
        Ok((id, ClientSegment { id, constraints: constraints.into_iter().map(spelt_out).collect() }))
    });
    Ok(segments.collect::<Result<_, sea_orm::DbErr>>()?)
}
