//! Keeping a feed current: by a stream where the upstream has one, else by differences, else by asking for everything.
//! What fails is tried in a simpler way, and what worked better once is tried again after a while.

use std::sync::Arc;

use tokio::time::{Duration, Instant, timeout};

use super::{
    Edge, document,
    feed::{Feed, Way},
    upstream::{Fetched, Trouble},
};
use crate::chance::{Backoff, about};

/// The longest wait between two tries.
const LONGEST_WAIT: Duration = Duration::from_mins(1);
/// How long a stream may say nothing: servers show three times in it that they live.
const SILENCE: Duration = Duration::from_secs(65);
/// After how long a way is tried again that the upstream does not have.
const UNKNOWN: Duration = Duration::from_mins(5);
/// The same of one that did not work.
const BROKEN: Duration = Duration::from_secs(20);
/// Streams in a row that ended before they said anything, after which differences are asked for.
const HOPELESS: u32 = 3;

/// What is to be done after a try.
enum Next {
    /// The same again, after the wait between two questions.
    Again,
    /// Another way at once; the best one is tried again after so long.
    Instead(Way, Duration),
    /// It failed; try again later.
    Failed(Trouble),
}

/// How a feed is kept current.
struct Fetching<'a> {
    edge: &'a Edge,
    feed: &'a Arc<Feed>,
    /// The best way that the operator wants.
    best: Way,
    way: Way,
    /// What names the last answer with everything.
    tag: Option<String>,
    /// The number of the state that was told last, in a way that gives numbers.
    told: Option<i64>,
    backoff: Backoff,
    hopeless: u32,
    /// When the best way is tried again, while a simpler one is taken.
    forward_at: Option<Instant>,
}

/// Keeps a feed current until it is to end, or its token is refused: then true.
pub(super) async fn run(edge: &Edge, feed: &Arc<Feed>, told: Option<i64>) -> bool {
    let best = edge.settings.best_way;
    let mut fetching = Fetching {
        edge,
        feed,
        best,
        way: best,
        tag: None,
        told,
        backoff: Backoff::up_to(LONGEST_WAIT),
        hopeless: 0,
        forward_at: None,
    };
    let mut ended = feed.ended.subscribe();
    tokio::select! {
        _ = ended.wait_for(|ended| *ended) => false,
        () = fetching.until_refused() => true,
    }
}

