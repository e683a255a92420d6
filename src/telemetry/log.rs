//! The log: lines on standard error, of which there can be more or fewer while the program runs.

use std::{
    fmt,
    io::IsTerminal as _,
    sync::{Arc, Mutex, PoisonError},
};

use tracing::{Level, Metadata};
use tracing_subscriber::{
    EnvFilter, filter, fmt::layer, layer::SubscriberExt as _, reload, util::SubscriberInitExt as _,
};

/// Default level of the log.
const USUAL: &str = "info,sqlx=warn,sea_orm=warn";
/// Target of the lines about requests, where these are wanted.
pub const ACCESS_LOG: &str = "flagstone::access";
/// Prefix of the targets of our own lines.
const OURS: &str = "flagstone";

/// The log of the program. Cheap to clone.
#[derive(Clone)]
pub struct Log(Arc<Inner>);

struct Inner {
    initial: String,
    in_force: Mutex<Option<String>>,
    apply: Box<dyn Fn(&str) + Send + Sync>,
}

impl fmt::Debug for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Log").field(&self.0.initial).finish()
    }
}

/// A log that is not written anywhere.
impl Default for Log {
    fn default() -> Self {
        Self::new(USUAL.to_owned(), |_| {})
    }
}

impl Log {
    fn new(initial: String, apply: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self(Arc::new(Inner { initial, in_force: Mutex::default(), apply: Box::new(apply) }))
    }

    /// Begins to write lines to standard error, so that standard output belongs to what commands print: as text or as
    /// JSON, and where `tells_requests` one for each request. `level` says which, in the form of `RUST_LOG`.
    pub fn start(is_text: bool, tells_requests: bool, level: Option<String>) -> Self {
        let named = level.filter(|text| !text.is_empty() && EnvFilter::builder().parse(text).is_ok());
        let initial = named.unwrap_or_else(|| USUAL.to_owned());
        let filter_of = move |level: &str| {
            let requests = if tells_requests { "info" } else { "off" };
            EnvFilter::new(format!("{ACCESS_LOG}={requests},{level}"))
        };
        let (filter, handle) = reload::Layer::new(filter_of(&initial));
        let registry = tracing_subscriber::registry().with(filter).with(filter::filter_fn(may_be_told));
        let lines = layer().with_writer(std::io::stderr);
        // By itself it only looks whether NO_COLOR is set.
        let lines = if std::io::stderr().is_terminal() { lines } else { lines.with_ansi(false) };
        if is_text {
            registry.with(lines).init();
        } else {
            registry.with(lines.json()).init();
        }
        Self::new(initial, move |level| {
            // It fails when there is no log any more.
            drop(handle.reload(filter_of(level)));
        })
    }

    /// Returns the level from the start on, in the form of `RUST_LOG`.
    pub fn initial(&self) -> &str {
        &self.0.initial
    }

    /// Returns the level that is in force instead, if any is.
    pub fn in_force(&self) -> Option<String> {
        self.0.in_force.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Applies a level from now on, in that form; `None` means the level from the start on. Returns whether that is
    /// another level than before.
    pub fn follow(&self, level: Option<&str>) -> bool {
        let mut in_force = self.0.in_force.lock().unwrap_or_else(PoisonError::into_inner);
        if in_force.as_deref() == level {
            return false;
        }
        *in_force = level.map(str::to_owned);
        (self.0.apply)(level.unwrap_or(&self.0.initial));
        true
    }
}

/// Whether a line may be logged: details of other crates may be headers, addresses and values of statements, so they
/// never are.
fn may_be_told(metadata: &Metadata<'_>) -> bool {
    *metadata.level() <= Level::INFO || metadata.target().starts_with(OURS)
}
