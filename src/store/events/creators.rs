//! Creators of events.

use flagstone_domain::{user::display_name, visibility::Visibility};
use sea_orm::{
    ConnectionTrait, DbErr, QueryResult,
    sea_query::{Expr, ExprTrait, Order, Query},
};

use super::visibility::visible;
use crate::{
    StoreError,
    entity::{app_user, event},
};

/// Creator of an event in the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Creator {
    /// Id of the user.
    pub id: i64,
    /// Display name, else user name, else email.
    pub name: String,
}

/// All creators of visible events, by id. Asks the log once for each user, not for each event.
pub async fn creators(db: &impl ConnectionTrait, visibility: &Visibility) -> Result<Vec<Creator>, StoreError> {
    let id = || Expr::col((app_user::Entity, app_user::Column::Id));
    let made = Query::select()
        .expr(Expr::val(1))
        .from(event::Entity)
        .and_where(Expr::col((event::Entity, event::Column::CreatedByUserId)).eq(id()))
        .cond_where(visible(visibility))
        .take();
    let select = Query::select()
        .columns([app_user::Column::Id, app_user::Column::Name, app_user::Column::Username, app_user::Column::Email])
        .from(app_user::Entity)
        .and_where(Expr::exists(made))
        .order_by(app_user::Column::Id, Order::Asc)
        .take();
    let rows = db.query_all(&select).await?;
    Ok(rows.iter().map(creator).collect::<Result<_, DbErr>>()?)
}

fn creator(row: &QueryResult) -> Result<Creator, DbErr> {
    let text = |index| row.try_get_by_index::<Option<String>>(index);
    let (name, username, email) = (text(1)?, text(2)?, text(3)?);
    let name = display_name(name.as_deref(), username.as_deref(), email.as_deref()).to_owned();
    Ok(Creator { id: row.try_get_by_index(0)?, name })
}
