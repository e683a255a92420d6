//! Projects in which a role is held, and its holders.

use std::collections::{BTreeMap, HashSet};

use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QuerySelect};

use crate::{
    StoreError,
    access::people::is_account,
    entity::{app_user, project, project_group_role, project_user_role},
};

/// Number of users, groups and service accounts with a role in a project.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RoleUse {
    /// Id of the project.
    pub project: String,
    /// People.
    pub users: u64,
    /// Groups.
    pub groups: u64,
    /// Accounts of programs, with tokens of their own.
    pub service_accounts: u64,
}

/// The projects in use where a role is held, by id.
pub async fn uses(db: &impl ConnectionTrait, role_id: i64) -> Result<Vec<RoleUse>, StoreError> {
    let active: HashSet<String> = project::Entity::find()
        .select_only()
        .column(project::Column::Id)
        .filter(project::Column::ArchivedAt.is_null())
        .into_tuple()
        .all(db)
        .await?
        .into_iter()
        .collect();
    let programs: HashSet<i64> = app_user::Entity::find()
        .select_only()
        .column(app_user::Column::Id)
        .filter(is_account())
        .filter(app_user::Column::IsService.eq(true))
        .into_tuple()
        .all(db)
        .await?
        .into_iter()
        .collect();
    let mut uses: BTreeMap<String, RoleUse> = BTreeMap::new();
    let holders =
        project_user_role::Entity::find().filter(project_user_role::Column::RoleId.eq(role_id)).all(db).await?;
    for row in holders.into_iter().filter(|row| active.contains(&row.project)) {
        let found = uses.entry(row.project).or_default();
        if programs.contains(&row.user_id) {
            found.service_accounts += 1;
        } else {
            found.users += 1;
        }
    }
    let groups =
        project_group_role::Entity::find().filter(project_group_role::Column::RoleId.eq(role_id)).all(db).await?;
    for row in groups.into_iter().filter(|row| active.contains(&row.project)) {
        uses.entry(row.project).or_default().groups += 1;
    }
    Ok(uses.into_iter().map(|(project, found)| RoleUse { project, ..found }).collect())
}
