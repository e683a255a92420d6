//! Keeping a feed current: by a stream where the upstream has one, else by differences, else by asking for everything.
//! What fails is tried in a simpler way, and what worked better once is tried again after a while.

use std::sync::Arc;

use flagstone_chance::{Backoff, about};
use tokio::time::{Duration, Instant, timeout};

use super::{
    Edge, document,
    feed::{Feed, FetchMode},
    upstream::{Fetched, UpstreamError},
};

/// Target of lines in the log, by the part of the program: a crate is none to those who operate it.
const LOG: &str = "flagstone::edge::fetching";

/// The longest wait between two tries.
const LONGEST_WAIT: Duration = Duration::from_mins(1);
/// Longest silence of a stream: servers show three times in it that they live.
const SILENCE: Duration = Duration::from_secs(65);
/// Time after which a mode is tried again that the upstream does not have.
const UNKNOWN: Duration = Duration::from_mins(5);
/// Time for which a mode that failed is left aside.
const BROKEN: Duration = Duration::from_secs(20);
/// Streams in a row that ended before their first event, after which differences are asked for.
const MAX_EMPTY_STREAMS: u32 = 3;

/// Failure of an upstream that sends a delta from a state that the request did not name.
const UNFIT: &str = "the upstream tells differences from a state that it never told";

/// Next step after a try.
enum Next {
    /// Repeat the request after the wait between two requests.
    Again,
    /// Repeat the request at once, without the state that is known. Only after a request that named one, so that it
    /// ends.
    Anew,
    /// Another mode at once; the best one is tried again after so long.
    Instead(FetchMode, Duration),
    /// The try failed; try again later.
    Failed(UpstreamError),
}

/// State of keeping a feed current.
struct Fetching<'a> {
    edge: &'a Edge,
    feed: &'a Arc<Feed>,
    /// The best mode that the operator wants.
    best: FetchMode,
    mode: FetchMode,
    /// Entity tag of the last answer with all features.
    tag: Option<String>,
    /// Revision of the state that was received last, in a mode that gives revisions.
    told: Option<i64>,
    backoff: Backoff,
    empty_streams: u32,
    /// When the best mode is tried again, while a simpler one is taken.
    forward_at: Option<Instant>,
}

