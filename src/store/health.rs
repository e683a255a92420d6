//! Staleness as rows know it: marked by people, or by age and type.

use flagstone_domain::{
    health::{HealthCounts, Lifetimes},
    time::Timestamp,
};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, EntityTrait, FromQueryResult, QueryFilter, QuerySelect, QueryTrait,
    sea_query::{Expr, ExprTrait, Query, SelectStatement},
};

use crate::{
    StoreError,
    db::{Tx, packed, sql_text::SqlText},
    entity::{feature, feature_type},
};

packed::row! {
    struct TypeRow {
        id: String = feature_type::Column::Id,
        lifetime_days: Option<i64> = feature_type::Column::LifetimeDays,
    }
}

/// The lifetimes of all feature types.
pub async fn lifetimes(db: &impl ConnectionTrait) -> Result<Lifetimes, StoreError> {
    static TEXT: SqlText = SqlText::new();
    let backend = db.get_database_backend();
    let query = || Query::select().expr(packed::rows::<TypeRow>(backend)).from(feature_type::Entity).take();
    let row = db.query_one_raw(TEXT.statement(backend, query, [])).await?;
    let types: Option<Vec<TypeRow>> = row.map(|row| packed::list(&row, 0)).transpose()?;
    Ok(Lifetimes::new(types.unwrap_or_default().into_iter().map(|row| (row.id, row.lifetime_days))))
}

/// A project's features in use by state.
#[derive(Debug, FromQueryResult)]
struct StateRow {
    project: String,
    total: i64,
    stale: i64,
    potentially_stale: i64,
}

impl StateRow {
    const fn counts(&self) -> HealthCounts {
        HealthCounts {
            healthy: self.total - self.stale - self.potentially_stale,
            stale: self.stale,
            potentially_stale: self.potentially_stale,
        }
    }
}

/// The features in use of a project, by state at `now`.
pub async fn counts_of_project(
    db: &impl ConnectionTrait,
    project: &str,
    lifetimes: &Lifetimes,
    now: Timestamp,
) -> Result<HealthCounts, StoreError> {
    let mut query = count_states(lifetimes, now);
    query.and_where(feature::Column::Project.eq(project));
    let row = db.query_one(&query).await?;
    let row = row.map(|row| StateRow::from_query_result(&row, "")).transpose()?;
    Ok(row.map(|row| row.counts()).unwrap_or_default())
}

/// The features in use of every project that has any, by state at `now`.
pub async fn counts_by_project(
    db: &impl ConnectionTrait,
    lifetimes: &Lifetimes,
    now: Timestamp,
) -> Result<Vec<(String, HealthCounts)>, StoreError> {
    let rows = db.query_all(&count_states(lifetimes, now)).await?;
    let rows = rows.iter().map(|row| StateRow::from_query_result(row, ""));
    rows.map(|row| row.map(|row| (row.project.clone(), row.counts())).map_err(StoreError::from)).collect()
}

fn count_states(lifetimes: &Lifetimes, now: Timestamp) -> SelectStatement {
    let stale = Condition::all().add(feature::Column::Stale.eq(true));
    Query::select()
        .column(feature::Column::Project)
        .expr_as(feature::Column::Id.count(), "total")
        .expr_as(count_if(stale), "stale")
        .expr_as(count_if(is_potentially_stale(lifetimes, now)), "potentially_stale")
        .from(feature::Entity)
        .and_where(feature::Column::ArchivedAt.is_null())
        .add_group_by([Expr::col(feature::Column::Project)])
        .to_owned()
}

/// Number of rows that fulfil a condition. Other than a sum, a count has the same type on every database.
pub(super) fn count_if(condition: Condition) -> Expr {
    Expr::expr(Expr::case(condition, 1)).count()
}

/// Features that are not marked as stale and have reached the lifetime of their type.
fn is_potentially_stale(lifetimes: &Lifetimes, now: Timestamp) -> Condition {
    Condition::all().add(feature::Column::Stale.eq(false)).add(has_reached_lifetime(lifetimes, now))
}

fn has_reached_lifetime(lifetimes: &Lifetimes, now: Timestamp) -> Condition {
    let mut cutoffs = lifetimes.cutoffs(now).peekable();
    if cutoffs.peek().is_none() {
        // An empty `any` would be true.
        return Condition::all().add(Expr::value(1).eq(0));
    }
    cutoffs.fold(Condition::any(), |any, (kind, cutoff)| {
        any.add(feature::Column::Type.eq(kind).and(feature::Column::CreatedAt.lte(cutoff)))
    })
}

/// Whether any feature in use has become potentially stale and does not carry the mark. Reads only, so that a job with
/// nothing to do keeps no other from writing.
pub async fn any_to_mark(db: &impl ConnectionTrait, lifetimes: &Lifetimes, now: Timestamp) -> Result<bool, StoreError> {
    let due = with_mark(false).filter(is_potentially_stale(lifetimes, now));
    Ok(due.one(db).await?.is_some())
}

/// Whether any feature in use carries the mark and should not, or no longer.
pub async fn any_to_unmark(
    db: &impl ConnectionTrait,
    lifetimes: &Lifetimes,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let wrong = with_mark(true).filter(is_potentially_stale(lifetimes, now).not());
    Ok(wrong.one(db).await?.is_some())
}

fn with_mark(marked: bool) -> sea_orm::Select<feature::Entity> {
    feature::Entity::find()
        .filter(feature::Column::ArchivedAt.is_null())
        .filter(feature::Column::PotentiallyStale.eq(marked))
}

/// A feature that has just been marked as potentially stale.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marked {
    /// Internal id.
    pub id: i64,
    /// Name of the feature.
    pub name: String,
    /// Id of its project.
    pub project: String,
}

/// Marks up to `limit` features that have become potentially stale by `now`, and returns them, by id.
pub async fn mark_potentially_stale(
    tx: &Tx,
    lifetimes: &Lifetimes,
    now: Timestamp,
    limit: u64,
) -> Result<Vec<Marked>, StoreError> {
    let due = with_mark(false)
        .select_only()
        .column(feature::Column::Id)
        .filter(is_potentially_stale(lifetimes, now))
        .limit(limit)
        .into_query();
    let mut rows = feature::Entity::update_many()
        .col_expr(feature::Column::PotentiallyStale, Expr::value(true))
        .filter(feature::Column::Id.in_subquery(due))
        .filter(feature::Column::PotentiallyStale.eq(false))
        .exec_with_returning(tx)
        .await?;
    rows.sort_unstable_by_key(|row| row.id);
    Ok(rows.into_iter().map(|row| Marked { id: row.id, name: row.name, project: row.project }).collect())
}

/// Takes the mark off features in use that are not potentially stale, or no longer.
pub async fn unmark_potentially_stale(tx: &Tx, lifetimes: &Lifetimes, now: Timestamp) -> Result<u64, StoreError> {
    let outcome = feature::Entity::update_many()
        .col_expr(feature::Column::PotentiallyStale, Expr::value(false))
        .filter(feature::Column::ArchivedAt.is_null())
        .filter(feature::Column::PotentiallyStale.eq(true))
        .filter(is_potentially_stale(lifetimes, now).not())
        .exec(tx)
        .await?;
    Ok(outcome.rows_affected)
}
