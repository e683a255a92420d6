//! Whether further login providers follow their metadata, and how that goes.

use flagstone_domain::metadata_refresh::{MetadataRefresh, RefreshOutcome};
use sea_orm::{ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use crate::{
    StoreError,
    db::{
        Tx,
        value::{json_column, to_json_column},
    },
    entity::sign_in_provider,
};

/// Ids of the providers of which somebody said whether they follow their metadata.
pub async fn following(db: &impl ConnectionTrait) -> Result<Vec<String>, StoreError> {
    let ids: Vec<String> = sign_in_provider::Entity::find()
        .select_only()
        .column(sign_in_provider::Column::Id)
        .filter(sign_in_provider::Column::MetadataRefresh.is_not_null())
        .order_by_asc(sign_in_provider::Column::Id)
        .into_tuple()
        .all(db)
        .await?;
    Ok(ids)
}

/// Whether a provider follows its metadata, and how the last attempt went; `None` without such a provider.
pub async fn find(
    db: &impl ConnectionTrait,
    id: &str,
) -> Result<Option<(MetadataRefresh, Option<RefreshOutcome>)>, StoreError> {
    let Some(row) = sign_in_provider::Entity::find_by_id(id).one(db).await? else { return Ok(None) };
    let outcome = row.metadata_outcome.as_deref();
    let outcome = outcome.map(|text| json_column("sign_in_provider.metadata_outcome", text)).transpose()?;
    Ok(Some((refresh(&row)?, outcome)))
}

/// Whether a provider follows its metadata, locked until the transaction ends; `None` without such a provider.
pub async fn hold(tx: &Tx, id: &str) -> Result<Option<MetadataRefresh>, StoreError> {
    let row = sign_in_provider::Entity::find_by_id(id).lock_exclusive().one(tx).await?;
    row.as_ref().map(refresh).transpose()
}

fn refresh(row: &sign_in_provider::Model) -> Result<MetadataRefresh, StoreError> {
    let read = row.metadata_refresh.as_deref().map(|text| json_column("sign_in_provider.metadata_refresh", text));
    Ok(read.transpose()?.unwrap_or_default())
}

/// Sets whether a provider follows its metadata.
pub async fn set(tx: &Tx, id: &str, wanted: &MetadataRefresh) -> Result<(), StoreError> {
    let row =
        sign_in_provider::ActiveModel { metadata_refresh: Set(Some(to_json_column(wanted))), ..Default::default() };
    update(tx, id, row).await
}

/// Notes how an attempt to read the metadata of a provider went, if the provider is still there.
pub async fn note(tx: &Tx, id: &str, outcome: &RefreshOutcome) -> Result<(), StoreError> {
    let row =
        sign_in_provider::ActiveModel { metadata_outcome: Set(Some(to_json_column(outcome))), ..Default::default() };
    update(tx, id, row).await
}

async fn update(tx: &Tx, id: &str, row: sign_in_provider::ActiveModel) -> Result<(), StoreError> {
    let of_provider = sign_in_provider::Column::Id.eq(id);
    sign_in_provider::Entity::update_many().set(row).filter(of_provider).exec(tx).await?;
    Ok(())
}
