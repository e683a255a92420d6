//! The login providers that sessions came through.

use flagstone_domain::{sign_in::ProviderKey, time::Timestamp};
use flagstone_vault::Vault;
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, sea_query::Query,
};

use crate::{
    StoreError,
    db::Tx,
    entity::{session, session_provider},
    sign_in::identities::Subject,
};

/// Place for which the data of a session's provider is sealed.
pub const PLACE: &str = "session-provider";

/// The login provider that a session came through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionProvider {
    /// Key of the provider.
    pub provider: ProviderKey,
    /// Digest of the settings under which it came.
    pub settings_hash: String,
    /// Data that the provider is shown later, encrypted.
    pub sealed: String,
}

/// The login provider that a new session came through.
#[derive(Debug, Clone)]
pub struct NewSessionProvider<'a> {
    /// Digest of the session.
    pub session_digest: &'a str,
    /// The identity that was vouched for.
    pub subject: &'a Subject,
    /// The provider's own session, if it has a name.
    pub provider_session: Option<&'a str>,
    /// Digest of the settings in force.
    pub settings_hash: &'a str,
    /// Data that the provider is shown later, encrypted.
    pub sealed: &'a str,
    /// When access is checked again at the provider, if it can be.
    pub check_at: Option<Timestamp>,
}

/// Notes the login provider that a session came through.
pub async fn insert(tx: &Tx, new: NewSessionProvider<'_>) -> Result<(), StoreError> {
    let NewSessionProvider { session_digest, subject, provider_session, settings_hash, sealed, check_at } = new;
    let row = session_provider::ActiveModel {
        session_hash: Set(session_digest.to_owned()),
        provider: Set(subject.provider.to_string()),
        identity_hash: Set(subject.digest()),
        sid_hash: Set(provider_session.map(|id| subject.session_digest(id))),
        settings_hash: Set(settings_hash.to_owned()),
        sealed: Set(sealed.to_owned()),
        check_at: Set(check_at),
    };
    session_provider::Entity::insert(row).exec_without_returning(tx).await?;
    Ok(())
}

/// The login provider that a session came through; nothing for one that began with a password.
pub async fn find(db: &impl ConnectionTrait, session_digest: &str) -> Result<Option<SessionProvider>, StoreError> {
    let row = session_provider::Entity::find_by_id(session_digest).one(db).await?;
    Ok(row.and_then(|row| {
        let provider = ProviderKey::parse(&row.provider)?;
        Some(SessionProvider { provider, settings_hash: row.settings_hash, sealed: row.sealed })
    }))
}

/// Sessions that a provider ends.
#[derive(Debug, Clone, Copy)]
pub enum Ending<'a> {
    /// All sessions of a subject.
    Subject(&'a Subject),
    /// Sessions of this session of the provider; of the subject, only its issuer counts.
    ProviderSession(&'a Subject, &'a str),
    /// Session of this subject in this session of the provider.
    SubjectSession(&'a Subject, &'a str),
}

/// Ends sessions that a provider says have ended, and returns their number.
pub async fn end(tx: &Tx, ending: Ending<'_>) -> Result<u64, StoreError> {
    let mut ended = Query::select();
    ended.column(session_provider::Column::SessionHash).from(session_provider::Entity);
    match ending {
        Ending::Subject(subject) => ended.and_where(session_provider::Column::IdentityHash.eq(subject.digest())),
        Ending::ProviderSession(subject, id) => {
            ended.and_where(session_provider::Column::SidHash.eq(subject.session_digest(id)))
        }
        Ending::SubjectSession(subject, id) => ended
            .and_where(session_provider::Column::IdentityHash.eq(subject.digest()))
            .and_where(session_provider::Column::SidHash.eq(subject.session_digest(id))),
    };
    let sessions = session::Entity::delete_many().filter(session::Column::IdHash.in_subquery(ended));
    Ok(sessions.exec(tx).await?.rows_affected)
}

/// Ends all sessions that came through a provider, and returns their number.
pub async fn end_all_through(tx: &Tx, provider: &ProviderKey) -> Result<u64, StoreError> {
    let ended = Query::select()
        .column(session_provider::Column::SessionHash)
        .from(session_provider::Entity)
        .and_where(session_provider::Column::Provider.eq(provider.to_string()))
        .to_owned();
    let sessions = session::Entity::delete_many().filter(session::Column::IdHash.in_subquery(ended));
    Ok(sessions.exec(tx).await?.rows_affected)
}

/// Seals with the main key of the vault what is sealed with its previous one; what opens with neither is of no use, and
/// goes.
pub async fn reseal(tx: &Tx, vault: &Vault) -> Result<(), StoreError> {
    let rows = session_provider::Entity::find().order_by_asc(session_provider::Column::SessionHash).lock_exclusive();
    for row in rows.all(tx).await? {
        let sealed = match vault.open(PLACE, &row.sealed) {
            Ok((_, key)) if vault.is_main(key) => continue,
            Ok((plain, _)) => vault.main().seal(PLACE, &plain),
            Err(_) => String::new(),
        };
        let new = session_provider::ActiveModel {
            session_hash: Set(row.session_hash),
            sealed: Set(sealed),
            ..Default::default()
        };
        session_provider::Entity::update(new).exec(tx).await?;
    }
    Ok(())
}

/// Forgets the sealed data of the sessions' providers, for when the key is lost: the sessions go on and end here alone.
pub async fn forget_sealed(tx: &Tx) -> Result<(), StoreError> {
    session_provider::Entity::delete_many().exec(tx).await?;
    Ok(())
}
