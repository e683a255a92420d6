//! What programs read, kept in memory: they do not wait for the database, save when something has changed.
//!
//! Each environment that somebody asks for is read once and again after each change of features; from it answers are
//! written once for each kind of question. A change on this node is seen by the next request, one on another node when
//! the log of events is looked at: [`Sdk::listen`] does so when that node says so, [`Sdk::poll`] every second. While the
//! database is out of reach the last state is told on.

mod delta;
mod environment;
mod figures;
mod history;
mod judgement;
mod listening;
mod preferences;
mod streams;
mod tokens;
mod views;

use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use arc_swap::ArcSwap;
use tokio::{sync::Mutex, time::Instant};

pub use self::{
    delta::Delta,
    environment::{Environment, Flag},
    figures::Figures,
    judgement::{Judge, Judgement},
    streams::{Place, Streams},
    views::{Question, View},
};
use self::{preferences::Setting, tokens::TokenBook, views::Views};
use crate::{
    domain::{
        event_kind::EventKind,
        preference::{Frontend, Maintenance},
        secret,
        time::Timestamp,
    },
    store::{self, StoreError, client_tokens::ClientToken, db::Db, revisions::News},
};

/// Most environments that are kept: an admin token may ask for any name.
const ENVIRONMENTS: usize = 256;
/// How long the database is left alone after it failed.
const RESPITE: Duration = Duration::from_secs(1);
/// The generation before any has been looked at.
const NEVER: u64 = u64::MAX;

/// What programs read. One for each node.
#[derive(Debug)]
pub struct Sdk {
    db: Db,
    /// Id of the newest event that was looked at; held while looking.
    seen: Mutex<Option<i64>>,
    /// The generation of the database at that look.
    generation: AtomicU64,
    /// Rises with every change that concerns features.
    epoch: AtomicU64,
    tokens: TokenBook,
    frontend: Setting<Frontend>,
    maintenance: Setting<Maintenance>,
    environments: ArcSwap<HashMap<String, Arc<Environment>>>,
    /// When reading an environment failed last; held while reading one.
    failed: Mutex<Option<Instant>>,
    views: Views,
    figures: Figures,
}

impl Sdk {
    /// Nothing is read yet.
    pub fn new(db: Db) -> Self {
        Self {
            db,
            seen: Mutex::new(None),
            generation: AtomicU64::new(NEVER),
            epoch: AtomicU64::new(0),
            tokens: TokenBook::default(),
            frontend: Setting::default(),
            maintenance: Setting::default(),
            environments: ArcSwap::default(),
            failed: Mutex::new(None),
            views: Views::default(),
            figures: Figures::default(),
        }
    }

    /// The token with this secret, if it exists and serves at `now`.
    pub async fn token(&self, full_secret: &str, now: Timestamp) -> Result<Option<Arc<ClientToken>>, StoreError> {
        self.token_by_digest(&secret::digest(full_secret), now).await
    }

    /// The token whose secret has this digest, if it exists and serves at `now`.
    pub async fn token_by_digest(&self, digest: &str, now: Timestamp) -> Result<Option<Arc<ClientToken>>, StoreError> {
        self.catch_up().await?;
        let (known, book) = self.tokens.find(digest);
        let token = if known.is_some() {
            known
        } else {
            let mut found = store::client_tokens::by_digests(&self.db, &[digest.to_owned()]).await?;
            let token = found.remove(digest).map(Arc::new);
            if let Some(token) = &token {
                self.tokens.keep(digest, Arc::clone(token), book);
            }
            token
        };
        Ok(token.filter(|token| token.serves(now)))
    }

    /// How browsers may use the frontend API, if an administrator ever said.
    pub async fn frontend_settings(&self) -> Result<Option<Arc<Frontend>>, StoreError> {
        self.catch_up().await?;
        self.frontend.get(&self.db).await
    }

    /// Whether the instance is under maintenance, if an administrator ever said.
    pub async fn maintenance(&self) -> Result<Option<Arc<Maintenance>>, StoreError> {
        self.catch_up().await?;
        self.maintenance.get(&self.db).await
    }

    /// An environment as it is now.
    pub async fn environment(&self, name: &str) -> Result<Arc<Environment>, StoreError> {
        self.catch_up().await?;
        let known = self.environments.load().get(name).cloned();
        if let Some(known) = &known
            && known.epoch == self.epoch.load(Ordering::SeqCst)
        {
            return Ok(Arc::clone(known));
        }
        self.read(name).await
    }

    /// The answer to a question.
    pub async fn answer(&self, question: Question) -> Result<Arc<View>, StoreError> {
        let environment = self.environment(&question.environment).await?;
        Ok(self.views.get(question, &environment))
    }

    /// What is counted about answers.
    pub const fn figures(&self) -> &Figures {
        &self.figures
    }

    /// Environments that are kept in memory.
    pub fn environments_kept(&self) -> usize {
        self.environments.load().len()
    }

    /// Looks whether another node changed something. Also after a failure, when nothing here says so.
    pub async fn poll(&self) -> Result<(), StoreError> {
        let mut seen = self.seen.lock().await;
        let before = *seen;
        self.look(&mut seen).await?;
        // Those who wait for changes wait for the generation.
        if before.is_some() && *seen != before {
            self.db.note_change();
        }
        Ok(())
    }

