//! Making what an instance may have only so many of: projects, environments, segments, banners and integrations. API
//! tokens and features have locks of their own, as they are made far more often. Personal tokens are made here, too, as a
//! policy bounds their lifetimes: it is set in such a transaction, so that it finds each token that it did not judge.

use crate::{
    StoreError,
    db::{Db, Tx, advisory_lock::AdvisoryLock},
};

/// Starts a transaction that makes one of these or takes one into use. It waits for others like it, so that what it
/// counts stays true until it ends. The lock comes before all rows, so that no two wait for each other in a circle.
pub async fn begin_making(db: &Db) -> Result<Tx, StoreError> {
    let tx = db.begin().await?;
    tx.lock_on_postgres(AdvisoryLock::Limits).await?;
    Ok(tx)
}
