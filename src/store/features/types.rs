//! Feature types.

use flagstone_domain::feature_type::FeatureType;
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
    sea_query::{Expr, LockType},
};

use crate::{StoreError, db::Tx, entity::feature_type};

impl From<feature_type::Model> for FeatureType {
    fn from(row: feature_type::Model) -> Self {
        let lifetime_days = row.lifetime_days.filter(|days| *days > 0).into();
        Self { id: row.id, name: row.name, description: row.description, lifetime_days }
    }
}

/// Every type, by id.
pub async fn list(db: &impl ConnectionTrait) -> Result<Vec<FeatureType>, StoreError> {
    let rows = feature_type::Entity::find().order_by_asc(feature_type::Column::Id).all(db).await?;
    Ok(rows.into_iter().map(FeatureType::from).collect())
}

/// The type with this id, held until the transaction ends.
pub async fn hold(tx: &Tx, id: &str) -> Result<Option<FeatureType>, StoreError> {
    let row = feature_type::Entity::find_by_id(id).lock(LockType::Update).one(tx).await?;
    Ok(row.map(FeatureType::from))
}

/// Stores a new type.
pub async fn insert(tx: &Tx, new: &FeatureType) -> Result<(), StoreError> {
    let row = feature_type::ActiveModel {
        id: Set(new.id.clone()),
        name: Set(new.name.clone()),
        description: Set(new.description.clone()),
        lifetime_days: Set(new.lifetime_days.0),
    };
    feature_type::Entity::insert(row).exec_without_returning(tx).await?;
    Ok(())
}

/// Sets the days after which features of a type count as potentially stale; `None` for never.
pub async fn set_lifetime(tx: &Tx, id: &str, days: Option<i64>) -> Result<(), StoreError> {
    feature_type::Entity::update_many()
        .col_expr(feature_type::Column::LifetimeDays, Expr::value(days))
        .filter(feature_type::Column::Id.eq(id))
        .exec(tx)
        .await?;
    Ok(())
}
