//! People, and the roles that they hold in projects.

use flagstone_domain::{
    account_powers::Origin,
    email,
    identity::Relinking,
    opaque_debug,
    scim::{KeptUser, Names},
    time::Timestamp,
    user::AccountKind,
};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, Condition, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder,
    sea_query::{Expr, ExprTrait},
};

use crate::{
    StoreError,
    db::{
        Tx,
        value::{json_column, to_json_column},
    },
    entity::{app_user, project_user_role},
};

/// A user to create.
#[derive(Clone, Default)]
pub struct NewUser {
    /// Unique name to sign in with.
    pub username: Option<String>,
    /// Unique address, which serves to sign in too.
    pub email: Option<String>,
    /// Display name.
    pub name: Option<String>,
    /// Argon2 hash of the password; without one the user cannot sign in with a password.
    pub password_hash: Option<String>,
    /// The role in the whole instance.
    pub root_role_id: i64,
    /// Kind of the account.
    pub kind: AccountKind,
    /// Attributes of the directory, if one keeps the user.
    pub kept: Option<KeptUser>,
    /// Since when the user may not come in.
    pub deactivated_at: Option<Timestamp>,
    /// Whether the root role is the default of new users, and none that a person gave.
    pub has_newcomer_role: bool,
    /// Id of the directory that creates the user; `None` for the default one, and for none.
    pub directory_id: Option<i64>,
}

opaque_debug!(NewUser { username, email, .. });

/// Makes a user and returns the id.
pub async fn insert_user(tx: &Tx, new: &NewUser, now: Timestamp) -> Result<i64, StoreError> {
    let row = app_user::ActiveModel {
        username: Set(new.username.clone()),
        email: Set(new.email.clone()),
        name: Set(new.name.clone()),
        password_hash: Set(new.password_hash.clone()),
        root_role_id: Set(new.root_role_id),
        is_system: Set(false),
        is_service: Set(new.kind == AccountKind::ServiceAccount),
        login_attempts: Set(0),
        created_at: Set(now),
        scim_key: Set(key_of(new.kept.as_ref())),
        scim_external_id: Set(new.kept.as_ref().and_then(|kept| kept.external_id.clone())),
        scim_names: Set(new.kept.as_ref().map(|kept| to_json_column(&kept.names))),
        deactivated_at: Set(new.deactivated_at),
        scim_origin: Set(new.kept.as_ref().map(|_| Origin::Made.as_str().to_owned())),
        ended_by_directory: Set(new.kept.is_some() && new.deactivated_at.is_some()),
        has_newcomer_role: Set(new.has_newcomer_role),
        scim_directory_id: Set(new.directory_id),
        ..Default::default()
    };
    Ok(app_user::Entity::insert(row).exec_with_returning(tx).await?.id)
}

/// Key of a directory's users, unique among them.
pub(crate) fn key_of(kept: Option<&KeptUser>) -> Option<String> {
    kept.map(|kept| kept.names.user_name.to_ascii_lowercase())
}

/// A person who can sign in, or could if there were a password; or a program.
#[derive(Clone)]
pub struct Account {
    /// Id of the user.
    pub id: i64,
    /// Kind of the account.
    pub kind: AccountKind,
    /// Unique name to sign in with.
    pub username: Option<String>,
    /// Unique address, which serves to sign in too.
    pub email: Option<String>,
    /// Display name.
    pub name: Option<String>,
    /// Hash of the password; `None` when there is none to sign in with.
    pub password_hash: Option<String>,
    /// The role in the whole instance.
    pub root_role_id: i64,
    /// Failed sign-ins since the last good one.
    pub login_attempts: i64,
    /// When the user was created.
    pub created_at: Timestamp,
    /// When the user was last active.
    pub seen_at: Option<Timestamp>,
    /// Attributes of the directory, if one keeps the user.
    pub kept: Option<KeptUser>,
    /// Since when the user may not come in.
    pub deactivated_at: Option<Timestamp>,
    /// When the user was last let in again after that.
    pub activated_at: Option<Timestamp>,
    /// When the names or the like last changed.
    pub changed_at: Option<Timestamp>,
    /// Way in which the account came to a directory; nothing for one by hand.
    pub origin: Option<Origin>,
    /// Id of the directory that the account belongs to; `None` for the default one, and for none.
    pub directory_id: Option<i64>,
    /// Whether the directory deactivated or deleted it, and not a person.
    pub ended_by_directory: bool,
    /// Whether the root role is the default of new users, and none that a person gave.
    pub has_newcomer_role: bool,
    /// Period in which a new identity with the user's email may replace the identities that the user has.
    pub relinking: Option<Relinking>,
}

opaque_debug!(Account { id, .. });

impl From<app_user::Model> for Account {
    fn from(row: app_user::Model) -> Self {
        // Names that this version cannot read are those of a user whom the directory writes again.
        let names = row.scim_names.as_deref().and_then(|names| json_column("scim_names", names).ok());
        let names = names.or_else(|| row.scim_key.clone().map(|user_name| Names { user_name, ..Names::default() }));
        Self {
            kept: names
                .filter(|_| row.scim_key.is_some())
                .map(|names| KeptUser { names, external_id: row.scim_external_id }),
            deactivated_at: row.deactivated_at,
            activated_at: row.activated_at,
            changed_at: row.changed_at,
            origin: row.scim_origin.as_deref().map(Origin::parse),
            directory_id: row.scim_directory_id,
            ended_by_directory: row.ended_by_directory,
            has_newcomer_role: row.has_newcomer_role,
            relinking: Relinking::read(row.relinked_provider.as_deref(), row.relinked_until),
            id: row.id,
            kind: if row.is_service { AccountKind::ServiceAccount } else { AccountKind::User },
            username: row.username,
            email: row.email,
            name: row.name,
            password_hash: row.password_hash,
            root_role_id: row.root_role_id,
            login_attempts: row.login_attempts,
            created_at: row.created_at,
            seen_at: row.seen_at,
        }
    }
}

