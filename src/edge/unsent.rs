//! Usage that could not be reported before the end of an edge: kept on disk for its next life.

use serde::{Deserialize, Serialize};

use super::{Edge, reports::Doubtful};
use crate::{
    domain::{
        time::Timestamp,
        usage::{Gathered, HeardApplication, HeardInstance, InstanceKey, Tally, TallyKey},
    },
    state::Serving,
};

/// The file.
const USAGE: &str = "usage.state";

/// What was gathered, as lists: JSON has no other keys than texts.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct UnsentUsage {
    tallies: Vec<(TallyKey, Tally)>,
    evaluated: Vec<((String, String), Timestamp)>,
    applications: Vec<(String, HeardApplication)>,
    instances: Vec<(InstanceKey, HeardInstance)>,
    /// Digests of tokens, and when they were seen.
    seen: Vec<(String, Timestamp)>,
}

/// A report of which nobody knows whether it arrived.
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
            ..Gathered::default()
        }
    }
}

impl Edge {
    /// Writes what is left to be reported.
    pub(super) fn keep_usage(&self, serving: &Serving) {
        let Some(files) = &self.files else { return };
        let (gathered, doubtful) = (serving.usage.take(), std::mem::take(&mut *self.doubtful()));
        let taken = serving.usage.recent_reports(self.clock.now());
        let has_usage = !gathered.is_empty() || !doubtful.is_empty();
        if !has_usage && taken.is_empty() {
            return;
        }
        let doubtful = doubtful.into_iter().map(|one| UnsentReport {
            id: one.id,
            feed: one.feed,
            usage: UnsentUsage::of(self, one.usage),
        });
        let unsent = Unsent { doubtful: doubtful.collect(), usage: UnsentUsage::of(self, gathered), taken };
        match files.write(USAGE, &unsent) {
            Ok(()) if has_usage => tracing::info!("usage that is not reported is kept on disk for the next start"),
            Ok(()) => {}
            Err(error) => tracing::error!(%error, "usage is lost: it was not reported and cannot be kept on disk"),
        }
    }

    /// Takes up what was left to be reported. It is not there a second time.
    pub(super) fn recall_usage(&self, serving: &Serving) {
        let Some(files) = &self.files else { return };
        let Some(unsent) = files.take::<Unsent>(USAGE) else { return };
        serving.usage.put_back(unsent.usage.gathered(self));
        serving.usage.recall_reports(unsent.taken, self.clock.now());
        let doubtful = unsent.doubtful.into_iter().map(|one| Doubtful {
            id: one.id,
            feed: one.feed,
            usage: one.usage.gathered(self),
        });
        self.doubtful().extend(doubtful);
    }
}
