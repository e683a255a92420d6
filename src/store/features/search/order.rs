//! The order of the answer, cut into parts each of which one index reads in order.
//!
//! Favourites before the rest, off before on, features without a value last: such keys divide the answer into a few
//! parts. Sorting by them would read every match; reading part after part stops when the page is full.

use std::sync::OnceLock;

use flagstone_domain::filter::{SortKey, SortOrder};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseBackend, DbErr,
    sea_query::{Alias, Asterisk, Condition, Expr, ExprTrait, Func, Order, Query, SelectStatement},
};

use super::{
    FeatureQuery,
    matching::{self, Way},
    stage,
    totals::{self, Question, Totals},
};
use crate::{
    StoreError,
    db::packed,
    entity::{feature, feature_environment},
    environments,
};

/// Range of the main key within a part, where that divides the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum KeyRange {
    Any,
    Stale(bool),
    Seen(bool),
    /// On, off, or not configured at all.
    Switched(Option<bool>),
}

/// Features that are next to each other in the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Part {
    /// Whether they are the reader's favourites, where that matters.
    favorite: Option<bool>,
    range: KeyRange,
}

/// Matches from which on a page is looked for along the order of the answer.
const MANY: u64 = 1000;
/// Factor by which there must be more of them than lie before the end of the page.
const MARGIN: u64 = 8;

/// Parts that the statements of one search share.
pub(super) struct Plan<'q> {
    query: &'q FeatureQuery,
    sort: SortKey,
    condition: Condition,
    /// The condition in the form in which pages are found best.
    condition_of_pages: Condition,
    parts: Vec<Part>,
    question: OnceLock<Question>,
}

/// Ids of the features on the page, in order, and the number of features on all pages.
///
/// One statement for each part that the page touches, which most pages do to one, and one that counts, unless that is
/// known.
pub(super) async fn page(
    db: &impl ConnectionTrait,
    totals: &Totals,
    query: &FeatureQuery,
) -> Result<(Vec<i64>, u64), StoreError> {
    let mut plan = Plan::of(db, query).await?;
    let backend = db.get_database_backend();
    plan.choose_way(totals, backend);
    let counted = if plan.counts_parts() { Some(totals.of(db, plan.question(backend), None).await?) } else { None };
    let mut skip = query.page.offset;
    let mut missing = query.page.limit;
    let mut newest = None;
    let mut ids = Vec::new();
    for (index, part) in plan.parts.iter().enumerate() {
        if missing == 0 {
            break;
        }
        if let Some(counted) = &counted
            && counted.sizes[index] <= skip
        {
            skip -= counted.sizes[index];
            continue;
        }
        let found = plan.read(db, *part, skip, missing).await?;
        missing = missing.saturating_sub(found.ids.len() as u64);
        skip = 0;
        newest = newest.or(Some(found.newest_event));
        ids.extend(found.ids);
    }
    let total = match counted {
        Some(counted) => counted.total(),
        // The answer ends on this page.
        None if missing > 0 && (query.page.offset == 0 || !ids.is_empty()) => query.page.offset + ids.len() as u64,
        None => totals.of(db, plan.question(backend), newest.filter(|_| !changes_silently(query))).await?.total(),
    };
    Ok((ids, total))
}

/// Ids of a page within one part.
struct PagePart {
    ids: Vec<i64>,
    /// Id of the newest event when it was read; 0 for an empty log.
    newest_event: i64,
}

impl<'q> Plan<'q> {
    pub(super) async fn of(db: &impl ConnectionTrait, query: &'q FeatureQuery) -> Result<Self, StoreError> {
        let sort = match &query.sort {
            SortKey::Environment(name) if !environments::exists(db, name).await? => SortKey::CreatedAt,
            sort => sort.clone(),
        };
        let condition = matching::condition(query, db.get_database_backend(), Way::FromLists);
        let parts = parts(query, &sort);
        Ok(Self { query, sort, condition_of_pages: condition.clone(), condition, parts, question: OnceLock::new() })
    }

