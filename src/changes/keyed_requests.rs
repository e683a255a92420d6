//! Records of requests with a key, each of which takes effect once. They leave no event.

use flagstone_error::Error;
use flagstone_store::{
    self as store,
    db::{Db, NoEvent},
    keyed_requests::{Earlier, KeyedRequest},
};

/// Records a request, or returns the earlier one with its key.
pub async fn record(db: &Db, new: KeyedRequest) -> Result<Option<Earlier>, Error> {
    let tx = db.begin().await?;
    let earlier = store::keyed_requests::begin(&tx, new).await?;
    tx.commit_without_event(NoEvent::Upkeep).await?;
    Ok(earlier)
}

/// Keeps the answer to a request, which is sealed.
pub async fn keep_answer(db: &Db, caller: &str, id: &str, sealed: String) -> Result<(), Error> {
    let tx = db.begin().await?;
    store::keyed_requests::answer(&tx, caller, id, sealed).await?;
    Ok(tx.commit_without_event(NoEvent::Upkeep).await?)
}

/// Forgets a request that had no effect.
pub async fn forget(db: &Db, caller: &str, id: &str) -> Result<(), Error> {
    let tx = db.begin().await?;
    store::keyed_requests::forget(&tx, caller, id).await?;
    Ok(tx.commit_without_event(NoEvent::Upkeep).await?)
}
