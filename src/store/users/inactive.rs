//! People who have not been here for long.

use flagstone_domain::time::Timestamp;
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
    sea_query::{Condition, Expr, ExprTrait, Query},
};

use crate::{
    StoreError,
    access::people::{Account, people},
    db::Tx,
    entity::{app_user, personal_token},
    users,
};

/// An inactive user.
#[derive(Debug, Clone)]
pub struct InactiveUser {
    /// The user.
    pub account: Account,
    /// When one of their personal tokens was last used.
    pub token_seen_at: Option<Timestamp>,
}

/// All people who came before `since` and were not seen after it, neither themselves nor by a personal token, by id.
pub async fn inactive(db: &impl ConnectionTrait, since: Timestamp) -> Result<Vec<InactiveUser>, StoreError> {
    let rows = people().filter(absent(since)).order_by_asc(app_user::Column::Id).all(db).await?;
    let seen: Vec<(i64, Option<Timestamp>)> = personal_token::Entity::find()
        .select_only()
        .column(personal_token::Column::UserId)
        .column_as(personal_token::Column::SeenAt.max(), "seen_at")
        .filter(personal_token::Column::UserId.is_in(rows.iter().map(|row| row.id)))
        .group_by(personal_token::Column::UserId)
        .into_tuple()
        .all(db)
        .await?;
    let token_seen_at = |id| seen.iter().find(|(user, _)| *user == id).and_then(|(_, seen)| *seen);
    let of_row = |row: app_user::Model| InactiveUser { token_seen_at: token_seen_at(row.id), account: row.into() };
    Ok(rows.into_iter().map(of_row).collect())
}

/// Returns the people of these ids who are still away, by id, locked until the transaction ends.
pub async fn hold_inactive(tx: &Tx, ids: &[i64], since: Timestamp) -> Result<Vec<Account>, StoreError> {
    let rows = people()
        .filter(app_user::Column::Id.is_in(ids.iter().copied()))
        .filter(absent(since))
        .order_by_asc(app_user::Column::Id)
        .lock_exclusive()
        .all(tx)
        .await?;
    let held: Vec<i64> = rows.iter().map(|row| row.id).collect();
    users::list(tx, &held).await
}

fn absent(since: Timestamp) -> Condition {
    let seen_by_token = Query::select()
        .expr(Expr::val(1))
        .from(personal_token::Entity)
        .and_where(
            Expr::col((personal_token::Entity, personal_token::Column::UserId))
                .equals((app_user::Entity, app_user::Column::Id)),
        )
        .and_where(Expr::col((personal_token::Entity, personal_token::Column::SeenAt)).gte(since))
        .take();
    let unseen = Condition::any().add(app_user::Column::SeenAt.is_null()).add(app_user::Column::SeenAt.lt(since));
    Condition::all().add(app_user::Column::CreatedAt.lt(since)).add(unseen).add(Expr::exists(seen_by_token).not())
}
