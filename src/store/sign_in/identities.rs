//! Identities at login providers, and the users that they belong to.

use flagstone_domain::{
    identity::{ByEmail, Known, Owner, Relinking},
    secret,
    sign_in::ProviderKey,
    time::Timestamp,
};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect,
    sea_query::{Expr, ExprTrait, Func, Query},
};

use crate::{
    StoreError,
    access::people::{self, Account},
    db::{Tx, advisory_lock::AdvisoryLock, batches::ASKED_AT_ONCE},
    entity::{app_user, session_provider, user_identity},
};

/// An identity at a login provider: the provider, and its subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject {
    /// Key of the provider.
    pub provider: ProviderKey,
    /// Name of the provider: the issuer, or the entity id.
    pub issuer: String,
    /// Subject of the user at the provider. Never used for anybody else, unlike an email.
    pub subject: String,
}

impl Subject {
    /// Digest of the subject, for an index.
    pub fn digest(&self) -> String {
        digest(&self.provider, &self.issuer, &self.subject)
    }

    /// Digest for a session of the provider.
    pub fn session_digest(&self, session_id: &str) -> String {
        digest(&self.provider, &self.issuer, session_id)
    }
}

/// Unambiguous, as no length can be taken for part of a text.
fn digest(provider: &ProviderKey, issuer: &str, name: &str) -> String {
    secret::digest(&format!("{provider} {} {issuer} {name}", issuer.len()))
}

/// An identity of a user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// Id here: the digest of its subject, by which it is stored.
    pub id: String,
    /// Its subject at the provider.
    pub subject: Subject,
    /// The email that the provider gave last.
    pub email: Option<String>,
    /// When it was linked.
    pub created_at: Timestamp,
    /// When it was last used to sign in.
    pub seen_at: Timestamp,
}

/// Finds the owner of an identity, and the user with the email that the provider gave. Without an owner, other first
/// sign-ins wait until the transaction ends: the identity that it makes is theirs, too, and not another one of the same
/// email.
pub async fn find(tx: &Tx, subject: &Subject, email: &str, now: Timestamp) -> Result<Known, StoreError> {
    let mut owner = owner(tx, subject).await?;
    if owner.is_none() {
        tx.lock_on_postgres(AdvisoryLock::Identities).await?;
        owner = self::owner(tx, subject).await?;
    }
    if owner.is_some() {
        return Ok(Known { owner, by_email: None });
    }
    let user = people::with_email(tx, email).await?;
    let Some(user) = user else { return Ok(Known::default()) };
    let others = of_user(user.id)
        .filter(user_identity::Column::Provider.eq(subject.provider.to_string()))
        .filter(user_identity::Column::Issuer.eq(&subject.issuer));
    let has_other_identity = others.count(tx).await? > 0;
    let may_be_relinked = user.relinking.as_ref().is_some_and(|relinking| relinking.allows(&subject.provider, now));
    let by_email = ByEmail { user_id: user.id, has_other_identity, may_be_relinked };
    Ok(Known { owner: None, by_email: Some(by_email) })
}

/// The user with this identity.
async fn owner(tx: &Tx, subject: &Subject) -> Result<Option<Owner>, StoreError> {
    let mut row = user_identity::Entity::find_by_id(subject.digest()).one(tx).await?;
    if row.is_none() && subject.provider == ProviderKey::SAML {
        row = respelled(tx, subject).await?;
    }
    let Some(row) = row else { return Ok(None) };
    let user = app_user::Entity::find_by_id(row.user_id).one(tx).await?;
    let is_deleted = user.is_none_or(|user| user.deleted_at.is_some() || user.is_service);
    Ok(Some(Owner { user_id: row.user_id, is_deleted }))
}

