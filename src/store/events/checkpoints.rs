//! Checkpoints of the chain over the events.

use flagstone_domain::{
    event_chain::{
        Hash, Link,
        checkpoint::{Checkpoint, CheckpointKind, SETTING},
    },
    event_kind::EventKind,
};
use sea_orm::{
    ActiveValue::{NotSet, Set},
    ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
};

use serde::Deserialize;

use crate::{
    StoreError,
    db::{Tx, advisory_lock::AdvisoryLock},
    entity::{
        event,
        event_checkpoint::{self, Column, Entity},
    },
    preferences,
};

/// Keeps others from making checkpoints until this transaction ends.
pub async fn lock(tx: &Tx) -> Result<(), StoreError> {
    tx.lock_on_postgres(AdvisoryLock::EventChain).await
}

/// Keeps a checkpoint.
pub async fn insert(tx: &Tx, checkpoint: &Checkpoint) -> Result<(), StoreError> {
    let row = event_checkpoint::ActiveModel {
        id: NotSet,
        event_id: Set(checkpoint.event_id),
        hash: Set(checkpoint.hash.clone()),
        kind: Set(checkpoint.kind.as_str().to_owned()),
        instance: Set(checkpoint.instance.clone()),
        created_at: Set(checkpoint.created_at),
        public_key: Set(checkpoint.public_key.clone()),
        signature: Set(checkpoint.signature.clone()),
    };
    Entity::insert(row).exec_without_returning(tx).await?;
    Ok(())
}

/// Beginning of the log, if events were removed from it, and the checkpoint that says so.
pub async fn beginning(db: &impl ConnectionTrait) -> Result<Option<(Link, Checkpoint)>, StoreError> {
    let made = Entity::find().filter(Column::Kind.eq(CheckpointKind::Beginning.as_str()));
    let row = made.order_by_desc(Column::Id).one(db).await?;
    Ok(row.map(|row| {
        // What is no hash fits no event.
        let link = Link { event_id: row.event_id, hash: Hash::parse(&row.hash).unwrap_or(Hash::BEGINNING) };
        (link, checkpoint(row))
    }))
}

/// The checkpoint that was made last.
pub async fn newest(db: &impl ConnectionTrait) -> Result<Option<Checkpoint>, StoreError> {
    Ok(Entity::find().order_by_desc(Column::Id).one(db).await?.map(checkpoint))
}

/// Checkpoints of events from one on, the last first.
pub async fn from(db: &impl ConnectionTrait, event_id: i64, limit: u64) -> Result<Vec<Checkpoint>, StoreError> {
    let later = Entity::find().filter(Column::EventId.gte(event_id));
    let rows = later.order_by_desc(Column::Id).limit(limit).all(db).await?;
    Ok(rows.into_iter().map(checkpoint).collect())
}

/// The first checkpoint that covers an event.
pub async fn covering(db: &impl ConnectionTrait, event_id: i64) -> Result<Option<Checkpoint>, StoreError> {
    let later = Entity::find().filter(Column::EventId.gte(event_id));
    let row = later.order_by_asc(Column::EventId).order_by_asc(Column::Id).one(db).await?;
    Ok(row.map(checkpoint))
}

/// Checkpoints of events from one on that are events of the log themselves, the last first: they remain if the stored
/// ones are removed.
pub async fn told(db: &impl ConnectionTrait, event_id: i64, limit: u64) -> Result<Vec<Checkpoint>, StoreError> {
    let instance: Option<String> = preferences::find(db, preferences::INSTANCE_ID).await?;
    let instance = instance.unwrap_or_default();
    let data: Vec<Option<String>> = event::Entity::find()
        .select_only()
        .column(event::Column::Data)
        .filter(event::Column::Type.eq(EventKind::SettingUpdated.as_str()))
        .filter(event::Column::Id.gt(event_id))
        .filter(event::Column::Data.starts_with(format!("{{\"id\":\"{SETTING}\"")))
        .order_by_desc(event::Column::Id)
        .limit(limit)
        .into_tuple()
        .all(db)
        .await?;
    let told = data.into_iter().flatten().filter_map(|data| serde_json::from_str::<Told>(&data).ok());
    let own = told.map(|told| told.checkpoint).filter(|one| one.instance == instance);
    Ok(own.filter(|one| one.event_id >= event_id).collect())
}

#[derive(Deserialize)]
struct Told {
    checkpoint: Checkpoint,
}

/// Checkpoint of a row. One of a kind that this version does not know is a checkpoint like others.
fn checkpoint(row: event_checkpoint::Model) -> Checkpoint {
    Checkpoint {
        created_at: row.created_at,
        event_id: row.event_id,
        hash: row.hash,
        instance: row.instance,
        kind: CheckpointKind::parse(&row.kind).unwrap_or(CheckpointKind::Checkpoint),
        public_key: row.public_key,
        signature: row.signature,
    }
}
