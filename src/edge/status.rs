//! Status of an edge: reported to its upstream each minute, and shown to its operators.

use std::{collections::BTreeMap, sync::atomic::Ordering};

use flagstone_chance::about;
use flagstone_domain::{edge::EdgeReport, repair::Repair, secret, time::Timestamp};
use flagstone_state::Serving;
use serde_json::{Value, json};
use tokio::time::{Duration, sleep};

use super::{Edge, FetchMode};

/// Answers since the start by method and address: the good ones, and those that nothing had changed.
pub(super) type Answered = BTreeMap<String, (u64, u64)>;

/// Whether an edge can do its work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Readiness {
    /// Whether it can.
    pub is_ready: bool,
    /// Whether everything is served as the upstream has it, as far as is known: false while it is away.
    pub is_connected: bool,
    /// Missing condition, in words.
    pub reason: Option<String>,
    /// Seconds since the upstream last confirmed that the served state is current.
    pub age_seconds: Option<u64>,
}

/// Status of the fetching of features with one token.
#[derive(Debug, Clone)]
pub struct FeedStatus {
    /// Name of the environment.
    pub environment: String,
    /// Ids of projects; `None` is all of them.
    pub projects: Option<Vec<String>>,
    /// Mode in which features come.
    pub mode: FetchMode,
    /// Whether the upstream could be reached the last time.
    pub is_connected: bool,
    /// When the upstream last confirmed the state.
    pub fresh_at: Option<Timestamp>,
    /// Number of the state.
    pub revision: i64,
    /// Features that are served.
    pub features: usize,
    /// Values of the upstream's answers that were put right or left out.
    pub repaired: Vec<Repair>,
}

/// Figures of an edge.
#[derive(Debug, Clone)]
pub struct Status {
    /// Status of each feed of features.
    pub feeds: Vec<FeedStatus>,
    /// Tokens that are known to serve.
    pub tokens: usize,
    /// Tokens that are remembered not to.
    pub refusals: usize,
    /// Questions about tokens that went upstream.
    pub questions: u64,
    /// Tokens that were not asked about for want of room.
    pub unasked: u64,
    /// Reports of usage that arrived.
    pub reports_sent: u64,
    /// Reports that did not, and were kept for later.
    pub reports_failed: u64,
    /// Reports that the upstream did not take.
    pub reports_refused: u64,
    /// Environments that were rebuilt.
    pub made: u64,
    /// Times that the state could not be written to disk.
    pub unwritten: u64,
}

impl Edge {
    /// Id of this instance among edges with the same name.
    pub fn instance_id(&self) -> &str {
        &self.settings.instance_id
    }

    /// Name of the edges together.
    pub fn app_name(&self) -> &str {
        &self.settings.app_name
    }

    /// Whether the features come from a file.
    pub const fn is_offline(&self) -> bool {
        self.is_offline
    }

    /// Whether this full secret is one of those that the edge was started with.
    pub fn is_own(&self, full_secret: &str) -> bool {
        let digest = secret::digest(full_secret);
        self.settings.tokens.iter().any(|token| secret::digest(token) == digest)
    }

    /// Whether the edge can do its work.
    pub fn readiness(&self) -> Readiness {
        let age_seconds = self.fresh_at().map(|at| self.age(at));
        let feeds = self.all_feeds();
        let fetching = || feeds.iter().filter(|feed| !feed.lacks_secret());
        let empty = fetching().find(|feed| !feed.is_filled()).map(|feed| feed.environment.clone());
        let is_connected =
            self.is_offline || (fetching().next().is_some() && fetching().all(|feed| feed.progress().is_connected));
        let is_old = self.settings.oldest.zip(age_seconds).is_some_and(|(most, age)| age > most.as_secs());
        let has_state = feeds.iter().any(|feed| feed.is_filled());
        let reason = if let Some(environment) = empty {
            Some(format!("the features of the environment {environment} have not been fetched yet"))
        } else if !self.is_begun.load(Ordering::SeqCst) && !has_state && !self.is_offline {
            Some("the upstream could not be asked about the tokens yet, and the disk remembers nothing".to_owned())
        } else if !self.settings.tokens.is_empty() && feeds.is_empty() {
            Some("no client token of this edge serves".to_owned())
        } else if is_old && !self.is_offline {
            Some(format!("the upstream has not been heard for {} seconds", age_seconds.unwrap_or_default()))
        } else {
            None
        };
        Readiness { is_ready: reason.is_none(), is_connected, reason, age_seconds }
    }

    fn age(&self, at: Timestamp) -> u64 {
        u64::try_from((self.clock.now().millis() - at.millis()) / 1000).unwrap_or_default()
    }

    /// Figures of the moment.
    pub fn status(&self) -> Status {
        let (tokens, refusals) = self.token_cache.sizes();
        let (questions, unasked) = self.questions.figures();
        let feeds = self.all_feeds().into_iter().map(|feed| {
            let (progress, environment) = (feed.progress(), self.mirror.get(&feed.environment));
            FeedStatus {
                environment: feed.environment.clone(),
                projects: feed.projects.clone(),
                mode: progress.mode,
                is_connected: progress.is_connected,
                fresh_at: progress.fresh_at,
                revision: environment.as_ref().map_or(0, |one| one.changed_at()),
                features: environment.map_or(0, |one| one.flags().len()),
                repaired: feed.repaired.all(),
            }
        });
        Status {
            feeds: feeds.collect(),
            tokens,
            refusals,
            questions,
            unasked,
            reports_sent: self.counts.sent.load(Ordering::Relaxed),
            reports_failed: self.counts.failed.load(Ordering::Relaxed),
            reports_refused: self.counts.dropped.load(Ordering::Relaxed),
            made: self.mirror.made(),
            unwritten: self.files.as_ref().map_or(0, super::Files::failures),
        }
    }

