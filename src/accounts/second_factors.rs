//! Second factors of users, removed by others when the app and the recovery codes are lost.

use serde::Serialize;

use super::{AccountError, UserData, named, standing};
use crate::{
    domain::{
        account_powers::{self, Power, Way},
        actor::Actor,
        event::NewEvent,
        event_kind::EventKind,
        time::Timestamp,
    },
    error::Error,
    store::{
        self,
        access::people::Account,
        db::{Db, Tx},
    },
};

/// User of an event about their second factor.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SecondFactorData<'a> {
    #[serde(flatten)]
    user: &'a UserData,
    /// Whether the user has one.
    second_factor: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    ended_sessions: Option<u64>,
    /// True where the recovery codes were replaced.
    #[serde(skip_serializing_if = "Option::is_none")]
    renewed_recovery_codes: Option<bool>,
}

/// A change of a user's second factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SecondFactorChange {
    /// A factor came into use.
    Enrolled,
    /// The recovery codes were replaced.
    RenewedCodes,
    /// Factors and recovery codes are gone.
    Removed,
}

/// Event of a change of a user's second factor, which names neither secret nor code.
pub fn second_factor_changed(
    account: &Account,
    change: SecondFactorChange,
    ended_sessions: u64,
    actor: &Actor,
) -> NewEvent {
    let user = &UserData::of(account);
    let told =
        |second_factor| SecondFactorData { user, second_factor, ended_sessions: None, renewed_recovery_codes: None };
    let event = NewEvent::new(EventKind::UserUpdated, actor);
    let ended_sessions = Some(ended_sessions);
    match change {
        SecondFactorChange::Enrolled => {
            event.with_pre_data(&told(false)).with_data(&SecondFactorData { ended_sessions, ..told(true) })
        }
        SecondFactorChange::RenewedCodes => event
            .with_pre_data(&told(true))
            .with_data(&SecondFactorData { renewed_recovery_codes: Some(true), ..told(true) }),
        SecondFactorChange::Removed => {
            event.with_pre_data(&told(true)).with_data(&SecondFactorData { ended_sessions, ..told(false) })
        }
    }
}

/// Removes the second factors and recovery codes of a user, whom the transaction holds, and ends their sessions, but
/// for the one whose digest is `kept`. Returns the event; `None` if there was no factor.
pub async fn remove_second_factors(
    tx: &Tx,
    account: &Account,
    kept: Option<&str>,
    way: Way,
    actor: &Actor,
) -> Result<Option<NewEvent>, AccountError> {
    account_powers::judge(way, Power::SecondFactor, standing(tx, account, way).await?)?;
    if store::users::second_factors::remove_all(tx, account.id).await? == 0 {
        return Ok(None);
    }
    let sessions = store::users::sessions::end_all(tx, account.id, kept).await?;
    Ok(Some(second_factor_changed(account, SecondFactorChange::Removed, sessions, actor)))
}

/// Removes the second factors of the user with an id, for an administrator: 404 where there is no such user. Returns
/// whether there were any.
pub async fn remove_second_factors_of(db: &Db, id: i64, now: Timestamp, actor: &Actor) -> Result<bool, AccountError> {
    let tx = db.begin().await?;
    let account = store::users::hold(&tx, id).await?.ok_or_else(|| Error::no_id("user", id))?;
    finish(tx, &account, Way::Administrator, now, actor).await
}

/// Removes the second factors of the user with a user name or email, for the operator. Returns whether there were any.
pub async fn reset_second_factor(db: &Db, login: &str, now: Timestamp, actor: &Actor) -> Result<bool, AccountError> {
    let tx = db.begin().await?;
    let id = named(&tx, login).await?.id;
    let unknown = || AccountError::Unknown { kind: "user", name: login.to_owned() };
    let account = store::users::hold(&tx, id).await?.ok_or_else(unknown)?;
    finish(tx, &account, Way::CommandLine, now, actor).await
}

async fn finish(tx: Tx, account: &Account, way: Way, now: Timestamp, actor: &Actor) -> Result<bool, AccountError> {
    let event = remove_second_factors(&tx, account, None, way, actor).await?;
    let is_changed = event.is_some();
    tx.commit(now, event).await?;
    Ok(is_changed)
}
