//! Policy of administrators on accounts: who may create personal tokens, how long these last, and when users who do not
//! use their account are deactivated.

use flagstone_wire::Nullable;
use poem_openapi::Object;
use serde::{Deserialize, Serialize};

use crate::{preference::Preference, time::Timestamp, user::AccountKind};

/// Policy on accounts and their personal tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Object)]
#[oai(rename = "AccountPolicy", rename_all = "camelCase")]
#[serde(rename_all = "camelCase", default)]
pub struct AccountPolicy {
    /// Whether users may create personal tokens. Tokens that exist, and those of service accounts, are not concerned.
    pub personal_tokens_allowed: bool,
    /// Longest lifetime of personal tokens of users in days, 1 to 3650; `null` for no limit but the operator's.
    #[oai(validator(minimum(value = "1"), maximum(value = "3650")))]
    pub personal_token_days: Nullable<i64>,
    /// Longest lifetime of tokens of service accounts in days, 1 to 3650; `null` for no limit but the operator's.
    #[oai(validator(minimum(value = "1"), maximum(value = "3650")))]
    pub service_account_token_days: Nullable<i64>,
    /// Days without sign-in, use of a session and use of a personal token after which users are deactivated, 7 to 3650;
    /// `null` for never.
    #[oai(validator(minimum(value = "7"), maximum(value = "3650")))]
    pub inactive_user_days: Nullable<i64>,
    /// When that was switched on: users who have never used their account count from then, unless they were created
    /// later. `null` while it is off.
    pub inactive_users_since: Nullable<Timestamp>,
}

impl Default for AccountPolicy {
    fn default() -> Self {
        Self {
            personal_tokens_allowed: true,
            personal_token_days: Nullable(None),
            service_account_token_days: Nullable(None),
            inactive_user_days: Nullable(None),
            inactive_users_since: Nullable(None),
        }
    }
}

impl Preference for AccountPolicy {
    const ID: &'static str = "flagstone.account-policy";
}

/// Reason why a personal token is not created.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenRefusal {
    /// Users may create none.
    NotAllowed,
    /// It expires in the past, or later than after this number of days.
    Lifetime(i64),
}

/// Times by which the inactivity of a user is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AccountUse {
    /// When the account was created.
    pub created_at: Timestamp,
    /// When it was last used, in a session or with a personal token.
    pub used_at: Option<Timestamp>,
    /// When it was last activated after a deactivation.
    pub activated_at: Option<Timestamp>,
}

impl AccountPolicy {
    /// Returns this policy as it is set at `now` in the place of `before`: days that were counted go on.
    #[must_use]
    pub fn in_place_of(self, before: Option<&Self>, now: Timestamp) -> Self {
        let since = before.and_then(|before| before.inactive_users_since.0);
        let inactive_users_since = Nullable(self.inactive_user_days.0.map(|_| since.unwrap_or(now)));
        Self { inactive_users_since, ..self }
    }

    /// Returns the longest lifetime of personal tokens of accounts of a kind, in days.
    pub const fn token_days(&self, kind: AccountKind) -> Option<i64> {
        match kind {
            AccountKind::User => self.personal_token_days.0,
            AccountKind::ServiceAccount => self.service_account_token_days.0,
        }
    }

    /// Returns the longest lifetime in days of a personal token that is created for an account of a kind, where the
    /// operator allows `operator_days`; `None` where none may be created.
    pub fn longest_days(&self, kind: AccountKind, operator_days: i64) -> Option<i64> {
        if kind == AccountKind::User && !self.personal_tokens_allowed {
            return None;
        }
        Some(self.token_days(kind).map_or(operator_days, |days| days.min(operator_days)))
    }

    /// Judges a personal token that is created at `now` for an account of a kind, where the operator allows
    /// `operator_days`.
    pub fn judge_token(
        &self,
        kind: AccountKind,
        expires_at: Timestamp,
        operator_days: i64,
        now: Timestamp,
    ) -> Result<(), TokenRefusal> {
        let days = self.longest_days(kind, operator_days).ok_or(TokenRefusal::NotAllowed)?;
        if expires_at <= now || expires_at > now.plus_days(days) {
            return Err(TokenRefusal::Lifetime(days));
        }
        Ok(())
    }