    /// The tokens as they may be shown.
    pub fn tokens_listed(&self) -> Value {
        let listed = self.token_cache.listed().into_iter().map(|(token, reach, confirmed)| {
            json!({
                "token": token,
                "type": reach.kind.as_str(),
                "projects": reach.projects,
                "environment": reach.environment,
                "confirmed": confirmed,
            })
        });
        Value::Array(listed.collect())
    }

    /// Names of the features that are served, by environment.
    pub fn features_listed(&self) -> BTreeMap<String, Vec<Value>> {
        let environments = self.mirror.all();
        let told = |json: &str| serde_json::from_str(json).unwrap_or_default();
        environments
            .iter()
            .map(|(name, environment)| {
                (name.clone(), environment.flags().iter().map(|flag| told(flag.json())).collect())
            })
            .collect()
    }

    /// Report of this edge, in the words of the field.
    pub fn about(&self, serving: &Serving) -> Value {
        let mut about = self.report(serving).0;
        let feeds = self.all_feeds();
        let repaired = feeds.iter().map(|feed| (feed.environment.clone(), json!(feed.repaired.all())));
        about["repaired"] =
            repaired.filter(|(_, repairs)| repairs.as_array().is_some_and(|all| !all.is_empty())).collect();
        about
    }

    /// Report of this edge, and the counts from which the next report continues once this one has arrived.
    fn report(&self, serving: &Serving) -> (Value, Answered) {
        let routes = serving.requests.by_route();
        let timings = |method: &str| -> Value {
            let asked = routes.iter().filter(|route| route.method.eq_ignore_ascii_case(method));
            asked.map(|route| (route.route.clone(), timing(route.answers(), route.took, route.p99))).collect()
        };
        let traffic =
            json!({ "get": timings("GET"), "post": timings("POST"), "accessDenied": {}, "cachedResponses": {} });
        let answered = routes.iter().map(|route| {
            let address = format!("{} {}", route.method.to_uppercase(), route.route);
            (address, (route.successes(), route.unchanged()))
        });
        let answered: Answered = answered.collect();
        let status = self.status();
        let readiness = self.readiness();
        let revisions = status.feeds.iter().map(|feed| {
            json!({
                "environment": feed.environment,
                "projects": feed.projects.clone().unwrap_or_else(|| vec!["*".to_owned()]),
                "revisionId": feed.revision,
                "lastUpdated": feed.fresh_at.unwrap_or(self.started),
            })
        });
        let programs = serving.usage.programs(self.clock.now());
        let told = json!({
            "identifier": self.settings.instance_id,
            "appName": self.settings.app_name,
            "region": self.settings.region,
            "edgeVersion": env!("CARGO_PKG_VERSION"),
            "hosting": "self-hosted",
            "processMetrics": process(serving),
            "started": self.started,
            "traffic": traffic,
            "latencyUpstream": self.upstream.latencies(),
            "requestsSinceLastReport": self.since_last_report(&answered),
            "connectedStreamingClients": serving.streams.count(),
            "connectedEdges": EdgeReport::told_together(&serving.edges.in_sight(self.clock.now())),
            "connectionConsumptionSinceLastReport": { "features": [], "metrics": [] },
            "requestConsumptionSinceLastReport": [],
            "edgeApiKeyRevisionIds": revisions.collect::<Vec<_>>(),
            "connectedPrograms": programs,
            "stateAgeSeconds": readiness.age_seconds,
            "ready": readiness.is_ready,
        });
        (told, answered)
    }

    fn since_last_report(&self, answered: &Answered) -> Value {
        let told = self.told_answers.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let since = answered.iter().map(|(address, (good, unchanged))| {
            let (earlier, earlier_unchanged) = told.get(address).copied().unwrap_or_default();
            let figures = json!({ "requests200": good - earlier, "requests304": unchanged - earlier_unchanged });
            (address.clone(), figures)
        });
        since.collect()
    }
}

fn process(serving: &Serving) -> Value {
    let (processor_seconds, resident_bytes) = serving.requests.process();
    json!({ "cpuUsage": processor_seconds, "memoryUsage": resident_bytes })
}

/// Times that answers took: their average, and the 99th percentile.
pub(super) fn timing(answers: u64, took: Duration, p99: Duration) -> Value {
    let count = u32::try_from(answers).unwrap_or(u32::MAX);
    json!({ "avg": millis(took / count.max(1)), "count": count, "p99": millis(p99) })
}

fn millis(time: Duration) -> f64 {
    (time.as_secs_f64() * 1_000_000.0).round() / 1000.0
}

/// Reports this edge to the upstream, without end.
pub(super) async fn run(edge: &Edge, serving: &Serving) {
    if edge.is_offline {
        return std::future::pending().await;
    }
    let mut wait = Duration::from_secs(1);
    loop {
        sleep(wait).await;
        wait = about(edge.settings.about_itself);
        let Some(feed) = edge.all_feeds().into_iter().find(|feed| !feed.lacks_secret() && feed.is_filled()) else {
            continue;
        };
        let (told, answered) = edge.report(serving);
        let body = told.to_string().into_bytes();
        match edge.upstream.post("/api/client/metrics/edge", Some(&feed.secret.0), body).await {
            Ok(_) => *edge.told_answers.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = answered,
            Err(error) => {
                tracing::debug!(target: "flagstone::edge::status", %error, "cannot report this edge to the upstream");
            }
        }
    }
}
