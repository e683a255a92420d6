//! Settings of the instance that hold no secret.

use flagstone_domain::time::Timestamp;
use sea_orm::{ActiveValue::Set, ConnectionTrait, EntityTrait, QuerySelect};
use serde::{Serialize, de::DeserializeOwned};

use crate::{
    StoreError,
    db::{
        Tx,
        value::{json_column, to_json_column},
    },
    entity::setting,
};

/// Id of the setting with the id of this instance. Every database has it.
pub const INSTANCE_ID: &str = "flagstone.instance-id";

/// Id of the setting that is written to see whether there is room, and is never there.
const PROBE: &str = "flagstone.room-probe";
/// Bytes that are written for that: more than is free in pages that are in use.
const PROBE_BYTES: usize = 64 << 10;

/// A setting, if it has ever been made.
pub async fn find<T: DeserializeOwned>(db: &impl ConnectionTrait, id: &str) -> Result<Option<T>, StoreError> {
    let row = setting::Entity::find_by_id(id).one(db).await?;
    Ok(row.map(|row| json_column("setting.content", &row.content)).transpose()?)
}

/// Returns a setting, locked until the transaction ends.
pub async fn hold<T: DeserializeOwned>(tx: &Tx, id: &str) -> Result<Option<T>, StoreError> {
    let row = setting::Entity::find_by_id(id).lock_exclusive().one(tx).await?;
    Ok(row.map(|row| json_column("setting.content", &row.content)).transpose()?)
}

/// Makes a setting, or puts the value in the place of an earlier one.
pub async fn put<T: Serialize>(tx: &Tx, id: &str, value: &T, now: Timestamp) -> Result<(), StoreError> {
    let row = setting::ActiveModel {
        id: Set(id.to_owned()),
        content: Set(to_json_column(value)),
        created_at: Set(now),
        updated_at: Set(now),
    };
    let changed = [setting::Column::Content, setting::Column::UpdatedAt];
    let on_conflict = sea_orm::sea_query::OnConflict::column(setting::Column::Id).update_columns(changed).to_owned();
    setting::Entity::insert(row).on_conflict(on_conflict).exec_without_returning(tx).await?;
    Ok(())
}

/// Takes as much room as a change may need. It is taken when the transaction is committed, which fails where there is
/// none.
pub async fn take_room(tx: &Tx, now: Timestamp) -> Result<(), StoreError> {
    put(tx, PROBE, &"0".repeat(PROBE_BYTES), now).await
}

/// Gives the room back that [`take_room`] took.
pub async fn give_room_back(tx: &Tx) -> Result<(), StoreError> {
    setting::Entity::delete_by_id(PROBE).exec(tx).await?;
    Ok(())
}
