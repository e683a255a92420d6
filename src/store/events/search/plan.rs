//! Plan by which a search reaches its events: the statements for a page and for a total.
//!
//! Ids rise in the order of commits and `created_at` never falls, so newest first is a walk of an index from its end,
//! and a range of days is a range of ids.

use flagstone_domain::{
    event_filter::{EventFilter, Phrase, PhrasePlace},
    visibility::Visibility,
};
use sea_orm::{
    DatabaseBackend,
    sea_query::{
        Alias, Condition, Expr, ExprTrait, Func, FunctionCall, Order, Query, SelectStatement, SimpleExpr, UnionType,
    },
};

use super::Row;
use crate::{
    db::{packed, text},
    entity::event::{Column, Entity},
    events::visibility::visible,
};

/// Events that a walk skips without minding what it skips them along.
pub(super) const FEW: u64 = 200;
/// Characters of a phrase that the text index is asked for; it works for each of them. The rest is compared directly.
const INDEXED_CHARACTERS: usize = 64;
/// Characters of a part of a phrase that is looked for alone.
const PART: usize = 6;
/// Events of which each may be looked at, since it holds a part of the phrase.
pub(super) const RARE: u64 = 100;
const TEXT_TABLE: &str = "event_fts";
/// Has a row for each event that the text table knows.
const TEXT_SIZES: &str = "event_fts_docsize";

/// A walk from newer to older matching events.
#[derive(Debug, Clone, Copy)]
pub(super) struct Walk {
    /// Its start.
    pub(super) start: Start,
    /// Matching events that it goes past.
    pub(super) skip: u64,
    /// Matching events that it takes then, at most.
    pub(super) limit: u64,
}

/// Start of a walk.
#[derive(Debug, Clone, Copy)]
pub(super) enum Start {
    /// At the newest event.
    Newest,
    /// At the newest whose id is not above this one.
    NotAbove(i64),
    /// At this one, which matches.
    At(i64),
}

/// The first and the last id of the log, as columns.
fn ends_of_log() -> [SimpleExpr; 2] {
    let end = |end: FunctionCall| {
        let end = Query::select().expr(end).from(Entity).take();
        SimpleExpr::SubQuery(None, Box::new(end.into()))
    };
    [end(Func::min(Expr::col(Column::Id))), end(Func::max(Expr::col(Column::Id)))]
}

/// Plan by which a search reaches its events.
pub(super) struct Plan<'a> {
    filter: &'a EventFilter,
    visibility: &'a Visibility,
    pub(super) backend: DatabaseBackend,
    access: Access,
    /// The part of the phrase that the text index is asked for; empty without a phrase.
    pub(super) indexed: &'a str,
}

/// Access path of a walk.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Access {
    /// The ids, by themselves or at the end of another column's index.
    Ids,
    /// The dates, when they are all that is asked for, or nothing is and many events are skipped: their index decides
    /// on the visibility of an event without a look at it.
    Dates,
    /// The rows that `SQLite`'s text table finds, which come by id.
    Text,
    /// The ids of the events that the text table does not know yet.
    NotYetIndexed,
    /// The few ids after one.
    Since,
}

impl<'a> Plan<'a> {
    pub(super) fn new(filter: &'a EventFilter, visibility: &'a Visibility, backend: DatabaseBackend) -> Self {
        let access = match &filter.phrase {
            // The events of a feature are few: reading them is quicker than asking the text table for each.
            Some(phrase) if has_text_table(backend) && is_indexable(phrase) && filter.features.is_none() => {
                Access::Text
            }
            None if !has_index_of_its_own(filter) && (filter.from.is_some() || filter.to.is_some()) => Access::Dates,
            _ => Access::Ids,
        };
        let indexed = filter.phrase.as_ref().map(beginning).unwrap_or_default();
        Self { filter, visibility, backend, access, indexed }
    }

