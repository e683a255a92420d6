//! Administrators: an instance without one who can sign in cannot be administered.

use std::sync::Arc;

use flagstone_domain::{
    permission::Permission,
    preference::Preference as _,
    sign_in::{EnabledProviders, OpenProviders, PasswordSignIn, Provider, ProviderKey},
    time::Timestamp,
    ways_in::AdministratorWays,
};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter, QuerySelect, QueryTrait,
    sea_query::{Expr, ExprTrait, Query, SelectStatement},
};

use crate::{
    StoreError,
    access::people::people,
    db::{Tx, advisory_lock::AdvisoryLock},
    entity::{app_user, personal_token, role_permission, user_group, user_group_member, user_identity},
    preferences, sign_in,
};

/// The administrators that there were before a change.
#[derive(Debug, Clone, Copy)]
pub struct Administrators {
    /// Number of administrators.
    pub count: u64,
    /// When they were counted: a role or provider that ended by then does not count.
    at: Timestamp,
}

/// The administrators before a change that may make them fewer. Another such change waits until this one ends: two that
/// remove one of two administrators each would leave none.
pub async fn hold(tx: &Tx, now: Timestamp) -> Result<Administrators, StoreError> {
    tx.lock_on_postgres(AdvisoryLock::Administrators).await?;
    Ok(Administrators { count: count(tx, now).await?, at: now })
}

/// Whether a change took the last of those that there were `before`. Where there were none, nothing got worse.
pub async fn are_gone(tx: &Tx, before: Administrators) -> Result<bool, StoreError> {
    Ok(before.count > 0 && count(tx, before.at).await? == 0)
}

/// The number of people who may do everything, by their own root role or by that of a group, and have a credential for
/// it: a password while these can be used, an identity at a login provider that is on, or a personal token that has not
/// ended. Programs do not count: they cannot sign in to mend what they do.
async fn count(db: &impl ConnectionTrait, now: Timestamp) -> Result<u64, StoreError> {
    let administers = administers();
    let token_owners = Query::select()
        .column(personal_token::Column::UserId)
        .from(personal_token::Entity)
        .and_where(personal_token::Column::ExpiresAt.gt(now))
        .to_owned();
    // Users who were invited and never came cannot do anything yet, nor can deactivated ones.
    let acts = signs_in(db).await?.add(app_user::Column::Id.in_subquery(token_owners));
    let people = people().filter(acts).filter(administers).filter(app_user::Column::DeactivatedAt.is_null());
    Ok(people.count(db).await?)
}

/// Returns the ways in of the administrators, whatever is switched on.
pub async fn ways_in(db: &impl ConnectionTrait, now: Timestamp) -> Result<AdministratorWays, StoreError> {
    let living = || people().filter(administers()).filter(app_user::Column::DeactivatedAt.is_null());
    let with_password = living().filter(app_user::Column::PasswordHash.is_not_null()).count(db).await?;
    let token_owners = Query::select()
        .column(personal_token::Column::UserId)
        .from(personal_token::Entity)
        .and_where(personal_token::Column::ExpiresAt.gt(now))
        .to_owned();
    let with_token = living().filter(app_user::Column::Id.in_subquery(token_owners)).count(db).await?;
    let ids = living().select_only().column(app_user::Column::Id).into_query();
    let identities: Vec<(String, Option<String>)> = user_identity::Entity::find()
        .select_only()
        .column(user_identity::Column::Provider)
        .column(user_identity::Column::SettingsHash)
        .filter(user_identity::Column::UserId.in_subquery(ids))
        .into_tuple()
        .all(db)
        .await?;
    let walked =
        identities.into_iter().filter_map(|(provider, digest)| Some((ProviderKey::parse(&provider)?, digest?)));
    Ok(AdministratorWays { have_password: with_password > 0, have_token: with_token > 0, walked: walked.collect() })
}

/// Whether a user can sign in, by a password or through a login provider.
pub async fn can_sign_in(db: &impl ConnectionTrait, user_id: i64) -> Result<bool, StoreError> {
    let signs_in = signs_in(db).await?;
    Ok(people().filter(app_user::Column::Id.eq(user_id)).filter(signs_in).count(db).await? > 0)
}

/// Whether a user may do everything, whatever they have to do it with.
pub async fn may_everything(db: &impl ConnectionTrait, user_id: i64) -> Result<bool, StoreError> {
    Ok(people().filter(app_user::Column::Id.eq(user_id)).filter(administers()).count(db).await? > 0)
}

/// Condition that a user is an administrator, by their own root role or by that of a group.
fn administers() -> Condition {
    let through_group = Query::select()
        .column((user_group_member::Entity, user_group_member::Column::UserId))
        .from(user_group_member::Entity)
        .inner_join(
            user_group::Entity,
            Expr::col((user_group::Entity, user_group::Column::Id))
                .equals((user_group_member::Entity, user_group_member::Column::GroupId)),
        )
        .and_where(Expr::col((user_group::Entity, user_group::Column::RootRoleId)).in_subquery(roles()))
        .to_owned();
    Condition::any()
        .add(app_user::Column::RootRoleId.in_subquery(roles()))
        .add(app_user::Column::Id.in_subquery(through_group))
}

/// Condition that a user can sign in: with a password while that is not switched off, or through a login provider that
/// is on and knows them.
pub(crate) async fn signs_in(db: &impl ConnectionTrait) -> Result<Condition, StoreError> {
    let providers = OpenProviders {
        of_settings: preferences::find(db, EnabledProviders::ID).await?.unwrap_or_default(),
        further: Arc::new(sign_in::providers::buttons(db).await?),
    };
    let passwords: PasswordSignIn = preferences::find(db, PasswordSignIn::ID).await?.unwrap_or_default();
    let of_protocols = Provider::ALL.into_iter().filter(|protocol| providers.of_settings.has(*protocol));
    let further = providers.further.iter().map(|button| button.key.clone());
    let keys = of_protocols.map(ProviderKey::of_settings).chain(further);
    let known = Query::select()
        .column(user_identity::Column::UserId)
        .from(user_identity::Entity)
        .and_where(user_identity::Column::Provider.is_in(keys.map(|key| key.to_string())))
        .to_owned();
    let mut signs_in = Condition::any().add(app_user::Column::Id.in_subquery(known));
    if !passwords.is_off(&providers) {
        signs_in = signs_in.add(app_user::Column::PasswordHash.is_not_null());
    }
    Ok(signs_in)
}

/// The roles that allow everything.
fn roles() -> SelectStatement {
    Query::select()
        .column(role_permission::Column::RoleId)
        .from(role_permission::Entity)
        .and_where(role_permission::Column::Permission.eq(Permission::Admin.as_str()))
        .to_owned()
}
