//! An edge: serves programs as a replica of another server, its upstream, and forwards their reports to it.
//!
//! Nothing here opens a database. Which tokens serve is asked upstream and remembered (`token_cache`, `questions`);
//! each client token that no other covers fetches features (`feed`, `fetching`), of which environments are made
//! (`mirror`); all of it is kept on disk (`files`), so that an edge can start while its upstream is away.

mod document;
mod feed;
mod feeds;
mod fetching;
mod files;
mod mirror;
mod offline;
mod questions;
mod repaired;
mod reports;
mod source;
mod status;
mod token_cache;
mod unknown;
mod unsent;
mod upstream;

use std::{
    path::PathBuf,
    sync::{
        Arc, Mutex, Weak,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use flagstone_chance as chance;
use flagstone_clock::Clock;
use flagstone_domain::{
    secret::{ShownSecret, TokenKind},
    time::Timestamp,
    token::{ClientToken, Reach},
};
use flagstone_error::Error;
use flagstone_sdk::{Figures, Views};
use flagstone_state::Serving;
use tokio::{
    sync::{Notify, watch},
    time::Duration,
};

use self::{
    document::{Changes, Everything},
    feed::Feed,
    files::Files,
    mirror::{Mirror, Place},
    questions::Questions,
    reports::Doubtful,
    status::Answered,
    token_cache::TokenCache,
};
pub use self::{
    feed::FetchMode,
    status::{FeedStatus, Readiness, Status},
    token_cache::trusted,
    upstream::{Upstream, UpstreamError},
};

/// Target of lines in the log, by the part of the program: a crate is none to those who operate it.
const LOG: &str = "flagstone::edge";

/// Longest time that a program waits for an environment that was not asked for before.
const FIRST_WAIT: Duration = Duration::from_secs(10);

/// Settings that an operator makes for an edge.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The client tokens whose features are fetched from the start on.
    pub tokens: Vec<String>,
    /// Tokens that serve without a question, with what they reach.
    pub trusted: Vec<(String, Reach)>,
    /// Whether tokens that come later fetch no features of their own.
    pub is_strict: bool,
    /// The best mode of fetching that is tried.
    pub best_mode: FetchMode,
    /// Time between two questions for features, where they are asked for.
    pub refresh: Duration,
    /// Time between two reports of usage.
    pub reports: Duration,
    /// Time between two reports of the edge about itself.
    pub about_itself: Duration,
    /// Time between two looks whether tokens still serve.
    pub revalidation: Duration,
    /// Folder of the state on disk.
    pub folder: Option<PathBuf>,
    /// Age of the state from which on the edge is not ready.
    pub oldest: Option<Duration>,
    /// Id of this instance among edges with the same name.
    pub instance_id: String,
    /// Name of the edges together.
    pub app_name: String,
    /// Region in which it runs, if the operator names one.
    pub region: Option<String>,
}

/// An edge.
#[derive(Debug)]
pub struct Edge {
    /// Weak reference to itself, for background work.
    me: Weak<Edge>,
    settings: Settings,
    upstream: Upstream,
    clock: Clock,
    started: Timestamp,
    token_cache: Arc<TokenCache>,
    questions: Questions,
    mirror: Mirror,
    feeds: Mutex<Vec<Arc<Feed>>>,
    files: Option<Files>,
    views: Views,
    figures: Figures,
    /// Wakes the task that writes the state to disk.
    save: Notify,
    /// Wakes the task that asks whether tokens still serve.
    doubt: Notify,
    counts: Counts,
    /// Reports that are not known to have arrived.
    doubtful: Mutex<Vec<Doubtful>>,
    /// Held while usage is written to disk, or moved between what is gathered and what is sent.
    keeping_usage: Mutex<()>,
    /// Counts of answers at the last report that arrived.
    told_answers: Mutex<Answered>,
    /// Whether the tokens of the start have been looked at.
    is_begun: AtomicBool,
    is_offline: bool,
}

/// Counters of reports.
#[derive(Debug, Default)]
struct Counts {
    sent: AtomicU64,
    failed: AtomicU64,
    dropped: AtomicU64,
}

impl Edge {
    /// An edge with what the disk remembers. The error says what is wrong with the folder.
    pub fn new(settings: Settings, upstream: Upstream, clock: Clock) -> Result<Arc<Self>, String> {
        let files = settings.folder.as_ref().map(|folder| Files::open(folder)).transpose()?;
        let edge = Self::bare(settings, upstream, clock, files, false);
        edge.recall();
        Ok(edge)
    }

    fn bare(settings: Settings, upstream: Upstream, clock: Clock, files: Option<Files>, is_offline: bool) -> Arc<Self> {
        let edge = Arc::new_cyclic(|me| Self {
            me: Weak::clone(me),
            started: clock.now(),
            mirror: Mirror::new(clock.clone()),
            settings,
            upstream,
            clock,
            token_cache: Arc::default(),
            questions: Questions::default(),
            feeds: Mutex::default(),
            files,
            views: Views::default(),
            figures: Figures::default(),
            save: Notify::new(),
            doubt: Notify::new(),
            counts: Counts::default(),
            doubtful: Mutex::default(),
            keeping_usage: Mutex::default(),
            told_answers: Mutex::default(),
            is_begun: AtomicBool::new(false),
            is_offline,
        });
        for (full_secret, reach) in &edge.settings.trusted {
            edge.token_cache.trust(full_secret, reach.clone());
        }
        edge
    }

    /// Does everything that an edge does by itself, until `stop` ends; then reports what is not reported, and keeps the
    /// state.
    pub async fn run(self: Arc<Self>, serving: Serving, stop: impl Future<Output = ()>) {
        let asking = self.questions.run(&self.token_cache, &self.upstream, || self.changed_tokens());
        let work =
            async { tokio::join!(asking, self.begin(), self.revalidate(), self.keep(), status::run(&self, &serving)) };
        self.recall_usage(&serving);
        let (halt, halted) = watch::channel(false);
        let working = async {
            tokio::select! {
                _ = work => {}
                () = stop => {}
            }
            halt.send_replace(true);
        };
        let writing = unsent::run(&self, &serving, halted.clone());
        tokio::join!(working, writing, reports::run(&self, &serving, halted));
        if !self.is_offline {
            reports::send_all(&self, &serving).await;
            self.keep_usage(&serving);
        }
        self.save_now().await;
    }

    /// Asks about the tokens of the start until the upstream has answered. What the disk remembers of them serves
    /// meanwhile.
    async fn begin(&self) {
        let mut backoff = chance::Backoff::up_to(Duration::from_secs(30));
        let tokens = &self.settings.tokens;
        let digests: Vec<String> = tokens.iter().map(|token| flagstone_domain::secret::digest(token)).collect();
        for (token, digest) in tokens.iter().zip(&digests) {
            // A token that the disk remembers has a secret from now on.
            let _ = self.token_cache.look_up(digest, Some(token));
        }
        self.is_begun.store(tokens.is_empty(), Ordering::SeqCst);
        while !self.is_begun.load(Ordering::SeqCst) {
            let mut failure = None;
            for batch in tokens.chunks(upstream::TOKENS_AT_ONCE) {
                match self.upstream.validate(batch).await {
                    Ok(said) => {
                        for (token, reach) in batch.iter().zip(said) {
                            if reach.is_none() {
                                let token = flagstone_domain::secret::shown(token);
                                tracing::error!(
                                    target: LOG,
                                    token,
                                    "the upstream does not know a token that this edge was started with"
                                );
                            }
                            let digest = &flagstone_domain::secret::digest(token);
                            self.token_cache.record(ShownSecret { full_secret: token, digest }, reach);
                        }
                    }
                    Err(error) => failure = Some(error),
                }
            }
            let Some(error) = failure else {
                self.is_begun.store(true, Ordering::SeqCst);
                break;
            };
            let wait = backoff.next_wait();
            tracing::warn!(target: LOG, %error, ?wait, "the upstream cannot be asked about the tokens of the start");
            tokio::time::sleep(wait).await;
        }
        if self.token_cache.fetching().is_empty() && !self.is_offline && self.settings.is_strict {
            tracing::error!(target: LOG, "no client token that the upstream knows: this edge has nothing to serve");
        }
        self.changed_tokens();
    }

    /// Asks now and then whether the tokens still serve, and at once where that is uncertain.
    async fn revalidate(&self) {
        loop {
            tokio::select! {
                () = tokio::time::sleep(chance::about(self.settings.revalidation)) => {}
                () = self.doubt.notified() => tokio::time::sleep(chance::about(Duration::from_millis(500))).await,
            }
            if questions::ask_again(&self.token_cache, &self.upstream).await == Some(true) {
                self.changed_tokens();
            }
        }
    }

    /// Processes a change of the tokens that serve: the feeds, the open streams and the disk follow.
    fn changed_tokens(&self) {
        self.settle_feeds();
        self.mirror.note_change();
        self.save.notify_one();
    }

    async fn replace(&self, feed: &Feed, everything: Everything) {
        let is_alone = self.is_alone(feed);
        feed.repaired.replace(&feed.environment, &everything.repairs);
        tokio::task::block_in_place(|| self.mirror.replace(&Place { feed, is_alone }, everything, None));
        self.save.notify_one();
    }

    async fn change(&self, feed: &Feed, changes: Changes) -> bool {
        let is_alone = self.is_alone(feed);
        if let Some(everything) = &changes.everything {
            feed.repaired.replace(&feed.environment, &everything.repairs);
        }
        let names: Vec<&str> = changes.removed.iter().map(String::as_str).collect();
        let names = [names, changes.updated.features.iter().map(|flag| &*flag.name).collect()].concat();
        let segments: Vec<i64> = changes.updated.segments.keys().chain(&changes.segments_removed).copied().collect();
        feed.repaired.update(&feed.environment, &changes.updated.repairs, |repair| {
            !names.iter().any(|name| repaired::concerns_feature(repair, name))
                && !segments.iter().any(|id| repaired::concerns_segment(repair, *id))
        });
        let done = tokio::task::block_in_place(|| self.mirror.change(&Place { feed, is_alone }, changes));
        self.save.notify_one();
        done
    }

    /// Refuses a token that cannot be served, and waits for what is on its way.
    async fn admit(&self, token: &ClientToken) -> Result<(), Error> {
        if token.reach.kind == TokenKind::Admin {
            return Err(Error::WrongTokenKind);
        }
        let projects = token.projects();
        if self.is_covered(&token.reach.environment, projects) {
            return Ok(());
        }
        self.await_cover(&token.reach.environment, projects).await
    }
}
