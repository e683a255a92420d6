//! Personal dashboard of a user: their projects, their features, and their contacts.

use std::collections::HashMap;

use flagstone_domain::{role::RootRole, visibility::Visibility};
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, FromQueryResult, JoinType, QueryFilter, QueryOrder, QuerySelect,
    sea_query::{Expr, ExprTrait, Query},
};

use crate::{
    StoreError,
    access::people::people,
    entity::{
        app_user, favorite_feature, feature, insight_project_week, project, project_group_role, project_user_role,
        role, user_group, user_group_member,
    },
    visibility::not_hidden,
};

/// The role of owners of a project.
const OWNER_ROLE: i64 = 4;

/// Names of projects by id.
pub async fn project_names(db: &impl ConnectionTrait, ids: &[String]) -> Result<HashMap<String, String>, StoreError> {
    let rows: Vec<(String, String)> = project::Entity::find()
        .select_only()
        .columns([project::Column::Id, project::Column::Name])
        .filter(project::Column::Id.is_in(ids.iter().map(String::as_str)))
        .into_tuple()
        .all(db)
        .await?;
    Ok(rows.into_iter().collect())
}

/// A feature in short.
#[derive(Debug, Clone, PartialEq, Eq, FromQueryResult)]
pub struct Flag {
    /// Its name.
    pub name: String,
    /// Id of its project.
    pub project: String,
    /// Its type.
    pub kind: String,
}

/// The features in use that a user made or marked as a favourite, newest first, then by name.
pub async fn flags(
    db: &impl ConnectionTrait,
    user_id: i64,
    visibility: &Visibility,
    limit: u64,
) -> Result<Vec<Flag>, StoreError> {
    let favorites = Query::select()
        .column(favorite_feature::Column::FeatureId)
        .from(favorite_feature::Entity)
        .and_where(favorite_feature::Column::UserId.eq(user_id))
        .to_owned();
    let own = feature::Column::CreatedByUserId.eq(user_id).or(feature::Column::Id.in_subquery(favorites));
    let flags = feature::Entity::find()
        .select_only()
        .columns([feature::Column::Name, feature::Column::Project])
        .column_as(feature::Column::Type, "kind")
        .filter(feature::Column::ArchivedAt.is_null())
        .filter(own)
        .filter(not_hidden(feature::Column::Project.into_expr(), visibility))
        .order_by_desc(feature::Column::CreatedAt)
        .order_by_asc(feature::Column::Name)
        .limit(limit)
        .into_model::<Flag>()
        .all(db)
        .await?;
    Ok(flags)
}

/// A user, as others see them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contact {
    /// Id of the user.
    pub id: i64,
    /// Display name.
    pub name: Option<String>,
    /// Name to sign in with.
    pub username: Option<String>,
    /// Email.
    pub email: Option<String>,
}

impl From<app_user::Model> for Contact {
    fn from(row: app_user::Model) -> Self {
        Self { id: row.id, name: row.name, username: row.username, email: row.email }
    }
}

/// The people whose root role is Admin, by id.
pub async fn admins(db: &impl ConnectionTrait, limit: u64) -> Result<Vec<Contact>, StoreError> {
    let rows = people()
        .filter(app_user::Column::RootRoleId.eq(RootRole::Admin.id()))
        .order_by_asc(app_user::Column::Id)
        .limit(limit)
        .all(db)
        .await?;
    Ok(rows.into_iter().map(Contact::from).collect())
}

/// The people who own any project in use that may appear, or only the given one, by id.
pub async fn owners(
    db: &impl ConnectionTrait,
    only: Option<&str>,
    visibility: &Visibility,
    limit: u64,
) -> Result<Vec<Contact>, StoreError> {
    let mut owned = Query::select()
        .column((project_user_role::Entity, project_user_role::Column::UserId))
        .from(project_user_role::Entity)
        .inner_join(
            project::Entity,
            Expr::col((project::Entity, project::Column::Id))
                .equals((project_user_role::Entity, project_user_role::Column::Project)),
        )
        .and_where(Expr::col((project_user_role::Entity, project_user_role::Column::RoleId)).eq(OWNER_ROLE))
        .and_where(Expr::col((project::Entity, project::Column::ArchivedAt)).is_null())
        .to_owned();
    let id = Expr::col((project::Entity, project::Column::Id));
    if let Some(only) = only {
        owned.and_where(id.clone().eq(only));
    }
    owned.cond_where(not_hidden(id, visibility));
    let rows = people()
        .filter(app_user::Column::Id.in_subquery(owned))
        .order_by_asc(app_user::Column::Id)
        .limit(limit)
        .all(db)
        .await?;
    Ok(rows.into_iter().map(Contact::from).collect())
}

