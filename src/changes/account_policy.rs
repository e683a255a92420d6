//! Changes of the policy on accounts.

use flagstone_domain::{
    account_policy::AccountPolicy, event::NewEvent, preference::Preference as _, time::Timestamp, user::AccountKind,
    version::Version,
};
use flagstone_error::Error;
use flagstone_store::{self as store, db::Tx};
use serde_json::{Value, json};

use crate::{
    Author, Begin, Transaction,
    if_match::IfMatch,
    inactive_users::{ExpiringUser, expiring},
};

/// Effects of a policy on accounts that exist.
#[derive(Debug)]
pub struct PolicyEffect {
    /// The policy as it is set.
    pub policy: AccountPolicy,
    /// Number of personal tokens of users that end earlier.
    pub shortened_personal_tokens: u64,
    /// Number of tokens of service accounts that end earlier.
    pub shortened_service_account_tokens: u64,
    /// Users whom it deactivates, soonest first.
    pub expiring: Vec<ExpiringUser>,
}

impl Author<'_> {
    /// Sets the policy on accounts, with an event if it changes. Tokens that would last longer than it allows for new
    /// ones end as early as those. With `dry_run` everything stays as it is.
    pub async fn set_account_policy(
        self,
        if_match: &IfMatch,
        wanted: AccountPolicy,
        dry_run: bool,
    ) -> Result<PolicyEffect, Error> {
        // As tokens are created: none escapes both.
        let transaction = self.begin(Begin::MakingLimited).await?;
        let Transaction { tx, now, .. } = &transaction;
        let before: Option<AccountPolicy> = store::preferences::hold(tx, AccountPolicy::ID).await?;
        let unset = AccountPolicy::default();
        if_match.check(Version::of(before.as_ref().unwrap_or(&unset)))?;
        let policy = wanted.in_place_of(before.as_ref(), *now);
        let mut effect = PolicyEffect {
            policy,
            shortened_personal_tokens: 0,
            shortened_service_account_tokens: 0,
            expiring: expiring(&policy, store::users::inactivity::uses(tx).await?),
        };
        let event = policy.changed(before.as_ref(), &unset, &self.caller.actor());
        let Some(event) = event else { return Ok(effect) };
        let end_of = |kind| policy.token_days(kind).map(|days| now.plus_days(days));
        let (of_users, of_programs) = (end_of(AccountKind::User), end_of(AccountKind::ServiceAccount));
        if let Some(earliest) = [of_users, of_programs].into_iter().flatten().min() {
            store::tokens::personal::hold_ending_after(tx, earliest).await?;
        }
        effect.shortened_personal_tokens = shorten(tx, AccountKind::User, of_users).await?;
        effect.shortened_service_account_tokens = shorten(tx, AccountKind::ServiceAccount, of_programs).await?;
        if !dry_run {
            store::preferences::put(tx, AccountPolicy::ID, &policy, *now).await?;
            transaction.commit([effect.noted_in(event)]).await?;
        }
        Ok(effect)
    }
}

async fn shorten(tx: &Tx, kind: AccountKind, end: Option<Timestamp>) -> Result<u64, Error> {
    match end {
        Some(end) => Ok(store::tokens::personal::shorten(tx, kind, end).await?),
        None => Ok(0),
    }
}

impl PolicyEffect {
    /// Returns the event with the numbers of tokens, where there are any.
    fn noted_in(&self, mut event: NewEvent) -> NewEvent {
        let counts = [
            ("shortenedPersonalTokens", self.shortened_personal_tokens),
            ("shortenedServiceAccountTokens", self.shortened_service_account_tokens),
        ];
        if let Some(Value::Object(data)) = &mut event.data {
            data.extend(
                counts.into_iter().filter(|(_, count)| *count > 0).map(|(name, count)| (name.to_owned(), json!(count))),
            );
        }
        event
    }
}
