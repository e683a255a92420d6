//! Reports of usage, sent upstream in pieces that it takes. Usage that is not sent is gathered again, as far as there
//! is room. A report that may have arrived is sent again as it was, under the id that it had, so that an upstream that
//! took it does not count it twice.

mod pieces;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, PoisonError, atomic::Ordering},
};

use flagstone_chance::{Backoff, about};
use flagstone_clock as clock;
use flagstone_domain::usage::Gathered;
use flagstone_state::Serving;
use tokio::{
    sync::watch,
    time::{Duration, sleep},
};

use self::pieces::{Piece, batches, body, pieces};
use super::{Edge, feed::Feed, upstream::UpstreamError};

/// Target of lines in the log, by the part of the program: a crate is none to those who operate it.
const LOG: &str = "flagstone::edge::reports";

/// Time limit for the last reports.
const LAST: Duration = Duration::from_secs(10);
/// Path to which reports are sent.
const PATH: &str = "/api/client/metrics/bulk";

/// A report that is to be sent, or may have arrived.
#[derive(Debug, Clone)]
pub(super) struct Doubtful {
    /// The id that it was sent under.
    pub(super) id: String,
    /// Digest of the token that it was sent with.
    pub(super) feed: String,
    /// Usage in the report.
    pub(super) usage: Gathered,
    /// Whether it may have arrived.
    pub(super) is_sent: bool,
}

/// Sends reports at the interval until the halt: a report under way goes to its end.
pub(super) async fn run(edge: &Edge, serving: &Serving, mut halted: watch::Receiver<bool>) {
    let mut backoff = Backoff::up_to(Duration::from_mins(5));
    let mut wait = about(edge.settings.reports);
    loop {
        tokio::select! {
            () = sleep(wait) => {}
            _ = halted.wait_for(|halted| *halted) => return,
        }
        if edge.is_offline {
            // There is no upstream.
            serving.usage.take();
            continue;
        }
        wait = if send(edge, serving).await {
            backoff.reset();
            about(edge.settings.reports)
        } else {
            about(edge.settings.reports).max(backoff.next_wait())
        };
    }
}

/// Sends what there is, before the end.
pub(super) async fn send_all(edge: &Edge, serving: &Serving) {
    let sending = async {
        let mut backoff = Backoff::up_to(Duration::from_secs(2));
        while !send(edge, serving).await {
            sleep(backoff.next_wait()).await;
        }
    };
    if tokio::time::timeout(LAST, sending).await.is_err() {
        let (left, doubtful) = (serving.usage.buffered(), edge.doubtful().len());
        tracing::warn!(
            target: LOG,
            counts = left.tallies,
            programs = left.programs,
            doubtful,
            "usage could not be reported before the end"
        );
    }
}

/// Sends what was gathered; false when some of it is left. Every report is on disk before it is sent, under the id that it
/// is sent under: whatever ends the edge meanwhile, it is sent again as it was, and counted once.
async fn send(edge: &Edge, serving: &Serving) -> bool {
    let feeds = usable_feeds(edge);
    let mut is_all = outline(edge, serving, &feeds);
    if edge.doubtful().is_empty() {
        return is_all;
    }
    edge.keep_usage(serving);
    let mut stopped: BTreeSet<String> = BTreeSet::new();
    while let Some(report) = next(edge, &stopped) {
        let Some(feed) = feeds.iter().find(|feed| feed.digest == report.feed) else {
            stopped.insert(report.feed);
            continue;
        };
        if !send_report(edge, serving, feed, report).await {
            stopped.insert(feed.digest.clone());
            is_all = false;
        }
    }
    edge.keep_usage(serving);
    is_all
}

/// The next report, but for feeds with which no more are sent now.
fn next(edge: &Edge, stopped: &BTreeSet<String>) -> Option<Doubtful> {
    edge.doubtful().iter().find(|report| !stopped.contains(&report.feed)).cloned()
}

/// Makes reports of what was gathered, for each feed that has none which waits; false when some of it has to wait.
fn outline(edge: &Edge, serving: &Serving, feeds: &[Arc<Feed>]) -> bool {
    let Some(any) = feeds.first() else { return edge.doubtful().is_empty() && serving.usage.copy().is_empty() };
    let _keeping = edge.hold_usage();
    let mut reports = edge.doubtful();
    // Reports of tokens that serve no more are sent with others, as if they were new.
    let (mut waiting, lost): (Vec<_>, Vec<_>) = std::mem::take(&mut *reports)
        .into_iter()
        .partition(|report| feeds.iter().any(|feed| feed.digest == report.feed));
    for report in lost {
        serving.usage.put_back(report.usage);
    }
    let gathered = serving.usage.take();
    let (mut is_all, mut new) = (true, Vec::new());
    for (digest, pieces) in by_feed(edge, gathered, feeds, any) {
        if waiting.iter().any(|report| report.feed == digest) {
            // One at a time: what waits meanwhile is gathered, and does not grow.
            for piece in pieces {
                serving.usage.put_back(piece.source);
            }
            is_all = false;
        } else {
            new.extend(batches(pieces).into_iter().map(|batch| Doubtful::of(&digest, batch)));
        }
    }
    waiting.extend(new);
    *reports = waiting;
    is_all
}

