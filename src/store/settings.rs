//! Settings of the instance. Those of login providers are sealed before they get here.

use flagstone_domain::{
    preference::Preference as _,
    settings::{OidcSettings, ProviderSettings, SamlSettings},
    sign_in::{EnabledProviders, Provider, ProviderKey},
    time::Timestamp,
};
use flagstone_vault::{FORM as SEALED_FORM, Key, Vault};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
};

use crate::{
    StoreError,
    db::{
        Tx,
        value::{json_column, to_json_column},
    },
    entity::setting,
    integrations, preferences, sign_in, tokens, users,
};

/// Id of the row that identifies the key of the others: it is sealed with it, too.
pub const KEY_CHECK: &str = "flagstone.key-check";
/// Id that stands in events for further login providers: alone for all, and before the id of one.
pub const PROVIDERS: &str = "flagstone.sign-in-providers";

/// Outcome of storing a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stored {
    /// Stored for the first time.
    Created,
    /// Stored in the place of another one.
    Updated,
    /// An equal one was there already.
    Unchanged,
}

/// The settings of a login provider; off when nothing is stored.
pub async fn get<T: ProviderSettings>(db: &impl ConnectionTrait, vault: &Vault) -> Result<T, StoreError> {
    match setting::Entity::find_by_id(T::ID).one(db).await? {
        Some(row) => unseal(vault, &row.content),
        None => Ok(T::off()),
    }
}

/// Notes through which login providers people can sign in, as their stored settings say (those are encrypted, and this
/// is not) unless the environment says otherwise.
pub async fn note_enabled(
    tx: &Tx,
    vault: &Vault,
    as_here: impl Fn(EnabledProviders) -> EnabledProviders + Send,
    now: Timestamp,
) -> Result<(), StoreError> {
    let oidc: OidcSettings = get(tx, vault).await?;
    let saml: SamlSettings = get(tx, vault).await?;
    let enabled = as_here(EnabledProviders { oidc: oidc.are_on(), saml: saml.are_on() });
    put_enabled(tx, |_| enabled, now).await
}

async fn put_enabled(
    tx: &Tx,
    change: impl FnOnce(EnabledProviders) -> EnabledProviders,
    now: Timestamp,
) -> Result<(), StoreError> {
    let noted: EnabledProviders = preferences::hold(tx, EnabledProviders::ID).await?.unwrap_or_default();
    let enabled = change(noted);
    if enabled != noted {
        preferences::put(tx, EnabledProviders::ID, &enabled, now).await?;
    }
    // Who came through a provider that is disabled comes no further, on any node.
    for provider in Provider::ALL.into_iter().filter(|provider| !enabled.has(*provider)) {
        sign_in::sessions::end_all_through(tx, &ProviderKey::of_settings(provider)).await?;
    }
    Ok(())
}

/// Puts the settings of a login provider in the place of those that are there.
pub async fn replace<T: ProviderSettings>(
    tx: &Tx,
    vault: &Vault,
    settings: &T,
    now: Timestamp,
) -> Result<Stored, StoreError> {
    let missing = || DbErr::Custom(format!("setting {}: sealed with a key that this server does not have", T::ID));
    let key = key_in_force(tx, vault, now).await?.ok_or_else(missing)?;
    let content = key.seal(T::ID, to_json_column(settings).as_bytes());
    if insert_if_absent(tx, T::ID, &content, now).await? {
        put_enabled(tx, |noted| noted.with(T::PROVIDER, settings.are_on()), now).await?;
        return Ok(Stored::Created);
    }
    // The lock makes two writers follow each other; SQLite has one writer anyway.
    let row = setting::Entity::find_by_id(T::ID).lock_exclusive().one(tx).await?;
    let before = row.and_then(|row| unseal::<T>(vault, &row.content).ok());
    if before.as_ref() == Some(settings) {
        return Ok(Stored::Unchanged);
    }
    let row = setting::ActiveModel {
        id: Set(T::ID.to_owned()),
        content: Set(content),
        updated_at: Set(now),
        ..Default::default()
    };
    setting::Entity::update(row).exec(tx).await?;
    put_enabled(tx, |noted| noted.with(T::PROVIDER, settings.are_on()), now).await?;
    Ok(Stored::Updated)
}

/// The key that this database is sealed with, if the vault has it; the first vault to ask sets it.
///
/// It stays until the transaction ends, so that what is sealed meanwhile is sealed with it: a node with this key alone
/// can still read everything.
pub async fn key_in_force<'a>(tx: &Tx, vault: &'a Vault, now: Timestamp) -> Result<Option<&'a Key>, StoreError> {
    if insert_if_absent(tx, KEY_CHECK, &vault.main().seal(KEY_CHECK, KEY_CHECK.as_bytes()), now).await? {
        return Ok(Some(vault.main()));
    }
    let row = setting::Entity::find_by_id(KEY_CHECK).lock_exclusive().one(tx).await?;
    Ok(row.and_then(|row| vault.open(KEY_CHECK, &row.content).ok()).map(|(_, key)| key))
}

