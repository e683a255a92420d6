//! A token by which features are fetched, and its progress.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use flagstone_domain::{time::Timestamp, token::Reach};
use tokio::sync::watch;

use super::{repaired::Repaired, token_cache::Secret};

/// Mode in which features come from the upstream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FetchMode {
    /// All features as a stream, and their changes as they happen.
    Stream,
    /// Their differences, when asked for.
    Delta,
    /// All features, when asked for.
    Poll,
}

impl FetchMode {
    /// The name in reports and figures.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Stream => "stream",
            Self::Delta => "delta",
            Self::Poll => "poll",
        }
    }
}

/// Progress of fetching.
#[derive(Debug, Clone)]
pub struct Progress {
    /// When the upstream last confirmed that the state is current; before the start, that time by the disk.
    pub fresh_at: Option<Timestamp>,
    /// The mode that works at present, or the next one that is tried.
    pub mode: FetchMode,
    /// Whether the upstream could be reached the last time.
    pub is_connected: bool,
}

/// A token by which features are fetched.
#[derive(Debug)]
pub(super) struct Feed {
    pub(super) digest: String,
    pub(super) secret: Secret,
    pub(super) environment: String,
    /// Ids of projects; `None` is all of them.
    pub(super) projects: Option<Vec<String>>,
    progress: Mutex<Progress>,
    /// Values of the upstream's answers that were put right or left out.
    pub(super) repaired: Repaired,
    /// Whether there is anything to serve from; closed when the feed has ended.
    pub(super) filled: watch::Sender<bool>,
    /// Holds true once the feed is to end.
    pub(super) ended: watch::Sender<bool>,
}

impl Feed {
    pub(super) fn new(
        digest: String,
        secret: Secret,
        reach: &Reach,
        mode: FetchMode,
        fresh_at: Option<Timestamp>,
    ) -> Arc<Self> {
        Arc::new(Self {
            digest,
            secret,
            environment: reach.environment.clone(),
            projects: reach.projects().map(<[String]>::to_vec),
            progress: Mutex::new(Progress { fresh_at, mode, is_connected: false }),
            repaired: Repaired::default(),
            filled: watch::Sender::new(fresh_at.is_some()),
            ended: watch::Sender::new(false),
        })
    }

    /// Whether it brings all that these projects have.
    pub(super) fn reaches(&self, projects: Option<&[String]>) -> bool {
        match (&self.projects, projects) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(own), Some(projects)) => projects.iter().all(|project| own.contains(project)),
        }
    }

    pub(super) fn progress(&self) -> Progress {
        self.lock().clone()
    }

    /// Notes that the upstream confirmed the state at `now`, in this mode.
    pub(super) fn heard(&self, mode: FetchMode, now: Timestamp) {
        {
            let mut progress = self.lock();
            *progress = Progress { fresh_at: Some(now), mode, is_connected: true };
        }
        self.filled.send_if_modified(|filled| !std::mem::replace(filled, true));
    }

    /// The upstream could not be reached, and the next try is in this mode.
    pub(super) fn lost(&self, mode: FetchMode) {
        let mut progress = self.lock();
        progress.mode = mode;
        progress.is_connected = false;
    }

    /// Whether the secret is not known, so that nothing can be fetched.
    pub(super) fn lacks_secret(&self) -> bool {
        self.secret.0.is_empty()
    }

    pub(super) fn is_filled(&self) -> bool {
        *self.filled.borrow()
    }

    fn lock(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether these feeds together bring all that the projects have.
pub(super) fn cover<'a>(mut feeds: impl Iterator<Item = &'a Arc<Feed>> + Clone, projects: Option<&[String]>) -> bool {
    match projects {
        None => feeds.any(|feed| feed.projects.is_none()),
        Some(projects) => {
            projects.iter().all(|project| feeds.clone().any(|feed| feed.reaches(Some(std::slice::from_ref(project)))))
        }
    }
}