/// The identity whose subject an earlier version kept in the case in which it came first. It is kept as this one from
/// now on, and so are the sessions that it began.
async fn respelled(tx: &Tx, subject: &Subject) -> Result<Option<user_identity::Model>, StoreError> {
    let row = user_identity::Entity::find()
        .filter(user_identity::Column::Provider.eq(subject.provider.to_string()))
        .filter(user_identity::Column::Issuer.eq(&subject.issuer))
        .filter(Expr::expr(Func::lower(Expr::col(user_identity::Column::Subject))).eq(&subject.subject))
        .order_by_asc(user_identity::Column::CreatedAt)
        .order_by_asc(user_identity::Column::IdentityHash)
        .one(tx)
        .await?;
    let Some(row) = row else { return Ok(None) };
    user_identity::Entity::update_many()
        .col_expr(user_identity::Column::IdentityHash, Expr::value(subject.digest()))
        .col_expr(user_identity::Column::Subject, Expr::value(subject.subject.clone()))
        .filter(user_identity::Column::IdentityHash.eq(&row.identity_hash))
        .exec(tx)
        .await?;
    session_provider::Entity::update_many()
        .col_expr(session_provider::Column::IdentityHash, Expr::value(subject.digest()))
        .filter(session_provider::Column::IdentityHash.eq(&row.identity_hash))
        .exec(tx)
        .await?;
    Ok(Some(row))
}

/// An identity to be linked to a user.
#[derive(Debug, Clone, Copy)]
pub struct NewIdentity<'a> {
    /// Its subject at the provider.
    pub subject: &'a Subject,
    /// The email that the provider gave; `None` before the first sign-in.
    pub email: Option<&'a str>,
    /// Whether it proves whose the account is: the provider is trusted for the email and proved that it is the person's, or
    /// an administrator says so.
    pub proves_owner: bool,
    /// Digest of the settings under which it signed in.
    pub settings: Option<&'a str>,
}

/// Links an identity to a user.
pub async fn insert(tx: &Tx, new: NewIdentity<'_>, user_id: i64, now: Timestamp) -> Result<(), StoreError> {
    let NewIdentity { subject, email, proves_owner, settings } = new;
    let row = user_identity::ActiveModel {
        identity_hash: Set(subject.digest()),
        provider: Set(subject.provider.to_string()),
        issuer: Set(subject.issuer.clone()),
        subject: Set(subject.subject.clone()),
        user_id: Set(user_id),
        email: Set(email.map(str::to_owned)),
        created_at: Set(now),
        seen_at: Set(now),
        settings_hash: Set(settings.map(str::to_owned)),
        proves_owner: Set(proves_owner),
    };
    user_identity::Entity::insert(row).exec_without_returning(tx).await?;
    Ok(())
}

/// Notes that an identity signed in under settings of this digest.
pub async fn note_seen(
    tx: &Tx,
    subject: &Subject,
    email: &str,
    settings: &str,
    now: Timestamp,
) -> Result<(), StoreError> {
    let row = user_identity::ActiveModel {
        identity_hash: Set(subject.digest()),
        email: Set(Some(email.to_owned())),
        seen_at: Set(now),
        settings_hash: Set(Some(settings.to_owned())),
        ..Default::default()
    };
    user_identity::Entity::update(row).exec(tx).await?;
    Ok(())
}

/// Replaces the digest of the settings under which identities of a provider signed in.
pub async fn carry_over(tx: &Tx, provider: &ProviderKey, from: &str, to: &str) -> Result<(), StoreError> {
    user_identity::Entity::update_many()
        .col_expr(user_identity::Column::SettingsHash, Expr::value(to))
        .filter(user_identity::Column::Provider.eq(provider.to_string()))
        .filter(user_identity::Column::SettingsHash.eq(from))
        .exec(tx)
        .await?;
    session_provider::Entity::update_many()
        .col_expr(session_provider::Column::SettingsHash, Expr::value(to))
        .filter(session_provider::Column::Provider.eq(provider.to_string()))
        .filter(session_provider::Column::SettingsHash.eq(from))
        .exec(tx)
        .await?;
    Ok(())
}

/// The identities of a user, oldest first. A deleted user has theirs still.
pub async fn list(db: &impl ConnectionTrait, user_id: i64) -> Result<Vec<Identity>, StoreError> {
    let rows = of_user(user_id)
        .order_by_asc(user_identity::Column::CreatedAt)
        .order_by_asc(user_identity::Column::IdentityHash)
        .all(db)
        .await?;
    Ok(rows.into_iter().filter_map(identity).collect())
}

/// Whether an identity proves whose the account of a user is.
pub async fn has_proof(db: &impl ConnectionTrait, user_id: i64) -> Result<bool, StoreError> {
    Ok(of_user(user_id).filter(user_identity::Column::ProvesOwner.eq(true)).count(db).await? > 0)
}

/// Removes the identities of a user, and returns them.
pub async fn take_all(tx: &Tx, user_id: i64) -> Result<Vec<Identity>, StoreError> {
    let taken = list(tx, user_id).await?;
    remove_all(tx, user_id).await?;
    Ok(taken)
}

