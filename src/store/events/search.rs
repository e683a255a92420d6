//! Searching the log: one statement for a page, one for the total, both over the same condition. A total that was
//! counted before is only carried on.
//!
//! The text table of `SQLite` takes events in by the batch; the last of them are looked at one by one.
//!
//! A page far back is not walked to from the newest event. The log only grows, so an event that was found once stays as
//! far from the oldest as it is, and the walk begins at the nearest one found before; in a log without gaps where all
//! events match, its id is plain arithmetic.

mod plan;

use flagstone_domain::{
    event::Event,
    event_filter::{EventFilter, EventPage, PageStart},
    event_kind::EventKind,
    time::Timestamp,
    visibility::Visibility,
};
use flagstone_wire::{Nullable, RawJson, RawJsonOf};
use sea_orm::{ConnectionTrait, DbErr, QueryResult, sea_query::SelectStatement};

use self::plan::{FEW, Plan, RARE, Start, Walk};
use super::totals::{Checkpoint, IdRange, Known};
use crate::{
    StoreError,
    db::{HeavyReads, packed},
    entity::event::Column,
};

/// A page of matching events, newest first, and how many match in all.
#[derive(Debug)]
pub struct Found {
    /// The events of the page.
    pub events: Vec<Event>,
    /// Matching events on all pages.
    pub total: i64,
}

/// The visible events that match a filter. The total does not depend on the page.
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
    let (start, skip) = match page.start {
        PageStart::Skip(skip) if skip > FEW => return far_back(db, &plan, skip, page.limit).await,
        PageStart::Skip(skip) => (Start::Newest, skip),
        PageStart::AtId(id) => (Start::NotAbove(id), 0),
    };
    let mut question = Question::new(db, &plan);
    let known = question.known();
    let narrow = if known.as_ref().is_some_and(|known| known.total.unsigned_abs() >= RARE) {
        None
    } else {
        narrowed(db, &plan).await?
    };
    if let Some(narrow) = &narrow {
        question.plan = narrow;
    }
    let (events, log) = read(db, question.plan, Walk { start, skip, limit: page.limit }).await?;
    let total = match known {
        Some(known) if known.range == log => known.total,
        None if matches!(start, Start::Newest) && is_last(&events, skip, page.limit) => {
            let total = i64::try_from(skip).unwrap_or_default() + i64::try_from(events.len()).unwrap_or_default();
            question.keep(Known::new(total, log));
            total
        }
        known => question.count_on(known).await?.total,
    };
    Ok(Found { events, total })
}

/// The search along a part of its phrase, if there is one that few events hold.
async fn narrowed<'a>(db: &HeavyReads<'_>, plan: &Plan<'a>) -> Result<Option<Plan<'a>>, StoreError> {
    let parts = plan.parts();
    if parts.is_empty() {
        return Ok(None);
    }
    let row = db.query_one(&plan.counts(&parts)).await?.ok_or(DbErr::RecordNotFound("counts".to_owned()))?;
    let mut rarest = None;
    for (column, part) in parts.into_iter().enumerate() {
        let count: i64 = row.try_get_by_index(column)?;
        if count.unsigned_abs() < RARE && rarest.is_none_or(|(least, _)| count < least) {
            rarest = Some((count, part));
        }
    }
    Ok(rarest.map(|(_, part)| plan.along(part)))
}

/// Whether a page has room left on it because it has come to the oldest match.
fn is_last(events: &[Event], skip: u64, limit: u64) -> bool {
    let found = u64::try_from(events.len()).unwrap_or(limit);
    found < limit && (found > 0 || skip == 0)
}

/// A page after many matching events. The total comes first, and the page is that of the log as it was counted.
async fn far_back(db: &HeavyReads<'_>, plan: &Plan<'_>, skip: u64, limit: u64) -> Result<Found, StoreError> {
    let question = Question::new(db, plan);
    let mut known = question.count_on(question.known()).await?;
    let total = known.total;
    let place = i64::try_from(skip).ok().map_or(0, |skip| known.total - skip);
    if place <= 0 {
        return Ok(Found { events: Vec::new(), total });
    }
    let (start, from) = match known.nearest(place) {
        Some(checkpoint) => (Start::At(checkpoint.id), checkpoint.place),
        None => (Start::NotAbove(known.range.last), total),
    };
    let skip = u64::try_from(from - place).unwrap_or_default();
    let (events, _) = read(db, plan, Walk { start, skip, limit }).await?;
    if let Some(first) = events.first().filter(|_| skip > FEW) {
        known.add(Checkpoint { place, id: first.id });
        question.keep(known);
    }
    Ok(Found { events, total })
}

