//! Switching features on and off, many at once, and what they need before.

use std::collections::{BTreeMap, HashMap};

use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, ConnectionTrait, DatabaseBackend, EntityTrait, JoinType, QueryFilter, QuerySelect,
    sea_query::{Expr, ExprTrait, Query, SelectStatement},
};

use crate::{
    domain::{
        project::ProjectScope,
        strategy::{DefaultStrategy, FeatureStrategy, Parameters},
        switching::is_disabled,
        tag::Tag,
        time::Timestamp,
    },
    store::{
        StoreError,
        db::Tx,
        entity::{feature_environment, feature_strategy, project, project_environment, strategy_segment},
        features::{read_strategies, strategy_queries},
        packed, tags,
        value::{json_column, to_json_column},
    },
    wire::{Nullable, Number},
};

/// Ids that one statement asks for; bounds the number of its parameters.
const ASKED_AT_ONCE: usize = 500;

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

/// What a project says of the strategies that its features get in an environment.
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

/// What a project says of strategies in an environment; `None` when it does not use the environment.
pub async fn defaults(
    db: &impl ConnectionTrait,
    project: &ProjectScope,
    environment: &str,
) -> Result<Option<Defaults>, StoreError> {
    if environment.contains('\0') {
        return Ok(None);
    }
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
        let switches: Vec<(i64, i64)> = answers.next()?;
        let mut tags = tags::by_feature(answers.next()?);
        let mut strategies = read_strategies(&mut answers, None)?;
        found.extend(switches.into_iter().map(|(id, is_enabled)| {
            let strategies = strategies.remove(&(id, environment.to_owned())).unwrap_or_default();
            let tags = tags.remove(&id).unwrap_or_default();
            (id, Switch { is_enabled: is_enabled != 0, strategies, tags })
        }));
    }
    Ok(found)
}

fn switch_query(backend: DatabaseBackend, feature_ids: &[i64], environment: &str) -> SelectStatement {
    use feature_environment::{Column, Entity};
    Query::select()
        .from(Entity)
        .and_where(Column::FeatureId.is_in(feature_ids.iter().copied()))
        .and_where(Column::Environment.eq(environment))
        .expr(packed::rows(backend, [Column::FeatureId.into_expr(), packed::number(Column::Enabled.into_expr())]))
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
        note_strategies(tx, batch, environment, true).await?;
    }
    Ok(())
}

/// Adds strategies, which have their ids and positions, each to a feature that is used in the environment.
pub async fn add_strategies(tx: &Tx, placed: &[Placed<'_>], now: Timestamp) -> Result<(), StoreError> {
    for batch in placed.chunks(ASKED_AT_ONCE) {
        let rows = batch.iter().map(|placed| row(*placed, now));
        feature_strategy::Entity::insert_many(rows).exec_without_returning(tx).await?;
        let segments: Vec<_> = batch.iter().flat_map(|placed| segment_rows(*placed)).collect();
        if !segments.is_empty() {
            strategy_segment::Entity::insert_many(segments).on_conflict_do_nothing().exec_without_returning(tx).await?;
        }
    }
    // What is derived from them, for all features of one environment together.
    let mut gaining: BTreeMap<(&str, bool), Vec<i64>> = BTreeMap::new();
    for placed in placed {
        let place = (placed.environment, !is_disabled(placed.strategy));
        gaining.entry(place).or_default().push(placed.feature_id);
    }
    for ((environment, takes_effect), feature_ids) in gaining {
        for batch in feature_ids.chunks(ASKED_AT_ONCE) {
            note_strategies(tx, batch, environment, takes_effect).await?;
        }
    }
    Ok(())
}

/// Notes that features have strategies in an environment, and perhaps enabled ones.
async fn note_strategies(tx: &Tx, feature_ids: &[i64], environment: &str, enabled: bool) -> Result<(), StoreError> {
    let mut update = feature_environment::Entity::update_many()
        .col_expr(feature_environment::Column::HasStrategies, Expr::value(true))
        .filter(feature_environment::Column::FeatureId.is_in(feature_ids.iter().copied()))
        .filter(feature_environment::Column::Environment.eq(environment));
    if enabled {
        update = update.col_expr(feature_environment::Column::HasEnabledStrategies, Expr::value(true));
    }
    update.exec(tx).await?;
    Ok(())
}

fn row(Placed { feature_id, environment, strategy }: Placed<'_>, now: Timestamp) -> feature_strategy::ActiveModel {
    feature_strategy::ActiveModel {
        id: Set(strategy.id.unwrap_or_default().to_string()),
        feature_id: Set(feature_id),
        environment: Set(environment.to_owned()),
        name: Set(strategy.name.clone()),
        title: Set(strategy.title.clone().and_then(Nullable::into_inner)),
        disabled: Set(is_disabled(strategy)),
        sort_order: Set(strategy.sort_order.and_then(Number::whole).unwrap_or_default()),
        parameters: Set(to_json_column(strategy.parameters.as_ref().unwrap_or(&Parameters::new()))),
        constraints: Set(to_json_column(&strategy.constraints.as_deref().unwrap_or_default())),
        variants: Set(to_json_column(&strategy.variants.as_deref().unwrap_or_default())),
        created_at: Set(now),
    }
}

fn segment_rows(placed: Placed<'_>) -> impl Iterator<Item = strategy_segment::ActiveModel> {
    let id = placed.strategy.id.unwrap_or_default().to_string();
    let segments = placed.strategy.segments.iter().flatten().filter_map(|segment| segment.whole());
    segments.map(move |segment_id| strategy_segment::ActiveModel {
        strategy_id: Set(id.clone()),
        segment_id: Set(segment_id),
        feature_id: Set(placed.feature_id),
    })
}
