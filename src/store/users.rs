//! Users as administrators see and change them.

mod inactive;
pub mod inactivity;
pub mod passkeys;
pub mod password_resets;
mod roles;
pub mod second_factors;
pub mod sessions;
pub mod signup_links;

pub use self::{
    inactive::{InactiveUser, hold_inactive, inactive},
    roles::{GroupOverview, find_root_role, groups, groups_of, project_roles, role_ids, root_roles},
};

use flagstone_domain::{email, role::RootRole, time::Timestamp};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QuerySelect,
    sea_query::{Condition, Expr, ExprTrait, Func, LockType},
};

use crate::{
    StoreError,
    access::{
        self,
        people::{Account, is_account, key_of, people},
    },
    db::{Tx, batches::ASKED_AT_ONCE, value::to_json_column},
    entity::{
        app_user, favorite_feature, favorite_project, password_reset, personal_token, project_user_role, recovery_code,
        role, second_factor, session, user_group_member,
    },
    groups,
};

/// The person with this id.
pub async fn find(db: &impl ConnectionTrait, id: i64) -> Result<Option<Account>, StoreError> {
    let row = people().filter(app_user::Column::Id.eq(id)).one(db).await?;
    Ok(row.map(Account::from))
}

/// Returns the person with this id, locked until the transaction ends.
pub async fn hold(tx: &Tx, id: i64) -> Result<Option<Account>, StoreError> {
    let row = people().filter(app_user::Column::Id.eq(id)).lock_exclusive().one(tx).await?;
    Ok(row.map(Account::from))
}

/// Keeps what belongs to an account, of a person or a program, from being added to by others until the transaction
/// ends.
pub(crate) async fn hold_account(tx: &Tx, id: i64) -> Result<(), StoreError> {
    app_user::Entity::find_by_id(id).lock(LockType::Update).one(tx).await?;
    Ok(())
}

/// Whether there is or was a person with this id.
pub async fn ever_was(db: &impl ConnectionTrait, id: i64) -> Result<bool, StoreError> {
    let row = app_user::Entity::find_by_id(id)
        .filter(app_user::Column::IsSystem.eq(false))
        .filter(app_user::Column::IsService.eq(false))
        .one(db)
        .await?;
    Ok(row.is_some())
}

/// Returns the people with these ids, by id.
pub async fn list(db: &impl ConnectionTrait, ids: &[i64]) -> Result<Vec<Account>, StoreError> {
    let mut rows = Vec::with_capacity(ids.len());
    for batch in ids.chunks(ASKED_AT_ONCE) {
        rows.extend(people().filter(app_user::Column::Id.is_in(batch.iter().copied())).all(db).await?);
    }
    rows.sort_unstable_by_key(|row| row.id);
    Ok(rows.into_iter().map(Account::from).collect())
}

/// Returns the properties whose names another user has already: `username` or `email`.
///
/// A user name may not be the email of another, nor the other way round: both serve to sign in.
pub async fn claimed(
    db: &impl ConnectionTrait,
    username: Option<&str>,
    email: Option<&str>,
    except: Option<i64>,
) -> Result<Option<&'static str>, StoreError> {
    for (property, name) in [("username", username), ("email", email)] {
        let Some(name) = name else { continue };
        let folded = email::folded(name);
        let mut taken = Condition::any().add(app_user::Column::Email.eq(folded.clone()));
        taken = match property {
            "email" => taken.add(Expr::expr(Func::lower(Expr::col(app_user::Column::Username))).eq(folded)),
            _ => taken.add(app_user::Column::Username.eq(name)),
        };
        let others = app_user::Entity::find()
            .select_only()
            .column(app_user::Column::Id)
            .filter(app_user::Column::DeletedAt.is_null())
            .filter(taken)
            .limit(2)
            .into_tuple::<i64>()
            .all(db)
            .await?;
        if others.into_iter().any(|id| Some(id) != except) {
            return Ok(Some(property));
        }
    }
    Ok(None)
}

