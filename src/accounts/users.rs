//! Users: making, changing and deleting them.

use flagstone_domain::{
    account_powers::{self, Origin, Power, Standing, Way},
    actor::Actor,
    email,
    event::NewEvent,
    event_kind::EventKind,
    password,
    role::RootRole,
    scim::KeptUser,
    time::Timestamp,
    token::PersonalToken,
    user::AccountKind,
    version::Version,
};
use flagstone_passwords::Passwords;
use flagstone_store::{
    self as store, StoreError,
    access::{
        administrators::Administrators,
        people::{Account, NewUser},
    },
    db::{Db, Tx},
};
use serde::Serialize;

use super::{
    AccountError,
    names::{judge_account, judge_names, refuse_claimed},
};

/// Data of a user in events; a change of it is a change of the user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UserData {
    id: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    username: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    email: Option<String>,
    root_role: i64,
    /// False for a deactivated user.
    #[serde(skip_serializing_if = "Option::is_none")]
    active: Option<bool>,
    /// Attributes of the directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    scim: Option<KeptUser>,
    /// True for whom a person linked to the directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    scim_linked: Option<bool>,
    /// Id of the directory, unless it is the default one.
    #[serde(skip_serializing_if = "Option::is_none")]
    scim_directory: Option<i64>,
}

impl UserData {
    /// Data of a person as stored.
    pub fn of(account: &Account) -> Self {
        Self {
            id: account.id,
            name: account.name.clone(),
            username: account.username.clone(),
            email: account.email.clone(),
            root_role: account.root_role_id,
            active: account.deactivated_at.map(|_| false),
            scim: account.kept.clone(),
            scim_linked: (account.origin == Some(Origin::Linked)).then_some(true),
            scim_directory: account.directory_id,
        }
    }

    /// Version of this state; being seen changes nothing in it.
    pub fn version(&self) -> Version {
        Version::of(self)
    }
}

/// Stores a person or a program and returns the id and the event.
pub async fn insert_user(
    tx: &Tx,
    mut new: NewUser,
    way: Way,
    now: Timestamp,
    actor: &Actor,
) -> Result<(i64, NewEvent), AccountError> {
    account_powers::judge(way, Power::Create, Standing::default())?;
    new.has_newcomer_role = matches!(way, Way::Scim | Way::Oidc | Way::Saml | Way::Invitation);
    new.email = new.email.as_deref().map(email::folded);
    judge_names(&new)?;
    refuse_claimed(tx, new.username.as_deref(), new.email.as_deref(), None).await?;
    let id = store::access::people::insert_user(tx, &new, now).await?;
    let kind = match new.kind {
        AccountKind::User => EventKind::UserCreated,
        AccountKind::ServiceAccount => EventKind::ServiceAccountCreated,
    };
    let data = UserData {
        id,
        name: new.name,
        username: new.username,
        email: new.email,
        root_role: new.root_role_id,
        active: new.deactivated_at.map(|_| false),
        scim: new.kept,
        scim_linked: None,
        scim_directory: new.directory_id,
    };
    Ok((id, NewEvent::new(kind, actor).with_data(&data)))
}

/// Makes a user for the operator, whose password is strong enough.
pub async fn create_user(
    db: &Db,
    passwords: &Passwords,
    mut new: NewUser,
    password: &str,
    now: Timestamp,
    actor: &Actor,
) -> Result<i64, AccountError> {
    judge_names(&new)?;
    password::judge(password)?;
    new.password_hash = Some(passwords.hash(password.to_owned()).await?);
    let tx = db.begin().await?;
    let (id, event) = insert_user(&tx, new, Way::CommandLine, now, actor).await?;
    tx.commit(now, [event]).await?;
    Ok(id)
}

/// User of an event that ended their ways in.
#[derive(Serialize)]
pub(super) struct EndedData<'a> {
    #[serde(flatten)]
    pub(super) user: &'a UserData,
    #[serde(flatten)]
    pub(super) ended: Ended,
}

/// Ways in that ended with a change of an account, as its event has them.
#[derive(Serialize)]
pub(super) struct Ended {
    #[serde(rename = "endedSessions")]
    pub(super) sessions: u64,
    #[serde(rename = "endedPersonalTokens")]
    pub(super) personal_tokens: usize,
    /// True where the password went, too, and none took its place.
    #[serde(rename = "endedPassword", skip_serializing_if = "Option::is_none")]
    pub(super) password: Option<bool>,
}

/// Changes to a user; what is `None` stays.
#[derive(Debug, Clone, Default)]
pub struct UserChange {
    /// Name to sign in with.
    pub username: Option<String>,
    /// Address.
    pub email: Option<String>,
    /// Display name.
    pub name: Option<String>,
    /// The role in the whole instance; it exists.
    pub root_role_id: Option<i64>,
    /// Whether they may come in.
    pub active: Option<bool>,
}

