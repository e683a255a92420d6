//! Tag types.

use flagstone_domain::tag::{Tag, TagType};
use flagstone_wire::Nullable;
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect,
    TryInsertResult, sea_query::LockType,
};

use crate::{StoreError, db::Tx, entity::tag_type};

impl From<tag_type::Model> for TagType {
    fn from(row: tag_type::Model) -> Self {
        Self { name: row.name, description: Some(row.description), icon: Some(Nullable(row.icon)) }
    }
}

/// Every type, by name.
pub async fn list(db: &impl ConnectionTrait) -> Result<Vec<TagType>, StoreError> {
    let rows = tag_type::Entity::find().order_by_asc(tag_type::Column::Name).all(db).await?;
    Ok(rows.into_iter().map(TagType::from).collect())
}

/// The type of this name.
pub async fn find(db: &impl ConnectionTrait, name: &str) -> Result<Option<TagType>, StoreError> {
    Ok(tag_type::Entity::find_by_id(name).one(db).await?.map(TagType::from))
}

/// Returns the tag type with this name, locked until the transaction ends.
pub async fn hold(tx: &Tx, name: &str) -> Result<Option<TagType>, StoreError> {
    Ok(tag_type::Entity::find_by_id(name).lock(LockType::Update).one(tx).await?.map(TagType::from))
}

/// Whether a type of this name exists.
pub async fn exists(db: &impl ConnectionTrait, name: &str) -> Result<bool, StoreError> {
    Ok(tag_type::Entity::find_by_id(name).count(db).await? > 0)
}

/// The first of these tags whose type does not exist. The types of the others stay until the transaction ends.
pub async fn first_without_type(tx: &Tx, tags: &[Tag]) -> Result<Option<usize>, StoreError> {
    if tags.is_empty() {
        return Ok(None);
    }
    let known = tag_type::Entity::find()
        .filter(tag_type::Column::Name.is_in(tags.iter().map(|tag| &*tag.kind)))
        .lock(LockType::Share)
        .all(tx)
        .await?;
    Ok(tags.iter().position(|tag| !known.iter().any(|row| row.name == tag.kind)))
}

/// Makes a type. Returns whether the name was free.
pub async fn insert(tx: &Tx, new: &TagType) -> Result<bool, StoreError> {
    let row = tag_type::ActiveModel { name: Set(new.name.clone()), ..settings(new) };
    let inserted = tag_type::Entity::insert(row).on_conflict_do_nothing().exec_without_returning(tx).await?;
    Ok(matches!(inserted, TryInsertResult::Inserted(1)))
}

/// Updates a type to `after`.
pub async fn save(tx: &Tx, after: &TagType) -> Result<(), StoreError> {
    let row = settings(after);
    tag_type::Entity::update_many().set(row).filter(tag_type::Column::Name.eq(&after.name)).exec(tx).await?;
    Ok(())
}

/// Removes a type whose tags nothing carries any more, with those tags.
pub async fn delete(tx: &Tx, name: &str) -> Result<(), StoreError> {
    tag_type::Entity::delete_by_id(name).exec(tx).await?;
    Ok(())
}

fn settings(kind: &TagType) -> tag_type::ActiveModel {
    tag_type::ActiveModel {
        description: Set(kind.description.clone().unwrap_or_default()),
        icon: Set(kind.icon.clone().and_then(Nullable::into_inner)),
        ..Default::default()
    }
}
