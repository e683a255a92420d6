//! Log of the outcomes of attempts to sign in, for administrators.

mod csv;

use poem::{Request, web::Data};
use poem_openapi::{Object, OpenApi, param::Query};
use serde::Serialize;

use self::csv::LoginHistory;
use crate::{
    api::{
        Tag,
        answer::{Fails, Out, QueryRefusals, ReadRefusals},
        parameter::TextParameter,
        permitted::{Permitted, need},
    },
    domain::{
        sign_in_log::{Method, Outcome, Record},
        time::Timestamp,
    },
    error::Error,
    sign_in::{log, refusal},
    state::State,
    store::{self, sign_in::log::Filter},
};

/// Entries of one page.
const PAGE: u64 = 100;
/// Entries of the whole list.
const WHOLE: u64 = 1000;

/// The operations on the log of sign-ins.
#[derive(Debug)]
pub struct SignInLogApi;

/// An attempt to sign in or out.
#[serde_with_macros::skip_serializing_none]
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "SignInLogEntry", rename_all = "camelCase", skip_serializing_if_is_none)]
#[serde(rename_all = "camelCase")]
pub struct SignInLogEntryBody {
    /// Id of the entry; newer entries have higher ids.
    pub id: i64,
    /// When it ended.
    pub created_at: Timestamp,
    /// Way of signing in.
    pub method: Method,
    /// Id of the login provider. Absent for other ways, and for the providers of the two settings.
    pub provider_id: Option<String>,
    /// Outcome.
    pub outcome: Outcome,
    /// Reason, as a stable code. Absent when there is none.
    pub reason: Option<String>,
    /// The reason in words. Absent when there is none.
    pub explanation: Option<String>,
    /// Expected value. Absent when it is secret or does not apply.
    pub expected: Option<String>,
    /// Actual value. Absent when it is secret or does not apply.
    pub found: Option<String>,
    /// Id of the user who signed in. Absent when nobody did.
    pub user_id: Option<i64>,
    /// The name that was typed, if an account has it, or the email from the provider. Absent when unknown.
    pub subject: Option<String>,
    /// IP address of the client. Absent when unknown.
    pub address: Option<String>,
    /// Id of the error that the browser was shown. Absent when there was none.
    pub error_id: Option<uuid::Uuid>,
    /// Number of attempts that the entry stands for: beyond 60 failures in a minute only the number is recorded. When a
    /// login provider signs a user out, the number of sessions that ended.
    pub attempts: i64,
}

/// Entries of the sign-in log.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "SignInLog", rename_all = "camelCase")]
#[serde(rename_all = "camelCase")]
pub struct SignInLogBody {
    /// The entries, newest first; at most 100.
    pub sign_ins: Vec<SignInLogEntryBody>,
}

/// An attempt to sign in, as the console of Unleash shows it.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "LoginEvent")]
pub struct LoginEventBody {
    /// Id of the entry.
    pub id: i64,
    /// User name of the attempt. Empty when unknown.
    pub username: String,
    /// Way of signing in.
    pub auth_type: Method,
    /// When it ended.
    pub created_at: Timestamp,
    /// Whether the attempt succeeded.
    pub successful: bool,
    /// IP address of the client; `null` when unknown.
    pub ip: crate::wire::Nullable<String>,
    /// Reason why the attempt failed; `null` when it succeeded.
    pub failure_reason: crate::wire::Nullable<String>,
}

/// Attempts to sign in.
#[derive(Debug, Clone, Serialize, Object)]
#[oai(rename = "LoginHistory")]
pub struct LoginHistoryBody {
    /// The attempts, newest first; at most 1000.
    pub events: Vec<LoginEventBody>,
}

#[OpenApi(tag = "Tag::Authentication")]
impl SignInLogApi {
    /// List sign-in attempts
    ///
    /// Attempts to sign in, newest first, 100 at a time, with the reason of each failure. A browser is shown only an
    /// id, by which the entry can be found here. Attempts are kept for 14 days, or for the time that the operator sets,
    /// and at most 50,000 of them.
    #[oai(path = "/api/admin/auth/sign-ins", method = "get", operation_id = "getSignIns")]
    async fn get_sign_ins(
        &self,
        _caller: Permitted<need::ReadLogs>,
        Data(state): Data<&State>,
        /// Id of the error that a browser was shown. Absent: every attempt.
        #[oai(name = "errorId")]
        error_id: Query<Option<TextParameter>>,
        /// Id of an entry: only older ones are listed. Absent: from the newest.
        #[oai(validator(minimum(value = "1"), maximum(value = "9007199254740991")))]
        before: Query<Option<i64>>,
    ) -> Result<Out<SignInLogBody>, Fails<QueryRefusals>> {
        let filter = Filter { error_id: error_id.0.map(|TextParameter(id)| id.to_lowercase()), before: before.0 };
        let records = list(state, &filter, PAGE).await?;
        Ok(Out(SignInLogBody { sign_ins: records.into_iter().map(SignInLogEntryBody::of).collect() }))
    }

    /// List sign-ins in the console's form
    ///
    /// The latest 1000 attempts, newest first; as CSV when `Accept` prefers `text/csv` to JSON. `getSignIns` has more
    /// details.
    #[oai(path = "/api/admin/logins", method = "get", operation_id = "getLoginHistory")]
    async fn get_login_history(
        &self,
        _caller: Permitted<need::ReadLogs>,
        Data(state): Data<&State>,
        request: &Request,
    ) -> Result<LoginHistory, Fails<ReadRefusals>> {
        let records = list(state, &Filter::default(), WHOLE).await?;
        let attempts =
            records.into_iter().filter(|record| matches!(record.entry.outcome, Outcome::SignedIn | Outcome::Refused));
        let history = LoginHistoryBody { events: attempts.map(LoginEventBody::of).collect() };
        Ok(if csv::is_wanted(request) { LoginHistory::Csv(csv::text(&history)) } else { LoginHistory::Json(history) })
    }
}

async fn list(state: &State, filter: &Filter, limit: u64) -> Result<Vec<Record>, Error> {
    log::write(state).await?;
    Ok(store::sign_in::log::list(&state.db, filter, limit).await?)
}

impl SignInLogEntryBody {
    fn of(Record { id, entry }: Record) -> Self {
        Self {
            id,
            created_at: entry.at,
            method: entry.method,
            provider_id: entry.provider_id,
            outcome: entry.outcome,
            explanation: entry.reason.as_deref().and_then(|reason| refusal::sentence(entry.method, reason)),
            reason: entry.reason,
            expected: entry.expected,
            found: entry.found,
            user_id: entry.user_id,
            subject: entry.subject,
            address: entry.address,
            error_id: entry.error_id,
            attempts: entry.attempts,
        }
    }
}

impl LoginEventBody {
    fn of(Record { id, entry }: Record) -> Self {
        let successful = entry.outcome == Outcome::SignedIn;
        let reason = || entry.reason.clone().unwrap_or_else(|| format!("{} more", entry.attempts));
        Self {
            id,
            failure_reason: (!successful).then(reason).into(),
            username: entry.subject.unwrap_or_default(),
            auth_type: entry.method,
            created_at: entry.at,
            successful,
            ip: entry.address.into(),
        }
    }
}
