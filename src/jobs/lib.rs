//! Background work: what runs, how often, and in one place of a cluster at a time.
//!
//! [`JOBS`] is all of it. A job that fails is logged and comes again; none ever stops the server. The outcome of a run
//! is kept in `job_run` and in each node's [`JobRuns`](flagstone_state::job_runs::JobRuns), which the metrics show.
//!
//! Health and the statistics of projects have no job: they are counted on request, from indexes, and so are never old.
//! Times when tokens were last seen are written with the reports of programs, by [`write_usage`].

mod backup;
mod clock;
mod inactive_users;
mod insights;
mod log_level;
mod schedules;
mod staleness;
mod upkeep;
mod usage;

use std::{sync::atomic::Ordering, time::Duration};

use flagstone_audit as audit;
use flagstone_config::{Config, Periods};
use flagstone_deliveries as deliveries;
use flagstone_domain::opaque_debug;
use flagstone_sign_in::metadata;
use flagstone_state::State;
use flagstone_store::{self as store, StoreError, db::NoEvent};
use futures_util::future::{BoxFuture, join, join5};
use opentelemetry::{KeyValue, trace::SpanKind};
use tokio::{sync::watch, task::JoinHandle, time::Instant};

use self::clock::ClockWatch;
pub use self::{
    backup::make_backup,
    inactive_users::deactivate_inactive_users,
    insights::{backfill, record_insights},
    log_level::{follow_log_level, look as look_at_log_level},
    schedules::{apply_scheduled, resume_scheduled},
    staleness::mark_potentially_stale,
    upkeep::{check_access, remove_ended_deliveries, remove_ended_sessions, write_presence},
    usage::{keep_usage_small, write_usage},
};

/// Target of lines in the log, by the part of the program: a crate is none to those who operate it.
const LOG: &str = "flagstone::jobs";

/// Interval at which the jobs of the database are looked through for those that are due.
const TICK: Duration = Duration::from_secs(10);
/// Interval at which the jobs of a node are looked through, which are short and do not wait for the others.
const NODE_TICK: Duration = Duration::from_secs(1);
/// A job is due a little before its period is over, so that ticks do not drift into skipping it.
const SLACK: Duration = Duration::from_secs(5);

/// Owner of a job's work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Work on the database: the first node that finds it due does it for all.
    Database,
    /// The work on what a node has in memory: each does its own.
    Node,
}

/// A piece of background work. Doing it twice is doing it once.
#[derive(Clone, Copy)]
pub struct Job {
    /// Its name in the log and in `job_run`.
    pub name: &'static str,
    /// Owner of the work.
    pub scope: Scope,
    period: fn(&Periods) -> Duration,
    work: for<'a> fn(&'a State) -> BoxFuture<'a, Result<(), StoreError>>,
}

impl Job {
    /// Time from one start to the next.
    pub fn period(&self, periods: &Periods) -> Duration {
        (self.period)(periods)
    }

    /// Whether there is anything to do for it on a server of this configuration.
    pub fn is_wanted(&self, config: &Config) -> bool {
        self.name != backup::NAME || backup::is_wanted(config)
    }
}

opaque_debug!(Job { name, scope, .. });

