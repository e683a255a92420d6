//! All data of one environment for programs, read in one moment.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use flagstone_domain::{
    client_feature::{ClientFeature, ClientSegment, ClientStrategy, Flag, Loaded, with_all_fields},
    constraint::Constraint,
    event_kind::EventKind,
    feature::Dependency,
    tag::Tag,
};
use flagstone_wire::Nullable;
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
    sea_query::{Condition, Expr, ExprTrait, Func, Query, SelectStatement},
};

use crate::{
    StoreError,
    db::{Db, packed, value::json_column},
    entity::{
        event, feature, feature_dependency, feature_environment, feature_strategy, feature_tag, segment,
        strategy_segment, tag,
    },
    features::parents::ParentRow,
    strategies::{Attached, place},
    tags::{self, TagRow},
};

/// Features that are read at a time: what is read of all at once would take several times the room of what is kept.
const PORTION: usize = 1000;
/// Events that are looked through for what they are about; after more, everything is read.
const MOST_NEWS: u64 = 500;

/// Reads the features of an environment; of one that does not exist they are all off.
///
/// A caller with the state at the event `since` receives the changes after it, if `touched` can derive from the events
/// which features these are.
pub async fn load(
    db: &Db,
    environment: &str,
    since: Option<i64>,
    touched: impl FnOnce(Vec<(EventKind, Option<String>)>) -> Option<BTreeSet<String>> + Send,
) -> Result<Loaded, StoreError> {
    let snapshot = db.snapshot().await?;
    let revision = newest_event(&snapshot).await?;
    let news = match since.filter(|since| *since <= revision) {
        Some(since) => news(&snapshot, since).await?,
        None => None,
    };
    let mut only = news.and_then(touched);
    if let Some(names) = &mut only {
        add_children(&snapshot, names).await?;
    }
    let segments = segments(&snapshot).await?;
    if only.as_ref().is_some_and(BTreeSet::is_empty) {
        return Ok(Loaded { revision, only, segments, ..Loaded::default() });
    }
    let mut features = Vec::new();
    if let Some(names) = &only {
        read(&snapshot, environment, Among::Named(names), &mut features).await?;
    } else {
        for portion in ids(&snapshot).await?.chunks(PORTION) {
            let among = Among::Between(portion[0], portion[portion.len() - 1]);
            read(&snapshot, environment, among, &mut features).await?;
        }
    }
    features.sort_by(|one: &Flag, other| one.name.cmp(&other.name));
    Ok(Loaded { revision, features, only, segments, ..Loaded::default() })
}

/// Reads some of the features.
async fn read(
    db: &impl ConnectionTrait,
    environment: &str,
    among: Among<'_>,
    features: &mut Vec<Flag>,
) -> Result<(), StoreError> {
    let mut strategies = strategies(db, environment, among).await?;
    let mut dependencies = dependencies(db, among).await?;
    let mut tags = tags(db, among).await?;
    for row in rows(db, environment, among).await? {
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
        features.push(Flag::written(&feature, tags.remove(&row.id).unwrap_or_default()));
    }
    Ok(())
}

/// Kinds and features of the events after one. `None` when they are too many, or this version does not know what they
/// mean.
async fn news(db: &impl ConnectionTrait, since: i64) -> Result<Option<Vec<(EventKind, Option<String>)>>, StoreError> {
    let rows: Vec<(String, Option<String>)> = event::Entity::find()
        .select_only()
        .column(event::Column::Type)
        .column(event::Column::FeatureName)
        .filter(event::Column::Id.gt(since))
        .limit(MOST_NEWS + 1)
        .into_tuple()
        .all(db)
        .await?;
    if rows.len() as u64 > MOST_NEWS {
        return Ok(None);
    }
    Ok(rows.into_iter().map(|(kind, feature)| Some((EventKind::of_own(&kind)?, feature))).collect())
}

