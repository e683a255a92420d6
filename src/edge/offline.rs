//! An edge without an upstream: the features of a file, read again when it has changed.

use std::{path::Path, sync::Arc};

use flagstone_clock::Clock;
use flagstone_domain::{
    secret::TokenKind,
    text::without_byte_order_mark,
    token::{ALL, Reach},
};
use flagstone_files as files;
use tokio::time::{Duration, sleep};

use super::{
    Edge, Settings, Upstream, document,
    feed::{Feed, FetchMode},
    mirror::Place,
    token_cache::Secret,
};

/// Most bytes of a file with features.
const LIMIT: u64 = 256 << 20;

impl Edge {
    /// An edge that serves the features of a file to the trusted tokens of its settings, in each of their environments
    /// the same. The error says what is wrong with the file.
    pub fn offline(settings: Settings, upstream: Upstream, clock: Clock, file: &Path) -> Result<Arc<Self>, String> {
        let edge = Self::bare(settings, upstream, clock, None, true);
        let mut environments: Vec<&str> =
            edge.settings.trusted.iter().map(|(_, reach)| reach.environment.as_str()).collect();
        environments.sort_unstable();
        environments.dedup();
        for environment in environments {
            let reach =
                Reach { kind: TokenKind::Client, projects: vec![ALL.to_owned()], environment: environment.to_owned() };
            let secret = Secret("offline".into());
            let feed = Feed::new(format!("offline {environment}"), secret, &reach, FetchMode::Poll, None);
            edge.locked().push(feed);
        }
        edge.load(&read(file)?)?;
        Ok(edge)
    }

    /// Reads the file again at this interval, and takes in what has changed; what cannot be read changes nothing.
    pub async fn follow_file(self: Arc<Self>, file: &Path, interval: Duration) {
        let mut known = Vec::new();
        loop {
            sleep(interval).await;
            let outcome = match read(file) {
                Ok(bytes) if bytes == known => Ok(()),
                Ok(bytes) => {
                    let outcome = self.load(&bytes);
                    known = bytes;
                    outcome
                }
                Err(reason) => Err(reason),
            };
            if let Err(reason) = outcome {
                tracing::warn!(
                    target: "flagstone::edge::offline",
                    file = %file.display(),
                    reason,
                    "the file cannot be read; its last state is served"
                );
            }
        }
    }

    fn load(&self, bytes: &[u8]) -> Result<(), String> {
        for feed in self.all_feeds() {
            let everything = document::everything(without_byte_order_mark(bytes))?;
            feed.repaired.replace(&feed.environment, &everything.repairs);
            self.mirror.replace(&Place { feed: &feed, is_alone: true }, everything, None);
            feed.heard(FetchMode::Poll, self.clock.now());
        }
        Ok(())
    }
}

fn read(file: &Path) -> Result<Vec<u8>, String> {
    let refused = |error: std::io::Error| format!("{}: {error}", file.display());
    files::read_bounded(file, LIMIT).map_err(refused)
}