/// Names of the groups that own a project, sorted.
pub async fn owner_groups(db: &impl ConnectionTrait, id: &str) -> Result<Vec<String>, StoreError> {
    let groups = Query::select()
        .column(project_group_role::Column::GroupId)
        .from(project_group_role::Entity)
        .and_where(project_group_role::Column::Project.eq(id))
        .and_where(project_group_role::Column::RoleId.eq(OWNER_ROLE))
        .to_owned();
    let names = user_group::Entity::find()
        .select_only()
        .column(user_group::Column::Name)
        .filter(user_group::Column::Id.in_subquery(groups))
        .order_by_asc(user_group::Column::Name)
        .into_tuple()
        .all(db)
        .await?;
    Ok(names)
}

/// A role of a user in a project.
#[derive(Debug, Clone, PartialEq, Eq, FromQueryResult)]
pub struct HeldRole {
    /// Id of the role.
    pub id: i64,
    /// Its name.
    pub name: String,
    /// `project` or `custom`.
    pub kind: String,
}

/// The roles of a user in a project, directly or through groups, by id.
pub async fn roles(db: &impl ConnectionTrait, user_id: i64, id: &str) -> Result<Vec<HeldRole>, StoreError> {
    let direct = Query::select()
        .column(project_user_role::Column::RoleId)
        .from(project_user_role::Entity)
        .and_where(project_user_role::Column::UserId.eq(user_id))
        .and_where(project_user_role::Column::Project.eq(id))
        .to_owned();
    let group_id = (project_group_role::Entity, project_group_role::Column::GroupId);
    let through_groups = Query::select()
        .column((project_group_role::Entity, project_group_role::Column::RoleId))
        .from(project_group_role::Entity)
        .join(
            JoinType::InnerJoin,
            user_group_member::Entity,
            Expr::col((user_group_member::Entity, user_group_member::Column::GroupId)).equals(group_id),
        )
        .and_where(Expr::col((user_group_member::Entity, user_group_member::Column::UserId)).eq(user_id))
        .and_where(Expr::col((project_group_role::Entity, project_group_role::Column::Project)).eq(id))
        .to_owned();
    let roles = role::Entity::find()
        .select_only()
        .columns([role::Column::Id, role::Column::Name])
        .column_as(role::Column::Type, "kind")
        .filter(role::Column::Id.in_subquery(direct).or(role::Column::Id.in_subquery(through_groups)))
        .order_by_asc(role::Column::Id)
        .into_model::<HeldRole>()
        .all(db)
        .await?;
    Ok(roles)
}

/// The health of a project in its last weeks, newest first.
pub async fn weekly_health(db: &impl ConnectionTrait, id: &str, weeks: u64) -> Result<Vec<i64>, StoreError> {
    let health = insight_project_week::Entity::find()
        .select_only()
        .column(insight_project_week::Column::Health)
        .filter(insight_project_week::Column::Project.eq(id))
        .order_by_desc(insight_project_week::Column::Date)
        .limit(weeks)
        .into_tuple()
        .all(db)
        .await?;
    Ok(health)
}

/// Progress of a project's setup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Onboarding {
    /// The project has no features yet.
    Started,
    /// The project has features, none of which any application has asked for; the oldest is this one.
    FirstFlag(String),
    /// Applications ask for its features.
    Done,
}

/// Returns the progress of a project's setup.
pub async fn onboarding(db: &impl ConnectionTrait, id: &str) -> Result<Onboarding, StoreError> {
    let of_project = || feature::Entity::find().filter(feature::Column::Project.eq(id));
    let seen = of_project().filter(feature::Column::LastSeenAt.is_not_null()).limit(1).one(db).await?;
    if seen.is_some() {
        return Ok(Onboarding::Done);
    }
    let first = of_project()
        .filter(feature::Column::ArchivedAt.is_null())
        .order_by_asc(feature::Column::CreatedAt)
        .order_by_asc(feature::Column::Name)
        .limit(1)
        .one(db)
        .await?;
    Ok(first.map_or(Onboarding::Started, |row| Onboarding::FirstFlag(row.name)))
}

/// People by id.
pub async fn contacts(db: &impl ConnectionTrait, ids: &[i64]) -> Result<HashMap<i64, Contact>, StoreError> {
    let rows = app_user::Entity::find().filter(app_user::Column::Id.is_in(ids.iter().copied())).all(db).await?;
    Ok(rows.into_iter().map(|row| (row.id, row.into())).collect())
}
