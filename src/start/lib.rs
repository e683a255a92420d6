//! Conditions that must hold before the server answers: the key fits the database, and a user can sign in.

use std::{collections::HashSet, fmt};

use flagstone_accounts::{self as accounts, AccountError, SecondFactorChange};
use flagstone_clock::Clock;
use flagstone_config::{
    ApiTokenSecrets,
    presets::{PresetToken, Presets},
};
use flagstone_domain::{
    account_powers::Way,
    actor::Actor,
    event::NewEvent,
    event_kind::EventKind,
    opaque_debug, password,
    preference::Preference as _,
    role::RootRole,
    secret::{Strength, TokenKind, WEAK},
    settings::setting_changed,
    sign_in::PasswordSignIn,
    time::Timestamp,
    token::{ALL, FIRST_NAME, Maker, Reach},
};
use flagstone_passwords::Passwords;
use flagstone_state::State;
use flagstone_store::{
    self as store, StoreError,
    access::people::NewUser,
    db::{Db, NoEvent, Tx},
    settings::{KEY_CHECK, Resealed},
};
use flagstone_vault::Vault;

/// Target of lines in the log, by the part of the program: a crate is none to those who operate it.
const LOG: &str = "flagstone::start";

/// Secrets that were generated at the first start. To be shown once, on the terminal; they cannot be had again.
#[derive(Clone, Default)]
pub struct FirstSecrets {
    /// Name and password of the first user.
    pub user: Option<(String, String)>,
    /// Secret of the first admin token.
    pub admin_token: Option<String>,
}

opaque_debug!(FirstSecrets);

impl FirstSecrets {
    /// The lines for the terminal; none when nothing was generated.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if let Some((name, password)) = &self.user {
            lines.push(format!("  First user   {name}"));
            lines.push(format!("  Password     {password}"));
        }
        if let Some(token) = &self.admin_token {
            lines.push(format!("  Admin token  {token}"));
        }
        if !lines.is_empty() {
            lines.insert(0, "Made for this first start, and shown only now:".to_owned());
        }
        lines
    }
}

