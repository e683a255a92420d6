//! Filters as conditions on `feature`: semi-joins only, so that no filter multiplies rows or takes anything away from
//! the features that it lets pass.

use flagstone_domain::{
    filter::{DateFilter, DateOperator, SegmentFilter, SetFilter, StatusFilter, TagFilter, TextQuery, ValueFilter},
    text::is_longer,
};
use sea_orm::{
    ColumnTrait, DatabaseBackend,
    sea_query::{Asterisk, Condition, Expr, ExprTrait, Func, Query, SelectStatement, extension::sqlite::SqliteExpr},
};

use super::{FeatureQuery, stage};
use crate::{
    db::text,
    entity::{favorite_feature, feature, feature_environment, feature_tag, segment, strategy_segment, tag},
    visibility::not_hidden,
};

/// The full-text table of SQLite for `feature`.
const FULL_TEXT: &str = "feature_fts";
/// Most characters that can be part of a name or tag; a longer text occurs in none.
const LONGEST_LINE: usize = 256;

/// Hint to SQLite, which does not know how many rows have a value, about the way to the features.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// From those that a list names, where there is one: they are few.
    FromLists,
    /// Along the order of the answer: the lists name so many that a page of them is found sooner so.
    AlongOrder,
}

/// Whether a filter is a list of features, from which they can be reached.
pub(super) fn has_lists(query: &FeatureQuery) -> bool {
    query.only_favorites
        || query.text.as_ref().is_some_and(|text| !text.alternatives.is_empty())
        || query.tag.as_ref().is_some_and(leaves_some)
        || query.segment.as_ref().is_some_and(leaves_some)
}

/// Condition that every feature of the answer satisfies.
pub(super) fn condition(query: &FeatureQuery, backend: DatabaseBackend, way: Way) -> Condition {
    let is_sqlite = backend == DatabaseBackend::Sqlite;
    let id = value(feature::Column::Id, way == Way::AlongOrder);
    // A project has few of the features that are stale or of a type, and of the others.
    let in_project = is_sqlite && query.project.as_ref().is_some_and(names_some);
    not_hidden(feature::Column::Project.into_expr(), &query.visibility)
        .add(stage::condition(query))
        .add_option(query.project.as_ref().and_then(|filter| one_of(feature::Column::Project.into_expr(), filter)))
        .add_option(query.kind.as_ref().and_then(|filter| one_of(value(feature::Column::Type, in_project), filter)))
        .add_option(query.state.as_ref().and_then(|filter| in_state(filter, value(feature::Column::Stale, in_project))))
        .add_option(query.creator.as_ref().and_then(created_by))
        .add_option(query.created_at.map(|filter| on_side(feature::Column::CreatedAt, filter)))
        .add_option(query.last_seen_at.map(|filter| on_side(feature::Column::LastSeenAt, filter)))
        .add_option(query.only_favorites.then(|| is_favorite(query.reader, id.clone())))
        .add_option(query.status.as_ref().and_then(|filter| has_status(query, filter, is_sqlite)))
        .add_option(query.tag.as_ref().and_then(|filter| tagged(filter, id.clone())))
        .add_option(query.segment.as_ref().and_then(|filter| uses_segment(filter, id.clone())))
        .add_option(query.text.as_ref().and_then(|text| mentions(text, backend, id)))
}

/// The value of a column, which is not looked up in an index if it is `bare`.
fn value(column: feature::Column, bare: bool) -> Expr {
    let value = column.into_expr();
    if bare { Expr::cust_with_expr("+?", value) } else { value }
}

fn nothing() -> Expr {
    Expr::cust("1 = 0")
}

fn one_of(column: Expr, filter: &ValueFilter) -> Option<Expr> {
    let values = filter.values.iter().map(String::as_str);
    let condition = if filter.is_negated() { column.is_not_in(values) } else { column.is_in(values) };
    (!filter.values.is_empty()).then_some(condition)
}

