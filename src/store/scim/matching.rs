//! Filters and orders of directories as conditions and expressions.

use flagstone_domain::scim::{
    Sorting,
    filter::{Attribute, Filter, Order, Test},
};
use sea_orm::{
    Condition, EntityTrait, QueryOrder, Select,
    sea_query::{Expr, ExprTrait, Func, LikeExpr, Order as Direction},
};

use crate::db::text::{containing, ending_with, starting_with};

/// Attributes of one kind of resource, as they are stored.
pub(super) trait Columns {
    /// Condition for one comparison.
    fn comparison(&self, attribute: Attribute, test: &Test) -> Condition;

    /// Expression for an attribute that has one value, or none.
    fn value(&self, attribute: Attribute) -> Expr;
}

/// Condition for a filter; without a filter, everything.
pub(super) fn matching(filter: Option<&Filter>, columns: &impl Columns) -> Condition {
    match filter {
        None => Condition::all(),
        Some(Filter::All(filters)) => {
            filters.iter().fold(Condition::all(), |all, one| all.add(matching(Some(one), columns)))
        }
        Some(Filter::Any(filters)) => {
            filters.iter().fold(Condition::any(), |any, one| any.add(matching(Some(one), columns)))
        }
        // An absent attribute compares as false, and its negation as true.
        Some(Filter::Not(filter)) => {
            Condition::all().add(Expr::expr(Expr::case(matching(Some(filter), columns), 1).finally(0)).eq(0))
        }
        Some(Filter::Is(attribute, test)) => columns.comparison(*attribute, test),
    }
}

/// Condition that no resource fulfils.
pub(super) fn none() -> Condition {
    Condition::all().add(Expr::val(1).eq(0))
}

/// Condition for a comparison of a text by the case of its letters.
pub(super) fn exact(column: &Expr, wanted: &Test) -> Condition {
    let (all, column) = (Condition::all(), column.clone());
    // `LIKE` heeds the case on PostgreSQL alone.
    let piece =
        |start: Expr, text: &str| Func::cust("substr").args([column.clone(), start, Expr::val(length_of(text))]);
    match wanted {
        Test::Equals(text) => all.add(column.eq(text.as_str())),
        Test::Contains(text) | Test::StartsWith(text) | Test::EndsWith(text) if text.is_empty() => {
            all.add(column.is_not_null())
        }
        Test::Contains(text) => {
            let without = Func::cust("replace").args([column.clone(), Expr::val(text.as_str()), Expr::val("")]);
            all.add(Expr::expr(without).ne(column))
        }
        Test::StartsWith(text) => all.add(Expr::expr(piece(Expr::val(1), text)).eq(text.as_str())),
        Test::EndsWith(text) => {
            let length = Expr::expr(Func::cust("length").arg(column.clone()));
            let start = length.clone().sub(length_of(text) - 1);
            all.add(length.gte(length_of(text))).add(Expr::expr(piece(start, text)).eq(text.as_str()))
        }
        Test::Ordered(order, text) => all.add(ordered(column, *order, Expr::val(text.as_str()))),
        test => alike(&column, test),
    }
}

/// Condition for a comparison of a value; letters of ASCII are the same in either case.
pub(super) fn alike(column: &Expr, wanted: &Test) -> Condition {
    let (all, folded) = (Condition::all(), Expr::expr(Func::lower(column.clone())));
    let like = |text: &str, pattern: fn(&str) -> LikeExpr| folded.clone().like(pattern(&text.to_ascii_lowercase()));
    match wanted {
        Test::Present => all.add(column.clone().is_not_null()),
        Test::Equals(text) => all.add(folded.eq(text.to_ascii_lowercase())),
        Test::Contains(text) => all.add(like(text, containing)),
        Test::StartsWith(text) => all.add(like(text, starting_with)),
        Test::EndsWith(text) => all.add(like(text, ending_with)),
        Test::Ordered(order, text) => all.add(ordered(folded, *order, Expr::val(text.to_ascii_lowercase()))),
        Test::Truth(truth) => all.add(column.clone().eq(*truth)),
        Test::At(time) => all.add(column.clone().eq(*time)),
        Test::Timed(order, time) => all.add(ordered(column.clone(), *order, Expr::val(*time))),
    }
}

fn length_of(text: &str) -> i32 {
    i32::try_from(text.chars().count()).unwrap_or(i32::MAX)
}

fn ordered(value: Expr, order: Order, other: Expr) -> Expr {
    match order {
        Order::Less => value.lt(other),
        Order::LessOrEqual => value.lte(other),
        Order::GreaterOrEqual => value.gte(other),
        Order::Greater => value.gt(other),
    }
}

/// The rows in the order that is asked for, and by id where that leaves it open. Absent values are the last in ascending
/// order and the first in descending order (RFC 7644, section 3.4.2.3).
pub(super) fn sorted<E: EntityTrait>(
    rows: Select<E>,
    sorting: Option<Sorting>,
    columns: &impl Columns,
    id: E::Column,
) -> Select<E> {
    let Some(Sorting { by, descending }) = sorting else { return rows.order_by_asc(id) };
    let direction = if descending { Direction::Desc } else { Direction::Asc };
    let value = match by {
        Attribute::DisplayName | Attribute::Formatted | Attribute::GivenName | Attribute::FamilyName => {
            Expr::expr(Func::lower(columns.value(by)))
        }
        by => columns.value(by),
    };
    rows.order_by(value.clone().is_null(), direction.clone()).order_by(value, direction).order_by_asc(id)
}
