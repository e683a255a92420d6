//! Searching the log: one statement for a page, one for the total, both over the same condition. A total that was
//! counted before is only carried on.
//!
//! The text table of `SQLite` takes events in by the batch; the last of them are looked at one by one.
//!
//! Ids rise in the order of commits and `created_at` never falls, so newest first is a walk of an index from its end,
//! and a range of days is a range of ids.

use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseBackend, DbErr, QueryResult,
    sea_query::{
        Alias, Condition, Expr, ExprTrait, Func, FunctionCall, Order, Query, SelectStatement, SimpleExpr, UnionType,
    },
};

use serde::Deserialize;

use super::totals::{Known, Stretch};
use crate::{
    domain::{
        event::Event,
        event_filter::{EventFilter, EventPage, PageStart, Phrase, PhrasePlace},
        event_kind::EventKind,
        time::Timestamp,
        visibility::Visibility,
    },
    store::{
        StoreError,
        db::HeavyReads,
        entity::event::{Column, Entity},
        packed, text,
    },
    wire::{Nullable, RawJson, RawJsonOf},
};

/// Characters of a phrase that the text index is asked for; it works for each of them. The rest is compared directly.
const INDEXED_CHARACTERS: usize = 64;
const TEXT_TABLE: &str = "event_fts";
/// Has a row for each event that the text table knows.
const TEXT_SIZES: &str = "event_fts_docsize";

/// A page of matching events, newest first, and how many match in all.
#[derive(Debug)]
pub struct Found {
    /// The events of the page.
    pub events: Vec<Event>,
    /// Matching events on all pages.
    pub total: i64,
}

/// The events that match a filter and that somebody may see. The total does not depend on the page.
pub async fn search(
    db: &HeavyReads<'_>,
    filter: &EventFilter,
    visibility: &Visibility,
    page: EventPage,
) -> Result<Found, StoreError> {
    if filter.is_impossible() {
        return Ok(Found { events: Vec::new(), total: 0 });
    }
    let plan = Plan::new(filter, visibility, db.get_database_backend());
    let answer = db.query_one(&plan.page(page)).await?.ok_or(DbErr::RecordNotFound("page".to_owned()))?;
    let mut rows: Vec<Row> = packed::list(&answer, 0)?;
    rows.sort_unstable_by_key(|row| std::cmp::Reverse(row.id));
    let events = rows.into_iter().map(Row::into_event).collect::<Result<_, DbErr>>()?;
    Ok(Found { events, total: total(db, &plan, log(&answer, 1)?).await? })
}

/// What was counted before is not counted again: only the events since then are, if there are any in the log.
async fn total(db: &HeavyReads<'_>, plan: &Plan<'_>, log: Stretch) -> Result<i64, StoreError> {
    let question = plan.backend.build(&plan.total(None)).to_string();
    let known = db.memory().event_totals.find(&question);
    if let Some(known) = known.filter(|known| known.stretch == log) {
        return Ok(known.total);
    }
    let mut counted = count(db, &plan.total(known.as_ref().map(|known| known.stretch.last))).await?;
    if let Some(known) = &known {
        if counted.stretch.continues(known.stretch) {
            counted.total += known.total;
        } else {
            counted = count(db, &plan.total(None)).await?;
        }
    }
    db.memory().event_totals.keep(question, counted);
    Ok(counted.total)
}

async fn count(db: &HeavyReads<'_>, statement: &SelectStatement) -> Result<Known, StoreError> {
    let row = db.query_one(statement).await?.ok_or(DbErr::RecordNotFound("count".to_owned()))?;
    Ok(Known { total: row.try_get_by_index(0)?, stretch: log(&row, 1)? })
}

/// Reads [`ends_of_log`], which begin at a column.
fn log(row: &QueryResult, column: usize) -> Result<Stretch, DbErr> {
    let id = |column: usize| row.try_get_by_index::<Option<i64>>(column).map(Option::unwrap_or_default);
    Ok(Stretch { first: id(column)?, last: id(column + 1)? })
}

/// The first and the last id of the log, as columns.
fn ends_of_log() -> [SimpleExpr; 2] {
    let end = |end: FunctionCall| {
        let end = Query::select().expr(end).from(Entity).take();
        SimpleExpr::SubQuery(None, Box::new(end.into()))
    };
    [end(Func::min(Expr::col(Column::Id))), end(Func::max(Expr::col(Column::Id)))]
}