/// `active` is the one word for not stale.
fn in_state(filter: &ValueFilter, stale: Expr) -> Option<Expr> {
    let admits = |active: bool| filter.values.iter().any(|word| (word == "active") == active) != filter.is_negated();
    match (admits(true), admits(false)) {
        _ if filter.values.is_empty() => None,
        (true, true) => None,
        (false, false) => Some(nothing()),
        (active, _) => Some(stale.eq(!active)),
    }
}

/// A text that is no id is no creator's. A feature whose creator is unknown satisfies no filter on the creator.
fn created_by(filter: &ValueFilter) -> Option<Expr> {
    let column = feature::Column::CreatedByUserId;
    let ids = filter.values.iter().filter_map(|value| value.parse::<i64>().ok());
    let condition =
        if filter.is_negated() { column.is_not_null().and(column.is_not_in(ids)) } else { column.is_in(ids) };
    (!filter.values.is_empty()).then_some(condition)
}

/// Whether an instant is on the wanted side of a day's start; one that is absent is on neither.
fn on_side(instant: feature::Column, filter: DateFilter) -> Expr {
    match filter.operator {
        DateOperator::IsBefore => instant.lt(filter.start()),
        DateOperator::IsOnOrAfter => instant.gte(filter.start()),
    }
}

/// Nobody has favourites who is no person.
fn is_favorite(reader: Option<i64>, id: Expr) -> Expr {
    reader.map_or_else(nothing, |reader| id.in_subquery(favorites_of(reader)))
}

/// Ids of the favourites of a person.
pub(super) fn favorites_of(reader: i64) -> SelectStatement {
    Query::select()
        .column(favorite_feature::Column::FeatureId)
        .from(favorite_feature::Entity)
        .and_where(favorite_feature::Column::UserId.eq(reader))
        .to_owned()
}

/// Whether some other filter is likely to leave few features.
fn leaves_few(query: &FeatureQuery) -> bool {
    has_lists(query) || query.project.as_ref().is_some_and(names_some)
}

/// Whether a filter names what is wanted rather than what is not.
fn names_some(filter: &ValueFilter) -> bool {
    !filter.values.is_empty() && !filter.is_negated()
}

/// Whether a filter on properties that features have several of names wanted rather than unwanted values.
fn leaves_some<T>(filter: &SetFilter<T>) -> bool {
    !filter.values.is_empty() && !filter.is_negated()
}

/// Condition of the switch: one pair that holds is enough. A feature that is not configured in an environment is
/// neither on nor off there.
///
/// Half of all features may be on: of few others each is looked up, instead of making a list of those that are.
///
/// SQLite 3.51 makes a join of that, and what the page skips it then skips once for each row that satisfies the filter:
/// a limit keeps it a question for each feature.
fn has_status(query: &FeatureQuery, filter: &StatusFilter, is_sqlite: bool) -> Option<Expr> {
    let switched = |environments: &[String], enabled: bool| {
        let column = feature_environment::Column::Environment;
        column.is_in(environments.iter().map(String::as_str)).and(feature_environment::Column::Enabled.eq(enabled))
    };
    let id = (feature_environment::Entity, feature_environment::Column::FeatureId);
    let mut rows = Query::select();
    rows.column(id)
        .from(feature_environment::Entity)
        .and_where_option((!stage::finds_archived(query)).then(is_live))
        .cond_where(
            Condition::any()
                .add_option((!filter.enabled_in.is_empty()).then(|| switched(&filter.enabled_in, true)))
                .add_option((!filter.disabled_in.is_empty()).then(|| switched(&filter.disabled_in, false))),
        );
    (!filter.is_empty()).then(|| {
        if leaves_few(query) {
            rows.and_where(Expr::col(id).eq(feature::Column::Id.into_expr()));
            if is_sqlite {
                rows.limit(1);
            }
            Expr::exists(rows)
        } else {
            feature::Column::Id.in_subquery(rows)
        }
    })
}

/// Whether a row of `feature_environment` is of a feature in use.
pub(super) fn is_live() -> Expr {
    Expr::col((feature_environment::Entity, feature_environment::Column::Live))
}

