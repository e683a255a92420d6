//! Strategies of features in environments.

mod read;
mod surroundings;

pub use self::{
    read::{count, find, list},
    surroundings::{default_stickiness, surroundings},
};

use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter,
    sea_query::{CaseStatement, Expr, ExprTrait},
};
use uuid::Uuid;

use crate::{
    clock,
    domain::{
        constraint::Constraint,
        strategy::{Parameters, StrategyDefinition},
        time::Timestamp,
        variant::StrategyVariant,
    },
    store::{
        StoreError,
        db::Tx,
        entity::{feature_environment, feature_strategy, strategy_segment},
        value::to_json_column,
    },
};

/// A strategy to be added to a feature in an environment.
#[derive(Debug, Clone, Default)]
pub struct NewStrategy {
    /// Name of the strategy type.
    pub name: String,
    /// A descriptive title.
    pub title: Option<String>,
    /// Whether it is left out of evaluation.
    pub disabled: bool,
    /// Position; `None` puts it last.
    pub sort_order: Option<i64>,
    /// Parameters of the strategy type.
    pub parameters: Parameters,
    /// Conditions that must all hold.
    pub constraints: Vec<Constraint>,
    /// Variants that it gives.
    pub variants: Vec<StrategyVariant>,
    /// Ids of segments that must all match.
    pub segments: Vec<i64>,
}

impl From<&StrategyDefinition> for NewStrategy {
    fn from(definition: &StrategyDefinition) -> Self {
        let definition = definition.clone();
        Self {
            name: definition.name,
            title: definition.title,
            disabled: definition.disabled,
            sort_order: Some(definition.sort_order),
            parameters: definition.parameters,
            constraints: definition.constraints,
            variants: definition.variants,
            segments: definition.segments,
        }
    }
}

/// Adds a strategy and gives its id. The feature must be configured in the environment.
pub async fn add(
    tx: &Tx,
    feature_id: i64,
    environment: &str,
    new: &NewStrategy,
    now: Timestamp,
) -> Result<Uuid, StoreError> {
    let id = clock::new_uuid();
    let sort_order = match new.sort_order {
        Some(sort_order) => sort_order,
        None => i64::try_from(in_environment(feature_id, environment).count(tx).await?).unwrap_or(i64::MAX),
    };
    let row = feature_strategy::ActiveModel {
        id: Set(id.to_string()),
        feature_id: Set(feature_id),
        environment: Set(environment.to_owned()),
        name: Set(new.name.clone()),
        title: Set(new.title.clone()),
        disabled: Set(new.disabled),
        sort_order: Set(sort_order),
        parameters: Set(to_json_column(&new.parameters)),
        constraints: Set(to_json_column(&new.constraints)),
        variants: Set(to_json_column(&new.variants)),
        created_at: Set(now),
    };
    feature_strategy::Entity::insert(row).exec_without_returning(tx).await?;
    attach(tx, feature_id, id, &new.segments).await?;
    refresh_summary(tx, feature_id, environment).await?;
    Ok(id)
}

async fn attach(tx: &Tx, feature_id: i64, id: Uuid, segments: &[i64]) -> Result<(), StoreError> {
    if !segments.is_empty() {
        let rows = segments.iter().map(|segment_id| strategy_segment::ActiveModel {
            strategy_id: Set(id.to_string()),
            segment_id: Set(*segment_id),
            feature_id: Set(feature_id),
        });
        strategy_segment::Entity::insert_many(rows).on_conflict_do_nothing().exec_without_returning(tx).await?;
    }
    Ok(())
}

