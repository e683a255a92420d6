//! Stored things that a strategy refers to.

use flagstone_domain::strategy::{StrategyDefinition, Surroundings};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, sea_query::LockType};

use crate::{
    StoreError,
    context_fields::{self, Which},
    db::Tx,
    entity::{project, segment, strategy_type},
};

/// Reads the stored things that a strategy of a project refers to, none of which can go before the transaction ends.
pub async fn surroundings(tx: &Tx, strategy: &StrategyDefinition, project: &str) -> Result<Surroundings, StoreError> {
    let kind = strategy_type::Entity::find_by_id(&strategy.name).lock(LockType::Share).one(tx).await?;
    let usable = Which::UsableIn(project);
    let legal_values = context_fields::hold_legal_values(tx, usable, strategy.context_fields()).await?;
    let mut around = Surroundings { has_type: kind.is_some(), legal_values, ..Surroundings::default() };
    if !strategy.segments.is_empty() {
        let rows = segment::Entity::find()
            .filter(segment::Column::Id.is_in(strategy.segments.iter().copied()))
            // Several are locked in one order, so that no transactions wait in a circle.
            .order_by_asc(segment::Column::Id)
            .lock(LockType::Share)
            .all(tx)
            .await?;
        around.segments = rows.into_iter().map(|row| (row.id, row.project)).collect();
    }
    Ok(around)
}

/// Stickiness of the rollouts of a project that name none.
pub async fn default_stickiness(db: &impl ConnectionTrait, project: &str) -> Result<String, StoreError> {
    let row = project::Entity::find_by_id(project).one(db).await?;
    Ok(row.map_or_else(|| "default".to_owned(), |row| row.default_stickiness))
}
