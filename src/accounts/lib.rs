//! Making users and tokens: the rules, the rows and the events in one place, for the API, the first start and the
//! command line.

pub mod administrators;
pub mod directories;
pub mod directory_links;
pub mod identity_links;
pub mod kept_groups;
pub mod kept_users;
pub mod leaving_directory;
mod names;
pub mod nested_groups;
pub mod newcomer_role;
mod passwords;
mod second_factors;
mod sessions;
mod users;

use flagstone_domain::{
    account_powers::Denial,
    actor::Actor,
    address::{self, Named},
    event::NewEvent,
    password::Weakness,
    secret::TokenKind,
    text::is_longer,
    time::Timestamp,
    token::{self, ALL, ApiToken, Maker, Reach, Unreachable},
    visibility::Visibility,
};
use flagstone_error::Error;
use flagstone_store::{
    self as store, StoreError,
    db::{Db, Tx},
    tokens::{NewApiToken, api::Which},
};

pub use self::{
    names::{NameFault, judge_names},
    passwords::{make_password_link, replace_password, set_password},
    second_factors::{
        SecondFactorChange, remove_passkey, remove_second_factors, remove_second_factors_of, reset_second_factor,
        second_factor_changed,
    },
    sessions::{end_own_sessions, end_sessions},
    users::{
        UserChange, UserData, change_user, create_user, deactivate_user, delete_users, insert_user, named, standing,
    },
};

/// Most characters of a user's or token's name.
const MAX_NAME: usize = 255;

const LAST_ADMINISTRATOR: &str = "This would leave nobody who can sign in as an administrator; give somebody with a \
    password the root role Admin first.";

/// Message for an unknown token, without the text that was given, which may be a secret with one letter wrong.
const NO_TOKEN: &str = "There is no such API token; `flagstone token list` shows all.";
const SEVERAL_TOKENS: &str = "Several API tokens have this name: say which, as `flagstone token list` shows it.";

