//! Tags, and the features that carry them.

mod carried;
mod carriers;
mod known;
pub mod types;

use flagstone_domain::tag::Tag;
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, JoinType, QueryFilter, QueryOrder, QuerySelect,
    sea_query::{LockType, OnConflict},
};

pub(crate) use self::carried::{TagRow, by_feature, query};
pub use self::{
    carried::of_features,
    carriers::{Carrier, change, hold_carriers, hold_features},
    known::{delete, find, is_carried_unseen, list, make, note},
};

use crate::{
    StoreError,
    db::Tx,
    entity::{feature, feature_tag, tag},
};

/// The tags of a feature, by type, then value.
pub async fn of_feature(db: &impl ConnectionTrait, feature_id: i64) -> Result<Vec<Tag>, StoreError> {
    let rows: Vec<(String, String)> = tag::Entity::find()
        .select_only()
        .column(tag::Column::Type)
        .column(tag::Column::Value)
        .join(
            JoinType::InnerJoin,
            tag::Entity::belongs_to(feature_tag::Entity).from(tag::Column::Id).to(feature_tag::Column::TagId).into(),
        )
        .filter(feature_tag::Column::FeatureId.eq(feature_id))
        .order_by_asc(tag::Column::Type)
        .order_by_asc(tag::Column::Value)
        .into_tuple()
        .all(db)
        .await?;
    Ok(rows.into_iter().map(|(kind, value)| Tag { value, kind }).collect())
}

/// Project and tags of the feature with this name.
pub async fn of_named(db: &impl ConnectionTrait, name: &str) -> Result<Option<(String, Vec<Tag>)>, StoreError> {
    let Some(row) = feature::Entity::find().filter(feature::Column::Name.eq(name)).one(db).await? else {
        return Ok(None);
    };
    let tags = of_feature(db, row.id).await?;
    Ok(Some((row.project, tags)))
}

/// The id of a tag, which is made if need be and stays until the transaction ends, and whether it is new.
async fn find_or_insert(tx: &Tx, new: &Tag) -> Result<(i64, bool), StoreError> {
    let known = tag::Entity::find()
        .filter(tag::Column::Type.eq(&new.kind))
        .filter(tag::Column::Value.eq(&new.value))
        .lock(LockType::KeyShare);
    if let Some(row) = known.clone().one(tx).await? {
        return Ok((row.id, false));
    }
    let is_new = insert(tx, new).await?;
    let row = known.one(tx).await?.ok_or_else(|| DbErr::RecordNotFound("a tag that was just made".to_owned()))?;
    Ok((row.id, is_new))
}

/// Makes a tag, whose type must exist. Returns whether there was none such.
async fn insert(tx: &Tx, new: &Tag) -> Result<bool, StoreError> {
    let row = tag::ActiveModel { r#type: Set(new.kind.clone()), value: Set(new.value.clone()), ..Default::default() };
    let taken = OnConflict::columns([tag::Column::Type, tag::Column::Value]).do_nothing().to_owned();
    Ok(tag::Entity::insert(row).on_conflict(taken).exec_without_returning(tx).await? > 0)
}