/// The key that this database is sealed with, or else the main one of the vault. For values that do not last: asking
/// changes nothing.
pub async fn key_for_now<'a>(db: &impl ConnectionTrait, vault: &'a Vault) -> Result<&'a Key, StoreError> {
    let row = setting::Entity::find_by_id(KEY_CHECK).one(db).await?;
    let key = row.and_then(|row| vault.open(KEY_CHECK, &row.content).ok()).map(|(_, key)| key);
    Ok(key.unwrap_or(vault.main()))
}

/// Fit of keys with what is sealed in a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyFit {
    /// Nothing has been sealed yet.
    NothingSealed,
    /// No key was given to try.
    NoKey,
    /// The sealed values can be opened.
    Fits,
    /// The values were sealed with another key.
    Foreign,
}

/// Returns the fit of the keys of a vault with what is sealed in a database.
pub async fn key_fit(db: &impl ConnectionTrait, vault: Option<&Vault>) -> Result<KeyFit, StoreError> {
    let row = setting::Entity::find_by_id(KEY_CHECK).one(db).await?;
    Ok(match (row, vault) {
        (None, _) => KeyFit::NothingSealed,
        (Some(_), None) => KeyFit::NoKey,
        (Some(row), Some(vault)) if vault.open(KEY_CHECK, &row.content).is_ok() => KeyFit::Fits,
        (Some(_), Some(_)) => KeyFit::Foreign,
    })
}

/// Outcome of sealing everything again.
#[derive(Debug, PartialEq, Eq)]
pub enum Resealed {
    /// All values are sealed with the main key of the vault; the ids of those that were not before, sorted.
    All(Vec<String>),
    /// The row of this id opens with none of its keys: nothing of this transaction may be kept.
    Foreign(String),
}

/// Seals everything with the main key of the vault that is sealed with its previous one.
pub async fn reseal(tx: &Tx, vault: &Vault, now: Timestamp) -> Result<Resealed, StoreError> {
    // Before anything else, because every transaction that seals something asks for it first.
    if key_in_force(tx, vault, now).await?.is_none() {
        return Ok(Resealed::Foreign(KEY_CHECK.to_owned()));
    }
    let sealed = setting::Entity::find().filter(setting::Column::Content.starts_with(SEALED_FORM));
    let mut resealed = Vec::new();
    for row in sealed.order_by_asc(setting::Column::Id).lock_exclusive().all(tx).await? {
        let Ok((plain, key)) = vault.open(&row.id, &row.content) else { return Ok(Resealed::Foreign(row.id)) };
        if vault.is_main(key) {
            continue;
        }
        let content = vault.main().seal(&row.id, &plain);
        let new = setting::ActiveModel { id: Set(row.id.clone()), content: Set(content), ..Default::default() };
        setting::Entity::update(new).exec(tx).await?;
        resealed.push(row.id);
    }
    sign_in::sessions::reseal(tx, vault).await?;
    sign_in::providers::reseal(tx, vault).await?;
    integrations::reseal(tx, vault).await?;
    tokens::api::reseal(tx, vault).await?;
    users::second_factors::reseal(tx, vault).await?;
    resealed.sort_unstable();
    Ok(Resealed::All(resealed))
}

/// Forgets everything that is sealed, for when the key is lost. Returns the ids of the settings that are gone.
pub async fn forget_sealed(tx: &Tx) -> Result<Vec<&'static str>, StoreError> {
    for id in [KEY_CHECK, EnabledProviders::ID] {
        setting::Entity::delete_by_id(id).exec(tx).await?;
    }
    sign_in::sessions::forget_sealed(tx).await?;
    sign_in::sealed::remove_all(tx).await?;
    integrations::forget_sealed(tx).await?;
    tokens::api::forget_sealed(tx).await?;
    users::second_factors::forget_sealed(tx).await?;
    let mut gone = Vec::new();
    for id in [OidcSettings::ID, SamlSettings::ID, sign_in::client_keys::ID] {
        if setting::Entity::delete_by_id(id).exec(tx).await?.rows_affected > 0 {
            gone.push(id);
        }
    }
    if sign_in::providers::forget_sealed(tx).await? {
        gone.push(PROVIDERS);
    }
    Ok(gone)
}

async fn insert_if_absent(tx: &Tx, id: &str, content: &str, now: Timestamp) -> Result<bool, StoreError> {
    let row = setting::ActiveModel {
        id: Set(id.to_owned()),
        content: Set(content.to_owned()),
        created_at: Set(now),
        updated_at: Set(now),
    };
    let inserted = setting::Entity::insert(row).on_conflict_do_nothing().exec_without_returning(tx).await?;
    Ok(matches!(inserted, sea_orm::TryInsertResult::Inserted(rows) if rows > 0))
}

fn unseal<T: ProviderSettings>(vault: &Vault, content: &str) -> Result<T, StoreError> {
    let opened = vault.open(T::ID, content);
    let (plain, _) = opened.map_err(|error| DbErr::Custom(format!("setting {}: {error}", T::ID)))?;
    // The reader's own words could quote a secret.
    let unreadable = || DbErr::Custom(format!("setting {}: not what this version writes", T::ID));
    let text = String::from_utf8(plain).map_err(|_| unreadable())?;
    Ok(json_column("content", &text).map_err(|_| unreadable())?)
}
