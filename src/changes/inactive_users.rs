//! Users whom the policy on accounts deactivates because they do not use their account.

use flagstone_accounts::{self as accounts, UserChange};
use flagstone_domain::{
    account_policy::{AccountPolicy, AccountUse},
    account_powers::Way,
    actor::Actor,
    change_reason::ChangeReason,
    preference::Preference as _,
    time::Timestamp,
};
use flagstone_error::Error;
use flagstone_store::{self as store, access::people::Account, db::Db};

/// A user whom the policy deactivates unless the account is used before.
#[derive(Debug)]
pub struct ExpiringUser {
    /// The user.
    pub account: Account,
    /// When the account was last used.
    pub used_at: Option<Timestamp>,
    /// When the user is deactivated.
    pub deactivates_at: Timestamp,
}

/// Returns the users whom a policy deactivates, soonest first.
pub fn expiring(policy: &AccountPolicy, uses: Vec<(Account, AccountUse)>) -> Vec<ExpiringUser> {
    let to_deactivate = |(account, account_use): (Account, AccountUse)| {
        let deactivates_at = policy.deactivates_at(account_use)?;
        Some(ExpiringUser { account, used_at: account_use.used_at, deactivates_at })
    };
    let mut expiring: Vec<ExpiringUser> = uses.into_iter().filter_map(to_deactivate).collect();
    expiring.sort_by_key(|user| (user.deactivates_at, user.account.id));
    expiring
}

/// Deactivates a user in the name of the system, as an administrator does it, if by the policy it is time. Returns
/// whether it was. 403 for the last administrator who can act, and for a user whom a directory manages.
pub async fn deactivate_inactive(db: &Db, id: i64, now: Timestamp) -> Result<bool, Error> {
    let tx = db.begin().await?;
    let policy: AccountPolicy = store::preferences::find(&tx, AccountPolicy::ID).await?.unwrap_or_default();
    let Some(account) = store::users::hold(&tx, id).await? else { return Ok(false) };
    let account_use = store::users::inactivity::find_use(&tx, &account).await?;
    let is_due = policy.deactivates_at(account_use).is_some_and(|at| at <= now);
    if account.deactivated_at.is_some() || !is_due {
        return Ok(false);
    }
    let reason = policy.inactive_user_days.0.map(|days| format!("The account was not used for {days} days."));
    let reason = reason.and_then(|reason| ChangeReason::parse(&reason).ok().flatten());
    let actor = Actor::system().because(reason);
    let change = UserChange { active: Some(false), ..UserChange::default() };
    let changed = accounts::change_user(&tx, &account, change, Way::InactivityPolicy, now, &actor).await;
    let (_, event) = changed.map_err(Error::from)?;
    tx.commit(now, event).await?;
    Ok(true)
}