fn tagged(filter: &TagFilter, id: Expr) -> Option<Expr> {
    if filter.values.is_empty() {
        return None;
    }
    let wanted: Vec<(&str, &str)> = filter.values.iter().map(|tag| (tag.kind.as_str(), tag.value.as_str())).collect();
    let listed = Query::select().column(Asterisk).from_values(wanted, "wanted").to_owned();
    let this = Expr::tuple([tag::Column::Type.into_expr(), tag::Column::Value.into_expr()]);
    let rows = Query::select()
        .column((feature_tag::Entity, feature_tag::Column::FeatureId))
        .from(feature_tag::Entity)
        .inner_join(tag::Entity, tag::Column::Id.into_expr().eq(feature_tag::Column::TagId.into_expr()))
        .and_where(this.in_subquery(listed))
        .to_owned();
    let (owner, element) = (feature_tag::Column::FeatureId, feature_tag::Column::TagId);
    Some(has_elements(filter, rows, id, [owner.into_expr(), element.into_expr()]))
}

fn uses_segment(filter: &SegmentFilter, id: Expr) -> Option<Expr> {
    if filter.values.is_empty() {
        return None;
    }
    let rows = Query::select()
        .column((strategy_segment::Entity, strategy_segment::Column::FeatureId))
        .from(strategy_segment::Entity)
        .inner_join(
            segment::Entity,
            segment::Column::Id.into_expr().eq(strategy_segment::Column::SegmentId.into_expr()),
        )
        .and_where(segment::Column::Name.is_in(filter.values.iter().map(String::as_str)))
        .to_owned();
    let (owner, element) = (strategy_segment::Column::FeatureId, strategy_segment::Column::SegmentId);
    Some(has_elements(filter, rows, id, [owner.into_expr(), element.into_expr()]))
}

/// `rows` are the features that have a listed element, one row for each.
fn has_elements<T>(filter: &SetFilter<T>, mut rows: SelectStatement, id: Expr, [owner, element]: [Expr; 2]) -> Expr {
    if filter.needs_all() {
        let listed = i64::try_from(filter.values.len()).unwrap_or(i64::MAX);
        rows.add_group_by([owner]).and_having(Expr::expr(Func::count_distinct(element)).eq(listed));
    }
    if filter.is_negated() { id.not_in_subquery(rows) } else { id.in_subquery(rows) }
}

/// `search_text` holds the name and each tag on a line of its own, their case folded.
fn mentions(query: &TextQuery, backend: DatabaseBackend, id: Expr) -> Option<Condition> {
    if query.alternatives.is_empty() {
        return None;
    }
    // A text with a line break could only match across the lines, which belong to different things.
    let can_occur = |text: &&String| !text.contains('\n') && !is_longer(text, LONGEST_LINE);
    let has_trigrams = |text: &&String| text.chars().count() >= text::SHORTEST_INDEXED;
    let has_index = |text: &&String| backend == DatabaseBackend::Sqlite && has_trigrams(text);
    let (indexed, scanned): (Vec<_>, Vec<_>) = query.alternatives.iter().filter(can_occur).partition(has_index);
    if indexed.is_empty() && scanned.is_empty() {
        return Some(nothing().into());
    }
    let mut any = Condition::any().add_option((!indexed.is_empty()).then(|| in_full_text(&indexed, id)));
    for text in scanned {
        let mut searched = Expr::col((feature::Entity, feature::Column::SearchText));
        if backend == DatabaseBackend::Postgres && !has_trigrams(&text) {
            // PostgreSQL keeps one plan for texts of any length, in which its index gives all rows for one this short.
            searched = searched.binary(text::CONCAT, Expr::cust("''"));
        }
        any = any.add(searched.like(text::containing(text)));
    }
    Some(any)
}

fn in_full_text(texts: &[&String], id: Expr) -> Expr {
    let phrases: Vec<String> = texts.iter().map(|text| text::phrase(text)).collect();
    let rows = Query::select()
        .column("rowid")
        .from(FULL_TEXT)
        .and_where(Expr::col(FULL_TEXT).matches(phrases.join(" OR ")))
        .to_owned();
    id.in_subquery(rows)
}
