//! An edge as the source of what programs read.

use std::sync::Arc;

use async_trait::async_trait;
use flagstone_domain::{
    network::ClientNetwork, preference::Frontend, secret::ShownSecret, time::Timestamp, token::ClientToken,
};
use flagstone_error::Error;
use flagstone_sdk::{Environment, Figures, Question, Source, View};
use tokio::{
    sync::watch,
    time::{Duration, timeout},
};

use super::{
    Edge,
    questions::{Asked, is_askable},
    token_cache::{Entry, Known},
};

/// Longest time that a program waits for the upstream's judgement of a token that the disk remembers.
const CONFIRMATION: Duration = Duration::from_secs(1);

#[async_trait]
impl Source for Edge {
    async fn program(
        &self,
        secret: ShownSecret<'_>,
        _: Timestamp,
        shown_by: ClientNetwork,
    ) -> Result<Arc<ClientToken>, Error> {
        let ShownSecret { full_secret, digest } = secret;
        let entry = match self.token_cache.look_up(digest, Some(full_secret)) {
            Known::Serves(entry) => self.confirmed(entry, secret, shown_by).await?,
            Known::Refused => return Err(Error::Unauthenticated),
            Known::Unanswered => return Err(Error::UpstreamAway),
            Known::Nothing if self.is_offline || !is_askable(full_secret) => return Err(Error::Unauthenticated),
            Known::Nothing => {
                not_refused(self.questions.ask(secret, shown_by).await)?;
                match self.token_cache.look_up(digest, None) {
                    Known::Serves(entry) => entry,
                    Known::Refused => return Err(Error::Unauthenticated),
                    Known::Unanswered | Known::Nothing => return Err(Error::UpstreamAway),
                }
            }
        };
        self.admit(&entry.token).await?;
        Ok(entry.token)
    }

    async fn serving(&self, digest: &str, _: Timestamp) -> Result<Option<Arc<ClientToken>>, Error> {
        let Known::Serves(entry) = self.token_cache.look_up(digest, None) else { return Ok(None) };
        let reach = &entry.token.reach;
        Ok(self.is_covered(&reach.environment, entry.token.projects()).then_some(entry.token))
    }

    async fn environment(&self, name: &str) -> Result<Arc<Environment>, Error> {
        self.mirror.get(name).ok_or(Error::UpstreamAway)
    }

    async fn answer(&self, question: Question) -> Result<Arc<View>, Error> {
        if !question.filter.tags.is_empty() {
            // The answers of an upstream have no tags.
            return Err(Error::invalid(
                "/query/tag",
                "An edge does not know the tags of features: ask by project or namePrefix, or ask the server itself.",
            ));
        }
        let environment = self.environment(&question.environment).await?;
        Ok(self.views.get(question, &environment))
    }

    async fn numbers_of(&self, digests: &[String]) -> Result<Vec<i64>, Error> {
        Ok(self.token_cache.numbers_of(digests))
    }

    async fn look(&self) -> Result<(), Error> {
        Ok(())
    }

    fn watch_changes(&self) -> watch::Receiver<u64> {
        self.mirror.watch()
    }

    async fn frontend_settings(&self) -> Result<Option<Arc<Frontend>>, Error> {
        Ok(None)
    }

    fn figures(&self) -> &Figures {
        &self.figures
    }
}

/// Answers 503, with the reason, for a token that was not asked about since the address has shown too many unknown
/// ones.
fn not_refused(asked: Asked) -> Result<(), Error> {
    match asked {
        Asked::Answered => Ok(()),
        Asked::Refused(wait) => Err(Error::UnknownTokens { retry_after_seconds: wait.as_secs().max(1) }),
    }
}

impl Edge {
    /// A token that the disk remembers, after the upstream was asked whether it still serves. While that is away, it
    /// does.
    async fn confirmed(&self, entry: Entry, secret: ShownSecret<'_>, shown_by: ClientNetwork) -> Result<Entry, Error> {
        let digest = secret.digest;
        if entry.is_confirmed || self.is_offline || !self.token_cache.may_ask(digest) {
            return Ok(entry);
        }
        // Requests that come meanwhile do not wait for the same.
        let asking = timeout(CONFIRMATION, self.questions.ask(secret, shown_by)).await;
        if asking.is_err() {
            self.token_cache.record_unanswered(digest);
        }
        match self.token_cache.look_up(digest, None) {
            Known::Serves(entry) => Ok(entry),
            _ => Err(Error::Unauthenticated),
        }
    }

    /// Returns the upstream's judgement of tokens that another edge, or a program, asks about: each that serves, with
    /// its reach. 503 when there is one that the upstream cannot judge.
    pub async fn validate(
        &self,
        tokens: &[String],
        shown_by: ClientNetwork,
    ) -> Result<Vec<Option<Arc<ClientToken>>>, Error> {
        let asked = tokens.iter().map(|token| async move {
            let digest = flagstone_domain::secret::digest(token.trim());
            if let Known::Nothing = self.token_cache.look_up(&digest, Some(token.trim()))
                && !self.is_offline
                && is_askable(token.trim())
            {
                let secret = ShownSecret { full_secret: token.trim(), digest: &digest };
                not_refused(self.questions.ask(secret, shown_by).await)?;
            }
            match self.token_cache.look_up(&digest, None) {
                Known::Serves(entry) => Ok(Some(entry.token)),
                // An edge behind this one would remember it as refused.
                Known::Unanswered => Err(Error::UpstreamAway),
                Known::Refused | Known::Nothing => Ok(None),
            }
        });
        futures_util::future::try_join_all(asked).await
    }
}