/// How a search reaches its events.
struct Plan<'a> {
    filter: &'a EventFilter,
    visibility: &'a Visibility,
    backend: DatabaseBackend,
    access: Access,
}

/// What the walk goes along.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Access {
    /// The ids, by themselves or at the end of another column's index.
    Ids,
    /// The dates, when they are all that is asked for.
    Dates,
    /// The rows that `SQLite`'s text table finds, which come by id.
    Text,
    /// The ids of the events that the text table does not know yet.
    Untold,
}

impl<'a> Plan<'a> {
    fn new(filter: &'a EventFilter, visibility: &'a Visibility, backend: DatabaseBackend) -> Self {
        let access = match &filter.phrase {
            // The events of a feature are few: reading them is quicker than asking the text table for each.
            Some(phrase) if has_text_table(backend) && is_indexable(phrase) && filter.features.is_none() => {
                Access::Text
            }
            None if !has_index_of_its_own(filter) && (filter.from.is_some() || filter.to.is_some()) => Access::Dates,
            _ => Access::Ids,
        };
        Self { filter, visibility, backend, access }
    }

    /// The rows of a page, packed, and the ends of the log. Ids come first, out of an index alone, so that skipped
    /// events are never read.
    fn page(&self, page: EventPage) -> SelectStatement {
        let of = |part: &Self| {
            let mut ids = part.matching();
            if let PageStart::AtId(id) = page.start {
                ids.and_where(part.id().lte(id));
            }
            ids.expr_as(part.id(), Alias::new("id")).take()
        };
        let mut ids = of(self);
        if let Some(untold) = self.untold() {
            ids.union(UnionType::All, of(&untold));
            ids.order_by(Alias::new("id"), Order::Desc);
        } else {
            if self.access == Access::Dates {
                ids.order_by((Entity, Column::CreatedAt), Order::Desc);
            }
            ids.order_by_expr(self.id(), Order::Desc);
        }
        ids.limit(page.limit);
        if let PageStart::Skip(count @ 1..) = page.start {
            ids.offset(count);
        }
        let columns = [
            Column::Id.into_expr(),
            Column::CreatedAt.into_expr(),
            Column::Type.into_expr(),
            Column::CreatedBy.into_expr(),
            Column::CreatedByUserId.into_expr(),
            Column::Environment.into_expr(),
            Column::Project.into_expr(),
            Column::FeatureName.into_expr(),
        ];
        let stored = [Column::Data, Column::PreData, Column::Tags].map(ColumnTrait::into_expr);
        Query::select()
            .expr(packed::rows_with_json(self.backend, columns, stored))
            .exprs(ends_of_log())
            .from(Entity)
            .and_where(Expr::col((Entity, Column::Id)).in_subquery(ids))
            .take()
    }

    /// How many match, of all events or of those with ids above `after`; then the ends of the log.
    fn total(&self, after: Option<i64>) -> SelectStatement {
        // The few events since are found by their ids, dates or not.
        let access = if after.is_some() && self.access == Access::Dates { Access::Ids } else { self.access };
        let count = |part: &Self| {
            let mut matching = part.matching();
            if let Some(after) = after {
                matching.and_where(part.id().gt(after));
            }
            SimpleExpr::SubQuery(None, Box::new(matching.expr(Expr::cust("count(*)")).take().into()))
        };
        let known = Self { access, ..*self };
        let total = match known.untold() {
            Some(untold) => count(&known).add(count(&untold)),
            None => count(&known),
        };
        Query::select().expr(total).exprs(ends_of_log()).take()
    }

    /// What the text table does not tell of this search, if it is what tells the rest.
    fn untold(&self) -> Option<Self> {
        (self.access == Access::Text).then_some(Self { access: Access::Untold, ..*self })
    }