/// Adds the features that depend on those with the names: a feature is served with its parents, while it is in use.
async fn add_children(db: &impl ConnectionTrait, names: &mut BTreeSet<String>) -> Result<(), StoreError> {
    use feature_dependency::Column;
    let parents = Column::ParentId.in_subquery(named(names));
    let query = Query::select()
        .from(feature_dependency::Entity)
        .inner_join(feature::Entity, Column::ChildId.into_expr().equals((feature::Entity, feature::Column::Id)))
        .and_where(parents)
        .to_owned();
    names.extend(packed::fetch_column::<String>(db, query, feature::Column::Name).await?);
    Ok(())
}

/// The ids of the features with these names.
fn named(names: &BTreeSet<String>) -> SelectStatement {
    Query::select()
        .column((feature::Entity, feature::Column::Id))
        .from(feature::Entity)
        .and_where(feature::Column::Name.is_in(names.iter().map(String::as_str)))
        .take()
}

/// The ids of all features in use, rising.
async fn ids(db: &impl ConnectionTrait) -> Result<Vec<i64>, StoreError> {
    let query = Query::select()
        .expr(packed::values(db.get_database_backend(), feature::Column::Id.into_expr()))
        .from(feature::Entity)
        .and_where(feature::Column::ArchivedAt.is_null())
        .take();
    let mut ids: Vec<i64> = packed::read(db, &query).await?;
    ids.sort_unstable();
    Ok(ids)
}

/// The features that are asked for.
#[derive(Clone, Copy)]
enum Among<'a> {
    /// Features with these names.
    Named(&'a BTreeSet<String>),
    /// Features whose ids are not below the first and not above the last.
    Between(i64, i64),
}

impl Among<'_> {
    /// Whether the id is that of one of them.
    fn among(self, feature_id: Expr) -> Expr {
        match self {
            Self::Named(names) => feature_id.in_subquery(named(names)),
            Self::Between(first, last) => feature_id.between(first, last),
        }
    }
}

