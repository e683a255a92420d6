//! Second factors of users: their events, and their removal, also by others when they are lost.

use flagstone_domain::{
    account_powers::{self, Power, Way},
    actor::Actor,
    event::NewEvent,
    event_kind::EventKind,
    passkey::Passkey,
    time::Timestamp,
};
use flagstone_error::Error;
use flagstone_store::{
    self as store,
    access::people::Account,
    db::{Db, Tx},
};
use serde::Serialize;

use super::{AccountError, UserData, named, standing};

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
    /// The passkey that changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    passkey: Option<PasskeyData<'a>>,
}

/// Passkey of an event.
#[derive(Serialize)]
struct PasskeyData<'a> {
    id: i64,
    name: &'a str,
}

impl<'a> PasskeyData<'a> {
    const fn of(passkey: &'a Passkey) -> Self {
        Self { id: passkey.id, name: passkey.name.as_str() }
    }
}

/// A change of a user's second factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SecondFactorChange<'a> {
    /// An authenticator app came into use.
    Enrolled,
    /// A passkey was registered.
    AddedPasskey {
        /// The passkey.
        passkey: &'a Passkey,
        /// Whether the user had no second factor before.
        is_first: bool,
    },
    /// A passkey got another name.
    RenamedPasskey {
        /// The passkey with the name before.
        before: &'a Passkey,
        /// The passkey with its name now.
        after: &'a Passkey,
    },
    /// A passkey was removed.
    RemovedPasskey {
        /// The passkey.
        passkey: &'a Passkey,
        /// Whether the user has no second factor any more.
        is_last: bool,
    },
    /// The recovery codes were replaced.
    RenewedCodes,
    /// Factors and recovery codes are gone.
    Removed,
}

/// Event of a change of a user's second factor, which names neither secret nor code.
pub fn second_factor_changed(
    account: &Account,
    change: SecondFactorChange<'_>,
    ended_sessions: u64,
    actor: &Actor,
) -> NewEvent {
    let user = &UserData::of(account);
    let told = |second_factor| SecondFactorData {
        user,
        second_factor,
        ended_sessions: None,
        renewed_recovery_codes: None,
        passkey: None,
    };
    let with =
        |second_factor, passkey| SecondFactorData { passkey: Some(PasskeyData::of(passkey)), ..told(second_factor) };
    let ended_sessions = Some(ended_sessions);
    let (before, after) = match change {
        SecondFactorChange::Enrolled => (told(false), SecondFactorData { ended_sessions, ..told(true) }),
        SecondFactorChange::AddedPasskey { passkey, is_first } => {
            (told(!is_first), SecondFactorData { ended_sessions, ..with(true, passkey) })
        }
        SecondFactorChange::RenamedPasskey { before, after } => (with(true, before), with(true, after)),
        SecondFactorChange::RemovedPasskey { passkey, is_last } => {
            (with(true, passkey), SecondFactorData { ended_sessions, ..told(!is_last) })
        }
        SecondFactorChange::RenewedCodes => {
            (told(true), SecondFactorData { renewed_recovery_codes: Some(true), ..told(true) })
        }
        SecondFactorChange::Removed => (told(true), SecondFactorData { ended_sessions, ..told(false) }),
    };
    NewEvent::new(EventKind::UserUpdated, actor).with_pre_data(&before).with_data(&after)
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

/// Removes a passkey of a user, whom the transaction holds and who does so, and ends their sessions, but for the one
/// whose digest is `kept`. The recovery codes go with the last second factor. Returns the event; `None` if the user has
/// no passkey with the id.
pub async fn remove_passkey(
    tx: &Tx,
    account: &Account,
    id: i64,
    kept: Option<&str>,
    actor: &Actor,
) -> Result<Option<NewEvent>, AccountError> {
    let way = Way::Themself;
    account_powers::judge(way, Power::SecondFactor, standing(tx, account, way).await?)?;
    let Some(passkey) = store::users::passkeys::find(tx, account.id, id).await? else { return Ok(None) };
    store::users::passkeys::remove(tx, id).await?;
    let is_last = store::users::second_factors::in_use(tx, account.id).await?.is_empty();
    if is_last {
        store::users::second_factors::remove_recovery_codes(tx, account.id).await?;
    }
    let sessions = store::users::sessions::end_all(tx, account.id, kept).await?;
    let change = SecondFactorChange::RemovedPasskey { passkey: &passkey, is_last };
    Ok(Some(second_factor_changed(account, change, sessions, actor)))
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
