//! Switching features on and off, many at once, and what they need before.

use std::collections::{BTreeMap, HashMap};

use flagstone_domain::{
    project::VisibleProject,
    strategy::{DefaultStrategy, FeatureStrategy, StrategyDefinition},
    tag::Tag,
    time::Timestamp,
};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseBackend, EntityTrait, JoinType, QueryFilter, QuerySelect,
    sea_query::{Expr, ExprTrait, Query, SelectStatement},
};

use crate::{
    StoreError,
    db::{Tx, batches::ASKED_AT_ONCE, packed, value::json_column},
    entity::{feature_environment, feature_strategy, project, project_environment, strategy_segment},
    features::{read_strategies, strategy_queries},
    strategies::{refresh, row, segment_rows},
    tags,
};

/// The switch of a feature in an environment, and its strategies there.
#[derive(Debug, Clone, PartialEq)]
pub struct Switch {
    /// Whether the feature is on.
    pub is_enabled: bool,
    /// Its strategies, in their order.
    pub strategies: Vec<FeatureStrategy>,
    /// The feature's tags, by type, then value.
    pub tags: Vec<Tag>,
}

/// Defaults of a project for the strategies of its features in an environment.
#[derive(Debug, Clone, PartialEq)]
pub struct Defaults {
    /// The first strategy of a feature, if the project has one for it.
    pub strategy: Option<DefaultStrategy>,
    /// Stickiness of rollouts that name none.
    pub stickiness: String,
}

/// A strategy with its id, and where it belongs.
#[derive(Debug, Clone, Copy)]
pub struct Placed<'a> {
    /// Internal id of the feature.
    pub feature_id: i64,
    /// Name of the environment.
    pub environment: &'a str,
    /// The strategy.
    pub strategy: &'a FeatureStrategy,
}

/// Returns the defaults of a project in an environment; `None` when it does not use the environment.
pub async fn defaults(
    db: &impl ConnectionTrait,
    project: &VisibleProject,
    environment: &str,
) -> Result<Option<Defaults>, StoreError> {
    let key = (project.id().to_owned(), environment.to_owned());
    let of_project = project_environment::Entity::belongs_to(project::Entity)
        .from(project_environment::Column::Project)
        .to(project::Column::Id)
        .into();
    let row: Option<(Option<String>, String)> = project_environment::Entity::find_by_id(key)
        .select_only()
        .column(project_environment::Column::DefaultStrategy)
        .column(project::Column::DefaultStickiness)
        .join(JoinType::InnerJoin, of_project)
        .into_tuple()
        .one(db)
        .await?;
    let Some((strategy, stickiness)) = row else { return Ok(None) };
    let strategy = strategy.as_deref();
    let strategy = strategy.map(|text| json_column("project_environment.default_strategy", text)).transpose()?;
    Ok(Some(Defaults { strategy, stickiness }))
}

/// The switches of features in an environment. Features that are not used there are absent.
pub async fn switches_of(
    db: &impl ConnectionTrait,
    feature_ids: &[i64],
    environment: &str,
) -> Result<HashMap<i64, Switch>, StoreError> {
    let backend = db.get_database_backend();
    let mut found = HashMap::new();
    for batch in feature_ids.chunks(ASKED_AT_ONCE) {
        let is_one = |id: Expr| id.is_in(batch.iter().copied());
        let [strategies, segments] = strategy_queries(backend, is_one, Some(environment));
        let queries = [switch_query(backend, batch, environment), tags::query(backend, batch), strategies, segments];
        let mut answers = packed::all(db, queries).await?;
        let switches: Vec<SwitchRow> = answers.next()?;
        let mut tags = tags::by_feature(answers.next()?);
        let mut strategies = read_strategies(&mut answers, None)?;
        found.extend(switches.into_iter().map(|SwitchRow { feature_id, is_enabled }| {
            let strategies = strategies.remove(&(feature_id, environment.to_owned())).unwrap_or_default();
            let tags = tags.remove(&feature_id).unwrap_or_default();
            (feature_id, Switch { is_enabled, strategies, tags })
        }));
    }
    Ok(found)
}

packed::row! {
    struct SwitchRow {
        feature_id: i64 = feature_environment::Column::FeatureId,
        is_enabled: bool = feature_environment::Column::Enabled,
    }
}

fn switch_query(backend: DatabaseBackend, feature_ids: &[i64], environment: &str) -> SelectStatement {
    use feature_environment::{Column, Entity};
    Query::select()
        .from(Entity)
        .and_where(Column::FeatureId.is_in(feature_ids.iter().copied()))
        .and_where(Column::Environment.eq(environment))
        .expr(packed::rows::<SwitchRow>(backend))
        .to_owned()
}

/// Switches features in an environment.
pub async fn set_enabled_all(tx: &Tx, feature_ids: &[i64], environment: &str, enabled: bool) -> Result<(), StoreError> {
    for batch in feature_ids.chunks(ASKED_AT_ONCE) {
        feature_environment::Entity::update_many()
            .col_expr(feature_environment::Column::Enabled, Expr::value(enabled))
            .filter(feature_environment::Column::FeatureId.is_in(batch.iter().copied()))
            .filter(feature_environment::Column::Environment.eq(environment))
            .exec(tx)
            .await?;
    }
    Ok(())
}

/// Lets the disabled strategies of features in an environment take effect. Each feature has one.
pub async fn activate_strategies(tx: &Tx, feature_ids: &[i64], environment: &str) -> Result<(), StoreError> {
    for batch in feature_ids.chunks(ASKED_AT_ONCE) {
        feature_strategy::Entity::update_many()
            .col_expr(feature_strategy::Column::Disabled, Expr::value(false))
            .filter(feature_strategy::Column::FeatureId.is_in(batch.iter().copied()))
            .filter(feature_strategy::Column::Environment.eq(environment))
            .exec(tx)
            .await?;
        refresh(tx, batch, environment).await?;
    }
    Ok(())
}

/// Adds strategies, which have their ids and positions, each to a feature that is used in the environment.
pub async fn add_strategies(tx: &Tx, placed: &[Placed<'_>], now: Timestamp) -> Result<(), StoreError> {
    for batch in placed.chunks(ASKED_AT_ONCE) {
        let (mut rows, mut segments) = (Vec::new(), Vec::new());
        for Placed { feature_id, environment, strategy } in batch {
            let (id, definition) = (strategy.id.unwrap_or_default().0, StrategyDefinition::from((*strategy).clone()));
            rows.push(row(id, (*feature_id, environment), &definition, now));
            segments.extend(segment_rows(id, *feature_id, &definition.segments));
        }
        feature_strategy::Entity::insert_many(rows).exec_without_returning(tx).await?;
        if !segments.is_empty() {
            strategy_segment::Entity::insert_many(segments).on_conflict_do_nothing().exec_without_returning(tx).await?;
        }
    }
    // What is derived from them, for all features of one environment together.
    let mut gaining: BTreeMap<&str, Vec<i64>> = BTreeMap::new();
    for placed in placed {
        gaining.entry(placed.environment).or_default().push(placed.feature_id);
    }
    for (environment, feature_ids) in gaining {
        for batch in feature_ids.chunks(ASKED_AT_ONCE) {
            refresh(tx, batch, environment).await?;
        }
    }
    Ok(())
}
