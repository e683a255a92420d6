//! Roles.

mod uses;

pub use self::uses::{RoleUse, uses};

use std::collections::BTreeMap;

use flagstone_domain::{
    permission::Permission,
    role::{CustomKind, PROJECT_KINDS, ROOT_KINDS, RoleDocument, RoleGrant, RootRole},
};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect,
    sea_query::{Expr, LockType},
};

use crate::{
    StoreError,
    db::{Db, Tx},
    entity::{app_user, environment, project_group_role, project_user_role, role, role_permission, user_group},
};

/// A role as answers show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Role {
    /// Id of the role.
    pub id: i64,
    /// Scope of the role, such as `root` or `project`.
    pub kind: String,
    /// Unique name.
    pub name: String,
    /// Purpose of the role.
    pub description: String,
}

impl From<role::Model> for Role {
    fn from(row: role::Model) -> Self {
        Self { id: row.id, kind: row.r#type, name: row.name, description: row.description }
    }
}

/// Content of a custom role to store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoleContent {
    /// Unique name.
    pub name: String,
    /// Purpose of the role.
    pub description: String,
    /// Permissions, each once.
    pub permissions: Vec<RoleGrant>,
}

/// The role with this id.
pub async fn find(db: &impl ConnectionTrait, id: i64) -> Result<Option<Role>, StoreError> {
    let row = role::Entity::find_by_id(id).one(db).await?;
    Ok(row.map(Role::from))
}

/// The built-in role that may do everything.
pub async fn admin(db: &Db) -> Result<&Role, StoreError> {
    let read = async || {
        let role = find(db, RootRole::Admin.id()).await?;
        Ok(role.ok_or_else(|| DbErr::RecordNotFound("role Admin".to_owned()))?)
    };
    db.memory().admin_role.get_or_try_init(read).await
}

/// Every role, by id.
pub async fn list(db: &impl ConnectionTrait) -> Result<Vec<Role>, StoreError> {
    let rows = role::Entity::find().order_by_asc(role::Column::Id).all(db).await?;
    Ok(rows.into_iter().map(Role::from).collect())
}

/// Every role that counts in projects, by id.
pub async fn list_for_projects(db: &impl ConnectionTrait) -> Result<Vec<Role>, StoreError> {
    let rows = role::Entity::find()
        .filter(role::Column::Type.is_in(PROJECT_KINDS))
        .order_by_asc(role::Column::Id)
        .all(db)
        .await?;
    Ok(rows.into_iter().map(Role::from).collect())
}

/// Whether a role with this id exists that counts in the whole instance.
pub async fn is_root(db: &impl ConnectionTrait, id: i64) -> Result<bool, StoreError> {
    Ok(role::Entity::find_by_id(id).filter(role::Column::Type.is_in(ROOT_KINDS)).count(db).await? > 0)
}

/// Whether a role with this id exists that counts in the whole instance. It is not deleted until the transaction ends.
pub async fn hold_root(tx: &Tx, id: i64) -> Result<bool, StoreError> {
    let role = role::Entity::find_by_id(id).filter(role::Column::Type.is_in(ROOT_KINDS)).lock(LockType::Share);
    Ok(role.one(tx).await?.is_some())
}

/// Id of the role with this name.
pub async fn find_named(db: &impl ConnectionTrait, name: &str) -> Result<Option<i64>, StoreError> {
    let row = role::Entity::find().filter(role::Column::Name.eq(name)).one(db).await?;
    Ok(row.map(|row| row.id))
}

/// The permissions of each of some roles, sorted. Grants of a built-in role that hold in one project only are left out.
pub async fn permissions_of(
    db: &impl ConnectionTrait,
    ids: &[i64],
) -> Result<BTreeMap<i64, Vec<RoleGrant>>, StoreError> {
    let rows = role_permission::Entity::find()
        .filter(role_permission::Column::RoleId.is_in(ids.iter().copied()))
        .filter(role_permission::Column::Project.is_null())
        .all(db)
        .await?;
    let mut found: BTreeMap<i64, Vec<RoleGrant>> = BTreeMap::new();
    for row in rows {
        // A permission that this version does not know grants nothing.
        if let Some(permission) = Permission::parse(&row.permission) {
            let environment = row.environment.filter(|name| name != "*");
            found.entry(row.role_id).or_default().push(RoleGrant { permission, environment });
        }
    }
    for grants in found.values_mut() {
        grants.sort();
        grants.dedup();
    }
    Ok(found)
}