/// Writes names and root role of a person, and whether they may come in.
pub async fn save(tx: &Tx, account: &Account, now: Timestamp) -> Result<(), StoreError> {
    let row = app_user::ActiveModel {
        id: Set(account.id),
        username: Set(account.username.clone()),
        email: Set(account.email.clone()),
        name: Set(account.name.clone()),
        root_role_id: Set(account.root_role_id),
        scim_key: Set(key_of(account.kept.as_ref())),
        scim_external_id: Set(account.kept.as_ref().and_then(|kept| kept.external_id.clone())),
        scim_names: Set(account.kept.as_ref().map(|kept| to_json_column(&kept.names))),
        deactivated_at: Set(account.deactivated_at),
        activated_at: Set(account.activated_at),
        changed_at: Set(Some(now)),
        scim_origin: Set(account.origin.map(|origin| origin.as_str().to_owned())),
        ended_by_directory: Set(account.ended_by_directory),
        has_newcomer_role: Set(account.has_newcomer_role),
        scim_directory_id: Set(account.directory_id),
        ..Default::default()
    };
    app_user::Entity::update(row).exec(tx).await?;
    Ok(())
}

/// Marks people and programs as deleted and takes from them everything that is theirs alone: sessions, personal tokens,
/// links, memberships, roles and favourites. Their rows stay for those that name them, and say whether a directory did
/// it.
pub async fn mark_deleted(tx: &Tx, ids: &[i64], by_directory: bool, now: Timestamp) -> Result<(), StoreError> {
    for batch in ids.chunks(ASKED_AT_ONCE) {
        mark_batch_deleted(tx, batch, by_directory, now).await?;
    }
    Ok(())
}

async fn mark_batch_deleted(tx: &Tx, ids: &[i64], by_directory: bool, now: Timestamp) -> Result<(), StoreError> {
    macro_rules! remove {
        ($($entity:ident),+) => {
            $(
                let own = $entity::Column::UserId.is_in(ids.iter().copied());
                $entity::Entity::delete_many().filter(own).exec(tx).await?;
            )+
        };
    }
    groups::note_changed(tx, groups::of_users(ids), now).await?;
    remove!(session, personal_token, password_reset, user_group_member, project_user_role);
    remove!(second_factor, recovery_code);
    remove!(favorite_feature, favorite_project);
    app_user::Entity::update_many()
        .col_expr(app_user::Column::DeletedAt, Expr::value(now))
        .col_expr(app_user::Column::PasswordHash, Expr::value(None::<String>))
        .col_expr(app_user::Column::EndedByDirectory, Expr::value(by_directory))
        .filter(app_user::Column::Id.is_in(ids.iter().copied()))
        .exec(tx)
        .await?;
    Ok(())
}

/// Ids of the administrators who can sign in: people with the root role Admin and a usable password, or an identity at
/// a login provider that is on.
///
/// No other transaction reads them through this call until this one ends, so that of two who would each leave the other
/// as the last one, the second sees what the first did.
pub async fn hold_administrators(tx: &Tx) -> Result<Vec<i64>, StoreError> {
    role::Entity::find_by_id(RootRole::Admin.id()).lock(LockType::NoKeyUpdate).one(tx).await?;
    let ids = people()
        .select_only()
        .column(app_user::Column::Id)
        .filter(app_user::Column::RootRoleId.eq(RootRole::Admin.id()))
        .filter(app_user::Column::DeactivatedAt.is_null())
        .filter(access::administrators::signs_in(tx).await?)
        .into_tuple()
        .all(tx)
        .await?;
    Ok(ids)
}

/// The accounts with the root role Admin, by how they come in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AdministratorCount {
    /// People who have a password.
    pub password: usize,
    /// People who have none.
    pub no_password: usize,
    /// Programs.
    pub service: usize,
}

/// Counts the accounts with the root role Admin.
pub async fn count_administrators(db: &impl ConnectionTrait) -> Result<AdministratorCount, StoreError> {
    let rows: Vec<(bool, Option<String>)> = app_user::Entity::find()
        .select_only()
        .columns([app_user::Column::IsService, app_user::Column::PasswordHash])
        .filter(is_account())
        .filter(app_user::Column::RootRoleId.eq(RootRole::Admin.id()))
        .into_tuple()
        .all(db)
        .await?;
    let service = rows.iter().filter(|(is_service, _)| *is_service).count();
    let password = rows.iter().filter(|(is_service, hash)| !is_service && hash.is_some()).count();
    Ok(AdministratorCount { password, no_password: rows.len() - service - password, service })
}