    /// Looks for pages along the order of the answer if there were many matches when they were last counted.
    pub(super) fn choose_way(&mut self, totals: &Totals, backend: DatabaseBackend) {
        if backend != DatabaseBackend::Sqlite || !matching::has_lists(self.query) {
            return;
        }
        let end_of_page = self.query.page.offset.saturating_add(self.query.page.limit);
        let enough = end_of_page.saturating_mul(MARGIN);
        if totals.last(self.question(backend)).is_some_and(|total| total >= MANY && total >= enough) {
            self.condition_of_pages = matching::condition(self.query, backend, Way::AlongOrder);
        }
    }

    /// Whether the page may begin behind the first part, so that the size of each must be known.
    fn counts_parts(&self) -> bool {
        self.parts.len() > 1 && self.query.page.offset > 0
    }

    async fn read(&self, db: &impl ConnectionTrait, part: Part, skip: u64, most: u64) -> Result<PagePart, StoreError> {
        // They come in their order: nothing but the page is read from the page.
        let statement = Query::select()
            .expr(packed::values(db.get_database_backend(), Expr::col(feature::Column::Id)))
            .expr(totals::newest_event())
            .from_subquery(self.ids(part, skip, most), "page")
            .take();
        let row = db.query_one(&statement).await?.ok_or(DbErr::RecordNotFound("page".to_owned()))?;
        let newest_event = row.try_get_by_index::<Option<i64>>(1)?.unwrap_or_default();
        Ok(PagePart { ids: packed::list(&row, 0)?, newest_event })
    }

    /// Statement that counts the matches. Built when it is first asked for.
    fn question(&self, backend: DatabaseBackend) -> &Question {
        self.question.get_or_init(|| backend.build(&self.count()).into())
    }

    /// Numbers that add up to the total: one, or one for each part. Then the id of the newest event.
    pub(super) fn count(&self) -> SelectStatement {
        let mut all = Query::select();
        if self.counts_parts() {
            for (index, part) in self.parts.iter().enumerate() {
                let size = self.of_part(*part, &self.condition).expr(Func::count(Expr::col(Asterisk))).to_owned();
                all.expr_as(Expr::from(size), Alias::new(format!("part_{index}")));
            }
        } else {
            all.expr(Func::count(Expr::col(Asterisk))).from(feature::Entity).cond_where(self.condition.clone());
        }
        all.expr(totals::newest_event());
        all
    }

    fn ids(&self, part: Part, offset: u64, limit: u64) -> SelectStatement {
        let mut statement = self.of_part(part, &self.condition_of_pages);
        statement.column((feature::Entity, feature::Column::Id));
        self.sort_part(part, &mut statement);
        statement.limit(limit).offset(offset);
        statement
    }

    /// The first page of each part.
    #[cfg(test)]
    pub(super) fn first_pages(&self) -> Vec<SelectStatement> {
        self.parts.iter().map(|part| self.ids(*part, 0, self.query.page.limit)).collect()
    }

    /// The features of a part, in no order.
    fn of_part(&self, part: Part, condition: &Condition) -> SelectStatement {
        let mut statement = Query::select();
        match (part.range, &self.sort) {
            (KeyRange::Switched(Some(enabled)), SortKey::Environment(name)) => {
                // SQLite keeps the order of a cross join: the index of the environment leads.
                statement
                    .from(feature_environment::Entity)
                    .cross_join(feature::Entity)
                    .and_where(feature::Column::Id.into_expr().eq(feature_environment::Column::FeatureId.into_expr()))
                    .and_where(feature_environment::Column::Environment.eq(name))
                    .and_where(feature_environment::Column::Enabled.eq(enabled))
                    .and_where_option((!stage::finds_archived(self.query)).then(matching::is_live));
            }
            (KeyRange::Switched(None), SortKey::Environment(name)) => {
                let configured = Query::select()
                    .column(feature_environment::Column::FeatureId)
                    .from(feature_environment::Entity)
                    .and_where(feature_environment::Column::Environment.eq(name))
                    .to_owned();
                statement.from(feature::Entity).and_where(feature::Column::Id.not_in_subquery(configured));
            }
            (range, _) => {
                statement.from(feature::Entity);
                match range {
                    KeyRange::Stale(stale) => statement.and_where(feature::Column::Stale.eq(stale)),
                    KeyRange::Seen(true) => statement.and_where(feature::Column::LastSeenAt.is_not_null()),
                    KeyRange::Seen(false) => statement.and_where(feature::Column::LastSeenAt.is_null()),
                    KeyRange::Any | KeyRange::Switched(_) => &mut statement,
                };
            }
        }
        statement.cond_where(condition.clone());
        if let (Some(favorite), Some(reader)) = (part.favorite, self.query.reader) {
            let favorites = matching::favorites_of(reader);
            let id = feature::Column::Id;
            statement.and_where(if favorite { id.in_subquery(favorites) } else { id.not_in_subquery(favorites) });
        }
        statement
    }

