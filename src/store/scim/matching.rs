//! Filters and orders of directories as conditions and expressions.

use sea_orm::{
    ColumnTrait, Condition, EntityTrait, QueryOrder, QuerySelect, QueryTrait, Select,
    sea_query::{Expr, ExprTrait, Func, LikeExpr, Order, Query},
};

use super::id_of;
use crate::{
    domain::{
        email,
        scim::{
            Sorting,
            filter::{Attribute, Filter, Test},
        },
    },
    store::{
        access::people::people,
        db::text::{containing, ending_with, starting_with},
        entity::{app_user, user_group, user_group_member},
    },
};

/// Condition for a filter, whose comparisons `leaf` translates; without a filter, everything.
pub(super) fn matching(filter: Option<&Filter>, leaf: fn(Attribute, &Test) -> Condition) -> Condition {
    match filter {
        None => Condition::all(),
        Some(Filter::All(filters)) => {
            filters.iter().fold(Condition::all(), |all, one| all.add(matching(Some(one), leaf)))
        }
        Some(Filter::Any(filters)) if filters.is_empty() => Condition::all().add(Expr::val(1).eq(0)),
        Some(Filter::Any(filters)) => {
            filters.iter().fold(Condition::any(), |any, one| any.add(matching(Some(one), leaf)))
        }
        // An absent attribute compares as false, and its negation as true.
        Some(Filter::Not(filter)) => {
            Condition::all().add(Expr::expr(Expr::case(matching(Some(filter), leaf), 1).finally(0)).eq(0))
        }
        Some(Filter::Is(attribute, test)) => leaf(*attribute, test),
    }
}

/// Condition for one comparison of users.
pub(super) fn user(attribute: Attribute, test: &Test) -> Condition {
    let all = Condition::all();
    let is_kept = app_user::Column::ScimKey.is_not_null();
    match (attribute, test) {
        (Attribute::Id, Test::Equals(id)) => all.add(app_user::Column::Id.eq(id_of(id))),
        (Attribute::ExternalId, Test::Equals(id)) => all.add(app_user::Column::ScimExternalId.eq(id)).add(is_kept),
        (Attribute::ExternalId, _) => all.add(app_user::Column::ScimExternalId.is_not_null()).add(is_kept),
        (Attribute::UserName, Test::Equals(name)) => called(name),
        (Attribute::Email, Test::Equals(email)) => all.add(app_user::Column::Email.eq(email::folded(email))),
        (Attribute::Active, Test::Truth(false)) => all.add(app_user::Column::DeactivatedAt.is_not_null()),
        (Attribute::Active, Test::Truth(true)) => all.add(app_user::Column::DeactivatedAt.is_null()),
        (Attribute::Id | Attribute::Active, _) => all,
        (attribute, test) => common(user_column(attribute), test),
    }
}

/// Condition for one comparison of groups.
pub(super) fn group(attribute: Attribute, test: &Test) -> Condition {
    let all = Condition::all();
    let is_kept = user_group::Column::IsScim.eq(true);
    match (attribute, test) {
        (Attribute::Id, Test::Equals(id)) => all.add(user_group::Column::Id.eq(id_of(id))),
        (Attribute::ExternalId, Test::Equals(id)) => all.add(user_group::Column::ScimExternalId.eq(id)).add(is_kept),
        (Attribute::ExternalId, _) => all.add(user_group::Column::ScimExternalId.is_not_null()).add(is_kept),
        (Attribute::Members, test) => {
            let people = people().select_only().column(app_user::Column::Id).into_query();
            let mut memberships = Query::select();
            memberships.column(user_group_member::Column::GroupId).from(user_group_member::Entity);
            memberships.and_where(user_group_member::Column::UserId.in_subquery(people));
            if let Test::Equals(id) = test {
                memberships.and_where(user_group_member::Column::UserId.eq(id_of(id)));
            }
            all.add(user_group::Column::Id.in_subquery(memberships))
        }
        (Attribute::Id, _) => all,
        (attribute, test) => common(group_column(attribute), test),
    }
}

