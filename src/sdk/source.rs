//! Sources of the data that programs read: the database of a server, or the server before an edge.

use std::{fmt::Debug, sync::Arc};

use async_trait::async_trait;
use flagstone_domain::{
    network::ClientNetwork,
    preference::Frontend,
    secret::{PERSONAL_PREFIX, ShownSecret},
    time::Timestamp,
    token::ClientToken,
};
use flagstone_error::Error;
use flagstone_store::{self as store, access::Credential};
use tokio::sync::watch;

use super::{Environment, Figures, Question, Sdk, View};

/// Source of the answers to programs.
#[async_trait]
pub trait Source: Debug + Send + Sync {
    /// The token with this secret; 401 for one that does not serve at `now`, 403 for one that is
    /// not of a program.
    async fn program(
        &self,
        secret: ShownSecret<'_>,
        now: Timestamp,
        shown_by: ClientNetwork,
    ) -> Result<Arc<ClientToken>, Error>;

    /// The token whose secret has this digest, if it serves at `now`.
    async fn serving(&self, digest: &str, now: Timestamp) -> Result<Option<Arc<ClientToken>>, Error>;

    /// An environment as it is now.
    async fn environment(&self, name: &str) -> Result<Arc<Environment>, Error>;

    /// The answer to a question.
    async fn answer(&self, question: Question) -> Result<Arc<View>, Error>;

    /// Numbers of the tokens with these digests, as far as they are known.
    async fn numbers_of(&self, digests: &[String]) -> Result<Vec<i64>, Error>;

    /// Looks for changes of which no notification came.
    async fn look(&self) -> Result<(), Error>;

    /// Subscribes to notifications that something may have changed.
    fn watch_changes(&self) -> watch::Receiver<u64>;

    /// Settings of the frontend API, if an administrator ever made them.
    async fn frontend_settings(&self) -> Result<Option<Arc<Frontend>>, Error>;

    /// Counters of answers.
    fn figures(&self) -> &Figures;
}

#[async_trait]
impl Source for Sdk {
    async fn program(
        &self,
        secret: ShownSecret<'_>,
        now: Timestamp,
        _: ClientNetwork,
    ) -> Result<Arc<ClientToken>, Error> {
        let ShownSecret { full_secret, digest } = secret;
        if full_secret.starts_with(PERSONAL_PREFIX) {
            let holder = store::access::find_holder(&self.db, Credential::PersonalToken, digest, now).await?;
            return Err(if holder.is_some() { Error::WrongTokenKind } else { Error::Unauthenticated });
        }
        self.token_by_digest(digest, now).await?.ok_or(Error::Unauthenticated)
    }

    async fn serving(&self, digest: &str, now: Timestamp) -> Result<Option<Arc<ClientToken>>, Error> {
        Ok(self.token_by_digest(digest, now).await?)
    }

    async fn environment(&self, name: &str) -> Result<Arc<Environment>, Error> {
        Ok(Self::environment(self, name).await?)
    }

    async fn answer(&self, question: Question) -> Result<Arc<View>, Error> {
        Ok(Self::answer(self, question).await?)
    }

    async fn numbers_of(&self, digests: &[String]) -> Result<Vec<i64>, Error> {
        let known = store::tokens::client::by_digests(&self.db, digests).await?;
        Ok(known.into_values().map(|token| token.id).collect())
    }

    async fn look(&self) -> Result<(), Error> {
        Ok(self.poll().await?)
    }

    fn watch_changes(&self) -> watch::Receiver<u64> {
        self.db.watch_changes()
    }

    async fn frontend_settings(&self) -> Result<Option<Arc<Frontend>>, Error> {
        Ok(Self::frontend_settings(self).await?)
    }

    fn figures(&self) -> &Figures {
        Self::figures(self)
    }
}
