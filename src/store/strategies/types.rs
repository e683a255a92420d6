//! Strategy types.

use flagstone_domain::strategy_type::{StrategyType, StrategyTypeDefinition};
use flagstone_wire::Nullable;
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
    sea_query::{Expr, LockType},
};

use crate::{
    StoreError,
    db::{
        Tx,
        value::{json_column, to_json_column},
    },
    entity::strategy_type,
};

/// Every strategy type, those that come with the server first, then by name.
pub async fn list(db: &impl ConnectionTrait) -> Result<Vec<StrategyType>, StoreError> {
    let rows = strategy_type::Entity::find()
        .order_by_asc(strategy_type::Column::SortOrder)
        .order_by_asc(strategy_type::Column::Name)
        .all(db)
        .await?;
    rows.into_iter().map(shown).collect()
}

/// The strategy type of this name.
pub async fn find(db: &impl ConnectionTrait, name: &str) -> Result<Option<StrategyType>, StoreError> {
    strategy_type::Entity::find_by_id(name).one(db).await?.map(shown).transpose()
}

/// The strategy type of this name, held until the transaction ends.
pub async fn hold(tx: &Tx, name: &str) -> Result<Option<StrategyType>, StoreError> {
    strategy_type::Entity::find_by_id(name).lock(LockType::Update).one(tx).await?.map(shown).transpose()
}

/// Makes a strategy type that comes after all others. The name must be free.
pub async fn insert(tx: &Tx, name: &str, new: &StrategyTypeDefinition) -> Result<(), StoreError> {
    let last: Option<i64> = strategy_type::Entity::find()
        .select_only()
        .column_as(strategy_type::Column::SortOrder.max(), "last")
        .filter(strategy_type::Column::BuiltIn.eq(true))
        .into_tuple::<Option<i64>>()
        .one(tx)
        .await?
        .flatten();
    let row = strategy_type::ActiveModel {
        name: Set(name.to_owned()),
        title: Set(new.title.clone()),
        description: Set(new.description.clone()),
        parameters: Set(to_json_column(&new.parameters)),
        built_in: Set(false),
        deprecated: Set(false),
        // All custom ones share a position, so that they come by name.
        sort_order: Set(last.unwrap_or_default() + 1),
    };
    strategy_type::Entity::insert(row).exec_without_returning(tx).await?;
    Ok(())
}

/// Updates a strategy type to `after`.
pub async fn replace(tx: &Tx, name: &str, after: &StrategyTypeDefinition) -> Result<(), StoreError> {
    let row = strategy_type::ActiveModel {
        title: Set(after.title.clone()),
        description: Set(after.description.clone()),
        parameters: Set(to_json_column(&after.parameters)),
        ..Default::default()
    };
    strategy_type::Entity::update_many().set(row).filter(strategy_type::Column::Name.eq(name)).exec(tx).await?;
    Ok(())
}

/// Marks a strategy type as one that should not be chosen any more, or takes the mark away.
pub async fn set_deprecated(tx: &Tx, name: &str, deprecated: bool) -> Result<(), StoreError> {
    strategy_type::Entity::update_many()
        .col_expr(strategy_type::Column::Deprecated, Expr::value(deprecated))
        .filter(strategy_type::Column::Name.eq(name))
        .exec(tx)
        .await?;
    Ok(())
}

/// Removes a strategy type, of which no strategy is left.
pub async fn remove(tx: &Tx, name: &str) -> Result<(), StoreError> {
    strategy_type::Entity::delete_by_id(name).exec(tx).await?;
    Ok(())
}

fn shown(row: strategy_type::Model) -> Result<StrategyType, StoreError> {
    Ok(StrategyType {
        parameters: json_column("strategy_type.parameters", &row.parameters)?,
        name: row.name,
        title: Nullable(row.title.clone()),
        display_name: Nullable(row.title),
        description: row.description,
        editable: !row.built_in,
        deprecated: row.deprecated,
    })
}