impl Fetching<'_> {
    async fn until_refused(&mut self) {
        loop {
            let next = match self.way {
                Way::Stream => self.stream().await,
                Way::Delta => self.delta().await,
                Way::Poll => self.poll().await,
            };
            let wait = match next {
                Next::Again => {
                    self.backoff.reset();
                    about(self.edge.settings.refresh)
                }
                Next::Instead(way, again) => {
                    self.go(way, again);
                    Duration::ZERO
                }
                Next::Failed(Trouble::Refused) => return,
                Next::Failed(trouble) => {
                    self.feed.lost(self.way);
                    let wait = self.backoff.next();
                    let wait = if let Trouble::Later(asked) = trouble { asked.max(wait) } else { wait };
                    tracing::warn!(
                        environment = self.feed.environment,
                        way = self.way.as_str(),
                        %trouble,
                        ?wait,
                        "features cannot be fetched; the last known ones are served"
                    );
                    wait
                }
            };
            if self.forward_at.is_some_and(|at| at <= Instant::now()) {
                self.go(self.best, UNKNOWN);
            }
            tokio::time::sleep(wait).await;
        }
    }

    fn go(&mut self, way: Way, again: Duration) {
        if way == self.way {
            return;
        }
        tracing::info!(environment = self.feed.environment, way = way.as_str(), "features are fetched another way");
        self.forward_at = (way != self.best).then(|| Instant::now() + about(again));
        self.way = way;
        self.hopeless = 0;
    }

    async fn stream(&mut self) -> Next {
        let mut opened = match self.edge.upstream.follow(&self.feed.secret.0, self.told).await {
            Ok(opened) => opened,
            // It has none, or as many are open as it has room for.
            Err(Trouble::Missing | Trouble::Later(_)) => return Next::Instead(Way::Delta, UNKNOWN),
            Err(trouble) => return self.gave_up(trouble),
        };
        let mut said_something = false;
        let (mut kind, mut data) = (String::new(), String::new());
        loop {
            let line = match timeout(SILENCE, opened.lines.next()).await {
                Ok(Some(Ok(line))) => line,
                Ok(Some(Err(failure))) => break self.cut(said_something, failure.into()),
                Ok(None) => break self.cut(said_something, Trouble::Away("the stream ended".to_owned())),
                Err(_) => break self.cut(said_something, Trouble::Away("the stream fell silent".to_owned())),
            };
            if let Some(name) = line.strip_prefix("event:") {
                name.trim().clone_into(&mut kind);
            } else if let Some(more) = line.strip_prefix("data:") {
                if !data.is_empty() {
                    data.push('\n');
                }
                data.push_str(more.trim_start());
            } else if line.is_empty() && !data.is_empty() {
                let (event, text) = (std::mem::take(&mut kind), std::mem::take(&mut data));
                if event.is_empty() || event.starts_with("unleash-") {
                    match self.heed(text.into_bytes(), Way::Stream).await {
                        Ok(true) => {}
                        Ok(false) => return Next::Instead(Way::Stream, UNKNOWN),
                        Err(trouble) => return Next::Failed(trouble),
                    }
                }
                said_something = true;
            } else if line.starts_with(':') && self.told.is_some() {
                // Nothing has changed, and the connection stands.
                self.feed.heard(Way::Stream, self.edge.clock.now());
                said_something = true;
            }
            if said_something {
                self.backoff.reset();
                self.hopeless = 0;
            }
        }
    }

    /// A stream broke off. After a good one it is opened anew after a moment, which differs from edge to edge.
    fn cut(&mut self, said_something: bool, trouble: Trouble) -> Next {
        if said_something { Next::Failed(trouble) } else { self.gave_up(trouble) }
    }

    fn gave_up(&mut self, trouble: Trouble) -> Next {
        self.hopeless += 1;
        if self.hopeless >= HOPELESS && trouble != Trouble::Refused {
            return Next::Instead(Way::Delta, BROKEN);
        }
        Next::Failed(trouble)
    }

    async fn delta(&mut self) -> Next {
        let tag = self.told.map(|told| format!("\"{told}\""));
        match self.edge.upstream.fetch("/api/client/delta", &self.feed.secret.0, tag.as_deref()).await {
            Ok(Fetched::Same) => {
                self.feed.heard(Way::Delta, self.edge.clock.now());
                Next::Again
            }
            Ok(Fetched::Whole(_, body)) => match self.heed(body, Way::Delta).await {
                Ok(true) => Next::Again,
                Ok(false) => Next::Instead(Way::Delta, UNKNOWN),
                // What differences there are cannot be read; everything may.
                Err(_) => Next::Instead(Way::Poll, UNKNOWN),
            },
            Err(Trouble::Missing) => Next::Instead(Way::Poll, UNKNOWN),
            Err(trouble) => Next::Failed(trouble),
        }
    }

    async fn poll(&mut self) -> Next {
        match self.edge.upstream.fetch("/api/client/features", &self.feed.secret.0, self.tag.as_deref()).await {
            Ok(Fetched::Same) => {
                self.feed.heard(Way::Poll, self.edge.clock.now());
                Next::Again
            }
            Ok(Fetched::Whole(tag, body)) => {
                let read = tokio::task::spawn_blocking(move || document::everything(&body)).await;
                let everything = match read.map_err(|error| error.to_string()).flatten() {
                    Ok(everything) => everything,
                    Err(reason) => return Next::Failed(Trouble::Away(reason)),
                };
                self.told = None;
                self.tag = tag;
                self.edge.replace(self.feed, everything).await;
                self.feed.heard(Way::Poll, self.edge.clock.now());
                Next::Again
            }
            Err(Trouble::Missing) => {
                Next::Failed(Trouble::Away("the upstream has no features at /api/client/features".to_owned()))
            }
            Err(trouble) => Next::Failed(trouble),
        }
    }

    /// Takes in differences. False when they need a state that is not there.
    async fn heed(&mut self, body: Vec<u8>, way: Way) -> Result<bool, Trouble> {
        let read = tokio::task::spawn_blocking(move || document::changes(&body)).await;
        let changes = read.map_err(|error| error.to_string()).flatten().map_err(Trouble::Away)?;
        let revision = changes.revision;
        if changes.is_empty() {
            self.feed.heard(way, self.edge.clock.now());
            return Ok(true);
        }
        if !self.edge.change(self.feed, changes).await {
            self.told = None;
            return Ok(false);
        }
        self.told = Some(revision);
        self.tag = None;
        self.feed.heard(way, self.edge.clock.now());
        Ok(true)
    }
}