/// Makes a strategy of a feature in an environment what `after` says.
pub async fn replace(
    tx: &Tx,
    feature_id: i64,
    environment: &str,
    id: Uuid,
    after: &StrategyDefinition,
) -> Result<(), StoreError> {
    let row = feature_strategy::ActiveModel {
        name: Set(after.name.clone()),
        title: Set(after.title.clone()),
        disabled: Set(after.disabled),
        sort_order: Set(after.sort_order),
        parameters: Set(to_json_column(&after.parameters)),
        constraints: Set(to_json_column(&after.constraints)),
        variants: Set(to_json_column(&after.variants)),
        ..Default::default()
    };
    feature_strategy::Entity::update_many()
        .set(row)
        .filter(feature_strategy::Column::Id.eq(id.to_string()))
        .exec(tx)
        .await?;
    strategy_segment::Entity::delete_many()
        .filter(strategy_segment::Column::StrategyId.eq(id.to_string()))
        .exec(tx)
        .await?;
    attach(tx, feature_id, id, &after.segments).await?;
    refresh_summary(tx, feature_id, environment).await
}

/// Removes one strategy of a feature in an environment.
pub async fn remove(tx: &Tx, feature_id: i64, environment: &str, id: Uuid) -> Result<(), StoreError> {
    feature_strategy::Entity::delete_by_id(id.to_string()).exec(tx).await?;
    refresh_summary(tx, feature_id, environment).await
}

/// Whether any strategy of a feature in an environment is not disabled.
pub async fn has_enabled(tx: &Tx, feature_id: i64, environment: &str) -> Result<bool, StoreError> {
    let enabled = in_environment(feature_id, environment).filter(feature_strategy::Column::Disabled.eq(false));
    Ok(enabled.count(tx).await? > 0)
}

/// Gives strategies of a feature in an environment their positions.
pub async fn set_positions(
    tx: &Tx,
    feature_id: i64,
    environment: &str,
    positions: &[(Uuid, i64)],
) -> Result<(), StoreError> {
    if positions.is_empty() {
        return Ok(());
    }
    let position = positions.iter().fold(CaseStatement::new(), |cases, (id, position)| {
        cases.case(feature_strategy::Column::Id.eq(id.to_string()), Expr::value(*position))
    });
    feature_strategy::Entity::update_many()
        .col_expr(feature_strategy::Column::SortOrder, position.into())
        .filter(feature_strategy::Column::FeatureId.eq(feature_id))
        .filter(feature_strategy::Column::Environment.eq(environment))
        .filter(feature_strategy::Column::Id.is_in(positions.iter().map(|(id, _)| id.to_string())))
        .exec(tx)
        .await?;
    Ok(())
}

/// Removes every strategy of a feature in an environment.
pub async fn remove_all(tx: &Tx, feature_id: i64, environment: &str) -> Result<(), StoreError> {
    feature_strategy::Entity::delete_many()
        .filter(feature_strategy::Column::FeatureId.eq(feature_id))
        .filter(feature_strategy::Column::Environment.eq(environment))
        .exec(tx)
        .await?;
    refresh_summary(tx, feature_id, environment).await
}

/// Derives whether there are strategies, and enabled ones, once more.
pub(super) async fn refresh_summary(tx: &Tx, feature_id: i64, environment: &str) -> Result<(), StoreError> {
    let all = in_environment(feature_id, environment).count(tx).await?;
    let enabled =
        in_environment(feature_id, environment).filter(feature_strategy::Column::Disabled.eq(false)).count(tx).await?;
    feature_environment::Entity::update_many()
        .col_expr(feature_environment::Column::HasStrategies, Expr::value(all > 0))
        .col_expr(feature_environment::Column::HasEnabledStrategies, Expr::value(enabled > 0))
        .filter(feature_environment::Column::FeatureId.eq(feature_id))
        .filter(feature_environment::Column::Environment.eq(environment))
        .exec(tx)
        .await?;
    Ok(())
}

fn in_environment(feature_id: i64, environment: &str) -> sea_orm::Select<feature_strategy::Entity> {
    feature_strategy::Entity::find().filter(
        feature_strategy::Column::FeatureId.eq(feature_id).and(feature_strategy::Column::Environment.eq(environment)),
    )
}
