//! Features with everything that decides for whom they are on.

use std::collections::HashMap;

use flagstone_domain::{
    evaluation::{ConfiguredFeature, KnownSegment},
    feature::Dependency,
    strategy::FeatureStrategy,
    visibility::Visibility,
};
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect, QueryTrait,
    sea_query::{Expr, ExprTrait, Query, SelectStatement},
};

use crate::{
    StoreError,
    db::{listed, value::json_column},
    entity::{feature, feature_dependency, feature_environment, feature_strategy, segment, strategy_segment},
    segments,
    strategies::{Attached, in_order},
    visibility::not_hidden,
};

/// Selection of the features to evaluate.
#[derive(Debug, Clone, Copy)]
pub struct Selection<'a> {
    /// Ids of the projects; `None` for all.
    pub projects: Option<&'a [String]>,
    /// Visibility of their projects.
    pub visibility: &'a Visibility,
}

impl Selection<'_> {
    fn features(self) -> sea_orm::Select<feature::Entity> {
        let mut select = feature::Entity::find()
            .filter(feature::Column::ArchivedAt.is_null())
            .filter(not_hidden(feature::Column::Project.into_expr(), self.visibility));
        if let Some(projects) = self.projects {
            select = select.filter(feature::Column::Project.is_in(projects.iter().map(String::as_str)));
        }
        select
    }

    fn ids(self) -> SelectStatement {
        self.features().select_only().column(feature::Column::Id).into_query()
    }
}

/// Number of selected features.
pub async fn count(db: &impl ConnectionTrait, selection: Selection<'_>) -> Result<u64, StoreError> {
    Ok(selection.features().count(db).await?)
}

/// Features and segments to evaluate.
#[derive(Debug)]
pub struct Loaded {
    /// Features by environment, each list in the order of the names.
    pub environments: Vec<(String, Vec<ConfiguredFeature>)>,
    /// All segments.
    pub segments: Vec<KnownSegment>,
}

/// Reads the selected features in environments, with all segments.
pub async fn load(db: &impl ConnectionTrait, selection: Selection<'_>, names: &[String]) -> Result<Loaded, StoreError> {
    let mut environments = Vec::with_capacity(names.len());
    for name in names {
        environments.push((name.clone(), features(db, selection, name).await?));
    }
    Ok(Loaded { environments, segments: segments(db).await? })
}

/// The selected features whose project uses the environment, as they are configured there, by name.
pub async fn features(
    db: &impl ConnectionTrait,
    selection: Selection<'_>,
    environment: &str,
) -> Result<Vec<ConfiguredFeature>, StoreError> {
    configured(db, selection.features(), &selection.ids(), environment).await
}

/// The features with these names whose project uses the environment, as they are configured there, by name. Archived
/// ones are left out.
pub async fn named(
    db: &impl ConnectionTrait,
    names: &[String],
    environment: &str,
) -> Result<Vec<ConfiguredFeature>, StoreError> {
    let among = listed::texts(db.get_database_backend(), names.iter().map(String::as_str));
    let features = feature::Entity::find()
        .filter(feature::Column::ArchivedAt.is_null())
        .filter(feature::Column::Name.in_subquery(among));
    let ids = features.clone().select_only().column(feature::Column::Id).into_query();
    configured(db, features, &ids, environment).await
}

async fn configured(
    db: &impl ConnectionTrait,
    features: sea_orm::Select<feature::Entity>,
    ids: &SelectStatement,
    environment: &str,
) -> Result<Vec<ConfiguredFeature>, StoreError> {
    let rows = features.order_by_asc(feature::Column::Name).all(db).await?;
    let switches = feature_environment::Entity::find()
        .filter(feature_environment::Column::Environment.eq(environment))
        .filter(feature_environment::Column::FeatureId.in_subquery(ids.clone()))
        .all(db)
        .await?;
    let mut switches: HashMap<i64, feature_environment::Model> =
        switches.into_iter().map(|row| (row.feature_id, row)).collect();
    let mut strategies = strategies(db, ids, environment).await?;
    let mut dependencies = dependencies(db, ids).await?;
    let mut features = Vec::with_capacity(rows.len());
    for row in rows {
        let Some(switch) = switches.remove(&row.id) else { continue };
        features.push(ConfiguredFeature {
            name: row.name,
            project: row.project,
            enabled: switch.enabled,
            strategies: strategies.remove(&row.id).unwrap_or_default(),
            variants: json_column("feature_environment.variants", &switch.variants)?,
            dependencies: dependencies.remove(&row.id).unwrap_or_default(),
        });
    }
    Ok(features)
}

async fn strategies(
    db: &impl ConnectionTrait,
    ids: &SelectStatement,
    environment: &str,
) -> Result<HashMap<i64, Vec<FeatureStrategy>>, StoreError> {
    let rows = feature_strategy::Entity::find()
        .filter(feature_strategy::Column::Environment.eq(environment))
        .filter(feature_strategy::Column::FeatureId.in_subquery(ids.clone()))
        .all(db)
        .await?;
    let attached = strategy_segment::Entity::find()
        .filter(strategy_segment::Column::FeatureId.in_subquery(ids.clone()))
        .all(db)
        .await?;
    let attached = attached.into_iter().map(Attached::from).collect();
    let mut found: HashMap<i64, Vec<FeatureStrategy>> = HashMap::new();
    for ((feature_id, _), strategy) in in_order(rows, attached, None)? {
        found.entry(feature_id).or_default().push(strategy);
    }
    Ok(found)
}

async fn dependencies(
    db: &impl ConnectionTrait,
    ids: &SelectStatement,
) -> Result<HashMap<i64, Vec<Dependency>>, StoreError> {
    let of = |column: feature_dependency::Column| (feature_dependency::Entity, column);
    let query = Query::select()
        .column(of(feature_dependency::Column::ChildId))
        .column((feature::Entity, feature::Column::Name))
        .column(of(feature_dependency::Column::Enabled))
        .column(of(feature_dependency::Column::Variants))
        .from(feature_dependency::Entity)
        .inner_join(
            feature::Entity,
            Expr::col((feature::Entity, feature::Column::Id)).equals(of(feature_dependency::Column::ParentId)),
        )
        .and_where(Expr::col(of(feature_dependency::Column::ChildId)).in_subquery(ids.clone()))
        .order_by((feature::Entity, feature::Column::Name), sea_orm::Order::Asc)
        .to_owned();
    let mut dependencies: HashMap<i64, Vec<Dependency>> = HashMap::new();
    for row in db.query_all(&query).await? {
        let variants: String = row.try_get_by_index(3)?;
        dependencies.entry(row.try_get_by_index(0)?).or_default().push(Dependency {
            feature: row.try_get_by_index(1)?,
            enabled: Some(row.try_get_by_index(2)?),
            variants: Some(json_column("feature_dependency.variants", &variants)?),
        });
    }
    Ok(dependencies)
}

/// All segments, by id.
pub async fn segments(db: &impl ConnectionTrait) -> Result<Vec<KnownSegment>, StoreError> {
    segments::known_of(segment::Entity::find().order_by_asc(segment::Column::Id).all(db).await?)
}