/// A role with what it allows.
pub async fn find_document(db: &impl ConnectionTrait, id: i64) -> Result<Option<RoleDocument>, StoreError> {
    let Some(Role { id, kind, name, description }) = find(db, id).await? else { return Ok(None) };
    let permissions = permissions_of(db, &[id]).await?.remove(&id).unwrap_or_default();
    Ok(Some(RoleDocument { id, name, kind, description, permissions }))
}

/// Returns a role, locked until the transaction ends, so that it is neither changed nor given to users meanwhile.
pub async fn hold(tx: &Tx, id: i64) -> Result<Option<RoleDocument>, StoreError> {
    match role::Entity::find_by_id(id).lock(LockType::Update).one(tx).await? {
        Some(_) => find_document(tx, id).await,
        None => Ok(None),
    }
}

/// Makes a role and returns its id.
pub async fn insert(tx: &Tx, kind: CustomKind, content: &RoleContent) -> Result<i64, StoreError> {
    let row = role::ActiveModel {
        name: Set(content.name.clone()),
        r#type: Set(kind.as_str().to_owned()),
        description: Set(content.description.clone()),
        ..Default::default()
    };
    let id = role::Entity::insert(row).exec_with_returning(tx).await?.id;
    grant(tx, id, &content.permissions).await?;
    Ok(id)
}

/// Updates a role to `content`.
pub async fn save(tx: &Tx, id: i64, content: &RoleContent) -> Result<(), StoreError> {
    let row = role::ActiveModel {
        id: Set(id),
        name: Set(content.name.clone()),
        description: Set(content.description.clone()),
        ..Default::default()
    };
    role::Entity::update(row).exec(tx).await?;
    role_permission::Entity::delete_many().filter(role_permission::Column::RoleId.eq(id)).exec(tx).await?;
    grant(tx, id, &content.permissions).await
}

async fn grant(tx: &Tx, role_id: i64, grants: &[RoleGrant]) -> Result<(), StoreError> {
    if grants.is_empty() {
        return Ok(());
    }
    let rows = grants.iter().map(|grant| role_permission::ActiveModel {
        role_id: Set(role_id),
        permission: Set(grant.permission.as_str().to_owned()),
        environment: Set(grant.environment.clone()),
        ..Default::default()
    });
    role_permission::Entity::insert_many(rows).exec_without_returning(tx).await?;
    Ok(())
}

/// Whether a role has holders, in the instance or in a project, or is to be given through a group.
pub async fn is_held(db: &impl ConnectionTrait, id: i64) -> Result<bool, StoreError> {
    let people = app_user::Entity::find()
        .filter(app_user::Column::RootRoleId.eq(id))
        .filter(app_user::Column::DeletedAt.is_null())
        .count(db)
        .await?;
    let groups = user_group::Entity::find().filter(user_group::Column::RootRoleId.eq(id)).count(db).await?;
    let users = project_user_role::Entity::find().filter(project_user_role::Column::RoleId.eq(id)).count(db).await?;
    let in_projects = project_group_role::Entity::find().filter(project_group_role::Column::RoleId.eq(id));
    Ok(people + groups + users + in_projects.count(db).await? > 0)
}

/// Removes a role without holders. People who were deleted but are still named keep the least one instead.
pub async fn delete(tx: &Tx, id: i64) -> Result<(), StoreError> {
    app_user::Entity::update_many()
        .col_expr(app_user::Column::RootRoleId, Expr::value(RootRole::Viewer.id()))
        .filter(app_user::Column::RootRoleId.eq(id))
        .filter(app_user::Column::DeletedAt.is_not_null())
        .exec(tx)
        .await?;
    role::Entity::delete_by_id(id).exec(tx).await?;
    Ok(())
}

/// Names of the environments that a grant can be bound to, in their order.
pub async fn environments(db: &impl ConnectionTrait) -> Result<Vec<String>, StoreError> {
    let names = environment::Entity::find()
        .select_only()
        .column(environment::Column::Name)
        .order_by_asc(environment::Column::SortOrder)
        .order_by_asc(environment::Column::Name)
        .into_tuple()
        .all(db)
        .await?;
    Ok(names)
}