/// Every job.
pub const JOBS: [Job; 16] = [
    // Looks for events of other nodes, in case no notification reached this one.
    Job {
        name: "changes-elsewhere",
        period: Periods::changes_elsewhere,
        scope: Scope::Node,
        work: |state| Box::pin(state.sdk.poll()),
    },
    // Writes counts, applications, instances, and when features and tokens were last seen.
    Job { name: "usage", period: Periods::usage, scope: Scope::Node, work: |state| Box::pin(write_usage(state)) },
    // Writes when people were last seen.
    Job {
        name: "presence",
        period: Periods::presence,
        scope: Scope::Node,
        work: |state| Box::pin(write_presence(state)),
    },
    // Applies change requests at the time that they are scheduled for. On every node, since schedules are claimed one by
    // one, so that a node that dies holds up one of them alone, and not for long.
    Job {
        name: "change-request-schedules",
        period: Periods::change_request_schedules,
        scope: Scope::Node,
        work: |state| Box::pin(apply_scheduled(state)),
    },
    // Marks features that have outlived their type, each with its event.
    Job {
        name: "potentially-stale",
        period: Periods::potentially_stale,
        scope: Scope::Database,
        work: |state| Box::pin(mark_potentially_stale(state)),
    },
    // Takes the figures behind the insights; at first, and where days are missing, also those of the past.
    Job {
        name: store::jobs::INSIGHTS,
        period: Periods::insights,
        scope: Scope::Database,
        work: |state| Box::pin(record_insights(state)),
    },
    // Forgets sessions that ended.
    Job {
        name: "ended-sessions",
        period: Periods::ended_sessions,
        scope: Scope::Database,
        work: |state| Box::pin(remove_ended_sessions(state)),
    },
    // Asks login providers whether people who signed in through them may still come in.
    Job {
        name: "access-checks",
        period: Periods::access_checks,
        scope: Scope::Database,
        work: |state| Box::pin(check_access(state)),
    },
    // Deactivates users who do not use their account, where the policy on accounts says so.
    Job {
        name: "inactive-users",
        period: Periods::inactive_users,
        scope: Scope::Database,
        work: |state| Box::pin(deactivate_inactive_users(state)),
    },
    // Forgets old deliveries to integrations.
    Job {
        name: "ended-deliveries",
        period: Periods::ended_deliveries,
        scope: Scope::Database,
        work: |state| Box::pin(remove_ended_deliveries(state)),
    },
    // Lets the settings of SAML, and further providers, follow the provider's metadata.
    Job {
        name: "saml-metadata",
        period: Periods::saml_metadata,
        scope: Scope::Database,
        work: |state| Box::pin(metadata::refresh(state)),
    },
    // Gives new events their hashes, and all those of a log of before.
    Job {
        name: "event-chain",
        period: Periods::event_chain,
        scope: Scope::Node,
        work: |state| Box::pin(audit::extend(state)),
    },
    // Signs where the log of events is.
    Job {
        name: audit::CHECKPOINT_JOB,
        period: Periods::event_checkpoint,
        scope: Scope::Database,
        work: |state| Box::pin(audit::make_checkpoint(state)),
    },
    // Removes events that are older than they are kept.
    Job {
        name: "event-retention",
        period: Periods::event_retention,
        scope: Scope::Database,
        work: |state| Box::pin(audit::keep_retention(state)),
    },
    // Adds hours of usage up to days, and forgets what is older than it is kept.
    Job {
        name: "usage-history",
        period: Periods::usage_history,
        scope: Scope::Database,
        work: |state| Box::pin(keep_usage_small(state)),
    },
    // Copies a SQLite database, where there is a directory for that. Last, as it takes the longest.
    Job {
        name: backup::NAME,
        period: Periods::backup,
        scope: Scope::Database,
        work: |state| Box::pin(make_backup(state)),
    },
];

/// Runs the jobs until `stop` holds true or is dropped; those under way end, and what is in memory is written.
pub fn start(state: State, stop: watch::Receiver<bool>) -> JoinHandle<()> {
    tokio::spawn(async move {
        if let Err(error) = resume_scheduled(&state).await {
            tracing::error!(
                target: LOG,
                %error,
                "cannot resume scheduled change requests; their claims end by themselves"
            );
        }
        let node = run(&state, Scope::Node, NODE_TICK, stop.clone());
        let database = run(&state, Scope::Database, TICK, stop.clone());
        let listening = until(stop.clone(), state.sdk.listen());
        let following = Box::pin(until(stop.clone(), state.db.follow_replica()));
        let delivering = Box::pin(until(stop.clone(), deliveries::run(state.clone())));
        let logging = Box::pin(until(stop.clone(), follow_log_level(&state)));
        join(join5(node, database, listening, following, delivering), logging).await;
        for job in JOBS.iter().filter(|job| job.scope == Scope::Node) {
            attempt(&state, *job).await;
        }
    })
}

/// Does work that may never end, such as listening to other nodes between two polls of the log, until the stop.
async fn until(mut stop: watch::Receiver<bool>, work: impl Future<Output = ()>) {
    tokio::select! {
        _ = stop.wait_for(|stop| *stop) => {}
        () = work => {}
    }
}