/// Id of the newest event; 0 when there is none.
pub(crate) async fn newest_event(db: &impl ConnectionTrait) -> Result<i64, StoreError> {
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

packed::row! {
    struct Row {
        id: i64 = feature::Column::Id,
        name: String = feature::Column::Name,
        kind: String = feature::Column::Type,
        project: String = feature::Column::Project,
        stale: bool = feature::Column::Stale,
        description: Option<String> = feature::Column::Description,
        impression_data: bool = feature::Column::ImpressionData,
        enabled: bool =>
            Func::coalesce([feature_environment::Column::Enabled.into_expr(), Expr::val(false)]).into(),
        variants: String => Func::coalesce([feature_environment::Column::Variants.into_expr(), Expr::val("[]")]).into(),
    }
}

async fn rows(db: &impl ConnectionTrait, environment: &str, among: Among<'_>) -> Result<Vec<Row>, StoreError> {
    let here = Condition::all()
        .add(feature_environment::Column::FeatureId.into_expr().equals((feature::Entity, feature::Column::Id)))
        .add(feature_environment::Column::Environment.eq(environment));
    let query = Query::select()
        .from(feature::Entity)
        .left_join(feature_environment::Entity, here)
        .and_where(feature::Column::ArchivedAt.is_null())
        .and_where(among.among(feature::Column::Id.into_expr()))
        .to_owned();
    packed::fetch(db, query).await
}

/// Rows that belong to features in use.
fn beside_features(table: impl sea_orm::sea_query::IntoTableRef, feature_id: Expr) -> SelectStatement {
    Query::select()
        .from(table)
        .inner_join(feature::Entity, feature_id.equals((feature::Entity, feature::Column::Id)))
        .and_where(feature::Column::ArchivedAt.is_null())
        .to_owned()
}

packed::row! {
    struct StrategyRow {
        feature_id: i64 = feature_strategy::Column::FeatureId,
        sort_order: i64 = feature_strategy::Column::SortOrder,
        created_at: i64 = feature_strategy::Column::CreatedAt,
        id: String = feature_strategy::Column::Id,
        name: String = feature_strategy::Column::Name,
        parameters: String = feature_strategy::Column::Parameters,
        constraints: String = feature_strategy::Column::Constraints,
        variants: String = feature_strategy::Column::Variants,
    }
}

/// The strategies that are not disabled, in their order, by the id of their feature.
async fn strategies(
    db: &impl ConnectionTrait,
    environment: &str,
    among: Among<'_>,
) -> Result<HashMap<i64, Vec<ClientStrategy>>, StoreError> {
    use feature_strategy::Column;
    let mut segments = attached_segments(db, environment, among).await?;
    let mut query = beside_features(feature_strategy::Entity, Column::FeatureId.into_expr());
    query.and_where(Column::Environment.eq(environment)).and_where(Column::Disabled.eq(false));
    query.and_where(among.among(Column::FeatureId.into_expr()));
    let mut rows: Vec<StrategyRow> = packed::fetch(db, query).await?;
    rows.sort_by(|a, b| place(a.sort_order, a.created_at, &a.id).cmp(&place(b.sort_order, b.created_at, &b.id)));
    let mut by_feature: HashMap<i64, Vec<ClientStrategy>> = HashMap::new();
    for row in rows {
        let constraints: Vec<Constraint> = json_column("feature_strategy.constraints", &row.constraints)?;
        let strategy = ClientStrategy {
            name: row.name,
            constraints: constraints.into_iter().map(with_all_fields).collect(),
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
    among: Among<'_>,
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
        .and_where(among.among(feature_strategy::Column::FeatureId.into_expr()))
        .to_owned();
    let mut rows: Vec<Attached> = packed::fetch(db, query).await?;
    rows.sort();
    let mut by_strategy: HashMap<String, Vec<i64>> = HashMap::new();
    for Attached { strategy_id, segment_id } in rows {
        by_strategy.entry(strategy_id).or_default().push(segment_id);
    }
    Ok(by_strategy)
}

/// Dependencies by the id of the child, ordered by the name of the parent.
async fn dependencies(
    db: &impl ConnectionTrait,
    among: Among<'_>,
) -> Result<HashMap<i64, Vec<Dependency>>, StoreError> {
    use feature_dependency::Column;
    let mut query = beside_features(feature_dependency::Entity, Column::ParentId.into_expr());
    query.and_where(among.among(Column::ChildId.into_expr()));
    let mut rows: Vec<ParentRow> = packed::fetch(db, query).await?;
    rows.sort();
    let mut by_child: HashMap<i64, Vec<Dependency>> = HashMap::new();
    for row in rows {
        let variants = Some(row.variants()?).filter(|variants| !variants.is_empty());
        let dependency = Dependency { feature: row.parent, enabled: Some(row.enabled), variants };
        by_child.entry(row.child_id).or_default().push(dependency);
    }
    Ok(by_child)
}

async fn tags(db: &impl ConnectionTrait, among: Among<'_>) -> Result<HashMap<i64, Vec<Tag>>, StoreError> {
    let mut query = beside_features(feature_tag::Entity, feature_tag::Column::FeatureId.into_expr());
    query.and_where(among.among(feature_tag::Column::FeatureId.into_expr()));
    query
        .inner_join(tag::Entity, tag::Column::Id.into_expr().equals((feature_tag::Entity, feature_tag::Column::TagId)));
    Ok(tags::by_feature(packed::fetch::<TagRow>(db, query).await?))
}

packed::row! {
    struct SegmentRow {
        id: i64 = segment::Column::Id,
        constraints: String = segment::Column::Constraints,
    }
}

async fn segments(db: &impl ConnectionTrait) -> Result<BTreeMap<i64, ClientSegment>, StoreError> {
    let query = Query::select().from(segment::Entity).to_owned();
    let rows: Vec<SegmentRow> = packed::fetch(db, query).await?;
    let segments = rows.into_iter().map(|SegmentRow { id, constraints }| {
        let constraints: Vec<Constraint> = json_column("segment.constraints", &constraints)?;
        Ok((id, ClientSegment { id, constraints: constraints.into_iter().map(with_all_fields).collect() }))
    });
    Ok(segments.collect::<Result<_, sea_orm::DbErr>>()?)
}
