//! Usage that is not reported yet, kept on disk for the next life of an edge, whatever ends this one: written down before
//! it is sent, and within a second of its arrival.

use std::sync::{MutexGuard, PoisonError};

use flagstone_domain::{
    time::Timestamp,
    unknown_flag::UnknownFlag,
    usage::{Gathered, HeardApplication, HeardInstance, InstanceKey, Tally, TallyKey},
};
use flagstone_state::Serving;
use serde::{Deserialize, Serialize};
use tokio::{
    sync::watch,
    time::{Duration, sleep},
};

use super::{Edge, Files, reports::Doubtful};

/// The file.
const USAGE: &str = "usage.state";

/// Longest time until changes are written, but for the time that writing takes.
const PAUSE: Duration = Duration::from_millis(500);

/// Gathered usage, as lists: JSON has no other keys than texts.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct UnsentUsage {
    tallies: Vec<(TallyKey, Tally)>,
    evaluated: Vec<((String, String), Timestamp)>,
    applications: Vec<(String, HeardApplication)>,
    instances: Vec<(InstanceKey, HeardInstance)>,
    /// Digests of tokens, and when they were seen.
    seen: Vec<(String, Timestamp)>,
    unknown_flags: Vec<(UnknownFlag, Timestamp)>,
}

/// A report that may have arrived.
#[derive(Serialize, Deserialize)]
struct UnsentReport {
    id: String,
    /// Digest of the token that it was sent with.
    feed: String,
    usage: UnsentUsage,
}

#[derive(Serialize, Deserialize)]
struct Unsent {
    #[serde(flatten)]
    usage: UnsentUsage,
    #[serde(default)]
    doubtful: Vec<UnsentReport>,
    /// Ids of reports that were taken from edges behind this one, and until when they are recognised.
    #[serde(default)]
    taken: Vec<(String, Timestamp)>,
}

impl UnsentUsage {
    fn of(edge: &Edge, gathered: Gathered) -> Self {
        let digest = |(id, at): (i64, Timestamp)| edge.token_cache.digests([id]).pop().map(|digest| (digest, at));
        Self {
            tallies: gathered.tallies.into_iter().collect(),
            evaluated: gathered.evaluated.into_iter().collect(),
            applications: gathered.applications.into_iter().collect(),
            instances: gathered.instances.into_iter().collect(),
            seen: gathered.tokens.into_iter().filter_map(digest).collect(),
            unknown_flags: gathered.unknown_flags.into_iter().collect(),
        }
    }

    fn gathered(self, edge: &Edge) -> Gathered {
        let number = |(digest, at): (String, Timestamp)| Some((edge.token_cache.numbers_of(&[digest]).pop()?, at));
        Gathered {
            tallies: self.tallies.into_iter().collect(),
            evaluated: self.evaluated.into_iter().collect(),
            applications: self.applications.into_iter().collect(),
            instances: self.instances.into_iter().collect(),
            tokens: self.seen.into_iter().filter_map(number).collect(),
            unknown_flags: self.unknown_flags.into_iter().collect(),
            ..Gathered::default()
        }
    }
}

/// Writes what changed twice a second, until the halt.
pub(super) async fn run(edge: &Edge, serving: &Serving, mut halted: watch::Receiver<bool>) {
    if edge.files.is_none() || edge.is_offline {
        return;
    }
    loop {
        tokio::select! {
            () = sleep(PAUSE) => {}
            _ = halted.wait_for(|halted| *halted) => return,
        }
        if serving.usage.take_changed() {
            edge.keep_usage(serving);
        }
    }
}

impl Edge {
    /// Keeps others from writing or moving usage while something is moved between what is gathered and what is sent.
    pub(super) fn hold_usage(&self) -> MutexGuard<'_, ()> {
        self.keeping_usage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes what is left to be reported, all of which stays in memory.
    pub(super) fn keep_usage(&self, serving: &Serving) {
        if let Some(files) = &self.files {
            tokio::task::block_in_place(|| self.write_usage(files, serving));
        }
    }

    fn write_usage(&self, files: &Files, serving: &Serving) {
        let _keeping = self.hold_usage();
        let (gathered, doubtful) = (serving.usage.copy(), self.doubtful().clone());
        let taken = serving.usage.recent_reports(self.clock.now());
        if gathered.is_empty() && doubtful.is_empty() && taken.is_empty() {
            files.remove(USAGE);
            return;
        }
        let doubtful = doubtful.into_iter().map(|one| UnsentReport {
            id: one.id,
            feed: one.feed,
            usage: UnsentUsage::of(self, one.usage),
        });
        let unsent = Unsent { doubtful: doubtful.collect(), usage: UnsentUsage::of(self, gathered), taken };
        if let Err(error) = files.write(USAGE, &unsent) {
            tracing::error!(
                target: "flagstone::edge::unsent",
                %error,
                "usage that is not reported yet cannot be kept on disk"
            );
        }
    }

    /// Takes up what was left to be reported. It stays on disk until what is left then is written in its place.
    pub(super) fn recall_usage(&self, serving: &Serving) {
        let Some(files) = &self.files else { return };
        let Some(unsent) = files.read::<Unsent>(USAGE) else { return };
        serving.usage.put_back(unsent.usage.gathered(self));
        serving.usage.recall_reports(unsent.taken, self.clock.now());
        let doubtful = unsent.doubtful.into_iter().map(|one| Doubtful {
            id: one.id,
            feed: one.feed,
            usage: one.usage.gathered(self),
            is_sent: true,
        });
        self.doubtful().extend(doubtful);
    }
}
