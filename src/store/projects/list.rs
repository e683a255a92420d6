//! The list of projects, with what is counted for each.

use std::collections::HashMap;

use flagstone_domain::{project::OWNER_ROLE, time::Timestamp, visibility::Visibility};
use sea_orm::{
    ConnectionTrait, FromQueryResult,
    sea_query::{Expr, ExprTrait, Query, SelectStatement},
};

use crate::{
    StoreError,
    entity::{app_user, event, feature, project, project_group_role, project_user_role, user_group},
    visibility::not_hidden,
};

/// A project of the list.
#[derive(Debug, Clone, PartialEq, Eq, FromQueryResult)]
pub struct Listed {
    /// Unique id.
    pub id: String,
    /// Display name.
    pub name: String,
    /// Purpose of the project.
    pub description: Option<String>,
    /// `open`, `protected` or `private`.
    pub mode: String,
    /// When the project was created.
    pub created_at: Timestamp,
    /// When it was archived; `None` while in use.
    pub archived_at: Option<Timestamp>,
    /// When its newest event happened.
    pub last_event_at: Option<Timestamp>,
    /// When usage of one of its features was last reported.
    pub last_usage_at: Option<Timestamp>,
}

/// The visible projects in use, or the visible archived ones, in no particular order.
pub async fn list(
    db: &impl ConnectionTrait,
    archived: bool,
    visibility: &Visibility,
) -> Result<Vec<Listed>, StoreError> {
    let of_project = |column: project::Column| Expr::col((project::Entity, column));
    let last_event =
        newest(event::Entity, (event::Entity, event::Column::CreatedAt), (event::Entity, event::Column::Project));
    let last_usage = newest(
        feature::Entity,
        (feature::Entity, feature::Column::LastSeenAt),
        (feature::Entity, feature::Column::Project),
    );
    let mut query = Query::select();
    query
        .columns([
            project::Column::Id,
            project::Column::Name,
            project::Column::Description,
            project::Column::Mode,
            project::Column::CreatedAt,
            project::Column::ArchivedAt,
        ])
        .expr_as(Expr::SubQuery(None, Box::new(last_event.into())), "last_event_at")
        .expr_as(Expr::SubQuery(None, Box::new(last_usage.into())), "last_usage_at")
        .from(project::Entity);
    let in_use = of_project(project::Column::ArchivedAt).is_null();
    query.and_where(if archived { in_use.not() } else { in_use });
    query.cond_where(not_hidden(of_project(project::Column::Id), visibility));
    let rows = db.query_all(&query).await?;
    let rows: Result<Vec<_>, _> = rows.iter().map(|row| Listed::from_query_result(row, "")).collect();
    Ok(rows?)
}

/// The latest instant among the rows of a table that belong to the project of the outer query.
fn newest<T, C>(table: T, instant: (T, C), owner: (T, C)) -> SelectStatement
where
    T: sea_orm::Iden + Copy + 'static,
    C: sea_orm::Iden + Copy + 'static,
{
    Query::select()
        .expr(Expr::col(instant).max())
        .from(table)
        .and_where(Expr::col(owner).equals((project::Entity, project::Column::Id)))
        .to_owned()
}

/// Owner of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Owner {
    /// A person.
    User {
        /// Id of the user.
        id: i64,
        /// Display name.
        name: Option<String>,
        /// Name to sign in with.
        username: Option<String>,
        /// Their address.
        email: Option<String>,
    },
    /// A group of people.
    Group {
        /// Name of the group.
        name: String,
    },
}

#[derive(Debug, FromQueryResult)]
struct UserRow {
    project: String,
    id: i64,
    name: Option<String>,
    username: Option<String>,
    email: Option<String>,
}

#[derive(Debug, FromQueryResult)]
struct GroupRow {
    project: String,
    name: String,
}

/// The owners of every project that has any: people by id, then groups by name.
pub async fn owners(db: &impl ConnectionTrait) -> Result<HashMap<String, Vec<Owner>>, StoreError> {
    let users = Query::select()
        .column((project_user_role::Entity, project_user_role::Column::Project))
        .columns(
            [app_user::Column::Id, app_user::Column::Name, app_user::Column::Username, app_user::Column::Email]
                .map(|column| (app_user::Entity, column)),
        )
        .from(project_user_role::Entity)
        .inner_join(
            app_user::Entity,
            Expr::col((app_user::Entity, app_user::Column::Id))
                .equals((project_user_role::Entity, project_user_role::Column::UserId)),
        )
        .and_where(Expr::col((project_user_role::Entity, project_user_role::Column::RoleId)).eq(OWNER_ROLE))
        .and_where(Expr::col((app_user::Entity, app_user::Column::DeletedAt)).is_null())
        .order_by((app_user::Entity, app_user::Column::Id), sea_orm::Order::Asc)
        .to_owned();
    let groups = Query::select()
        .column((project_group_role::Entity, project_group_role::Column::Project))
        .column((user_group::Entity, user_group::Column::Name))
        .from(project_group_role::Entity)
        .inner_join(
            user_group::Entity,
            Expr::col((user_group::Entity, user_group::Column::Id))
                .equals((project_group_role::Entity, project_group_role::Column::GroupId)),
        )
        .and_where(Expr::col((project_group_role::Entity, project_group_role::Column::RoleId)).eq(OWNER_ROLE))
        .order_by((user_group::Entity, user_group::Column::Name), sea_orm::Order::Asc)
        .to_owned();
    let mut owners: HashMap<String, Vec<Owner>> = HashMap::new();
    for row in db.query_all(&users).await? {
        let UserRow { project, id, name, username, email } = UserRow::from_query_result(&row, "")?;
        owners.entry(project).or_default().push(Owner::User { id, name, username, email });
    }
    for row in db.query_all(&groups).await? {
        let GroupRow { project, name } = GroupRow::from_query_result(&row, "")?;
        owners.entry(project).or_default().push(Owner::Group { name });
    }
    Ok(owners)
}