/// Events along a walk, and the log at that time.
async fn read(db: &HeavyReads<'_>, plan: &Plan<'_>, walk: Walk) -> Result<(Vec<Event>, IdRange), StoreError> {
    let answer = db.query_one(&plan.page(walk)).await?.ok_or(DbErr::RecordNotFound("page".to_owned()))?;
    let mut rows: Vec<Row> = packed::list(&answer, 0)?;
    rows.sort_unstable_by_key(|row| std::cmp::Reverse(row.id));
    let events = rows.into_iter().map(Row::into_event).collect();
    Ok((events, log(&answer, 1)?))
}

/// A count of all events that match a filter, with the cache of earlier counts.
struct Question<'a> {
    db: &'a HeavyReads<'a>,
    plan: &'a Plan<'a>,
    text: String,
}

impl<'a> Question<'a> {
    fn new(db: &'a HeavyReads<'a>, plan: &'a Plan<'a>) -> Self {
        Self { db, plan, text: plan.backend.build(&plan.total(None)).to_string() }
    }

    fn known(&self) -> Option<Known> {
        self.db.memory().event_totals.find(&self.text)
    }

    fn keep(&self, known: Known) {
        self.db.memory().event_totals.keep(self.text.clone(), known);
    }

    /// Counts the events, only those since the earlier count where there is one.
    async fn count_on(&self, known: Option<Known>) -> Result<Known, StoreError> {
        let Self { db, plan, .. } = self;
        let counted = count(db, &plan.total(known.as_ref().map(|known| known.range.last))).await?;
        let counted = match known {
            None => counted,
            Some(known) if counted.range.continues(known.range) => known.with(&counted),
            Some(_) => count(db, &plan.total(None)).await?,
        };
        self.keep(counted.clone());
        Ok(counted)
    }
}

async fn count(db: &HeavyReads<'_>, statement: &SelectStatement) -> Result<Known, StoreError> {
    let row = db.query_one(statement).await?.ok_or(DbErr::RecordNotFound("count".to_owned()))?;
    Ok(Known::new(row.try_get_by_index(0)?, log(&row, 1)?))
}

/// Reads the ends of the log, which begin at a column.
fn log(row: &QueryResult, column: usize) -> Result<IdRange, DbErr> {
    let id = |column: usize| row.try_get_by_index::<Option<i64>>(column).map(Option::unwrap_or_default);
    Ok(IdRange { first: id(column)?, last: id(column + 1)? })
}

packed::row! {
    struct Row {
        id: i64 = Column::Id,
        created_at: Timestamp = Column::CreatedAt,
        kind: String = Column::Type,
        created_by: String = Column::CreatedBy,
        creator: Option<i64> = Column::CreatedByUserId,
        environment: Option<String> = Column::Environment,
        project: Option<String> = Column::Project,
        feature_name: Option<String> = Column::FeatureName,
        reason: Option<String> = Column::Reason,
        data: Option<RawJson> = Column::Data,
        pre_data: Option<RawJson> = Column::PreData,
        tags: RawJson = Column::Tags,
    }
}

impl Row {
    fn into_event(self) -> Event {
        let (kind, label) = EventKind::of_stored(self.kind, self.feature_name.is_some(), self.project.is_some());
        Event {
            id: self.id,
            created_at: self.created_at,
            kind,
            label,
            created_by: self.created_by,
            created_by_user_id: Some(Nullable(self.creator.map(Into::into))),
            reason: self.reason,
            environment: Some(Nullable(self.environment)),
            project: Some(Nullable(self.project)),
            feature_name: Some(Nullable(self.feature_name)),
            data: Some(Nullable(self.data)),
            pre_data: Some(Nullable(self.pre_data)),
            tags: Some(Nullable(Some(RawJsonOf::from(self.tags)))),
        }
    }
}

#[cfg(test)]
mod tests;
