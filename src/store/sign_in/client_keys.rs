//! Keys by which this server authenticates at OpenID Connect providers: one setting, sealed as a whole.

use flagstone_domain::{opaque_debug, time::Timestamp};
use flagstone_vault::Vault;
use sea_orm::{ActiveValue::Set, ConnectionTrait, DbErr, EntityTrait, sea_query::OnConflict};
use serde::{Deserialize, Serialize};

use crate::{StoreError, db::Tx, entity::setting, settings::key_in_force};

/// Id of the setting, for which it is sealed.
pub const ID: &str = "flagstone.oidc-client-keys";

/// A key as it is stored. Printing it shows its id alone.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StoredKey {
    /// Id of the key.
    pub kid: String,
    /// The private key: PKCS #8, in base64.
    pub pkcs8: String,
    /// When it was made.
    pub created_at: Timestamp,
}

opaque_debug!(StoredKey { kid, .. });

/// The keys, the oldest first.
pub async fn list(db: &impl ConnectionTrait, vault: &Vault) -> Result<Vec<StoredKey>, StoreError> {
    let Some(row) = setting::Entity::find_by_id(ID).one(db).await? else { return Ok(Vec::new()) };
    let opened = vault.open(ID, &row.content);
    let (plain, _) = opened.map_err(|error| DbErr::Custom(format!("setting {ID}: {error}")))?;
    // The reader's own words could quote a key.
    let unreadable = |_| DbErr::Custom(format!("setting {ID}: not what this version writes"));
    Ok(serde_json::from_slice(&plain).map_err(unreadable)?)
}

/// Puts these keys in the place of those that are there.
pub async fn replace(tx: &Tx, vault: &Vault, keys: &[StoredKey], now: Timestamp) -> Result<(), StoreError> {
    if keys.is_empty() {
        setting::Entity::delete_by_id(ID).exec(tx).await?;
        return Ok(());
    }
    let missing = || DbErr::Custom(format!("setting {ID}: sealed with a key that this server does not have"));
    let key = key_in_force(tx, vault, now).await?.ok_or_else(missing)?;
    let plain = serde_json::to_vec(keys).map_err(|_| DbErr::Custom(format!("setting {ID}: cannot be written")))?;
    let row = setting::ActiveModel {
        id: Set(ID.to_owned()),
        content: Set(key.seal(ID, &plain)),
        created_at: Set(now),
        updated_at: Set(now),
    };
    let changed = [setting::Column::Content, setting::Column::UpdatedAt];
    let on_conflict = OnConflict::column(setting::Column::Id).update_columns(changed).to_owned();
    setting::Entity::insert(row).on_conflict(on_conflict).exec_without_returning(tx).await?;
    Ok(())
}
