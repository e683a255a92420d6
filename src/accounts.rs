//! Making users and tokens: the rules, the rows and the events in one place, for the first start and the command line.

use serde::Serialize;

use crate::{
    domain::{
        actor::Actor,
        event::NewEvent,
        event_kind::EventKind,
        password::{self, Weakness},
        secret::TokenKind,
        time::Timestamp,
        token::{self, ALL, Reach, Unreachable},
    },
    error::Error,
    passwords::Passwords,
    store::{
        self, StoreError,
        db::{Db, Tx},
        people::{Account, NewUser},
        tokens::NewApiToken,
    },
};

/// Most characters of a user's or token's name.
const MAX_NAME: usize = 255;

/// Why a user or token was not made.
#[derive(Debug)]
pub enum AccountError {
    /// A name is missing, too long or not one.
    Name(&'static str),
    /// The password is too weak.
    Password(Weakness),
    /// The token cannot reach this.
    Reach(Unreachable),
    /// What is referred to does not exist.
    Unknown {
        /// What it is.
        kind: &'static str,
        /// What it was called.
        name: String,
    },
    /// Somebody has this user name or email, or the token exists.
    Taken,
    /// The server could not do its work.
    Failed(Error),
}

impl std::fmt::Display for AccountError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Name(rule) => f.write_str(rule),
            Self::Password(weakness) => weakness.fmt(f),
            Self::Reach(reason) => reason.fmt(f),
            Self::Unknown { kind, name } => write!(f, "There is no {kind} named \"{name}\"."),
            Self::Taken => f.write_str("A user with this user name or email, or this token, exists already."),
            Self::Failed(Error::Internal(cause) | Error::Unavailable(cause)) => cause.fmt(f),
            Self::Failed(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for AccountError {}

impl From<StoreError> for AccountError {
    fn from(error: StoreError) -> Self {
        if error.is_duplicate() { Self::Taken } else { Self::Failed(error.into()) }
    }
}

impl From<Error> for AccountError {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl From<Weakness> for AccountError {
    fn from(weakness: Weakness) -> Self {
        Self::Password(weakness)
    }
}

impl From<Unreachable> for AccountError {
    fn from(reason: Unreachable) -> Self {
        Self::Reach(reason)
    }
}

/// What events say about a user.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct UserData<'a> {
    id: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    username: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    email: Option<&'a str>,
    root_role: i64,
}

/// Stores a user and gives the id and the event that tells of it.
pub async fn insert_user(
    tx: &Tx,
    mut new: NewUser,
    now: Timestamp,
    actor: &Actor,
) -> Result<(i64, NewEvent), AccountError> {
    new.email = new.email.map(|email| email.to_lowercase());
    judge_names(&new)?;
    let id = store::people::insert_user(tx, &new, now).await?;
    let data = UserData {
        id,
        name: new.name.as_deref(),
        username: new.username.as_deref(),
        email: new.email.as_deref(),
        root_role: new.root_role_id,
    };
    Ok((id, NewEvent::new(EventKind::UserCreated, actor).with_data(&data)))
}

/// Makes a user whose password, if any, is strong enough.
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
    let (id, event) = insert_user(&tx, new, now, actor).await?;
    tx.commit(now, [event]).await?;
    Ok(id)
}

/// Gives a person another password and ends their sessions.
pub async fn set_password(
    db: &Db,
    passwords: &Passwords,
    login: &str,
    password: &str,
    now: Timestamp,
    actor: &Actor,
) -> Result<(), AccountError> {
    password::judge(password)?;
    let hash = passwords.hash(password.to_owned()).await?;
    let tx = db.begin().await?;
    let account = store::people::find_account(&tx, login).await?;
    let account = account.ok_or_else(|| AccountError::Unknown { kind: "user", name: login.to_owned() })?;
    store::people::set_password_hash(&tx, account.id, &hash).await?;
    store::sessions::end_all(&tx, account.id).await?;
    let data = user_data(&account);
    let event = NewEvent::new(EventKind::UserUpdated, actor).with_data(&data).with_pre_data(&data);
    tx.commit(now, [event]).await?;
    Ok(())
}

fn user_data(account: &Account) -> UserData<'_> {
    UserData {
        id: account.id,
        name: account.name.as_deref(),
        username: account.username.as_deref(),
        email: account.email.as_deref(),
        root_role: account.root_role_id,
    }
}

fn judge_names(new: &NewUser) -> Result<(), AccountError> {
    if new.username.is_none() && new.email.is_none() {
        return Err(AccountError::Name("A user needs a user name or an email."));
    }
    let names = [&new.username, &new.email, &new.name];
    if names.into_iter().flatten().any(|name| !is_name(name)) {
        return Err(AccountError::Name("Names and emails have 1 to 255 characters, none of them a control character."));
    }
    match new.email.as_deref().map(|email| email.split_once('@')) {
        Some(None | Some(("", _) | (_, ""))) => Err(AccountError::Name("An email looks like name@example.com.")),
        _ => Ok(()),
    }
}

fn is_name(text: &str) -> bool {
    !text.trim().is_empty() && text.chars().count() <= MAX_NAME && !text.contains(char::is_control)
}

/// Stores a token whose secret exists already, and gives the event that tells of it.
pub async fn insert_token(
    tx: &Tx,
    reach: &Reach,
    secret: String,
    name: &str,
    expires_at: Option<Timestamp>,
    now: Timestamp,
    actor: &Actor,
) -> Result<NewEvent, AccountError> {
    reach.judge()?;
    let new = NewApiToken {
        secret,
        name: name.to_owned(),
        kind: reach.kind,
        projects: reach.projects.clone(),
        environment: reach.environment.clone(),
        expires_at,
        created_by: Some(actor.name.clone()),
    };
    store::tokens::insert_api_token(tx, &new, now).await?;
    Ok(token::created(reach, name, expires_at, now, actor))
}

/// Makes a token and gives its secret, which is shown here and never again.
pub async fn create_token(
    db: &Db,
    reach: &Reach,
    name: &str,
    expires_at: Option<Timestamp>,
    now: Timestamp,
    actor: &Actor,
) -> Result<String, AccountError> {
    if !is_name(name) {
        return Err(AccountError::Name("A token's name has 1 to 255 characters, none of them a control character."));
    }
    let secret = reach.generate_secret();
    let tx = db.begin().await?;
    judge_places(&tx, reach).await?;
    let event = insert_token(&tx, reach, secret.clone(), name, expires_at, now, actor).await?;
    tx.commit(now, [event]).await?;
    Ok(secret)
}

async fn judge_places(tx: &Tx, reach: &Reach) -> Result<(), AccountError> {
    for project in reach.projects.iter().filter(|project| *project != ALL) {
        if !store::projects::is_active(tx, project).await? {
            return Err(AccountError::Unknown { kind: "project", name: project.clone() });
        }
    }
    let everywhere = reach.kind == TokenKind::Admin || reach.environment == ALL;
    if !everywhere && !store::environments::exists(tx, &reach.environment).await? {
        return Err(AccountError::Unknown { kind: "environment", name: reach.environment.clone() });
    }
    Ok(())
}