/// Forgets the identities that a user has of one provider, and returns them: another one takes their place. The
/// permission for it is used up.
pub async fn take_over(tx: &Tx, user_id: i64, provider: &ProviderKey) -> Result<Vec<Identity>, StoreError> {
    let of_provider =
        || user_identity::Column::Provider.eq(provider.to_string()).and(user_identity::Column::UserId.eq(user_id));
    let rows = user_identity::Entity::find().filter(of_provider()).order_by_asc(user_identity::Column::CreatedAt);
    let taken = rows.all(tx).await?.into_iter().filter_map(identity).collect();
    user_identity::Entity::delete_many().filter(of_provider()).exec(tx).await?;
    let user = app_user::ActiveModel {
        id: Set(user_id),
        relinked_until: Set(None),
        relinked_provider: Set(None),
        ..Default::default()
    };
    app_user::Entity::update(user).exec(tx).await?;
    Ok(taken)
}

/// The people of these ids, or all who have an identity of one provider. By id.
pub async fn to_relink(tx: &Tx, provider: &ProviderKey, ids: Option<&[i64]>) -> Result<Vec<Account>, StoreError> {
    let owners = Query::select()
        .column(user_identity::Column::UserId)
        .from(user_identity::Entity)
        .and_where(user_identity::Column::Provider.eq(provider.to_string()))
        .to_owned();
    let found = people::people().filter(match ids {
        Some(ids) => app_user::Column::Id.is_in(ids.iter().copied()),
        None => app_user::Column::Id.in_subquery(owners),
    });
    let rows = found.order_by_asc(app_user::Column::Id).lock_exclusive().all(tx).await?;
    Ok(rows.into_iter().map(Account::from).collect())
}

/// Allows a new identity with the email of these users to replace their identities, of one provider until one time. It
/// replaces what was allowed before.
pub async fn let_relink(tx: &Tx, ids: &[i64], relinking: &Relinking) -> Result<(), StoreError> {
    for batch in ids.chunks(ASKED_AT_ONCE) {
        app_user::Entity::update_many()
            .col_expr(app_user::Column::RelinkedUntil, Expr::value(relinking.until))
            .col_expr(app_user::Column::RelinkedProvider, Expr::value(relinking.provider.to_string()))
            .filter(app_user::Column::Id.is_in(batch.iter().copied()))
            .exec(tx)
            .await?;
    }
    Ok(())
}

/// Forgets one identity, by its id.
pub async fn remove(tx: &Tx, id: &str) -> Result<(), StoreError> {
    user_identity::Entity::delete_by_id(id).exec(tx).await?;
    Ok(())
}

/// Forgets the identities of a user.
pub async fn remove_all(tx: &Tx, user_id: i64) -> Result<(), StoreError> {
    user_identity::Entity::delete_many().filter(user_identity::Column::UserId.eq(user_id)).exec(tx).await?;
    Ok(())
}

fn of_user(user_id: i64) -> sea_orm::Select<user_identity::Entity> {
    user_identity::Entity::find().filter(user_identity::Column::UserId.eq(user_id))
}

/// Identity of a row. One of a protocol that this version does not know is none.
fn identity(row: user_identity::Model) -> Option<Identity> {
    let provider = ProviderKey::parse(&row.provider)?;
    let subject = Subject { provider, issuer: row.issuer, subject: row.subject };
    Some(Identity {
        id: row.identity_hash,
        subject,
        email: row.email,
        created_at: row.created_at,
        seen_at: row.seen_at,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_subjects_share_a_digest_by_where_their_parts_end() {
        let digest = |provider: &str, issuer: &str, subject: &str| {
            let provider = ProviderKey::parse(provider).expect("a key");
            Subject { provider, issuer: issuer.to_owned(), subject: subject.to_owned() }.digest()
        };
        let one = digest("oidc", "https://a b", "c");
        assert_ne!(one, digest("oidc", "https://a", "b c"));
        assert_ne!(one, digest("saml", "https://a b", "c"));
        assert_ne!(one, digest("oidc:a", "https://a b", "c"));
        assert_ne!(digest("oidc:a", "https://a b", "c"), digest("oidc:b", "https://a b", "c"));
        assert_eq!(one, digest("oidc", "https://a b", "c"));
    }
}
