//! Roles that people and groups hold in projects.

use std::collections::BTreeMap;

use flagstone_domain::{
    project::{ProjectScope, VisibleProject},
    project_access::{Given, Holder, in_order},
    role::OWNER,
    time::Timestamp,
};
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect,
    sea_query::{LockType, Query},
};

use crate::{
    StoreError,
    access::people::Account,
    db::{Tx, batches::WRITTEN_AT_ONCE},
    entity::{app_user, project, project_group_role, project_user_role, user_group_member},
    groups::{self, Group},
};

/// The roles of a user in a project, and since when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    /// Ids of the roles, sorted.
    pub roles: Vec<i64>,
    /// When the first of them was given.
    pub since: Timestamp,
}

/// Keeps other transactions from changing roles in a project until this one ends.
pub async fn hold(tx: &Tx, project: &ProjectScope) -> Result<(), StoreError> {
    project::Entity::find_by_id(project.id()).lock(LockType::Update).one(tx).await?;
    Ok(())
}

/// People with roles in a project, by id.
pub async fn users(db: &impl ConnectionTrait, project: &VisibleProject) -> Result<Vec<(Account, Held)>, StoreError> {
    let rows =
        project_user_role::Entity::find().filter(project_user_role::Column::Project.eq(project.id())).all(db).await?;
    let mut held = collect(rows.into_iter().map(|row| (row.user_id, row.role_id, row.created_at)));
    let ids = Query::select()
        .column(project_user_role::Column::UserId)
        .from(project_user_role::Entity)
        .and_where(project_user_role::Column::Project.eq(project.id()))
        .to_owned();
    let people = app_user::Entity::find()
        .filter(app_user::Column::Id.in_subquery(ids))
        .filter(app_user::Column::DeletedAt.is_null())
        .order_by_asc(app_user::Column::Id)
        .all(db)
        .await?;
    Ok(people.into_iter().filter_map(|row| held.remove(&row.id).map(|held| (Account::from(row), held))).collect())
}

/// Groups with roles in a project, by name.
pub async fn groups(db: &impl ConnectionTrait, project: &VisibleProject) -> Result<Vec<(Group, Held)>, StoreError> {
    let rows =
        project_group_role::Entity::find().filter(project_group_role::Column::Project.eq(project.id())).all(db).await?;
    let mut held = collect(rows.into_iter().map(|row| (row.group_id, row.role_id, row.created_at)));
    if held.is_empty() {
        return Ok(Vec::new());
    }
    let groups = groups::list(db).await?;
    Ok(groups.into_iter().filter_map(|group| held.remove(&group.document.id).map(|held| (group, held))).collect())
}

fn collect(rows: impl Iterator<Item = (i64, i64, Timestamp)>) -> BTreeMap<i64, Held> {
    let mut held: BTreeMap<i64, Held> = BTreeMap::new();
    for (holder, role, since) in rows {
        let held = held.entry(holder).or_insert(Held { roles: Vec::new(), since });
        held.since = held.since.min(since);
        held.roles.push(role);
    }
    for held in held.values_mut() {
        held.roles.sort_unstable();
    }
    held
}

/// Ids of a user's own roles in a project, sorted.
pub async fn roles_of(
    db: &impl ConnectionTrait,
    project: &VisibleProject,
    holder: Holder,
) -> Result<Vec<i64>, StoreError> {
    let mut roles: Vec<i64> = match holder {
        Holder::User(id) => {
            let query = project_user_role::Entity::find().select_only().column(project_user_role::Column::RoleId);
            let query = query.filter(project_user_role::Column::Project.eq(project.id()));
            query.filter(project_user_role::Column::UserId.eq(id)).into_tuple().all(db).await?
        }
        Holder::Group(id) => {
            let query = project_group_role::Entity::find().select_only().column(project_group_role::Column::RoleId);
            let query = query.filter(project_group_role::Column::Project.eq(project.id()));
            query.filter(project_group_role::Column::GroupId.eq(id)).into_tuple().all(db).await?
        }
    };
    roles.sort_unstable();
    Ok(roles)
}