    fn matching(&self) -> SelectStatement {
        let mut condition = self.of_columns();
        let looks_at_rows = !condition.is_empty();
        let mut select = Query::select();
        if self.access == Access::Text {
            select.from(Alias::new(TEXT_TABLE));
            if looks_at_rows {
                // SQLite takes the tables of a cross join in the order in which they stand.
                select.cross_join(Entity);
                condition = condition.add(Expr::col((Entity, Column::Id)).eq(self.id()));
            }
        } else {
            select.from(Entity);
        }
        let of_table = match self.access {
            Access::Text => self.of_text_table(),
            Access::Untold => Some(self.id().gt(last_told())),
            Access::Ids | Access::Dates => None,
        };
        select.cond_where(condition.add(self.of_dates()).add_option(of_table)).take()
    }

    /// The id in the table that is walked.
    fn id(&self) -> SimpleExpr {
        match self.access {
            Access::Text => Expr::col((Alias::new(TEXT_TABLE), Alias::new("rowid"))),
            Access::Ids | Access::Dates | Access::Untold => Expr::col((Entity, Column::Id)),
        }
    }

    /// Everything that needs a column of the event itself.
    fn of_columns(&self) -> Condition {
        let Self { filter, visibility, .. } = self;
        Condition::all()
            .add_option(filter.kinds.as_ref().map(|names| is_one_of(Column::Type, names)))
            .add_option(filter.projects.as_ref().map(|names| is_one_of(Column::Project, names)))
            .add_option(filter.features.as_ref().map(|names| is_one_of(Column::FeatureName, names)))
            .add_option(filter.creators.as_ref().map(|ids| is_one_of(Column::CreatedByUserId, ids)))
            .add(visible(visibility))
            .add_option(filter.phrase.as_ref().and_then(|phrase| self.of_text_columns(phrase)))
    }

    fn of_dates(&self) -> Condition {
        let EventFilter { from, to, .. } = *self.filter;
        let created_at = || Expr::col((Entity, Column::CreatedAt));
        if self.access == Access::Dates {
            return Condition::all()
                .add_option(from.map(|from| created_at().gte(from)))
                .add_option(to.map(|to| created_at().lte(to)));
        }
        Condition::all()
            .add_option(from.map(|from| self.id().gte(end_of_dates(created_at().gte(from), Order::Asc))))
            .add_option(to.map(|to| self.id().lte(end_of_dates(created_at().lte(to), Order::Desc))))
    }

    /// What the text table finds: the beginning of the phrase.
    fn of_text_table(&self) -> Option<SimpleExpr> {
        let phrase = self.filter.phrase.as_ref()?;
        let expression = text::phrase_in(text_columns(phrase), beginning(phrase));
        Some(Expr::cust_with_values("event_fts MATCH ?", [expression]))
    }

    /// The phrase as a condition on the rows, unless the text table finds all of it.
    fn of_text_columns(&self, phrase: &Phrase) -> Option<Condition> {
        let beginning = beginning(phrase);
        let is_whole = beginning.len() == phrase.text().len();
        if self.access == Access::Text && is_whole {
            return None;
        }
        let mut any = Condition::any();
        for column in columns_of(phrase) {
            let whole = occurs(self.backend, *column, phrase.text());
            any = match self.backend {
                // The index of PostgreSQL serves LIKE alone.
                DatabaseBackend::Postgres => {
                    let like = Expr::col((Entity, *column)).like(text::containing(beginning));
                    any.add(if is_whole { like } else { like.and(whole) })
                }
                _ => any.add(whole),
            };
        }
        Some(any)
    }
}

fn has_text_table(backend: DatabaseBackend) -> bool {
    backend == DatabaseBackend::Sqlite
}

fn is_indexable(phrase: &Phrase) -> bool {
    phrase.text().chars().count() >= text::SHORTEST_INDEXED
}

fn has_index_of_its_own(filter: &EventFilter) -> bool {
    filter.kinds.is_some() || filter.projects.is_some() || filter.features.is_some() || filter.creators.is_some()
}

fn beginning(phrase: &Phrase) -> &str {
    let text = phrase.text();
    text.char_indices().nth(INDEXED_CHARACTERS).map_or(text, |(end, _)| &text[..end])
}

fn columns_of(phrase: &Phrase) -> &'static [Column] {
    match phrase.place() {
        PhrasePlace::Payload => &[Column::SearchPayload],
        PhrasePlace::PayloadAndOrigin => &[Column::SearchPayload, Column::SearchOrigin],
    }
}

