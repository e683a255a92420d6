//! Comments on change requests, and users who are asked for their approval.

use std::collections::BTreeSet;

use flagstone_domain::{change_request::Person, time::Timestamp};
use sea_orm::{ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use super::people::People;
use crate::{
    StoreError,
    db::Tx,
    entity::{change_request_approver, change_request_comment},
};

/// Adds a comment of a user, and returns its id.
pub async fn add_comment(tx: &Tx, id: i64, user_id: i64, text: &str, now: Timestamp) -> Result<i64, StoreError> {
    let row = change_request_comment::ActiveModel {
        change_request_id: Set(id),
        user_id: Set(user_id),
        text: Set(text.to_owned()),
        created_at: Set(now),
        ..Default::default()
    };
    Ok(change_request_comment::Entity::insert(row).exec_with_returning(tx).await?.id)
}

/// Users who are asked to approve a change request, by id.
pub async fn approvers(db: &impl ConnectionTrait, id: i64) -> Result<Vec<Person>, StoreError> {
    let ids = approver_ids(db, id).await?;
    let people = People::read(db, ids.iter().copied().collect()).await?;
    Ok(ids.into_iter().map(|id| people.get(id)).collect())
}

/// Change of the users who are asked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Asked {
    /// Ids of the users who were asked before, lowest first.
    pub before: Vec<i64>,
    /// Ids of those among the users now who were not, lowest first.
    pub added: Vec<i64>,
}

/// Asks these users for their approval, and no others. Who was asked before is not asked again.
pub async fn ask(tx: &Tx, id: i64, users: &BTreeSet<i64>, now: Timestamp) -> Result<Asked, StoreError> {
    use change_request_approver::{ActiveModel, Column, Entity};
    let before = approver_ids(tx, id).await?;
    let removed: Vec<i64> = before.iter().copied().filter(|user| !users.contains(user)).collect();
    if !removed.is_empty() {
        let gone = Entity::delete_many().filter(Column::ChangeRequestId.eq(id)).filter(Column::UserId.is_in(removed));
        gone.exec(tx).await?;
    }
    let added: Vec<i64> = users.iter().copied().filter(|user| !before.contains(user)).collect();
    if !added.is_empty() {
        let rows = added.iter().map(|user| ActiveModel {
            change_request_id: Set(id),
            user_id: Set(*user),
            requested_at: Set(now),
        });
        Entity::insert_many(rows).on_conflict_do_nothing().exec_without_returning(tx).await?;
    }
    Ok(Asked { before, added })
}

/// Ids of the users who are asked to approve a change request, lowest first.
pub async fn approver_ids(db: &impl ConnectionTrait, id: i64) -> Result<Vec<i64>, StoreError> {
    let ids = change_request_approver::Entity::find()
        .select_only()
        .column(change_request_approver::Column::UserId)
        .filter(change_request_approver::Column::ChangeRequestId.eq(id))
        .order_by_asc(change_request_approver::Column::UserId)
        .into_tuple()
        .all(db)
        .await?;
    Ok(ids)
}
