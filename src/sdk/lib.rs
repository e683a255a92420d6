//! Data that programs read, kept in memory: they do not wait for the database, save when something has changed.
//!
//! Each environment that is asked for is read once and again after each change of features; from it answers are written
//! once for each query. A change on this node is seen by the next request, one on another node when the log of events
//! is looked at: [`Sdk::listen`] does so when that node says so, [`Sdk::poll`] every second. While the database is out
//! of reach the last state is served on.

mod delta;
mod environment;
mod figures;
mod history;
mod judgement;
mod listening;
mod preferences;
mod rules;
mod source;
mod streams;
mod tokens;
mod touched;
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
use flagstone_domain::{
    event_kind::Concerns,
    log_level::LogLevel,
    preference::{Frontend, Maintenance},
    secret,
    sign_in::{EnabledProviders, OpenProviders, PasswordSignIn, ProviderButton},
    time::Timestamp,
    token::ClientToken,
};
use flagstone_store::{self as store, StoreError, db::Db};
use tokio::{sync::Mutex, time::Instant};

pub use self::{
    delta::Delta,
    environment::Environment,
    figures::Figures,
    judgement::{Judge, Judgement},
    source::Source,
    streams::{Full, Place, Streams},
    views::{Question, View, Views},
};
use self::{preferences::Setting, tokens::TokenBook};

/// Target of lines in the log, by the part of the program: a crate is none to those who operate it.
const LOG: &str = "flagstone::sdk";

/// Most environments that are kept: an admin token may ask for any name.
const ENVIRONMENTS: usize = 256;
/// Time for which the database is left alone after it failed.
const RESPITE: Duration = Duration::from_secs(1);
/// The generation before any has been looked at.
const NEVER: u64 = u64::MAX;

/// In-memory data for programs. One for each node.
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
    providers: Setting<EnabledProviders>,
    further_providers: Setting<Vec<ProviderButton>>,
    passwords: Setting<PasswordSignIn>,
    log_level: Setting<LogLevel>,
    environments: ArcSwap<HashMap<String, Arc<Environment>>>,
    /// When reading an environment failed last; held while reading one.
    failed: Mutex<Option<Instant>>,
    views: Views,
    figures: Figures,
}

impl Sdk {
    /// An empty cache: nothing is read yet.
    pub fn new(db: Db) -> Self {
        Self {
            db,
            seen: Mutex::new(None),
            generation: AtomicU64::new(NEVER),
            epoch: AtomicU64::new(0),
            tokens: TokenBook::default(),
            frontend: Setting::default(),
            maintenance: Setting::default(),
            providers: Setting::default(),
            further_providers: Setting::default(),
            passwords: Setting::default(),
            log_level: Setting::default(),
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
            let mut found = store::tokens::client::by_digests(&self.db, &[digest.to_owned()]).await?;
            let token = found.remove(digest).map(Arc::new);
            if let Some(token) = &token {
                self.tokens.keep(digest, Arc::clone(token), book);
            }
            token
        };
        Ok(token.filter(|token| token.serves(now)))
    }

    /// Settings of the frontend API, if an administrator ever made them.
    pub async fn frontend_settings(&self) -> Result<Option<Arc<Frontend>>, StoreError> {
        self.catch_up().await?;
        self.frontend.get(&self.db).await
    }

    /// Settings of maintenance, if an administrator ever made them.
    pub async fn maintenance(&self) -> Result<Option<Arc<Maintenance>>, StoreError> {
        self.catch_up().await?;
        self.maintenance.get(&self.db).await
    }

    /// Returns the log level, if an administrator ever set one.
    pub async fn log_level(&self) -> Result<Option<Arc<LogLevel>>, StoreError> {
        self.catch_up().await?;
        self.log_level.get(&self.db).await
    }

    /// Through which login providers people can sign in by the settings that are stored, and whether they may with a
    /// password.
    pub async fn sign_in(&self) -> Result<(OpenProviders, PasswordSignIn), StoreError> {
        self.catch_up().await?;
        let of_settings = self.providers.get(&self.db).await?.map(|providers| *providers).unwrap_or_default();
        let buttons = || async { store::sign_in::providers::buttons(&self.db).await.map(Some) };
        let further = self.further_providers.read_by(buttons).await?.unwrap_or_default();
        let passwords = self.passwords.get(&self.db).await?.map(|passwords| *passwords);
        Ok((OpenProviders { of_settings, further }, passwords.unwrap_or_default()))
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

    /// Counters of answers.
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

    /// Processes the changes since the last time, if there are any. Changes that this node committed are known without
    /// reading the log.
    async fn catch_up(&self) -> Result<(), StoreError> {
        if self.generation.load(Ordering::SeqCst) == self.db.generation() {
            return Ok(());
        }
        let mut seen = self.seen.lock().await;
        let generation = self.db.generation();
        let known = self.generation.load(Ordering::SeqCst);
        if known == generation {
            return Ok(());
        }
        if let Some((generation, news)) = seen.and_then(|last| self.db.committed_since(known, last)) {
            self.heed(news.concerns);
            *seen = Some(news.revision);
            self.generation.store(generation, Ordering::SeqCst);
            return Ok(());
        }
        match self.look(&mut seen).await {
            Err(error) if seen.is_some() => {
                // The next poll looks again; until then the last state is served.
                tracing::warn!(target: LOG, %error, "cannot check for changes; serving the last known state to SDKs");
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
            None => *seen = Some(store::events::revisions::newest(&self.db).await?),
            Some(last) => {
                let news = store::events::revisions::since(&self.db, last).await?;
                self.heed(news.concerns);
                *seen = Some(news.revision.max(last));
            }
        }
        self.generation.store(generation, Ordering::SeqCst);
        Ok(())
    }

    fn heed(&self, concerns: Concerns) {
        if concerns.settings {
            self.frontend.forget();
            self.maintenance.forget();
            self.providers.forget();
            self.further_providers.forget();
            self.passwords.forget();
            self.log_level.forget();
        }
        if concerns.tokens {
            self.tokens.forget();
        }
        if concerns.features {
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
        match store::programs::features::load(&self.db, name, known.as_deref().map(|known| known.revision), touched::by)
            .await
        {
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
                tracing::warn!(
                    target: LOG,
                    %error,
                    environment = name,
                    "cannot read features; serving the last known state to SDKs"
                );
                Ok(known)
            }
        }
    }
}