fn text_columns(phrase: &Phrase) -> &'static [&'static str] {
    match phrase.place() {
        PhrasePlace::Payload => &["search_payload"],
        PhrasePlace::PayloadAndOrigin => &["search_payload", "search_origin"],
    }
}

/// Whether a text occurs in a column, sign for sign.
fn occurs(backend: DatabaseBackend, column: Column, text: &str) -> SimpleExpr {
    let function = if backend == DatabaseBackend::Postgres { "strpos" } else { "instr" };
    Expr::expr(Func::cust(Alias::new(function)).arg(Expr::col((Entity, column))).arg(text)).gt(0)
}

fn is_one_of<T: Clone + Into<sea_orm::Value>>(column: Column, values: &[T]) -> SimpleExpr {
    let column = Expr::col((Entity, column));
    match values {
        [one] => column.eq(one.clone()),
        several => column.is_in(several.to_vec()),
    }
}

/// The first or last id whose date fits; NULL, which no id equals, when none does.
fn end_of_dates(fits: SimpleExpr, order: Order) -> SimpleExpr {
    let end = Query::select()
        .column(Column::Id)
        .from(Entity)
        .and_where(fits)
        .order_by(Column::CreatedAt, order.clone())
        .order_by(Column::Id, order)
        .limit(1)
        .take();
    SimpleExpr::SubQuery(None, Box::new(end.into()))
}

/// The id of the last event that the text table knows, or 0.
fn last_told() -> SimpleExpr {
    let last = Query::select().expr(Func::max(Expr::col(Column::Id))).from(Alias::new(TEXT_SIZES)).take();
    Func::coalesce([SimpleExpr::SubQuery(None, Box::new(last.into())), Expr::val(0)]).into()
}

/// The events that somebody may see. Those without a project belong to the instance.
pub(super) fn visible(visibility: &Visibility) -> Condition {
    let project = || Expr::col((Entity, Column::Project));
    let mut condition = Condition::all();
    if !visibility.sees_instance {
        // Not IS NOT NULL: SQLite would take it for a reason to walk and sort the whole index of projects.
        condition = condition.add(Expr::expr(Func::coalesce([project(), Expr::val("")])).ne(""));
    }
    if !visibility.hidden_projects.is_empty() {
        let hidden = project().is_not_in(visibility.hidden_projects.iter().map(String::as_str));
        condition = condition.add(project().is_null().or(hidden));
        condition = condition.add(names_no_other(&visibility.hidden_projects));
    }
    condition
}

/// An API token reaches several projects, which its events name together: one that is hidden hides the event.
fn names_no_other(hidden: &[String]) -> Condition {
    let project = || Expr::col((Entity, Column::Project));
    let listed = || Expr::val(",").binary(text::CONCAT, project()).binary(text::CONCAT, Expr::val(","));
    let none = hidden
        .iter()
        .fold(Condition::all(), |all, id| all.add(listed().like(text::containing(&format!(",{id},"))).not()));
    Condition::any().add(project().is_null()).add(project().like(text::containing(",")).not()).add(none)
}

/// An event, in the order of the columns of [`Plan::page`].
#[derive(Deserialize)]
struct Row {
    id: i64,
    #[serde(deserialize_with = "packed::instant")]
    created_at: Timestamp,
    kind: String,
    created_by: String,
    creator: Option<i64>,
    environment: Option<String>,
    project: Option<String>,
    feature_name: Option<String>,
    data: Option<RawJson>,
    pre_data: Option<RawJson>,
    tags: RawJson,
}

impl Row {
    fn into_event(self) -> Result<Event, DbErr> {
        let kind = EventKind::parse(&self.kind);
        Ok(Event {
            id: self.id,
            created_at: self.created_at,
            kind: kind.ok_or_else(|| DbErr::Type("column type: no known event".to_owned()))?,
            created_by: self.created_by,
            created_by_user_id: Some(Nullable(self.creator.map(Into::into))),
            environment: Some(Nullable(self.environment)),
            project: Some(Nullable(self.project)),
            feature_name: Some(Nullable(self.feature_name)),
            data: Some(Nullable(self.data)),
            pre_data: Some(Nullable(self.pre_data)),
            tags: Some(Nullable(Some(RawJsonOf::from(self.tags)))),
        })
    }
}

#[cfg(test)]
mod tests;
