//! Programs that have an account of their own, which people give them.

use std::collections::HashMap;

use flagstone_domain::token::PersonalToken;
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select,
    sea_query::{LockType, Query},
};

use crate::{
    StoreError,
    access::people::{Account, is_account},
    db::Tx,
    entity::{app_user, personal_token},
    tokens,
};

fn programs() -> Select<app_user::Entity> {
    app_user::Entity::find().filter(is_account()).filter(app_user::Column::IsService.eq(true))
}

/// All service accounts with their tokens, by id; the tokens are oldest first.
pub async fn list(db: &impl ConnectionTrait) -> Result<Vec<(Account, Vec<PersonalToken>)>, StoreError> {
    let rows = programs().order_by_asc(app_user::Column::Id).all(db).await?;
    let theirs = Query::select()
        .column(app_user::Column::Id)
        .from(app_user::Entity)
        .cond_where(is_account().add(app_user::Column::IsService.eq(true)))
        .take();
    let tokens = personal_token::Entity::find()
        .filter(personal_token::Column::UserId.in_subquery(theirs))
        .order_by_asc(personal_token::Column::Id)
        .all(db)
        .await?;
    let mut tokens_of: HashMap<i64, Vec<PersonalToken>> = HashMap::new();
    for token in tokens {
        tokens_of.entry(token.user_id).or_default().push(tokens::personal::token(token));
    }
    let with_tokens = |row: app_user::Model| {
        let tokens = tokens_of.remove(&row.id).unwrap_or_default();
        (Account::from(row), tokens)
    };
    Ok(rows.into_iter().map(with_tokens).collect())
}

/// Returns the service account with this id.
pub async fn find(db: &impl ConnectionTrait, id: i64) -> Result<Option<Account>, StoreError> {
    Ok(programs().filter(app_user::Column::Id.eq(id)).one(db).await?.map(Account::from))
}

/// Returns the service account with this id, locked until the transaction ends.
pub async fn hold(tx: &Tx, id: i64) -> Result<Option<Account>, StoreError> {
    let row = programs().filter(app_user::Column::Id.eq(id)).lock(LockType::Update).one(tx).await?;
    Ok(row.map(Account::from))
}