/// Changes a person or a program, which the transaction holds. Returns them as they are now, and the event, if anything
/// changed.
pub async fn change_user(
    tx: &Tx,
    before: &Account,
    change: UserChange,
    way: Way,
    now: Timestamp,
    actor: &Actor,
) -> Result<(Account, Option<NewEvent>), AccountError> {
    let after = Account {
        username: change.username.or_else(|| before.username.clone()),
        email: change.email.as_deref().map(email::folded).or_else(|| before.email.clone()),
        name: change.name.or_else(|| before.name.clone()),
        root_role_id: change.root_role_id.unwrap_or(before.root_role_id),
        deactivated_at: match change.active {
            Some(true) => None,
            Some(false) => before.deactivated_at.or(Some(now)),
            None => before.deactivated_at,
        },
        ..before.clone()
    };
    put_user(tx, before, after, way, now, actor).await
}

/// Returns the account with this user name or email, for the operator.
pub async fn named(tx: &Tx, login: &str) -> Result<Account, AccountError> {
    store::access::people::find_account(tx, login).await?.ok_or_else(|| unknown(login))
}

fn unknown(login: &str) -> AccountError {
    AccountError::Unknown { kind: "user", name: login.to_owned() }
}

/// Deactivates a person, for the operator, and ends everything that they came in by. Returns whether they were active
/// until then.
pub async fn deactivate_user(db: &Db, login: &str, now: Timestamp, actor: &Actor) -> Result<bool, AccountError> {
    let tx = db.begin().await?;
    let id = named(&tx, login).await?.id;
    let account = store::users::hold(&tx, id).await?.ok_or_else(|| unknown(login))?;
    let change = UserChange { active: Some(false), ..UserChange::default() };
    let (_, event) = change_user(&tx, &account, change, Way::CommandLine, now, actor).await?;
    let is_changed = event.is_some();
    tx.commit(now, event).await?;
    Ok(is_changed)
}

/// Returns the standing of an account, as far as the rule asks for it in this way in.
pub async fn standing(tx: &Tx, account: &Account, way: Way) -> Result<Standing, StoreError> {
    let is_on = account.kept.is_some() && store::scim::is_on(tx).await?;
    standing_while(tx, account, way, is_on).await
}

/// Returns that standing while SCIM is on, or off.
async fn standing_while(tx: &Tx, account: &Account, way: Way, is_on: bool) -> Result<Standing, StoreError> {
    Ok(Standing {
        origin: account.origin,
        // Asked of directories alone.
        has_given_role: way == Way::Scim && store::access::given_roles::has_any(tx, account).await?,
        is_kept: account.kept.is_some() && is_on,
        ended_by_directory: account.ended_by_directory,
    })
}

/// The powers that a change of an account to `after` needs.
fn powers(before: &Account, after: &Account) -> Vec<Power> {
    // A directory's name for whom it does not keep yet is the one that it is shown.
    let signs_in = |account: &Account| super::kept_users::draft_of(account).user_name.to_ascii_lowercase();
    let names = |account: &Account| {
        let kept = account.kept.clone().unwrap_or_default();
        (account.name.clone(), kept.external_id, kept.names.formatted, kept.names.given_name, kept.names.family_name)
    };
    let is_renamed = before.name != after.name || before.kept.is_some() && names(before) != names(after);
    let is_readdressed =
        before.username != after.username || before.email != after.email || signs_in(before) != signs_in(after);
    let is_linked = before.origin != after.origin
        || before.kept.is_some() != after.kept.is_some()
        || before.directory_id != after.directory_id;
    [
        (Power::Link, is_linked),
        (Power::Rename, is_renamed),
        (Power::Readdress, is_readdressed),
        (Power::Role, before.root_role_id != after.root_role_id),
        (Power::Deactivate, before.deactivated_at.is_none() && after.deactivated_at.is_some()),
        (Power::Revive, before.deactivated_at.is_some() && after.deactivated_at.is_none()),
    ]
    .into_iter()
    .filter_map(|(power, is_needed)| is_needed.then_some(power))
    .collect()
}

