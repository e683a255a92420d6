//! State of the process that every operation is given: all of it on a server, and on an edge the part for serving
//! programs.

pub mod attempts;
pub mod audit;
pub mod deliveries;
pub mod disk;
pub mod job_runs;
pub mod playground;
pub mod reception;
pub mod request_counts;
pub mod sign_in_log;

use std::{
    ops::Deref,
    sync::{Arc, atomic::AtomicBool},
};

use flagstone_clock::Clock;
use flagstone_config::Config;
use flagstone_domain::password::Cost;
use flagstone_edges::Edges;
use flagstone_outbound::{self as outbound, Outbound};
use flagstone_passwords::Passwords;
use flagstone_presence::Presence;
use flagstone_providers::oidc::Oidc;
use flagstone_sdk::{Sdk, Source, Streams};
use flagstone_server::Figures;
use flagstone_store::db::Db;
use flagstone_usage::{ContextSamples, Usage};
use flagstone_vault::Vault;
use tokio::sync::watch;

use self::{
    attempts::Attempts, audit::Audit, deliveries::Deliveries, disk::Disk, job_runs::JobRuns,
    playground::PlaygroundSlots, reception::Reception, request_counts::RequestCounts, sign_in_log::SignInLog,
};

/// State for serving programs, wherever their features come from. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Serving {
    /// The time.
    pub clock: Clock,
    /// Configuration of the operator.
    pub config: Arc<Config>,
    /// Source of the data that programs read.
    pub source: Arc<dyn Source>,
    /// Reception of request bodies.
    pub reception: Arc<Reception>,
    /// Usage that programs reported.
    pub usage: Arc<Usage>,
    /// Samples of the contexts that this node evaluates.
    pub samples: Arc<ContextSamples>,
    /// Streams of changes to programs.
    pub streams: Streams,
    /// Edges that reported themselves.
    pub edges: Arc<Edges>,
    /// The connections that requests come by.
    pub connections: Arc<Figures>,
    /// Counts of requests by their answers.
    pub requests: Arc<RequestCounts>,
    /// Holds true once the server is to stop: what never ends by itself ends then.
    pub stopping: Arc<watch::Sender<bool>>,
}

impl Serving {
    /// State for serving programs from this source.
    pub fn new(source: Arc<dyn Source>, clock: Clock, config: Arc<Config>) -> Self {
        Self {
            clock,
            source,
            reception: Arc::new(Reception::new(&config.body_limits)),
            usage: Arc::default(),
            samples: Arc::new(ContextSamples::every(config.sample_contexts_every)),
            streams: Streams::new(config.streams),
            edges: Arc::default(),
            connections: Arc::default(),
            requests: Arc::default(),
            stopping: Arc::default(),
            config,
        }
    }
}

/// The database, and what programs and people are served with: what [`Serving`] has, this has, too. Cheap to clone.
#[derive(Debug, Clone)]
pub struct State {
    /// The open database.
    pub db: Db,
    /// State for serving programs.
    pub serving: Serving,
    /// Slots of the playground's evaluations under way.
    pub playground: Arc<PlaygroundSlots>,
    /// When people were last seen.
    pub presence: Arc<Presence>,
    /// Data that programs read, from the database.
    pub sdk: Arc<Sdk>,
    /// Whether the disk of the database is full.
    pub disk: Arc<Disk>,
    /// Runs of the jobs on this node.
    pub jobs: Arc<JobRuns>,
    /// Seals what must not be readable in the database.
    pub vault: Vault,
    /// Hashes and checks passwords.
    pub passwords: Passwords,
    /// Set when an import rewrote history, so that the jobs do not wait for their hour.
    pub history_rewritten: Arc<AtomicBool>,
    /// Client for outgoing connections.
    pub outbound: Outbound,
    /// Deliveries of events to integrations.
    pub deliveries: Arc<Deliveries>,
    /// Knowledge of this node about the chain over the events.
    pub audit: Arc<Audit>,
    /// Cached data of OpenID Connect providers.
    pub oidc: Oidc,
    /// Ends of sign-ins that are not written yet.
    pub sign_in_log: Arc<SignInLog>,
    /// Limits on the attempts of strangers.
    pub attempts: Attempts,
}

impl State {
    /// State by the configuration, around an open database.
    pub fn new(db: Db, clock: Clock, config: Config, vault: Vault) -> Self {
        let cost = if config.cheap_password_hashes { Cost::Least } else { Cost::Full };
        let outbound = config.outbound.clone().unwrap_or_else(|| {
            let policy = outbound::Policy::for_base(&config.base_url);
            Outbound::new(outbound::Options::new(policy)).expect("without options nothing can be wrong")
        });
        let sdk = Arc::new(Sdk::new(db.clone()));
        Self {
            oidc: Oidc::new(outbound.clone()),
            deliveries: Arc::new(Deliveries::new(&outbound)),
            outbound,
            audit: Arc::default(),
            sign_in_log: Arc::default(),
            attempts: Attempts::new(&config, &clock),
            disk: Arc::default(),
            jobs: Arc::default(),
            serving: Serving::new(Arc::clone(&sdk) as Arc<dyn Source>, clock, Arc::new(config)),
            sdk,
            db,
            playground: Arc::default(),
            presence: Arc::default(),
            history_rewritten: Arc::default(),
            vault,
            passwords: Passwords::new(cost),
        }
    }
}

impl Deref for State {
    type Target = Serving;

    fn deref(&self) -> &Serving {
        &self.serving
    }
}