/// Condition for people: not deleted, no program, and none of the accounts in whose name the system acts.
pub(crate) fn is_person() -> Condition {
    is_account().add(app_user::Column::IsService.eq(false))
}

/// Condition for people and programs that have an account, and are not deleted.
pub(crate) fn is_account() -> Condition {
    Condition::all().add(app_user::Column::IsSystem.eq(false)).add(app_user::Column::DeletedAt.is_null())
}

/// The people.
pub(crate) fn people() -> sea_orm::Select<app_user::Entity> {
    app_user::Entity::find().filter(is_person())
}

/// Whether there is or was any person.
pub async fn any_person(db: &impl ConnectionTrait) -> Result<bool, StoreError> {
    let people = app_user::Entity::find()
        .filter(app_user::Column::IsSystem.eq(false))
        .filter(app_user::Column::IsService.eq(false));
    Ok(people.count(db).await? > 0)
}

/// All people, by id.
pub async fn list_accounts(db: &impl ConnectionTrait) -> Result<Vec<Account>, StoreError> {
    let rows = people().order_by_asc(app_user::Column::Id).all(db).await?;
    Ok(rows.into_iter().map(Account::from).collect())
}

/// All accounts that can be given a role in a project, people and programs, by id.
pub async fn list_with_programs(db: &impl ConnectionTrait) -> Result<Vec<Account>, StoreError> {
    let rows = app_user::Entity::find().filter(is_account()).order_by_asc(app_user::Column::Id).all(db).await?;
    Ok(rows.into_iter().map(Account::from).collect())
}

/// The person or program with this id.
pub async fn find_anybody(db: &impl ConnectionTrait, id: i64) -> Result<Option<Account>, StoreError> {
    let row = app_user::Entity::find_by_id(id).filter(is_account()).one(db).await?;
    Ok(row.map(Account::from))
}

/// The person with this user name, or else with this email, in upper or lower case.
pub async fn find_account(db: &impl ConnectionTrait, login: &str) -> Result<Option<Account>, StoreError> {
    let by_name = app_user::Column::Username.eq(login);
    let by_email = app_user::Column::Email.eq(email::folded(login));
    let rows = people().filter(by_name.or(by_email)).order_by_asc(app_user::Column::Id).all(db).await?;
    let position = rows.iter().position(|row| row.username.as_deref() == Some(login)).unwrap_or(0);
    Ok(rows.into_iter().nth(position).map(Account::from))
}

/// The person with this email, in upper or lower case.
pub async fn with_email(db: &impl ConnectionTrait, email: &str) -> Result<Option<Account>, StoreError> {
    let row = people().filter(app_user::Column::Email.eq(email::folded(email))).one(db).await?;
    Ok(row.map(Account::from))
}

/// Counts an attempt to sign in, which has failed unless [`note_sign_in`] follows.
pub async fn count_failed_sign_in(tx: &Tx, user_id: i64) -> Result<(), StoreError> {
    let attempts = Expr::col(app_user::Column::LoginAttempts).add(1);
    app_user::Entity::update_many()
        .col_expr(app_user::Column::LoginAttempts, attempts)
        .filter(app_user::Column::Id.eq(user_id))
        .exec(tx)
        .await?;
    Ok(())
}

/// Notes a good sign-in: the failed ones are forgotten.
pub async fn note_sign_in(tx: &Tx, user_id: i64, now: Timestamp) -> Result<(), StoreError> {
    let row = app_user::ActiveModel {
        id: Set(user_id),
        login_attempts: Set(0),
        seen_at: Set(Some(now)),
        ..Default::default()
    };
    app_user::Entity::update(row).exec(tx).await?;
    Ok(())
}

/// Gives a user another password, by its hash, or takes it.
pub async fn set_password_hash(tx: &Tx, user_id: i64, password_hash: Option<&str>) -> Result<(), StoreError> {
    let row = app_user::ActiveModel {
        id: Set(user_id),
        password_hash: Set(password_hash.map(str::to_owned)),
        login_attempts: Set(0),
        ..Default::default()
    };
    app_user::Entity::update(row).exec(tx).await?;
    Ok(())
}

/// Gives a person a role in a project.
pub async fn grant_project_role(
    tx: &Tx,
    project: &str,
    user_id: i64,
    role_id: i64,
    now: Timestamp,
) -> Result<(), StoreError> {
    let row = project_user_role::ActiveModel {
        project: Set(project.to_owned()),
        user_id: Set(user_id),
        role_id: Set(role_id),
        created_at: Set(now),
    };
    project_user_role::Entity::insert(row).on_conflict_do_nothing().exec_without_returning(tx).await?;
    Ok(())
}

/// Writes when users were last seen.
pub async fn mark_seen(tx: &Tx, sightings: &[(i64, Timestamp)]) -> Result<(), StoreError> {
    for (user_id, seen_at) in sightings {
        app_user::Entity::update_many()
            .col_expr(app_user::Column::SeenAt, Expr::value(*seen_at))
            .filter(app_user::Column::Id.eq(*user_id))
            .exec(tx)
            .await?;
    }
    Ok(())
}
