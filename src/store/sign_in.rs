//! Signing in through login providers: what they are, who is who there, what serves once, and the log of how it ended.

pub mod access_requests;
pub mod client_keys;
pub mod identities;
pub mod log;
pub mod memberships;
pub mod once;
pub mod provider_metadata;
pub mod providers;
pub mod rechecks;
pub mod sealed;
pub mod sessions;

use flagstone_domain::time::Timestamp;

use crate::{StoreError, db::Tx};

/// Forgets what has ended, and what the log, which keeps entries for some hours, keeps no longer.
pub async fn remove_ended(tx: &Tx, now: Timestamp, log_hours: i64) -> Result<(), StoreError> {
    once::remove_ended(tx, now).await?;
    sealed::remove_ended(tx, now).await?;
    access_requests::remove_ended(tx, now).await?;
    log::remove_old(tx, now, log_hours).await
}