    /// Ties are ascending by creation and name, whatever the direction; the name is unique.
    fn sort_part(&self, part: Part, statement: &mut SelectStatement) {
        let direction = match self.query.order {
            SortOrder::Ascending => Order::Asc,
            SortOrder::Descending => Order::Desc,
        };
        if let KeyRange::Switched(Some(_)) = part.range {
            let row = feature_environment::Entity;
            statement.order_by((row, feature_environment::Column::FeatureCreatedAt), Order::Asc);
            statement.order_by((row, feature_environment::Column::FeatureName), Order::Asc);
            return;
        }
        let by = |column| (feature::Entity, column);
        match (part.range, &self.sort) {
            (KeyRange::Stale(_) | KeyRange::Seen(false) | KeyRange::Switched(None), _) => {}
            (_, SortKey::Name) => {
                statement.order_by_expr(Func::lower(Expr::col(by(feature::Column::Name))).into(), direction);
            }
            (_, SortKey::Type) => {
                statement.order_by(by(feature::Column::Type), direction);
            }
            (_, SortKey::Project) => {
                statement.order_by(by(feature::Column::Project), direction);
            }
            (_, SortKey::LastSeenAt) => {
                statement.order_by(by(feature::Column::LastSeenAt), direction);
            }
            (_, SortKey::CreatedAt | SortKey::Stale | SortKey::Environment(_)) => {
                statement.order_by(by(feature::Column::CreatedAt), direction);
                statement.order_by(by(feature::Column::Name), Order::Asc);
                return;
            }
        }
        statement.order_by(by(feature::Column::CreatedAt), Order::Asc);
        statement.order_by(by(feature::Column::Name), Order::Asc);
    }
}

/// Whether a filter asks for what changes without an event: a stage that is entered, and the last use.
fn changes_silently(query: &FeatureQuery) -> bool {
    query.stage.is_some() || query.last_seen_at.is_some()
}

fn parts(query: &FeatureQuery, sort: &SortKey) -> Vec<Part> {
    let two = |of: fn(bool) -> KeyRange| match query.order {
        SortOrder::Ascending => [of(false), of(true)],
        SortOrder::Descending => [of(true), of(false)],
    };
    let ranges = match sort {
        SortKey::CreatedAt | SortKey::Name | SortKey::Type | SortKey::Project => vec![KeyRange::Any],
        SortKey::Stale => two(KeyRange::Stale).to_vec(),
        SortKey::LastSeenAt => vec![KeyRange::Seen(true), KeyRange::Seen(false)],
        SortKey::Environment(_) => {
            let [first, second] = two(|enabled| KeyRange::Switched(Some(enabled)));
            vec![first, second, KeyRange::Switched(None)]
        }
    };
    let favorites: &[Option<bool>] = match query.reader {
        Some(_) if query.favorites_first => &[Some(true), Some(false)],
        _ => &[None],
    };
    let with_ranges = |favorite: &Option<bool>| ranges.iter().map(move |range| (*favorite, *range)).collect::<Vec<_>>();
    let parts = favorites.iter().flat_map(with_ranges);
    parts.map(|(favorite, range)| Part { favorite, range }).collect()
}
