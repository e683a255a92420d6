//! Background work: what runs, how often, and in one place of a cluster at a time.
//!
//! A job that fails is logged and comes again; none ever stops the server. What a job did is recorded in `job_run`.

mod insights;
mod staleness;
mod upkeep;
mod usage;

use std::{sync::atomic::Ordering, time::Duration};

use futures_util::future::{BoxFuture, join};
use tokio::{sync::watch, task::JoinHandle};

pub use self::{
    insights::{backfill, record_insights},
    staleness::mark_potentially_stale,
    upkeep::{remove_ended_sessions, write_presence},
    usage::keep_usage_small,
};
use crate::{
    api::state::State,
    store::{self, StoreError},
    usage::write as write_usage,
};

/// How often the jobs of the database are looked through for those that are due.
const TICK: Duration = Duration::from_secs(10);
/// The same for the jobs of a node, which are short and do not wait for the others.
const NODE_TICK: Duration = Duration::from_secs(1);
/// A job is due a little before its period is over, so that ticks do not drift into skipping it.
const SLACK: Duration = Duration::from_secs(5);

/// Whose work a job is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// The work on the database: whichever node finds it due does it for all.
    Database,
    /// The work on what a node has in memory: each does its own.
    Node,
}

/// A piece of background work. Doing it twice is doing it once.
#[derive(Clone, Copy)]
pub struct Job {
    /// Its name in the log and in `job_run`.
    pub name: &'static str,
    /// Time from one start to the next.
    pub period: Duration,
    /// Whose work it is.
    pub scope: Scope,
    work: for<'a> fn(&'a State) -> BoxFuture<'a, Result<(), StoreError>>,
}

impl std::fmt::Debug for Job {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Job").field("name", &self.name).field("period", &self.period).finish_non_exhaustive()
    }
}

/// Every job.
pub const JOBS: [Job; 7] = [
    Job {
        name: "changes-elsewhere",
        period: Duration::from_secs(1),
        scope: Scope::Node,
        work: |state| Box::pin(state.sdk.poll()),
    },
    Job {
        name: "usage",
        period: Duration::from_secs(5),
        scope: Scope::Node,
        work: |state| Box::pin(write_usage(state)),
    },
    Job {
        name: "presence",
        period: Duration::from_mins(1),
        scope: Scope::Node,
        work: |state| Box::pin(write_presence(state)),
    },
    Job {
        name: "potentially-stale",
        period: Duration::from_mins(1),
        scope: Scope::Database,
        work: |state| Box::pin(mark_potentially_stale(state)),
    },
    Job {
        name: store::jobs::INSIGHTS,
        period: Duration::from_hours(1),
        scope: Scope::Database,
        work: |state| Box::pin(record_insights(state)),
    },
    Job {
        name: "ended-sessions",
        period: Duration::from_hours(1),
        scope: Scope::Database,
        work: |state| Box::pin(remove_ended_sessions(state)),
    },
    Job {
        name: "usage-history",
        period: Duration::from_hours(1),
        scope: Scope::Database,
        work: |state| Box::pin(keep_usage_small(state)),
    },
];

/// Runs the jobs until `stop` holds true or is dropped; those under way end, and what is in memory is written.
pub fn start(state: State, stop: watch::Receiver<bool>) -> JoinHandle<()> {
    tokio::spawn(async move {
        join(run(&state, Scope::Node, NODE_TICK, stop.clone()), run(&state, Scope::Database, TICK, stop)).await;
        for job in JOBS.iter().filter(|job| job.scope == Scope::Node) {
            attempt(&state, *job).await;
        }
    })
}

/// Runs the jobs of one scope, one after the other.
async fn run(state: &State, scope: Scope, tick: Duration, mut stop: watch::Receiver<bool>) {
    let mut ticks = tokio::time::interval(tick);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let slack = tick.min(SLACK * 2) / 2;
    let mut last_here = [None; JOBS.len()];
    loop {
        tokio::select! {
            _ = stop.wait_for(|stop| *stop) => break,
            _ = ticks.tick() => {}
        }
        if scope == Scope::Database && state.history_rewritten.swap(false, Ordering::SeqCst) {
            last_here = [None; JOBS.len()];
        }
        for (job, last_here) in JOBS.iter().zip(&mut last_here).filter(|(job, _)| job.scope == scope) {
            if *stop.borrow() {
                break;
            }
            if last_here.is_none_or(|last: tokio::time::Instant| last.elapsed() + slack >= job.period) {
                *last_here = Some(tokio::time::Instant::now());
                attempt(state, *job).await;
            }
        }
    }
}

/// Runs a job in a task of its own, so that not even a panic ends the others.
async fn attempt(state: &State, job: Job) {
    let state = state.clone();
    match tokio::spawn(async move { run_if_due(&state, &job).await }).await {
        Ok(Ok(_)) => {}
        Ok(Err(error)) => tracing::error!(job = job.name, %error, "job failed"),
        Err(error) => tracing::error!(job = job.name, %error, "job broke off"),
    }
}

/// Runs a job, unless another node did so within its period or is doing so. Tells whether it ran.
pub async fn run_if_due(state: &State, job: &Job) -> Result<bool, StoreError> {
    if job.scope == Scope::Node {
        (job.work)(state).await?;
        return Ok(true);
    }
    let now = state.clock.now();
    let wait = i64::try_from((job.period.saturating_sub(SLACK)).as_millis()).unwrap_or(i64::MAX);
    let tx = state.db.begin().await?;
    let claimed = store::jobs::claim(&tx, job.name, now.plus_millis(-wait), now).await?;
    tx.commit(now, []).await?;
    if !claimed {
        return Ok(false);
    }
    let outcome = (job.work)(state).await;
    let tx = state.db.begin().await?;
    match &outcome {
        Ok(()) => store::jobs::finish(&tx, job.name, state.clock.now()).await?,
        // The cause may quote the database; who reads the row is sent to the log for it.
        Err(_) => store::jobs::fail(&tx, job.name, "The database refused; the log tells more.").await?,
    }
    tx.commit(now, []).await?;
    outcome.map(|()| true)
}
