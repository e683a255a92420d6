//! Banners, by their numbers.

use flagstone_domain::{
    banner::{Banner, Content, Variant},
    time::Timestamp,
};
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter,
    QueryOrder, QuerySelect,
};

use crate::{StoreError, db::Tx, entity::banner};

/// Every banner, or only those that are shown, by id.
pub async fn list(db: &impl ConnectionTrait, only_enabled: bool) -> Result<Vec<Banner>, StoreError> {
    let mut rows = banner::Entity::find().order_by_asc(banner::Column::Id);
    if only_enabled {
        rows = rows.filter(banner::Column::Enabled.eq(true));
    }
    Ok(rows.all(db).await?.into_iter().map(banner).collect())
}

/// Number of banners.
pub async fn count(db: &impl ConnectionTrait) -> Result<u64, StoreError> {
    Ok(banner::Entity::find().count(db).await?)
}

/// Returns the banner with this id, locked until the transaction ends.
pub async fn hold(tx: &Tx, id: i64) -> Result<Option<Banner>, StoreError> {
    Ok(banner::Entity::find_by_id(id).lock_exclusive().one(tx).await?.map(banner))
}

/// Stores a banner under a new id.
pub async fn insert(tx: &Tx, content: &Content, now: Timestamp) -> Result<Banner, StoreError> {
    let row = banner::ActiveModel { created_at: Set(now), ..row(content) };
    Ok(banner(banner::Entity::insert(row).exec_with_returning(tx).await?))
}

/// Writes what a banner is.
pub async fn save(tx: &Tx, banner: &Banner) -> Result<(), StoreError> {
    banner::ActiveModel { id: Set(banner.id), ..row(&banner.content) }.update(tx).await?;
    Ok(())
}

/// Removes a banner.
pub async fn delete(tx: &Tx, id: i64) -> Result<(), StoreError> {
    banner::Entity::delete_by_id(id).exec(tx).await?;
    Ok(())
}

pub(crate) fn row(content: &Content) -> banner::ActiveModel {
    banner::ActiveModel {
        message: Set(content.message.clone()),
        enabled: Set(content.enabled),
        variant: Set(content.variant.as_str().to_owned()),
        sticky: Set(content.sticky),
        icon: Set(content.icon.clone()),
        link: Set(content.link.clone()),
        link_text: Set(content.link_text.clone()),
        dialog_title: Set(content.dialog_title.clone()),
        dialog: Set(content.dialog.clone()),
        ..Default::default()
    }
}

fn banner(row: banner::Model) -> Banner {
    let content = Content {
        message: row.message,
        enabled: row.enabled,
        variant: Variant::parse(&row.variant).unwrap_or_default(),
        sticky: row.sticky,
        icon: row.icon,
        link: row.link,
        link_text: row.link_text,
        dialog_title: row.dialog_title,
        dialog: row.dialog,
    };
    Banner { id: row.id, content, created_at: row.created_at }
}
