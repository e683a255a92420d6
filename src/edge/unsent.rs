//! Usage that could not be reported before the end of an edge: kept on disk for its next life.

use serde::{Deserialize, Serialize};

use super::Edge;
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
#[derive(Serialize, Deserialize)]
struct Unsent {
    tallies: Vec<(TallyKey, Tally)>,
    evaluated: Vec<((String, String), Timestamp)>,
    applications: Vec<(String, HeardApplication)>,
    instances: Vec<(InstanceKey, HeardInstance)>,
    /// Digests of tokens, and when they were seen.
    seen: Vec<(String, Timestamp)>,
}

impl Edge {
    /// Writes what is left to be reported.
    pub(super) fn keep_usage(&self, serving: &Serving) {
        let Some(files) = &self.files else { return };
        let gathered = serving.usage.take();
        if gathered.is_empty() {
            return;
        }
        let digest = |(id, at): (i64, Timestamp)| self.token_cache.digests([id]).pop().map(|digest| (digest, at));
        let unsent = Unsent {
            tallies: gathered.tallies.into_iter().collect(),
            evaluated: gathered.evaluated.into_iter().collect(),
            applications: gathered.applications.into_iter().collect(),
            instances: gathered.instances.into_iter().collect(),
            seen: gathered.tokens.into_iter().filter_map(digest).collect(),
        };
        match files.write(USAGE, &unsent) {
            Ok(()) => tracing::info!("usage that is not reported is kept on disk for the next start"),
            Err(error) => tracing::error!(%error, "usage is lost: it was not reported and cannot be kept on disk"),
        }
    }

    /// Takes up what was left to be reported. It is not there a second time.
    pub(super) fn recall_usage(&self, serving: &Serving) {
        let Some(files) = &self.files else { return };
        let Some(unsent) = files.take::<Unsent>(USAGE) else { return };
        let seen = unsent.seen.into_iter().filter_map(|(digest, at)| {
            let id = self.token_cache.numbers_of(&[digest]).pop()?;
            Some((id, at))
        });
        serving.usage.put_back(Gathered {
            tokens: seen.collect(),
            tallies: unsent.tallies.into_iter().collect(),
            evaluated: unsent.evaluated.into_iter().collect(),
            applications: unsent.applications.into_iter().collect(),
            instances: unsent.instances.into_iter().collect(),
        });
    }
}
