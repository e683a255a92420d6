//! Holders of credentials, and their permissions.

pub mod administrators;
pub mod given_roles;
mod holders;
pub mod people;

use flagstone_domain::permission::{Grant, Grants, Permission};
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, FromQueryResult, JoinType, QueryFilter, QuerySelect,
    sea_query::{Alias, Condition, Expr, ExprTrait, Query},
};

use crate::{
    StoreError,
    entity::{
        project, project_group_role, project_user_role, retired_project, role_permission, user_group, user_group_member,
    },
};

pub(crate) use self::holders::Holders;
pub use self::holders::{Credential, Holder, Standing, find_holder, holder_of};

/// The project that every instance has.
const DEFAULT_PROJECT: &str = "default";

/// A person who signed in or holds a personal token, or a program that holds one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// Id of the user.
    pub id: i64,
    /// Email, else user name: how events name them.
    pub name: String,
    /// Their root role.
    pub root_role_id: i64,
}

#[derive(Debug, FromQueryResult)]
struct GrantRow {
    permission: String,
    project: Option<String>,
    environment: Option<String>,
}

/// All grants of a person: by the root role, by roles in projects, and by roles of their groups.
pub async fn grants_of(db: &impl ConnectionTrait, person: &Person) -> Result<Grants, StoreError> {
    let rows = [
        root_grants(db, person).await?,
        project_grants(db, Through::Person, person.id).await?,
        project_grants(db, Through::Group, person.id).await?,
    ];
    let grants = rows.into_iter().flatten().filter_map(|row| {
        // A permission that this version does not know grants nothing.
        let permission = Permission::parse(&row.permission)?;
        let bound = |name: Option<String>| name.filter(|name| name != "*");
        Some(Grant { permission, project: bound(row.project), environment: bound(row.environment) })
    });
    Ok(Grants::new(grants.collect()))
}

async fn root_grants(db: &impl ConnectionTrait, person: &Person) -> Result<Vec<GrantRow>, StoreError> {
    let group_roles = Query::select()
        .column((user_group::Entity, user_group::Column::RootRoleId))
        .from(user_group::Entity)
        .inner_join(
            user_group_member::Entity,
            Expr::col((user_group_member::Entity, user_group_member::Column::GroupId))
                .equals((user_group::Entity, user_group::Column::Id)),
        )
        .and_where(Expr::col((user_group_member::Entity, user_group_member::Column::UserId)).eq(person.id))
        .and_where(Expr::col((user_group::Entity, user_group::Column::RootRoleId)).is_not_null())
        .to_owned();
    let rows = role_permission::Entity::find()
        .filter(
            role_permission::Column::RoleId
                .eq(person.root_role_id)
                .or(role_permission::Column::RoleId.in_subquery(group_roles)),
        )
        .into_model::<GrantRow>()
        .all(db)
        .await?;
    Ok(rows)
}

/// Way in which a role in a project reaches a person.
#[derive(Clone, Copy)]
enum Through {
    Person,
    Group,
}

async fn project_grants(
    db: &impl ConnectionTrait,
    through: Through,
    user_id: i64,
) -> Result<Vec<GrantRow>, StoreError> {
    let mut query = Query::select();
    query
        .column((role_permission::Entity, role_permission::Column::Permission))
        .column((role_permission::Entity, role_permission::Column::Environment))
        .from(role_permission::Entity);
    let role_id = (role_permission::Entity, role_permission::Column::RoleId);
    match through {
        Through::Person => query
            .expr_as(Expr::col((project_user_role::Entity, project_user_role::Column::Project)), Alias::new("project"))
            .join(
                JoinType::InnerJoin,
                project_user_role::Entity,
                Expr::col((project_user_role::Entity, project_user_role::Column::RoleId)).equals(role_id),
            )
            .and_where(Expr::col((project_user_role::Entity, project_user_role::Column::UserId)).eq(user_id)),
        Through::Group => query
            .expr_as(
                Expr::col((project_group_role::Entity, project_group_role::Column::Project)),
                Alias::new("project"),
            )
            .join(
                JoinType::InnerJoin,
                project_group_role::Entity,
                Expr::col((project_group_role::Entity, project_group_role::Column::RoleId)).equals(role_id),
            )
            .join(
                JoinType::InnerJoin,
                user_group_member::Entity,
                Expr::col((user_group_member::Entity, user_group_member::Column::GroupId))
                    .equals((project_group_role::Entity, project_group_role::Column::GroupId)),
            )
            .and_where(Expr::col((user_group_member::Entity, user_group_member::Column::UserId)).eq(user_id)),
    };
    let rows = db.query_all(&query).await?;
    let rows: Result<Vec<_>, _> = rows.iter().map(|row| GrantRow::from_query_result(row, "")).collect();
    Ok(rows?)
}

/// Ids of projects that a person belongs to, sorted: those where they hold a role, directly or through a group, and the
/// default project, where root roles count as membership. Archived projects are left out.
pub async fn member_projects(db: &impl ConnectionTrait, user_id: i64) -> Result<Vec<String>, StoreError> {
    let mut ids: Vec<String> = project::Entity::find()
        .select_only()
        .column(project::Column::Id)
        .filter(project::Column::ArchivedAt.is_null())
        .filter(is_member(user_id).add(project::Column::Id.eq(DEFAULT_PROJECT)))
        .into_tuple()
        .all(db)
        .await?;
    // Here and not in the statement, because databases differ in how they sort text.
    ids.sort_unstable();
    Ok(ids)
}

/// Ids of private projects that a person is no member of, and of those that are gone: their events are still there.
pub async fn hidden_projects(db: &impl ConnectionTrait, user_id: i64) -> Result<Vec<String>, StoreError> {
    let mut ids: Vec<String> = project::Entity::find()
        .select_only()
        .column(project::Column::Id)
        .filter(project::Column::Mode.eq("private"))
        .filter(is_member(user_id).not())
        .into_tuple()
        .all(db)
        .await?;
    let gone: Vec<String> =
        retired_project::Entity::find().select_only().column(retired_project::Column::Id).into_tuple().all(db).await?;
    ids.extend(gone);
    Ok(ids)
}

/// Projects where a person holds a role, directly or through a group.
pub(crate) fn is_member(user_id: i64) -> Condition {
    let direct = Query::select()
        .column(project_user_role::Column::Project)
        .from(project_user_role::Entity)
        .and_where(project_user_role::Column::UserId.eq(user_id))
        .to_owned();
    let through_group = Query::select()
        .column((project_group_role::Entity, project_group_role::Column::Project))
        .from(project_group_role::Entity)
        .inner_join(
            user_group_member::Entity,
            Expr::col((user_group_member::Entity, user_group_member::Column::GroupId))
                .equals((project_group_role::Entity, project_group_role::Column::GroupId)),
        )
        .and_where(Expr::col((user_group_member::Entity, user_group_member::Column::UserId)).eq(user_id))
        .to_owned();
    Condition::any().add(project::Column::Id.in_subquery(direct)).add(project::Column::Id.in_subquery(through_group))
}