fn common(column: Expr, wanted: &Test) -> Condition {
    let alike = |text: &str, pattern: fn(&str) -> LikeExpr| {
        let folded = Expr::expr(Func::lower(column.clone())).like(pattern(&text.to_ascii_lowercase()));
        Condition::any().add(folded).add(column.clone().like(pattern(text)))
    };
    let all = Condition::all();
    match wanted {
        Test::Present => all.add(column.is_not_null()),
        Test::Equals(text) => {
            let folded = Expr::expr(Func::lower(column.clone())).eq(text.to_ascii_lowercase());
            Condition::any().add(folded).add(column.eq(text.as_str()))
        }
        Test::Contains(text) => alike(text, containing),
        Test::StartsWith(text) => alike(text, starting_with),
        Test::EndsWith(text) => alike(text, ending_with),
        Test::Truth(truth) => all.add(column.eq(*truth)),
        Test::Before(time) => all.add(column.lt(*time)),
        Test::At(time) => all.add(column.eq(*time)),
        Test::After(time) => all.add(column.gt(*time)),
    }
}

/// Users whom a directory calls so, or would: one whom none keeps is called by the email, else by the user name.
pub(super) fn called(name: &str) -> Condition {
    let folded = name.to_ascii_lowercase();
    let by_hand = Condition::any().add(app_user::Column::Email.eq(folded.clone())).add(
        Condition::all().add(app_user::Column::Email.is_null()).add(
            Condition::any()
                .add(app_user::Column::Username.eq(name))
                .add(Expr::expr(Func::lower(Expr::col(app_user::Column::Username))).eq(folded.clone())),
        ),
    );
    Condition::any()
        .add(app_user::Column::ScimKey.eq(folded))
        .add(Condition::all().add(app_user::Column::ScimKey.is_null()).add(by_hand))
}

/// Expression for an attribute of users.
pub(super) fn user_column(attribute: Attribute) -> Expr {
    let column = |column: app_user::Column| Expr::col((app_user::Entity, column));
    match attribute {
        Attribute::Id | Attribute::Members => column(app_user::Column::Id),
        Attribute::ExternalId => column(app_user::Column::ScimExternalId),
        Attribute::UserName => {
            let names = [app_user::Column::ScimKey, app_user::Column::Email, app_user::Column::Username];
            Expr::expr(Func::lower(Func::coalesce(names.map(column))))
        }
        Attribute::DisplayName => column(app_user::Column::Name),
        Attribute::Email => column(app_user::Column::Email),
        Attribute::Active => column(app_user::Column::DeactivatedAt).is_null(),
        Attribute::Created => column(app_user::Column::CreatedAt),
        Attribute::Changed => {
            Expr::expr(Func::coalesce([app_user::Column::ChangedAt, app_user::Column::CreatedAt].map(column)))
        }
    }
}

/// Expression for an attribute of groups.
pub(super) fn group_column(attribute: Attribute) -> Expr {
    let column = |column: user_group::Column| Expr::col((user_group::Entity, column));
    match attribute {
        Attribute::ExternalId => column(user_group::Column::ScimExternalId),
        Attribute::DisplayName => column(user_group::Column::Name),
        Attribute::Created => column(user_group::Column::CreatedAt),
        Attribute::Changed => {
            Expr::expr(Func::coalesce([user_group::Column::ChangedAt, user_group::Column::CreatedAt].map(column)))
        }
        Attribute::Id | Attribute::UserName | Attribute::Email | Attribute::Active | Attribute::Members => {
            column(user_group::Column::Id)
        }
    }
}

/// The rows in the order that is asked for, and by id where that leaves it open. Absent values are the last in ascending
/// order and the first in descending order (RFC 7644, section 3.4.2.3).
pub(super) fn sorted<E: EntityTrait>(
    rows: Select<E>,
    sorting: Option<Sorting>,
    column: fn(Attribute) -> Expr,
    id: E::Column,
) -> Select<E> {
    let Some(Sorting { by, descending }) = sorting else { return rows.order_by_asc(id) };
    let order = if descending { Order::Desc } else { Order::Asc };
    let value = match by {
        Attribute::DisplayName => Expr::expr(Func::lower(column(by))),
        by => column(by),
    };
    rows.order_by(value.clone().is_null(), order.clone()).order_by(value, order).order_by_asc(id)
}
