//! Use of accounts, as the policy on inactive users counts it.

use std::collections::HashMap;

use flagstone_domain::{account_policy::AccountUse, time::Timestamp};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use crate::{
    StoreError,
    access::people::{Account, people},
    entity::{app_user, personal_token},
    scim,
};

/// Returns the active people with the use of their accounts, by id. Those whom a directory manages are left out.
pub async fn uses(db: &impl ConnectionTrait) -> Result<Vec<(Account, AccountUse)>, StoreError> {
    let mut active = people().filter(app_user::Column::DeactivatedAt.is_null());
    if scim::is_on(db).await? {
        active = active.filter(app_user::Column::ScimKey.is_null());
    }
    let rows = active.order_by_asc(app_user::Column::Id).all(db).await?;
    let seen: Vec<(i64, Option<Timestamp>)> = personal_token::Entity::find()
        .select_only()
        .column(personal_token::Column::UserId)
        .column_as(personal_token::Column::SeenAt.max(), "seen_at")
        .group_by(personal_token::Column::UserId)
        .into_tuple()
        .all(db)
        .await?;
    let seen: HashMap<i64, Option<Timestamp>> = seen.into_iter().collect();
    let with_use = |row: app_user::Model| {
        let account = Account::from(row);
        let account_use = use_of(&account, seen.get(&account.id).copied().flatten());
        (account, account_use)
    };
    Ok(rows.into_iter().map(with_use).collect())
}

/// Returns the use of one account.
pub async fn find_use(db: &impl ConnectionTrait, account: &Account) -> Result<AccountUse, StoreError> {
    let seen: Option<Option<Timestamp>> = personal_token::Entity::find()
        .select_only()
        .column_as(personal_token::Column::SeenAt.max(), "seen_at")
        .filter(personal_token::Column::UserId.eq(account.id))
        .into_tuple()
        .one(db)
        .await?;
    Ok(use_of(account, seen.flatten()))
}

fn use_of(account: &Account, token_seen_at: Option<Timestamp>) -> AccountUse {
    AccountUse {
        created_at: account.created_at,
        // `None` comes before every time.
        used_at: Ord::max(account.seen_at, token_seen_at),
        activated_at: account.activated_at,
    }
}
