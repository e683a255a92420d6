//! Tokens that fetch features: those that no other covers.

use std::sync::{Arc, MutexGuard, PoisonError, atomic::Ordering};

use flagstone_chance as chance;
use flagstone_domain::{client_feature::Numbering, secret, time::Timestamp, token::Reach};
use flagstone_error::Error;
use futures_util::future::select_all;
use tokio::time::{Instant, timeout_at};

use super::{
    Edge, FIRST_WAIT,
    feed::{Feed, cover},
    fetching, questions,
    token_cache::Secret,
};

/// Feeds at once: each takes a connection, and with a stream a thread.
const FEEDS: usize = 200;

impl Edge {
    /// Has the tokens fetch that no other covers, and the others not.
    pub(super) fn settle_feeds(&self) {
        let Some(this) = self.me.upgrade().filter(|_| !self.is_offline) else { return };
        let mut wanted = self.token_cache.fetching();
        if self.settings.is_strict {
            let named: Vec<String> = self.settings.tokens.iter().map(|token| secret::digest(token)).collect();
            wanted.retain(|(digest, ..)| named.contains(digest));
        }
        // Tokens that reach more come first, then those that had a feed before.
        let present = |digest: &str| self.locked().iter().any(|feed| feed.digest == digest);
        wanted.sort_by_key(|(digest, _, reach)| {
            (!reach.reaches_all_projects(), std::cmp::Reverse(reach.projects.len()), !present(digest), digest.clone())
        });
        let mut chosen: Vec<(String, Secret, Reach)> = Vec::new();
        for (digest, secret, reach) in wanted {
            let is_covered = chosen.iter().any(|(_, _, other)| other.covers(&reach));
            if !is_covered && chosen.len() < FEEDS {
                chosen.push((digest, secret, reach));
            }
        }
        let mut feeds = self.locked();
        let (kept, gone): (Vec<_>, Vec<_>) = feeds.drain(..).partition(|feed| {
            let is_same = |(digest, _, reach): &(String, Secret, Reach)| {
                *digest == feed.digest
                    && reach.environment == feed.environment
                    && reach.projects() == feed.projects.as_deref()
            };
            match chosen.iter().find(|one| is_same(one)) {
                Some(_) => !feed.lacks_secret(),
                None => self.is_kept(feed),
            }
        });
        *feeds = kept;
        for (digest, secret, reach) in chosen {
            if feeds.iter().all(|feed| feed.digest != digest) {
                // One that the disk brought wakes up where it was.
                let known = gone.iter().find(|feed| feed.digest == digest);
                let fresh_at = known.and_then(|feed| feed.progress().fresh_at);
                let told = known.and_then(|feed| self.number_of(&feed.environment));
                let feed = Feed::new(digest, secret, &reach, self.settings.best_mode, fresh_at);
                feeds.push(Arc::clone(&feed));
                this.start(feed, told);
            }
        }
        let left: Vec<String> = feeds.iter().map(|feed| feed.environment.clone()).collect();
        drop(feeds);
        for feed in gone {
            feed.ended.send_replace(true);
            if !left.contains(&feed.environment) {
                self.mirror.forget(&feed.environment);
            }
        }
    }

    /// Whether a feed that was not chosen stays: one that was read from disk, until the upstream has judged its token,
    /// or no program has shown it for a day.
    fn is_kept(&self, feed: &Feed) -> bool {
        if !self.is_begun.load(Ordering::SeqCst) {
            return feed.is_filled();
        }
        let young = |at: Timestamp| at.plus_days(1) > self.clock.now();
        feed.lacks_secret() && !self.token_cache.is_refused(&feed.digest) && feed.progress().fresh_at.is_some_and(young)
    }

    /// The number of the state of an environment, where the upstream gave it.
    pub(super) fn number_of(&self, environment: &str) -> Option<i64> {
        self.mirror.get(environment).filter(|one| one.numbering() == Numbering::Log).map(|one| one.changed_at())
    }

