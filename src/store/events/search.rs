//! Searching the log: one statement for a page, one for the total, both over the same condition.
//!
//! Ids rise in the order of commits and `created_at` never falls, so newest first is a walk of an index from its end,
//! and a range of days is a range of ids.

use sea_orm::{
    ConnectionTrait, DatabaseBackend, DbErr, QueryResult,
    sea_query::{Alias, BinOper, Condition, Expr, ExprTrait, Func, Order, Query, SelectStatement, SimpleExpr},
};

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
        entity::event::{Column, Entity},
        text,
    },
    wire::{Nullable, RawJson, RawJsonOf},
};

/// Characters of a phrase that the text index is asked for; it works for each of them. The rest is compared directly.
const INDEXED_CHARACTERS: usize = 64;
const TEXT_TABLE: &str = "event_fts";

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
    db: &impl ConnectionTrait,
    filter: &EventFilter,
    visibility: &Visibility,
    page: EventPage,
) -> Result<Found, StoreError> {
    if filter.is_impossible() {
        return Ok(Found { events: Vec::new(), total: 0 });
    }
    let plan = Plan::new(filter, visibility, db.get_database_backend());
    let rows = db.query_all(&plan.page(page)).await?;
    let events = rows.iter().map(event).collect::<Result<_, DbErr>>()?;
    let total = match db.query_one(&plan.total()).await? {
        Some(row) => row.try_get_by_index(0)?,
        None => 0,
    };
    Ok(Found { events, total })
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

    /// The rows of a page. Ids come first, out of an index alone, so that skipped events are never read.
    fn page(&self, page: EventPage) -> SelectStatement {
        let mut ids = self.matching();
        ids.expr(self.id());
        if self.access == Access::Dates {
            ids.order_by((Entity, Column::CreatedAt), Order::Desc);
        }
        ids.order_by_expr(self.id(), Order::Desc).limit(page.limit);
        match page.start {
            PageStart::Skip(0) => {}
            PageStart::Skip(count) => {
                ids.offset(count);
            }
            PageStart::AtId(id) => {
                ids.and_where(self.id().lte(id));
            }
        }
        Query::select()
            .columns([
                Column::Id,
                Column::CreatedAt,
                Column::Type,
                Column::CreatedBy,
                Column::CreatedByUserId,
                Column::Environment,
                Column::Project,
                Column::FeatureName,
                Column::Data,
                Column::PreData,
                Column::Tags,
            ])
            .from(Entity)
            .and_where(Expr::col((Entity, Column::Id)).in_subquery(ids))
            .order_by((Entity, Column::Id), Order::Desc)
            .take()
    }

    fn total(&self) -> SelectStatement {
        self.matching().expr(Expr::cust("count(*)")).take()
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
        select.cond_where(condition.add(self.of_dates()).add_option(self.of_text_table())).take()
    }

    /// The id in the table that is walked.
    fn id(&self) -> SimpleExpr {
        match self.access {
            Access::Text => Expr::col((Alias::new(TEXT_TABLE), Alias::new("rowid"))),
            Access::Ids | Access::Dates => Expr::col((Entity, Column::Id)),
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
        let phrase = self.filter.phrase.as_ref().filter(|_| self.access == Access::Text)?;
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
    let listed =
        || Expr::val(",").binary(BinOper::Custom("||"), project()).binary(BinOper::Custom("||"), Expr::val(","));
    let none = hidden
        .iter()
        .fold(Condition::all(), |all, id| all.add(listed().like(text::containing(&format!(",{id},"))).not()));
    Condition::any().add(project().is_null()).add(project().like(text::containing(",")).not()).add(none)
}

fn event(row: &QueryResult) -> Result<Event, DbErr> {
    let kind: String = row.try_get("", "type")?;
    let creator: Option<i64> = row.try_get("", "created_by_user_id")?;
    let data: Option<String> = row.try_get("", "data")?;
    let pre_data: Option<String> = row.try_get("", "pre_data")?;
    let tags: String = row.try_get("", "tags")?;
    Ok(Event {
        id: row.try_get("", "id")?,
        created_at: row.try_get::<Timestamp>("", "created_at")?,
        kind: EventKind::parse(&kind).ok_or_else(|| DbErr::Type("column type: no known event".to_owned()))?,
        created_by: row.try_get("", "created_by")?,
        created_by_user_id: Some(Nullable(creator.map(Into::into))),
        environment: Some(Nullable(row.try_get("", "environment")?)),
        project: Some(Nullable(row.try_get("", "project")?)),
        feature_name: Some(Nullable(row.try_get("", "feature_name")?)),
        data: Some(Nullable(data.map(stored_json).transpose()?)),
        pre_data: Some(Nullable(pre_data.map(stored_json).transpose()?)),
        tags: Some(Nullable(Some(RawJsonOf::from(stored_json(tags)?)))),
    })
}

fn stored_json(text: String) -> Result<RawJson, DbErr> {
    RawJson::from_text(text).map_err(|error| DbErr::Json(error.to_string()))
}

#[cfg(test)]
mod tests;