    /// Parts of a long phrase, one of which may be rare enough to look for it alone. Without them the text table works
    /// for each character of the phrase, and for each of the many events in which that occurs.
    pub(super) fn parts(&self) -> Vec<&'a str> {
        let phrase = self.filter.phrase.as_ref().filter(|_| self.access == Access::Text).map(Phrase::text);
        let Some(text) = phrase.filter(|text| text.chars().count() >= PART * 2) else { return Vec::new() };
        let starts: Vec<usize> = text.char_indices().map(|(start, _)| start).chain([text.len()]).collect();
        let last = starts.len() - 1 - PART;
        [last, last / 2, 0].into_iter().map(|start| &text[starts[start]..starts[start + PART]]).collect()
    }

    /// Returns the statement for the numbers of events that hold each of the parts, up to [`RARE`], as columns.
    pub(super) fn counts(&self, parts: &[&'a str]) -> SelectStatement {
        let counts = parts.iter().map(|part| {
            let some = Self { indexed: part, ..*self };
            let some = Query::select()
                .expr(Expr::val(1))
                .from(Alias::new(TEXT_TABLE))
                .cond_where(Condition::all().add_option(some.of_text_table()))
                .limit(RARE)
                .take();
            let count = Query::select().expr(Expr::cust("count(*)")).from_subquery(some, Alias::new("some")).take();
            SimpleExpr::SubQuery(None, Box::new(count.into()))
        });
        Query::select().exprs(counts).take()
    }

    /// Returns this plan with another part of the phrase to ask the text table for, whose events are then looked at.
    pub(super) const fn along(&self, part: &'a str) -> Self {
        Self { indexed: part, ..*self }
    }

    /// The rows of a page, packed, and the ends of the log. Ids come first, out of an index alone, so that skipped
    /// events are never read.
    pub(super) fn page(&self, walk: Walk) -> SelectStatement {
        let has_no_index = self.filter.phrase.is_none() && !has_index_of_its_own(self.filter);
        let access = match walk.start {
            _ if !has_no_index => self.access,
            _ if walk.skip > FEW => Access::Dates,
            Start::At(_) => Access::Ids,
            _ => self.access,
        };
        let plan = Self { access, ..*self };
        let of = |part: &Self| part.matching(walk.start).expr_as(part.id(), Alias::new("id")).take();
        let mut ids = of(&plan);
        if let Some(not_yet_indexed) = plan.not_yet_indexed() {
            ids.union(UnionType::All, of(&not_yet_indexed));
            ids.order_by(Alias::new("id"), Order::Desc);
        } else {
            if access == Access::Dates {
                ids.order_by((Entity, Column::CreatedAt), Order::Desc);
            }
            ids.order_by_expr(plan.id(), Order::Desc);
        }
        ids.limit(walk.limit);
        if walk.skip > 0 {
            ids.offset(walk.skip);
        }
        Query::select()
            .expr(packed::rows_with_json::<Row>(self.backend))
            .exprs(ends_of_log())
            .from(Entity)
            .and_where(Expr::col((Entity, Column::Id)).in_subquery(ids))
            .take()
    }

    /// Returns the statement for the number of matching events, of all or of those with ids above `after`, and then for
    /// the ends of the log.
    pub(super) fn total(&self, after: Option<i64>) -> SelectStatement {
        let access = if after.is_some() && self.access != Access::Text { Access::Since } else { self.access };
        let count = |part: &Self| {
            let mut matching = part.matching(Start::Newest);
            if let Some(after) = after {
                matching.and_where(part.id().gt(after));
            }
            SimpleExpr::SubQuery(None, Box::new(matching.expr(Expr::cust("count(*)")).take().into()))
        };
        let known = Self { access, ..*self };
        let total = match known.not_yet_indexed() {
            Some(not_yet_indexed) => count(&known).add(count(&not_yet_indexed)),
            None => count(&known),
        };
        Query::select().expr(total).exprs(ends_of_log()).take()
    }

    /// Plan for the events that the text table does not have yet, if this one uses the text table.
    fn not_yet_indexed(&self) -> Option<Self> {
        (self.access == Access::Text).then_some(Self { access: Access::NotYetIndexed, ..*self })
    }

    fn matching(&self, start: Start) -> SelectStatement {
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
            Access::NotYetIndexed => Some(self.id().gt(last_indexed())),
            _ => None,
        };
        select.cond_where(condition.add(self.of_dates(start)).add(self.of_start(start)).add_option(of_table)).take()
    }

    /// The id in the table that is walked.
    fn id(&self) -> SimpleExpr {
        match self.access {
            Access::Text => Expr::col((Alias::new(TEXT_TABLE), Alias::new("rowid"))),
            _ => Expr::col((Entity, Column::Id)),
        }
    }

    /// Conditions on columns of the event itself.
    fn of_columns(&self) -> Condition {
        let Self { filter, visibility, .. } = self;
        Condition::all()
            .add_option(filter.kinds.as_ref().map(|names| is_one_of(Column::Type, names)))
            .add_option(filter.projects.as_ref().map(|names| is_one_of(Column::Project, names)))
            .add_option(filter.features.as_ref().map(|names| is_one_of(Column::FeatureName, names)))
            .add_option(filter.environments.as_ref().map(|names| is_one_of(Column::Environment, names)))
            .add_option(filter.creators.as_ref().map(|ids| is_one_of(Column::CreatedByUserId, ids)))
            .add(visible(visibility))
            .add_option(filter.phrase.as_ref().and_then(|phrase| self.of_text_columns(phrase)))
    }

    fn of_start(&self, start: Start) -> Condition {
        let is_along_dates = self.access == Access::Dates;
        // Not the bare id: SQLite might take it for a reason to walk the ids, and then to sort by dates.
        let id = || if is_along_dates { self.id().add(0) } else { self.id() };
        match start {
            Start::Newest => Condition::all(),
            Start::NotAbove(newest) => Condition::all().add(id().lte(newest)),
            Start::At(newest) => {
                let of_event = Expr::col(Column::Id).eq(newest);
                let date = Query::select().column(Column::CreatedAt).from(Entity).and_where(of_event).take();
                let date = SimpleExpr::SubQuery(None, Box::new(date.into()));
                Condition::all()
                    .add_option(is_along_dates.then(|| Expr::col((Entity, Column::CreatedAt)).lte(date)))
                    .add(id().lte(newest))
            }
        }
    }

    fn of_dates(&self, start: Start) -> Condition {
        let EventFilter { from, mut to, .. } = *self.filter;
        if matches!(start, Start::At(_)) {
            // Nothing before a match is too late. A second bound might be the one that the database starts from.
            to = None;
        }
        let created_at = || Expr::col((Entity, Column::CreatedAt));
        if matches!(self.access, Access::Dates | Access::Since) {
            // Of few events the dates are looked at, not looked for.
            let created_at = || if self.access == Access::Since { created_at().add(0) } else { created_at() };
            return Condition::all()
                .add_option(from.map(|from| created_at().gte(from)))
                .add_option(to.map(|to| created_at().lte(to)));
        }
        Condition::all()
            .add_option(from.map(|from| self.id().gte(end_of_dates(created_at().gte(from), Order::Asc))))
            .add_option(to.map(|to| self.id().lte(end_of_dates(created_at().lte(to), Order::Desc))))
    }

    /// Condition for the text table: a part of the phrase.
    fn of_text_table(&self) -> Option<SimpleExpr> {
        let phrase = self.filter.phrase.as_ref()?;
        let expression = text::phrase_in(text_columns(phrase), self.indexed);
        Some(Expr::cust_with_values("event_fts MATCH ?", [expression]))
    }

    /// The phrase as a condition on the rows, unless the text table finds all of it.
    fn of_text_columns(&self, phrase: &Phrase) -> Option<Condition> {
        let is_whole = self.indexed.len() == phrase.text().len();
        if self.access == Access::Text && is_whole {
            return None;
        }
        let mut any = Condition::any();
        for column in columns_of(phrase) {
            let whole = occurs(self.backend, *column, phrase.text());
            any = match self.backend {
                // The index of PostgreSQL serves LIKE alone.
                DatabaseBackend::Postgres => {
                    let like = Expr::col((Entity, *column)).like(text::containing(self.indexed));
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
    let lists = [&filter.kinds, &filter.projects, &filter.features, &filter.environments];
    lists.into_iter().any(Option::is_some) || filter.creators.is_some()
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
fn last_indexed() -> SimpleExpr {
    let last = Query::select().expr(Func::max(Expr::col(Column::Id))).from(Alias::new(TEXT_SIZES)).take();
    Func::coalesce([SimpleExpr::SubQuery(None, Box::new(last.into())), Expr::val(0)]).into()
}