/// Reason why a user or token was not made or changed.
#[derive(Debug)]
pub enum AccountError {
    /// A name is missing, too long or not one.
    Name(&'static str),
    /// A name of a user is missing, too long or not one.
    UserName(NameFault),
    /// Another user has the user name or email of this property.
    NameTaken(&'static str),
    /// No administrator who can sign in would be left.
    LastAdministrator,
    /// Another way manages this user: the sentence says which.
    Elsewhere(&'static str),
    /// The password is too weak.
    Password(Weakness),
    /// The token cannot reach this.
    Reach(Unreachable),
    /// The thing that is referred to does not exist.
    Unknown {
        /// Kind of the thing.
        kind: &'static str,
        /// Name that was given.
        name: String,
    },
    /// A user with this user name or email, or the token, exists already.
    Taken,
    /// The server could not do its work.
    Failed(Error),
}

impl std::fmt::Display for AccountError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Name(rule) | Self::Elsewhere(rule) => f.write_str(rule),
            Self::UserName(fault) => f.write_str(fault.rule),
            Self::NameTaken(property) => write!(f, "A user with this {property} exists already."),
            Self::LastAdministrator => f.write_str(LAST_ADMINISTRATOR),
            Self::Password(weakness) => weakness.fmt(f),
            Self::Reach(reason) => reason.fmt(f),
            Self::Unknown { kind, name } => write!(f, "There is no {kind} named \"{name}\"."),
            Self::Taken => f.write_str("A user with this user name or email, or this token, exists already."),
            Self::Failed(
                Error::Internal(cause) | Error::Unavailable(cause) | Error::Busy(cause) | Error::DiskFull(cause),
            ) => cause.fmt(f),
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

impl From<Denial> for AccountError {
    fn from(denial: Denial) -> Self {
        Self::Elsewhere(denial.sentence())
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

/// Conversion into the error of the API. Properties are those of bodies about users.
impl From<AccountError> for Error {
    fn from(error: AccountError) -> Self {
        let message = error.to_string();
        let at = |property: &str| Self::invalid(format!("/body/{property}"), format!("/body/{property}: {message}"));
        match error {
            AccountError::UserName(fault) => at(fault.property),
            AccountError::NameTaken(property) => at(property),
            AccountError::Password(_) => at("password"),
            AccountError::Reach(Unreachable::NoRight(need)) => Self::no_access(&[need]),
            AccountError::Reach(Unreachable::Unseen) => Self::not_visible(message),
            AccountError::Name(_) | AccountError::Reach(_) => Self::invalid("/body", message),
            AccountError::Unknown { kind, name } => Self::not_found(kind, &name),
            AccountError::LastAdministrator | AccountError::Elsewhere(_) => Self::forbidden(message),
            AccountError::Taken => Self::Conflict(message),
            AccountError::Failed(error) => error,
        }
    }
}

impl From<Unreachable> for AccountError {
    fn from(reason: Unreachable) -> Self {
        Self::Reach(reason)
    }
}

fn is_name(text: &str) -> bool {
    !text.trim().is_empty() && !is_longer(text, MAX_NAME) && !text.contains(char::is_control)
}

/// Stores a token whose secret exists already, and returns its event. Every token is made here: none reaches further
/// than its maker sees and may.
pub async fn insert_token(
    tx: &Tx,
    reach: &Reach,
    secret: String,
    name: &str,
    expires_at: Option<Timestamp>,
    now: Timestamp,
    maker: Maker<'_>,
) -> Result<NewEvent, AccountError> {
    reach.judge()?;
    maker.judge(reach)?;
    if let Some(hidden) = reach.projects.iter().find(|project| !maker.sees.admits(project)) {
        return Err(unknown_project(hidden));
    }
    let new = NewApiToken {
        secret,
        name: name.to_owned(),
        kind: reach.kind,
        projects: reach.projects.clone(),
        environment: reach.environment.clone(),
        expires_at,
        created_by: Some(maker.actor.name.clone()),
    };
    store::tokens::insert_api_token(tx, &new, now).await?;
    Ok(token::created(reach, name, expires_at, now, maker.actor))
}

/// Makes a token and returns its secret, which is shown here and never again.
pub async fn create_token(
    db: &Db,
    reach: &Reach,
    name: &str,
    expires_at: Option<Timestamp>,
    now: Timestamp,
    maker: Maker<'_>,
) -> Result<String, AccountError> {
    let tx = db.begin().await?;
    let (secret, event) = make_token(&tx, reach, name, expires_at, now, maker).await?;
    tx.commit(now, [event]).await?;
    Ok(secret)
}

/// Stores a token with a fresh secret, and returns the secret and the event.
pub async fn make_token(
    tx: &Tx,
    reach: &Reach,
    name: &str,
    expires_at: Option<Timestamp>,
    now: Timestamp,
    maker: Maker<'_>,
) -> Result<(String, NewEvent), AccountError> {
    if !is_name(name) {
        return Err(AccountError::Name("A token's name has 1 to 255 characters, none of them a control character."));
    }
    if address::judge(Named::ApiToken, name).is_err() {
        return Err(AccountError::Name("A token's name is not \".\" or \"..\", which clients remove from addresses."));
    }
    let secret = reach.generate_secret();
    judge_places(tx, reach, maker).await?;
    let event = insert_token(tx, reach, secret.clone(), name, expires_at, now, maker).await?;
    Ok((secret, event))
}

/// Removes a token that the transaction holds. Returns the event of its removal.
pub async fn delete_token(tx: &Tx, token: &ApiToken, actor: &Actor) -> Result<NewEvent, StoreError> {
    store::tokens::api::delete(tx, token.id).await?;
    Ok(token.deleted(actor))
}

/// Removes, for the operator, the token with a secret, with the text that lists show in its place, or with a name that no
/// other has. Returns the token.
pub async fn revoke_token(db: &Db, named: &str, now: Timestamp, actor: &Actor) -> Result<ApiToken, AccountError> {
    let everything = Visibility::everything();
    let tx = db.begin().await?;
    let mut found = store::tokens::api::hold(&tx, named, &everything).await?;
    if found.is_none() {
        found = match &*store::tokens::api::list(&tx, Which::Named(named)).await? {
            [] => None,
            [one] => store::tokens::api::hold(&tx, &one.handle(), &everything).await?,
            _ => return Err(AccountError::Name(SEVERAL_TOKENS)),
        };
    }
    let token = found.ok_or(AccountError::Name(NO_TOKEN))?;
    let event = delete_token(&tx, &token, actor).await?;
    tx.commit(now, [event]).await?;
    Ok(token)
}

/// Refuses the first project that does not exist or that the maker does not see, which is the same to them; before
/// that, projects where they lack the right.
async fn judge_places(tx: &Tx, reach: &Reach, maker: Maker<'_>) -> Result<(), AccountError> {
    maker.judge(reach)?;
    for project in reach.projects.iter().filter(|project| *project != ALL) {
        if !maker.sees.admits(project) || !store::projects::is_active(tx, project).await? {
            return Err(unknown_project(project));
        }
    }
    let everywhere = reach.kind == TokenKind::Admin || reach.environment == ALL;
    if !everywhere && !store::environments::exists(tx, &reach.environment).await? {
        return Err(AccountError::Unknown { kind: "environment", name: reach.environment.clone() });
    }
    Ok(())
}

fn unknown_project(id: &str) -> AccountError {
    AccountError::Unknown { kind: "project", name: id.to_owned() }
}