    /// Looks at what has happened since the last time, if anything has.
    async fn catch_up(&self) -> Result<(), StoreError> {
        if self.generation.load(Ordering::SeqCst) == self.db.generation() {
            return Ok(());
        }
        let mut seen = self.seen.lock().await;
        let generation = self.db.generation();
        if self.generation.load(Ordering::SeqCst) == generation {
            return Ok(());
        }
        match self.look(&mut seen).await {
            Err(error) if seen.is_some() => {
                // The next poll looks again; until then everybody is told what was true before.
                tracing::warn!(%error, "cannot see what has changed; programs are told the last known state");
                self.generation.store(generation, Ordering::SeqCst);
                Ok(())
            }
            outcome => outcome,
        }
    }

    async fn look(&self, seen: &mut Option<i64>) -> Result<(), StoreError> {
        // Read before the events: a change after this makes the generation rise again.
        let generation = self.db.generation();
        match *seen {
            None => *seen = Some(store::revisions::newest(&self.db).await?),
            Some(last) => {
                let news = store::revisions::since(&self.db, last).await?;
                self.heed(&news);
                *seen = Some(news.revision.max(last));
            }
        }
        self.generation.store(generation, Ordering::SeqCst);
        Ok(())
    }

    fn heed(&self, news: &News) {
        let any = |concerns: fn(EventKind) -> bool| {
            news.kinds.as_ref().is_none_or(|kinds| kinds.iter().any(|kind| concerns(*kind)))
        };
        if any(concerns_settings) {
            self.frontend.forget();
            self.maintenance.forget();
        }
        if any(concerns_tokens) {
            self.tokens.forget();
        }
        if any(concerns_features) {
            self.epoch.fetch_add(1, Ordering::SeqCst);
        }
    }

    /// Reads an environment, one at a time: those who wait meanwhile find it read.
    async fn read(&self, name: &str) -> Result<Arc<Environment>, StoreError> {
        let mut failed = self.failed.lock().await;
        let epoch = self.epoch.load(Ordering::SeqCst);
        let known = self.environments.load().get(name).cloned();
        if let Some(known) = &known
            && (known.epoch == epoch || failed.is_some_and(|at| at.elapsed() < RESPITE))
        {
            return Ok(Arc::clone(known));
        }
        match store::client_features::load(&self.db, name).await {
            Ok(loaded) => {
                *failed = None;
                self.figures.compiled.fetch_add(1, Ordering::Relaxed);
                let environment = Arc::new(Environment::follow(known.as_deref(), loaded, epoch));
                let mut environments = HashMap::clone(&self.environments.load());
                if environments.len() < ENVIRONMENTS || environments.contains_key(name) {
                    environments.insert(name.to_owned(), Arc::clone(&environment));
                    self.environments.store(Arc::new(environments));
                }
                Ok(environment)
            }
            Err(error) => {
                *failed = Some(Instant::now());
                let Some(known) = known else { return Err(error) };
                tracing::warn!(%error, environment = name, "programs are told the last known state");
                Ok(known)
            }
        }
    }
}

/// Whether a change of this kind may change what tokens there are, or what they reach.
fn concerns_tokens(kind: EventKind) -> bool {
    let name = kind.as_str();
    name.starts_with("api-token-") || name.starts_with("project-") || name.starts_with("environment-")
}

/// Whether a change of this kind may change how browsers may use the frontend API.
fn concerns_settings(kind: EventKind) -> bool {
    kind.as_str().starts_with("setting-")
}

/// Whether a change of this kind may change what programs read. In doubt it does.
fn concerns_features(kind: EventKind) -> bool {
    const OTHERS: &[&str] = &[
        "actions-",
        "addon-",
        "api-token-",
        "application-",
        "banner-",
        "change-",
        "client-",
        "context-field-",
        "default-strategy-",
        "feature-completed",
        "feature-favorited",
        "feature-potentially-stale-",
        "feature-type-",
        "feature-uncompleted",
        "feature-unfavorited",
        "features-exported",
        "group-",
        "pat-",
        "project-access-",
        "project-favorited",
        "project-unfavorited",
        "project-user-",
        "project-group-",
        "public-signup-",
        "role-",
        "service-account-",
        "setting-",
        "signal-",
        "tag-type-created",
        "tag-type-updated",
        "user-",
    ];
    let name = kind.as_str();
    !OTHERS.iter().any(|prefix| name.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_of_features_concern_features_and_changes_of_people_do_not() {
        for kind in [
            EventKind::FeatureCreated,
            EventKind::FeatureArchived,
            EventKind::FeatureStrategyAdd,
            EventKind::FeatureTagged,
            EventKind::FeaturesImported,
            EventKind::FeatureDependencyAdded,
            EventKind::SegmentUpdated,
            EventKind::ProjectEnvironmentRemoved,
        ] {
            assert!(concerns_features(kind), "{kind:?}");
        }
        for kind in [EventKind::ApiTokenCreated, EventKind::FeatureFavorited, EventKind::ApplicationCreated] {
            assert!(!concerns_features(kind), "{kind:?}");
        }
        assert!(concerns_tokens(EventKind::ApiTokenDeleted));
        assert!(!concerns_tokens(EventKind::FeatureCreated));
        assert!(concerns_settings(EventKind::SettingUpdated) && concerns_settings(EventKind::SettingCreated));
    }
}
