//! The personal tokens of one person.

use flagstone_domain::{time::Timestamp, token::PersonalToken, user::AccountKind};
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
    sea_query::{Expr, LockType, Query},
};

use crate::{
    StoreError,
    db::Tx,
    entity::{app_user, personal_token},
    users::hold_account,
};

/// The tokens of a person, oldest first.
pub async fn list(db: &impl ConnectionTrait, user_id: i64) -> Result<Vec<PersonalToken>, StoreError> {
    let rows = personal_token::Entity::find()
        .filter(personal_token::Column::UserId.eq(user_id))
        .order_by_asc(personal_token::Column::Id)
        .all(db)
        .await?;
    Ok(rows.into_iter().map(token).collect())
}

/// The tokens of a person, who makes no other until the transaction ends.
pub async fn hold(tx: &Tx, user_id: i64) -> Result<Vec<PersonalToken>, StoreError> {
    hold_account(tx, user_id).await?;
    list(tx, user_id).await
}

/// Removes a token of a person and returns it.
pub async fn delete(tx: &Tx, user_id: i64, id: i64) -> Result<Option<PersonalToken>, StoreError> {
    let row = personal_token::Entity::find_by_id(id)
        .filter(personal_token::Column::UserId.eq(user_id))
        .lock(LockType::Update)
        .one(tx)
        .await?;
    let Some(row) = row else { return Ok(None) };
    personal_token::Entity::delete_by_id(row.id).exec(tx).await?;
    Ok(Some(token(row)))
}

/// Removes every token of a person and returns them, oldest first.
pub async fn delete_all(tx: &Tx, user_id: i64) -> Result<Vec<PersonalToken>, StoreError> {
    let tokens = hold(tx, user_id).await?;
    personal_token::Entity::delete_many().filter(personal_token::Column::UserId.eq(user_id)).exec(tx).await?;
    Ok(tokens)
}

/// Locks all tokens that end after a time, by id, as everybody does who writes several: no two wait for each other.
pub async fn hold_ending_after(tx: &Tx, time: Timestamp) -> Result<(), StoreError> {
    personal_token::Entity::find()
        .select_only()
        .column(personal_token::Column::Id)
        .filter(personal_token::Column::ExpiresAt.gt(time))
        .order_by_asc(personal_token::Column::Id)
        .lock(LockType::Update)
        .into_tuple::<i64>()
        .all(tx)
        .await?;
    Ok(())
}

/// Lets all tokens of accounts of a kind that would end later end at a time. Returns their number.
pub async fn shorten(tx: &Tx, kind: AccountKind, end: Timestamp) -> Result<u64, StoreError> {
    let owners = Query::select()
        .column(app_user::Column::Id)
        .from(app_user::Entity)
        .and_where(app_user::Column::IsService.eq(kind == AccountKind::ServiceAccount))
        .to_owned();
    let shortened = personal_token::Entity::update_many()
        .col_expr(personal_token::Column::ExpiresAt, Expr::value(end))
        .filter(personal_token::Column::ExpiresAt.gt(end))
        .filter(personal_token::Column::UserId.in_subquery(owners))
        .exec(tx)
        .await?;
    Ok(shortened.rows_affected)
}

/// Writes when tokens were last used.
pub async fn mark_seen(tx: &Tx, sightings: &[(i64, Timestamp)]) -> Result<(), StoreError> {
    for (id, seen_at) in sightings {
        personal_token::Entity::update_many()
            .col_expr(personal_token::Column::SeenAt, Expr::value(*seen_at))
            .filter(personal_token::Column::Id.eq(*id))
            .exec(tx)
            .await?;
    }
    Ok(())
}

/// A token as stored.
pub(crate) fn token(row: personal_token::Model) -> PersonalToken {
    PersonalToken {
        id: row.id,
        user_id: row.user_id,
        description: row.description,
        created_at: row.created_at,
        expires_at: row.expires_at,
        seen_at: row.seen_at,
    }
}
