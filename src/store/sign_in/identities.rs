//! Who somebody at a login provider is here.

use sea_orm::{ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder};

use crate::{
    domain::{
        identity::{ByEmail, Known, Owner},
        secret,
        sign_in::Provider,
        time::Timestamp,
    },
    store::{
        StoreError,
        access::people,
        db::{Tx, advisory_lock::AdvisoryLock},
        entity::{app_user, user_identity},
    },
};

/// Somebody at a login provider: who vouches, and for whom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject {
    /// The protocol.
    pub provider: Provider,
    /// Who vouches: the issuer, or the entity id.
    pub issuer: String,
    /// Subject of the user at the provider. Never used for anybody else, unlike an email.
    pub subject: String,
}

impl Subject {
    /// Stands for the whole of it in an index.
    pub fn digest(&self) -> String {
        digest(self.provider, &self.issuer, &self.subject)
    }

    /// The same for a session of the provider.
    pub fn session_digest(&self, session_id: &str) -> String {
        digest(self.provider, &self.issuer, session_id)
    }
}

/// Unambiguous, as no length can be taken for part of a text.
fn digest(provider: Provider, issuer: &str, name: &str) -> String {
    secret::digest(&format!("{} {} {issuer} {name}", provider.as_str(), issuer.len()))
}

/// An identity of a user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// Who it is at the provider.
    pub subject: Subject,
    /// The email that the provider gave last.
    pub email: Option<String>,
    /// When it was linked.
    pub created_at: Timestamp,
    /// When it was last used to sign in.
    pub seen_at: Timestamp,
}

/// What is known of somebody whom a provider gives this email. Where that is nothing, others who come for the first
/// time wait until the transaction ends: the identity that it makes is theirs, too, and not another one of the same
/// email.
pub async fn find(tx: &Tx, subject: &Subject, email: &str) -> Result<Known, StoreError> {
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
        .filter(user_identity::Column::Provider.eq(subject.provider.as_str()))
        .filter(user_identity::Column::Issuer.eq(&subject.issuer));
    let has_other_identity = others.count(tx).await? > 0;
    Ok(Known { owner: None, by_email: Some(ByEmail { user_id: user.id, has_other_identity }) })
}

/// The user with this identity.
async fn owner(tx: &Tx, subject: &Subject) -> Result<Option<Owner>, StoreError> {
    let Some(row) = user_identity::Entity::find_by_id(subject.digest()).one(tx).await? else { return Ok(None) };
    let user = app_user::Entity::find_by_id(row.user_id).one(tx).await?;
    let is_deleted = user.is_none_or(|user| user.deleted_at.is_some() || user.is_service);
    Ok(Some(Owner { user_id: row.user_id, is_deleted }))
}

/// Links an identity to a user.
pub async fn insert(tx: &Tx, subject: &Subject, email: &str, user_id: i64, now: Timestamp) -> Result<(), StoreError> {
    let row = user_identity::ActiveModel {
        identity_hash: Set(subject.digest()),
        provider: Set(subject.provider.as_str().to_owned()),
        issuer: Set(subject.issuer.clone()),
        subject: Set(subject.subject.clone()),
        user_id: Set(user_id),
        email: Set(Some(email.to_owned())),
        created_at: Set(now),
        seen_at: Set(now),
    };
    user_identity::Entity::insert(row).exec_without_returning(tx).await?;
    Ok(())
}

/// Notes that an identity signed in.
pub async fn note_seen(tx: &Tx, subject: &Subject, email: &str, now: Timestamp) -> Result<(), StoreError> {
    let row = user_identity::ActiveModel {
        identity_hash: Set(subject.digest()),
        email: Set(Some(email.to_owned())),
        seen_at: Set(now),
        ..Default::default()
    };
    user_identity::Entity::update(row).exec(tx).await?;
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

/// Forgets the identities of a user.
pub async fn remove_all(tx: &Tx, user_id: i64) -> Result<(), StoreError> {
    user_identity::Entity::delete_many().filter(user_identity::Column::UserId.eq(user_id)).exec(tx).await?;
    Ok(())
}

fn of_user(user_id: i64) -> sea_orm::Select<user_identity::Entity> {
    user_identity::Entity::find().filter(user_identity::Column::UserId.eq(user_id))
}

/// One of a protocol that this version does not know is none.
fn identity(row: user_identity::Model) -> Option<Identity> {
    let provider = Provider::parse(&row.provider)?;
    let subject = Subject { provider, issuer: row.issuer, subject: row.subject };
    Some(Identity { subject, email: row.email, created_at: row.created_at, seen_at: row.seen_at })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_subjects_share_a_digest_by_where_their_parts_end() {
        let digest = |provider, issuer: &str, subject: &str| {
            Subject { provider, issuer: issuer.to_owned(), subject: subject.to_owned() }.digest()
        };
        let one = digest(Provider::Oidc, "https://a b", "c");
        assert_ne!(one, digest(Provider::Oidc, "https://a", "b c"));
        assert_ne!(one, digest(Provider::Saml, "https://a b", "c"));
        assert_eq!(one, digest(Provider::Oidc, "https://a b", "c"));
    }
}