/// Whether a person owns a project, directly or through a group.
pub async fn is_owner(db: &impl ConnectionTrait, project: &VisibleProject, user_id: i64) -> Result<bool, StoreError> {
    if roles_of(db, project, Holder::User(user_id)).await?.contains(&OWNER) {
        return Ok(true);
    }
    let theirs = Query::select()
        .column(user_group_member::Column::GroupId)
        .from(user_group_member::Entity)
        .and_where(user_group_member::Column::UserId.eq(user_id))
        .to_owned();
    let owning = project_group_role::Entity::find()
        .filter(project_group_role::Column::Project.eq(project.id()))
        .filter(project_group_role::Column::RoleId.eq(OWNER))
        .filter(project_group_role::Column::GroupId.in_subquery(theirs));
    Ok(owning.count(db).await? > 0)
}

/// The number of people and groups that own a project.
pub async fn owners(db: &impl ConnectionTrait, project: &VisibleProject) -> Result<u64, StoreError> {
    let people = Query::select()
        .column(app_user::Column::Id)
        .from(app_user::Entity)
        .and_where(app_user::Column::DeletedAt.is_null())
        .to_owned();
    let users = project_user_role::Entity::find()
        .filter(project_user_role::Column::Project.eq(project.id()))
        .filter(project_user_role::Column::RoleId.eq(OWNER))
        .filter(project_user_role::Column::UserId.in_subquery(people));
    let groups = project_group_role::Entity::find()
        .filter(project_group_role::Column::Project.eq(project.id()))
        .filter(project_group_role::Column::RoleId.eq(OWNER));
    Ok(users.count(db).await? + groups.count(db).await?)
}

/// Gives each of some roles to each of some groups and users. Returns what that changed.
pub async fn add(tx: &Tx, project: &ProjectScope, wanted: &[Given], now: Timestamp) -> Result<Vec<Given>, StoreError> {
    let users = project_user_role::Entity::find().filter(project_user_role::Column::Project.eq(project.id()));
    let users: Vec<(i64, i64)> = users.all(tx).await?.into_iter().map(|row| (row.role_id, row.user_id)).collect();
    let groups = project_group_role::Entity::find().filter(project_group_role::Column::Project.eq(project.id()));
    let groups: Vec<(i64, i64)> = groups.all(tx).await?.into_iter().map(|row| (row.role_id, row.group_id)).collect();
    let new = |present: &[(i64, i64)], role_id: i64, ids: &[i64]| -> Vec<i64> {
        ids.iter().filter(|id| !present.contains(&(role_id, **id))).copied().collect()
    };
    let given: Vec<Given> = wanted
        .iter()
        .map(|wanted| Given {
            role_id: wanted.role_id,
            group_ids: new(&groups, wanted.role_id, &wanted.group_ids),
            user_ids: new(&users, wanted.role_id, &wanted.user_ids),
        })
        .collect();
    let users: Vec<(i64, i64)> = pairs(&given, |given| &given.user_ids);
    let groups: Vec<(i64, i64)> = pairs(&given, |given| &given.group_ids);
    insert_users(tx, project, &users, now).await?;
    insert_groups(tx, project, &groups, now).await?;
    Ok(given)
}

fn pairs(given: &[Given], ids: impl Fn(&Given) -> &Vec<i64>) -> Vec<(i64, i64)> {
    given.iter().flat_map(|given| ids(given).iter().map(|id| (given.role_id, *id))).collect()
}

/// All roles that are held in a project, in order.
pub async fn all(db: &impl ConnectionTrait, project: &VisibleProject) -> Result<Vec<Given>, StoreError> {
    let users = project_user_role::Entity::find().filter(project_user_role::Column::Project.eq(project.id()));
    let users = users.all(db).await?.into_iter();
    let users = users.map(|row| Given { role_id: row.role_id, group_ids: vec![], user_ids: vec![row.user_id] });
    let groups = project_group_role::Entity::find().filter(project_group_role::Column::Project.eq(project.id()));
    let groups = groups.all(db).await?.into_iter();
    let groups = groups.map(|row| Given { role_id: row.role_id, group_ids: vec![row.group_id], user_ids: vec![] });
    Ok(in_order(users.chain(groups)))
}