/// Reason why the server cannot start. Never holds a secret.
#[derive(Debug)]
pub enum StartError {
    /// No key is the one that the database is sealed with.
    WrongKey,
    /// This setting is sealed with none of the keys, though others are.
    Foreign(String),
    /// A token of the environment is not one.
    Preset {
        /// The variable and the place in its list.
        token: PresetToken,
        /// Fault of the token.
        reason: String,
    },
    /// The first user cannot be made.
    User(AccountError),
    /// The database failed.
    Store(StoreError),
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WrongKey => f.write_str(
                "the login settings of this database are encrypted with another key: give it back with \
                 FLAGSTONE_KEY_FILE or FLAGSTONE_SECRET_KEY, or beside a new one with FLAGSTONE_PREVIOUS_KEY_FILE or \
                 FLAGSTONE_PREVIOUS_SECRET_KEY, or, if it is lost, run `flagstone settings forget`, which deletes the \
                 login settings",
            ),
            Self::Foreign(id) => write!(f, "the setting {id} is encrypted with another key, or damaged"),
            Self::Preset { token, reason } => write!(f, "token {token:?}: {reason}"),
            Self::User(error) => write!(f, "the first user cannot be made: {error}"),
            Self::Store(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for StartError {}

impl From<StoreError> for StartError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// Checks the key, and makes the first user and tokens where there are none.
///
/// Preset tokens are used while no token exists, a preset user while there never was one. Where the operator said
/// neither, a new instance gets the user `admin` and an admin token with generated secrets.
pub async fn prepare(
    db: &Db,
    vault: &Vault,
    clock: &Clock,
    passwords: &Passwords,
    presets: &Presets,
) -> Result<FirstSecrets, StartError> {
    check_key(db, vault, clock.now()).await?;
    match first_start(db, clock.now(), passwords, presets).await {
        // Another node was first; what it made is there now.
        Err(StartError::User(AccountError::Taken | AccountError::NameTaken(_))) => {
            first_start(db, clock.now(), passwords, presets).await
        }
        made => made,
    }
}

async fn check_key(db: &Db, vault: &Vault, now: Timestamp) -> Result<(), StartError> {
    let tx = db.begin().await?;
    let key = store::settings::key_in_force(&tx, vault, now).await?.ok_or(StartError::WrongKey)?;
    tx.commit_without_event(NoEvent::Upkeep).await?;
    if !vault.is_main(key) {
        tracing::warn!(
            target: LOG,
            "login settings are encrypted with the previous key until `flagstone settings rekey` has run"
        );
    } else if vault.has_previous() {
        tracing::info!(
            target: LOG,
            "nothing is encrypted with the previous key any more; this server can do without it"
        );
    }
    Ok(())
}

/// Notes through which login providers people can sign in: the environment may say otherwise than before, and a version
/// that noted nothing may have stored the settings.
pub async fn note_providers(state: &State) -> Result<(), StoreError> {
    let now = state.clock.now();
    let tx = state.db.begin().await?;
    let here = |stored| state.config.providers.enabled(stored);
    store::settings::note_enabled(&tx, &state.vault, here, now).await?;
    tx.commit_without_event(store::db::NoEvent::Upkeep).await
}

/// Forgets the secrets of API tokens that were kept, where the operator does not want that any more.
pub async fn forget_token_secrets(db: &Db, wanted: ApiTokenSecrets) -> Result<(), StoreError> {
    if wanted == ApiTokenSecrets::Sealed || !store::tokens::api::keeps_any(db).await? {
        return Ok(());
    }
    let tx = db.begin().await?;
    let forgotten = store::tokens::api::forget_sealed(&tx).await?;
    tx.commit_without_event(NoEvent::Upkeep).await?;
    tracing::info!(target: LOG, forgotten, "secrets of API tokens are not kept any more; the tokens go on serving");
    Ok(())
}

/// Lets people sign in with a password again. Returns whether they could not before.
pub async fn switch_passwords_on(db: &Db, now: Timestamp) -> Result<bool, StoreError> {
    let tx = db.begin().await?;
    let before: Option<PasswordSignIn> = store::preferences::hold(&tx, PasswordSignIn::ID).await?;
    let on = PasswordSignIn { disabled: false };
    let Some(event) = on.changed(before.as_ref(), &PasswordSignIn::default(), &Actor::system()) else {
        return Ok(false);
    };
    store::preferences::put(&tx, PasswordSignIn::ID, &on, now).await?;
    tx.commit(now, [event]).await?;
    Ok(true)
}

/// Encrypts everything with the main key of the vault that is encrypted with its previous one, also while servers run
/// that have both. All or nothing: what was interrupted can be done again. Returns the ids of what was not encrypted
/// with the main key before.
pub async fn rekey(db: &Db, vault: &Vault, now: Timestamp) -> Result<Vec<String>, StartError> {
    let tx = db.begin().await?;
    let ids = match store::settings::reseal(&tx, vault, now).await? {
        Resealed::All(ids) => ids,
        Resealed::Foreign(id) if id == KEY_CHECK => return Err(StartError::WrongKey),
        Resealed::Foreign(id) => return Err(StartError::Foreign(id)),
    };
    // The settings are what they were; that their key is another one is worth a line.
    let event = || setting_changed(EventKind::SettingUpdated, KEY_CHECK, &Actor::system());
    tx.commit(now, (!ids.is_empty()).then(event)).await?;
    Ok(ids)
}

async fn first_start(
    db: &Db,
    now: Timestamp,
    passwords: &Passwords,
    presets: &Presets,
) -> Result<FirstSecrets, StartError> {
    let needs_user = !store::access::people::any_person(db).await?;
    let needs_tokens = !store::tokens::any_api_token(db).await?;
    let mut secrets = FirstSecrets::default();
    let mut events = Vec::new();
    if !needs_user && (!needs_tokens || presets.tokens.is_empty()) {
        return Ok(secrets);
    }
    let user = if needs_user { Some(first_user(passwords, presets, &mut secrets).await?) } else { None };
    let tx = db.begin().await?;
    if let Some(user) = user {
        let made = accounts::insert_user(&tx, user, Way::CommandLine, now, &Actor::system()).await;
        events.push(made.map_err(StartError::User)?.1);
    }
    if needs_tokens {
        events.extend(preset_tokens(&tx, &presets.tokens, now).await?);
        if needs_user && !presets.names_a_user() && presets.tokens.is_empty() {
            let (secret, event) = generated_token(&tx, now).await?;
            secrets.admin_token = Some(secret);
            events.push(event);
        }
    }
    tx.commit(now, events).await?;
    Ok(secrets)
}

/// The first user, as the operator wants it; a password is generated where none was given.
async fn first_user(
    passwords: &Passwords,
    presets: &Presets,
    secrets: &mut FirstSecrets,
) -> Result<NewUser, StartError> {
    let name = presets.username.clone().unwrap_or_else(|| FIRST_NAME.to_owned());
    let password = if let Some(password) = &presets.password {
        if password::judge(password).is_err() {
            tracing::warn!(target: LOG, "the password of UNLEASH_DEFAULT_ADMIN_PASSWORD is weak");
        }
        password.clone()
    } else {
        let password = password::generate();
        secrets.user = Some((name.clone(), password.clone()));
        password
    };
    let hash = passwords.hash(password).await.map_err(|error| StartError::User(error.into()))?;
    Ok(NewUser {
        username: Some(name),
        password_hash: Some(hash),
        root_role_id: RootRole::Admin.id(),
        ..NewUser::default()
    })
}

async fn preset_tokens(tx: &Tx, tokens: &[PresetToken], now: Timestamp) -> Result<Vec<NewEvent>, StartError> {
    let mut seen = HashSet::new();
    let mut events = Vec::new();
    for token in tokens {
        let refuse = |reason: String| StartError::Preset { token: token.clone(), reason };
        let (reach, strength) = token.judge().map_err(refuse)?;
        if strength == Strength::Weak {
            tracing::warn!(target: LOG, "token {token:?} {WEAK}");
        }
        if !seen.insert(&token.secret) {
            return Err(refuse("it is listed twice".to_owned()));
        }
        let secret = token.secret.clone();
        let made = insert_token(tx, &reach, secret, now).await;
        events.push(made.map_err(StartError::User)?);
    }
    Ok(events)
}

async fn generated_token(tx: &Tx, now: Timestamp) -> Result<(String, NewEvent), StartError> {
    let reach = Reach { kind: TokenKind::Admin, projects: vec![ALL.to_owned()], environment: ALL.to_owned() };
    let secret = reach.generate_secret();
    let made = insert_token(tx, &reach, secret.clone(), now).await;
    Ok((secret, made.map_err(StartError::User)?))
}

async fn insert_token(tx: &Tx, reach: &Reach, secret: String, now: Timestamp) -> Result<NewEvent, AccountError> {
    let system = Actor::system();
    accounts::insert_token(tx, reach, secret, FIRST_NAME, None, now, Maker::operator(&system)).await
}

/// Returns a sentence about each preset token that names a project or an environment that does not exist. No secret is
/// in it.
pub async fn unknown_places(db: &Db, presets: &Presets) -> Result<Vec<String>, StoreError> {
    let mut unknown = Vec::new();
    if presets.tokens.is_empty() {
        return Ok(unknown);
    }
    let environments = store::environments::names(db).await?;
    for token in &presets.tokens {
        let Ok((reach, _)) = token.judge() else { continue };
        let mut note = |kind: &str, name: &str| {
            unknown.push(format!(
                "token {token:?} is for the {kind} {name:?}, which does not exist: no feature is served with it before \
                 one of that name is created"
            ));
        };
        if reach.environment != ALL && !environments.contains(&reach.environment) {
            note("environment", &reach.environment);
        }
        for project in reach.projects().unwrap_or_default() {
            if !store::projects::exists(db, project).await? {
                note("project", project);
            }
        }
    }
    Ok(unknown)
}

/// Deletes everything that is encrypted, for when the key is lost; the next start takes the key it finds. Returns the
/// ids of the settings that are gone.
pub async fn forget_sealed(db: &Db, now: Timestamp) -> Result<Vec<&'static str>, StoreError> {
    let tx = db.begin().await?;
    let owners: Vec<i64> = store::users::second_factors::owners(&tx).await?.into_iter().collect();
    let owners = store::users::list(&tx, &owners).await?;
    let gone = store::settings::forget_sealed(&tx).await?;
    let actor = Actor::system();
    let settings = gone.iter().map(|id| setting_changed(EventKind::SettingDeleted, id, &actor));
    let factors =
        owners.iter().map(|owner| accounts::second_factor_changed(owner, SecondFactorChange::Removed, 0, &actor));
    tx.commit(now, settings.chain(factors).collect::<Vec<_>>()).await?;
    Ok(gone)
}
