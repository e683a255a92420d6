//! When background jobs last ran: one row each, by which the nodes of one database agree who runs a job.

use flagstone_domain::time::Timestamp;
use sea_orm::{
    ActiveValue::Set,
    ColumnTrait, Condition, ConnectionTrait, EntityTrait, QueryFilter,
    sea_query::{Expr, ExprTrait, OnConflict},
};

use crate::{StoreError, db::Tx, entity::job_run};

/// A run that has not ended after this many milliseconds is taken for that of a node that died.
const ABANDONED_AFTER_MS: i64 = 5 * 60_000;

/// Name of the job that takes the figures behind the insights.
pub const INSIGHTS: &str = "insights";
/// Name under which `job_run` knows that history has been filled in.
pub const HISTORY: &str = "insights-history";

/// Has the figures of the past taken once more, after history was rewritten: by the next look at the jobs.
pub async fn retell_history(tx: &Tx) -> Result<(), StoreError> {
    job_run::Entity::delete_many().filter(job_run::Column::Name.is_in([INSIGHTS, HISTORY])).exec(tx).await?;
    Ok(())
}

/// Claims a job, if its last run began before `due_since` and is not under way. Returns whether this caller has it now.
pub async fn claim(tx: &Tx, name: &str, due_since: Timestamp, now: Timestamp) -> Result<bool, StoreError> {
    let first = job_run::ActiveModel {
        name: Set(name.to_owned()),
        last_started_at: Set(now),
        last_finished_at: Set(None),
        last_error: Set(None),
    };
    let inserted = job_run::Entity::insert(first).on_conflict_do_nothing().exec_without_returning(tx).await?;
    if matches!(inserted, sea_orm::TryInsertResult::Inserted(1)) {
        return Ok(true);
    }
    let ended = Condition::any()
        .add(job_run::Column::LastError.is_not_null())
        .add(Expr::col(job_run::Column::LastFinishedAt).gte(Expr::col(job_run::Column::LastStartedAt)))
        .add(job_run::Column::LastStartedAt.lte(now.plus_millis(-ABANDONED_AFTER_MS)));
    let due = Condition::all().add(job_run::Column::LastStartedAt.lte(due_since)).add(ended);
    // A run from the future was dated by a clock that has been set back since.
    let due = Condition::any().add(due).add(job_run::Column::LastStartedAt.gt(now.plus_millis(ABANDONED_AFTER_MS)));
    let claimed = job_run::Entity::update_many()
        .col_expr(job_run::Column::LastStartedAt, Expr::value(now))
        .col_expr(job_run::Column::LastError, Expr::value(Option::<String>::None))
        .filter(job_run::Column::Name.eq(name))
        .filter(due)
        .exec(tx)
        .await?;
    Ok(claimed.rows_affected > 0)
}

/// Records that a job ended well, also one that was not claimed.
pub async fn finish(tx: &Tx, name: &str, now: Timestamp) -> Result<(), StoreError> {
    let row = job_run::ActiveModel {
        name: Set(name.to_owned()),
        last_started_at: Set(now),
        last_finished_at: Set(Some(now)),
        last_error: Set(None),
    };
    let conflict = OnConflict::column(job_run::Column::Name)
        .update_columns([job_run::Column::LastFinishedAt, job_run::Column::LastError])
        .to_owned();
    job_run::Entity::insert(row).on_conflict(conflict).exec_without_returning(tx).await?;
    Ok(())
}

/// Records that a job failed.
pub async fn fail(tx: &Tx, name: &str, error: &str) -> Result<(), StoreError> {
    job_run::Entity::update_many()
        .col_expr(job_run::Column::LastError, Expr::value(error))
        .filter(job_run::Column::Name.eq(name))
        .exec(tx)
        .await?;
    Ok(())
}

/// The last run of a job that some node took on.
#[derive(Debug, Clone)]
pub struct RecordedRun {
    /// Name of the job.
    pub name: String,
    /// When it last began.
    pub started_at: Timestamp,
    /// When it last ended well.
    pub finished_at: Option<Timestamp>,
    /// Whether the run that began last has failed.
    pub failed: bool,
}

/// The last run of every job that some node took on.
pub async fn runs(db: &impl ConnectionTrait) -> Result<Vec<RecordedRun>, StoreError> {
    let rows = job_run::Entity::find().all(db).await?;
    let recorded = |row: job_run::Model| RecordedRun {
        name: row.name,
        started_at: row.last_started_at,
        finished_at: row.last_finished_at,
        failed: row.last_error.is_some(),
    };
    Ok(rows.into_iter().map(recorded).collect())
}

/// When a job last ended well; `None` if it never did.
pub async fn last_finished(db: &impl ConnectionTrait, name: &str) -> Result<Option<Timestamp>, StoreError> {
    Ok(job_run::Entity::find_by_id(name).one(db).await?.and_then(|row| row.last_finished_at))
}