/// Updates a person or a program, which the transaction has locked, to `after`, if that way may. A user who is
/// deactivated loses all credentials, and so does one whom a directory finds and whose address was never proved.
/// Returns the user as stored, and the event, if anything changed.
pub(super) async fn put_user(
    tx: &Tx,
    before: &Account,
    mut after: Account,
    way: Way,
    now: Timestamp,
    actor: &Actor,
) -> Result<(Account, Option<NewEvent>), AccountError> {
    if before.root_role_id != after.root_role_id {
        after.has_newcomer_role = false;
    }
    if before.deactivated_at != after.deactivated_at {
        after.ended_by_directory = way == Way::Scim && after.deactivated_at.is_some();
        if after.deactivated_at.is_none() {
            after.activated_at = Some(now);
        }
    }
    let (old, new) = (UserData::of(before), UserData::of(&after));
    if old == new {
        return Ok((after, None));
    }
    let standing = standing(tx, before, way).await?;
    for power in powers(before, &after) {
        account_powers::judge(way, power, standing)?;
    }
    judge_account(Some(before), &after)?;
    refuse_claimed(tx, after.username.as_deref(), after.email.as_deref(), Some(after.id)).await?;
    let administrators = store::access::administrators::hold(tx, now).await?;
    if after.root_role_id != RootRole::Admin.id() || after.deactivated_at.is_some() {
        keep_an_administrator(tx, &[after.id]).await?;
    }
    store::users::save(tx, &after, now).await?;
    after.changed_at = Some(now);
    let has_left = before.deactivated_at.is_none() && after.deactivated_at.is_some();
    let is_stranger = before.origin.is_none()
        && after.origin == Some(Origin::Found)
        && !store::sign_in::identities::has_proof(tx, after.id).await?;
    if is_stranger {
        store::access::people::set_password_hash(tx, after.id, None).await?;
        store::users::second_factors::remove_all(tx, after.id).await?;
        store::sign_in::identities::remove_all(tx, after.id).await?;
    }
    let ended = if has_left || is_stranger { Some(end_all(tx, after.id, None).await?) } else { None };
    let ended_password = (is_stranger && after.password_hash.take().is_some()).then_some(true);
    refuse_none_left(tx, administrators).await?;
    let kind = match after.kind {
        AccountKind::User => EventKind::UserUpdated,
        AccountKind::ServiceAccount => EventKind::ServiceAccountUpdated,
    };
    let event = NewEvent::new(kind, actor).with_pre_data(&old);
    let event = match ended {
        Some((sessions, tokens)) => {
            let ended = Ended { sessions, personal_tokens: tokens.len(), password: ended_password };
            event.with_data(&EndedData { user: &new, ended })
        }
        None => event.with_data(&new),
    };
    Ok((after, Some(event)))
}

/// Ends all of a user's credentials: sessions, but for the one whose digest is `kept`, personal tokens, and links to
/// set a password. Returns the number of the sessions, and the tokens.
pub(super) async fn end_all(
    tx: &Tx,
    user_id: i64,
    kept: Option<&str>,
) -> Result<(u64, Vec<PersonalToken>), StoreError> {
    store::users::password_resets::remove_all(tx, user_id).await?;
    let ended_sessions = store::users::sessions::end_all(tx, user_id, kept).await?;
    Ok((ended_sessions, store::tokens::personal::delete_all(tx, user_id).await?))
}

/// Deletes people or programs, which the transaction has locked: their credentials end, their names are free, and what
/// they scheduled is suspended.
pub async fn delete_users(
    tx: &Tx,
    accounts: &[Account],
    way: Way,
    now: Timestamp,
    actor: &Actor,
) -> Result<Vec<NewEvent>, AccountError> {
    let is_on = accounts.iter().any(|account| account.kept.is_some()) && store::scim::is_on(tx).await?;
    for account in accounts {
        account_powers::judge(way, Power::Delete, standing_while(tx, account, way, is_on).await?)?;
    }
    let ids: Vec<i64> = accounts.iter().map(|account| account.id).collect();
    let administrators = store::access::administrators::hold(tx, now).await?;
    keep_an_administrator(tx, &ids).await?;
    store::users::mark_deleted(tx, &ids, way == Way::Scim, now).await?;
    refuse_none_left(tx, administrators).await?;
    let event = |account: &Account| {
        let kind = match account.kind {
            AccountKind::User => EventKind::UserDeleted,
            AccountKind::ServiceAccount => EventKind::ServiceAccountDeleted,
        };
        NewEvent::new(kind, actor).with_pre_data(&UserData::of(account))
    };
    let suspended = store::change_requests::suspension::suspend_of_schedulers(tx, &ids).await?;
    Ok(accounts.iter().map(event).chain(suspended.iter().map(|one| one.event(actor))).collect())
}

/// Refuses to take the last administrator who can sign in. Where there is none already, nothing gets worse.
async fn keep_an_administrator(tx: &Tx, leaving: &[i64]) -> Result<(), AccountError> {
    let administrators = store::users::hold_administrators(tx).await?;
    if !administrators.is_empty() && administrators.iter().all(|id| leaving.contains(id)) {
        return Err(AccountError::LastAdministrator);
    }
    Ok(())
}

/// Refuses a change after which no user may do everything any more, be it through a group.
async fn refuse_none_left(tx: &Tx, before: Administrators) -> Result<(), AccountError> {
    if store::access::administrators::are_gone(tx, before).await? {
        return Err(AccountError::LastAdministrator);
    }
    Ok(())
}