/// Takes each of some roles from each of some groups and users.
pub async fn take(tx: &Tx, project: &ProjectScope, taken: &[Given]) -> Result<(), StoreError> {
    for Given { role_id, group_ids, user_ids } in taken {
        for ids in user_ids.chunks(WRITTEN_AT_ONCE) {
            project_user_role::Entity::delete_many()
                .filter(project_user_role::Column::Project.eq(project.id()))
                .filter(project_user_role::Column::RoleId.eq(*role_id))
                .filter(project_user_role::Column::UserId.is_in(ids.iter().copied()))
                .exec(tx)
                .await?;
        }
        for ids in group_ids.chunks(WRITTEN_AT_ONCE) {
            project_group_role::Entity::delete_many()
                .filter(project_group_role::Column::Project.eq(project.id()))
                .filter(project_group_role::Column::RoleId.eq(*role_id))
                .filter(project_group_role::Column::GroupId.is_in(ids.iter().copied()))
                .exec(tx)
                .await?;
        }
    }
    Ok(())
}

/// Sets the roles of a user in a project; those that stay keep their time.
pub async fn set_roles(
    tx: &Tx,
    project: &ProjectScope,
    holder: Holder,
    old: &[i64],
    new: &[i64],
    now: Timestamp,
) -> Result<(), StoreError> {
    let gone = old.iter().filter(|id| !new.contains(id)).copied();
    let added: Vec<i64> = new.iter().filter(|id| !old.contains(id)).copied().collect();
    match holder {
        Holder::User(id) => {
            project_user_role::Entity::delete_many()
                .filter(project_user_role::Column::Project.eq(project.id()))
                .filter(project_user_role::Column::UserId.eq(id))
                .filter(project_user_role::Column::RoleId.is_in(gone))
                .exec(tx)
                .await?;
            let rows: Vec<(i64, i64)> = added.into_iter().map(|role_id| (role_id, id)).collect();
            insert_users(tx, project, &rows, now).await
        }
        Holder::Group(id) => {
            project_group_role::Entity::delete_many()
                .filter(project_group_role::Column::Project.eq(project.id()))
                .filter(project_group_role::Column::GroupId.eq(id))
                .filter(project_group_role::Column::RoleId.is_in(gone))
                .exec(tx)
                .await?;
            let rows: Vec<(i64, i64)> = added.into_iter().map(|role_id| (role_id, id)).collect();
            insert_groups(tx, project, &rows, now).await
        }
    }
}

async fn insert_users(tx: &Tx, project: &ProjectScope, rows: &[(i64, i64)], now: Timestamp) -> Result<(), StoreError> {
    for batch in rows.chunks(WRITTEN_AT_ONCE) {
        let rows = batch.iter().map(|(role_id, user_id)| project_user_role::ActiveModel {
            project: Set(project.id().to_owned()),
            user_id: Set(*user_id),
            role_id: Set(*role_id),
            created_at: Set(now),
        });
        project_user_role::Entity::insert_many(rows).exec_without_returning(tx).await?;
    }
    Ok(())
}

async fn insert_groups(tx: &Tx, project: &ProjectScope, rows: &[(i64, i64)], now: Timestamp) -> Result<(), StoreError> {
    for batch in rows.chunks(WRITTEN_AT_ONCE) {
        let rows = batch.iter().map(|(role_id, group_id)| project_group_role::ActiveModel {
            project: Set(project.id().to_owned()),
            group_id: Set(*group_id),
            role_id: Set(*role_id),
            created_at: Set(now),
        });
        project_group_role::Entity::insert_many(rows).exec_without_returning(tx).await?;
    }
    Ok(())
}