/// Pieces by the feed that they are reported with: one that reaches their project.
fn by_feed(edge: &Edge, gathered: Gathered, feeds: &[Arc<Feed>], any: &Arc<Feed>) -> BTreeMap<String, Vec<Piece>> {
    let mut by_feed: BTreeMap<String, Vec<Piece>> = BTreeMap::new();
    for (environment, project, piece) in pieces(edge, gathered) {
        let here = || feeds.iter().filter(|feed| environment.as_ref().is_none_or(|name| feed.environment == *name));
        let feed = if let Some(flag) = piece.source.unknown_flags.keys().next() {
            // With the token that reaches least beside what was asked for, and with none that reaches less: the upstream
            // shows the name to those who see all that the token reaches.
            let reaching = here().filter(|feed| feed.reaches(flag.asked.projects()));
            reaching.min_by_key(|feed| feed.projects.as_ref().map_or(usize::MAX, Vec::len))
        } else {
            let reaching =
                here().find(|feed| project.as_ref().is_none_or(|id| feed.reaches(Some(std::slice::from_ref(id)))));
            Some(reaching.or_else(|| here().next()).unwrap_or(any))
        };
        let Some(feed) = feed else { continue };
        by_feed.entry(feed.digest.clone()).or_default().push(piece);
    }
    by_feed
}

fn usable_feeds(edge: &Edge) -> Vec<Arc<Feed>> {
    edge.all_feeds().into_iter().filter(|feed| !feed.lacks_secret()).collect()
}

/// Sends one report; false when no more are to be sent with its feed now.
async fn send_report(edge: &Edge, serving: &Serving, feed: &Feed, report: Doubtful) -> bool {
    let batch: Vec<Piece> = pieces(edge, report.usage.clone()).into_iter().map(|(.., piece)| piece).collect();
    if batch.is_empty() {
        edge.settle(&report.id, Vec::new());
        return true;
    }
    match edge.upstream.report(PATH, &feed.secret.0, &report.id, body(&batch)).await {
        Ok(_) => {
            edge.counts.sent.fetch_add(1, Ordering::Relaxed);
            edge.settle(&report.id, Vec::new());
            true
        }
        Err(UpstreamError::Unfit) if batch.len() > 1 => {
            // One of them may be what it does not take: the others are no reason to lose.
            let mut first = batch;
            let second = first.split_off(first.len() / 2);
            edge.settle(&report.id, [first, second].map(|half| Doubtful::of(&feed.digest, half)).into());
            edge.keep_usage(serving);
            true
        }
        Err(UpstreamError::Unfit) => {
            edge.counts.dropped.fetch_add(1, Ordering::Relaxed);
            tracing::warn!(target: LOG, "the upstream does not take a report of usage, which is left out");
            edge.settle(&report.id, Vec::new());
            true
        }
        Err(error) => {
            edge.counts.failed.fetch_add(1, Ordering::Relaxed);
            tracing::warn!(target: LOG, %error, "usage cannot be reported; it is kept for later");
            // These answers mean that it was not read; others leave that open.
            let is_unread = matches!(error, UpstreamError::Refused | UpstreamError::Missing);
            edge.gather_again(serving, &feed.digest, (!is_unread).then_some(&*report.id));
            if error == UpstreamError::Refused {
                edge.doubt.notify_one();
            }
            false
        }
    }
}

impl Doubtful {
    /// A report of these pieces, under an id of its own.
    fn of(feed: &str, pieces: Vec<Piece>) -> Self {
        let mut usage = Gathered::default();
        for piece in pieces {
            usage.add(piece.source);
        }
        Self { id: clock::new_uuid().to_string(), feed: feed.to_owned(), usage, is_sent: false }
    }
}

impl Edge {
    /// Puts other reports in the place of one that is done.
    fn settle(&self, id: &str, others: Vec<Doubtful>) {
        let _keeping = self.hold_usage();
        let mut reports = self.doubtful();
        let place = reports.iter().position(|report| report.id == id);
        if let Some(place) = place {
            reports.splice(place..=place, others);
        }
    }

    /// Gathers the usage of a feed's reports again, but for those that may have arrived: the one with this id, and
    /// those that were sent before.
    fn gather_again(&self, serving: &Serving, feed: &str, sent: Option<&str>) {
        let _keeping = self.hold_usage();
        let mut reports = self.doubtful();
        let (kept, again): (Vec<_>, Vec<_>) = std::mem::take(&mut *reports)
            .into_iter()
            .partition(|report| report.feed != feed || report.is_sent || sent == Some(&*report.id));
        *reports = kept;
        for report in reports.iter_mut().filter(|report| sent == Some(&*report.id)) {
            report.is_sent = true;
        }
        for report in again {
            serving.usage.put_back(report.usage);
        }
    }

    /// The reports that are not known to have arrived.
    pub(super) fn doubtful(&self) -> std::sync::MutexGuard<'_, Vec<Doubtful>> {
        self.doubtful.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