    /// Returns when a user is deactivated unless the account is used before; `None` while that is off.
    pub fn deactivates_at(&self, account: AccountUse) -> Option<Timestamp> {
        let days = self.inactive_user_days.0?;
        let unused = account.created_at.max(self.inactive_users_since.0.unwrap_or(account.created_at));
        let from = account.used_at.unwrap_or(unused);
        Some(account.activated_at.map_or(from, |activated_at| from.max(activated_at)).plus_days(days))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::DAY_MS;

    const fn day(number: i64) -> Timestamp {
        Timestamp::from_millis(number * DAY_MS)
    }

    #[test]
    fn tokens_last_as_long_as_the_stricter_of_policy_and_operator_allows() {
        let (users, programs) = (AccountKind::User, AccountKind::ServiceAccount);
        let policy = AccountPolicy {
            personal_token_days: Nullable(Some(30)),
            service_account_token_days: Nullable(Some(400)),
            ..AccountPolicy::default()
        };
        let judged = |kind, expires_at| policy.judge_token(kind, expires_at, 365, day(0));
        assert_eq!(judged(users, day(30)), Ok(()));
        assert_eq!(judged(users, day(30).plus_millis(1)), Err(TokenRefusal::Lifetime(30)));
        assert_eq!(judged(users, day(0)), Err(TokenRefusal::Lifetime(30)));
        assert_eq!(judged(programs, day(365)), Ok(()));
        assert_eq!(judged(programs, day(366)), Err(TokenRefusal::Lifetime(365)));
        let none = AccountPolicy { personal_tokens_allowed: false, ..AccountPolicy::default() };
        assert_eq!(none.judge_token(users, day(1), 365, day(0)), Err(TokenRefusal::NotAllowed));
        assert_eq!(none.judge_token(programs, day(1), 365, day(0)), Ok(()));
        assert_eq!(AccountPolicy::default().judge_token(users, day(365), 365, day(0)), Ok(()));
    }

    #[test]
    fn days_count_from_the_last_use_or_else_from_creation_or_the_switch_and_anew_from_an_activation() {
        let policy = |days| AccountPolicy { inactive_user_days: Nullable(days), ..AccountPolicy::default() };
        let on = policy(Some(10)).in_place_of(None, day(100));
        let account = |created_at, used_at, activated_at| AccountUse { created_at, used_at, activated_at };
        for (account, expected) in [
            (account(day(1), None, None), day(110)),
            (account(day(105), None, None), day(115)),
            (account(day(1), Some(day(50)), None), day(60)),
            (account(day(1), Some(day(50)), Some(day(104))), day(114)),
            (account(day(1), Some(day(106)), Some(day(104))), day(116)),
            (account(day(1), None, Some(day(104))), day(114)),
            (account(day(1), None, Some(day(50))), day(110)),
        ] {
            assert_eq!(on.deactivates_at(account), Some(expected), "{account:?}");
        }
        assert_eq!(policy(None).deactivates_at(account(day(1), None, None)), None);
    }

    #[test]
    fn days_go_on_while_the_number_changes_and_begin_anew_when_it_is_switched_on_again() {
        let policy = |days| AccountPolicy { inactive_user_days: Nullable(days), ..AccountPolicy::default() };
        let on = policy(Some(10)).in_place_of(None, day(100));
        let longer = policy(Some(20)).in_place_of(Some(&on), day(105));
        assert_eq!(longer.inactive_users_since, Nullable(Some(day(100))));
        let off = policy(None).in_place_of(Some(&longer), day(106));
        assert_eq!(off, AccountPolicy::default());
        assert_eq!(policy(Some(20)).in_place_of(Some(&off), day(107)).inactive_users_since, Nullable(Some(day(107))));
    }
}
