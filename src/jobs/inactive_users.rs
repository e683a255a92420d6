//! Deactivating users who do not use their account, where the policy on accounts says so.

use flagstone_changes::inactive_users::{deactivate_inactive, expiring};
use flagstone_domain::{account_policy::AccountPolicy, preference::Preference as _};
use flagstone_error::Error;
use flagstone_state::State;
use flagstone_store::{self as store, StoreError};

use super::{schedules::passing, write_presence};

/// Target of lines in the log, by the part of the program: a crate is none to those who operate it.
const LOG: &str = "flagstone::jobs::inactive_users";

/// Deactivates the users whose days are over, those first who have been away for longest, each with its event in a
/// transaction of its own. The last administrator who can act stays.
pub async fn deactivate_inactive_users(state: &State) -> Result<(), StoreError> {
    let policy: AccountPolicy = store::preferences::find(&state.db, AccountPolicy::ID).await?.unwrap_or_default();
    if policy.inactive_user_days.0.is_none() {
        return Ok(());
    }
    // Uses that only this node's memory has count, too.
    write_presence(state).await?;
    let now = state.clock.now();
    let users = expiring(&policy, store::users::inactivity::uses(&state.db).await?);
    for user in users.iter().take_while(|user| user.deactivates_at <= now) {
        let id = user.account.id;
        match deactivate_inactive(&state.db, id, now).await {
            Ok(true) => {
                tracing::info!(target: LOG, user = id, "a user who did not use the account was deactivated");
            }
            Ok(false) => {}
            Err(Error::Busy(error) | Error::Unavailable(error) | Error::DiskFull(error) | Error::Internal(error)) => {
                return Err(passing(error));
            }
            Err(refusal) => {
                tracing::debug!(target: LOG, user = id, %refusal, "a user who does not use the account stays active");
            }
        }
    }
    Ok(())
}
