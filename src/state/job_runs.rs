//! Runs of the jobs on this node since it started, for its metrics.

use std::{
    collections::HashMap,
    sync::Mutex,
    time::{Duration, Instant},
};

use flagstone_domain::time::Timestamp;

/// The last run of a job on this node.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Run {
    /// When it last began.
    pub started_at: Option<Timestamp>,
    /// When it last ended well.
    pub succeeded_at: Option<Timestamp>,
    /// Duration of the last run that ended.
    pub took: Option<Duration>,
    /// Whether the last run that ended did so well.
    pub succeeded: Option<bool>,
    /// Runs that failed.
    pub failures: u64,
}

/// The last run of each job on this node.
#[derive(Debug, Default)]
pub struct JobRuns(Mutex<HashMap<&'static str, (Run, Option<Instant>)>>);

impl JobRuns {
    /// The last run of a job.
    pub fn of(&self, job: &str) -> Run {
        self.lock().get(job).map(|(run, _)| *run).unwrap_or_default()
    }

    /// Notes that a job begins.
    pub fn began(&self, job: &'static str, now: Timestamp) {
        let mut runs = self.lock();
        let (run, clock) = runs.entry(job).or_default();
        run.started_at = Some(now);
        *clock = Some(Instant::now());
    }

    /// Notes how a job ended, or that it could not begin.
    pub fn ended(&self, job: &'static str, now: Timestamp, succeeded: bool) {
        let mut runs = self.lock();
        let (run, clock) = runs.entry(job).or_default();
        if let Some(began) = clock.take() {
            run.took = Some(began.elapsed());
        }
        run.succeeded = Some(succeeded);
        if succeeded {
            run.succeeded_at = Some(now);
        } else {
            run.failures += 1;
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<&'static str, (Run, Option<Instant>)>> {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_keeps_the_last_success_and_a_run_that_did_not_begin_its_duration() {
        let runs = JobRuns::default();
        let at = Timestamp::from_millis;
        assert_eq!(runs.of("a"), Run::default());
        runs.began("a", at(1));
        runs.ended("a", at(2), true);
        let first = runs.of("a");
        assert_eq!((first.succeeded_at, first.succeeded, first.failures), (Some(at(2)), Some(true), 0));
        assert!(first.took.is_some());
        runs.ended("a", at(3), false);
        let second = runs.of("a");
        assert_eq!(second, Run { succeeded: Some(false), failures: 1, ..first });
    }
}