/// Keeps a feed current until it is to end, or its token is refused: then true.
pub(super) async fn run(edge: &Edge, feed: &Arc<Feed>, told: Option<i64>) -> bool {
    let best = edge.settings.best_mode;
    let mut fetching = Fetching {
        edge,
        feed,
        best,
        mode: best,
        tag: None,
        told,
        backoff: Backoff::up_to(LONGEST_WAIT),
        empty_streams: 0,
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
            let next = match self.mode {
                FetchMode::Stream => self.stream().await,
                FetchMode::Delta => self.delta().await,
                FetchMode::Poll => self.poll().await,
            };
            let wait = match next {
                Next::Again => {
                    self.backoff.reset();
                    about(self.edge.settings.refresh)
                }
                Next::Anew => Duration::ZERO,
                Next::Instead(mode, again) => {
                    self.go(mode, again);
                    Duration::ZERO
                }
                Next::Failed(UpstreamError::Refused) => return,
                Next::Failed(error) => {
                    self.feed.lost(self.mode);
                    let wait = self.backoff.next_wait();
                    let wait = if let UpstreamError::Later(asked) = error { asked.max(wait) } else { wait };
                    tracing::warn!(
                        target: LOG,
                        environment = self.feed.environment,
                        mode = self.mode.as_str(),
                        %error,
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

    fn go(&mut self, mode: FetchMode, again: Duration) {
        if mode == self.mode {
            return;
        }
        tracing::info!(target: LOG, environment = self.feed.environment, mode = mode.as_str(), "fetch mode changed");
        self.forward_at = (mode != self.best).then(|| Instant::now() + about(again));
        self.mode = mode;
        self.empty_streams = 0;
    }

    async fn stream(&mut self) -> Next {
        let named = self.told.is_some();
        let mut opened = match self.edge.upstream.follow(&self.feed.secret.0, self.told).await {
            Ok(opened) => opened,
            // It has none, or as many are open as it has room for.
            Err(UpstreamError::Missing | UpstreamError::Later(_)) => return Next::Instead(FetchMode::Delta, UNKNOWN),
            Err(error) => return self.gave_up(error),
        };
        let mut said_something = false;
        let (mut kind, mut data) = (String::new(), String::new());
        loop {
            let line = match timeout(SILENCE, opened.lines.next()).await {
                Ok(Some(Ok(line))) => line,
                Ok(Some(Err(failure))) => break self.cut(said_something, failure.into()),
                Ok(None) => break self.cut(said_something, UpstreamError::Away("the stream ended".to_owned())),
                Err(_) => break self.cut(said_something, UpstreamError::Away("the stream fell silent".to_owned())),
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
                    match self.apply(text.into_bytes(), FetchMode::Stream).await {
                        Ok(true) => {}
                        Ok(false) if named && !said_something => return Next::Anew,
                        Ok(false) => break self.cut(said_something, UpstreamError::Away(UNFIT.to_owned())),
                        Err(error) => return Next::Failed(error),
                    }
                }
                said_something = true;
            } else if line.starts_with(':') && self.told.is_some() {
                // Nothing has changed, and the connection stands.
                self.feed.heard(FetchMode::Stream, self.edge.clock.now());
                said_something = true;
            }
            if said_something {
                self.backoff.reset();
                self.empty_streams = 0;
            }
        }
    }

    /// A stream broke off. After a good one it is opened again after a moment, which differs from edge to edge.
    fn cut(&mut self, said_something: bool, error: UpstreamError) -> Next {
        if said_something { Next::Failed(error) } else { self.gave_up(error) }
    }

    fn gave_up(&mut self, error: UpstreamError) -> Next {
        self.empty_streams += 1;
        if self.empty_streams >= MAX_EMPTY_STREAMS && error != UpstreamError::Refused {
            return Next::Instead(FetchMode::Delta, BROKEN);
        }
        Next::Failed(error)
    }

    async fn delta(&mut self) -> Next {
        let tag = self.told.map(|told| format!("\"{told}\""));
        match self.edge.upstream.fetch("/api/client/delta", &self.feed.secret.0, tag.as_deref()).await {
            Ok(Fetched::Same) => {
                self.feed.heard(FetchMode::Delta, self.edge.clock.now());
                Next::Again
            }
            Ok(Fetched::Whole(_, body)) => match self.apply(body, FetchMode::Delta).await {
                Ok(true) => Next::Again,
                Ok(false) if tag.is_some() => Next::Anew,
                Ok(false) => {
                    tracing::warn!(
                        target: LOG,
                        environment = self.feed.environment,
                        mode = self.mode.as_str(),
                        "{UNFIT}"
                    );
                    Next::Instead(FetchMode::Poll, BROKEN)
                }
                // What differences there are cannot be read; everything may.
                Err(_) => Next::Instead(FetchMode::Poll, UNKNOWN),
            },
            Err(UpstreamError::Missing) => Next::Instead(FetchMode::Poll, UNKNOWN),
            Err(error) => Next::Failed(error),
        }
    }

    async fn poll(&mut self) -> Next {
        match self.edge.upstream.fetch("/api/client/features", &self.feed.secret.0, self.tag.as_deref()).await {
            Ok(Fetched::Same) => {
                self.feed.heard(FetchMode::Poll, self.edge.clock.now());
                Next::Again
            }
            Ok(Fetched::Whole(tag, body)) => {
                let read = tokio::task::spawn_blocking(move || document::everything(&body)).await;
                let everything = match read.map_err(|error| error.to_string()).flatten() {
                    Ok(everything) => everything,
                    Err(reason) => return Next::Failed(UpstreamError::Away(reason)),
                };
                self.told = None;
                self.tag = tag;
                self.edge.replace(self.feed, everything).await;
                self.feed.heard(FetchMode::Poll, self.edge.clock.now());
                Next::Again
            }
            Err(UpstreamError::Missing) => {
                Next::Failed(UpstreamError::Away("the upstream has no features at /api/client/features".to_owned()))
            }
            Err(error) => Next::Failed(error),
        }
    }

    /// Takes in differences. False when they need a state that is not there.
    async fn apply(&mut self, body: Vec<u8>, mode: FetchMode) -> Result<bool, UpstreamError> {
        let read = tokio::task::spawn_blocking(move || document::changes(&body)).await;
        let changes = read.map_err(|error| error.to_string()).flatten().map_err(UpstreamError::Away)?;
        let revision = changes.revision;
        if changes.is_empty() {
            self.feed.heard(mode, self.edge.clock.now());
            return Ok(true);
        }
        if !self.edge.change(self.feed, changes).await {
            self.told = None;
            return Ok(false);
        }
        self.told = Some(revision);
        self.tag = None;
        self.feed.heard(mode, self.edge.clock.now());
        Ok(true)
    }
}
