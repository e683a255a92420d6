//! Roles that people gave to accounts, as against those by default and those of a directory's groups.

use flagstone_domain::{account_powers::Origin, role::RootRole};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter,
    sea_query::{Expr, ExprTrait, Query},
};

use crate::{
    StoreError,
    access::{administrators, people::Account},
    entity::{project_group_role, project_user_role, user_group, user_group_member},
};

/// Whether an account holds a role that a person gave: a root role above Viewer, a role in any project, archived ones
/// included, or a group that holds a role and is not the directory's own. A role that may do everything counts in any
/// case.
pub async fn has_any(db: &impl ConnectionTrait, account: &Account) -> Result<bool, StoreError> {
    let has_root_role = !account.has_newcomer_role && account.root_role_id != RootRole::Viewer.id();
    if has_root_role || administrators::may_everything(db, account.id).await? {
        return Ok(true);
    }
    let in_projects = project_user_role::Entity::find().filter(project_user_role::Column::UserId.eq(account.id));
    if in_projects.count(db).await? > 0 {
        return Ok(true);
    }
    let own = Query::select()
        .column(user_group_member::Column::GroupId)
        .from(user_group_member::Entity)
        .and_where(user_group_member::Column::UserId.eq(account.id))
        .to_owned();
    let with_project_role =
        Query::select().column(project_group_role::Column::GroupId).from(project_group_role::Entity).to_owned();
    let in_other_directory = match account.directory_id {
        Some(id) => Condition::any()
            .add(user_group::Column::ScimDirectoryId.is_null())
            .add(user_group::Column::ScimDirectoryId.ne(id)),
        None => Condition::any().add(user_group::Column::ScimDirectoryId.is_not_null()),
    };
    let of_directory = [Origin::Made, Origin::Linked].map(Origin::as_str);
    let groups = user_group::Entity::find()
        .filter(user_group::Column::Id.in_subquery(own))
        .filter(
            Condition::any()
                .add(user_group::Column::ScimOrigin.is_null())
                .add(Expr::col(user_group::Column::ScimOrigin).is_not_in(of_directory))
                .add(in_other_directory),
        )
        .filter(
            Condition::any()
                .add(user_group::Column::RootRoleId.is_not_null())
                .add(user_group::Column::Id.in_subquery(with_project_role)),
        );
    Ok(groups.count(db).await? > 0)
}
