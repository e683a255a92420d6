//! The roles and groups that users have.

use std::collections::BTreeSet;

use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
    sea_query::{Condition, Expr, ExprTrait, Query},
};

use crate::{
    StoreError,
    access::Person,
    entity::{project_group_role, project_user_role, role, user_group, user_group_member},
    groups::of_users,
    roles::Role,
};

/// Kinds of roles that count in the whole instance.
const ROOT: [&str; 2] = ["root", "root-custom"];

/// A group, and who is in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupOverview {
    /// Id of the group.
    pub id: i64,
    /// Unique name.
    pub name: String,
    /// Purpose of the group.
    pub description: Option<String>,
    /// The role that all of them have in the whole instance.
    pub root_role_id: Option<i64>,
    /// Ids of the members, in ascending order.
    pub members: Vec<i64>,
}

/// Every role that counts in the whole instance, by id.
pub async fn root_roles(db: &impl ConnectionTrait) -> Result<Vec<Role>, StoreError> {
    let rows =
        role::Entity::find().filter(role::Column::Type.is_in(ROOT)).order_by_asc(role::Column::Id).all(db).await?;
    Ok(rows.into_iter().map(role_of).collect())
}

/// The role of the whole instance with this id, or else with this name.
pub async fn find_root_role(
    db: &impl ConnectionTrait,
    id: Option<i64>,
    name: Option<&str>,
) -> Result<Option<Role>, StoreError> {
    let mut named = Condition::any();
    if let Some(id) = id {
        named = named.add(role::Column::Id.eq(id));
    }
    if let Some(name) = name {
        named = named.add(role::Column::Name.eq(name));
    }
    if named.is_empty() {
        return Ok(None);
    }
    let row = role::Entity::find().filter(role::Column::Type.is_in(ROOT)).filter(named).one(db).await?;
    Ok(row.map(role_of))
}

/// The roles of a user in a project, directly or through a group, by id.
pub async fn project_roles(db: &impl ConnectionTrait, user_id: i64, project: &str) -> Result<Vec<Role>, StoreError> {
    let direct = Query::select()
        .column(project_user_role::Column::RoleId)
        .from(project_user_role::Entity)
        .and_where(project_user_role::Column::UserId.eq(user_id))
        .and_where(project_user_role::Column::Project.eq(project))
        .take();
    let through_group = Query::select()
        .column((project_group_role::Entity, project_group_role::Column::RoleId))
        .from(project_group_role::Entity)
        .inner_join(
            user_group_member::Entity,
            Expr::col((user_group_member::Entity, user_group_member::Column::GroupId))
                .equals((project_group_role::Entity, project_group_role::Column::GroupId)),
        )
        .and_where(user_group_member::Column::UserId.eq(user_id))
        .and_where(project_group_role::Column::Project.eq(project))
        .take();
    let held =
        Condition::any().add(role::Column::Id.in_subquery(direct)).add(role::Column::Id.in_subquery(through_group));
    let rows = role::Entity::find().filter(held).order_by_asc(role::Column::Id).all(db).await?;
    Ok(rows.into_iter().map(role_of).collect())
}

/// Ids of the roles of a user in the whole instance and in a project, directly or through groups.
pub async fn role_ids(db: &impl ConnectionTrait, person: &Person, project: &str) -> Result<BTreeSet<i64>, StoreError> {
    let mut ids = BTreeSet::from([person.root_role_id]);
    ids.extend(groups_of(db, person.id).await?.into_iter().filter_map(|(_, _, root_role)| root_role));
    ids.extend(project_roles(db, person.id, project).await?.into_iter().map(|role| role.id));
    Ok(ids)
}

/// Every group with its members, by name.
pub async fn groups(db: &impl ConnectionTrait) -> Result<Vec<GroupOverview>, StoreError> {
    let rows = user_group::Entity::find()
        .order_by_asc(user_group::Column::Name)
        .order_by_asc(user_group::Column::Id)
        .all(db)
        .await?;
    let members = user_group_member::Entity::find()
        .order_by_asc(user_group_member::Column::GroupId)
        .order_by_asc(user_group_member::Column::UserId)
        .all(db)
        .await?;
    let of_row = |row: user_group::Model| GroupOverview {
        members: members.iter().filter(|member| member.group_id == row.id).map(|member| member.user_id).collect(),
        id: row.id,
        name: row.name,
        description: row.description,
        root_role_id: row.root_role_id,
    };
    Ok(rows.into_iter().map(of_row).collect())
}

/// The groups of a user or a service account, by name: id, name and root role of each.
pub async fn groups_of(db: &impl ConnectionTrait, user_id: i64) -> Result<Vec<(i64, String, Option<i64>)>, StoreError> {
    let rows = user_group::Entity::find()
        .select_only()
        .columns([user_group::Column::Id, user_group::Column::Name, user_group::Column::RootRoleId])
        .filter(of_users(&[user_id]))
        .order_by_asc(user_group::Column::Name)
        .order_by_asc(user_group::Column::Id)
        .into_tuple()
        .all(db)
        .await?;
    Ok(rows)
}

fn role_of(row: role::Model) -> Role {
    Role { id: row.id, kind: row.r#type, name: row.name, description: row.description }
}
