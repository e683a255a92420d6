//! Importing a data set: what is known about what it names, and writing what was planned.

mod known;
mod missing;
mod write;

pub use self::{
    known::{add_replaced, known, target_exists},
    missing::make,
    write::{apply, steps},
};
use crate::{
    StoreError,
    db::{Db, Tx, advisory_lock::AdvisoryLock},
};

/// Starts an import, when the one before it has ended.
pub async fn begin(db: &Db) -> Result<Tx, StoreError> {
    let tx = db.begin_exclusive().await?;
    wait_for_others(&tx).await?;
    Ok(tx)
}

/// Waits until no import goes on, and lets none begin before this transaction ends: each reads what is stored before it
/// writes what is missing, so two at once could both make the same feature.
pub(super) async fn wait_for_others(tx: &Tx) -> Result<(), StoreError> {
    tx.lock_on_postgres(AdvisoryLock::Features).await
}
