//! Reports of usage, sent upstream in pieces that it takes. What is not sent is gathered again, as far as there is
//! room. A report of which nobody knows whether it arrived is sent again as it was, under the id that it had, so that an
//! upstream that took it does not count it twice.

mod pieces;

use std::{
    collections::BTreeMap,
    sync::{Arc, PoisonError, atomic::Ordering},
};

use tokio::{
    sync::watch,
    time::{Duration, sleep},
};

use self::pieces::{Piece, batches, body, pieces};
use super::{Edge, feed::Feed, upstream::UpstreamError};
use crate::{
    chance::{Backoff, about},
    clock,
    domain::usage::Gathered,
    state::Serving,
};

/// How long the last reports may take.
const LAST: Duration = Duration::from_secs(10);
/// Where reports go.
const PATH: &str = "/api/client/metrics/bulk";

/// A report of which nobody knows whether it arrived.
#[derive(Debug, Clone)]
pub(super) struct Doubtful {
    /// The id that it was sent under.
    pub(super) id: String,
    /// Digest of the token that it was sent with.
    pub(super) feed: String,
    /// What it told.
    pub(super) usage: Gathered,
}

/// Sends reports at the interval until told to halt: a report under way goes to its end.
pub(super) async fn run(edge: &Edge, serving: &Serving, mut halted: watch::Receiver<bool>) {
    let mut backoff = Backoff::up_to(Duration::from_mins(5));
    let mut wait = about(edge.settings.reports);
    loop {
        tokio::select! {
            () = sleep(wait) => {}
            _ = halted.wait_for(|halted| *halted) => return,
        }
        if edge.is_offline {
            // Nobody is there to be told.
            serving.usage.take();
            continue;
        }
        wait = if send(edge, serving).await {
            backoff.reset();
            about(edge.settings.reports)
        } else {
            about(edge.settings.reports).max(backoff.next())
        };
    }
}

/// Sends what there is, before the end.
pub(super) async fn send_all(edge: &Edge, serving: &Serving) {
    let sending = async {
        let mut backoff = Backoff::up_to(Duration::from_secs(2));
        while !send(edge, serving).await {
            sleep(backoff.next()).await;
        }
    };
    if tokio::time::timeout(LAST, sending).await.is_err() {
        let (left, doubtful) = (serving.usage.buffered(), edge.doubtful().len());
        tracing::warn!(
            counts = left.tallies,
            programs = left.programs,
            doubtful,
            "usage could not be reported before the end"
        );
    }
}

/// Sends what was gathered; false when some of it is left.
async fn send(edge: &Edge, serving: &Serving) -> bool {
    let mut is_all = send_doubtful(edge, serving).await;
    let gathered = serving.usage.take();
    if gathered.is_empty() {
        return is_all;
    }
    let feeds = usable_feeds(edge);
    let Some(any) = feeds.first() else {
        serving.usage.put_back(gathered);
        return false;
    };
    let mut by_feed: BTreeMap<String, (Arc<Feed>, Vec<Piece>)> = BTreeMap::new();
    for (environment, project, piece) in pieces(edge, gathered) {
        let here = || feeds.iter().filter(|feed| environment.as_ref().is_none_or(|name| feed.environment == *name));
        let reaching =
            here().find(|feed| project.as_ref().is_none_or(|id| feed.reaches(Some(std::slice::from_ref(id)))));
        let feed = reaching.or_else(|| here().next()).unwrap_or(any);
        let entry = by_feed.entry(feed.digest.clone()).or_insert_with(|| (Arc::clone(feed), Vec::new()));
        entry.1.push(piece);
    }
    for (feed, pieces) in by_feed.into_values() {
        if edge.doubtful().iter().any(|doubtful| doubtful.feed == feed.digest) {
            // One at a time: what waits meanwhile is gathered, and does not grow.
            put_back(serving, pieces);
            is_all = false;
        } else {
            is_all &= send_pieces(edge, serving, &feed, pieces).await;
        }
    }
    is_all
}

fn usable_feeds(edge: &Edge) -> Vec<Arc<Feed>> {
    edge.all_feeds().into_iter().filter(|feed| !feed.lacks_secret()).collect()
}

fn put_back(serving: &Serving, pieces: impl IntoIterator<Item = Piece>) {
    for piece in pieces {
        serving.usage.put_back(piece.source);
    }
}

/// Sends again what may have arrived, as it was; false when some of it is left.
async fn send_doubtful(edge: &Edge, serving: &Serving) -> bool {
    let doubtful = std::mem::take(&mut *edge.doubtful());
    if doubtful.is_empty() {
        return true;
    }
    let feeds = usable_feeds(edge);
    let mut is_all = true;
    for one in doubtful {
        let Some(feed) = feeds.iter().find(|feed| feed.digest == one.feed) else {
            // Its token serves no more: another says it as if it were new.
            serving.usage.put_back(one.usage);
            continue;
        };
        let batch: Vec<Piece> = pieces(edge, one.usage).into_iter().map(|(.., piece)| piece).collect();
        if !batch.is_empty() {
            is_all &= send_pieces_as(edge, serving, feed, vec![(one.id, batch)]).await;
        }
    }
    is_all
}

/// Sends pieces with the token of a feed, as many at once as the upstream takes.
async fn send_pieces(edge: &Edge, serving: &Serving, feed: &Feed, pieces: Vec<Piece>) -> bool {
    let batches = batches(pieces).into_iter().map(|batch| (new_id(), batch)).collect();
    send_pieces_as(edge, serving, feed, batches).await
}

fn new_id() -> String {
    clock::new_uuid().to_string()
}

/// The same with pieces that belong together, and the ids that they are sent under.
async fn send_pieces_as(edge: &Edge, serving: &Serving, feed: &Feed, mut batches: Vec<(String, Vec<Piece>)>) -> bool {
    while let Some((id, batch)) = batches.pop() {
        match edge.upstream.report(PATH, &feed.secret.0, &id, body(&batch)).await {
            Ok(_) => {
                edge.counts.sent.fetch_add(1, Ordering::Relaxed);
            }
            Err(UpstreamError::Unfit) if batch.len() > 1 => {
                // One of them may be what it does not take: the others are no reason to lose.
                let mut first = batch;
                let second = first.split_off(first.len() / 2);
                batches.extend([(new_id(), second), (new_id(), first)]);
            }
            Err(UpstreamError::Unfit) => {
                edge.counts.dropped.fetch_add(1, Ordering::Relaxed);
                tracing::warn!("the upstream does not take a report of usage, which is left out");
            }
            Err(error) => {
                edge.counts.failed.fetch_add(1, Ordering::Relaxed);
                tracing::warn!(%error, "usage cannot be reported; it is kept for later");
                match error {
                    // Whoever says so has not read it.
                    UpstreamError::Refused | UpstreamError::Missing => put_back(serving, batch),
                    UpstreamError::Unfit | UpstreamError::Later(_) | UpstreamError::Away(_) => {
                        let mut usage = Gathered::default();
                        for piece in batch {
                            usage.add(piece.source);
                        }
                        edge.doubtful().push(Doubtful { id, feed: feed.digest.clone(), usage });
                    }
                }
                if error == UpstreamError::Refused {
                    edge.doubt.notify_one();
                }
                put_back(serving, batches.into_iter().flat_map(|(_, batch)| batch));
                return false;
            }
        }
    }
    true
}

impl Edge {
    /// The reports of which nobody knows whether they arrived: at most one for each token.
    pub(super) fn doubtful(&self) -> std::sync::MutexGuard<'_, Vec<Doubtful>> {
        self.doubtful.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