/// Runs the jobs of one scope, one after the other.
async fn run(state: &State, scope: Scope, tick: Duration, mut stop: watch::Receiver<bool>) {
    let mut ticks = tokio::time::interval(tick);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let slack = tick.min(SLACK * 2) / 2;
    let mut next = [None; JOBS.len()];
    let mut clock_watch = ClockWatch::begin(&state.clock);
    loop {
        tokio::select! {
            _ = stop.wait_for(|stop| *stop) => break,
            _ = ticks.tick() => {}
        }
        if scope == Scope::Node {
            clock_watch.look(&state.clock);
        }
        if scope == Scope::Database && state.history_rewritten.swap(false, Ordering::SeqCst) {
            next = [None; JOBS.len()];
        }
        for (job, next) in
            JOBS.iter().zip(&mut next).filter(|(job, _)| job.scope == scope && job.is_wanted(&state.config))
        {
            if *stop.borrow() {
                break;
            }
            let now = Instant::now();
            if next.is_none_or(|next| now + slack >= next) {
                let left =
                    if attempt(state, *job).await { job.period(&state.config.periods) } else { left(state, job).await };
                *next = Some(now + left);
            }
        }
    }
}

/// Time until a job is due that was not: a period after its last run, which may have been before this node began, or
/// another node's.
async fn left(state: &State, job: &Job) -> Duration {
    let period = job.period(&state.config.periods);
    let Ok(runs) = store::jobs::runs(&state.db).await else { return period };
    let since =
        runs.iter().find(|run| run.name == job.name).map(|run| state.clock.now().millis() - run.started_at.millis());
    let since = since.and_then(|millis| u64::try_from(millis).ok()).map(Duration::from_millis);
    period.saturating_sub(since.unwrap_or_default())
}

/// Runs a job if it is due, in a task of its own, so that not even a panic ends the others. Returns whether it was.
pub async fn attempt(state: &State, job: Job) -> bool {
    let worker = state.clone();
    let outcome = tokio::spawn(async move { run_if_due(&worker, &job).await }).await;
    let succeeded = match outcome {
        Ok(Ok(true)) => true,
        Ok(Ok(false)) => return false,
        Ok(Err(error)) => {
            if error.is_disk_full() {
                state.disk.note_full(state.clock.now());
            }
            tracing::error!(target: LOG, job = job.name, %error, "job failed");
            false
        }
        Err(error) => {
            tracing::error!(target: LOG, job = job.name, %error, "job panicked or was cancelled");
            false
        }
    };
    state.jobs.ended(job.name, state.clock.now(), succeeded);
    true
}

/// Does the work of a job, as a trace of its own.
async fn work(state: &State, job: &Job) -> Result<(), StoreError> {
    let name = [KeyValue::new("flagstone.job", job.name)];
    state.config.traces.work(format!("job {}", job.name), SpanKind::Internal, name, (job.work)(state)).await
}

/// Runs a job, unless another node did so within its period or is doing so. Returns whether it ran.
pub async fn run_if_due(state: &State, job: &Job) -> Result<bool, StoreError> {
    if job.scope == Scope::Node {
        state.jobs.began(job.name, state.clock.now());
        work(state, job).await?;
        return Ok(true);
    }
    let now = state.clock.now();
    let wait = i64::try_from(job.period(&state.config.periods).saturating_sub(SLACK).as_millis()).unwrap_or(i64::MAX);
    let tx = state.db.begin().await?;
    let claimed = store::jobs::claim(&tx, job.name, now.plus_millis(-wait), now).await?;
    tx.commit_without_event(NoEvent::Upkeep).await?;
    if !claimed {
        return Ok(false);
    }
    state.jobs.began(job.name, now);
    let outcome = work(state, job).await;
    let tx = state.db.begin().await?;
    match &outcome {
        Ok(()) => store::jobs::finish(&tx, job.name, state.clock.now()).await?,
        // The cause may quote the database; who reads the row is sent to the log for it.
        Err(_) => store::jobs::fail(&tx, job.name, "The database refused; the log tells more.").await?,
    }
    tx.commit_without_event(NoEvent::Upkeep).await?;
    outcome.map(|()| true)
}
