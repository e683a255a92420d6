//! Asking the upstream about tokens that nobody knows: one question for all who wait, few in a minute, whatever is
//! shown.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use tokio::{
    sync::{Notify, oneshot},
    time::{Duration, Instant},
};

use super::{
    token_cache::TokenCache,
    upstream::{TOKENS_AT_ONCE, Upstream},
};
use crate::domain::secret;

/// Tokens that wait to be asked about.
const WAITING: usize = 500;
/// How long others may come along before a question is sent.
const GATHERING: Duration = Duration::from_millis(5);
/// Tokens that nobody knows that a minute may bring: upstreams stop answering those who show them more.
const UNKNOWN_A_MINUTE: u64 = 90;

/// Those who wait, by the digest of what they showed.
type Waiting = HashMap<String, (String, Vec<oneshot::Sender<()>>)>;

/// The questions of an edge.
#[derive(Debug, Default)]
pub(super) struct Questions {
    waiting: Mutex<Waiting>,
    wake: Notify,
    asked: AtomicU64,
    left_out: AtomicU64,
    minute: Mutex<Option<(Instant, u64)>>,
}

impl Questions {
    /// Has the upstream asked about a token; ends once the cache knows more, or it is clear that it will not.
    pub(super) async fn ask(&self, token_cache: &TokenCache, digest: &str, full_secret: &str) {
        let answer = {
            let mut waiting = self.lock();
            let room = waiting.len() < WAITING;
            let (sender, receiver) = oneshot::channel();
            match waiting.get_mut(digest) {
                Some((_, senders)) => senders.push(sender),
                None if room => {
                    waiting.insert(digest.to_owned(), (full_secret.to_owned(), vec![sender]));
                }
                None => {
                    self.left_out.fetch_add(1, Ordering::Relaxed);
                    token_cache.record_unanswered(digest);
                    return;
                }
            }
            receiver
        };
        self.wake.notify_one();
        // However it ended, the cache tells.
        let _ = answer.await;
    }

    /// Questions that were sent, and tokens that were not asked about for want of room.
    pub(super) fn figures(&self) -> (u64, u64) {
        (self.asked.load(Ordering::Relaxed), self.left_out.load(Ordering::Relaxed))
    }

    /// Sends the questions, one at a time, without end.
    pub(super) async fn run(&self, token_cache: &TokenCache, upstream: &Upstream, changed: impl Fn()) {
        loop {
            self.wake.notified().await;
            tokio::time::sleep(GATHERING).await;
            loop {
                let batch = self.next();
                if batch.is_empty() {
                    break;
                }
                if self.round(token_cache, upstream, batch).await {
                    changed();
                }
            }
        }
    }

    async fn round(&self, token_cache: &TokenCache, upstream: &Upstream, batch: Waiting) -> bool {
        // Who came while the question before was under way finds its answer.
        let unknown =
            batch.into_iter().filter(|(digest, (token, _))| token_cache.look_up(digest, Some(token)).is_nothing());
        let (digests, (tokens, waiting)): (Vec<_>, (Vec<_>, Vec<_>)) = unknown.unzip();
        let mut is_other = false;
        if tokens.is_empty() {
            return false;
        }
        if self.may_ask() {
            self.asked.fetch_add(1, Ordering::Relaxed);
            match upstream.validate(&tokens).await {
                Ok(said) => {
                    self.count_unknown(said.iter().filter(|reach| reach.is_none()).count() as u64);
                    for ((digest, token), reach) in digests.iter().zip(&tokens).zip(said) {
                        is_other |= token_cache.record(digest, token, reach);
                    }
                }
                Err(error) => {
                    tracing::warn!(%error, tokens = tokens.len(), "the upstream cannot be asked about tokens");
                    for digest in &digests {
                        token_cache.record_unanswered(digest);
                    }
                }
            }
        } else {
            self.left_out.fetch_add(tokens.len() as u64, Ordering::Relaxed);
            for digest in &digests {
                token_cache.record_unanswered(digest);
            }
        }
        // Dropped: those who wait look into the cache.
        drop(waiting);
        is_other
    }

    fn next(&self) -> Waiting {
        let mut waiting = self.lock();
        if waiting.len() <= TOKENS_AT_ONCE {
            return std::mem::take(&mut waiting);
        }
        let some: Vec<String> = waiting.keys().take(TOKENS_AT_ONCE).cloned().collect();
        some.into_iter().filter_map(|digest| waiting.remove_entry(&digest)).collect()
    }

    fn may_ask(&self) -> bool {
        let minute = self.minute.lock().unwrap_or_else(PoisonError::into_inner);
        minute.is_none_or(|(began, unknown)| began.elapsed() >= Duration::from_mins(1) || unknown < UNKNOWN_A_MINUTE)
    }

    fn count_unknown(&self, unknown: u64) {
        let mut minute = self.minute.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *minute {
            Some((began, count)) if began.elapsed() < Duration::from_mins(1) => *count += unknown,
            other => *other = Some((Instant::now(), unknown)),
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Asks about every token that is known with its secret, whether it still serves. Tells whether anything is other than
/// before; `None` when the upstream could not be asked.
pub(super) async fn ask_again(token_cache: &Arc<TokenCache>, upstream: &Upstream) -> Option<bool> {
    let mut is_other = false;
    for batch in token_cache.questions().chunks(TOKENS_AT_ONCE) {
        let tokens: Vec<String> = batch.iter().map(|(_, token)| token.clone()).collect();
        match upstream.validate(&tokens).await {
            Ok(said) => {
                for ((digest, token), reach) in batch.iter().zip(said) {
                    is_other |= token_cache.record(digest, token, reach);
                }
            }
            Err(error) => {
                tracing::warn!(%error, "the upstream cannot be asked whether tokens still serve");
                return None;
            }
        }
    }
    Some(is_other)
}

/// Whether a text can be the secret of an API token at all.
pub(super) fn is_askable(full_secret: &str) -> bool {
    full_secret.len() <= 1000 && secret::TokenScope::parse(full_secret).is_some()
}
