//! Users who may approve change requests.

use flagstone_domain::{
    change_request::Person,
    permission::Permission,
    project::{ProjectMode, VisibleProject},
};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, QueryTrait,
    sea_query::{Expr, ExprTrait, Query, SelectStatement},
};

use super::people::{PersonRow, person};
use crate::{
    StoreError,
    access::people::is_account,
    entity::{app_user, project_group_role, project_user_role, role_permission, user_group, user_group_member},
    projects::overview,
};

/// The users who may approve change requests of a project in an environment, by id: administrators, and those whose roles
/// allow it and who see the project.
pub async fn list(
    db: &impl ConnectionTrait,
    project: &VisibleProject,
    environment: &str,
) -> Result<Vec<Person>, StoreError> {
    let settings = overview::find_settings(db, project.id()).await?;
    let is_private = settings.is_some_and(|settings| ProjectMode::parse(&settings.mode) == ProjectMode::Private);
    // Of a private project, a role in the whole instance shows administrators alone.
    let of_instance = || roles((!is_private).then_some(environment));
    let in_project = || roles(Some(environment));
    let through_group = Query::select()
        .column((user_group_member::Entity, user_group_member::Column::UserId))
        .from(user_group_member::Entity)
        .inner_join(user_group::Entity, group().equals((user_group::Entity, user_group::Column::Id)))
        .and_where(Expr::col((user_group::Entity, user_group::Column::RootRoleId)).in_subquery(of_instance()))
        .take();
    let direct = project_user_role::Entity::find()
        .select_only()
        .column(project_user_role::Column::UserId)
        .filter(project_user_role::Column::Project.eq(project.id()))
        .filter(project_user_role::Column::RoleId.in_subquery(in_project()))
        .into_query();
    let through_project_group = Query::select()
        .column((user_group_member::Entity, user_group_member::Column::UserId))
        .from(user_group_member::Entity)
        .inner_join(
            project_group_role::Entity,
            group().equals((project_group_role::Entity, project_group_role::Column::GroupId)),
        )
        .and_where(Expr::col((project_group_role::Entity, project_group_role::Column::Project)).eq(project.id()))
        .and_where(
            Expr::col((project_group_role::Entity, project_group_role::Column::RoleId)).in_subquery(in_project()),
        )
        .take();
    let may = Condition::any()
        .add(app_user::Column::RootRoleId.in_subquery(of_instance()))
        .add(app_user::Column::Id.in_subquery(through_group))
        .add(app_user::Column::Id.in_subquery(direct))
        .add(app_user::Column::Id.in_subquery(through_project_group));
    let rows: Vec<PersonRow> = app_user::Entity::find()
        .select_only()
        .columns([app_user::Column::Id, app_user::Column::Username, app_user::Column::Email, app_user::Column::Name])
        .filter(is_account())
        .filter(app_user::Column::DeactivatedAt.is_null())
        .filter(may)
        .order_by_asc(app_user::Column::Id)
        .into_tuple()
        .all(db)
        .await?;
    Ok(rows.into_iter().map(person).collect())
}

fn group() -> Expr {
    Expr::col((user_group_member::Entity, user_group_member::Column::GroupId))
}

/// A query for the roles that allow everything, or to approve change requests in an environment.
fn roles(environment: Option<&str>) -> SelectStatement {
    use role_permission::Column;
    let approves = environment.map(|environment| {
        let anywhere =
            Condition::any().add(Column::Environment.is_null()).add(Column::Environment.is_in(["*", environment]));
        Condition::all().add(Column::Permission.eq(Permission::ApproveChangeRequest.as_str())).add(anywhere)
    });
    let allows = Condition::any().add(Column::Permission.eq(Permission::Admin.as_str())).add_option(approves);
    role_permission::Entity::find().select_only().column(Column::RoleId).filter(allows).into_query()
}
