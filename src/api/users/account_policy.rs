//! Policy on accounts: personal tokens, and users who do not use their account.

use poem::web::Data;
use poem_openapi::{Object, OpenApi, param::Query};
use serde::Serialize;

use crate::{
    api::{
        Tag,
        answer::{Fails, Out, ReadRefusals, ReplaceRefusals},
        author::author,
        body::Body,
        permitted::{Permitted, need},
        preference,
        version::{IfMatchHeader, Versioned},
    },
    changes::inactive_users::{ExpiringUser, expiring},
    domain::{account_policy::AccountPolicy, time::Timestamp},
    state::State,
    store,
    wire::Nullable,
};

/// Most users who are listed.
const MOST_LISTED: usize = 1000;

/// The operations on the policy on accounts.
#[derive(Debug)]
pub struct AccountPolicyApi;

/// The policy on accounts to set.
#[derive(Debug, Clone, Copy, Object)]
#[oai(rename = "SetAccountPolicy", rename_all = "camelCase")]
pub struct SetAccountPolicyBody {
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
}

impl From<SetAccountPolicyBody> for AccountPolicy {
    fn from(body: SetAccountPolicyBody) -> Self {
        Self {
            personal_tokens_allowed: body.personal_tokens_allowed,
            personal_token_days: body.personal_token_days,
            service_account_token_days: body.service_account_token_days,
            inactive_user_days: body.inactive_user_days,
            inactive_users_since: Nullable(None),
        }
    }
}

/// A user whom the policy deactivates unless the account is used before.
#[serde_with_macros::skip_serializing_none]
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "ExpiringUser", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct ExpiringUserBody {
    /// Id of the user.
    pub id: i64,
    /// Display name. Absent when there is none.
    pub name: Option<String>,
    /// Name to sign in with. Absent for those who sign in by email only.
    pub username: Option<String>,
    /// Email. Absent when there is none.
    pub email: Option<String>,
    /// When the account was last used, in a session or with a personal token; `null` for never.
    pub used_at: Nullable<Timestamp>,
    /// When the user is deactivated; in the past for those whom the next run of the job concerns.
    pub deactivates_at: Timestamp,
}

impl From<ExpiringUser> for ExpiringUserBody {
    fn from(expiring: ExpiringUser) -> Self {
        let account = expiring.account;
        Self {
            id: account.id,
            name: account.name,
            username: account.username,
            email: account.email,
            used_at: expiring.used_at.into(),
            deactivates_at: expiring.deactivates_at,
        }
    }
}

/// The users whom the policy deactivates unless they use their account before.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "ExpiringUsers")]
pub struct ExpiringUsersBody {
    /// Number of all of them: of active users, without those whom a directory manages through SCIM. 0 while the policy
    /// deactivates nobody.
    pub total: usize,
    /// The users, soonest first, at most 1000. The last administrator who can act is among them, and stays active.
    pub users: Vec<ExpiringUserBody>,
}

impl From<Vec<ExpiringUser>> for ExpiringUsersBody {
    fn from(expiring: Vec<ExpiringUser>) -> Self {
        let total = expiring.len();
        Self { total, users: expiring.into_iter().take(MOST_LISTED).map(ExpiringUserBody::from).collect() }
    }
}

/// Effects of the policy on accounts on tokens and users that exist.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "AccountPolicyEffect", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct AccountPolicyEffectBody {
    /// Whether this is only a report, and nothing has changed.
    pub dry_run: bool,
    /// The policy.
    pub policy: AccountPolicy,
    /// Number of personal tokens of users that end earlier than they did.
    pub shortened_personal_tokens: u64,
    /// Number of tokens of service accounts that end earlier than they did.
    pub shortened_service_account_tokens: u64,
    /// The users whom it deactivates unless they use their account before.
    pub expiring: ExpiringUsersBody,
}

#[OpenApi(tag = "Tag::Users")]
impl AccountPolicyApi {
    /// Get the policy on accounts
    ///
    /// Personal tokens of users, lifetimes of tokens, and the days after which users who do not use their account are
    /// deactivated.
    #[oai(path = "/api/admin/account-policy", method = "get", operation_id = "getAccountPolicy")]
    async fn get_account_policy(
        &self,
        _caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
    ) -> Result<Versioned<AccountPolicy>, Fails<ReadRefusals>> {
        Ok(Versioned::whole(preference::get(state).await?))
    }

    /// Set the policy on accounts
    ///
    /// Replaces the whole policy. New tokens are judged by it at once, on every node. Tokens that would end later than
    /// new ones may are shortened: they end after the number of days from now on, also if the policy is relaxed later.
    /// Users who have not used their account for `inactiveUserDays` are deactivated within an hour, as if by an
    /// administrator, who can activate them again; the days then begin anew. Not concerned are service accounts, users
    /// whom a directory manages while SCIM is on, and the last administrator who can act. Setting the current policy
    /// leaves no event. Try it with `dryRun` first.
    #[oai(path = "/api/admin/account-policy", method = "put", operation_id = "setAccountPolicy")]
    async fn set_account_policy(
        &self,
        caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
        #[oai(name = "dryRun")] dry_run: Query<Option<bool>>,
        #[oai(name = "If-Match")] if_match: IfMatchHeader,
        body: Body<SetAccountPolicyBody>,
    ) -> Result<Out<AccountPolicyEffectBody>, Fails<ReplaceRefusals>> {
        let dry_run = dry_run.0.unwrap_or(false);
        let effect = author(&caller, state).set_account_policy(&if_match, body.read()?.into(), dry_run).await?;
        Ok(Out(AccountPolicyEffectBody {
            dry_run,
            policy: effect.policy,
            shortened_personal_tokens: effect.shortened_personal_tokens,
            shortened_service_account_tokens: effect.shortened_service_account_tokens,
            expiring: effect.expiring.into(),
        }))
    }

    /// List the users whom the policy on accounts deactivates next
    ///
    /// Active users, soonest first, with the time at which they are deactivated unless they use their account before.
    /// Uses are known up to a few minutes late.
    #[oai(path = "/api/admin/account-policy/expiring-users", method = "get", operation_id = "getExpiringUsers")]
    async fn get_expiring_users(
        &self,
        _caller: Permitted<need::Admin>,
        Data(state): Data<&State>,
    ) -> Result<Out<ExpiringUsersBody>, Fails<ReadRefusals>> {
        let policy: AccountPolicy = preference::get(state).await?;
        let uses = store::users::inactivity::uses(&state.db).await?;
        Ok(Out(expiring(&policy, uses).into()))
    }
}
