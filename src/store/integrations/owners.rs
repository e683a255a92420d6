//! Owners of integrations, and their visibility at present.

use std::collections::BTreeSet;

use flagstone_domain::{integration::Owner, visibility::Visibility};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QuerySelect};

use crate::{
    StoreError,
    access::{self, Person},
    entity::app_user,
};

/// Returns the present visibility of an integration's owner; `None` where there is none any more, since the account was
/// deleted or deactivated. An integration of the instance, or made with an admin token, sees everything.
pub async fn sight(db: &impl ConnectionTrait, owner: Option<&Owner>) -> Result<Option<Visibility>, StoreError> {
    let Some(owner) = owner.filter(|owner| owner.user_id > 0) else { return Ok(Some(Visibility::everything())) };
    let row = app_user::Entity::find_by_id(owner.user_id)
        .filter(app_user::Column::DeletedAt.is_null())
        .filter(app_user::Column::DeactivatedAt.is_null())
        .one(db)
        .await?;
    let Some(row) = row else { return Ok(None) };
    let person = Person { id: row.id, name: owner.name.clone(), root_role_id: row.root_role_id };
    if access::grants_of(db, &person).await?.is_admin() {
        return Ok(Some(Visibility::everything()));
    }
    let hidden_projects = access::hidden_projects(db, person.id).await?;
    Ok(Some(Visibility { hidden_projects, sees_instance: false }))
}

/// Returns the owners who are gone, by their ids.
pub async fn gone<'a>(
    db: &impl ConnectionTrait,
    owners: impl Iterator<Item = &'a Owner>,
) -> Result<BTreeSet<i64>, StoreError> {
    let mut ids: BTreeSet<i64> = owners.map(|owner| owner.user_id).filter(|id| *id > 0).collect();
    if ids.is_empty() {
        return Ok(ids);
    }
    let present: Vec<i64> = app_user::Entity::find()
        .select_only()
        .column(app_user::Column::Id)
        .filter(app_user::Column::Id.is_in(ids.iter().copied()))
        .filter(app_user::Column::DeletedAt.is_null())
        .filter(app_user::Column::DeactivatedAt.is_null())
        .into_tuple()
        .all(db)
        .await?;
    for id in present {
        ids.remove(&id);
    }
    Ok(ids)
}
