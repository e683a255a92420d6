//! Questions to the upstream about unknown tokens: one question for all requests that wait, few in a minute, whatever
//! is shown.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use flagstone_domain::{network::ClientNetwork, opaque_debug, secret::ShownSecret, share::may_take};
use tokio::{
    sync::{Notify, oneshot},
    time::Duration,
};

use super::{
    token_cache::TokenCache,
    unknown::UnknownTokens,
    upstream::{TOKENS_AT_ONCE, Upstream},
};

/// Target of lines in the log, by the part of the program: a crate is none to those who operate it.
const LOG: &str = "flagstone::edge::questions";

/// Tokens that wait to be asked about.
const WAITING: usize = 500;
/// Time for which others may come along before a question is sent.
const GATHERING: Duration = Duration::from_millis(5);
/// Share of one address in the tokens that wait, in multiples of the free places.
const TIMES_WHAT_IS_FREE: usize = 1;

/// A token that is to be asked about, and those who wait for that.
struct Question {
    token: String,
    shown_by: ClientNetwork,
    waiting: Vec<oneshot::Sender<Asked>>,
}

/// Tokens to ask about, by the digest of the shown secret.
type Waiting = HashMap<String, Question>;

/// Outcome of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asked {
    /// The cache knows more, or that the upstream could not answer.
    Answered,
    /// It was not asked: the address has shown too many unknown tokens. After so long it may show others.
    Refused(Duration),
}

// The token is a secret.
opaque_debug!(Question { shown_by, .. });

/// The questions of an edge.
#[derive(Debug, Default)]
pub(super) struct Questions {
    waiting: Mutex<Waiting>,
    wake: Notify,
    asked: AtomicU64,
    left_out: AtomicU64,
    unknown: UnknownTokens,
}

impl Questions {
    /// Has the upstream asked about a token that was shown; ends once the cache knows more, or it is clear that it will
    /// not.
    pub(super) async fn ask(&self, secret: ShownSecret<'_>, shown_by: ClientNetwork) -> Asked {
        let ShownSecret { full_secret, digest } = secret;
        let answer = {
            let mut waiting = self.lock();
            let (sender, receiver) = oneshot::channel();
            let free = WAITING.saturating_sub(waiting.len());
            if let Some(question) = waiting.get_mut(digest) {
                question.waiting.push(sender);
            } else {
                let of_address = waiting.values().filter(|question| question.shown_by == shown_by).count();
                if !may_take(of_address, free, TIMES_WHAT_IS_FREE) {
                    self.left_out.fetch_add(1, Ordering::Relaxed);
                    return Asked::Refused(GATHERING.max(Duration::from_secs(1)));
                }
                let question = Question { token: full_secret.to_owned(), shown_by, waiting: vec![sender] };
                waiting.insert(digest.to_owned(), question);
            }
            receiver
        };
        self.wake.notify_one();
        // Where the question was dropped, the cache has the answer.
        answer.await.unwrap_or(Asked::Answered)
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
            batch.into_iter().filter(|(digest, one)| token_cache.look_up(digest, Some(&one.token)).is_nothing());
        let questions: Vec<(String, Question)> = unknown.collect();
        let mut is_other = false;
        if questions.is_empty() {
            return false;
        }
        let tokens: Vec<String> = questions.iter().map(|(_, question)| question.token.clone()).collect();
        self.asked.fetch_add(1, Ordering::Relaxed);
        match upstream.validate(&tokens).await {
            Ok(said) => {
                let answered = || questions.iter().zip(&said);
                let refused = answered().filter(|(_, reach)| reach.is_none());
                self.unknown.count(refused.map(|((_, question), _)| question.shown_by));
                for ((digest, question), reach) in questions.iter().zip(said) {
                    is_other |= token_cache.record(ShownSecret { full_secret: &question.token, digest }, reach);
                }
            }
            Err(error) => {
                tracing::warn!(target: LOG, %error, tokens = tokens.len(), "the upstream cannot be asked about tokens");
                for (digest, _) in &questions {
                    token_cache.record_unanswered(digest);
                }
            }
        }
        // Dropped: those who wait look into the cache.
        drop(questions);
        is_other
    }

    /// The next tokens to ask about, of no address more unknown ones than it may show. Those of addresses that have
    /// shown as many already are refused.
    fn next(&self) -> Waiting {
        let mut waiting = self.lock();
        let mut allowance = self.unknown.allowance();
        let is_refused = |question: &Question| !allowance.admits(question.shown_by);
        let refused: Vec<String> =
            waiting.iter().filter(|(_, one)| is_refused(one)).map(|(digest, _)| digest.clone()).collect();
        let wait = self.unknown.wait();
        for question in refused.iter().filter_map(|digest| waiting.remove(digest)) {
            self.left_out.fetch_add(1, Ordering::Relaxed);
            for sender in question.waiting {
                // Who has gone needs no answer.
                let _ = sender.send(Asked::Refused(wait));
            }
        }
        let mut next = Vec::new();
        for (digest, question) in &*waiting {
            if next.len() >= TOKENS_AT_ONCE {
                break;
            }
            if allowance.take(question.shown_by) {
                next.push(digest.clone());
            }
        }
        next.into_iter().filter_map(|digest| waiting.remove_entry(&digest)).collect()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Asks about every token that is known with its secret, whether it still serves. Returns whether anything is other
/// than before; `None` when the upstream could not be asked.
pub(super) async fn ask_again(token_cache: &Arc<TokenCache>, upstream: &Upstream) -> Option<bool> {
    let mut is_other = false;
    for batch in token_cache.questions().chunks(TOKENS_AT_ONCE) {
        let tokens: Vec<String> = batch.iter().map(|(_, token)| token.clone()).collect();
        match upstream.validate(&tokens).await {
            Ok(said) => {
                for ((digest, token), reach) in batch.iter().zip(said) {
                    is_other |= token_cache.record(ShownSecret { full_secret: token, digest }, reach);
                }
            }
            Err(error) => {
                tracing::warn!(target: LOG, %error, "the upstream cannot be asked whether tokens still serve");
                return None;
            }
        }
    }
    Some(is_other)
}

/// Whether a text can be the secret of an API token at all. Those made by hand or by old servers need not say a project
/// and an environment.
pub(super) fn is_askable(full_secret: &str) -> bool {
    (1..=1000).contains(&full_secret.len()) && full_secret.bytes().all(|byte| byte.is_ascii_graphic())
}
