//! Links of features.

use flagstone_domain::feature_link::FeatureLink;
use sea_orm::{ActiveValue::Set, ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QuerySelect};

use crate::{
    StoreError,
    db::{
        Tx,
        value::{list_column, to_list_column},
    },
    entity::feature,
};

/// The links of a feature, in the order in which they were added.
pub async fn find(db: &impl ConnectionTrait, feature_id: i64) -> Result<Vec<FeatureLink>, StoreError> {
    let column: Option<Option<String>> = feature::Entity::find_by_id(feature_id)
        .select_only()
        .column(feature::Column::Links)
        .into_tuple()
        .one(db)
        .await?;
    Ok(read(column.flatten().as_deref())?)
}

/// Gives a feature these links in place of those that it has.
pub async fn save(tx: &Tx, feature_id: i64, links: &[FeatureLink]) -> Result<(), StoreError> {
    let row = feature::ActiveModel { links: Set(to_list_column(links)), ..Default::default() };
    feature::Entity::update_many().set(row).filter(feature::Column::Id.eq(feature_id)).exec(tx).await?;
    Ok(())
}

/// Reads the column.
pub(crate) fn read(column: Option<&str>) -> Result<Vec<FeatureLink>, DbErr> {
    list_column("feature.links", column)
}