    /// Has a feed fetch, from the state of this number on where there is one.
    pub(super) fn start(self: &Arc<Self>, feed: Arc<Feed>, told: Option<i64>) {
        let edge = Arc::clone(self);
        tokio::spawn(async move {
            if fetching::run(&edge, &feed, told).await {
                tracing::error!(
                    target: "flagstone::edge::feeds",
                    environment = feed.environment,
                    token = secret::shown(&feed.secret.0),
                    "the upstream does not accept a token that features are fetched with"
                );
                edge.refused(&feed).await;
            }
        });
    }

    /// The upstream refused the token of a feed. The upstream is asked whether it serves at all; where it does, the
    /// feed begins again.
    async fn refused(self: &Arc<Self>, feed: &Arc<Feed>) {
        loop {
            if questions::ask_again(&self.token_cache, &self.upstream).await.is_some() {
                break;
            }
            tokio::time::sleep(chance::about(FIRST_WAIT)).await;
        }
        self.locked().retain(|other| !Arc::ptr_eq(other, feed));
        feed.ended.send_replace(true);
        let serves = self.token_cache.fetching().iter().any(|(digest, ..)| *digest == feed.digest);
        if serves {
            // It was refused here alone: not at once again.
            tokio::time::sleep(chance::about(FIRST_WAIT)).await;
        }
        self.changed_tokens();
        if !self.locked().iter().any(|other| other.environment == feed.environment) {
            self.mirror.forget(&feed.environment);
        }
    }

    /// Whether no other feed adds to the same environment.
    pub(super) fn is_alone(&self, feed: &Feed) -> bool {
        self.locked().iter().all(|other| other.environment != feed.environment || other.digest == feed.digest)
    }

    /// Whether features of these projects are there to be served.
    pub(super) fn is_covered(&self, environment: &str, projects: Option<&[String]>) -> bool {
        let feeds = self.locked();
        cover(feeds.iter().filter(|feed| feed.environment == environment && feed.is_filled()), projects)
    }

    /// Waits for features of these projects that are on their way. 503 when they do not come, 403 when nothing brings
    /// them.
    pub(super) async fn await_cover(&self, environment: &str, projects: Option<&[String]>) -> Result<(), Error> {
        let end = Instant::now() + FIRST_WAIT;
        loop {
            let feeds = self.feeds_of(environment);
            if !cover(feeds.iter(), projects) {
                return Err(if self.is_begun.load(Ordering::SeqCst) { uncovered(environment) } else { not_yet() });
            }
            let mut waiting: Vec<_> =
                feeds.iter().filter(|feed| !feed.is_filled()).map(|feed| feed.filled.subscribe()).collect();
            if waiting.is_empty() {
                return Ok(());
            }
            let filled = select_all(waiting.iter_mut().map(|one| Box::pin(one.changed())));
            if timeout_at(end, filled).await.is_err() {
                return if self.is_covered(environment, projects) { Ok(()) } else { Err(not_yet()) };
            }
            if self.is_covered(environment, projects) {
                return Ok(());
            }
        }
    }

    fn feeds_of(&self, environment: &str) -> Vec<Arc<Feed>> {
        self.locked().iter().filter(|feed| feed.environment == environment).map(Arc::clone).collect()
    }

    /// All feeds.
    pub(super) fn all_feeds(&self) -> Vec<Arc<Feed>> {
        self.locked().clone()
    }

    /// When the upstream last confirmed that everything that is served is current; `None` before the first time.
    pub(super) fn fresh_at(&self) -> Option<Timestamp> {
        let feeds = self.locked();
        let times: Option<Vec<Timestamp>> =
            feeds.iter().filter(|feed| !feed.lacks_secret()).map(|feed| feed.progress().fresh_at).collect();
        times?.into_iter().min()
    }

    pub(super) fn locked(&self) -> MutexGuard<'_, Vec<Arc<Feed>>> {
        self.feeds.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn uncovered(environment: &str) -> Error {
    Error::Forbidden {
        name: "NotCoveredError",
        message: format!(
            "This edge has no client token for all projects of this token in the environment \"{environment}\": start it \
             with one."
        ),
    }
}

fn not_yet() -> Error {
    Error::UpstreamAway
}
